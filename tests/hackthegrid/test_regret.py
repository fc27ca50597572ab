"""Measuring players against exact values, and what deals are worth."""

from __future__ import annotations

import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.errors import OptionError
from cyberdeck.games.hackthegrid.constants import NONE
from cyberdeck.players.solvers.hackthegrid.regret import regret
from cyberdeck.players.solvers.hackthegrid.solver import WIN, Optimal, Solver, deal_values

#: What WIN, DRAW, LOSS and BOTH_LOSE are worth to the mover.
POINTS = [1.0, 0.5, 0.0, 0.0]


def test_the_optimal_player_gives_nothing_away_but_by_the_wrong_rule_for_ties() -> None:
    measured = regret(Optimal("friendly"), "random", deals=6, ties="friendly")
    assert [line.seat for line in measured.lines] == ["column", "row", "both"]
    for line in measured.lines:
        assert line.decisions > 15
        assert (line.loss.value, line.lossless.value, line.optimal.value) == (0, 1, 1)
    loss = regret(Optimal("spiteful"), deals=12, ties="friendly").lines[2].loss
    assert 0 <= loss.low < loss.value < loss.high


def test_regret_by_hand() -> None:
    """One deal played by the random player against itself, decision by decision."""
    ties = "spiteful"
    seen = []

    def watched(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        seen.append(masks.copy())
        return np.array([np.flatnonzero(mask)[-1] for mask in masks])

    measured = regret(watched, deals=1, seed=4, ties=ties)
    batch, solver = Batch("hackthegrid", 1, seed=4, autoreset="Disabled"), Solver(ties)
    lost, good, best, count = [], [], [], 0
    for masks in seen:
        values = solver.values(batch._core.states)[0]
        action = int(np.flatnonzero(masks[0])[-1])
        if masks.sum() > 1:
            count += 1
            points = {at: POINTS[value] for at, value in enumerate(values) if value != NONE}
            lost.append(max(points.values()) - points[action])
            good.append(lost[-1] == 0)
            best.append(bool(solver.optimal(values)[action]))
        batch.step(np.array([action]))
    assert batch.mover[0] == NONE
    both = measured.lines[2]
    assert both.decisions == count == sum(line.decisions for line in measured.lines[:2])
    assert (both.loss.value, both.lossless.value, both.optimal.value) == pytest.approx(
        (np.mean(lost), np.mean(good), np.mean(best))
    )


def test_the_table_and_the_progress() -> None:
    told: list[int] = []
    measured = regret("random", "heuristic", deals=3, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == measured.lines[2].decisions
    table = str(measured)
    assert table.startswith("random against heuristic, 3 deals, ties=spiteful\n")
    assert table.count("\n| ") == 5
    with pytest.raises(OptionError, match="deals=0"):
        regret("random", deals=0)


def test_outcomes_are_the_values_of_the_deals() -> None:
    told: list[int] = []
    measured = deal_values(12, "friendly", seed=5, progress=told.append, scramble="at_end")
    assert told == list(range(1, 13))
    solver = Solver("friendly")
    states = Batch("hackthegrid", 12, seed=5, scramble="at_end")._core.states
    values = solver.values(states)
    found = [row[best][0] for row, best in zip(values, solver.optimal(values), strict=True)]
    assert list(measured.outcomes) == np.bincount(found, minlength=4).tolist()
    assert measured.outcomes[WIN] > 3
    assert 0 < measured.seconds[0] <= measured.seconds[1] <= measured.seconds[2]
    assert 1000 < measured.positions[0] <= measured.positions[2]
