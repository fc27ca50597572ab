"""Hovercrafts' heuristic: where a ship wants to go, and the way there.

The way is a flood over the map, which is held in five whole numbers, so nothing is allocated.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine.kernels import Seat, State, index, int64, kernel
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import table
from cyberdeck.games.hovercrafts.goals import attacks, flagship_of
from cyberdeck.games.hovercrafts.hexes import below
from cyberdeck.games.hovercrafts.table import Cell, Facing

Columns: TypeAlias = (
    np.uint64
)  # four columns of a set of hexes, sixteen bits each, row 0 the lowest
Hexes: TypeAlias = tuple[Columns, Columns, Columns, Columns, Columns]  # a set of hexes

WATCHED = 6  # defenders let attackers come as near as this

FAR = 100  # more than any distance

# --- the way to the targets ----------------------------------------------------------------------

_ONE, _LANE, _THREE_LANES = np.uint64(1), np.uint64(16), np.uint64(48)
_NOT_FIRST = np.uint64(0xFFFEFFFEFFFEFFFE)
_NOT_LAST = np.uint64(0x7FFF7FFF7FFF7FFF)
_EVEN = np.uint64(0x0000FFFF0000FFFF)
_ODD = np.uint64(0xFFFF0000FFFF0000)
_EMPTY = np.uint64(0)


@kernel
def flipped(hexes: Hexes, column: int, rows: Columns) -> Hexes:
    """The set with some rows of a column put in, or taken out if they were in it."""
    number, bits = column >> 2, rows << np.uint64(16 * (column & 3))
    return (
        hexes[0] ^ (bits if number == 0 else _EMPTY),
        hexes[1] ^ (bits if number == 1 else _EMPTY),
        hexes[2] ^ (bits if number == 2 else _EMPTY),
        hexes[3] ^ (bits if number == 3 else _EMPTY),
        hexes[4] ^ (bits if number == 4 else _EMPTY),
    )


@kernel
def holds(hexes: Hexes, cell: Cell) -> bool:
    """Whether a cell of the map is in the set."""
    one = flipped((_EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY), table.column_of(cell), _row(cell))
    found = hexes[0] & one[0] | hexes[1] & one[1] | hexes[2] & one[2]
    return found | hexes[3] & one[3] | hexes[4] & one[4] != _EMPTY


@kernel
def _row(cell: Cell) -> Columns:
    return _ONE << np.uint64(table.row_of(cell))


@kernel
def across(word: Columns) -> Columns:
    """The rows that four columns touch in the columns beside them."""
    return word | (word & _EVEN) >> _ONE & _NOT_LAST | (word & _ODD) << _ONE & _NOT_FIRST


@kernel
def grown(left: Columns, word: Columns, right: Columns) -> Columns:
    """Four columns of a set and all hexes around it."""
    sides = across(word)
    sides = sides << _LANE | sides >> _LANE
    sides |= across(left) >> _THREE_LANES | across(right) << _THREE_LANES
    return word | word << _ONE & _NOT_FIRST | word >> _ONE & _NOT_LAST | sides


@kernel
def flood(state: State, seat: Seat, cell: Cell, targets: Hexes) -> tuple[Hexes, Hexes]:
    """The hexes that are nearer to a target than *cell* by a step, and by two."""
    nearer = (_EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY)
    nearest, free, now = nearer, nearer, targets
    for column in range(int64(state.width)):
        rows = _EMPTY
        for row in range(int64(state.height)):
            free_hex = state.terrain[index(table.cell_of(column, row))] == c.FREE
            rows |= np.uint64(free_hex) << np.uint64(row)
        free = flipped(free, column, rows)
    for other in range(state.seats):
        if other != seat and table.alive(state, other):
            ship = int64(state.cell[other])
            if table.team_of(state, other) == table.team_of(state, seat) and ship != cell:
                free = flipped(free, table.column_of(ship), _row(ship))  # friends stand in the way
    while not holds(now, cell):
        nearest, nearer = nearer, now
        first, second, third, fourth, fifth = now
        now = (
            grown(_EMPTY, first, second) & free[0],
            grown(first, second, third) & free[1],
            grown(second, third, fourth) & free[2],
            grown(third, fourth, fifth) & free[3],
            grown(fourth, fifth, _EMPTY) & free[4],
        )
        if now == nearer:  # there is no way
            break
    return nearer, nearest


@kernel
def arrives(nearest: Hexes) -> bool:
    """Whether a step nearer is the last one."""
    return nearest == (_EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY)


@kernel
def turns_to(state: State, hexes: Hexes, cell: Cell, facing: Facing) -> int:
    """Turns from a facing to the next one with a hex of the set ahead; 3 if there is none."""
    turns = 3
    for turn in range(-2, 3):
        ahead = table.beside(cell, facing + turn)
        if abs(turn) < turns and state.terrain[index(ahead)] == c.FREE and holds(hexes, ahead):
            turns = abs(turn)
    return turns


# --- what a ship is after ------------------------------------------------------------------------


@kernel
def distance(cell: Cell, other: Cell) -> int:
    """In hexes, as if there were no walls."""
    column, other_column = table.column_of(cell), table.column_of(other)
    east = other_column - column
    south = below(other_column, table.row_of(other)) - below(column, table.row_of(cell))
    return max(abs(east), abs(south), abs(east + south))


@kernel
def own_location(state: State, seat: Seat) -> Cell:
    """The location that a ship is to hold, or NONE: the nearest pair of a ship and a location
    belong together, then the nearest of the others.
    """
    settled, given = int64(0), int64(0)  # locations and ships, as bits
    for _ in range(len(state.location)):
        best, location, ship = FAR, c.NONE, c.NONE
        for at in range(len(state.location)):
            if state.location[at] == c.NONE or settled >> at & 1:
                continue
            for friend in range(state.seats):
                same = table.team_of(state, friend) == table.team_of(state, seat)
                if same and table.alive(state, friend) and not given >> friend & 1:
                    steps = distance(int64(state.cell[friend]), int64(state.location[at]))
                    if steps < best:
                        best, location, ship = steps, at, friend
        if ship == seat:
            return int64(state.location[location])
        if ship == c.NONE:
            break
        settled |= 1 << location
        given |= 1 << ship
    return c.NONE


@kernel
def holds_place(state: State, seat: Seat, cell: Cell) -> bool:
    """Whether a ship had better stay where it is, and let enemies come."""
    if state.goal == c.SEIZE:
        return own_location(state, seat) == cell
    if state.goal == c.BREAKTHROUGH:
        for other in range(state.seats):
            enemy = table.team_of(state, other) != table.team_of(state, seat)
            near = distance(cell, int64(state.cell[other])) <= WATCHED
            if enemy and near and table.alive(state, other):
                return False
        return not attacks(state, seat)
    if state.goal == c.FLAGSHIP and flagship_of(state, table.team_of(state, seat)) == seat:
        for other in range(state.seats):
            friend = table.team_of(state, other) == table.team_of(state, seat)
            if friend and other != seat and table.alive(state, other):
                return True
    return False


@kernel
def targets_of(state: State, seat: Seat, holding: bool) -> Hexes:
    """The hexes to which a ship looks for a way: of enemies, if it has nowhere else to go."""
    targets = (_EMPTY, _EMPTY, _EMPTY, _EMPTY, _EMPTY)
    if attacks(state, seat):
        for row in range(int64(state.height)):
            if state.terrain[index(table.cell_of(0, row))] == c.FREE:
                targets = flipped(targets, 0, _ONE << np.uint64(row))
        return targets
    if state.goal == c.SEIZE and not holding:
        location = own_location(state, seat)
        if location != c.NONE:
            return flipped(targets, table.column_of(location), _row(location))
    for other in range(state.seats):
        if table.alive(state, other) and table.team_of(state, other) != table.team_of(state, seat):
            flagship = flagship_of(state, table.team_of(state, other)) == other
            hunted = state.goal != c.FLAGSHIP or holding or flagship
            ship = int64(state.cell[other])
            targets = flipped(targets, table.column_of(ship), _row(ship) if hunted else _EMPTY)
    return targets
