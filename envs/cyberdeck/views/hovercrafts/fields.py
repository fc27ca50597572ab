"""Hovercrafts: what a record says of ships, hexes and plans, as a viewer may know it."""

from __future__ import annotations

import functools
from itertools import zip_longest
from typing import Final

from cyberdeck.engine.constants import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.record import Record
from cyberdeck.views.view import Viewer

TEAM_NAMES: Final = ("Zion", "the Machines")

# --- hexes ---------------------------------------------------------------------------------------


def cell_of(column: int, row: int) -> int:
    return c.STRIDE * (row + c.MARGIN) + column + c.MARGIN


def column_row(cell: int) -> tuple[int, int]:
    row, column = divmod(cell, c.STRIDE)
    return column - c.MARGIN, row - c.MARGIN


@functools.cache
def named(cell: int) -> str:
    """A hex as people call it: "4,3"."""
    return ",".join(map(str, column_row(cell)))


def hexes(record: Record) -> list[int]:
    """The cells of the map, row by row."""
    return [cell_of(column, row) for row in range(record.height) for column in range(record.width)]


def beside(cell: int, facing: int) -> int:
    """The next cell in a direction; facings count on beyond 5 and below 0."""
    return cell + c.STEPS[cell & 1][facing % 6]


def adjacent(cell: int, other: int) -> bool:
    return any(beside(cell, facing) == other for facing in range(6))


def leads_out(record: Record, seat: int, cell: int, facing: int) -> bool:
    """Whether a side of a hex is the way out that a ship has to break through."""
    attacks = record.goal == c.BREAKTHROUGH and team_of(record, seat) == record.starting
    return attacks and column_row(cell)[0] == 0 and facing >= c.WESTWARD


# --- ships ---------------------------------------------------------------------------------------


def team_of(record: Record, seat: int) -> int:
    return c.ZION if seat < record.zion else c.MACHINES


def crew(record: Record, team: int) -> range:
    """The seats of a team."""
    return range(record.zion) if team == c.ZION else range(record.zion, record.seats)


def label(record: Record, seat: int) -> str:
    """Z0, Z1, ... and M0, M1, ... for the agents ``zion_0`` and so on."""
    return f"Z{seat}" if seat < record.zion else f"M{seat - record.zion}"


def is_out(record: Record, seat: int) -> bool:
    """Whether a ship is out of the game; before the first turn one may still be deployed."""
    return bool(record.phase == c.PLAN and record.cell[seat] == c.NONE)


def ships_left(record: Record, team: int) -> int:
    """How many ships of a team are on the map."""
    return sum(record.cell[seat] != c.NONE for seat in crew(record, team))


def flagships(record: Record) -> tuple[int, ...]:
    """The ships that must not be lost: the first ones of both teams, if that is the goal."""
    return (0, record.zion) if record.goal == c.FLAGSHIP else ()


def start_column(record: Record, seat: int) -> int:
    """The column that a ship is deployed in."""
    return record.width - 1 if team_of(record, seat) == record.starting else 0


# --- turns ---------------------------------------------------------------------------------------


def replaying(record: Record) -> bool:
    """Whether this is a turn that is being carried out: nobody is asked, but the game goes on."""
    return bool(record.mover == NOBODY and record.reason == RUNNING)


def planning(record: Record) -> bool:
    """Whether a turn is planned, and not shown once more, or the last one."""
    return bool(record.phase == c.PLAN and record.mover != NOBODY)


def turn_number(record: Record) -> int:
    """The number of the turn, from 1: of the one that is planned, or was the last."""
    ended = record.reason not in (RUNNING, FORFEIT) or record.phase == c.UPGRADE
    return int(record.turns) + (0 if ended or replaying(record) else 1)


def same_turn(record: Record, other: Record) -> bool:
    return (record.battle, record.turns) == (other.battle, other.turns)


def upgrades_due(record: Record, seat: int) -> int:
    """How many stats a ship raises before the next battle, as far as they can be raised."""
    stats = (record.hull, record.shield, record.ballistic, record.energy)
    room = c.MOST_HULL + 3 * c.MOST_STAT - sum(stat[seat] for stat in stats)
    return min(room, 1 + int(record.second[seat]))


def deciding(record: Record, seat: int) -> bool:
    """Whether a seat decides now, alone or in secret with others. Who of them has been asked
    already does not matter: it would tell of the others' asking.
    """
    if record.mover == NOBODY:
        return False
    if record.phase == c.PLAN:
        return bool(record.actions[seat] > record.slot)
    if record.phase == c.UPGRADE:
        return upgrades_due(record, seat) > record.slot
    return bool(record.mover == seat)


# --- plans ---------------------------------------------------------------------------------------


def _known(record: Record, viewer: Viewer, seat: int, slot: int) -> bool:
    """Whether a viewer may see what a ship has chosen for a slot, of its plan or its upgrades."""
    if viewer is None:  # slot by slot: to who looks on, the ships choose at the same time
        return bool(slot < record.slot)
    if seat in viewer:
        return True
    allied = any(team_of(record, own) == team_of(record, seat) for own in viewer)
    return bool(record.share_plans and allied and slot < record.slot)


def known_plan(record: Record, viewer: Viewer, seat: int) -> list[int]:
    """A ship's slots of this turn; NONE where nothing is planned or the viewer may not know."""
    plan = record.plan[seat]
    return [
        plan[slot] if _known(record, viewer, seat, slot) else c.NONE
        for slot in range(record.actions[seat])
    ]


def decided(record: Record, viewer: Viewer, seat: int) -> list[bool]:
    """Whether all may know that a slot of this turn is decided, or the viewer what in it."""
    known = known_plan(record, viewer, seat)
    return [action != c.NONE or slot < record.slot for slot, action in enumerate(known)]


def known_upgrades(record: Record, viewer: Viewer, seat: int) -> list[int]:
    """The stats that a ship raises now; NONE where none is chosen or the viewer may not know."""
    if record.phase != c.UPGRADE:
        return []
    return [
        record.upgrade[seat][slot] if _known(record, viewer, seat, slot) else c.NONE
        for slot in range(upgrades_due(record, seat))
    ]


def course(record: Record, viewer: Viewer, seat: int) -> tuple[list[int], int]:
    """Where a ship's plan so far leads if nobody is in the way: all cells, and the last facing."""
    cells, facing = [record.cell[seat]], record.facing[seat]
    for action in known_plan(record, viewer, seat):
        ahead = beside(cells[-1], facing)
        if action == c.MOVE and record.terrain[ahead] != c.WALL:
            cells.append(ahead)
            if record.terrain[ahead] == c.OFF_MAP:
                break
        facing = (facing + {c.RIGHT: 1, c.LEFT: 5}.get(action, 0)) % 6
    return cells, facing


def revealed(record: Record, seat: int) -> list[int]:
    """The plan of the last turn, without the slots after its end."""
    return [action for action in record.revealed[seat] if action != c.NONE]


def carried_out(record: Record, seat: int) -> list[tuple[int, bool]]:
    """The same with what was done instead after an EMP; and whether it has been carried out."""
    each = 3 * record.phases + max(record.zion, record.seats - record.zion)
    done = [deed - 1 for deed in record.deeds[seat * each : seat * each + record.passed]]
    plan = revealed(record, seat)
    return [
        (did if did != c.NONE else action, did != c.NONE or action == c.NO_ACTION)
        for action, did in zip_longest(plan, done[: len(plan)], fillvalue=c.NONE)
    ]
