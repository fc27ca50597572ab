"""Hovercrafts in pictures and in plain text: only what the ship's player may see."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.lettering import badge, banner, prompt, title, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CYAN,
    DIM,
    GREEN,
    ICE,
    LIME,
    LINE,
    NIGHT,
    RED,
    SILVER,
    VIOLET,
    at,
    backdrop,
    box,
    disc,
    document,
    glow,
    group,
    number,
    panel,
    path,
    stroke,
)
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hovercrafts import FACINGS
from cyberdeck.games.hovercrafts.hidden import knows
from cyberdeck.games.hovercrafts.rules import (
    ACTIONS,
    BOTH_OUT,
    DEPLOY,
    EMP,
    FREE,
    LAND,
    LEFT,
    MACHINES,
    MARGIN,
    MAX_TURNS,
    MOVE,
    NO_ACTION,
    NONE,
    OFF_MAP,
    PLACES,
    RIGHT,
    SLOTS,
    STEP,
    STRIDE,
    WALL,
    ZION,
)

State = Any  # one record
Point = tuple[float, float]

TEAMS: Final = ("ZION", "THE MACHINES")
COLOURS: Final = (CYAN, RED)

# --- ships and their places ----------------------------------------------------------------------


def _team(state: State, seat: int) -> int:
    return ZION if seat < int(state["zion"]) else MACHINES


def _crew(state: State, team: int) -> range:
    """The seats of a team."""
    zion, seats = int(state["zion"]), int(state["seats"])
    return range(zion) if team == ZION else range(zion, seats)


def _label(state: State, seat: int) -> str:
    """z0, z1, ... and m0, m1, ..."""
    zion = int(state["zion"])
    return f"z{seat}" if seat < zion else f"m{seat - zion}"


def _column_row(cell: int) -> tuple[int, int]:
    return cell % STRIDE - MARGIN, cell // STRIDE - MARGIN


def _hexes(state: State) -> list[int]:
    """The cells of the map, row by row."""
    wide, high = int(state["width"]), int(state["height"])
    return [STRIDE * (y + MARGIN) + x + MARGIN for y in range(high) for x in range(wide)]


def _beside(cell: int, facing: int) -> int:
    return cell + int(STEP[cell & 1, facing % 6])


def _out(state: State, seat: int) -> bool:
    return int(state["cell"][seat]) == NONE and int(state["phase"]) != DEPLOY


def _fired(state: State, attacker: int, target: int) -> bool:
    return bool(int(state["shot"][attacker]) >> target & 1)


def _place(state: State, seat: int) -> int:
    """Where a ship is, or where it was when the last phase finished it."""
    cell = int(state["cell"][seat])
    return cell if cell != NONE else int(state["wreck"][seat])


# --- the turn ------------------------------------------------------------------------------------


def _replaying(state: State) -> bool:
    """Whether this is a turn that is being carried out: there are such records in ``frames``.

    Nobody is asked although the game goes on, or phases of the revealed plans are still to come.
    """
    passed = int(state["passed"])
    if int(state["mover"]) == NOBODY and int(state["reason"]) == RUNNING:
        return True
    if passed >= SLOTS or int(state["phase"]) == DEPLOY:
        return False
    return any(
        int(state["cell"][seat]) != NONE and NONE < state["revealed"][seat, passed] < NO_ACTION
        for seat in range(int(state["seats"]))
    )


def _turn(state: State) -> int:
    """The number of the turn, from 1: of the one that is planned, or was the last."""
    ended = _replaying(state) or int(state["reason"]) not in (RUNNING, FORFEIT)
    return int(state["turns"]) + (0 if ended else 1)


def _planning(state: State) -> bool:
    """Whether a turn is planned, and not shown once more, or the last one."""
    asking = int(state["phase"]) != DEPLOY and int(state["mover"]) != NOBODY
    return asking and not _replaying(state)


def _deciding(state: State, seat: int) -> bool:
    """Not who is asked just now: that would tell of the others' asking."""
    return _planning(state) and int(state["actions"][seat]) > int(state["slot"])


def _plan(state: State, viewer: int, seat: int) -> list[int]:
    """A ship's slots of this turn; NONE where nothing is planned or the viewer may not know."""
    return [
        int(state["plan"][seat, slot]) if knows(state, viewer, seat, slot) else NONE
        for slot in range(int(state["actions"][seat]))
    ]


def _ahead(state: State, seat: int) -> tuple[int, int]:
    """Where the own plan so far leads if nobody is in the way: cell and facing."""
    cell, facing = int(state["cell"][seat]), int(state["facing"][seat])
    for action in _plan(state, seat, seat):
        if action == MOVE and int(state["terrain"][_beside(cell, facing)]) != WALL:
            cell = _beside(cell, facing)
        elif action == RIGHT:
            facing = (facing + 1) % 6
        elif action == LEFT:
            facing = (facing + 5) % 6
        if int(state["terrain"][cell]) == OFF_MAP:
            break
    return cell, facing


def _revealed(state: State, seat: int) -> list[int]:
    """The plan of the last turn, without the slots after its end."""
    return [int(action) for action in state["revealed"][seat] if action != NONE]


def _carried_out(state: State, seat: int) -> tuple[list[int], int]:
    """The same with what was done instead in the last phase, after an EMP; and that phase's slot,
    NONE if the ship was out before it.
    """
    actions, now = _revealed(state, seat), int(state["passed"]) - 1
    if not 0 <= now < len(actions) or int(state["was"][seat]) == NONE:
        return actions, NONE
    actions[now] = int(state["done"][seat])
    return actions, now


MOVED, BLOCKED, CRASHED, LEFT_MAP = range(4)


def _move(state: State, seat: int) -> int | None:
    """What came of a ship's move in the last phase."""
    was = int(state["was"][seat])
    if not state["passed"] or was == NONE or int(state["done"][seat]) != MOVE:
        return None
    terrain = int(state["terrain"][_beside(was, int(state["facing"][seat]))])
    if terrain != FREE:
        return CRASHED if terrain == WALL else LEFT_MAP
    return MOVED if _place(state, seat) == int(state["aim"][seat]) else BLOCKED


def _lost(state: State) -> list[int]:
    """The ships that went out of the game in the last phase."""
    if not state["passed"]:
        return []
    seats = range(int(state["seats"]))
    return [seat for seat in seats if _out(state, seat) and int(state["was"][seat]) != NONE]


