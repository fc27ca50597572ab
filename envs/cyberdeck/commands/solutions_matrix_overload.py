"""MATR1X 0VERL0AD solved with open cards, in words: for ``cyberdeck solve``."""

from __future__ import annotations

from cyberdeck.common.progress import Progress
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.variant import Variant
from cyberdeck.players.solvers.matrix_overload.deal_values import solved
from cyberdeck.players.solvers.matrix_overload.solver import solve


def deals(variant: Variant, count: int, seed: int, progress: Progress | None = None) -> str:
    """How many of the deals *seed*, *seed* + 1, ... can be won."""
    return str(solved(count, game=variant, seed=seed, progress=progress))


def deal(variant: Variant, seed: int) -> str:
    """The line that wins a deal, move by move.

    >>> from cyberdeck import variant
    >>> print(deal(variant("matrix_overload"), 0)[:50])
    With open cards this deal is won in 48 moves:
    <BLANKLINE>
     1.
    """
    games = GameBatch(variant, 1, autoreset=DISABLED)
    games.reset([seed])
    line = solve(games.save())
    if line is None:
        return "No line that wins this deal was found; there may be one all the same."
    told = [f"With open cards this deal is won in {len(line)} moves:", ""]
    for number, action in enumerate(line, start=1):
        told.append(f"{number:>2}. {games.action_name(0, action)}")
        games.advance_one(action)
    return "\n".join(told)
