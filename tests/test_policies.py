"""Policies: every kind plays everywhere, mistakes are refused, nobody is told what is hidden."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.registration import load_file
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.errors import ActionError, OptionError
from cyberdeck.evaluation import evaluate, play_games
from cyberdeck.players import EVERYWHERE, Player, find_player, player_names
from cyberdeck.players.networks import Network
from cyberdeck.players.search import Search
from cyberdeck.testing.faces import LONG, SB3, Face, Gymnasium, Rows, Vector
from tests.api.helpers import lowest
from tests.cases import EACH, label
from tests.refusals import refusals

#: Two seats, and two teams with allies, in games that soon end.
TWO = ("hackthegrid", {"deck": [("NET NODE", 0)] * 16})
TEAMS = ("hovercrafts", {"ships": (2, 2), "max_turns": 2, "deployment": "random"})


def network(game: str, options: dict[str, Any], seed: int = 0, greedy: bool = True) -> Network:
    """A small one with random weights."""
    chosen = cyberdeck.variant(game, **options)
    luck = np.random.default_rng(seed)
    sizes = (chosen.observation_size, 8, chosen.action_count)
    layers = [
        (luck.normal(size=(out, into)).astype(np.float32), luck.normal(size=out).astype(np.float32))
        for into, out in pairwise(sizes)
    ]
    return Network(game, layers, greedy=greedy, options=options)


def part_of(
    positions: PolicyInput, which: Any, luck: NDArray[np.uint64] | None = None
) -> PolicyInput:
    """Some of the positions, in that order."""
    part = positions.rows(np.asarray(which))
    return part if luck is None else replace(part, random_bits=luck)


class Lowest(Policy):
    """The first legal action."""

    name = "lowest"

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        return seen.masks.argmax(axis=1)


def by_number(masks: NDArray[Any], numbers: Iterable[int]) -> NDArray[Any]:
    """A legal action of each row."""
    return np.array(
        [
            np.flatnonzero(mask)[int(number) % int(mask.sum())]
            for mask, number in zip(masks, numbers, strict=True)
        ]
    )


class Lucky(Policy):
    """Any legal action, by its luck."""

    name = "lucky"

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        return by_number(seen.masks, seen.random_bits)


class Trusting(Policy):
    """Takes the positions that it is given for the true ones: every byte of them counts."""

    name = "trusting"
    needs_states = True

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        return by_number(seen.masks, [zlib.crc32(state.tobytes()) for state in seen.states])


class Fixed(Policy):
    """Returns what it was told to."""

    name = "fixed"

    def __init__(self, answer: Callable[[PolicyInput], Any]) -> None:
        self.answer = answer

    def decide(self, seen: PolicyInput) -> Any:
        return self.answer(seen)


def saved(game: str, options: dict[str, Any], folder: Path) -> Player:
    path = folder / "saved.safetensors"
    network(game, options, seed=1, greedy=False).save(path)
    return str(path)


#: Players of every kind, new.
KINDS: dict[str, Callable[[str, dict[str, Any], Path], Player]] = {
    "random": lambda *_: "random",
    "heuristic": lambda *_: "heuristic",
    "search": lambda *_: "search:iterations=6,playout=random",
    "lucky": lambda *_: Lucky(),
    "function": lambda *_: lowest,
    "network": lambda game, options, _: network(game, options),
    "file": saved,
}


# --- every kind of player, everywhere ------------------------------------------------------------


def course(face: Face, steps: int = LONG) -> list[bytes]:
    """The first game after each decision of the learner's, as the engine has it."""
    found = []
    face.reset(9)
    while len(found) < steps and not face.over:
        found.append(face.core.states[0].tobytes())
        # The first game draws first: it goes on alike whatever is played beside it.
        face.step(face.choice(np.random.default_rng(len(found))))
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [TWO, TEAMS], ids=["two", "teams"])
def test_every_kind_of_player_plays_the_same_game_in_every_interface(
    case: tuple[str, dict[str, Any]], kind: str, tmp_path: Path
) -> None:
    game, options = case
    chosen = cyberdeck.variant(game, **options)
    player = KINDS[kind](game, options, tmp_path)
    players = {"opponent": player} if case is TWO else {"opponent": player, "ally": player}
    expected = course(Gymnasium(chosen, seat=0, **players))
    assert len(expected) > 1
    for face in (Vector, SB3, Rows):
        assert course(face(chosen, seat=0, **players), len(expected)) == expected


