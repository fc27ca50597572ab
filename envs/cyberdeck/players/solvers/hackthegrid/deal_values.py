"""HACKtheGRID: what the game is worth to who goes first, over many deals."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from cyberdeck.common.progress import Progress
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import dealt
from cyberdeck.engine.variant import Variant
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, Solver


@dataclass(frozen=True)
class DealValues:
    """What ``deal_values`` has found.

    outcomes    deals that are a win, a draw, a loss and lost by both, for who goes first
    seconds     of one core, for the values of all actions of a deal: median, 95%, most
    positions   looked at for that: the same
    """

    outcomes: tuple[int, ...]
    seconds: tuple[float, ...]
    positions: tuple[int, ...]


def deal_values(
    deals: int = 1000,
    ties: str = "spiteful",
    *,
    game: str | Variant = "hackthegrid",
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> DealValues:
    """Solve the deals *seed*, *seed* + 1, ...; *progress* is called with how many are done.

    >>> deal_values(5).outcomes
    (0, 5, 0, 0)
    """
    states = dealt(registry.variant(game, **options), deals, seed)
    solver = Solver(ties)
    solver.values(states[0])  # whatever has to be compiled is compiled now
    outcomes, seconds, positions = [0] * len(NAMES), [], []
    for at, state in enumerate(states):
        solver.clear()  # each deal by itself
        before, begun = solver.visited, time.process_time()
        values = solver.values(state)
        seconds.append(time.process_time() - begun)
        positions.append(solver.visited - before)
        outcomes[values[solver.optimal(values)][0]] += 1
        if progress is not None:
            progress(at + 1)
    times, numbers = (np.percentile(each, (50, 95, 100)) for each in (seconds, positions))
    return DealValues(tuple(outcomes), tuple(times.tolist()), tuple(map(int, numbers)))
