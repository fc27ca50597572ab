"""HACKtheGRID solved, in words: for ``cyberdeck solve``."""

from __future__ import annotations

from typing import Final

from cyberdeck.common.progress import Progress
from cyberdeck.common.statistics import percent
from cyberdeck.common.text import table
from cyberdeck.engine.game_batch import dealt
from cyberdeck.engine.variant import Variant
from cyberdeck.players.solvers.hackthegrid.deal_values import deal_values
from cyberdeck.players.solvers.hackthegrid.result_partitions import TIES
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, solve
from cyberdeck.showing import action_name, text

_RULES: Final = """\
Hackers who can neither win nor draw: spiteful ones would rather have both lose, friendly ones
would rather lose alone."""


def deals(variant: Variant, count: int, seed: int, progress: Progress | None = None) -> str:
    """What the deals *seed*, *seed* + 1, ... are worth to who goes first, by either rule for ties.

    >>> from cyberdeck import variant
    >>> print(deals(variant("hackthegrid"), 4, 0).splitlines()[2].split()[:3])
    ['ties', 'win', 'draw']
    """
    rows = []
    for number, ties in enumerate(TIES):

        def advance(done: int, before: int = number * count) -> None:
            deals_done, left = divmod(before + done, len(TIES))
            if progress is not None and left == 0:
                progress(deals_done)

        found = deal_values(count, ties, game=variant, seed=seed, progress=advance)
        shares = [percent(each, count) for each in found.outcomes]
        rows.append((ties, *shares, *(f"{1000 * each:.1f}" for each in found.seconds)))
    head = ("ties", *NAMES, "ms: median", "95%", "most")
    shown = table(head, rows)
    what = "1 deal is" if count == 1 else f"{count} deals are"
    return f"What {what} worth to who goes first:\n\n{shown}\n\n{_RULES}"


def deal(variant: Variant, seed: int) -> str:
    """What every first action of a deal leads to, by either rule for ties.

    >>> from cyberdeck import variant
    >>> print(deal(variant("hackthegrid"), 3).splitlines()[-4])
    3  go to column 3: SCRAMBLE (cyan)       loss      loss
    """
    states = dealt(variant, 1, seed)
    found = [solve(states, ties) for ties in TIES]
    rows = [
        (str(action), action_name(variant, states, action), *(each[action] for each in found))
        for action in found[0]
    ]
    board = text(variant, states, (int(states["mover"][0]),))
    return f"{board}\n\n{table(('', 'action', *TIES), rows)}\n\n{_RULES}"
