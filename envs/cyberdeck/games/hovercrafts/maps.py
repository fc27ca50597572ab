"""Hovercrafts: maps that are drawn, and the locations on them."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import State, int64, kernel
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.goals import locations_wanted
from cyberdeck.games.hovercrafts.table import Cell, adjacent, beside, cell_of, column_of, row_of

MOST_DRAWS = 64  # then a path is carved
#: Free hexes that can be reached from a side, and from both; only while a map is drawn.
REACHED, SHARED = 3, 4


@kernel
def draw_map(state: State) -> None:
    """The walls of a map that is drawn, and the locations where they are the goal (ruling V17)."""
    if state.scenario == c.MARKED:
        return
    state.location[:] = c.NONE
    if state.goal != c.SEIZE:
        draw_walls(state)
        return
    for _ in range(MOST_DRAWS):
        draw_walls(state)
        if draw_locations(state):
            return
    row = dice.below(state, state.height)
    for _ in range(state.height):
        carve(state, row)
        if draw_locations(state):
            return
        row = (row + 1) % state.height


@kernel
def draw_walls(state: State) -> None:
    if state.scenario == c.TUNNELS:
        dig_tunnels(state)
    elif state.scenario == c.SCATTERED:
        for _ in range(MOST_DRAWS):
            scatter_walls(state, state.walls_drawn)
            if connected(state):
                return
        carve(state, dice.below(state, state.height))


@kernel
def scatter_walls(state: State, density: int) -> None:
    """The map's own hexes, so many of 1000 as walls, everything around them off the map. The start
    columns stay clear.
    """
    for cell in range(c.CELLS):
        column, row = column_of(cell), row_of(cell)
        state.terrain[cell] = c.OFF_MAP
        if 0 <= column < state.width and 0 <= row < state.height:
            inner = 0 < column < state.width - 1
            wall = inner and (density == 1000 or dice.below(state, 1000) < density)
            state.terrain[cell] = c.WALL if wall else c.FREE


# --- tunnels -------------------------------------------------------------------------------------


@kernel
def dig_tunnels(state: State) -> None:
    """Solid rock between the start columns, and a corridor for every three rows, each winding
    from one side to the other.
    """
    scatter_walls(state, 1000)
    for _ in range(max(2, state.height // 3)):
        dig(state, dice.below(state, state.height))


@kernel
def dig(state: State, row: int) -> None:
    """From column to column; in most of them some hexes up or down first."""
    for column in range(1, state.width - 1):
        state.terrain[cell_of(column, row)] = c.FREE
        if dice.below(state, 3) > 0:
            goal = dice.below(state, state.height)
            for _ in range(1 + dice.below(state, 2)):
                row += (goal > row) - (goal < row)
                state.terrain[cell_of(column, row)] = c.FREE


# --- scattered walls -----------------------------------------------------------------------------


@kernel
def connected(state: State) -> bool:
    """Whether the two start columns are: each is clear, so one hex stands for all of it."""
    spread(state, 0, c.FREE, REACHED)
    found = state.terrain[cell_of(state.width - 1, 0)] == REACHED
    unmark(state)
    return found


@kernel
def spread(state: State, start: int, ground: int, mark: int) -> None:
    """Mark what is of the same ground as a column's hexes, and can be reached from them over it."""
    for row in range(state.height):
        if state.terrain[cell_of(start, row)] == ground:
            state.terrain[cell_of(start, row)] = mark
    spreading = True
    while spreading:
        spreading = False
        for row in range(state.height):
            for column in range(state.width):
                cell = cell_of(column, row)
                if state.terrain[cell] == ground:
                    for facing in range(6):
                        if state.terrain[beside(cell, facing)] == mark:
                            state.terrain[cell] = mark
                            spreading = True
                            break


@kernel
def unmark(state: State) -> None:
    """All hexes that were reached are free again."""
    for cell in range(c.CELLS):
        if state.terrain[cell] >= REACHED:
            state.terrain[cell] = c.FREE


@kernel
def carve(state: State, row: int) -> None:
    """A path along a row: neighbouring columns touch in every row."""
    for column in range(state.width):
        state.terrain[cell_of(column, row)] = c.FREE


# --- locations -----------------------------------------------------------------------------------


@kernel
def draw_locations(state: State) -> bool:
    """Locations among the hexes in the middle that both sides can reach; False if those are too
    few.
    """
    spread(state, 0, c.FREE, REACHED)
    spread(state, int64(state.width) - 1, REACHED, SHARED)
    wanted = locations_wanted(state)
    enough = places_for(state, 0, False) >= wanted
    if enough:
        for number in range(wanted):
            apart = places_for(state, number, True) > 0
            left = dice.below(state, places_for(state, number, apart))
            place_location(state, number, apart, left)
    unmark(state)
    return enough


@kernel
def may_be_location(state: State, cell: Cell, number: int, apart: bool) -> bool:
    """Whether a hex may be the next location; *apart*: and is next to none so far."""
    if state.terrain[cell] != SHARED:
        return False
    third = int64(state.width) // 3
    if not third <= column_of(cell) < state.width - third:
        return False
    for before in range(number):
        other = int64(state.location[before])
        if cell == other or (apart and adjacent(cell, other)):
            return False
    return True


@kernel
def places_for(state: State, number: int, apart: bool) -> int:
    count = 0
    for cell in range(c.CELLS):
        count += may_be_location(state, cell, number, apart)
    return count


@kernel
def place_location(state: State, number: int, apart: bool, left: int) -> None:
    """Put the next location on the hex that so many others come before, row by row."""
    for cell in range(c.CELLS):
        if may_be_location(state, cell, number, apart):
            if left == 0:
                state.location[number] = cell
                return
            left -= 1