@pytest.mark.parametrize("game", ["matrix_overload", "hackthegrid", "stacktrices", "hovercrafts"])
def test_what_a_policy_is_told(game: str) -> None:
    """One entry for each row asked about, copies all of them, and luck that never comes again."""
    batch = Batch(game, 6, seed=3)
    core = batch._core
    met: set[int] = set()
    asked = 0
    for _ in range(30):
        which = np.array([4, 1, 2])
        plain, full = core.seen(which, False), core.seen(which, True)
        assert len(plain) == len(full) == 3
        assert len(plain.states) == 0
        assert len(full.states) == 3
        for seen in (plain, full):
            assert (seen.observations == batch.observation[which]).all()
            assert (seen.masks == batch.mask[which]).all()
            assert (seen.seats == batch.mover[which]).all()
            assert (seen.random_bits == plain.random_bits).all()
        met |= set(plain.random_bits.tolist())
        asked += 3
        kept = [a.tobytes() for a in (core.states, core.rows, core.masks, core.observations)]
        for seen in (plain, full):
            seen.observations[:], seen.masks[:], seen.seats[:], seen.random_bits[:] = 9, 9, 9, 0
        full.states["mover"] = 7
        assert kept == [
            a.tobytes() for a in (core.states, core.rows, core.masks, core.observations)
        ]
        batch.step(batch.choose("random"))
    assert len(met) == asked


def test_a_game_without_a_heuristic_has_no_player_of_that_name() -> None:
    """It would be random play by another name."""
    chosen = cyberdeck.variant(load_file("examples/games/tictactoe.py").name)
    assert player_names(chosen) == ["random", "search", "chat"]
    said = "Tictactoe has no heuristic: choose one of random, search, chat, or give the game one"
    with pytest.raises(OptionError, match=said):
        find_player(chosen, "heuristic")
    with pytest.raises(OptionError, match="choose one of random, search, chat, or the file of"):
        find_player(chosen, "nobody")
    with pytest.raises(OptionError, match="give one of random, search, chat, the file"):
        find_player(chosen, 3)  # type: ignore[arg-type]
    assert {record.opponent for record in evaluate(chosen, "random", deals=1).records} == {
        "random (2)"
    }


def test_what_cannot_be_called_as_a_player_is_refused_at_once() -> None:
    def first(observations: Any) -> Any:
        return observations[:, 0]

    for chosen, told in (
        (first, r"^first\(observations\) is no player: .* give lambda .*: first\(observations\)$"),
        (lambda a, b, c: a, r"^<lambda>\(a, b, c\) is no player: .* give lambda .*: \.\.\.$"),
        (Lowest, r"^Lowest is a class, .* give Lowest\(\)$"),
    ):
        with pytest.raises(OptionError, match=told):
            evaluate("hackthegrid", chosen, deals=1)
        with pytest.raises(OptionError, match=f"^opponent=.*: {told[1:]}"):
            Batch("hackthegrid", 1, seat=0, opponent=chosen)
    for taken in (max, lambda *both: both[1].argmax(axis=1)):  # of the first nobody knows
        find_player(cyberdeck.variant("hackthegrid"), taken)


class Settled(Lowest):
    """With settings of every kind."""

    def __init__(
        self, greedy: bool = True, depth: int | None = None, share: float = 0.5, word: str = "x"
    ) -> None:
        self.settings = {"greedy": greedy, "depth": depth, "share": share, "word": word}


