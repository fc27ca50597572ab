"""Hovercrafts: the table: teams, hexes, ships, and the record that holds them.

The map is flat-topped hexes in columns, odd columns half a hex lower. A cell is its place in a
grid of fixed size that leaves a margin of cells off the map on all sides (``cell_of``). Facings
are 0 to 5, clockwise from north. Seats are ships: the first ones fly for Zion, the rest for the
Machines.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import Action, Seat, State, index, int64, kernel
from cyberdeck.engine.record import Field
from cyberdeck.games.hovercrafts import constants as c

Cell: TypeAlias = int  # of the map with its margin, or NONE
Facing: TypeAlias = int  # 0 to 5
Team: TypeAlias = int  # ZION or MACHINES
Slot: TypeAlias = int  # of a plan, and the phase in which it is carried out
Ships: TypeAlias = int  # a set of seats, as bits
Choices: TypeAlias = NDArray[np.int8]  # [seat, slot]: what is planned, or raised; or NONE

# --- hexes ---------------------------------------------------------------------------------------

STEP = np.array(c.STEPS, np.int16)  # (2, 6)  [cell & 1, facing]


@kernel
def cell_of(column: int, row: int) -> Cell:
    return c.STRIDE * (row + c.MARGIN) + column + c.MARGIN


@kernel
def beside(cell: Cell, facing: Facing) -> Cell:
    """The next cell in a direction; facings count on beyond 5 and below 0."""
    return int64(cell) + STEP[index(cell & 1), index((facing + 6) % 6)]


@kernel
def turned(facing: Facing, action: Action) -> Facing:
    """A facing after an action."""
    return (facing + (action == c.RIGHT) + 5 * (action == c.LEFT)) % 6


@kernel
def adjacent(cell: Cell, other: Cell) -> bool:
    for facing in range(6):
        if beside(cell, facing) == other:
            return True
    return False


@kernel
def column_of(cell: Cell) -> int:
    return (
        int64(index(cell) % index(c.STRIDE)) - c.MARGIN
    )  # divided without a sign, which is faster


@kernel
def row_of(cell: Cell) -> int:
    return int64(index(cell) // index(c.STRIDE)) - c.MARGIN


# --- whose ships, and where ----------------------------------------------------------------------


@kernel
def team_of(state: State, seat: Seat) -> Team:
    return c.ZION if seat < state.zion else c.MACHINES


@kernel
def number_of(state: State, seat: Seat) -> int:
    """A ship's number in its team, from 0."""
    return seat if seat < state.zion else seat - int64(state.zion)


@kernel
def alive(state: State, seat: Seat) -> bool:
    """Whether a ship is on the map."""
    return state.cell[seat] != c.NONE


@kernel
def is_out(state: State, seat: Seat) -> bool:
    """Whether a ship is out of the game; before the first turn one may still be deployed."""
    return state.phase == c.PLAN and not alive(state, seat)


@kernel
def ship_at(state: State, cell: Cell) -> Seat:
    """The ship in a cell, or NONE."""
    for seat in range(state.seats):
        if state.cell[seat] == cell:
            return seat
    return c.NONE


# --- actions beyond deployment -------------------------------------------------------------------


@kernel
def first_side(state: State) -> int:
    """The action that picks the right side: it comes after deployment's."""
    return c.PLACES + (6 * int64(state.height) if state.deployment == c.CHOOSE else 0)


@kernel
def first_upgrade(state: State) -> int:
    """The action that raises the hull: it comes after those that pick a side."""
    return first_side(state) + len(c.SIDES) * int64(state.pick_side)


# --- the record ----------------------------------------------------------------------------------

