"""Hovercrafts: the numbers and tables that the rules and the view share; no NumPy here."""

from __future__ import annotations

import math

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
MOST_DICE = 14  # that can be prescribed

FACINGS = ("N", "NE", "SE", "S", "SW", "NW")
WESTWARD = 4  # the first of the two facings that lead off the left edge, SW and NW

#: (columns, rows) to the next hex by facing, from a column with an even and with an odd number.
TOWARDS = (
    ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1)),
    ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)),
)

#: [cell & 1][facing]: what to add to a cell for the next one. STRIDE is even.
STEPS = tuple(
    tuple(STRIDE * down + right for right, down in TOWARDS[(parity + MARGIN) & 1])
    for parity in (0, 1)
)


def escapes(share: float, ships: int) -> int:
    """To how many of a team's ships a share comes, rounded up.

    >>> [escapes(share, 3) for share in (0.0001, 1 / 3, 0.5, 2 / 3, 1)]
    [1, 1, 2, 2, 3]
    """
    return max(1, math.ceil(share * ships - 1e-9))  # 2/3 is a little more or less in a float
