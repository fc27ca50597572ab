"""The map in Hovercrafts' pictures, and what the last phase did on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from cyberdeck.drawing.lettering import CAME, FELL, LEAST, WENT, happened, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CYAN,
    DIM,
    ICE,
    LIME,
    NIGHT,
    RED,
    SILVER,
    VIOLET,
    Block,
    at,
    box,
    disc,
    group,
    kept,
    number,
    panel,
    path,
    shade,
    stroke,
    target,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import Mask, Seat, State
from cyberdeck.games.hovercrafts.deployment import start_cell
from cyberdeck.games.hovercrafts.drawing.signs import (
    BOLT,
    COLOURS,
    Point,
    chosen,
    craft,
    icon,
    pips,
    star,
    towards,
    xy,
)
from cyberdeck.games.hovercrafts.goals import escapes
from cyberdeck.games.hovercrafts.narration import (
    BROKE_THROUGH,
    CRASHED,
    LEFT_MAP,
    MOVED,
    action_name,
    column_row,
    course,
    fired,
    hexes,
    is_flagship,
    label,
    last_turn,
    lost,
    move_of,
    place_of,
    planning,
    replaying,
)
from cyberdeck.games.hovercrafts.table import (
    BREAKTHROUGH,
    DEPLOY,
    EMP,
    FACINGS,
    FLAGSHIP,
    FREE,
    LEFT,
    MOVE,
    NONE,
    OFF_MAP,
    PLACES,
    PLAN,
    RIGHT,
    SEIZE,
    UPGRADE,
    WALL,
    Cell,
    Facing,
    beside,
    cell_of,
    is_out,
    ship_at,
    team_of,
)

_LARGEST: Final = 62.0  # a hex, from its middle to a corner
_ROCK: Final = (
    shade("#141a38", "#8d97b8"),
    shade("#1a2146", "#9ba5c5"),
    shade("#212a55", "#abb5d2"),
    shade("#2a3566", "#bcc5de"),
)
_FLOOR: Final = shade("#081230", "#f7f9ff")
_SEAM: Final = shade("#2b3b74", "#c3cde8")
_EDGE: Final = shade("#56679f", "#6d7cae")
_LEFT, _TOP, _RIGHT, _BELOW = 30, 28, 12, 34  # around the hexes: rows, columns, the caption
_TALL: Final = math.sqrt(3)  # of a hex, for a radius of 1


@dataclass(frozen=True)
class Table:
    """Where the hexes lie in the picture."""

    radius: float
    left: float
    top: float

    def middle(self, cell: Cell) -> Point:
        column, row = column_row(cell)
        return (
            self.left + self.radius * (1 + 1.5 * column),
            self.top + self.radius * _TALL * (0.5 + row + 0.5 * (column & 1)),
        )

    def corners(self, cell: Cell, share: float = 1) -> list[Point]:
        """The corners of a hex; number f and f + 1 bound the side at facing f."""
        middle = self.middle(cell)
        return [towards(middle, 60 * f - 30, share * self.radius) for f in range(6)]

    @kept
    def outline(self, cell: Cell, share: float = 1) -> str:
        return f"M{'L'.join(xy(corner) for corner in self.corners(cell, share))}z"

    @kept
    def side(self, cell: Cell, facing: Facing) -> str:
        corners = self.corners(cell)
        return f"M{xy(corners[facing])}L{xy(corners[(facing + 1) % 6])}"


def table_of(state: State, room: float, depth: float) -> tuple[Table, float]:
    """The map as large as it may be, *depth* at most, in the middle of *room*; and its height."""
    wide, high = int(state["width"]), int(state["height"])
    across, down = 1.5 * wide + 0.5, _TALL * (high + (0.5 if wide > 1 else 0))
    free = room - _LEFT - _RIGHT
    radius = min(free / across, (depth - _TOP - _BELOW) / down, _LARGEST)
    table = Table(radius, _LEFT + (free - radius * across) / 2, _TOP)
    return table, _TOP + radius * down + _BELOW


def _rock(table: Table, walls: list[int]) -> str:
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
            facet = f"M{xy(peak)}L{xy(corners[facing])}L{xy(corners[(facing + 1) % 6])}z"
            facets[min(shade, len(_ROCK) - 1)].append(facet)
    ground = "".join(table.outline(cell) for cell in walls)  # shows in the seams, too
    return path(ground, fill=_ROCK[1]) + "".join(
        path("".join(facet), fill=colour)
        for facet, colour in zip(facets, _ROCK, strict=True)
        if colour != _ROCK[1] and facet
    )


def _terrain(state: State, table: Table) -> str:
    cells, terrain = hexes(state), state["terrain"]
    free = [cell for cell in cells if terrain[cell] == FREE]
    floor = "".join(table.outline(cell) for cell in free)
    sides: dict[int, list[str]] = {WALL: [], OFF_MAP: []}
    for cell in free:
        for facing in range(6):
            beyond = int(terrain[beside(cell, facing)])
            if beyond in sides:
                sides[beyond].append(table.side(cell, facing))
    rim, edge = "".join(sides[WALL]), "".join(sides[OFF_MAP])
    return (
        path(floor, fill=_FLOOR, stroke=_SEAM, stroke_width=1)
        + _rock(table, [cell for cell in cells if terrain[cell] == WALL])
        + stroke(rim, VIOLET, 5, stroke_opacity=0.16)
        + stroke(rim, VIOLET, 1.6, stroke_opacity=0.8)
        + stroke(edge, _EDGE, 1.4, stroke_dasharray="3 4")
    )


def _locations(state: State, table: Table) -> str:
    """The hexes to be seized, in the colour of the team that stands on them."""
    drawn = ""
    for cell in state["location"][state["location"] != NONE].tolist():
        seat = int(ship_at(state, cell))
        colour = AMBER if seat == NONE else COLOURS[team_of(state, seat)]
        drawn += path(table.outline(cell, 0.9), fill=colour, fill_opacity=0.14)
        for share in (0.9, 0.74):
            drawn += stroke(table.outline(cell, share), colour, 2, stroke_opacity=0.85)
    return drawn


def _way_out(state: State, table: Table) -> str:
    """The edge over which attackers escape."""
    if int(state["goal"]) != BREAKTHROUGH:
        return ""
    sides = [
        table.side(cell_of(0, row), facing)
        for row in range(int(state["height"]))
        for facing in (4, 5)
    ]
    return stroke("".join(sides), LIME, 3, stroke_opacity=0.8)


def _numbers(state: State, table: Table) -> str:
    """Columns along the top, rows down the left."""
    numbers = ""
    for column in range(int(state["width"])):
        x, _ = table.middle(cell_of(column, 0))
        numbers += letters(str(column), x, table.top - 8, LEAST, "middle", DIM)
    for row in range(int(state["height"])):
        _, y = table.middle(cell_of(0, row))
        numbers += letters(str(row), table.left - 6, y + LEAST / 2, LEAST, "end", DIM)
    return numbers


def _arc(state: State, table: Table, seat: Seat) -> str:
    """The three hexes that the own ship can fire at."""
    cell, facing = int(state["cell"][seat]), int(state["facing"][seat])
    if cell == NONE:
        return ""
    colour = COLOURS[team_of(state, seat)]
    hexes = [beside(cell, facing + turn) for turn in (-1, 0, 1)]
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


def _spots(state: State, table: Table, wrecks: dict[Seat, Cell]) -> dict[Seat, tuple[Point, float]]:
    """Where ships are drawn, and how large: side by side where a wreck and a ship share a hex."""
    ships = {seat: int(state["cell"][seat]) for seat in range(int(state["seats"]))}
    there: dict[Cell, list[Seat]] = {}
    for seat, cell in (*wrecks.items(), *ships.items()):
        if cell != NONE:
            there.setdefault(cell, []).append(seat)
    spots = {}
    for cell, seats in there.items():
        x, y = table.middle(cell)
        size = 1.0 if len(seats) == 1 else 0.7
        for place, seat in enumerate(seats):
            shift = 0.9 * table.radius * (place - (len(seats) - 1) / 2) / max(1, len(seats) - 1)
            spots[seat] = ((x + shift, y), size)
    return spots


def _lift(facing: Facing, radius: float) -> float:
    """How far a ship is moved to make room for its label: below it, or above if it faces south."""
    return 0.09 * radius * (1 if facing == 3 else -1)


def _ship(state: State, table: Table, seat: Seat, spot: tuple[Point, float]) -> str:
    facing, team = int(state["facing"][seat]), team_of(state, seat)
    (x, y), size = spot
    radius, colour = table.radius * size, COLOURS[team]
    drawn = at(x, y + _lift(facing, radius), craft(team, colour), 0.05 * radius, 60 * facing)
    return drawn + at(x, y, path(_BOW, fill=colour), radius / 10, 60 * facing)


#: Where a ship looks: a tip at that side of its hex, 10 from the middle to a corner.
_BOW: Final = "M0-8.8L2.5-6.8H-2.5z"


def _landed(state: State, table: Table, seat: Seat, spot: tuple[Point, float]) -> str:
    """The ring around a ship that was landed in the phase."""
    if not state["landed"][seat]:
        return ""
    (x, y), radius = spot[0], 0.6 * table.radius * spot[1]
    y += _lift(int(state["facing"][seat]), table.radius * spot[1])
    return disc(x, y, radius, NIGHT, fill_opacity=0.6) + disc(
        x, y, radius, "none", stroke=SILVER, stroke_width=1.6, stroke_dasharray="5 3"
    )


def _done(state: State, table: Table, seat: Seat, spot: tuple[Point, float]) -> str:
    """What a ship did in the phase where it is not seen otherwise; and whether an EMP hit it."""
    (x, y), radius = spot[0], table.radius * spot[1]
    facing, done = int(state["facing"][seat]), int(state["done"][seat])
    size, drawn = max(12.0, 0.36 * radius), ""
    if done in (RIGHT, LEFT):
        drawn = at(x, y, _turning(done, COLOURS[team_of(state, seat)]), radius / 10, 60 * facing)
    elif state["landed"][seat]:
        drawn = _backed(icon(done, 0, 0, size), x - 0.55 * radius, y - 0.42 * radius, size)
    if state["jammed"][seat]:
        bolt = at(0, 0, stroke(BOLT, VIOLET, 3), size / 20)
        drawn += _backed(bolt, x - 0.55 * radius, y + 0.3 * radius, size)
    return drawn


def _backed(sign: str, x: float, y: float, size: float) -> str:
    return at(x, y, disc(0, 0, 0.62 * size, NIGHT, fill_opacity=0.85) + sign)


@kept
def hull_changed(x: float, y: float, change: int) -> str:
    """How much hull a ship has lost, or gained."""
    words = f"{CAME if change > 0 else WENT}{abs(change)}"
    wide = width(words, LEAST) + 10
    return box(
        x - wide / 2, y - 9, wide, 18, 9, fill=BRIGHT, stroke=NIGHT, stroke_width=2
    ) + letters(words, x, y + LEAST / 2, LEAST, "middle", NIGHT, 2)


#: A hex with room for a hull beside the name, and one with room for it at all.
_ROOMY: Final = 27.0
_TIGHT: Final = 13.0


def _turning(turn: int, colour: str) -> str:
    """From where the bow was to where it is: the old tip, hollow, and an arrow from it."""
    way = 1 if turn == RIGHT else -1
    start, end = towards((0, 0), -44 * way, 7.7), towards((0, 0), -20 * way, 7.7)
    tips = [towards(end, (-74 + tilt) * way, 2.6) for tilt in (-38, 38)]
    sweep = 1 if way > 0 else 0
    arrow = f"M{xy(start)}A7.7 7.7 0 0 {sweep} {xy(end)}M{xy(tips[0])}L{xy(end)}L{xy(tips[1])}"
    old = path(_BOW, fill=NIGHT, stroke=colour, stroke_width=0.45, transform=f"rotate({-60 * way})")
    return old + stroke(arrow, NIGHT, 1.7) + stroke(arrow, colour, 0.8)


def _name_plate(state: State, seat: Seat, spot: tuple[Point, float], full: float) -> str:
    """Name and hull, across a hex; the hull below the name in a small one."""
    radius = full * spot[1]
    x, y = spot[0][0], spot[0][1] + (-0.64 if int(state["facing"][seat]) == 3 else 0.64) * radius
    size = max(LEAST, 0.25 * radius)
    name = label(state, seat) + ("*" if is_flagship(state, seat) else "")
    wide = width(name, size)
    bar = 0.56 * radius if radius > _ROOMY else 0
    left = x - (wide + bar + (4 if bar else 0)) / 2
    right = left + wide + (bar + 4 if bar else 0)
    below = 5 if not bar and radius > _TIGHT else 0
    y -= below / 2
    plate = box(
        left - 3,
        y - 0.68 * size,
        right - left + 6,
        1.36 * size + below,
        3,
        fill=NIGHT,
        fill_opacity=0.85,
    )
    plate += letters(name, left, y + size / 2, size, colour=COLOURS[team_of(state, seat)])
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    if bar:
        plate += pips(right - bar, y - 0.4 * size, bar, 0.8 * size, hull, total)
    elif below:
        plate += pips(left - 1, y + 0.5 * size + 2, wide + 2, 4, hull, total)
    return plate


# --- what the last phase brought -----------------------------------------------------------------


def _trail(state: State, table: Table, seat: Seat) -> str:
    """How a ship has moved, or tried to."""
    move = move_of(state, seat)
    if move is None:
        return ""
    radius, colour = table.radius, COLOURS[team_of(state, seat)]
    start = table.middle(int(state["was"][seat]))
    degrees = 60 * int(state["facing"][seat])
    if move == MOVED:
        end = table.middle(int(state["aim"][seat]))
        trail = disc(*start, 0.14 * radius, colour, fill_opacity=0.5)
        trail += stroke(f"M{xy(start)}L{xy(end)}", colour, 0.2 * radius, stroke_opacity=0.28)
        return trail + disc(*start, 0.24 * radius, "none", stroke=colour, stroke_opacity=0.5)
    edge = towards(start, degrees, radius * _TALL / 2)
    way = stroke(
        f"M{xy(start)}L{xy(edge)}", colour, 0.1 * radius, stroke_dasharray="4 4", opacity=0.7
    )
    if move in (LEFT_MAP, BROKE_THROUGH):
        tip = towards(edge, degrees, 0.4 * radius)
        sides = [towards(tip, degrees + turn, 0.3 * radius) for turn in (150, 210)]
        if move == BROKE_THROUGH:
            way += _gone(state, seat, start, radius)
        return way + stroke(
            f"M{xy(edge)}L{xy(tip)}M{xy(sides[0])}L{xy(tip)}L{xy(sides[1])}",
            RED if move == LEFT_MAP else LIME,
            max(1.6, 0.06 * radius),
        )
    return way


def _bump(state: State, table: Table, seat: Seat) -> str:
    """Where a ship has rammed another, or a wall."""
    rams = int(state["rammed"][seat]) != NONE
    if not rams and move_of(state, seat) != CRASHED:
        return ""
    start = table.middle(int(state["was"][seat]))
    edge = towards(start, 60 * int(state["facing"][seat]), table.radius * _TALL / 2)
    return star(*edge, 0.32 * table.radius, AMBER) + star(*edge, 0.16 * table.radius, BRIGHT)


def _waves(state: State, table: Table, seat: Seat) -> str:
    """An EMP: waves around its user, and the hexes that it reaches."""
    cell = place_of(state, seat)
    if int(state["done"][seat]) != EMP or cell == NONE:
        return ""
    around = [beside(cell, facing) for facing in range(6)]
    reach = "".join(table.outline(near, 0.8) for near in around if state["terrain"][near] == FREE)
    rings = path(reach, fill=VIOLET, fill_opacity=0.12, stroke=VIOLET, stroke_dasharray="2 3")
    for share, opacity in ((0.7, 1), (0.95, 0.7), (1.25, 0.5)):
        rings += disc(
            *table.middle(cell),
            table.radius * share,
            "none",
            stroke=VIOLET,
            stroke_width=1.8,
            stroke_opacity=opacity,
        )
    return rings


def _shots(state: State, table: Table, spots: dict[Seat, tuple[Point, float]]) -> str:
    """Beams from ship to ship: one that hits bursts, one that misses ends at a shield."""
    shots, radius, seats = "", table.radius, range(int(state["seats"]))
    for attacker in seats:
        colour = COLOURS[team_of(state, attacker)]
        for shot in seats:
            if not fired(state, attacker, shot):
                continue
            start, end = (spots[ship][0] for ship in (attacker, shot))
            degrees = math.degrees(math.atan2(end[0] - start[0], start[1] - end[1]))
            # Fire and returned fire pass each other on the right.
            start, end = (towards(point, degrees + 90, 0.12 * radius) for point in (start, end))
            start = towards(start, degrees, 0.5 * radius)
            if int(state["hit"][attacker]) >> shot & 1:
                end = towards(end, degrees + 180, 0.3 * radius)
                line = f"M{xy(start)}L{xy(end)}"
                shots += stroke(line, colour, max(4.0, 0.16 * radius), stroke_opacity=0.35)
                shots += stroke(line, BRIGHT, max(1.6, 0.05 * radius))
                shots += star(*end, 0.27 * radius, colour) + star(*end, 0.13 * radius, BRIGHT)
                continue
            end = towards(end, degrees + 180, 0.58 * radius)
            guard = [towards(end, degrees + turn, 0.2 * radius) for turn in (-90, 90)]
            bow = 0.3 * radius
            shots += stroke(
                f"M{xy(start)}L{xy(end)}",
                colour,
                max(2.0, 0.05 * radius),
                stroke_dasharray="5 4",
            )
            shots += stroke(
                f"M{xy(guard[0])}A{number(bow)} {number(bow)} 0 0 1 {xy(guard[1])}",
                ICE,
                max(2.6, 0.07 * radius),
            )
    return shots


def _gone(state: State, seat: Seat, place: Point, radius: float) -> str:
    """A ship that is out, as a shadow with its name."""
    x, y = place
    degrees = 60 * int(state["facing"][seat])
    drawn = at(x, y, craft(team_of(state, seat), DIM), 0.05 * radius, degrees)
    size = max(LEAST, 0.25 * radius)
    name = letters(label(state, seat), x, y + 0.68 * radius + size / 2, size, "middle", BRIGHT)
    return group(drawn, opacity=0.8) + name


# --- what is legal, and the own plan -------------------------------------------------------------


def _deployable(record: Record, table: Table, seat: Seat, mask: Mask) -> str:
    """The free hexes of the column: a wedge for each facing, with its number if there is room."""
    state, radius = record[0], table.radius
    drawn = ""
    for row in range(int(state["height"])):
        first = PLACES + len(FACINGS) * row
        legal = [facing for facing in range(len(FACINGS)) if mask[first + facing]]
        if not legal:
            continue
        cell = start_cell(state, seat, row)
        middle, corners = table.middle(cell), table.corners(cell, 0.95)
        hexagon = path(table.outline(cell, 0.95), fill=NIGHT, stroke=LIME, stroke_width=2)
        column, _ = column_row(cell)
        drawn += target(
            hexagon, [first + facing for facing in legal], f"{column},{row}", alone=False
        )
        for facing in legal:
            ends = corners[facing], corners[(facing + 1) % 6]
            wedge = path(
                f"M{xy(middle)}L{xy(ends[0])}L{xy(ends[1])}z",
                fill=LIME,
                fill_opacity=0.14,
                stroke=LIME,
                stroke_opacity=0.6,
            )
            tip = path("M0-3.2L3 1.6H-3z", fill=LIME)
            wedge += at(*towards(middle, 60 * facing, 0.68 * radius), tip, radius / 22, 60 * facing)
            if radius > _WEDGES:
                x, y = towards(middle, 60 * facing, 0.42 * radius)
                wedge += letters(str(first + facing), x, y + LEAST / 2, LEAST, "middle", LIME)
            drawn += chosen(record, mask, first + facing, wedge)
    return drawn


#: A hex with room for a number in each of its wedges.
_WEDGES: Final = 46.0


#: Where a ship will look: like ``_BOW``, but open.
_PLANNED: Final = "M-3-6L0-8.6 3-6"


def _course(record: Record, table: Table, seat: Seat, mask: Mask | None) -> str:
    """Where the own plan leads if nobody is in the way, and the next hex that a move would take."""
    state = record[0]
    if not planning(state) or is_out(state, seat):
        return ""
    radius, colour = table.radius, COLOURS[team_of(state, seat)]
    cells, bow = course(state, seat)
    end = cells[-1]
    drawn = ""
    if len(cells) > 1:
        line = f"M{'L'.join(xy(table.middle(cell)) for cell in cells)}"
        drawn += stroke(line, LIME, max(1.6, 0.06 * radius), stroke_dasharray="2 5")
    off_map = int(state["terrain"][end]) == OFF_MAP
    if not off_map and (len(cells) > 1 or bow != int(state["facing"][seat])):
        there = stroke(_PLANNED, LIME, 0.8)
        if len(cells) > 1:
            ghost = group(craft(team_of(state, seat), colour), opacity=0.4)
            there += at(0, 0, ghost, 0.52)
        drawn += at(*table.middle(end), there, 0.1 * radius, 60 * bow)
    ahead = beside(end, bow)
    if off_map:
        if _leaves(state, seat, mask):
            drawn += _no_way(table, cells[-2], bow)
    elif mask is not None and mask[MOVE]:
        if int(state["terrain"][ahead]) == FREE:
            there = path(
                table.outline(ahead, 0.84),
                fill=LIME,
                fill_opacity=0.1,
                stroke=LIME,
                stroke_width=1.6,
                stroke_dasharray="5 4",
            )
            drawn += target(there, [MOVE], action_name(record, MOVE), alone=False)
        elif not escapes(state, seat, end, bow):  # a wall, or the end of the map
            drawn += _no_way(table, end, bow)
    return drawn


def _no_way(table: Table, cell: Cell, facing: Facing) -> str:
    """A cross at a side of a hex over which no move leads to another."""
    edge = towards(table.middle(cell), 60 * facing, 1.06 * table.radius)
    corners = [towards(edge, turn, 0.18 * table.radius) for turn in (45, 225, 135, 315)]
    cross = f"M{xy(corners[0])}L{xy(corners[1])}M{xy(corners[2])}L{xy(corners[3])}"
    return stroke(cross, RED, 2.4)


def _leaves(state: State, seat: Seat, mask: Mask | None) -> bool:
    """Whether the own plan, or a move after it, takes the ship off the map and out of the game."""
    if not planning(state) or is_out(state, seat):
        return False
    cells, bow = course(state, seat)
    if int(state["terrain"][cells[-1]]) == OFF_MAP:
        return not escapes(state, seat, cells[-2], bow)
    off_map = int(state["terrain"][beside(cells[-1], bow)]) == OFF_MAP
    moves = mask is not None and bool(mask[MOVE])
    return moves and off_map and not escapes(state, seat, cells[-1], bow)


# --- the map and everything on it ----------------------------------------------------------------


def draw_board(record: Record, look: Look, wide: float, depth: float) -> Block:
    """The panel with the map, all ships, and what they did in the last phase."""
    state, seat = record[0], look.seat
    (table, high), seats = table_of(state, wide, depth), range(int(state["seats"]))
    drawn = panel(0, 0, wide, high) + _numbers(state, table) + _terrain(state, table)
    drawn += _locations(state, table) + _way_out(state, table)
    if look.mask is not None and seat is not None and int(state["phase"]) == DEPLOY:
        drawn += _deployable(record, table, seat, look.mask)
    if seat is not None:
        drawn += _arc(state, table, seat)
    phases = last_turn(record) if int(state["phase"]) == PLAN else []
    recent = phases[-1:] if replaying(state) else phases
    gone = {ship: phase for phase in recent for ship in lost(phase)}
    left = {ship for ship, phase in gone.items() if move_of(phase, ship) == LEFT_MAP}
    wrecks = {
        ship: int(phase["was"][ship]) if ship in left else place_of(phase, ship)
        for ship, phase in gone.items()
    }
    spots = _spots(state, table, wrecks)
    below = "".join(_trail(gone[ship], table, ship) for ship in left)
    above = "".join(
        _gone(gone[ship], ship, spots[ship][0], table.radius * spots[ship][1]) for ship in wrecks
    )
    if phases:
        last = phases[-1]
        there = {ship: spot for ship, spot in spots.items() if ship not in wrecks}
        below += "".join(_waves(last, table, ship) for ship in seats)
        below += "".join(_trail(last, table, ship) for ship in seats if ship not in left)
        below += "".join(_landed(last, table, *each) for each in there.items())
        above += _shots(last, table, spots)
        above += "".join(_bump(last, table, ship) for ship in seats)
        above += "".join(_done(last, table, *each) for each in there.items())
    changes = "".join(
        _change(state, look, ship, ship in gone, spot, table.radius) for ship, spot in spots.items()
    )
    stale, old = (None, None) if _fresh(state, look) else (0.5, 0.75)
    drawn += group(below, opacity=stale)
    if seat is not None:
        drawn += _course(record, table, seat, look.mask)
    alive = {ship: spot for ship, spot in spots.items() if ship not in gone}
    drawn += "".join(_ship(state, table, *each) for each in alive.items())
    drawn += group(above, opacity=stale)
    drawn += "".join(_name_plate(state, *each, table.radius) for each in alive.items())
    drawn += group(changes, opacity=old)
    drawn += letters(_caption(state), 16, high - 13, LEAST, colour=CYAN)
    if seat is not None and _leaves(state, seat, look.mask):
        drawn += letters("OFF THE MAP: OUT", wide - 16, high - 13, LEAST, "end", RED)
    return Block(wide, high, drawn)


def _change(
    state: State, look: Look, seat: Seat, gone: bool, spot: tuple[Point, float], full: float
) -> str:
    """That a ship was deployed, or is out; or the hull that it has lost or gained: in the last
    turn, or in a phase of it that is shown.
    """
    below = int(state["facing"][seat]) == 3 and not gone  # its label is above
    (x, y), radius = spot[0], full * spot[1]
    place = x + 0.55 * radius, y + (0.5 if below else -0.5) * radius
    if gone:
        return happened(x, y, FELL)
    before = None if look.before is None else look.before[0]
    if before is not None and before["phase"] == DEPLOY and before["cell"][seat] == NONE:
        return happened(*place, CAME)
    if int(state["phase"]) != PLAN or not state["passed"]:
        return ""
    if not replaying(state):
        hull = int(state["before_hull"][seat])
    elif before is not None and before["battle"] == state["battle"]:
        hull = int(before["hull_left"][seat])
    else:
        return ""
    change = int(state["hull_left"][seat]) - hull
    return hull_changed(*place, change) if change else ""


def _fresh(state: State, look: Look) -> bool:
    """Whether what the last turn has brought is news: nothing of the next one is planned yet."""
    if not planning(state):
        return True
    if look.before is None:
        return bool(state["slot"] == 0)
    return bool(look.before["turns"][0] != state["turns"])


def _caption(state: State) -> str:
    """Which phase the map shows."""
    passed, phase = int(state["passed"]), int(state["phase"])
    if passed and phase == PLAN:
        if replaying(state):
            return f"TURN {int(state['turns'])}, PHASE {passed}"
        return f"LAST TURN, PHASE {passed}"
    waiting = {PLAN: "NO TURN HAS PASSED YET", UPGRADE: "BETWEEN TWO BATTLES"}
    return waiting.get(phase, "SHIPS TAKE THEIR PLACES")


def board_signs(state: State) -> list[tuple[str, str]]:
    """What the signs on the map mean: of this game's options."""
    size = 12.0
    shot = stroke("M-12 0h15", BRIGHT, 1.8) + star(5, 0, 7, BRIGHT)
    missed = stroke("M-12 0h14", BRIGHT, 2, stroke_dasharray="5 4")
    missed += stroke("M4-6q6 6 0 12", ICE, 2.6)
    hexagon = f"M{'L'.join(xy(towards((0, 0), 60 * f - 30, size - 1)) for f in range(6))}z"
    waves = "".join(disc(0, 0, r, "none", stroke=VIOLET, stroke_width=1.6) for r in (4, 8))
    waves += stroke(hexagon, VIOLET, 1, stroke_dasharray="2 3")
    moved = disc(-9, 0, 2.4, SILVER) + stroke("M-9 0h18", SILVER, 5, stroke_opacity=0.5)
    ahead = path(
        hexagon, fill=LIME, fill_opacity=0.1, stroke=LIME, stroke_width=1.6, stroke_dasharray="4 3"
    )
    arc = path(hexagon, fill=SILVER, fill_opacity=0.13, stroke=SILVER, stroke_dasharray="3 3")
    wall = path(hexagon, fill=_ROCK[2]) + stroke(hexagon, VIOLET, 1.6)
    signs = [
        (at(0, 17, path(_BOW, fill=SILVER), 2.2), "BOW"),
        (at(0, 17, stroke(_PLANNED, LIME, 0.8), 2.2), "PLANNED BOW"),
        (stroke("M-11 0h22", LIME, 2, stroke_dasharray="2 5"), "OWN COURSE"),
        (ahead, "NEXT MOVE"),
        (stroke("M-5-5l10 10m0-10l-10 10", RED, 2.4), "NO WAY AHEAD"),
        (arc, "OWN FIRE ARC"),
        (wall, "WALL"),
        (moved, "MOVED"),
        (at(11, 16, _turning(RIGHT, SILVER), 2.4), "TURNED"),
        (shot, "HIT"),
        (missed, "MISSED"),
        (star(0, 0, 9, AMBER) + star(0, 0, 4, BRIGHT), "RAMMED"),
        (waves, "EMP REACH"),
        (at(0, 0, stroke(BOLT, VIOLET, 3), 0.9), "HIT BY AN EMP"),
        (
            disc(0, 0, 10, "none", stroke=SILVER, stroke_width=1.6, stroke_dasharray="4 2.4"),
            "LANDED LAST PHASE",
        ),
        (hull_changed(0, 0, -1), "HULL CHANGE"),
        (happened(0, 0, FELL), "OUT"),
        (happened(0, 0, CAME), "PLACED"),
        (stroke("M-5 0h14m-5-5l5 5-5 5", RED, 2) + stroke("M-10-8V8", _EDGE, 2), "LEFT THE MAP"),
    ]
    goal = int(state["goal"])
    if goal == FLAGSHIP:
        signs.append((letters("*", 0, LEAST / 2, LEAST, "middle", BRIGHT), "FLAGSHIP"))
    if goal == SEIZE:
        place = stroke(hexagon, AMBER, 2) + at(0, 0, stroke(hexagon, AMBER, 2.6), 0.7)
        signs.append((place, "LOCATION"))
    if goal == BREAKTHROUGH:
        signs.append((stroke("M0-10V10", LIME, 4), "WAY OUT"))
    return signs
