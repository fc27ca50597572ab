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

from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import OUTSIDE
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import CyberdeckError, OptionError
from cyberdeck.games.matrix_overload import rules
from cyberdeck.players import Player, find_player
from cyberdeck.players.solvers.matrix_overload.solver import solve, wins


@dataclass(frozen=True)
class Figures:
    """What was measured over some deals.

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


def interval(won: int, games: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share.

    >>> low, high = interval(90, 100)
    >>> round(low, 3), round(high, 3)
    (0.826, 0.945)
    """
    z = 1.96
    share, square = won / games, z * z / games
    middle = (share + square / 2) / (1 + square)
    spread = z * ((share * (1 - share) + square / 4) / games) ** 0.5 / (1 + square)
    return max(middle - spread, 0.0), min(middle + spread, 1.0)


def _figures(edition: str, royals: Sequence[int], seconds: Sequence[float]) -> Figures:
    won = sum(killed == rules.OUTER for killed in royals)
    return Figures(
        edition,
        len(royals),
        won,
        *interval(won, len(royals)),
        float(np.mean(royals)),
        float(np.median(seconds)),
        float(np.percentile(seconds, 95)),
        max(seconds),
    )


def solved(
    edition: str = "firewall",
    deals: int = 1000,
    *,
    seed: int = 0,
    width: int = 30,
    widest: int = 30_000,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Figures:
    """Solve the deals of seed, seed + 1, ...; each win is confirmed by the rules.

    Of a deal for which no line is found, no royals are counted. *progress* is told how many deals
    are done.

    >>> figures = solved("rulebook", 5)
    >>> figures.won
    5
    """
    games = GameBatch(registry.variant("matrix_overload", edition=edition, **options), deals)
    games.reset(range(seed, seed + deals))
    solve(games.save(0), width=width, widest=width)  # compile
    royals, seconds = [], []
    for row in range(deals):
        saved = games.save(row)
        begun = time.process_time()
        line = solve(saved, width=width, widest=widest)
        seconds.append(time.process_time() - begun)
        royals.append(rules.OUTER if line is not None and wins(saved, line) else 0)
        if progress is not None:
            progress(row + 1)
    return _figures(edition, royals, seconds)


def played(
    chosen: Player = "sampler", edition: str = "firewall", deals: int = 500, *, seed: int = 0
) -> Figures:
    """Let a policy play the deals of seed, seed + 1, ... one by one."""
    variant = registry.variant("matrix_overload", edition=edition)
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
    return _figures(edition, royals, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first deal")
    parser.add_argument("--width", type=int, default=30, help="of the first search")
    parser.add_argument("--widest", type=int, default=30_000, help="of the last one")
    parser.add_argument("--player", help="play with closed cards: sampler:decks=100,width=1")
    parser.add_argument("--edition", choices=rules.EDITIONS, action="append")
    chosen = parser.parse_args(arguments)
    try:
        for edition in chosen.edition or rules.EDITIONS:
            if chosen.player:
                print(played(chosen.player, edition, chosen.deals, seed=chosen.seed), flush=True)
            else:
                options = {"seed": chosen.seed, "width": chosen.width, "widest": chosen.widest}
                print(solved(edition, chosen.deals, **options), flush=True)
    except CyberdeckError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