def test_settings_are_read_by_their_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVERYWHERE, "settled", "tests.test_policies:Settled")
    chosen = cyberdeck.variant("hackthegrid")
    plain = find_player(chosen, "settled:")
    assert isinstance(plain, Settled)
    assert plain.settings == {"greedy": True, "depth": None, "share": 0.5, "word": "x"}
    other = find_player(chosen, "settled:greedy=false,depth=3,share=1,word=a=b")
    assert isinstance(other, Settled)
    assert other.settings == {"greedy": False, "depth": 3, "share": 1.0, "word": "a=b"}
    again = find_player(chosen, "settled:depth=auto,greedy=true")
    assert isinstance(again, Settled)
    assert again.settings == plain.settings
    named = find_player(chosen, Search(9, opponent_prior=0.0)).name
    assert named == "search:iterations=9,opponent_prior=0.0"
    for wrong, message in (
        ("greedy=0", "settled: greedy='0' is not possible: true or false is needed"),
        ("greedy=", "greedy='' is not possible"),
        ("depth=2.5", "depth='2.5' is not possible: a whole number or auto is needed"),
        ("x=1", "it has greedy=true, depth=auto, share=0.5, word=x"),
    ):
        with pytest.raises(OptionError) as caught:
            find_player(chosen, f"settled:{wrong}")
        assert message in str(caught.value)


# --- mistakes ------------------------------------------------------------------------------------