def _deeds(state: State, seat: int) -> list[str]:
    """What a ship did in the last phase."""
    ship, action = _label(state, seat), int(state["done"][seat])
    if int(state["was"][seat]) == NONE or action == NO_ACTION:
        return []
    move = _move(state, seat)
    if move is not None:
        column, row = _column_row(int(state["aim"][seat]))
        rammed = int(state["rammed"][seat])
        if rammed != NONE:
            further = f" and moves to {column},{row}" if move == MOVED else ""
            return [f"{ship} rams {_label(state, rammed)}{further}"]
        deed = (
            f"moves to {column},{row}",
            f"stays before {column},{row}",
            "hits a wall",
            "leaves the map",
        )
        return [f"{ship} {deed[move]}"]
    planned = int(state["revealed"][seat, int(state["passed"]) - 1])
    if action == LAND and planned != LAND:
        return [f"{ship} lands, hit by an EMP"]
    return [f"{ship} {('', 'turns right', 'turns left', 'lands', 'uses EMP', 'repairs')[action]}"]


def _events(state: State) -> list[str]:
    """The last phase in words."""
    if not state["passed"]:
        return []
    seats = range(int(state["seats"]))
    events = [deed for seat in seats for deed in _deeds(state, seat)]
    events += [f"{_label(state, seat)} is hit by an EMP" for seat in seats if state["jammed"][seat]]
    for attacker in seats:
        for target in seats:
            if _fired(state, attacker, target):
                hit = int(state["hit"][attacker]) >> target & 1
                verb = "hits" if hit else "misses"
                events.append(f"{_label(state, attacker)} {verb} {_label(state, target)}")
    return events + [f"{_label(state, seat)} is out" for seat in _lost(state)]


def _side(state: State, seat: int) -> str:
    """The column in which a ship is deployed."""
    return "RIGHTMOST" if _team(state, seat) == int(state["starting"]) else "LEFTMOST"


def _whereabouts(state: State, seat: int) -> str:
    """Where a ship is deployed, or will be."""
    cell = int(state["cell"][seat])
    if cell == NONE:
        return f"WAITS FOR THE {_side(state, seat)} COLUMN"
    column, row = _column_row(cell)
    return f"COLUMN {column}, ROW {row}, FACING {FACINGS[int(state['facing'][seat])]}"


def _task(state: State, seat: int) -> str:
    """What the seat has to do."""
    if _replaying(state):
        return f"TURN {_turn(state)} IS CARRIED OUT: PHASE {int(state['passed'])}"
    if int(state["phase"]) == DEPLOY:
        mover = int(state["mover"])
        if mover == seat:
            return f"DEPLOY {_label(state, seat)} IN THE {_side(state, seat)} COLUMN"
        return f"{_label(state, mover)} IS DEPLOYED NOW"
    if _deciding(state, seat):
        return f"PLAN ACTION {int(state['slot']) + 1} OF {int(state['actions'][seat])}"
    if _out(state, seat):
        return "YOUR SHIP IS OUT: THE OTHERS PLAN"
    return "YOUR PLAN IS COMPLETE: OTHERS STILL PLAN"


def _ending(state: State, seat: int) -> tuple[str, str, str] | None:
    """How the game ended: a headline, the reason in plain words, and a colour."""
    reason = int(state["reason"])
    if reason == RUNNING or _replaying(state):
        return None
    if reason == BOTH_OUT:
        return "A DRAW", "NO SHIP OF EITHER TEAM IS LEFT", AMBER
    if reason == MAX_TURNS:
        return "TIMED OUT", f"STOPPED AFTER {int(state['turns'])} TURNS", AMBER
    if reason == FORFEIT:
        winner = ZION if state["reward"][0] > 0 else MACHINES
        why = f"AN ILLEGAL ACTION OF {TEAMS[1 - winner]}"
    else:
        alive = any(not _out(state, ship) for ship in _crew(state, ZION))
        winner = ZION if alive else MACHINES
        why = f"NO SHIP OF {TEAMS[1 - winner]} IS LEFT"
    won = "ZION WINS" if winner == ZION else "THE MACHINES WIN"
    return won, why, GREEN if winner == _team(state, seat) else RED


# --- signs ---------------------------------------------------------------------------------------

#: Within -10 to 10 each.
_ICONS: Final = (
    "M0 8.4V-8M-5.8-2.2L0-8 5.8-2.2",
    "M-5.5 8.4V2Q-5.5-4 .5-4H7M2.8-8.4L7.2-4 2.8.4",
    "M5.5 8.4V2Q5.5-4-.5-4H-7M-2.8-8.4L-7.2-4-2.8.4",
    "M0-8.4V2.6M-4.8-2.2L0 2.6 4.8-2.2M-8 7.6H8",
    "M1.8-7L-3.4 1H3.4L-1.8 7M-6.6-6.6A9.2 9.2 0 0 0-6.6 6.6M6.6-6.6A9.2 9.2 0 0 1 6.6 6.6",
    "M0-7.6V7.6M-7.6 0H7.6",
    "M-4.6 0H4.6",
)
_INKS: Final = (BRIGHT, BRIGHT, BRIGHT, SILVER, VIOLET, GREEN, DIM)

_SHIELD: Final = "M0-9Q4-6.6 7.6-6.6V0Q7.6 6.4 0 10-7.6 6.4-7.6 0V-6.6Q-4-6.6 0-9z"
_SIGHT: Final = "M0-9V-3M0 9V3M-9 0H-3M9 0H3M6 0A6 6 0 1 1 6-.01"
_BATTERY: Final = "M2-9L-5 1.4H5L-2 9"
_STATS: Final = (("shield", _SHIELD), ("ballistic", _SIGHT), ("energy", _BATTERY))


def _icon(action: int, x: float, y: float, size: float, opacity: float = 1.0) -> str:
    """The sign of an action, *size* high."""
    scale = size / 20
    drawn = stroke(_ICONS[action], _INKS[action], min(2.6, 1.5 / scale))
    return group(at(x, y, drawn, scale), opacity=opacity if opacity < 1 else None)


