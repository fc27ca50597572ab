"""What the seats of a game are to each other: who is on whose side, and who decides in secret."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Record
from cyberdeck.engine.game_loops import loops_of


class _Roles(NamedTuple):
    """Of each seat, as ``describe_seats`` says it."""

    sides: NDArray[np.int64]
    deciding: NDArray[np.bool_]
    hidden: NDArray[np.bool_]


def _described(game: Game, record: Record) -> _Roles:
    seats = game.most_seats
    found = _Roles(np.zeros(seats, np.int64), np.zeros(seats, np.bool_), np.zeros(seats, np.bool_))
    loops_of(game).describe_seats(record, 0, *found)
    return found


def sides(game: Game, record: Record) -> list[int]:
    """The side of each seat, from 0; a seat that plays for itself is a side."""
    return list(_described(game, record).sides.tolist())


def deciding(game: Game, record: Record) -> list[int]:
    """The seats that decide now: the mover, and those who do not know what it does."""
    return list(np.flatnonzero(_described(game, record).deciding).tolist())


def hidden_from(game: Game, record: Record) -> tuple[int, ...]:
    """The seats that do not see what the mover decides now."""
    if game.secret is None and not game.simultaneous:
        return ()
    return tuple(np.flatnonzero(_described(game, record).hidden).tolist())


def hides_decision(game: Game, record: Record, seat: int) -> bool:
    """Whether *seat* does not see what the mover decides now."""
    return seat in hidden_from(game, record)
