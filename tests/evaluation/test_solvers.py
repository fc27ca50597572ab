"""Tables over all that a seat remembers: what they are worth, and how they are solved."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.errors import OptionError
from cyberdeck.exact import InformationSets, PositionSolver, Solver
from tests.evaluation.test_exact import of

QUICK = ("kuhn_poker", "goofspiel")


@functools.cache
def bench(name: str, **options: Any) -> PositionSolver:
    return PositionSolver(of(name, options))


@functools.cache
def sequences(name: str) -> InformationSets:
    return InformationSets(bench(name).positions)


def cases(rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Rows that begin with a game's name: slow where that game is compiled for these alone."""
    return [pytest.param(*row, marks=[pytest.mark.slow] * (row[0] not in QUICK)) for row in rows]


@pytest.mark.parametrize(
    ("name", "sets"), cases([("kuhn_poker", 12), ("leduc_poker", 936), ("liars_dice", 24_576)])
)
def test_there_are_as_many_information_sets_as_is_known(name: str, sets: int) -> None:
    assert len(sequences(name).set_seen) == sets


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel"])
def test_a_strategy_that_looks_at_the_present_is_worth_what_the_bench_says(name: str) -> None:
    one = bench(name)
    luck = np.random.default_rng(0)
    chances = luck.random(one.positions.masks.shape) * one.positions.masks
    table = one.positions.table(chances / chances.sum(axis=1, keepdims=True))
    held = InformationSets(one.positions)
    here, there = held.best_responses(held.of(table)), one.best_responses(table)
    assert here.values == pytest.approx(there.values, abs=1e-12)
    assert here.best == pytest.approx(there.best, abs=1e-12)


#: What OpenSpiel 2.0.2's solvers come to, by (game, method): exploitability of the average after 1,
#: 10 and 100 iterations. Of Goofspiel by way of the bridge: its own forgets some of the past.
ELSEWHERE = {
    ("kuhn_poker", "cfr"): (0.4583333333333333, 0.06869879381715754, 0.008225977315915206),
    ("kuhn_poker", "cfr+"): (0.4583333333333333, 0.032687090668344826, 0.0011944041011116846),
    ("kuhn_poker", "dcfr"): (0.45833333333333326, 0.0227787839257636, 0.0016663419703252247),
    ("leduc_poker", "cfr"): (2.373611111111111, 0.888578983168769, 0.09571635300459762),
    ("leduc_poker", "cfr+"): (2.373611111111111, 0.6104389015904066, 0.013415994970897835),
    ("goofspiel", "cfr"): (0.7465277777777778, 0.17871225086675724, 0.022524061913478013),
    ("liars_dice", "cfr+"): (0.78074432319224, 0.14160142622977823, 0.00490828123405956),
}


@pytest.mark.parametrize(("name", "method"), cases(ELSEWHERE))
def test_solvers_come_to_the_same_numbers_as_elsewhere(name: str, method: str) -> None:
    solver, found = Solver(sequences(name), method), []
    for more in (1, 9, 90):
        solver.iterate(more)
        found.append(solver.sequences.best_responses(solver.average).exploitability)
    assert solver.iterations == 100
    assert found == pytest.approx(ELSEWHERE[name, method], abs=1e-9)


#: What OpenSpiel 2.0.2's magnetic mirror descent with dilated entropy comes to with stepsize 0.5
#: and temperature 0.05: exploitability of the last iterate after 1, 10 and 100 iterations, and of
#: its average after 0, 9 and 99, in which it counts where it begins as well.
MIRRORED = {
    "kuhn_poker": (
        (0.4033843295860736, 0.2028839990679165, 0.041895520825349974),
        (0.45833333333333326, 0.2491044269503624, 0.08519963527920232),
    ),
    "leduc_poker": (
        (2.375350884375581, 2.365003159415549, 1.7241543875484857),
        (2.373611111111111, 2.373290355034822, 1.9197028081252507),
    ),
}


@pytest.mark.parametrize("name", cases((name,) for name in MIRRORED))
def test_a_mirror_descent_comes_to_the_same_numbers_as_elsewhere(name: str) -> None:
    solver = Solver(sequences(name), "mmd", lambda t: (0.5, 0.05), simultaneous=True)
    last, average = [], []
    for more in (1, 9, 90):
        solver.iterate(more)
        last.append(solver.sequences.best_responses(solver.strategy).exploitability)
        average.append(solver.sequences.best_responses(solver.average).exploitability)
    assert last == pytest.approx(MIRRORED[name][0], abs=1e-9)
    assert average == pytest.approx(MIRRORED[name][1], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "method", "iterations"),
    cases(
        [
            ("goofspiel", "pcfr+", 400),
            ("kuhn_poker", "mmd", 1500),
            ("leduc_poker", "pcfr+", 1000),
            ("leduc_poker", "mmd", 40_000),
            ("liars_dice", "pcfr+", 1000),
        ]
    ),
)
def test_small_games_are_solved(name: str, method: str, iterations: int) -> None:
    """By the predictive method the last iterate is a solution as well. Of others the course is
    known from elsewhere.
    """
    solver = Solver(sequences(name), method)
    solver.iterate(iterations)
    assert solver.sequences.best_responses(solver.solution).exploitability < 0.001
    if method == "mmd":
        assert solver.solution is solver.strategy
    if method == "pcfr+" and name in QUICK:
        assert solver.sequences.best_responses(solver.strategy).exploitability < 0.001