FIELDS = (
    Field("max_turns", 1, c.MOST_TURNS),
    Field("turns", 0, c.MOST_TURNS),  # turns that have ended
    Field("phases", c.SLOTS - c.MOST_STAT, c.SLOTS),  # that a turn can have, with these energies
    Field("walls_drawn", 0, 600),  # wall_density, in thousandths
    Field("seats", 2, c.SHIPS),
    Field("zion", 1, c.SHIPS - 1),  # ships of Zion: the seats below this one
    Field("width", 2, c.WIDEST),
    Field("height", 1, c.HIGHEST),
    Field("scenario", c.SKIRMISH, c.MARKED),
    Field("deployment", c.CHOOSE, c.RANDOM),
    Field("reward_mode", c.OUTCOME, c.DAMAGE),
    Field("emp_per_turn", 1, c.SLOTS),
    Field("share_plans", 0, 1),
    Field("shown", c.VECTOR, c.WITH_PRIOR),  # which of OBSERVATIONS
    Field("hull", 0, c.MOST_HULL, (c.SHIPS,)),
    Field("shield", 0, c.MOST_STAT, (c.SHIPS,)),
    Field("ballistic", 0, c.MOST_STAT, (c.SHIPS,)),
    Field("energy", 0, c.MOST_STAT, (c.SHIPS,)),
    Field("starting", c.ZION, c.MACHINES),  # the team that deploys first, on the rightmost column
    Field("phase", c.DEPLOY, c.UPGRADE),
    Field("slot", 0, c.SLOTS),  # the slot that is being decided, of plans or of upgrades
    Field("cell", c.NONE, c.LAST_CELL, (c.SHIPS,)),  # NONE: not deployed, or out of the game
    Field("facing", 0, 5, (c.SHIPS,)),
    Field("hull_left", 0, c.MOST_HULL, (c.SHIPS,)),
    Field("actions", 0, c.SLOTS, (c.SHIPS,)),  # rolled for this turn
    Field("landed", 0, 1, (c.SHIPS,)),  # in the last phase
    Field("plan", c.NONE, c.NO_ACTION, (c.SHIPS, c.SLOTS)),
    # The last turn, for all to see; more of it is at the end.
    Field("passed", 0, c.SLOTS),  # phases that it has had so far
    Field("deeds", -c.SHIPS, c.SHIPS, (c.SHIPS * c.MOST_DEEDS,)),  # see ``turn.note_deeds``
    Field("terrain", c.FREE, c.OFF_MAP, (c.CELLS,)),
    # The goal.
    Field("points_to_win", 1, c.MOST_POINTS),
    Field("escapes", 1, c.SHIPS - 1, (2,)),  # how many of each team have to escape if it attacks
    Field("location", c.NONE, c.LAST_CELL, (max(c.LOCATIONS),)),  # NONE: there are no more
    Field("points", 0, c.MOST_POINTS + max(c.LOCATIONS) - 1, (2,)),  # of each team in this battle
    Field("escaped", 0, 1, (c.SHIPS,)),  # 1: has broken through in this battle
    # The campaign.
    Field("battle", 0, max(c.BATTLES)),  # battles that have ended
    Field("won", 0, max(c.BATTLES), (2,)),  # and were won by each team
    Field("battle_reason", 0, c.HELD),  # how the last one ended
    Field("raised", 0, c.MOST_RAISED, (c.SHIPS, len(c.STAT_NAMES))),  # by upgrades, of each stat
    Field("upgrade", c.NONE, c.ENERGY, (c.SHIPS, c.UPGRADES)),  # hidden until all have chosen
    Field("second", 0, 1, (c.SHIPS,)),  # 1: may raise a second stat before the next battle
    Field("lost", 0, 127, (2,)),  # hull that each team has lost in this turn; repaired hulls again
    Field("revealed", c.NONE, c.NO_ACTION, (c.SHIPS, c.SLOTS)),  # the plans of the last turn
    # Its last phase.
    Field("done", c.MOVE, c.NO_ACTION, (c.SHIPS,)),  # what it did in it
    Field("jammed", 0, 0, (c.SHIPS,)),  # 1 if hit by an EMP in it; none when the turn is over
    Field("rammed", c.NONE, c.SHIPS - 1, (c.SHIPS,)),  # the ship that it rammed
    Field("aim", c.NONE, c.LAST_CELL, (c.SHIPS,)),  # the hex that it moved for
    Field("shot", 0, (1 << c.SHIPS) - 1, (c.SHIPS,)),  # the ships that it fired at, as bits
    Field("hit", 0, (1 << c.SHIPS) - 1, (c.SHIPS,)),  # and those that it hit
    # Only while moves are being settled: between decisions they are nothing.
    Field("place", 0, 0, (c.SHIPS,)),  # in the order of those that aim at the same hex
    Field("roll", 0, 0, (c.SHIPS,)),
    Field("behind", 0, 0, (c.SHIPS,)),
    Field("advancing", 0, 0, (c.SHIPS,)),
)