def _craft(team: int, colour: str) -> str:
    """A ship from above, its bow up, within -10 to 10."""
    if team == ZION:  # a long hull between four hover pads
        pads = "".join(
            disc(x, y, r, NIGHT, stroke=colour, stroke_width=1.3) + disc(x, y, 0.45 * r, ICE)
            for x, y, r in ((-5.2, -1.6, 2.2), (5.2, -1.6, 2.2), (-6.2, 5, 3.1), (6.2, 5, 3.1))
        )
        hull = "M0-12Q2.6-8.6 3-4.4L3.4 6Q3 9 1.6 10H-1.6Q-3 9-3.4 6L-3-4.4Q-2.6-8.6 0-12z"
        return (
            stroke("M-5-1.6H5M-6 5H6", colour, 1.6)
            + pads
            + path(hull, fill=colour)
            + path("M0-8.6L1.5-4.4H-1.5zM-1.2.6H1.2V6.6H-1.2z", fill=NIGHT, fill_opacity=0.75)
        )
    arms = (
        "M-4.4 1.6Q-9 4.4-6.6 10M-1.8 3.4Q-4 7-2.4 11M1.8 3.4Q4 7 2.4 11M4.4 1.6Q9 4.4 6.6 10"
        "M-4.6-3.6L-8.6-5.4-8.8-.6M4.6-3.6L8.6-5.4 8.8-.6"
    )
    eyes = disc(0, -5.6, 1.3, NIGHT) + disc(-2.3, -2.2, 1.1, NIGHT) + disc(2.3, -2.2, 1.1, NIGHT)
    return (
        stroke(arms, colour, 1.5)
        + path("M0-10.4L4.6-5.4 5.8.6 0 5.4-5.8.6-4.6-5.4z", fill=colour)
        + eyes
    )


def _star(x: float, y: float, radius: float, colour: str) -> str:
    """A burst of light."""
    rays = []
    for ray in range(16):
        reach = radius * (0.42 if ray % 2 else 1 if ray % 4 else 0.78)
        rays.append(_towards((x, y), 22.5 * ray, reach))
    return path(f"M{'L'.join(_at(ray) for ray in rays)}z", fill=colour)


def _towards(start: Point, degrees: float, reach: float) -> Point:
    """The point that far away in a direction, in degrees clockwise from north."""
    turn = math.radians(degrees)
    return start[0] + reach * math.sin(turn), start[1] - reach * math.cos(turn)


