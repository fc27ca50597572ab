"""What the seats of a game are to each other: who is on whose side, and who decides in secret."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Record
from cyberdeck.engine.loops import loops_of


def _described(game: Game, record: Record) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    sides, deciding = np.zeros(game.most_seats, np.int64), np.zeros(game.most_seats, np.bool_)
    loops_of(game).describe_seats(record, 0, sides, deciding)
    return sides, deciding


def sides(game: Game, record: Record) -> list[int]:
    """The side of each seat, from 0; a seat that plays for itself is a side."""
    return list(_described(game, record)[0].tolist())


def deciding(game: Game, record: Record) -> list[int]:
    """The seats that decide now: the mover, and those who do not know what it does."""
    return list(np.flatnonzero(_described(game, record)[1]).tolist())


def keeps_secret(game: Game, record: Record) -> bool:
    """Whether anybody does not see what the mover decides now."""
    seats = len(game.given(game.seats, game.read(record)))
    return bool(hidden_from(game, record, seats))


def hidden_from(game: Game, record: Record, seats: int) -> tuple[int, ...]:
    """Those of so many seats that do not see what the mover decides now."""
    others = (seat for seat in range(seats) if seat != record[0]["mover"])
    return tuple(seat for seat in others if hides_decision(game, record, seat))


def hides_decision(game: Game, record: Record, seat: int) -> bool:
    """Whether *seat* does not see what the mover decides now."""
    if game.secret is not None:
        return game.secret(record, seat)
    if not game.simultaneous:
        return False
    return seat != record[0]["mover"] and seat in deciding(game, record)
