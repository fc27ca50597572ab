"""Stacktrices: colours, squares and pieces as people write them; no NumPy here."""

from __future__ import annotations

from collections.abc import Iterable
from operator import mul

from cyberdeck.games.stacktrices.constants import SIDE

COLOURS = ("white", "black")
FILES = "abcdefg"
PIECES = "PDQpdq"  # [kind]
KIND_NAMES = tuple(
    f"{sort} {size}" for sort in ("movement", "skill") for size in ("pawn", "drone", "queen")
)

#: [kind] as actions are written: P and p are the same there.
KIND_CODES = tuple(f"{sort}{size}" for sort in "ms" for size in "pdq")

#: What stands before a position in a text that says more.
HEADING = "Position:"


def square_name(white: int, square: int) -> str:
    """A square of a record in which the seat *white* plays white: its home row is rank 1."""
    rank, file = divmod(square, SIDE)
    return f"{FILES[file]}{rank + 1 if white == 0 else SIDE - rank}"


def square_called(white: int, name: str) -> int | None:
    """The square that is called *name*, None if there is none."""
    if len(name) != 2 or name[0] not in FILES or name[1] not in "1234567":
        return None
    rank = int(name[1]) - 1
    return SIDE * (rank if white == 0 else SIDE - 1 - rank) + FILES.index(name[0])


def pieces_called(counts: Iterable[int]) -> str:
    """Pieces of each kind as letters."""
    return "".join(map(mul, PIECES, map(int, counts)))
