"""Hovercrafts: what a record says of ships, hexes and plans, as a viewer may know it."""

from __future__ import annotations

import functools
from itertools import zip_longest
from typing import Final

from cyberdeck.engine.constants import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.record import Record
from cyberdeck.views.view import Viewer, seat_of

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


def beside(cell: int, facing: int) -> int:
    """The next cell in a direction; facings count on beyond 5 and below 0."""
    return cell + c.STEPS[cell & 1][facing % 6]


def around(cell: int) -> list[int]:
    """The cells beside one, by their facings."""
    return [beside(cell, facing) for facing in range(6)]


class Battle(Record):
    """A record, and what a viewer may look up in it."""

    viewer: Viewer

    @classmethod
    def seen(cls, record: Record, viewer: Viewer) -> Battle:
        found = cls(functools.partial(getattr, record))
        found.viewer = viewer
        return found

    @property
    def own(self) -> int | None:
        """The viewer's ship."""
        return seat_of(self.viewer)

    def leads_out(self, seat: int, cell: int, facing: int) -> bool:
        """Whether a side of a hex is the way out that a ship has to break through."""
        attacks = self.goal == c.BREAKTHROUGH and self.team_of(seat) == self.starting
        return attacks and column_row(cell)[0] == 0 and facing >= c.WESTWARD

    def team_of(self, seat: int) -> int:
        return c.ZION if seat < self.zion else c.MACHINES

    def crew(self, team: int) -> range:
        """The seats of a team."""
        return range(self.zion) if team == c.ZION else range(self.zion, self.seats)

    def label(self, seat: int) -> str:
        """Z0, Z1, ... and M0, M1, ... for the agents ``zion_0`` and so on."""
        return f"Z{seat}" if seat < self.zion else f"M{seat - self.zion}"

    def is_out(self, seat: int) -> bool:
        """Whether a ship is out of the game; before the first turn one may still be deployed."""
        return bool(self.phase == c.PLAN and self.cell[seat] == c.NONE)

    def ships_left(self, team: int) -> int:
        """How many ships of a team are on the map."""
        return sum(self.cell[seat] != c.NONE for seat in self.crew(team))

    @property
    def flagships(self) -> tuple[int, ...]:
        """The ships that must not be lost: the first ones of both teams, if that is the goal."""
        return (0, self.zion) if self.goal == c.FLAGSHIP else ()

    def start_column(self, seat: int) -> int:
        """The column that a ship is deployed in."""
        return self.width - 1 if self.team_of(seat) == self.starting else 0

    @property
    def replaying(self) -> bool:
        """Whether a turn is being carried out: nobody is asked, but the game goes on."""
        return bool(self.mover == NOBODY and self.reason == RUNNING)

    @property
    def planning(self) -> bool:
        """Whether a turn is planned, and not shown once more, or the last one."""
        return bool(self.phase == c.PLAN and self.mover != NOBODY)

    @property
    def turn_number(self) -> int:
        """The number of the turn, from 1: of the one that is planned, or was the last."""
        ended = self.reason not in (RUNNING, FORFEIT) or self.phase == c.UPGRADE
        return int(self.turns) + (0 if ended else 1)

    @property
    def last_turn(self) -> int:
        """The number of the last turn that was carried out, or is."""
        return int(self.turns) + self.replaying

    def upgrades_due(self, seat: int) -> int:
        """How many stats a ship raises before the next battle, as far as they can be raised."""
        stats = (self.hull, self.shield, self.ballistic, self.energy)
        room = c.MOST_HULL + 3 * c.MOST_STAT - sum(stat[seat] for stat in stats)
        return int(min(room, 1 + self.second[seat]))

    def deciding(self, seat: int) -> bool:
        """Whether a seat decides now, alone or in secret with others. Who of them has been asked
        already does not matter: it would tell of the others' asking.
        """
        if self.mover == NOBODY or self.phase not in (c.PLAN, c.UPGRADE):
            return bool(self.mover == seat)
        due = self.actions[seat] if self.phase == c.PLAN else self.upgrades_due(seat)
        return bool(due > self.slot)

    def _chosen(self, seat: int, slots: list[int], count: int) -> list[int]:
        """What a ship has chosen, to do or to raise; NONE where the viewer may not see it."""
        known = self.slot  # slot by slot: to who looks on, the ships choose at the same time
        if self.viewer is not None:
            allied = any(self.team_of(own) == self.team_of(seat) for own in self.viewer)
            known = count if seat in self.viewer else known if allied and self.share_plans else 0
        return [slots[slot] if slot < known else c.NONE for slot in range(count)]

    def known_plan(self, seat: int) -> list[int]:
        """A ship's slots of this turn; NONE where nothing is planned or the viewer may not know."""
        return self._chosen(seat, self.plan[seat], self.actions[seat])

    def decided(self, seat: int) -> list[bool]:
        """Whether all may know that a slot of this turn is decided, or the viewer what in it."""
        known = self.known_plan(seat)
        return [action != c.NONE or slot < self.slot for slot, action in enumerate(known)]

    def known_upgrades(self, seat: int) -> list[int]:
        """The stats that a ship raises now; NONE as in ``known_plan``."""
        due = self.upgrades_due(seat) if self.phase == c.UPGRADE else 0
        return self._chosen(seat, self.upgrade[seat], due)

    def course(self, seat: int) -> tuple[list[int], int]:
        """Where a plan leads if nobody is in the way: all cells, and the last facing."""
        cells, facing = [self.cell[seat]], self.facing[seat]
        for action in self.known_plan(seat):
            ahead = beside(cells[-1], facing)
            if action == c.MOVE and self.terrain[ahead] != c.WALL:
                cells.append(ahead)
                if self.terrain[ahead] == c.OFF_MAP:
                    break
            facing = (facing + {c.RIGHT: 1, c.LEFT: 5}.get(action, 0)) % 6
        return cells, facing

    def warning(self, seat: int) -> str:
        """That a ship's plan, or a move that may be planned next, leads off the map and out of the
        game; nothing, if not.
        """
        if not self.planning or self.is_out(seat):
            return ""
        (cells, facing), plan = self.course(seat), self.known_plan(seat)
        ahead = beside(cells[-1], facing)
        if len(cells) > 1 and self.terrain[cells[-1]] == c.OFF_MAP:
            return "" if self.leads_out(seat, cells[-2], facing) else "your plan leads off the map"
        may_move = self.slot < len(plan) and plan[self.slot] == c.NONE and c.NO_ACTION not in plan
        if not may_move or self.terrain[ahead] != c.OFF_MAP:
            return ""
        return "" if self.leads_out(seat, cells[-1], facing) else "a move would lead off the map"

    def last_plan(self, seat: int) -> list[int]:
        """The plan of the last turn, without the slots after its end."""
        return [action for action in self.revealed[seat] if action != c.NONE]

    def carried_out(self, seat: int) -> list[tuple[int, bool]]:
        """The same with what was done instead after an EMP; and whether it has been carried out."""
        each = 3 * self.phases + max(self.zion, self.seats - self.zion)
        done = [deed - 1 for deed in self.deeds[seat * each : seat * each + self.passed]]
        plan = self.last_plan(seat)
        return [
            (did if did != c.NONE else action, did != c.NONE or action == c.NO_ACTION)
            for action, did in zip_longest(plan, done[: len(plan)], fillvalue=c.NONE)
        ]

    def whereabouts(self, seat: int) -> str:
        """Where a ship is deployed, or will be."""
        if self.cell[seat] == c.NONE:
            return f"starts in column {self.start_column(seat)}"
        column, row = column_row(self.cell[seat])
        return f"column {column}, row {row}, facing {c.FACINGS[self.facing[seat]]}"

    def raises(self, seat: int) -> list[str]:
        """The stats that a ship raises now; ? for one that is not known."""
        stats = self.known_upgrades(seat)
        return ["?" if stat == c.NONE else c.STAT_NAMES[stat] for stat in stats]

    @property
    def first_side(self) -> int:
        """The action that picks the right side: it comes after deployment's."""
        return c.PLACES + (6 * int(self.height) if self.deployment == c.CHOOSE else 0)

    @property
    def first_upgrade(self) -> int:
        """The action that raises the hull: it comes after those that pick a side."""
        return self.first_side + len(c.SIDES) * int(self.pick_side)

    def action_name(self, action: int, short: bool = False) -> str:
        """An action in words, or in a few letters."""
        if 0 <= action < c.PLACES:
            return c.ACTIONS[action]
        side, upgrade = action - self.first_side, action - self.first_upgrade
        if c.PLACES <= action < self.first_side:
            row, facing = divmod(action - c.PLACES, len(c.FACINGS))
            words = "row {} {}" if short else "deploy in row {}, facing {}"
            return words.format(row, c.FACINGS[facing])
        if upgrade < 0 <= side:
            return f"{c.SIDES[side]} side" if short else f"take the {c.SIDES[side]} side"
        if 0 <= upgrade < len(c.STAT_NAMES) and self.battles:
            return f"raise {c.STAT_NAMES[upgrade]}"
        return "nothing"
