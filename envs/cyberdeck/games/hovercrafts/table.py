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

from cyberdeck.engine.kernels import Seat, State, index, int64, kernel
from cyberdeck.engine.record import Field

Cell: TypeAlias = int  # of the map with its margin, or NONE
Facing: TypeAlias = int  # 0 to 5
Team: TypeAlias = int  # ZION or MACHINES
Slot: TypeAlias = int  # of a plan, and the phase in which it is carried out
Ships: TypeAlias = int  # a set of seats, as bits

SHIPS = 10  # at most, in both teams together
MOST_HULL, MOST_STAT = 9, 6  # of a ship
SLOTS = 3 + MOST_STAT  # actions of a turn, at most: of the die, and of energy
WIDEST, HIGHEST = 20, 16  # of a map
MOST_DEEDS = 3 * SLOTS + SHIPS - 1  # numbers that tell what a ship did in a turn
MARGIN = 3  # as far as a ship's surroundings are seen
STRIDE = WIDEST + 2 * MARGIN
CELLS = STRIDE * (HIGHEST + 2 * MARGIN)
LAST_CELL = CELLS - 1 - MARGIN * (STRIDE + 1)  # of the largest map
NONE = -1  # no cell, no ship, no action planned yet

ZION, MACHINES = 0, 1
TEAMS = ("zion", "machines")

FREE, WALL, OFF_MAP = 0, 1, 2  # what a cell is

MOVE, RIGHT, LEFT, LAND, EMP, REPAIR, NO_ACTION = range(7)
ACTIONS = ("move", "right", "left", "landing", "EMP", "repair", "no action")
PLACES = len(ACTIONS)  # from here on deployment: 6 * row + facing

DEPLOY, PLAN, PICK, UPGRADE = range(4)  # phases of the game

SKIRMISH, TUNNELS, SCATTERED, GIVEN, MARKED = range(5)  # MARKED: given with its locations
SCENARIOS = ("skirmish", "tunnels", "random")  # or a map that is given
CHOOSE, RANDOM = 0, 1
DEPLOYMENTS = ("choose", "random")
FLEET, FLAGSHIP, SEIZE, BREAKTHROUGH = range(4)
GOALS = ("fleet", "flagship", "seize", "breakthrough")
LOCATIONS = (3, 1, 5)  # how many there may be; the default first
BATTLES = (1, 3, 5, 7)  # of a campaign; 1 is none
OUTCOME, DAMAGE = 0, 1
REWARDS = ("outcome", "damage")
HULL_LOST = 0.1  # what a lost hull is worth with reward="damage"
VECTOR, PLANES, WITH_PRIOR = 0, 1, 2
OBSERVATIONS = ("vector", "planes", "prior")

DISABLED_ALL, BOTH_OUT, MAX_TURNS = 2, 3, 4
FLAGSHIP_OUT, FLAGSHIPS_OUT, POINTS, POINTS_EQUAL, ESCAPED, HELD = range(5, 11)
WAR_WON, WAR_DRAWN = 11, 12
REASONS = (
    "disabled_all",
    "both_out",
    "max_turns",
    "flagship_out",
    "flagships_out",
    "points",
    "points_equal",
    "escaped",
    "held",
    "war_won",
    "war_drawn",
)

HULL, SHIELD, BALLISTIC, ENERGY = range(4)  # what an upgrade may raise
STAT_NAMES = ("hull", "shield", "ballistic", "energy")
UPGRADES = 2  # of a ship between two battles, at most
RIGHT_SIDE, LEFT_SIDE = 0, 1  # what may be picked
SIDES = ("right", "left")

MOST_TURNS = 1_000_000  # that a battle may have
MOST_POINTS = 50  # that a side may need
MOST_RAISED = UPGRADES * (max(BATTLES) - 1)
MOST_TIES = 64  # after so many the defender holds, and the lower seat wins a contest
SCRIPT = 96  # dice that can be prescribed

FACINGS = ("N", "NE", "SE", "S", "SW", "NW")

# --- hexes ---------------------------------------------------------------------------------------

