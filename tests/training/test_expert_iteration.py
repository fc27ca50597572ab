"""Learning from experts: what they tell, and that the own search teaches the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import Batch
from cyberdeck.engine.policy import Expert
from cyberdeck.players import find_player
from cyberdeck.players.guided import unlearned
from cyberdeck.players.search import ROOTS, Search
from cyberdeck.players.solvers.hackthegrid.solver import BOTH_LOSE, DRAW, LOSS, WIN, Solver
from cyberdeck_training.targets import Labels, targets_of
from tests.test_search import positions

GAMES = Path(__file__).resolve().parents[2] / "examples" / "games"

# --- what experts tell ----------------------------------------------------------------------------


def told(
    batch: Batch, player: str | Expert
) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
    """The targets of a player, and the player."""
    expert = find_player(batch.variant, player)
    return *targets_of(batch.core, expert, batch.core.all_rows, threads=1), expert


def test_whoever_says_no_more_teaches_what_it_does() -> None:
    batch = positions("hackthegrid", {})
    policy, values, _ = told(batch, "heuristic")
    assert (policy.argmax(axis=1) == batch.choose("heuristic")).all()
    assert policy.sum() == policy.max(axis=1).sum() == len(batch)
    assert np.isnan(values).all()


@pytest.mark.parametrize("ties", ["spiteful", "friendly"])
def test_optimal_teaches_all_that_is_optimal_and_what_comes_of_it(ties: str) -> None:
    batch = positions("hackthegrid", {})
    policy, values, _ = told(batch, f"optimal:ties={ties}")
    outcomes = Solver(ties).values(batch.core.states)
    best = Solver(ties).optimal(outcomes)
    assert (best.sum(axis=1) > 1).any()
    assert ((policy > 0) == best).all()
    assert np.allclose(policy.sum(axis=1), 1)
    assert np.allclose(policy.max(axis=1) * best.sum(axis=1), 1)
    pays = {WIN: 1.0, DRAW: 0.0, LOSS: -1.0, BOTH_LOSE: -1.0}
    assert values.tolist() == [
        pays[int(row[which][0])] for row, which in zip(outcomes, best, strict=True)
    ]
    margins = positions("hackthegrid", {"reward": "margin"})
    assert np.isnan(told(margins, "optimal")[1]).all()  # by how much is not known


def test_what_optimal_says_is_worth_comes_true() -> None:
    """If both play optimally from there."""
    batch = Batch("hackthegrid", 64, seed=5, autoreset="disabled")
    batch.step(batch.choose("heuristic"))
    values, movers = told(batch, "optimal")[1], batch.core.movers.copy()
    got = np.zeros((64, 2))
    optimal = find_player(batch.variant, "optimal")
    while (running := np.flatnonzero(batch.core.movers >= 0)).size:
        actions = np.zeros(64, np.int64)
        actions[running] = batch.core.ask(optimal, running)
        batch.step(actions)
        got += batch.core.rewards
    assert values.tolist() == got[np.arange(64), movers].tolist()


@pytest.mark.parametrize("game", ["hackthegrid", "stacktrices"])
@pytest.mark.parametrize(
    "settings", [{}, *({"root": root, "network": True} for root in ROOTS)], ids=str
)
def test_searches_teach_probabilities_of_what_is_legal(game: str, settings: Any) -> None:
    batch = positions(game, {})
    network = unlearned(batch.variant) if settings else None
    search = Search(12, **{**settings, "network": network})
    policy, values, _ = told(batch, search)
    assert np.allclose(policy.sum(axis=1), 1)
    assert (policy[batch.mask == 0] == 0).all()
    assert np.isnan(values).all()
    again = Labels(batch.core, search, steps=1, threads=3)
    again.begin()
    assert again.policy[0].tolist() == policy.astype(np.float32).tolist()


def test_one_decision_in_so_many_is_asked_about() -> None:
    batch = Batch("hackthegrid", 10, seed=0)
    labels = Labels(batch.core, find_player(batch.variant, "heuristic"), steps=6, every=3)
    labels.begin()
    for step in range(6):
        batch.step(batch.choose("random"))
        labels.stepped(step)
    asked = labels.policy.sum(axis=2)
    assert asked.sum(axis=1).tolist() == [4, 3, 3, 4, 3, 3]
    assert (asked.sum(axis=0) == 2).all()
