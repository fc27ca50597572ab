"""The short notation of actions: written and read, in every env and batch.

>>> from cyberdeck import Batch, notation
>>> batch = Batch("hackthegrid", 1, seed=0)
>>> notation.write(batch, 2), notation.read(batch, "r 2")
('R2', 2)
>>> notation.legal(batch)
{0: 'R0', 1: 'R1', 2: 'R2', 3: 'R3'}

What is read may have other marks, spaces and capitals. No two actions that are legal together are
alike even so, and what is written today later versions read as well.
"""

from __future__ import annotations

from typing import Any

from cyberdeck import showing
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.errors import ActionError, OptionError
from cyberdeck.views.notation import action_called

__all__ = ["legal", "read", "write"]


def write(games: Any, action: int, row: int = 0) -> str:
    """The notation of a legal action; *games* is a batch or an env, *row* one game of several."""
    names = legal(games, row)
    if action not in names:
        raise ActionError(_core(games).complaint(row, action))
    return names[action]


def read(games: Any, text: str, row: int = 0) -> int:
    """The legal action that *text* stands for, or ``ActionError``."""
    if not isinstance(text, str):
        raise ActionError(f"{text!r} is no notation: it must be a text")
    return action_called(legal(games, row), text)


def legal(games: Any, row: int = 0) -> dict[int, str]:
    """The notation of each action that is legal now; of none where the game is over."""
    core = _core(games)
    core.check_row(row)
    core.need_game()
    return showing.notations(core.variant, core.states[row : row + 1])


def _core(games: Any) -> GameBatch:
    bare = getattr(games, "unwrapped", games)
    core = getattr(bare, "core", None) or getattr(bare, "_core", None)
    if not isinstance(core, GameBatch):
        raise OptionError(
            f"{type(games).__name__} holds no game: give a cyberdeck.Batch, an env of one of its "
            "games, or a cyberdeck.TextGame"
        )
    return core
