"""Exact values: the same as by plain recursion, unknown where they are, and refused with a word."""

from __future__ import annotations

import copy
import functools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck.engine.chance import Outcomes
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, HEURISTIC, RANDOM
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import graded
from cyberdeck.errors import OptionError
from cyberdeck.exact import Tree, uniform
from cyberdeck.exact.values import Response, find_values
from cyberdeck.players.networks import Network
from cyberdeck.players.solvers.hackthegrid.solver import NONE, OUTCOME_REWARDS, Solver
from tests.evaluation.test_exact import of, small
from tests.test_policies import Lucky


@pytest.fixture(scope="module")
def tictactoe(_games_are_forgotten: None) -> cyberdeck.Variant:
    return of("tictactoe")


def alone(variant: cyberdeck.Variant, games: int, player: int = RANDOM) -> list[GameBatch]:
    """All positions of some games, each in a batch of its own."""
    found = []
    for seed in range(games):
        core = GameBatch(variant, 1, autoreset=DISABLED)
        core.reset([seed])
        while core.movers[0] != NOBODY:
            found.append(copy.deepcopy(core))
            core.play(player, 1)
    return found


def met(variant: cyberdeck.Variant, games: int) -> NDArray[Any]:
    """The same as records."""
    return np.concatenate([core.states for core in alone(variant, games)])


def plainly(core: GameBatch) -> dict[int, float]:
    """The value of each legal action of a game in which chance has nothing to do any more."""
    mover, values = core.movers.item(0), {}
    for action in np.flatnonzero(core.one_mask).tolist():
        after = copy.deepcopy(core)
        after.advance_one(action)
        value, then = after.rewards.item(0, mover), after.movers.item(0)
        if then != NOBODY:
            best = max(plainly(after).values())
            value += best if then == mover else -best
        values[action] = value
    return values


def known(row: NDArray[np.float64]) -> dict[int, float]:
    """A row of values without its NaN."""
    return {action: float(row[action]) for action in np.flatnonzero(~np.isnan(row)).tolist()}


# --- HACKtheGRID ----------------------------------------------------------------------------------


def test_those_of_hackthegrid_are_the_solvers() -> None:
    variant = cyberdeck.variant("hackthegrid")
    states, both = met(variant, 4), []
    for ties in ("spiteful", "friendly"):
        values = find_values(variant, f"exact:ties={ties}")
        outcomes, found = Solver(ties).values(states), values.of(states)
        assert np.array_equal(np.isnan(found), outcomes == NONE)
        assert np.array_equal(found[outcomes != NONE], OUTCOME_REWARDS[outcomes[outcomes != NONE]])
        assert (values.name, values.whole) == (f"exact:ties={ties}", True)
        values.need_all()
        both.append(found)
    assert not np.array_equal(*both, equal_nan=True)


# --- counted positions ----------------------------------------------------------------------------


def test_those_of_a_small_game_are_what_plain_recursion_finds(tictactoe: cyberdeck.Variant) -> None:
    values = find_values(tictactoe)
    cores = alone(tictactoe, 10)
    late = [core for core in cores if core.states["decisions"] >= 5]
    assert values.whole
    assert len(late) > 20
    for core in late[:20]:
        assert known(values.of(core.states)[0]) == plainly(core)
    assert known(values.of(cores[0].states)[0]) == dict.fromkeys(range(9), 0.0)


def test_where_all_positions_are_too_many_late_ones_are_known(tictactoe: cyberdeck.Variant) -> None:
    whole, ends = find_values(tictactoe), find_values(tictactoe, "exact:memory=1e-6,reach=30")
    states = met(tictactoe, 20)
    found, all_of_them = ends.of(states), whole.of(states)
    unknown = np.isnan(found).all(axis=1)
    assert not ends.whole
    assert unknown[states["decisions"] < 3].all()
    assert not unknown[states["decisions"] > 5].any()
    assert np.array_equal(found[~unknown], all_of_them[~unknown], equal_nan=True)
    with pytest.raises(OptionError, match="late positions only: `cyberdeck tasks` has these"):
        ends.need_all()


def test_nothing_is_known_of_a_game_that_is_over(tictactoe: cyberdeck.Variant) -> None:
    core = alone(tictactoe, 1)[-1]
    core.play(RANDOM, 1)
    assert core.movers[0] == NOBODY
    for chosen in ("exact", "exact:memory=1e-6"):
        assert np.isnan(find_values(tictactoe, chosen).of(core.states)).all()


def test_they_go_where_envs_go(tictactoe: cyberdeck.Variant) -> None:
    for variant in (tictactoe, cyberdeck.variant("hackthegrid")):
        values, states = find_values(variant), met(variant, 2)
        for twin in (copy.deepcopy(values), pickle.loads(pickle.dumps(values))):
            assert twin.name == values.name
            assert np.array_equal(twin.of(states), values.of(states), equal_nan=True)


def test_chance_is_counted_in_a_game_for_one() -> None:
    """Up to three times: take 1, or roll a die of three sides, where 0 loses all."""
    variant = small("luck")

    @functools.cache
    def value(turn: int) -> tuple[float, float]:
        if turn == 3:
            return 0.0, 0.0
        on = max(value(turn + 1))
        return 1.0 + on, (0.0 + 2.0 + on + 4.0 + on) / 3

    for state, row in zip(states := met(variant, 6), find_values(variant).of(states), strict=True):
        assert row.tolist() == pytest.approx(value(int(state["turn"])))


# --- cards that nobody has seen -------------------------------------------------------------------


