"""Records from elsewhere: are they possible positions of their game?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import saving
from cyberdeck.engine.contract import Game
from cyberdeck.engine.loops import loops_of, row_dtype
from cyberdeck.engine.record import COMMON_INVARIANTS
from cyberdeck.errors import StateError


def broken_invariant(game: Game, states: NDArray[Any]) -> str:
    """What does not hold in the first of these records that is no possible position, or ""."""
    common = game.bounds.broken(states)
    if common.any():
        return COMMON_INVARIANTS[int(common[common > 0][0]) - 1]
    failed = np.zeros(len(states), np.int64)
    if loops_of(game).check_state(states, failed):
        return game.invariants[int(failed[failed > 0][0]) - 1]
    return ""


def checked_position(game: Game, states: NDArray[Any]) -> NDArray[Any]:
    """*states*, or ``StateError`` if one of them is no possible position."""
    if broken := broken_invariant(game, states):
        raise StateError(
            f"this is no possible position of {game.title}: it does not hold that {broken}"
        )
    return states


def unpacked(game: Game, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bookkeeping and the record in saved bytes, or ``StateError``."""
    row, state = saving.unpack(game, row_dtype(game.most_seats, len(game.metrics)), saved)
    return row, checked_position(game, state)
