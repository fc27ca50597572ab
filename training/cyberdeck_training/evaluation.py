"""Measuring a policy: full games in every seat against reference opponents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck import Batch, variant
from cyberdeck.docs import table

#: Observations and masks of some games in, one action for each out.
BatchPolicy = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[Any]]


@dataclass(frozen=True)
class Record:
    """How the games of one seat against one opponent ended."""

    opponent: str
    seat: str
    wins: int
    draws: int
    losses: int
    both_lose: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses + self.both_lose


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """95% confidence interval of a rate (Wilson's score interval).

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if trials == 0:
        return 0.0, 1.0
    z = 1.959964
    rate = successes / trials
    middle = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials**2))
    spread *= z / (1 + z * z / trials)
    return max(0.0, middle - spread), min(1.0, middle + spread)


def play(
    game: str,
    policy: BatchPolicy,
    *,
    seat: int,
    opponent: str | None,
    games: int,
    seed: int,
    **options: Any,
) -> Batch:
    """Play *games* whole games, one in each row, and return the finished batch.

    One game a row, so that short games do not crowd out long ones.
    """
    batch = Batch(
        game,
        games,
        seed=seed,
        seat=seat,
        opponent=opponent,
        autoreset="disabled",
        **options,
    )
    over = np.zeros(games, np.bool_)
    while not over.all():
        actions = np.zeros(games, np.int64)
        running = np.flatnonzero(~over)
        actions[running] = policy(batch.observation[running], batch.mask[running])
        batch.step(actions)
        over |= batch.terminated | batch.truncated
    return batch


def against(
    game: str,
    policy: BatchPolicy,
    opponents: Sequence[str],
    games: int,
    seed: int,
    **options: Any,
) -> list[Record]:
    """Play every seat of a game for two against every opponent, on the same deals."""
    records = []
    agents = variant(game, **options).agents
    for opponent in opponents:
        for seat, name in enumerate(agents):
            batch = play(
                game, policy, seat=seat, opponent=opponent, games=games, seed=seed, **options
            )
            own, other = batch.final_return[:, seat], batch.final_return[:, 1 - seat]
            both = (own < 0) & (other < 0)
            records.append(
                Record(
                    opponent,
                    f"{seat} ({name})",
                    wins=int((own > other).sum()),
                    draws=int(((own == other) & ~both).sum()),
                    losses=int((own < other).sum()),
                    both_lose=int(both.sum()),
                )
            )
    return records


def shown(records: Sequence[Record]) -> str:
    """The records as a table of rates with 95% confidence intervals, each opponent summed up."""
    lines = []
    for opponent in dict.fromkeys(record.opponent for record in records):
        own = [record for record in records if record.opponent == opponent]
        summed = Record(
            opponent,
            "both",
            *(sum(getattr(r, n) for r in own) for n in ("wins", "draws", "losses", "both_lose")),
        )
        lines += [_line(record) for record in [*own, summed]]
    return table(("opponent", "seat", "games", "win", "draw", "loss", "both lose"), lines)


def solitaire(batch: Batch) -> str:
    """Finished games for one: how many were won, and the game's facts on average."""
    won = int((batch.reason == batch.reasons.index("won")).sum())
    lines = [("won", _rate(won, len(batch)))]
    for at, fact in enumerate(batch.variant.game.facts):
        values = batch.final_facts[:, at]
        error = 1.96 * float(values.std()) / math.sqrt(len(batch))
        lines.append((fact.name, f"{values.mean():.2f} +- {error:.2f}"))
    return table(("over " + str(len(batch)) + " games", ""), lines)


def _line(record: Record) -> tuple[str, ...]:
    counts = (record.wins, record.draws, record.losses, record.both_lose)
    return (
        record.opponent,
        record.seat,
        str(record.games),
        *(_rate(count, record.games) for count in counts),
    )


def _rate(count: int, games: int) -> str:
    low, high = wilson(count, games)
    rate = count / games if games else 0.0
    return f"{100 * rate:5.1f}% ({100 * low:4.1f} to {100 * high:4.1f})"
