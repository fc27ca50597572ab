"""MATR1X 0VERL0AD: what can be exchanged: the matrix is turned and mirrored, and suits change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Record, Symmetry
from cyberdeck.games.matrix_overload import constants as c

#: Where each pile lies: (row, column) of a board of 5x5 with the matrix in its middle.
_PLACES = (
    *((1 + pile // 3, 1 + pile % 3) for pile in range(c.INNER)),
    *((0, column) for column in (1, 2, 3)),
    *((row, column) for row in (1, 2, 3) for column in (0, 4)),
    *((4, column) for column in (1, 2, 3)),
)


def _board(name: str, moved: Callable[[int, int], tuple[int, int]]) -> Symmetry:
    """Every pile becomes the one in the place to which its own is moved."""
    become = np.array([_PLACES.index(moved(*place)) for place in _PLACES])
    inner, outer = np.argsort(become[: c.INNER]), np.argsort(become[c.INNER :])

    def apply(records: Record) -> None:
        for field in ("top", "top_value", "depth"):
            records[field] = records[field][:, inner]
        for field in ("royal", "ice", "dead"):
            records[field] = records[field][:, outer]
        records["place"] = np.array([0, *(1 + become)])[records["place"]]

    return Symmetry(name=name, apply=apply, actions=become.tolist())


def _suits(name: str, become: tuple[int, ...]) -> Symmetry:
    """Every suit becomes another; those of one colour those of one colour."""
    suits = [13 * become[card // 13] + card % 13 for card in range(c.JOKER)]
    cards: NDArray[np.int8] = np.array([*suits, *range(c.JOKER, c.CARDS), c.NONE], np.int8)
    order = np.argsort(cards[: c.CARDS])

    def apply(records: Record) -> None:
        for field in ("top", "royal", "below"):
            records[field] = cards[records[field]]
        for field in ("unseen", "place", "height", "below"):
            records[field] = records[field][:, order]
        at = (np.arange(c.RING) - records["head"][:, None]) % c.RING
        in_pile = at < records["left"][:, None]
        records["draw"] = np.where(in_pile, cards[records["draw"]], records["draw"])

    return Symmetry(name=name, apply=apply)


SYMMETRIES = (
    _board("matrix turned", lambda row, column: (column, 4 - row)),
    _board("matrix mirrored", lambda row, column: (row, 4 - column)),
    _suits("red suits exchanged", (0, 3, 2, 1)),
    _suits("colours exchanged", (1, 0, 3, 2)),
)
