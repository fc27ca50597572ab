"""How many deals of MATR1X 0VERL0AD the solver wins with open cards."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import wilson
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.variant import Variant
from cyberdeck.games.matrix_overload.constants import OUTER
from cyberdeck.players.solvers.matrix_overload.solver import solve, wins


@dataclass(frozen=True)
class DealValues:
    """How many of some deals were won, and at what cost; ``str`` of it is a line.

    low, high: the 95% interval of the share won (Wilson's)
    royals: royals that fell, on average
    median, p95, longest: seconds of processor time for a deal
    """

    edition: str
    deals: int
    won: int
    low: float
    high: float
    royals: float
    median: float
    p95: float
    longest: float

    def __str__(self) -> str:
        return (
            f"{self.edition}: won {self.won} of {self.deals} "
            f"({self.won / self.deals:.1%}, 95% interval {self.low:.1%} to {self.high:.1%}), "
            f"{self.royals:.2f} royals; seconds a deal: median {self.median:.4f}, "
            f"95% within {self.p95:.4f}, longest {self.longest:.4f}"
        )


def solved(
    deals: int = 1000,
    *,
    game: str | Variant = "matrix_overload",
    seed: int = 0,
    width: int = 30,
    widest: int = 30_000,
    progress: Progress | None = None,
    **options: Any,
) -> DealValues:
    """Solve the deals of seed, seed + 1, ...; each win is confirmed by the rules.

    Of a deal for which no line is found, no royals are counted. *progress* is called with how
    many deals are done.

    >>> solved(5, edition="rulebook").won
    5
    """
    variant = registry.variant(game, **options)
    games = GameBatch(variant, deals)
    games.reset(range(seed, seed + deals))
    solve(games.save(0), width=width, widest=width)  # compile
    royals, seconds = [], []
    for row in range(deals):
        saved = games.save(row)
        begun = time.process_time()
        line = solve(saved, width=width, widest=widest)
        seconds.append(time.process_time() - begun)
        royals.append(OUTER if line is not None and wins(saved, line) else 0)
        if progress is not None:
            progress(row + 1)
    won, edition = royals.count(OUTER), variant.options["edition"]
    times = np.percentile(seconds, (50, 95, 100)).tolist()
    return DealValues(edition, deals, won, *wilson(won, deals), float(np.mean(royals)), *times)
