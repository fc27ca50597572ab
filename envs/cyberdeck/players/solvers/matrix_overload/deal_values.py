"""How many deals of MATR1X 0VERL0AD the solver wins with open cards, and a player without.

For example
``python -m cyberdeck.players.solvers.matrix_overload.deal_values --player sampler``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cyberdeck.common.statistics import wilson
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED, OUTSIDE
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.games.matrix_overload.constants import EDITIONS, OUTER
from cyberdeck.players import Player, find_player
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


def _summed(variant: Variant, royals: Sequence[int], seconds: Sequence[float]) -> DealValues:
    won = sum(killed == OUTER for killed in royals)
    return DealValues(
        variant.options["edition"],
        len(royals),
        won,
        *wilson(won, len(royals)),
        float(np.mean(royals)),
        float(np.median(seconds)),
        float(np.percentile(seconds, 95)),
        max(seconds),
    )


def solved(
    deals: int = 1000,
    *,
    game: str | Variant = "matrix_overload",
    seed: int = 0,
    width: int = 30,
    widest: int = 30_000,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> DealValues:
    """Solve the deals of seed, seed + 1, ...; each win is confirmed by the rules.

    Of a deal for which no line is found, no royals are counted. *progress* is called with how many
    deals are done.

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
    return _summed(variant, royals, seconds)


def played(
    chosen: Player = "sampler",
    deals: int = 500,
    *,
    game: str | Variant = "matrix_overload",
    seed: int = 0,
    **options: Any,
) -> DealValues:
    """Let a policy play the deals of seed, seed + 1, ... one by one."""
    variant = registry.variant(game, **options)
    policy = find_player(variant, chosen)
    if policy.code != OUTSIDE:
        raise OptionError(f"{chosen!r} plays by itself: Batch.play() lets it, and is faster")
    games = GameBatch(variant, 1, autoreset=DISABLED)
    games.reset([seed])
    games.step(games.ask(policy, games.all_rows))  # compile
    royals, seconds = [], []
    for deal in range(deals):
        games.reset([seed + deal])
        begun = time.process_time()
        while games.movers[0] != NOBODY:
            games.step(games.ask(policy, games.all_rows))
        seconds.append(time.process_time() - begun)
        royals.append(int(games.rows["final_metrics"][0, 0]))
    return _summed(variant, royals, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many were won; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first deal")
    parser.add_argument("--width", type=int, default=30, help="of the first search")
    parser.add_argument("--widest", type=int, default=30_000, help="of the last one")
    parser.add_argument("--player", help="play with closed cards: sampler:decks=100,width=1")
    parser.add_argument("--edition", choices=EDITIONS, action="append")
    chosen = parser.parse_args(arguments)
    try:
        for edition in chosen.edition or EDITIONS:
            which = {"deals": chosen.deals, "seed": chosen.seed, "edition": edition}
            if chosen.player:
                values = played(chosen.player, **which)
            else:
                values = solved(**which, width=chosen.width, widest=chosen.widest)
            print(values, flush=True)
    except CyberdeckError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