@pytest.mark.slow
def test_ends_of_matrix_overload_are_known_once_nothing_is_hidden() -> None:
    variant = cyberdeck.variant("matrix_overload", reward="royals")
    cores = [core for core in alone(variant, 12, HEURISTIC) if core.states["left"] <= 12]
    states = np.concatenate([core.states for core in cores])
    values = find_values(variant, "exact:reach=2000")
    found = values.of(states)
    is_known = ~np.isnan(found).all(axis=1)
    unseen = states["left"] - states["known_first"] - states["known_last"]
    assert not values.whole
    assert is_known.sum() > 20
    assert (unseen[is_known] <= 1).all()
    last = np.flatnonzero(is_known & (states["left"] <= 3))
    assert any(len({*known(found[at]).values()}) > 1 for at in last)  # choices that count
    for at in last:
        assert known(found[at]) == pytest.approx(plainly(cores[at]))


# --- grades ---------------------------------------------------------------------------------------


def test_a_best_move_has_grade_1_and_the_worst_0() -> None:
    values = np.array([[2, np.nan, -1, 0], [5, 5, np.nan, 5], [np.nan, 4, np.nan, np.nan]])
    assert list(map(known, graded(values)))[1:] == [{0: 1.0, 1: 1.0, 3: 1.0}, {1: 1.0}]
    assert known(graded(values)[0]) == pytest.approx({0: 1.0, 2: 0.0, 3: 1 / 3})
    # What only rounding tells apart is worth the same.
    single = np.float32(1 / 12)
    values = np.array([[2 * float(single), float(np.float32(2 / 12)) + 1e-9, 0.0, np.nan]])
    assert graded(values).tolist()[0][:3] == [1.0, 1.0, 0.0]


# --- where something is hidden --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["kuhn_poker", pytest.param("leduc_poker", marks=pytest.mark.slow)]
)
def test_whoever_goes_on_by_them_gets_the_best_response(name: str) -> None:
    variant = of(name)
    values = find_values(variant, "response:to=random")
    tree, outcomes = Tree(variant), Outcomes(variant)
    assert values.name == "response:to=random"

    def best(record: NDArray[Any]) -> float:
        return float(np.nanmax(values.of(record)))

    begun = [*outcomes.beginnings()]
    first = sum(p * best(record) for p, record in begun)
    assert first == pytest.approx(tree.best_response(uniform, 0))
    second = 0.0
    for p, record in begun:
        legal = np.flatnonzero(variant.look(record, 0)[0]).tolist()
        after = [each for action in legal for each in outcomes.after(record, action)]
        second += p * sum(q * best(then) for q, then in after) / len(legal)
    assert second == pytest.approx(tree.best_response(uniform, 1))


def test_those_against_a_policy_are_what_is_right_against_it(tmp_path: Path) -> None:
    """Who always bets: a king bets and calls, a jack gives up, and nobody is ever passed to."""
    variant = of("kuhn_poker")
    always = (np.zeros((2, variant.observation_size)), np.array([0.0, 9.0]))
    Network("kuhn_poker", [always], greedy=True).save(tmp_path / "bets.safetensors")
    values = find_values(variant, f"response:to={tmp_path / 'bets.safetensors'}")
    assert values.name == "response:to=bets"
    for _, record in Outcomes(variant).beginnings():
        card = int(record["deck"][0, 0])
        call, fold = {0: -2.0, 1: 0.0, 2: 2.0}[card], -1.0
        assert known(values.of(record)[0]) == {0: max(call, fold), 1: call}
        ((_, passed),) = Outcomes(variant).after(record, 0)
        assert np.isnan(values.of(passed)).all()
    for twin in (copy.deepcopy(values), pickle.loads(pickle.dumps(values))):
        assert np.array_equal(twin.of(record), values.of(record), equal_nan=True)


def test_what_is_drawn_is_no_strategy_that_is_stated() -> None:
    with pytest.raises(OptionError, match=r"lucky draws what it does.*choose to=random"):
        Response(of("kuhn_poker"), to=Lucky())  # type: ignore[arg-type]


# --- what is refused ------------------------------------------------------------------------------


LONG = [("SCRAMBLE", 0)] * 9 + [("FIREWALL", 1)] * 7


@pytest.mark.parametrize(
    ("game", "options", "chosen", "said"),
    [
        ("stacktrices", {}, "exact", "hidden from a seat.*choose response:to=random"),
        ("hackthegrid", {"reward": "margin"}, "exact", "values are of the outcome: leave it out"),
        ("hackthegrid", {}, "exact:ties=spitefull", "ties='spitefull'"),
        ("hackthegrid", {}, "exakt", r"choose one of exact.*did you mean exact"),
        ("matrix_overload", {}, "exact:reach=0", "from 1 on"),
        ("matrix_overload", {}, "exact:memory=-1", "above 0"),
        ("hackthegrid", {"deck": LONG}, "exact", "exact:scrambles=9 tries it"),
        ("tictactoe", {}, "response:to=random", "observation does not say .* observation=history"),
        ("kuhn_poker", {}, "response:to=randm", "did you mean random"),
        ("kuhn_poker", {}, "response:memory=0", "above 0"),
    ],
)
def test_what_has_no_values_says_so(
    game: str, options: dict[str, Any], chosen: str, said: str
) -> None:
    own = game in cyberdeck.GAMES
    variant = cyberdeck.variant(game, **options) if own else of(game)
    with pytest.raises(OptionError, match=said):
        find_values(variant, chosen)