def _at(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _pips(x: float, y: float, wide: float, high: float, left: int, hull: int) -> str:
    """The hull as so many cells, filled as far as it is left."""
    gap = min(2.0, 0.28 * wide / hull)
    cell = (wide + gap) / hull - gap
    colour = GREEN if 2 * left > hull else AMBER
    return "".join(
        box(
            x + at_ * (cell + gap),
            y,
            cell,
            high,
            min(1.5, cell / 4),
            fill=colour if at_ < left else NIGHT,
            stroke=None if at_ < left else LINE,
            stroke_width=None if at_ < left else 0.8,
        )
        for at_ in range(hull)
    )


# --- the map -------------------------------------------------------------------------------------

_WIDTH, _HEIGHT = 980, 866
_MAP: Final = (14, 68, 648, 612)  # its panel: left, top, width, height
_LARGEST: Final = 62.0  # a hex, from its middle to a corner
_ROCK: Final = ("#141a38", "#1a2146", "#212a55", "#2a3566")
_TALL: Final = math.sqrt(3)  # of a hex, for a radius of 1


@dataclass(frozen=True)
class _Table:
    """Where the hexes lie in the picture."""

    radius: float
    left: float
    top: float

    def middle(self, cell: int) -> Point:
        column, row = _column_row(cell)
        return (
            self.left + self.radius * (1 + 1.5 * column),
            self.top + self.radius * _TALL * (0.5 + row + 0.5 * (column & 1)),
        )

    def corners(self, cell: int, share: float = 1) -> list[Point]:
        """The corners of a hex; number f and f + 1 bound the side at facing f."""
        middle = self.middle(cell)
        return [_towards(middle, 60 * f - 30, share * self.radius) for f in range(6)]

    def outline(self, cell: int, share: float = 1) -> str:
        return f"M{'L'.join(_at(corner) for corner in self.corners(cell, share))}z"

    def side(self, cell: int, facing: int) -> str:
        corners = self.corners(cell)
        return f"M{_at(corners[facing])}L{_at(corners[(facing + 1) % 6])}"


def _table(state: State) -> _Table:
    """As large as the panel allows, in the middle of it."""
    wide, high = int(state["width"]), int(state["height"])
    across, down = 1.5 * wide + 0.5, _TALL * (high + (0.5 if wide > 1 else 0))
    x, y, room, depth = _MAP[0] + 32, _MAP[1] + 34, _MAP[2] - 48, _MAP[3] - 74
    radius = min(room / across, depth / down, _LARGEST)
    return _Table(radius, x + (room - radius * across) / 2, y + (depth - radius * down) / 2)


def _rock(table: _Table, walls: list[int]) -> str:
    """Walls as rough rock: six facets to a hex, lit from the upper left."""
    facets: list[list[str]] = [[] for _ in _ROCK]
    for cell in walls:
        rough = cell * 2654435761 >> 7  # a fixed hash: the same rock in every picture
        x, y = table.middle(cell)
        peak = (
            x + table.radius * ((rough & 7) - 3.5) / 14,
            y + table.radius * ((rough >> 3 & 7) - 3.5) / 14,
        )
        corners = table.corners(cell)
        for facing in range(6):
            shade = (2, 1, 0, 0, 1, 3)[facing] + (rough >> 6 + facing & 1)
            facet = f"M{_at(peak)}L{_at(corners[facing])}L{_at(corners[(facing + 1) % 6])}z"
            facets[min(shade, len(_ROCK) - 1)].append(facet)
    ground = "".join(table.outline(cell) for cell in walls)  # shows in the seams, too
    return path(ground, fill=_ROCK[1]) + "".join(
        path("".join(facet), fill=colour)
        for facet, colour in zip(facets, _ROCK, strict=True)
        if colour != _ROCK[1] and facet
    )


def _terrain(state: State, table: _Table) -> str:
    hexes, terrain = _hexes(state), state["terrain"]
    free = [cell for cell in hexes if terrain[cell] == FREE]
    floor = "".join(table.outline(cell) for cell in free)
    sides: dict[int, list[str]] = {WALL: [], OFF_MAP: []}
    for cell in free:
        for facing in range(6):
            beyond = int(terrain[_beside(cell, facing)])
            if beyond in sides:
                sides[beyond].append(table.side(cell, facing))
    rim, edge = "".join(sides[WALL]), "".join(sides[OFF_MAP])
    return (
        path(floor, fill="#081230", stroke="#1d2c5e", stroke_width=1)
        + _rock(table, [cell for cell in hexes if terrain[cell] == WALL])
        + stroke(rim, VIOLET, 5, stroke_opacity=0.16)
        + stroke(rim, VIOLET, 1.6, stroke_opacity=0.8)
        + stroke(edge, "#56679f", 1.4, stroke_dasharray="3 4")
    )


def _numbers(state: State, table: _Table) -> str:
    """Columns along the top, rows down the left."""
    size = min(8.5, max(6.0, 0.3 * table.radius))
    numbers = ""
    for column in range(int(state["width"])):
        x, _ = table.middle(STRIDE * MARGIN + MARGIN + column)
        numbers += letters(str(column), x, table.top - 7, size, "middle", DIM)
    for row in range(int(state["height"])):
        _, y = table.middle(STRIDE * (MARGIN + row) + MARGIN)
        numbers += letters(str(row), table.left - 7, y + size / 2, size, "end", DIM)
    return numbers


def _arc(state: State, table: _Table, seat: int) -> str:
    """The three hexes that the own ship can fire at."""
    cell, facing = int(state["cell"][seat]), int(state["facing"][seat])
    if cell == NONE:
        return ""
    colour = COLOURS[_team(state, seat)]
    hexes = [_beside(cell, facing + turn) for turn in (-1, 0, 1)]
    reach = "".join(table.outline(h, 0.9) for h in hexes if state["terrain"][h] == FREE)
    own = table.outline(cell, 0.94)
    return path(
        reach,
        fill=colour,
        fill_opacity=0.13,
        stroke=colour,
        stroke_opacity=0.6,
        stroke_dasharray="4 4",
    ) + path(own, fill=BRIGHT, fill_opacity=0.1, stroke=BRIGHT, stroke_width=1.8)


def _ship(state: State, table: _Table, seat: int) -> str:
    cell, facing = int(state["cell"][seat]), int(state["facing"][seat])
    team, radius = _team(state, seat), table.radius
    colour = COLOURS[team]
    x, y = table.middle(cell)
    landed = bool(state["passed"] and state["landed"][seat])
    above = facing == 3  # there the bow points at where the label would be
    lift = 0.09 * radius * (1 if above else -1)
    scale = radius * (0.044 if landed else 0.052)
    craft = at(x, y + lift, _craft(team, colour), scale, 60 * facing)
    bow = at(x, y, path("M0-8.8L2.5-6.8H-2.5z", fill=colour), radius / 10, 60 * facing)
    ship = ""
    if landed:
        ring = disc(x, y + lift, 0.56 * radius, NIGHT, fill_opacity=0.6)
        ship += ring + disc(
            x, y + lift, 0.56 * radius, "none", stroke=SILVER, stroke_dasharray="5 3"
        )
    ship += craft + bow
    turn = int(state["done"][seat])
    if state["passed"] and turn in (RIGHT, LEFT):
        ship += at(x, y + lift, _turning(turn, colour), radius / 10, 60 * facing)
    if state["passed"] and state["jammed"][seat]:
        bolt = stroke(_BATTERY, NIGHT, 6) + stroke(_BATTERY, VIOLET, 3)
        ship += at(x + 0.5 * radius, y + lift - 0.3 * radius, bolt, radius / 42)
    return ship + _name_plate(state, seat, x, y + (-0.64 if above else 0.64) * radius, radius)


def _turning(turn: int, colour: str) -> str:
    """An arrow on the way that the bow has come."""
    way = 1 if turn == RIGHT else -1
    start, end = _towards((0, 0), -56 * way, 7), _towards((0, 0), -17 * way, 7)
    tips = [_towards(end, (-65 + tilt) * way, 1.7) for tilt in (-28, 28)]
    sweep = 1 if way > 0 else 0
    arrow = f"M{_at(start)}A7 7 0 0 {sweep} {_at(end)}M{_at(tips[0])}L{_at(end)}L{_at(tips[1])}"
    return stroke(arrow, colour, 0.5, stroke_opacity=0.9)


def _name_plate(state: State, seat: int, x: float, y: float, radius: float) -> str:
    """Name and hull, across a hex."""
    size = max(6.2, 0.27 * radius)
    name = _label(state, seat)
    wide = width(name, size)
    bar = max(0.56 * radius, 13)
    left = x - (wide + 0.1 * radius + bar) / 2
    plate = box(
        left - 0.08 * radius,
        y - 0.72 * size,
        wide + 0.26 * radius + bar,
        1.44 * size,
        0.12 * radius,
        fill=NIGHT,
        fill_opacity=0.82,
    )
    colour = COLOURS[_team(state, seat)]
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    pips = _pips(left + wide + 0.1 * radius, y - 0.4 * size, bar, 0.8 * size, hull, total)
    return plate + letters(name, left, y + size / 2, size, colour=colour) + pips


# --- what the last phase brought -----------------------------------------------------------------


def _trail(state: State, table: _Table, seat: int) -> str:
    """How a ship has moved, or tried to."""
    move = _move(state, seat)
    if move is None:
        return ""
    radius, colour = table.radius, COLOURS[_team(state, seat)]
    start = table.middle(int(state["was"][seat]))
    degrees = 60 * int(state["facing"][seat])
    if move == MOVED:
        end = table.middle(int(state["aim"][seat]))
        trail = disc(*start, 0.14 * radius, colour, fill_opacity=0.5)
        trail += stroke(f"M{_at(start)}L{_at(end)}", colour, 0.2 * radius, stroke_opacity=0.28)
        return trail + disc(*start, 0.24 * radius, "none", stroke=colour, stroke_opacity=0.5)
    edge = _towards(start, degrees, radius * _TALL / 2)
    way = stroke(
        f"M{_at(start)}L{_at(edge)}", colour, 0.1 * radius, stroke_dasharray="4 4", opacity=0.7
    )
    if move == LEFT_MAP:
        tip = _towards(edge, degrees, 0.4 * radius)
        sides = [_towards(tip, degrees + turn, 0.3 * radius) for turn in (150, 210)]
        return (
            way
            + _gone(state, table, seat, start)
            + stroke(
                f"M{_at(edge)}L{_at(tip)}M{_at(sides[0])}L{_at(tip)}L{_at(sides[1])}",
                RED,
                max(1.6, 0.06 * radius),
            )
        )
    return way


def _bump(state: State, table: _Table, seat: int) -> str:
    """Where a ship has rammed another, or a wall."""
    rams = int(state["rammed"][seat]) != NONE
    if not rams and _move(state, seat) != CRASHED:
        return ""
    start = table.middle(int(state["was"][seat]))
    edge = _towards(start, 60 * int(state["facing"][seat]), table.radius * _TALL / 2)
    return _star(*edge, 0.32 * table.radius, AMBER) + _star(*edge, 0.16 * table.radius, BRIGHT)


def _waves(state: State, table: _Table, seat: int) -> str:
    """An EMP and how far it reaches."""
    if int(state["done"][seat]) != EMP or int(state["was"][seat]) == NONE:
        return ""
    x, y = table.middle(int(state["was"][seat]))
    reach = table.radius * 2.35
    rings = disc(x, y, reach, VIOLET, fill_opacity=0.09)
    for share, opacity in ((0.36, 0.9), (0.58, 0.65), (0.79, 0.45), (1, 0.3)):
        rings += disc(
            x, y, reach * share, "none", stroke=VIOLET, stroke_width=1.6, stroke_opacity=opacity
        )
    return rings


def _shots(state: State, table: _Table) -> str:
    """Beams from ship to ship: one that hits bursts, one that misses ends at a shield."""
    shots, radius, seats = "", table.radius, range(int(state["seats"]))
    for attacker in seats:
        colour = COLOURS[_team(state, attacker)]
        for target in seats:
            if not _fired(state, attacker, target):
                continue
            start = table.middle(_place(state, attacker))
            end = table.middle(_place(state, target))
            degrees = math.degrees(math.atan2(end[0] - start[0], start[1] - end[1]))
            # Fire and returned fire pass each other on the right.
            start, end = (_towards(point, degrees + 90, 0.12 * radius) for point in (start, end))
            start = _towards(start, degrees, 0.5 * radius)
            if int(state["hit"][attacker]) >> target & 1:
                end = _towards(end, degrees + 180, 0.3 * radius)
                line = f"M{_at(start)}L{_at(end)}"
                shots += stroke(line, colour, max(4.0, 0.16 * radius), stroke_opacity=0.35)
                shots += stroke(line, BRIGHT, max(1.6, 0.05 * radius))
                shots += _star(*end, 0.27 * radius, colour) + _star(*end, 0.13 * radius, BRIGHT)
                continue
            end = _towards(end, degrees + 180, 0.58 * radius)
            guard = [_towards(end, degrees + turn, 0.2 * radius) for turn in (-90, 90)]
            bow = 0.3 * radius
            shots += stroke(
                f"M{_at(start)}L{_at(end)}",
                colour,
                max(1.3, 0.04 * radius),
                stroke_dasharray="3 3.4",
            )
            shots += stroke(
                f"M{_at(guard[0])}A{number(bow)} {number(bow)} 0 0 1 {_at(guard[1])}",
                ICE,
                max(1.6, 0.06 * radius),
            )
    return shots


def _gone(state: State, table: _Table, seat: int, place: Point) -> str:
    """A ship that is out, as a shadow with its name."""
    (x, y), radius = place, table.radius
    degrees = 60 * int(state["facing"][seat])
    craft = at(x, y, _craft(_team(state, seat), DIM), 0.05 * radius, degrees)
    size = max(6.2, 0.27 * radius)
    name = letters(_label(state, seat), x, y + 0.68 * radius + size / 2, size, "middle", BRIGHT)
    return group(craft, opacity=0.8) + name


def _wreck(state: State, table: _Table, seat: int) -> str:
    """A ship that the last phase has destroyed."""
    if _move(state, seat) == LEFT_MAP:
        return ""
    place, radius = table.middle(_place(state, seat)), table.radius
    wreck = _star(*place, 0.85 * radius, "#5a2a20") + _gone(state, table, seat, place)
    return wreck + _star(*place, 0.36 * radius, AMBER) + _star(*place, 0.18 * radius, BRIGHT)


# --- what is legal, and the own plan -------------------------------------------------------------


def _deployable(state: State, table: _Table, seat: int, mask: NDArray[np.int8]) -> str:
    """The free hexes of the column, with the facings that may be chosen."""
    column = int(state["width"]) - 1 if _side(state, seat) == "RIGHTMOST" else 0
    lit = ""
    for row in range(int(state["height"])):
        facings = mask[PLACES + 6 * row : PLACES + 6 * row + 6]
        if not facings.any():
            continue
        cell = STRIDE * (row + MARGIN) + column + MARGIN
        lit += path(
            table.outline(cell, 0.93), fill=LIME, fill_opacity=0.14, stroke=LIME, stroke_width=2
        )
        tip = path("M0-7L1.6-5.2H-1.6z", fill=LIME)
        tips = "".join(
            group(tip, transform=f"rotate({60 * facing})") for facing in range(6) if facings[facing]
        )
        lit += at(*table.middle(cell), tips, table.radius / 10)
        size = min(9.0, 0.34 * table.radius)
        x, y = table.middle(cell)
        lit += letters(str(PLACES + 6 * row), x, y + size / 2, size, "middle", LIME)
    return lit


def _course(state: State, table: _Table, seat: int, mask: NDArray[np.int8] | None) -> str:
    """Where the own plan leads if nobody is in the way, and the next hex that a move would take."""
    if not _planning(state) or _out(state, seat):
        return ""
    radius, colour = table.radius, COLOURS[_team(state, seat)]
    cell, facing = int(state["cell"][seat]), int(state["facing"][seat])
    end, bow = _ahead(state, seat)
    drawn = ""
    points = [table.middle(cell)]
    for action in _plan(state, seat, seat):
        ahead = _beside(cell, facing)
        if action == MOVE and int(state["terrain"][ahead]) != WALL:
            cell = ahead
            points.append(table.middle(cell))
        facing += {RIGHT: 1, LEFT: 5}.get(action, 0)
        if int(state["terrain"][cell]) == OFF_MAP:
            break
    if len(points) > 1:
        line = f"M{'L'.join(_at(point) for point in points)}"
        drawn += stroke(line, LIME, max(1.6, 0.06 * radius), stroke_dasharray="2 5")
    off_map = int(state["terrain"][end]) == OFF_MAP
    if not off_map and (len(points) > 1 or bow != int(state["facing"][seat])):
        ghost = _craft(_team(state, seat), colour)
        tip = path("M0-16.7L4-13.3H-4z", fill=LIME)
        drawn += at(*table.middle(end), group(ghost, opacity=0.4) + tip, 0.052 * radius, 60 * bow)
    ahead = _beside(end, bow)
    if mask is not None and mask[MOVE] and not off_map:
        if int(state["terrain"][ahead]) == FREE:
            drawn += path(
                table.outline(ahead, 0.84),
                fill=LIME,
                fill_opacity=0.1,
                stroke=LIME,
                stroke_width=1.6,
                stroke_dasharray="5 4",
            )
        else:  # a wall, or the end of the map
            side = _towards(table.middle(end), 60 * bow, radius * _TALL / 2)
            corners = [_towards(side, turn, 0.18 * radius) for turn in (45, 225, 135, 315)]
            drawn += stroke(
                f"M{_at(corners[0])}L{_at(corners[1])}M{_at(corners[2])}L{_at(corners[3])}", RED, 2
            )
    return drawn


# --- the map and everything on it ----------------------------------------------------------------


def _board(state: State, seat: int, mask: NDArray[np.int8] | None) -> str:
    table, seats = _table(state), range(int(state["seats"]))
    here = [ship for ship in seats if int(state["cell"][ship]) != NONE]
    board = panel(*_MAP) + _numbers(state, table) + _terrain(state, table)
    if mask is not None and int(state["phase"]) == DEPLOY:
        board += _deployable(state, table, seat, mask)
    board += _arc(state, table, seat)
    if state["passed"]:
        board += "".join(_waves(state, table, ship) for ship in seats)
        board += "".join(_trail(state, table, ship) for ship in seats)
    board += _course(state, table, seat, mask)
    board += "".join(_wreck(state, table, ship) for ship in _lost(state))
    board += "".join(_ship(state, table, ship) for ship in here)
    if state["passed"]:
        board += _shots(state, table)
        board += "".join(_bump(state, table, ship) for ship in seats)
    return board + _caption(state)


def _caption(state: State) -> str:
    """Which phase the map shows, and the signs for what happened in it."""
    left, y = _MAP[0] + 16, _MAP[1] + _MAP[3] - 13
    passed = int(state["passed"])
    if not passed:
        return letters(
            "SHIPS TAKE THEIR PLACES"
            if int(state["phase"]) == DEPLOY
            else "NO TURN HAS PASSED YET",
            left,
            y,
            8,
            colour=DIM,
        )
    turn = int(state["turns"])  # has ended, even where its phases are shown once more
    caption = letters(f"AFTER TURN {turn}, PHASE {passed}", left, y, 8, colour=CYAN)
    x, middle = _MAP[0] + 284.0, y - 4
    beam = f"M{number(x)} {number(middle)}h22"
    caption += stroke(beam, BRIGHT, 1.6) + _star(x + 24, middle, 6, BRIGHT)
    caption += letters("HIT", x + 36, y, 8, colour=DIM)
    x += 76
    caption += stroke(f"M{number(x)} {number(middle)}h20", BRIGHT, 1.3, stroke_dasharray="3 3.4")
    caption += stroke(f"M{number(x + 20)} {number(middle - 6)}q6 6 0 12", ICE, 1.8)
    caption += letters("MISS", x + 32, y, 8, colour=DIM)
    x += 78
    caption += _star(x, middle, 7, AMBER) + letters("CRASH", x + 12, y, 8, colour=DIM)
    x += 68
    for radius in (3, 7):
        caption += disc(x, middle, radius, "none", stroke=VIOLET, stroke_width=1.4)
    caption += letters("EMP", x + 13, y, 8, colour=DIM)
    x += 52
    caption += disc(x, middle, 7, "none", stroke=SILVER, stroke_dasharray="4 2.4")
    return caption + letters("LANDED", x + 13, y, 8, colour=DIM)


# --- the fleets ----------------------------------------------------------------------------------

_FLEETS: Final = (672, 68, 294, 612)  # their panel
_ROW: Final = 52
_HEAD: Final = 26
_INSIDE: Final = 270  # from margin to margin


def _slots(state: State) -> tuple[float, float]:
    """How wide a slot of a plan is in the table of fleets, and where this turn's ones begin."""
    most = 3 + max(int(state["energy"][seat]) for seat in range(int(state["seats"])))
    size = min(20.0, (_INSIDE - 14) / 2 / most)
    return size, _INSIDE / 2 + 7


def _strip(actions: list[int], now: int, x: float, y: float, size: float) -> str:
    """Slots of a plan in a row, one of them lit up; NONE is a slot whose action is not known."""
    strip = ""
    for slot, action in enumerate(actions):
        left, lit = x + slot * size, slot == now
        strip += box(
            left + 0.5,
            y,
            size - 1.5,
            18,
            3,
            fill=LIME if lit else NIGHT,
            fill_opacity=0.16 if lit else 0.7,
            stroke=LIME if lit else LINE,
        )
        if action != NONE:
            strip += _icon(action, left + size / 2 - 0.25, y + 9, min(size - 3, 13))
    return strip


def _fleet_row(state: State, viewer: int, seat: int, y: float) -> str:
    """A ship: name, hull, stats; below its last plan, and what is known of this turn's."""
    x = _FLEETS[0] + 12
    team, out = _team(state, seat), _out(state, seat)
    colour = DIM if out else COLOURS[team]
    row = box(
        x - 6,
        y,
        _INSIDE + 12,
        _ROW - 4,
        7,
        fill=BRIGHT if seat == viewer else NIGHT,
        fill_opacity=0.07 if seat == viewer else 0.45,
        stroke=BRIGHT if seat == viewer else LINE,
        stroke_opacity=0.8,
    )
    facing = 0 if int(state["phase"]) == DEPLOY and state["cell"][seat] == NONE else 60
    row += at(x + 11, y + 13, _craft(team, colour), 0.92, facing * int(state["facing"][seat]))
    if state["passed"] and state["landed"][seat] and not out:
        row += disc(x + 11, y + 13, 11, "none", stroke=SILVER, stroke_dasharray="4 2.4")
    row += letters(_label(state, seat), x + 28, y + 18, 10, colour=colour)
    if seat == viewer:
        row += box(x + 47, y + 6.5, 28, 13, 6.5, fill=BRIGHT)
        row += letters("YOU", x + 61, y + 16, 6.4, "middle", NIGHT, 1.4)
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    if out:
        row += letters("OUT", x + 84, y + 17.5, 9, colour=RED)
    else:
        row += _pips(x + 82, y + 7.5, min(84, 13 * total), 11, hull, total)
    for place, (name, sign) in enumerate(_STATS):
        left = x + 182 + 33 * place
        row += at(left, y + 13, stroke(sign, DIM, 2.4), 0.55)
        row += letters(str(int(state[name][seat])), left + 9, y + 17.5, 9, colour=SILVER)
    size, this_turn = _slots(state)
    row += _strip(*_carried_out(state, seat), x, y + 26, size)
    if int(state["phase"]) == DEPLOY:
        row += letters(_whereabouts(state, seat), x + 4, y + 38, 8, colour=DIM)
    elif _planning(state):
        deciding = int(state["slot"]) if _deciding(state, seat) else NONE
        row += _strip(_plan(state, viewer, seat), deciding, x + this_turn, y + 26, size)
    return row


def _fleets(state: State, viewer: int) -> str:
    fleets = panel(*_FLEETS)
    x, y = _FLEETS[0] + 12, float(_FLEETS[1] + 6)
    _, this_turn = _slots(state)
    for team in (ZION, MACHINES):
        crew = _crew(state, team)
        left = sum(not _out(state, seat) for seat in crew)
        fleets += letters(TEAMS[team], x, y + 17, 9, colour=COLOURS[team])
        if team == ZION and _planning(state):
            fleets += letters("LAST TURN", x + this_turn - 16, y + 16.5, 6.6, "end", DIM)
            fleets += letters("THIS TURN", x + this_turn, y + 16.5, 6.6, colour=DIM)
        fleets += letters(f"{left}/{len(crew)}", x + _INSIDE, y + 17, 9, "end", BRIGHT)
        y += _HEAD
        for seat in crew:
            fleets += _fleet_row(state, viewer, seat, y)
            y += _ROW
    bottom = _FLEETS[1] + _FLEETS[3] - 13
    for place, (name, sign) in enumerate(_STATS):
        fleets += at(x + 6 + 90 * place, bottom - 4, stroke(sign, DIM, 2.4), 0.5)
        fleets += letters(name, x + 16 + 90 * place, bottom, 8, colour=DIM)
    return fleets + (_log(state, y + 8, bottom - 20) if _planning(state) else "")


def _log(state: State, y: float, bottom: float) -> str:
    """The last phase in words, where the ships leave room for it."""
    events = _events(state)
    room = int((bottom - y - 24) // 16)
    if not events or room < 2:
        return ""
    x = _FLEETS[0] + 12
    log = stroke(f"M{x} {number(y)}h{_INSIDE}", LINE, 1)
    log += letters(f"PHASE {int(state['passed'])}", x, y + 20, 8, colour=CYAN)
    if len(events) > room:
        events = [*events[: room - 1], f"and {len(events) - room + 1} more"]
    for line, event in enumerate(events):
        log += letters(event, x, y + 38 + 16 * line, 8, colour=SILVER)
    return log


# --- the own plan, and the actions ---------------------------------------------------------------

_PLAN: Final = (14, 690, 952, 112)  # its panel


def _actions(mask: NDArray[np.int8] | None) -> str:
    """All actions of a plan with their numbers; the legal ones lit up."""
    drawn, y = "", _PLAN[1] + 32
    for action, name in enumerate(ACTIONS):
        x = _PLAN[0] + 462 + 68.6 * action
        legal = mask is not None and mask[action]
        if legal:
            drawn += glow(x, y, 63, 68, 8, LIME, 0.8)
        drawn += box(
            x, y, 63, 68, 8, fill="#101839", stroke=LIME if legal else LINE, stroke_width=1.6
        )
        shut = mask is not None and not legal
        drawn += _icon(action, x + 31.5, y + 28, 25, 0.35 if shut else 1)
        drawn += letters(str(action), x + 7, y + 13, 7, colour=DIM)
        ink = LINE if shut else BRIGHT if legal else SILVER
        drawn += letters(name, x + 31.5, y + 58, 7, "middle", ink)
    return drawn


def _compass(state: State, seat: int, mask: NDArray[np.int8] | None) -> str:
    """The six facings of a deployment, and what must be added to the number on a hex."""
    drawn, y = "", _PLAN[1] + 32
    team = _team(state, seat)
    for facing, name in enumerate(FACINGS):
        x = _PLAN[0] + 462 + 80 * facing
        legal = mask is not None and mask[PLACES + facing :: 6].any()
        if legal:
            drawn += glow(x, y, 74, 68, 8, LIME, 0.8)
        drawn += box(
            x, y, 74, 68, 8, fill="#101839", stroke=LIME if legal else LINE, stroke_width=1.6
        )
        drawn += at(x + 37, y + 28, _craft(team, COLOURS[team]), 1.5, 60 * facing)
        drawn += letters(f"{name}  +{facing}", x + 37, y + 60, 7.6, "middle", BRIGHT)
    return drawn


def _own_plan(state: State, seat: int, mask: NDArray[np.int8] | None) -> str:
    x, y, _, _ = _PLAN
    own = panel(*_PLAN)
    ship = _label(state, seat)
    if int(state["phase"]) == DEPLOY:
        own += letters(f"YOUR SHIP {ship}", x + 16, y + 20, 9, colour=CYAN)
        own += letters(_whereabouts(state, seat), x + 16, y + 58, 9, colour=BRIGHT)
        own += letters("FACING: ADD TO THE NUMBER ON A HEX", x + 462, y + 20, 9, colour=CYAN)
        return own + _compass(state, seat, mask)
    if _planning(state):
        actions, now = _plan(state, seat, seat), int(state["slot"])
        if not _deciding(state, seat):
            now = NONE
    else:
        actions, now = _carried_out(state, seat)
    own += letters(f"PLAN OF YOUR SHIP {ship}", x + 16, y + 20, 9, colour=CYAN)
    if not actions:
        own += letters(
            "OUT OF THE GAME" if _out(state, seat) else "NONE", x + 16, y + 66, 9, colour=DIM
        )
    for slot, action in enumerate(actions):
        left, lit = x + 16 + 48 * slot, slot == now
        if lit:
            own += glow(left, y + 32, 43, 68, 8, LIME, 0.8)
        own += box(
            left,
            y + 32,
            43,
            68,
            8,
            fill="#101839",
            stroke=LIME if lit else LINE,
            stroke_width=1.6,
            stroke_dasharray="5 4" if action == NONE and not lit else None,
        )
        own += letters(str(slot + 1), left + 21.5, y + 91, 7, "middle", LIME if lit else DIM)
        if action != NONE:
            own += _icon(action, left + 21.5, y + 58, 24)
        elif lit:
            own += letters("?", left + 21.5, y + 65, 14, "middle", LIME)
    if not _planning(state) and state["passed"]:
        own += letters(f"PHASE {int(state['passed'])}", x + 462, y + 20, 9, colour=CYAN)
        return own + _report(state, x + 462, y + 39)
    own += letters("ACTIONS", x + 462, y + 20, 9, colour=CYAN)
    return own + _actions(mask)


def _report(state: State, x: float, y: float) -> str:
    """A phase in words, in three columns."""
    events = _events(state)
    if len(events) > 18:
        events = [*events[:17], f"and {len(events) - 17} more"]
    return "".join(
        letters(event, x + 162 * (line // 6), y + 12.6 * (line % 6), 7, colour=SILVER)
        for line, event in enumerate(events)
    )


# --- whose turn, and the end ---------------------------------------------------------------------


def _status(state: State, seat: int, mask: NDArray[np.int8] | None) -> str:
    """What to do, or how it ended."""
    ending = _ending(state, seat)
    if ending is not None:
        return banner(812, *ending, wide=_WIDTH)
    legal = None if mask is None else int(np.count_nonzero(mask))
    return prompt(812, _task(state, seat), legal, "ACTION", wide=_WIDTH)


def _stage(state: State, seat: int) -> str:
    """The phase of the game."""
    if _ending(state, seat):
        return "DISCONNECTED"
    if int(state["phase"]) == DEPLOY:
        return "DEPLOYMENT"
    if _replaying(state):
        return f"PHASE {int(state['passed'])}"
    return f"PLANNING SLOT {int(state['slot']) + 1}"


def _header(state: State, seat: int) -> str:
    stage = _stage(state, seat)
    turn = f"TURN {_turn(state)}/{int(state['max_turns'])}"
    if int(state["phase"]) == DEPLOY:
        turn = f"{int(state['max_turns'])} TURNS"
    return (
        title("HOVERCRAFTS", 24, 46, 25)
        + letters(turn, 966 - width(stage, 9) - 38, 41, 11, "end", BRIGHT)
        + badge(stage, 966, 24)
    )


def svg(record: NDArray[Any], seat: int, mask: NDArray[np.int8] | None = None) -> str:
    """The table as an SVG picture; *mask* lights up what is legal for the seat."""
    state = record[0]
    return document(
        _WIDTH,
        _HEIGHT,
        "Hovercrafts",
        "",
        backdrop(_WIDTH, _HEIGHT)
        + _header(state, seat)
        + _board(state, seat, mask)
        + _fleets(state, seat)
        + _own_plan(state, seat, mask)
        + _status(state, seat, mask),
    )


# --- plain text ----------------------------------------------------------------------------------

_ARROWS: Final = "↑↗↘↓↙↖"
_CELL: Final = 5


def _text_map(state: State, seat: int) -> list[str]:
    """The map in two lines for each row, the second one with the odd columns."""
    shown = {
        int(state["cell"][ship]): f"{'*' if ship == seat else ' '}{_label(state, ship)}"
        f"{_ARROWS[int(state['facing'][ship])]}"
        for ship in range(int(state["seats"]))
    }
    wide, high = int(state["width"]), int(state["height"])
    lines = ["    " + "".join(str(column).center(_CELL) for column in range(wide)).rstrip()]
    for row in range(high):
        for odd in (0, 1):
            line = f"{row:>2}  " if not odd else "    "
            for column in range(wide):
                cell = STRIDE * (row + MARGIN) + column + MARGIN
                empty = "###" if state["terrain"][cell] == WALL else "."
                hexagon = shown.get(cell, empty) if column & 1 == odd else ""
                line += hexagon.center(_CELL)
            lines.append(line.rstrip())
    return lines


def _text_ship(state: State, viewer: int, seat: int) -> str:
    name = f"{_label(state, seat)}{' (you)' if seat == viewer else ''}"
    cell = int(state["cell"][seat])
    if _out(state, seat):
        return f"{name}: out"
    column, row = _column_row(cell)
    facing = FACINGS[int(state["facing"][seat])]
    place = "not deployed" if cell == NONE else f"column {column}, row {row}, facing {facing}"
    stats = ", ".join(
        f"{name} {int(state[name][seat])}" for name in ("shield", "ballistic", "energy")
    )
    landed = ", landed" if state["passed"] and state["landed"][seat] else ""
    hull = f"hull {int(state['hull_left'][seat])}/{int(state['hull'][seat])}"
    return f"{name}: {place}, {hull}, {stats}{landed}"


def _text_plan(state: State, viewer: int, seat: int) -> str:
    """The last plan of a ship, and what is known of this turn's; ? for a slot that is not."""
    revealed = [ACTIONS[action] for action in _revealed(state, seat)]
    known = _plan(state, viewer, seat) if _planning(state) else []
    plan = ["?" if action == NONE else ACTIONS[action] for action in known]
    last = f"last turn {', '.join(revealed)}" if revealed else ""
    now = f"this turn {', '.join(plan)}" if plan else ""
    return f"{_label(state, seat)}: {'; '.join(part for part in (last, now) if part) or '-'}"


def text(record: NDArray[Any], seat: int) -> str:
    """The table as plain text: ships with their facing, the own one with a star."""
    state = record[0]
    ending = _ending(state, seat)
    seats = range(int(state["seats"]))
    events = _events(state)
    return "\n".join(
        [
            f"Hovercrafts, turn {_turn(state)}/{int(state['max_turns'])}, "
            f"{_stage(state, seat).lower()}",
            ". ".join(ending[:2]) if ending else _task(state, seat),
            "",
            *_text_map(state, seat),
            "",
            *(_text_ship(state, seat, ship) for ship in seats),
            "",
            "plans:",
            *(f"  {_text_plan(state, seat, ship)}" for ship in seats),
            *([f"last phase ({int(state['passed'])}):"] if events else []),
            *(f"  {event}" for event in events),
            "#: wall, ?: not known or not planned yet",
        ]
    )


def events(before: NDArray[Any], after: NDArray[Any]) -> list[str]:
    """The turn that has been carried out, if one has, in words, a line for each phase."""
    from cyberdeck.games.hovercrafts import frames

    if before[0]["turns"] == after[0]["turns"]:
        return []
    return [
        f"turn {_turn(phase[0])}, phase {int(phase[0]['passed'])}: {'; '.join(happened)}"
        for phase in frames(after)[:-1]
        if (happened := _events(phase[0]))
    ]
