"""Search that a network guides: legal, honest, the same in any company, and better for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, variant
from cyberdeck.api.registration import load_file
from cyberdeck.common.statistics import Mean
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import PolicyError
from cyberdeck.evaluation import evaluate
from cyberdeck.players import find_player, guided
from cyberdeck.players.networks import Network, Prior, Value, load
from cyberdeck.players.search import ROOTS, Search
from tests.refusals import check_refused
from tests.test_search import everything, network_of, tic_tac_toe


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(("board", "best"), [("xx..o.o..", {2}), ("x...o...x", {1, 3, 5, 7})])
def test_it_finds_what_follows_whatever_the_network_thinks(
    board: str, best: set[int], root: str
) -> None:
    """A win at once; and the edges, as in a corner it would lose. With values and with playouts."""
    seen = tic_tac_toe(board, 0)
    for network in (guided.unlearned(seen.variant), network_of(seen.variant, True)):
        search = Search(iterations=100, network=network, root=root, playout="random")
        assert int(search.decide(seen)[0]) in best


def test_a_value_takes_the_place_of_the_playout() -> None:
    """A value that dreads the other's middle: with one iteration for each move that is all."""
    seen = tic_tac_toe(".........", 1)
    open_game = seen.variant
    sure = guided.unlearned(open_game)
    sure.layers[-1][1][5] = 20.0  # with few iterations what the network holds likely is done
    assert Search(iterations=4, network=sure).decide(seen).tolist() == [5]
    middle = np.zeros((1, open_game.observation_size))
    middle[0, 9 + 4] = -1.0
    network = guided.unlearned(open_game)
    liking = Network(
        "tictactoe", network.layers, value=Value([(middle, np.zeros(1))], 0), options={}
    )
    visits, values = Search(iterations=9, network=liking, c_puct=1000.0).examine(seen)
    assert (visits == 1).all()
    assert values.argmax() == 4
    assert values[0, 4] > 0
    assert np.delete(values[0], 4).tolist() == [0.0] * 8


SHARED = """
from cyberdeck import Feature, Field, Game, Option, end, kernel

PAYS = (1, 1, -1, -1)


@kernel
def side(state, seat):
    return seat if state.sides == 4 else min(seat, 2) if state.sides == 3 else seat // 2

@kernel
def act(state, action):
    if state.mover == 0:
        state.chosen = action
    state.mover += 1
    if state.mover == 4:
        for seat in range(4):
            state.reward[seat] = state.chosen * PAYS[seat]
        end(state, 2)


@kernel
def observe(state, seat, out):
    out[0] = state.chosen * PAYS[seat]


@kernel
def legal(state, mask):
    mask[:] = 1


GAME = Game(
    name="shared", seats=("a", "b", "c", "d"), side=side,
    teams=lambda options: [*"abcd"][: options["sides"]],
    options=[Option("sides", 4, "how many", bounds=(2, 4))],
    fields=[Field("chosen", 0, 1)], reasons=("done",), start=kernel(lambda state: None),
    legal=legal, act=act, observe=observe,
    actions=[(2, "choose")], features=[Feature("yours", (1,), -1, 1)],
)
"""


def test_with_more_than_two_sides_a_network_values_every_seat(tmp_path: Path) -> None:
    """What is good for the one who decides next need not be bad for all others."""
    (tmp_path / "shared.py").write_text(SHARED)
    game = load_file(tmp_path / "shared.py")
    value = Value([(np.ones((1, 1)), np.zeros(1))], 0)
    for sides in (2, 3, 4):
        chosen = Variant(game, {"sides": sides})
        knowing = Network("shared", guided.unlearned(chosen).layers, value=value)
        for root in ROOTS:
            # A leaf after each of the two.
            search = Search(2, network=knowing, root=root)
            visits, values = search.examine(everything(Batch(chosen, 1, seed=0)))
            assert visits.tolist() == [[1, 1]]
            assert values.tolist() == [[0, 1]]


def test_gumbel_tries_the_better_half_again_and_again() -> None:
    batch = Batch("hackthegrid", 4, seed=0)
    search = Search(iterations=32, network=network_of(batch.variant, True), root="gumbel")
    visits, _ = search.examine(everything(batch))
    for row in visits:
        tried = np.sort(row[row > 0])[::-1].tolist()
        assert tried == [12, 12, 4, 4]


