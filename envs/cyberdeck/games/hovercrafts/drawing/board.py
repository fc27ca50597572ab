"""The map in Hovercrafts' pictures, and what the last phase did on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.lettering import width
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
    at,
    box,
    disc,
    group,
    kept,
    number,
    panel,
    path,
    stroke,
)
from cyberdeck.engine.kernels import Mask, Seat, State
from cyberdeck.games.hovercrafts.deployment import start_cell
from cyberdeck.games.hovercrafts.drawing.signs import (
    BOLT,
    COLOURS,
    Point,
    craft,
    pips,
    star,
    towards,
    xy,
)
from cyberdeck.games.hovercrafts.narration import (
    BROKE_THROUGH,
    CRASHED,
    LEFT_MAP,
    MOVED,
    column_row,
    course,
    fired,
    hexes,
    is_flagship,
    label,
    lost,
    move_of,
    place_of,
    planning,
)
from cyberdeck.games.hovercrafts.table import (
    BREAKTHROUGH,
    DEPLOY,
    EMP,
    FREE,
    LEFT,
    MOVE,
    NONE,
    OFF_MAP,
    PLACES,
    PLAN,
    RIGHT,
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

MAP: Final = (14, 68, 648, 612)  # its panel: left, top, width, height
_LARGEST: Final = 62.0  # a hex, from its middle to a corner
_ROCK: Final = ("#141a38", "#1a2146", "#212a55", "#2a3566")
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


def table_of(state: State) -> Table:
    """As large as the panel allows, in the middle of it."""
    wide, high = int(state["width"]), int(state["height"])
    across, down = 1.5 * wide + 0.5, _TALL * (high + (0.5 if wide > 1 else 0))
    x, y, room, depth = MAP[0] + 32, MAP[1] + 34, MAP[2] - 48, MAP[3] - 74
    radius = min(room / across, depth / down, _LARGEST)
    return Table(radius, x + (room - radius * across) / 2, y + (depth - radius * down) / 2)


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
        path(floor, fill="#081230", stroke="#1d2c5e", stroke_width=1)
        + _rock(table, [cell for cell in cells if terrain[cell] == WALL])
        + stroke(rim, VIOLET, 5, stroke_opacity=0.16)
        + stroke(rim, VIOLET, 1.6, stroke_opacity=0.8)
        + stroke(edge, "#56679f", 1.4, stroke_dasharray="3 4")
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
    size = min(8.5, max(6.0, 0.3 * table.radius))
    numbers = ""
    for column in range(int(state["width"])):
        x, _ = table.middle(cell_of(column, 0))
        numbers += letters(str(column), x, table.top - 7, size, "middle", DIM)
    for row in range(int(state["height"])):
        _, y = table.middle(cell_of(0, row))
        numbers += letters(str(row), table.left - 7, y + size / 2, size, "end", DIM)
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


def _ship(state: State, table: Table, seat: Seat) -> str:
    cell, facing = int(state["cell"][seat]), int(state["facing"][seat])
    team, radius = team_of(state, seat), table.radius
    colour = COLOURS[team]
    x, y = table.middle(cell)
    landed = bool(state["passed"] and state["landed"][seat])
    above = facing == 3  # there the bow points at where the label would be
    lift = 0.09 * radius * (1 if above else -1)
    scale = radius * (0.044 if landed else 0.052)
    drawn = at(x, y + lift, craft(team, colour), scale, 60 * facing)
    bow = at(x, y, path("M0-8.8L2.5-6.8H-2.5z", fill=colour), radius / 10, 60 * facing)
    ship = ""
    if landed:
        ring = disc(x, y + lift, 0.56 * radius, NIGHT, fill_opacity=0.6)
        ship += ring + disc(
            x, y + lift, 0.56 * radius, "none", stroke=SILVER, stroke_dasharray="5 3"
        )
    ship += drawn + bow
    turn = int(state["done"][seat])
    if state["passed"] and turn in (RIGHT, LEFT):
        ship += at(x, y + lift, _turning(turn, colour), radius / 10, 60 * facing)
    if state["passed"] and state["jammed"][seat]:
        bolt = stroke(BOLT, NIGHT, 6) + stroke(BOLT, VIOLET, 3)
        ship += at(x + 0.5 * radius, y + lift - 0.3 * radius, bolt, radius / 42)
    return ship + _name_plate(state, seat, x, y + (-0.64 if above else 0.64) * radius, radius)


def _turning(turn: int, colour: str) -> str:
    """An arrow on the way that the bow has come."""
    way = 1 if turn == RIGHT else -1
    start, end = towards((0, 0), -56 * way, 7), towards((0, 0), -17 * way, 7)
    tips = [towards(end, (-65 + tilt) * way, 1.7) for tilt in (-28, 28)]
    sweep = 1 if way > 0 else 0
    arrow = f"M{xy(start)}A7 7 0 0 {sweep} {xy(end)}M{xy(tips[0])}L{xy(end)}L{xy(tips[1])}"
    return stroke(arrow, colour, 0.5, stroke_opacity=0.9)


def _name_plate(state: State, seat: Seat, x: float, y: float, radius: float) -> str:
    """Name and hull, across a hex."""
    size = max(6.2, 0.27 * radius)
    name = label(state, seat) + ("*" if is_flagship(state, seat) else "")
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
    colour = COLOURS[team_of(state, seat)]
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    hulls = pips(left + wide + 0.1 * radius, y - 0.4 * size, bar, 0.8 * size, hull, total)
    return plate + letters(name, left, y + size / 2, size, colour=colour) + hulls


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
        return (
            way
            + _gone(state, table, seat, start)
            + stroke(
                f"M{xy(edge)}L{xy(tip)}M{xy(sides[0])}L{xy(tip)}L{xy(sides[1])}",
                RED if move == LEFT_MAP else LIME,
                max(1.6, 0.06 * radius),
            )
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


def _shots(state: State, table: Table) -> str:
    """Beams from ship to ship: one that hits bursts, one that misses ends at a shield."""
    shots, radius, seats = "", table.radius, range(int(state["seats"]))
    for attacker in seats:
        colour = COLOURS[team_of(state, attacker)]
        for target in seats:
            if not fired(state, attacker, target):
                continue
            start = table.middle(place_of(state, attacker))
            end = table.middle(place_of(state, target))
            degrees = math.degrees(math.atan2(end[0] - start[0], start[1] - end[1]))
            # Fire and returned fire pass each other on the right.
            start, end = (towards(point, degrees + 90, 0.12 * radius) for point in (start, end))
            start = towards(start, degrees, 0.5 * radius)
            if int(state["hit"][attacker]) >> target & 1:
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
                max(1.3, 0.04 * radius),
                stroke_dasharray="3 3.4",
            )
            shots += stroke(
                f"M{xy(guard[0])}A{number(bow)} {number(bow)} 0 0 1 {xy(guard[1])}",
                ICE,
                max(1.6, 0.06 * radius),
            )
    return shots


def _gone(state: State, table: Table, seat: Seat, place: Point) -> str:
    """A ship that is out, as a shadow with its name."""
    (x, y), radius = place, table.radius
    degrees = 60 * int(state["facing"][seat])
    drawn = at(x, y, craft(team_of(state, seat), DIM), 0.05 * radius, degrees)
    size = max(6.2, 0.27 * radius)
    name = letters(label(state, seat), x, y + 0.68 * radius + size / 2, size, "middle", BRIGHT)
    return group(drawn, opacity=0.8) + name


def _wreck(state: State, table: Table, seat: Seat) -> str:
    """A ship that the last phase has destroyed."""
    if move_of(state, seat) == LEFT_MAP:
        return ""
    place, radius = table.middle(place_of(state, seat)), table.radius
    wreck = star(*place, 0.85 * radius, "#5a2a20") + _gone(state, table, seat, place)
    return wreck + star(*place, 0.36 * radius, AMBER) + star(*place, 0.18 * radius, BRIGHT)


# --- what is legal, and the own plan -------------------------------------------------------------


def _deployable(state: State, table: Table, seat: Seat, mask: Mask) -> str:
    """The free hexes of the column, with the facings that may be chosen."""
    lit = ""
    for row in range(int(state["height"])):
        facings = mask[PLACES + 6 * row : PLACES + 6 * row + 6]
        if not facings.any():
            continue
        cell = start_cell(state, seat, row)
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


def _course(state: State, table: Table, seat: Seat, mask: Mask | None) -> str:
    """Where the own plan leads if nobody is in the way, and the next hex that a move would take."""
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
        ghost = craft(team_of(state, seat), colour)
        tip = path("M0-16.7L4-13.3H-4z", fill=LIME)
        drawn += at(*table.middle(end), group(ghost, opacity=0.4) + tip, 0.052 * radius, 60 * bow)
    ahead = beside(end, bow)
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
            edge = towards(table.middle(end), 60 * bow, radius * _TALL / 2)
            corners = [towards(edge, turn, 0.18 * radius) for turn in (45, 225, 135, 315)]
            drawn += stroke(
                f"M{xy(corners[0])}L{xy(corners[1])}M{xy(corners[2])}L{xy(corners[3])}", RED, 2
            )
    return drawn


# --- the map and everything on it ----------------------------------------------------------------


def draw_board(state: State, seat: Seat, mask: Mask | None) -> str:
    """The panel with the map, all ships, and what they did in the last phase."""
    table, seats = table_of(state), range(int(state["seats"]))
    here = [ship for ship in seats if int(state["cell"][ship]) != NONE]
    drawn = panel(*MAP) + _numbers(state, table) + _terrain(state, table)
    drawn += _locations(state, table) + _way_out(state, table)
    if mask is not None and int(state["phase"]) == DEPLOY:
        drawn += _deployable(state, table, seat, mask)
    drawn += _arc(state, table, seat)
    fought = state["passed"] and int(state["phase"]) == PLAN
    if fought:
        drawn += "".join(_waves(state, table, ship) for ship in seats)
        drawn += "".join(_trail(state, table, ship) for ship in seats)
    drawn += _course(state, table, seat, mask)
    if fought:
        drawn += "".join(_wreck(state, table, ship) for ship in lost(state))
    drawn += "".join(_ship(state, table, ship) for ship in here)
    if fought:
        drawn += _shots(state, table)
        drawn += "".join(_bump(state, table, ship) for ship in seats)
    return drawn + _caption(state)


def _caption(state: State) -> str:
    """Which phase the map shows, and the signs for what happened in it."""
    left, y = MAP[0] + 16, MAP[1] + MAP[3] - 13
    passed, phase = int(state["passed"]), int(state["phase"])
    if not passed or phase != PLAN:
        waiting = {PLAN: "NO TURN HAS PASSED YET", UPGRADE: "BETWEEN TWO BATTLES"}
        return letters(waiting.get(phase, "SHIPS TAKE THEIR PLACES"), left, y, 8, colour=DIM)
    turn = int(state["turns"])  # has ended, even where its phases are shown once more
    caption = letters(f"AFTER TURN {turn}, PHASE {passed}", left, y, 8, colour=CYAN)
    x, middle = MAP[0] + 284.0, y - 4
    beam = f"M{number(x)} {number(middle)}h22"
    caption += stroke(beam, BRIGHT, 1.6) + star(x + 24, middle, 6, BRIGHT)
    caption += letters("HIT", x + 36, y, 8, colour=DIM)
    x += 76
    caption += stroke(f"M{number(x)} {number(middle)}h20", BRIGHT, 1.3, stroke_dasharray="3 3.4")
    caption += stroke(f"M{number(x + 20)} {number(middle - 6)}q6 6 0 12", ICE, 1.8)
    caption += letters("MISS", x + 32, y, 8, colour=DIM)
    x += 78
    caption += star(x, middle, 7, AMBER) + letters("CRASH", x + 12, y, 8, colour=DIM)
    x += 68
    for radius in (3, 7):
        caption += disc(x, middle, radius, "none", stroke=VIOLET, stroke_width=1.4)
    caption += letters("EMP", x + 13, y, 8, colour=DIM)
    x += 52
    caption += disc(x, middle, 7, "none", stroke=SILVER, stroke_dasharray="4 2.4")
    return caption + letters("LANDED", x + 13, y, 8, colour=DIM)
