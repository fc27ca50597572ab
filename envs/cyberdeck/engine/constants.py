"""Numbers of every record's header that kernels and views share: no NumPy here."""

from __future__ import annotations

from typing import Final

#: ``state.mover`` when nobody is to move: the game is over.
NOBODY: Final = -1

#: The first values of ``state.reason`` are the same in every game; its own begin at 2.
RUNNING: Final = 0
FORFEIT: Final = 1
COMMON_REASONS: Final = ("", "illegal_action")
