"""HACKtheGRID: what the game is worth to who goes first, over many deals.

python -m cyberdeck.players.solvers.hackthegrid.deal_values --deals 1000 --ties friendly
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cyberdeck.common.progress import bar
from cyberdeck.common.text import counted
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import dealt
from cyberdeck.games.hackthegrid.rules import SCRAMBLES
from cyberdeck.players.solvers.hackthegrid.result_partitions import TIES
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, Solver


@dataclass(frozen=True)
class Figures:
    """What ``figures`` has measured; ``str`` of it is a table.

    outcomes    deals that are a win, a draw, a loss and lost by both, for who goes first
    seconds     of one core, for the values of all actions of a deal: median, 95%, most
    positions   looked at for that: the same
    """

    scramble: str
    ties: str
    outcomes: tuple[int, int, int, int]
    seconds: tuple[float, float, float]
    positions: tuple[int, int, int]

    @property
    def deals(self) -> int:
        return sum(self.outcomes)

    def share(self, outcome: int) -> tuple[float, float, float]:
        """The share of an outcome and its 95% confidence interval (Wilson's)."""
        n, z = self.deals, 1.96
        share = self.outcomes[outcome] / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        reach = z * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5 / (1 + z * z / n)
        return share, max(0.0, middle - reach), min(1.0, middle + reach)

    def __str__(self) -> str:
        rows = [
            f"{counted(self.deals, 'deal')}, scramble={self.scramble}, ties={self.ties}",
            "",
            "| for who goes first | share of deals |",
            "| --- | --- |",
        ]
        for outcome, name in enumerate(NAMES):
            share, low, high = self.share(outcome)
            rows.append(f"| {name} | {share:.1%} ({low:.1%} to {high:.1%}) |")
        rows += ["", "| for a deal | median | 95% | most |", "| --- | --- | --- | --- |"]
        rows.append("| ms | " + " | ".join(f"{1000 * each:.1f}" for each in self.seconds) + " |")
        rows.append("| positions | " + " | ".join(f"{each:,}" for each in self.positions) + " |")
        return "\n".join(rows)


def figures(
    deals: int = 1000,
    ties: str = "spiteful",
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Figures:
    """Solve the deals *seed*, *seed* + 1, ...; *progress* is told how many are done.

    >>> figures(5).outcomes
    (0, 5, 0, 0)
    """
    states = dealt(registry.variant("hackthegrid", **options), deals, seed)
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
    at_most = (50, 95, 100)
    win, draw, loss, both_lose = outcomes
    median, late, most = (float(each) for each in np.percentile(seconds, at_most))
    few, many, top = (int(each) for each in np.percentile(positions, at_most))
    return Figures(
        SCRAMBLES[states[0]["scramble"]],
        ties,
        (win, draw, loss, both_lose),
        (median, late, most),
        (few, many, top),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Solve many deals of HACKtheGRID.")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--ties", choices=TIES, default=TIES[0])
    parser.add_argument("--scramble", choices=SCRAMBLES, default=SCRAMBLES[0])
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with bar(given.deals, "deals") as progress:
        measured = figures(
            given.deals, given.ties, seed=given.seed, progress=progress, scramble=given.scramble
        )
    print(measured)


if __name__ == "__main__":
    main()
