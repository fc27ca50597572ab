"""MATR1X 0VERL0AD solved with open cards, in words: for ``cyberdeck solve``."""

from __future__ import annotations

from collections.abc import Callable

from cyberdeck.api.batch import Batch
from cyberdeck.engine.contract import Variant
from cyberdeck.games.matrix_overload.figures import solved
from cyberdeck.games.matrix_overload.solver import solve


def deals(
    variant: Variant, count: int, seed: int, progress: Callable[[int], None] | None = None
) -> str:
    """How many of the deals *seed*, *seed* + 1, ... can be won."""
    return str(solved(deals=count, seed=seed, progress=progress, **variant.options))


def deal(variant: Variant, seed: int) -> str:
    """The line that wins a deal, move by move.

    >>> from cyberdeck import variant
    >>> print(deal(variant("matrix_overload"), 0)[:50])
    With open cards this deal is won in 48 moves:
    <BLANKLINE>
     1.
    """
    batch = Batch(variant.game.name, 1, seed=seed, autoreset="disabled", **variant.options)
    line = solve(batch.get_state(0))
    if line is None:
        return "No line that wins this deal was found; there may be one all the same."
    told = [f"With open cards this deal is won in {len(line)} moves:", ""]
    for number, action in enumerate(line, start=1):
        told.append(f"{number:>2}. {variant.game.action_name(batch.tables.states, action)}")
        batch.step([action])
    return "\n".join(told)
