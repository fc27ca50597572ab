"""HACKtheGRID solved, in words: for ``cyberdeck solve``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cyberdeck.api.batch import Batch
from cyberdeck.docs import table
from cyberdeck.engine.contract import Variant
from cyberdeck.games.hackthegrid.figures import figures
from cyberdeck.games.hackthegrid.questions import TIES
from cyberdeck.games.hackthegrid.solver import solve

_RULES: Final = """\
Hackers who can neither win nor draw: spiteful ones would rather have both lose, friendly ones
would rather lose alone."""


def deals(
    variant: Variant, count: int, seed: int, progress: Callable[[int], None] | None = None
) -> str:
    """What the deals *seed*, *seed* + 1, ... are worth to who goes first."""
    return str(figures(count, seed=seed, progress=progress, **variant.options))


def deal(variant: Variant, seed: int) -> str:
    """What every first action of a deal leads to, by either rule for ties.

    >>> from cyberdeck import variant
    >>> print(deal(variant("hackthegrid"), 3).splitlines()[-4])
    3  go to column 3: SCRAMBLE (cyan)       loss      loss
    """
    states = Batch(variant.game.name, 1, seed=seed, **variant.options).tables.states
    found = [solve(states, ties) for ties in TIES]
    rows = [
        (str(action), variant.game.action_name(states, action), *(each[action] for each in found))
        for action in found[0]
    ]
    board = variant.game.text(states, int(states["mover"][0]))
    return f"{board}\n\n{table(('', 'action', *TIES), rows)}\n\n{_RULES}"
