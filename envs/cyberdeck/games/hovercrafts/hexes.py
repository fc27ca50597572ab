"""Hovercrafts: places and hexes as a ship sees them, from its own place and facing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import State, Vector, index, kernel
from cyberdeck.games.hovercrafts.constants import MARGIN, OFF_MAP, SKIRMISH, STRIDE, TOWARDS, WALL
from cyberdeck.games.hovercrafts.table import Cell, Facing, column_of, row_of


def _around() -> NDArray[np.int16]:
    """(2, 6, HEXES)  What to add to a cell for the n-th hex within MARGIN steps.

    [cell & 1, facing, n]. Ring by ring; each begins straight ahead and goes round clockwise.
    """
    found = []
    for parity in (0, 1):
        facings = []
        for facing in range(6):
            cells = []
            for ring in range(1, MARGIN + 1):
                # A column with this parity, far from any edge.
                column, row = 8 + ((parity + MARGIN) & 1), 8
                here = (column, row)
                for _ in range(ring):
                    here = _next(here, facing)
                for side in range(6):
                    for _ in range(ring):
                        cells.append(STRIDE * (here[1] - row) + here[0] - column)
                        here = _next(here, facing + 2 + side)
            facings.append(cells)
        found.append(facings)
    return np.array(found, np.int16)


def _next(place: tuple[int, int], facing: int) -> tuple[int, int]:
    right, down = TOWARDS[place[0] & 1][facing % 6]
    return place[0] + right, place[1] + down


AROUND = _around()
HEXES = AROUND.shape[2]  # 6 + 12 + 18

#: (6, 2, 2)  [facing]: a place (columns east, and what is then left to the south, in axial
#: coordinates) as (straight ahead, ahead to the right) of a ship with that facing, as a matrix.
TURNED = np.array(
    [
        [[-1, -1], [1, 0]],
        [[0, -1], [1, 1]],
        [[1, 0], [0, 1]],
        [[1, 1], [-1, 0]],
        [[0, 1], [-1, -1]],
        [[-1, 0], [0, -1]],
    ],
    np.int8,
)

#: What `tell_place` writes.
PLACE = 2 + 6


@kernel
def below(column: int, row: int) -> int:
    """The second axial coordinate: steps to the south, where columns count to the south-east."""
    return row - (column - (column & 1)) // 2


@kernel
def tell_place(
    cell: Cell, facing: Facing, other: Cell, its_facing: Facing, out: Vector, at: int
) -> None:
    """Another pose seen from a pose: straight ahead, ahead to the right; the facing, one-hot."""
    tell_way(cell, facing, other, out, at)
    out[index(at + 2 + (its_facing - facing + 6) % 6)] = 1


@kernel
def tell_way(cell: Cell, facing: Facing, other: Cell, out: Vector, at: int) -> None:
    """Another place seen from a pose: straight ahead, ahead to the right."""
    column, other_column = column_of(cell), column_of(other)
    east = other_column - column
    south = below(other_column, row_of(other)) - below(column, row_of(cell))
    for axis in range(2):
        turned = TURNED[index(facing), axis]
        out[index(at + axis)] = turned[0] * east + turned[1] * south


@kernel
def tell_around(state: State, cell: Cell, facing: Facing, out: Vector, at: int) -> None:
    """Walls, and hexes off the map, around a pose."""
    around = AROUND[index(cell & 1), index(facing)]
    if state.scenario != SKIRMISH:  # there are no walls in it
        for n in range(HEXES):
            out[index(at + n)] = state.terrain[index(cell + around[n])] == WALL
    for n in range(HEXES):
        out[index(at + HEXES + n)] = state.terrain[index(cell + around[n])] == OFF_MAP
