"""Positions from elsewhere: are they possible in their game?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import saving
from cyberdeck.engine.contract import Game
from cyberdeck.engine.game_loops import loops_of
from cyberdeck.engine.loops import row_dtype
from cyberdeck.engine.record import COMMON_INVARIANTS
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import StateError


def broken_invariant(game: Game, states: NDArray[Any]) -> str:
    """What does not hold in the first of these records that is no possible position, or ""."""
    common = game.bounds.broken(states)
    if common.any():
        first = int((common > 0).argmax())
        invariant = COMMON_INVARIANTS[int(common[first]) - 1]
        return f"{invariant}: {game.bounds.found(states[first])}"
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


def unpacked_for(variant: Variant, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same, or ``StateError`` if it was another game: one with other options.

    Those that change only what is shown become the variant's.
    """
    row, state = unpacked(variant.game, saved)
    there = state.copy()
    variant.game.write(state, variant.options)
    if state.tobytes() != there.tobytes():
        carried = variant.game.read(there)
        views = {option.name for option in variant.game.options if option.view}
        for name, held in carried.items():
            value = variant.options[name]
            if held != value and name not in views:
                raise StateError(
                    f"this state was saved with {name}={held!r}, and this env has "
                    f"{name}={value!r}: make the env with the same options"
                )
    return row, state
