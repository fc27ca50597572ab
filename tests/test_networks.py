"""Saved policies: what is in the file, what is refused, and what they decide."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch, variant
from cyberdeck.engine.contract import Feature
from cyberdeck.engine.policy import PolicyInput, drawn
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, PolicyError
from cyberdeck.players import find_player, find_pool
from cyberdeck.players.networks import InOwnView, Layer, Network, Prior, Value, Whole, load
from tests.refusals import refusals
from tests.test_policies import network, part_of
from tests.training.runs import numbers

Bytes = Callable[[bytes], bytes]


def seen(count: int = 40, seed: int = 3, game: str = "hackthegrid", **options: Any) -> PolicyInput:
    """Some positions in the middle of games."""
    batch = Batch(game, count, seed=seed, **options)
    for step in range(12):
        batch.step(batch.choose("heuristic" if step % 2 else "random"))
    return batch._core.seen(batch._core.all_rows, False)


# --- there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize(("activation", "greedy"), [("tanh", True), ("relu", False)])
def test_saved_and_read_again(tmp_path: Path, activation: str, greedy: bool) -> None:
    """A header of JSON and the numbers, no more: nothing that could be run."""
    options: dict[str, Any] = {"scramble": "at_end", "deck": [["NET NODE", 1]] * 16}
    layers = network("hackthegrid", options).layers
    one = Network("hackthegrid", layers, activation, greedy, name="first", options=options)
    path = tmp_path / "some.name.safetensors"
    one.save(path)
    assert [path.name for path in tmp_path.iterdir()] == ["some.name.safetensors"]
    two = load(path)
    assert (two.game, two.activation, two.greedy) == ("hackthegrid", activation, greedy)
    assert (two.options, two.actions, two.name) == (one.options, one.actions, "some.name")
    signatures = [[(f.name, f.shape, f.low, f.high) for f in each.features] for each in (one, two)]
    assert signatures[0] == signatures[1]
    positions = seen(**options)
    assert two.decide(positions).tolist() == one.decide(positions).tolist()
    assert numbers(two) == numbers(one)
    one.save(tmp_path / "third.safetensors")
    data = path.read_bytes()
    assert (tmp_path / "third.safetensors").read_bytes() == data
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    words = header.pop("__metadata__")
    assert words["cyberdeck policy"] == "4"
    assert words["shape"] == f"{one.shape[0]} - 8 - 69"
    assert json.loads(words["features"])[0] == ["grid_kind", [4, 4, 6], 0, 1]
    assert json.loads(words["actions"]) == [4, 64, 1]
    assert all(isinstance(word, str) for word in words.values())
    assert set(header) == {"0.weights", "0.biases", "1.weights", "1.biases"}
    assert len(data) == 8 + size + 4 * sum(w.size + b.size for w, b in one.layers)
    with pytest.raises(PolicyError, match=r"must end with \.safetensors"):
        one.save(tmp_path / "p.pt")


# --- damage --------------------------------------------------------------------------------------


def file_of(tensors: dict[str, tuple[str, list[int], bytes]], words: Any) -> bytes:
    """A file of that format with whatever is in it: name -> kind of number, shape, bytes."""
    header: dict[str, Any] = {} if words is None else {"__metadata__": words}
    body = b""
    for name, (kind, shape, data) in tensors.items():
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


WORDS = {
    "cyberdeck policy": "4",
    "game": "hackthegrid",
    "features": json.dumps(
        [(f.name, f.shape, f.low, f.high) for f in variant("hackthegrid").features]
    ),
    "actions": "[4, 64, 1]",
    "options": "{}",
    "one-hot": "[]",
    "history": "1",
    "prior": "null",
    "activation": "tanh",
    "greedy": "true",
    "name": "p",
}


def floats(*shape: int, value: float = 0.5) -> tuple[str, list[int], bytes]:
    return "F32", list(shape), np.full(shape, value, np.float32).tobytes()


LAYERS = {
    "0.weights": floats(4, 349),
    "0.biases": floats(4),
    "1.weights": floats(69, 4),
    "1.biases": floats(69),
}


def changed(where: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """With others; what is None is not there."""
    return {name: value for name, value in (where | changes).items() if value is not None}


GOOD = file_of(LAYERS, WORDS)

#: One of its words, what it says, and what is found wrong with that.
WRONG_WORDS: list[tuple[str, str | None, str]] = [
    *((name, None, f"does not say its '{name}'") for name in list(WORDS)[1:-1]),
    *((name, text, message) for name, text, message in refusals("words of a policy")),
    ("game", "\x1b" * 60_000, r"its game is '\x1b"),
    ("prior", json.dumps(["x" * 60_000] * 3), "prior=['xxx"),
    ("options", "[" * 200_000, ""),
]

#: Tensors that are others (None: one is not there), and what is found wrong with them.
WRONG_TENSORS: list[tuple[dict[str, Any], str]] = [
    (dict.fromkeys(LAYERS), "at least one layer"),
    ({"extra": floats(1)}, "its tensors are"),
    ({**dict.fromkeys(LAYERS), "a": floats(69, 349)}, "its tensors are ['a']"),
    # Half a residual block, one of another width, and one at the end.
    ({"0.back.weights": floats(349, 4)}, "'0.back.biases', '0.back.weights', '0.biases'"),
    (
        {"0.back.weights": floats(9, 4), "0.back.biases": floats(9)},
        "layer 0 is a residual block that takes 349 numbers and gives 9: it must give as many",
    ),
    (
        {"1.back.weights": floats(4, 69), "1.back.biases": floats(4)},
        "the last layer cannot be a residual block",
    ),
    ({"1.weights": floats(69, 5)}, "layer 1 takes 5 numbers: it gets 4"),
    # A billion numbers that take no room, and names of any length.
    (
        {"0.weights": ("F32", [0, 10**9], b""), "0.biases": floats(0), "1.weights": floats(69, 0)},
        "layer 0 has weights (0, 1000000000) and biases (0,)",
    ),
    ({"\x1b" * 60_000: floats(1)}, r"its tensors are ['\x1b"),
    ({"0.weights": floats(4)}, "layer 0 has weights (4,)"),
    ({"0.biases": floats(5)}, "biases (5,)"),
    ({"0.biases": ("I32", [4], bytes(16))}, "layer 0 holds int32"),
    ({"1.biases": floats(69, value=np.nan)}, "not finite"),
    ({"0.weights": floats(4, 349, value=-np.inf)}, "not finite"),
]

DAMAGED: list[tuple[bytes, str]] = [
    # Numbers of no kind, and of one that NumPy does not have.
    (GOOD.replace(b"F32", b"F99"), "is no whole file"),
    (file_of({**LAYERS, "0.biases": ("BF16", [4], bytes(8))}, WORDS), "is no whole file"),
    (file_of(LAYERS, None), "not those of a cyberdeck policy"),
    (file_of(LAYERS, {"format": "pt"}), "not those of a cyberdeck policy"),
    *((file_of(LAYERS, changed(WORDS, {name: it})), told) for name, it, told in WRONG_WORDS),
    *((file_of(changed(LAYERS, tensors), WORDS), told) for tensors, told in WRONG_TENSORS),
]


@pytest.mark.parametrize(("data", "message"), DAMAGED, ids=range(len(DAMAGED)))
def test_damage_is_one_error_that_names_the_file(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "hurt.safetensors"
    path.write_bytes(data)
    with pytest.raises(PolicyError) as caught:
        load(path)
    told = str(caught.value)
    assert str(path) in told
    # NumPy has bfloat16 where ml_dtypes was imported, which ONNX brings.
    assert message in told or "holds bfloat16" in told
    assert len(told) < 2000
    assert told.isprintable()


def test_what_is_no_file_is_said_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.safetensors")
    (tmp_path / "folder.safetensors").mkdir()
    for name, told in (
        ("pipe", "it is not a regular file"),
        ("none", "does not exist: give the file of a saved policy"),
        ("folder", r"folder\.safetensors cannot be read: "),
    ):
        with pytest.raises(PolicyError, match=told):
            load(tmp_path / f"{name}.safetensors")


def test_a_network_that_does_not_fit() -> None:
    made = network("hackthegrid", {})
    made.check(variant("hackthegrid", scramble="at_end"))  # options are a note
    with pytest.raises(OptionError, match="plays hackthegrid, not matrix_overload"):
        made.check(variant("matrix_overload"))
    with pytest.raises(PolicyError, match="its features have 698 in 2 observations"):
        Network("hackthegrid", made.layers, history=2)


# --- features ------------------------------------------------------------------------------------


def described(**change: Any) -> Variant:
    """HACKtheGRID with some of its description another: what a later version of it may be."""
    given = {name: (lambda options, to=value: to) for name, value in change.items()}
    return Variant(replace(variant("hackthegrid").game, **given), {})


def shown_as(positions: PolicyInput, other: Variant) -> PolicyInput:
    """The same positions as that variant shows them; what is new is all -7."""
    named = positions.variant.named(positions.observations)
    count = len(positions)
    parts = [
        named.get(feature.name, np.full(feature.size * count, -7)).reshape(count, -1)
        for feature in other.features
    ]
    observations = np.concatenate(parts, axis=1).astype(np.int8)
    return replace(positions, variant=other, observations=observations)


@pytest.mark.parametrize(("greedy", "history"), [(True, 1), (False, 1), (True, 2)])
def test_it_plays_where_more_is_shown_and_in_another_order(
    tmp_path: Path, greedy: bool, history: int
) -> None:
    """And remembers just its own features, in its own order."""
    luck = np.random.default_rng(5).normal(size=(69, 349 * history))
    Network("hackthegrid", [(luck, np.zeros(69))], greedy=greedy, history=history).save(
        tmp_path / "made.safetensors"
    )
    made = load(tmp_path / "made.safetensors")
    now, here = variant("hackthegrid").features, variant("hackthegrid")
    news = [Feature(f"new {at}", (at,), -9, 9) for at in (1, 2, 3)]
    others = (
        (now[0], news[2], *now[1:]),
        now[::-1],
        (news[0], *now[5::-1], *news[1:], *now[6:]),
    )
    courses = []
    for later in (here, *(described(features=features) for features in others), here):
        assert find_player(later, made) is made
        memory = np.zeros((40, made.memory), np.float32)
        decided = [
            made.decide(replace(shown_as(seen(seed=seed), later), memory=memory)).tolist()
            for seed in (3, 4, 5)
        ]
        courses.append((decided, memory.tolist()))
    assert all(course == courses[0] for course in courses)
    assert len(set(courses[0][0][0])) > 3
    assert find_player(variant("hackthegrid", observation="prior"), made) is made


def test_features_that_are_missing_or_others_are_named(tmp_path: Path) -> None:
    """All of them, by options or by another version of the game."""
    deck = [["NET NODE", 0]] * 16  # one colour: a smaller observation
    made = network("hackthegrid", {"deck": deck})
    made.check(variant("hackthegrid", deck=deck, scramble="at_end"))
    with pytest.raises(OptionError, match=r"has the shape .* and it reads .* trained with.*deck"):
        made.check(variant("hackthegrid"))
    made = network("hackthegrid", {})
    made.name = "old"
    first, second, *rest = variant("hackthegrid").features
    (count, meaning), *groups = variant("hackthegrid").actions
    begin = "old cannot play HACKtheGRID here, "
    for change, message in (
        (
            {"features": tuple(rest)},
            f"there is no feature '{first.name}'; there is no feature '{second.name}'",
        ),
        (
            {"features": (replace(first, low=-1), second, *rest)},
            f"'{first.name}' has the shape (4, 4, 6) from -1 to 1, and it reads (4, 4, 6) from 0",
        ),
        (
            {"actions": ((count - 1, meaning), (1, ""), *groups)},
            "there are 69 (3 + 1 + 64 + 1) actions, and it knows 69 (4 + 64 + 1)",
        ),
    ):
        with pytest.raises(OptionError) as caught:
            find_player(described(**change), made)
        assert str(caught.value).startswith(begin)
        assert message in str(caught.value)
    # Of an older version, whose options may be there no more.
    for options in ({}, {"colours": 3}):
        old = Network(
            *("hackthegrid", made.layers),
            options=options,
            features=(replace(first, name="whose turn"), second, *rest),
            actions=made.actions,
        )
        message = "no feature 'whose turn': it was made for another version of the game, train it"
        with pytest.raises(OptionError, match=message):
            old.check(variant("hackthegrid"))
    words = {
        "features": (replace(first, meaning="other words"), second, *rest),
        "actions": ((count, "other words"), *groups),
    }
    made.check(described(**words))


# --- decisions -----------------------------------------------------------------------------------


def plain(made: Network, observation: NDArray[Any]) -> NDArray[np.float64]:
    """The same for one observation, layer by layer."""
    x = observation.reshape(-1).astype(np.float64)
    for at, (weights, biases, *back) in enumerate(made.layers):
        before, x = x, weights.astype(np.float64) @ x + biases
        if at < len(made.layers) - 1:
            x = np.tanh(x) if made.activation == "tanh" else np.maximum(x, 0)
        if back:
            x = before + back[0].astype(np.float64) @ x + back[1]
    return x


def blocks(activation: str) -> Network:
    """Two residual blocks between what goes in and what comes out, and a value after the first."""
    luck = np.random.default_rng(4)

    def numbers(*sizes: int) -> Layer:
        shapes = [shape for into, out in pairwise(sizes) for shape in ((out, into), (out,))]
        return tuple(luck.normal(size=shape).astype(np.float32) for shape in shapes)

    layers = [numbers(*sizes) for sizes in ((349, 6), (6, 4, 6), (6, 9, 6), (6, 69))]
    value = Value([numbers(6, 3, 6), numbers(6, 1)], 2)
    return Network("hackthegrid", layers, activation, value=value)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_it_decides_as_worked_out_one_by_one(activation: str, tmp_path: Path) -> None:
    """Residual blocks too, in the policy and in the value, and the same from a file."""
    made = blocks(activation)
    made.save(tmp_path / "blocks.safetensors")
    again = load(tmp_path / "blocks.safetensors")
    assert again.shape == made.shape == (349, 6, 6, 6, 69)
    positions = seen(6)
    value = Network(
        "hackthegrid",
        [*made.layers[:2], *made.value.layers],  # type: ignore[union-attr]
        activation,
        features=made.features,
        actions=[1],
    )
    for each in (made, again):
        logits, actions = each.logits(positions.observations), each.decide(positions)
        shown = each.outlook(positions.variant, positions.observations, positions.masks)
        assert logits.round(6).tolist() == shown[2].tolist()
        for at in range(6):
            one = positions.observations[at]
            wanted = plain(made, one)
            assert logits[at] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
            legal = np.flatnonzero(positions.masks[at])
            assert actions[at] == max(legal, key=lambda action: wanted[action])
            assert shown[1][at] == pytest.approx(plain(value, one)[0], rel=1e-5)


def test_decisions_do_not_depend_on_the_batch() -> None:
    positions = seen(40)
    for greedy in (True, False):
        made = network("hackthegrid", {}, greedy=greedy)
        together = made.decide(positions)
        order = np.random.default_rng(0).permutation(40)
        for which in (order, order[:7], *(np.array([at]) for at in range(40))):
            assert made.decide(part_of(positions, which)).tolist() == together[which].tolist()


def biased(biases: NDArray[Any], greedy: bool) -> Network:
    """The same numbers for the actions whatever is seen."""
    return Network("hackthegrid", [(np.zeros((69, 349)), biases)], greedy=greedy)


@pytest.mark.parametrize("greedy", [True, False])
def test_an_illegal_action_is_never_chosen_however_likely(greedy: bool) -> None:
    positions = seen(300)
    for mask, at in zip(positions.masks, range(300), strict=True):
        biases = np.where(mask == 1, -700.0, 700.0)
        assert mask[biased(biases, greedy).decide(part_of(positions, [at]))[0]] == 1


def test_sampling_follows_the_probabilities() -> None:
    positions = seen()
    at, count = int(positions.masks.sum(axis=1).argmax()), 10_000
    legal = np.flatnonzero(positions.masks[at])
    assert len(legal) > 8
    chances = np.arange(1, len(legal) + 1) / np.arange(1, len(legal) + 1).sum()
    biases = np.full(69, 5.0)
    biases[legal] = np.log(chances)
    luck = np.random.default_rng(4).integers(0, 2**64, count, np.uint64)
    decided = biased(biases, greedy=False).decide(part_of(positions, np.full(count, at), luck))
    found = np.bincount(decided, minlength=69)
    assert found.sum() == found[legal].sum()
    expected = count * chances
    chi = ((found[legal] - expected) ** 2 / expected).sum()
    freedom = len(legal) - 1
    assert chi < freedom + 4 * (2 * freedom) ** 0.5


# --- priors, and views ---------------------------------------------------------------------------


@pytest.mark.parametrize("history", [1, 3])
def test_the_prior_is_added_to_what_the_layers_give(history: int, tmp_path: Path) -> None:
    """Any stretch may be the prior: here 69 elements of the last observation, from its 200th."""
    weights = np.random.default_rng(0).standard_normal((69, 349 * history), np.float32)
    at = 349 * (history - 1) + 200
    one, two = (
        Network("hackthegrid", [(weights, np.zeros(69))], history=history, prior=prior)
        for prior in (None, Prior(at, 0.1))
    )
    whole = np.random.default_rng(1).integers(-9, 9, (50, 349 * history))
    shown = whole.astype(np.float32)  # as memories hold them
    wanted = one.logits(shown) + 0.1 * whole[:, at : at + 69]
    assert two.logits(shown).tolist() == wanted.tolist()
    two.save(tmp_path / "p.safetensors")
    again = load(tmp_path / "p.safetensors")
    assert again.prior == Prior(at, 0.1)
    assert again.logits(shown).tolist() == two.logits(shown).tolist()


def test_the_prior_is_found_beside_one_hot_elements() -> None:
    """Its place is that of the observation, not that of what the first layer gets."""
    zeros = [(np.zeros((69, 349 + 2)), np.zeros(69))]
    made = Network("hackthegrid", zeros, one_hot=[Whole(3, 0, 2)], prior=Prior(280, -2.0))
    shown = np.arange(349, dtype=np.int16)[None]
    assert made.logits(shown).tolist() == [[-2.0 * n for n in range(280, 349)]]


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize(
    ("game", "own", "others"),
    [
        ("matrix_overload", {"observation": "counted"}, {}),
        ("hovercrafts", {"ships": (2, 1), "observation": "planes"}, {"ships": (2, 1)}),
        ("stacktrices", {"observation": "prior"}, {"observation": "planes"}),
        ("hackthegrid", {"observation": "prior"}, {"scramble": "on_take"}),
        ("hackthegrid", {}, {"observation": "prior"}),
    ],
)
def test_a_network_sees_the_game_as_in_training_however_it_is_shown(
    game: str, own: dict[str, Any], others: dict[str, Any], greedy: bool
) -> None:
    made = network(game, own, greedy=greedy)
    made.layers = [(0.1 * w, 0.1 * b) for w, b in made.layers]
    if own.get("observation") == "prior":
        made.prior = Prior(variant(game, **own).layout["prior"].start, 0.1)
    courses = []
    for options in (own, others):
        batch = Batch(game, 12, seed=5, **options)
        decisions = []
        for _ in range(25):
            actions = batch._core.ask(find_player(batch._core.variant, made), batch._core.all_rows)
            decisions.append(actions.tolist())
            batch.step(actions)
        courses.append(decisions)
    assert courses[0] == courses[1]
    assert len({action for step in courses[0] for action in step}) > 2


def test_a_seated_network_is_seated_anew_in_another_game() -> None:
    """With its own options where they are others, and refused where it cannot play."""
    made = network("hovercrafts", {"max_turns": 50})
    shown = variant("hovercrafts", observation="planes", max_turns=50)
    seated = find_player(shown, made)
    for game, options in (("hovercrafts", {"ships": (2, 2)}), ("hackthegrid", {})):
        with pytest.raises(OptionError, match=r"use the options|plays hovercrafts, not"):
            Batch(game, 2, seat=0, opponent=seated, **options)
    again = find_player(variant("hovercrafts", observation="planes", max_turns=6), seated)
    assert isinstance(again, InOwnView)
    assert again.variant.options["max_turns"] == 6
    assert find_player(variant("hovercrafts", max_turns=6), seated) is made
    pool = find_pool(shown, [made, "random", made], "opponent")
    assert pool[0] is pool[2]  # one player, asked for all its games in one go
    with pytest.raises(OptionError, match="use the options that it was trained with"):
        find_player(variant("hovercrafts", ships=(3, 2), observation="planes"), made)
    made.options = {"observation": "gone"}
    with pytest.raises(OptionError, match="another version"):
        find_player(variant("hovercrafts", observation="planes"), made)


def test_drawn_at_the_edges_of_luck() -> None:
    """The lowest and the highest luck; weights that are nothing in front, between and behind."""
    weights = np.array([0.0, 0.0, 0.3, 0.0, 0.7, 0.0])
    lucks = np.array([0, 1, 2**64 - 1, 2**63, int(0.3 * 2**64) - 2**12], np.uint64)
    rows = np.repeat(weights[None], len(lucks), axis=0)
    assert drawn(rows, lucks).tolist() == [2, 2, 4, 4, 2]
    for scale in (1e-300, 1.0, 1 / 3, 1e300):
        assert drawn(rows * scale, lucks)[[0, 2]].tolist() == [2, 4]
