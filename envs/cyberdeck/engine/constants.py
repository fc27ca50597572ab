"""Numbers that kernels and views share: no NumPy here."""

from __future__ import annotations

from typing import Final

#: ``state.mover`` when nobody is to move: the game is over.
NOBODY: Final = -1

#: The first values of ``state.reason`` are the same in every game; its own begin at 2.
RUNNING: Final = 0
FORFEIT: Final = 1
COMMON_REASONS: Final = ("", "illegal_action")

#: In the place of a seat: the caller decides for every seat; a seat is drawn for each game.
EVERY: Final = -1
DRAWN: Final = -2

#: An answer that is no action: a player gives the game up, and its side loses as by an illegal
#: action; and what people read of that.
RESIGNS: Final = -1
RESIGNED: Final = "resigns"

#: Another, of a policy that ``may_give_up``: its machine has failed, and the game does not count.
VOID: Final = -2