def test_kuhn_poker_is_worth_minus_an_eighteenth_to_the_first_seat() -> None:
    solver = Solver(sequences("kuhn_poker"))
    solver.iterate(1000)
    for strategy in (solver.average, solver.strategy):  # predictive: the last iterate as well
        found = solver.sequences.best_responses(strategy)
        assert found.values == pytest.approx((-1 / 18, 1 / 18), abs=1e-6)
        assert found.exploitability == pytest.approx(0.0, abs=1e-6)


def test_other_methods_schedules_and_too_many_information_sets_are_refused() -> None:
    kuhn = sequences("kuhn_poker")
    with pytest.raises(OptionError, match=r"'pcfr' .*cfr, cfr\+, dcfr, pcfr\+, mmd \(did you"):
        Solver(kuhn, "pcfr")
    with pytest.raises(OptionError, match=r"schedule=.* is not possible: cfr has none, leave it"):
        Solver(kuhn, "cfr", lambda t: (1.0, 1.0))
    with pytest.raises(OptionError, match=r"more than [\d,]+ information.* than memory=0\.001"):
        InformationSets(bench("goofspiel").positions, memory=1e-3)


@pytest.mark.parametrize(
    ("name", "threads"), cases([("goofspiel", 1), ("goofspiel", 2), ("leduc_poker", 2)])
)
def test_going_through_all_courses_pays_what_is_kept_otherwise(name: str, threads: int) -> None:
    positions = bench(name).positions
    kept, walked = InformationSets(positions), InformationSets(positions, threads=threads, keep=0)
    luck = np.random.default_rng(0)
    weights = luck.random(kept.count) * (luck.random(kept.count) < 0.7)
    begins = kept.set_first[:-1]
    weights[begins] += 0.1  # some action is taken everywhere
    sums = np.repeat(np.add.reduceat(weights[2:], begins - 2), np.diff(kept.set_first))
    strategy = np.concatenate([[1.0, 1.0], weights[2:] / sums])
    here, there = kept.best_responses(strategy), walked.best_responses(strategy)
    assert here.values == pytest.approx(there.values, abs=1e-12)
    assert here.best == pytest.approx(there.best, abs=1e-12)


def test_a_mirror_descent_goes_by_a_bound_where_nothing_is_kept() -> None:
    solver = Solver(InformationSets(bench("kuhn_poker").positions, keep=0), "mmd")
    solver.iterate(200)
    assert solver.sequences.best_responses(solver.strategy).exploitability < 0.02


class Bolder(Policy):
    """Prefers high actions, the more so the more often it has decided."""

    name, memory, tells_chances = "bolder", 1, True

    asked = 0

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        self.asked += len(seen)
        weights = seen.masks * (1.0 + np.arange(seen.masks.shape[1]) * seen.memory)
        seen.memory[:] += 1
        chances: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return chances


def test_a_policy_that_remembers_is_asked_in_each_information_set() -> None:
    one = bench("goofspiel")
    held, policy = InformationSets(one.positions), Bolder()
    strategy, exact = held.table_of(policy, 30)
    assert (exact, policy.asked) == (True, len(held.set_seen))  # once in each
    for i in range(0, len(held.set_seen), 7):
        decided, before = 0, int(held.set_before[i])
        while before > 1:  # by the sets before it
            decided += 1
            before = held.set_before[np.searchsorted(held.set_first, before, "right") - 1]
        legal = np.flatnonzero(one.positions.masks[held.set_seen[i]])
        weights = 1.0 + legal * decided
        part = strategy[held.set_first[i] : held.set_first[i + 1]]
        assert part == pytest.approx(weights / weights.sum())


class Tasting(Policy):
    """Its chances depend on every number that is seen."""

    name = "tasting"

    def chances(self, seen: PolicyInput) -> NDArray[np.float64]:
        flat = seen.observations.reshape(len(seen), -1).astype(np.float64)
        total = np.cos(flat @ np.arange(1.0, flat.shape[1] + 1))
        weights = seen.masks * np.exp(total[:, None] * np.arange(seen.masks.shape[1]))
        chances: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return chances


@pytest.mark.slow
def test_a_policy_that_is_shown_the_history_is_shown_it_in_each_information_set() -> None:
    """Courses of the game are positions of the one that keeps the past."""
    there = bench("goofspiel", observation="history")
    table, exact = there.table_of(Tasting(), 1)
    held = InformationSets(bench("goofspiel").positions)
    strategy, same = held.table_of(Tasting(), 1, shown=there.variant)
    assert (exact, same) == (True, True)
    assert held.best_responses(strategy).best == pytest.approx(there.best_responses(table).best)
    present, _ = held.table_of(Tasting(), 1)
    assert np.abs(present - strategy).max() > 0.1