WRONG: list[tuple[Any, str]] = [
    *((text, message) for text, message in refusals("players")),
    ("", "has no player ''"),
    (3, "3 cannot play: give one of random, heuristic, search"),
    (SimpleNamespace(predict=None), "such as cyberdeck.sb3.SB3Policy(model)"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=lambda value: str(value)[:30])
def test_what_cannot_play_is_refused(wrong: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        find_player(cyberdeck.variant("hackthegrid"), wrong)
    assert message in str(caught.value)


def test_check_is_asked_before_anything_is_played() -> None:
    class Picky(Lowest):
        def check(self, variant: cyberdeck.Variant) -> None:
            raise OptionError(f"not {variant.game.name}")

    for begin in (
        lambda: CyberdeckEnv("hackthegrid", opponent=Picky()),
        lambda: Batch("hackthegrid", 2, seat=0, opponent=["random", Picky()]),
        lambda: play_games("hackthegrid", {"a": Picky(), "b": "random"}, [(1, 1)], [0]),
    ):
        with pytest.raises(OptionError, match="not hackthegrid"):
            begin()


ANSWERS: dict[str, Callable[[PolicyInput], Any]] = {
    "too few": lambda seen: seen.masks.argmax(axis=1)[:-1],
    "nothing": lambda seen: None,
    "two dimensions": lambda seen: seen.masks.argmax(axis=1)[:, None],
    "truth values": lambda seen: seen.masks.argmax(axis=1) > 0,
    "floats": lambda seen: seen.masks.argmax(axis=1).astype(float),
    "words": lambda seen: ["swap"] * len(seen),
    "ragged": lambda seen: [[0]] * (len(seen) - 1) + [[0, 0]],
    "illegal": lambda seen: seen.masks.argmin(axis=1),
    "negative": lambda seen: np.full(len(seen), -1),
    "beyond": lambda seen: np.full(len(seen), seen.masks.shape[1]),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_wrong_answer_is_refused_and_nothing_is_applied(kind: str) -> None:
    wrong = Fixed(Lowest().decide)
    batch = Batch("hackthegrid", 3, seed=0, seat=0, opponent=[wrong, Lowest()])
    for _ in range(2):
        batch.step(batch.mask.argmax(axis=1))
    wrong.answer = ANSWERS[kind]
    core = batch._core
    arrays = (core.states, core.rows, core.masks, core.observations, core.finals)
    with pytest.raises(ActionError) as caught:  # noqa: PT012
        for _ in range(20):  # until a row is his
            kept = [array.tobytes() for array in arrays]
            batch.step(batch.mask.argmax(axis=1))
    assert "<policy fixed>" in str(caught.value)
    assert [array.tobytes() for array in arrays] == kept
    wrong.answer = Lowest().decide
    batch.step(batch.mask.argmax(axis=1))  # and on it goes


def test_an_illegal_answer_loses_the_game_where_that_is_the_rule() -> None:
    wrong = Fixed(ANSWERS["illegal"])
    games = play_games(
        "hackthegrid", {"w": wrong, "h": "heuristic"}, [(0, 1), (1, 0)], [0, 0], illegal="lose"
    )
    assert games.points().tolist() == [[0, 1], [1, 0]]
    assert (games.reasons == 1).all()
    team = play_games(
        "hovercrafts", {"w": wrong, "h": "heuristic"}, [(0, 1)], [0], illegal="lose", ships=(2, 1)
    )
    assert team.points().tolist() == [[0, 1]]
    with pytest.raises(ActionError, match="<policy fixed>"):
        play_games("hackthegrid", {"w": wrong, "h": "heuristic"}, [(0, 1)], [0])


# --- pickling ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "player",
    [Search(iterations=8), network("hackthegrid", {}, greedy=False)],
    ids=["search", "network"],
)
def test_games_with_policies_are_pickled_and_go_on_alike(player: Any) -> None:
    batch = Batch("hackthegrid", 4, seed=2, seat=0, opponent=player)
    for _ in range(3):
        batch.step(batch.choose("heuristic"))
    twin = pickle.loads(pickle.dumps(batch))
    for _ in range(6):
        for each in (batch, twin):
            each.step(each.choose("heuristic"))
        assert twin._core.states.tobytes() == batch._core.states.tobytes()
        assert twin._core.rows.tobytes() == batch._core.rows.tobytes()


# --- no cheating ---------------------------------------------------------------------------------
# What a policy is told must not depend on what its seat cannot know. Worlds that the seat cannot
# tell apart are made with `resample`; that those look the same is tested elsewhere for each game,
# and that cards and plans are redrawn evenly.

_BACK = np.uint64(pow(0x9E3779B97F4A7C15, -1, 2**64))  # undoes the generator's steps


def another_world(core: GameBatch, luck: int) -> GameBatch:
    """A copy whose every row is redrawn in what its mover cannot know."""
    twin = core.__deepcopy__({})
    for row in range(core.count):
        seat = int(core.movers[row])
        twin.loops.resample(twin.states, row, seat, np.uint64(luck + row))
    return twin


def told(core: GameBatch) -> list[bytes]:
    """All that a policy is told of the rows."""
    seen = core.seen(core.all_rows, True)
    return [
        array.tobytes()
        for array in (seen.observations, seen.masks, seen.seats, seen.random_bits, seen.states)
    ]


@pytest.mark.parametrize("case", EACH, ids=label)
def test_a_policy_is_told_the_same_in_worlds_that_its_seat_cannot_tell_apart(
    case: tuple[str, dict[str, Any]],
) -> None:
    """The true world and two redrawn ones: the same bytes, and so the same decision; and the same
    one of the heuristic. Asking it or chance changes nothing.

    No number in them is near the true generator, before or after: any number of draws from it
    would give the dice to come.
    """
    game, options = case
    batch = Batch(game, 8, seed=11, **options)
    core = batch._core
    different = 0
    for step in range(120):
        if step % 3 == 0:
            worlds = [another_world(core, 1000 * step + at) for at in (1, 501)]
            expected = told(core)
            choice = core.ask(Trusting(), core.all_rows).tolist()
            true, rows = core.states.copy(), core.rows.copy()
            hint, chance = batch.choose("heuristic"), batch.choose("random")
            assert (batch.choose("random") == chance).all()
            assert core.states.tobytes() == true.tobytes()
            assert core.rows.tobytes() == rows.tobytes()
            assert batch.mask[np.arange(8), hint].all()
            for world in worlds:
                assert told(world) == expected
                assert world.ask(Trusting(), world.all_rows).tolist() == choice
                one, other = world.states.copy(), true.copy()
                one["dice"] = other["dice"] = 0
                different += one.tobytes() != other.tobytes()
                core.states[:] = world.states
                assert (batch.choose("heuristic") == hint).all()
                core.states[:] = true
            seen, dice = core.seen(core.all_rows, True), core.states["dice"][:, None]
            memory = seen.states.view(np.uint8).reshape(8, -1)
            for shift in range(8):
                room = (memory.shape[1] - shift) // 8 * 8
                numbers = np.ascontiguousarray(memory[:, shift : shift + room]).view(np.uint64)
                for found in (numbers, seen.random_bits[:, None]):
                    draws = (found - dice) * _BACK
                    assert (np.minimum(draws, ~draws) > 2**20).all()
        batch.step(batch.choose("random" if step % 2 else "heuristic"))
    assert (different > 0) == (game != "hackthegrid")  # there nothing but dice is hidden