def test_a_baseline_guides_by_name(tmp_path: Path) -> None:
    chosen = variant("hackthegrid")
    search = find_player(chosen, "search:network=baseline,iterations=32,root=gumbel")
    assert search.name == "search:network=baseline,iterations=32,root=gumbel"
    path = tmp_path / "own.safetensors"
    network_of(chosen, True).save(path)
    batch = Batch("hackthegrid", 3, seed=0)
    ours, theirs = (
        each.outlook(chosen, batch.observation, batch.mask)
        for each in (network_of(chosen, True), load(path))
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    assert ours[1].any()
    np.testing.assert_allclose(ours[0].sum(axis=1), 1.0, rtol=1e-6)
    named = find_player(chosen, f"search:iterations=16,network={path}")
    assert named.name == "search:network=own,iterations=16"
    result = evaluate("hackthegrid", search, ["random"], deals=10, seed=1)
    points: Mean = result.records[-1].points
    assert points.value > 0.6


@pytest.mark.parametrize(("large", "root"), [("policy", "puct"), ("value", "gumbel")])
def test_numbers_that_overflow_are_an_error_and_no_crash(large: str, root: str) -> None:
    """Each weight is finite, and what follows from them is not."""
    weight = {"policy": 1.0, "value": 1.0, large: 1e300}
    layers = [
        (np.full((4, 349), weight["policy"]), np.zeros(4)),
        (np.full((69, 4), weight["policy"]), np.zeros(69)),
    ]
    value = Value([(np.full((1, 4), weight["value"]), np.zeros(1))], 1)
    network = Network("hackthegrid", layers, "relu", value=value)
    seen = everything(Batch("hackthegrid", 4, seed=0))
    asked: list[Callable[[], Any]] = [
        lambda: network.outlook(seen.variant, seen.observations, seen.masks),
        lambda: Search(iterations=4, network=network, root=root).decide(seen),
    ]
    if large == "policy":
        asked.append(lambda: network.decide(seen))
    for ask in asked:
        with pytest.raises(PolicyError, match=r"network gives an? .* not finite or beyond 1e"):
            ask()


def test_networks_and_settings_that_cannot_guide() -> None:
    chosen = variant("hackthegrid")
    looking_back = Network("hackthegrid", [(np.zeros((69, 698)), np.zeros(69))], history=2)
    another = Search(network=guided.unlearned(chosen))
    check_refused(
        ("root=gumbel needs a network", lambda: Search(root="gumbel")),
        ("without a network", lambda: Search(network="baseline", selection="regret")),
        ("looks back on 2", lambda: find_player(chosen, Search(network=looking_back))),
        ("plays hackthegrid, not stack", lambda: find_player(variant("stacktrices"), another)),
    )
    with pytest.raises(PolicyError, match=r"nowhere\.safetensors does not exist"):
        find_player(chosen, "search:network=nowhere.safetensors")
    for shape, after, wrong in (
        ((1, 5), 0, "take 5 numbers and give 1: they get 349"),
        ((2, 349), 0, "take 349 numbers and give 2"),
        ((1, 349), 7, "a value after 7 layers is not possible"),
    ):
        value = Value([(np.zeros(shape), np.zeros(shape[0]))], after)
        with pytest.raises(PolicyError, match=wrong):
            Network("hackthegrid", [(np.zeros((69, 349)), np.zeros(69))], value=value)


def test_a_network_that_was_trained_in_another_view_sees_its_own() -> None:
    """The published policy sees more than the observation shows by default."""
    more = variant("hackthegrid", observation="prior")
    at = more.layout["prior"].start
    layers = [(np.zeros((69, more.observation_size)), np.zeros(69))]
    network = Network("hackthegrid", layers, options={"observation": "prior"}, prior=Prior(at, 0.5))
    search = Search(iterations=12, network=network)
    plain, shown = (
        search.examine(everything(Batch("hackthegrid", 4, seed=0, **options)))[0].tolist()
        for options in ({}, {"observation": "prior"})
    )
    assert plain == shown


def test_a_search_counts_in_the_rewards_that_the_values_are_sums_of() -> None:
    """In a match, which rewards the outcome, as in training; without values in the match's own."""
    outcomes, margins = (
        Batch("hackthegrid", 8, seed=0, reward=each) for each in ("outcome", "margin")
    )
    for _ in range(20):
        for batch in (outcomes, margins):
            batch.step(batch.choose("heuristic"))
    for valued in (True, False):
        search = Search(30, network=network_of(margins.variant, valued))
        found = [search.examine(everything(batch))[1].tolist() for batch in (outcomes, margins)]
        assert (found[0] == found[1]) == valued
