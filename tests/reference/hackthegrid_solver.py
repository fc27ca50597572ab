"""HACKtheGRID solved the slow way: every line of play to its end, on the plain version's own rules.

Only fit for late positions.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable

from tests.reference.hackthegrid import HackTheGrid

#: What the mover likes most, first.
ORDER = {
    "spiteful": ("win", "draw", "both lose", "loss"),
    "friendly": ("win", "draw", "loss", "both lose"),
}


def outcomes(game: HackTheGrid, ties: str) -> dict[int, str]:
    """What each legal action leads to, from the mover's side."""
    seen: dict[Hashable, str] = {}
    mover = game.mover
    return {
        action: _said_by(mover, _ending(_after(game, action), ties, seen))
        for action in game.legal()
    }


def _ending(game: HackTheGrid, ties: str, seen: dict[Hashable, str]) -> str:
    """Who wins: "0", "1", "draw" or "both lose"."""
    if game.over:
        if game.reason == "cards_remain":
            return "both lose"
        first, second = game.scores()
        return "draw" if first == second else "0" if first > second else "1"
    position = (
        tuple(game.grid.values()),
        tuple(game.avatars),
        tuple(tuple(game.deck[card] for card in run) for run in game.runs),
        tuple(game.waiting),
        game.mover,
        game.phase,
    )
    if position not in seen:
        endings = [_ending(_after(game, action), ties, seen) for action in game.legal()]
        mover = game.mover
        seen[position] = min(endings, key=lambda ending: ORDER[ties].index(_said_by(mover, ending)))
    return seen[position]


def _after(game: HackTheGrid, action: int) -> HackTheGrid:
    """The position after an action, on a board of its own."""
    twin = copy.copy(game)
    twin.grid = dict(game.grid)
    twin.avatars = list(game.avatars)
    twin.runs = [list(run) for run in game.runs]
    twin.waiting = list(game.waiting)
    twin.act(action)
    return twin


def _said_by(player: int | None, ending: str) -> str:
    if ending in ("draw", "both lose"):
        return ending
    return "win" if ending == str(player) else "loss"
