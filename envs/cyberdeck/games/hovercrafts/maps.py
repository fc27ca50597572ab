"""Hovercrafts: maps that are drawn."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import State, kernel
from cyberdeck.games.hovercrafts.table import (
    CELLS,
    FREE,
    OFF_MAP,
    SCATTERED,
    TUNNELS,
    WALL,
    beside,
    cell_of,
    column_of,
    row_of,
)

MOST_DRAWS = 64  # then a path is carved
REACHED = 3  # a free hex that is known to be connected; only while connected() runs


@kernel
def draw_map(state: State) -> None:
    """The walls of a map that is drawn."""
    if state.scenario == TUNNELS:
        dig_tunnels(state)
    elif state.scenario == SCATTERED:
        for _ in range(MOST_DRAWS):
            scatter_walls(state)
            if connected(state):
                return
        carve(state, dice.below(state, state.height))


@kernel
def inner(state: State, column: int) -> bool:
    """Whether walls may stand in a column: the start columns stay clear."""
    return 0 < column < state.width - 1


@kernel
def clear_map(state: State) -> None:
    """The map's own hexes free, everything around them off the map."""
    for cell in range(CELLS):
        inside = 0 <= column_of(cell) < state.width and 0 <= row_of(cell) < state.height
        state.terrain[cell] = FREE if inside else OFF_MAP


# --- tunnels -------------------------------------------------------------------------------------


@kernel
def dig_tunnels(state: State) -> None:
    """Solid rock between the start columns, and a corridor for every three rows, each winding
    from one side to the other.
    """
    clear_map(state)
    for row in range(state.height):
        for column in range(state.width):
            state.terrain[cell_of(column, row)] = WALL if inner(state, column) else FREE
    for _ in range(max(2, state.height // 3)):
        dig(state, dice.below(state, state.height))


@kernel
def dig(state: State, row: int) -> None:
    """From column to column; in most of them some hexes up or down first."""
    for column in range(1, state.width - 1):
        state.terrain[cell_of(column, row)] = FREE
        if dice.below(state, 3) > 0:
            goal = dice.below(state, state.height)
            for _ in range(1 + dice.below(state, 2)):
                row += (goal > row) - (goal < row)
                state.terrain[cell_of(column, row)] = FREE


# --- scattered walls -----------------------------------------------------------------------------


@kernel
def scatter_walls(state: State) -> None:
    clear_map(state)
    for row in range(state.height):
        for column in range(state.width):
            wall = inner(state, column) and dice.below(state, 1000) < state.walls_drawn
            state.terrain[cell_of(column, row)] = WALL if wall else FREE


@kernel
def connected(state: State) -> bool:
    """Whether the two start columns are: each is clear, so one hex stands for all of it."""
    first = cell_of(0, 0)
    state.terrain[first] = REACHED
    spreading = True
    while spreading:
        spreading = False
        for row in range(state.height):
            for column in range(state.width):
                cell = cell_of(column, row)
                if state.terrain[cell] == FREE:
                    for facing in range(6):
                        if state.terrain[beside(cell, facing)] == REACHED:
                            state.terrain[cell] = REACHED
                            spreading = True
                            break
    found = state.terrain[first + state.width - 1] == REACHED
    for cell in range(CELLS):
        if state.terrain[cell] == REACHED:
            state.terrain[cell] = FREE
    return found


@kernel
def carve(state: State, row: int) -> None:
    """A path along a row: neighbouring columns touch in every row."""
    for column in range(state.width):
        state.terrain[cell_of(column, row)] = FREE