#: (columns, rows) to the next hex by facing, from a column with an even and with an odd number.
TOWARDS = (
    ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1)),
    ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)),
)


@kernel
def cell_of(column: int, row: int) -> Cell:
    return STRIDE * (row + MARGIN) + column + MARGIN


def _steps() -> NDArray[np.int16]:
    """(2, 6)  [cell & 1, facing]: what to add to a cell for the next one. STRIDE is even."""
    return np.array(
        [
            [STRIDE * down + right for right, down in TOWARDS[(parity + MARGIN) & 1]]
            for parity in (0, 1)
        ],
        np.int16,
    )


STEP = _steps()


@kernel
def beside(cell: Cell, facing: Facing) -> Cell:
    """The next cell in a direction; facings count on beyond 5 and below 0."""
    return int64(cell) + STEP[index(cell & 1), index((facing + 6) % 6)]


@kernel
def adjacent(cell: Cell, other: Cell) -> bool:
    for facing in range(6):
        if beside(cell, facing) == other:
            return True
    return False


@kernel
def column_of(cell: Cell) -> int:
    return int64(index(cell) % index(STRIDE)) - MARGIN  # divided without a sign, which is faster


@kernel
def row_of(cell: Cell) -> int:
    return int64(index(cell) // index(STRIDE)) - MARGIN


# --- whose ships, and where ----------------------------------------------------------------------


@kernel
def team_of(state: State, seat: Seat) -> Team:
    return ZION if seat < state.zion else MACHINES


@kernel
def number_of(state: State, seat: Seat) -> int:
    """A ship's number in its team, from 0."""
    return seat if seat < state.zion else seat - int64(state.zion)


@kernel
def alive(state: State, seat: Seat) -> bool:
    """Whether a ship is on the map."""
    return state.cell[seat] != NONE


@kernel
def is_out(state: State, seat: Seat) -> bool:
    """Whether a ship is out of the game; before the first turn one may still be deployed."""
    return state.phase == PLAN and not alive(state, seat)


@kernel
def ship_at(state: State, cell: Cell) -> Seat:
    """The ship in a cell, or NONE."""
    for seat in range(state.seats):
        if state.cell[seat] == cell:
            return seat
    return NONE


# --- actions beyond deployment -------------------------------------------------------------------


@kernel
def first_side(state: State) -> int:
    """The action that picks the right side: it comes after deployment's."""
    return PLACES + (6 * int64(state.height) if state.deployment == CHOOSE else 0)


@kernel
def first_upgrade(state: State) -> int:
    """The action that raises the hull: it comes after those that pick a side."""
    return first_side(state) + len(SIDES) * int64(state.pick_side)


# --- the record ----------------------------------------------------------------------------------

FIELDS = (
    Field("max_turns", 1, MOST_TURNS),
    Field("turns", 0, MOST_TURNS),  # turns that have ended
    Field("phases", SLOTS - MOST_STAT, SLOTS),  # that a turn can have, with the fleets' energy
    Field("walls_drawn", 0, 600),  # wall_density, in thousandths
    Field("seats", 2, SHIPS),
    Field("zion", 1, SHIPS - 1),  # ships of Zion: the seats below this one
    Field("width", 2, WIDEST),
    Field("height", 1, HIGHEST),
    Field("scenario", SKIRMISH, MARKED),
    Field("deployment", CHOOSE, RANDOM),
    Field("reward_mode", OUTCOME, DAMAGE),
    Field("emp_per_turn", 1, SLOTS),
    Field("share_plans", 0, 1),
    Field("shown", VECTOR, WITH_PRIOR),  # which of OBSERVATIONS
    Field("hull", 0, MOST_HULL, (SHIPS,)),
    Field("shield", 0, MOST_STAT, (SHIPS,)),
    Field("ballistic", 0, MOST_STAT, (SHIPS,)),
    Field("energy", 0, MOST_STAT, (SHIPS,)),
    Field("starting", ZION, MACHINES),  # the team that deploys first, on the rightmost column
    Field("phase", DEPLOY, UPGRADE),
    Field("slot", 0, SLOTS),  # the slot that is being decided, of plans or of upgrades
    Field("cell", NONE, LAST_CELL, (SHIPS,)),  # NONE: not deployed, or out of the game
    Field("facing", 0, 5, (SHIPS,)),
    Field("hull_left", 0, MOST_HULL, (SHIPS,)),
    Field("actions", 0, SLOTS, (SHIPS,)),  # rolled for this turn
    Field("landed", 0, 1, (SHIPS,)),  # in the last phase
    Field("plan", NONE, NO_ACTION, (SHIPS, SLOTS)),
    # The last turn, for all to see; more of it is at the end.
    Field("passed", 0, SLOTS),  # phases that it has had so far
    Field("deeds", -SHIPS, SHIPS, (SHIPS * MOST_DEEDS,)),  # see ``turn.note_deeds``
    Field("terrain", FREE, OFF_MAP, (CELLS,)),
    # The goal.
    Field("points_to_win", 1, MOST_POINTS),
    Field("escape_share", 1, 1000),  # in thousandths
    Field("location", NONE, LAST_CELL, (max(LOCATIONS),)),  # NONE: there are no more
    Field("points", 0, MOST_POINTS + max(LOCATIONS) - 1, (2,)),  # of each team in this battle
    Field("escaped", 0, 1, (SHIPS,)),  # 1: has broken through in this battle
    # The campaign.
    Field("battle", 0, max(BATTLES)),  # battles that have ended
    Field("won", 0, max(BATTLES), (2,)),  # and were won by each team
    Field("battle_reason", 0, HELD),  # how the last one ended
    Field("raised", 0, MOST_RAISED, (SHIPS, len(STAT_NAMES))),  # by upgrades, in hull, shield, ...
    Field("upgrade", NONE, ENERGY, (SHIPS, UPGRADES)),  # chosen, and hidden until all have chosen
    Field("second", 0, 1, (SHIPS,)),  # 1: may raise a second stat before the next battle
    Field("lost", 0, 127, (2,)),  # hull that each team has lost in this turn; repaired hulls again
    Field("script", 0, 6, (SCRIPT,)),  # faces of the next dice, for tests and stories
    Field("scripted", 0, SCRIPT),  # how many of them are left, at the end of `script`
    # The last turn: how it began, so that its phases can be shown one by one, and the plans.
    Field("before_dice", 0, 2**64 - 1),
    Field("before_cell", NONE, LAST_CELL, (SHIPS,)),
    Field("before_facing", 0, 5, (SHIPS,)),
    Field("before_hull", 0, MOST_HULL, (SHIPS,)),
    Field("before_scripted", 0, SCRIPT),
    Field("before_actions", 0, SLOTS, (SHIPS,)),
    Field("revealed", NONE, NO_ACTION, (SHIPS, SLOTS)),  # the plans of the last turn
    # Its last phase.
    Field("was", NONE, LAST_CELL, (SHIPS,)),  # where each ship was before the last phase
    Field("done", MOVE, NO_ACTION, (SHIPS,)),  # what it did in it
    Field("jammed", 0, 0, (SHIPS,)),  # 1 if hit by an EMP in it; none when the turn is over
    Field("rammed", NONE, SHIPS - 1, (SHIPS,)),  # the ship that it rammed
    Field("aim", NONE, LAST_CELL, (SHIPS,)),  # the hex that it moved for
    Field("shot", 0, (1 << SHIPS) - 1, (SHIPS,)),  # the ships that it fired at, as bits
    Field("hit", 0, (1 << SHIPS) - 1, (SHIPS,)),  # and those that it hit
    Field("wreck", NONE, LAST_CELL, (SHIPS,)),  # where it went out of the game in it
    # Only while moves are being settled: between decisions they are nothing.
    Field("place", 0, 0, (SHIPS,)),  # in the order of those that aim at the same hex
    Field("roll", 0, 0, (SHIPS,)),
    Field("behind", 0, 0, (SHIPS,)),
    Field("advancing", 0, 0, (SHIPS,)),
)
