"""The signs in Hovercrafts' pictures: ships, actions, stats, hulls; the ground, and where its hexes
lie; and what ships did in a phase, as it is marked on the map.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from cyberdeck.common.tables import table_of
from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import CAME, LEAST, WENT, small, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import at, box, disc, group, kept, number, path, shade, stroke, target
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts import story
from cyberdeck.views.hovercrafts.fields import Battle, around, cell_of, column_row
from cyberdeck.views.view import Event

Point: TypeAlias = tuple[float, float]

COLOURS: Final = (svg.CYAN, svg.RED)  # of the teams
_INKS: Final = (svg.BRIGHT,) * 3 + (svg.SILVER, svg.VIOLET, svg.GREEN, svg.DIM)  # of actions

#: Lines, colours and words that stand in a file.
DATA: Final = table_of(__package__, "signs.toml")

#: Where a ship looks: a tip at that side of its hex, 10 from the middle to a corner.
BOW: Final = "M0-8.8L2.5-6.8H-2.5z"

_craft: Final = svg.icons_of(__package__)


def icon(action: int, x: float, y: float, size: float, opacity: float = 1.0) -> str:
    """The sign of an action, *size* high."""
    scale = size / 20
    drawn = stroke(DATA["actions"][action], _INKS[action], min(2.6, 1.5 / scale))
    return group(at(x, y, drawn, scale), opacity=opacity if opacity < 1 else None)


def hidden(x: float, y: float, size: float) -> str:
    """The sign for an action that is decided, and hidden: a lock."""
    return at(x, y, stroke(DATA["lock"], svg.SILVER, min(2.6, 30 / size)), size / 20)


def craft(team: int, colour: str) -> str:
    """A ship from above, its bow up, within -10 to 10."""
    return _craft(c.TEAMS[team], colour)


def star(x: float, y: float, radius: float, colour: str) -> str:
    """A burst of light."""
    reaches = [0.42 if ray % 2 else 1 if ray % 4 else 0.78 for ray in range(16)]
    rays = [towards((x, y), 22.5 * ray, radius * reach) for ray, reach in enumerate(reaches)]
    return path(f"{line(*rays)}z", fill=colour)


def towards(start: Point, degrees: float, reach: float) -> Point:
    """The point that far away in a direction, in degrees clockwise from north."""
    turn = math.radians(degrees)
    return start[0] + reach * math.sin(turn), start[1] - reach * math.cos(turn)


def xy(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def line(*points: Point) -> str:
    """The path from point to point."""
    return f"M{'L'.join(map(xy, points))}"


def colour_of(record: Battle, seat: int) -> str:
    return COLOURS[record.team_of(seat)]


def ship(record: Battle, seat: int, size: float, x: float, y: float, colour: str = "") -> str:
    """A ship as it faces, *size* to an edge, in its team's colour or another."""
    drawn = craft(record.team_of(seat), colour or colour_of(record, seat))
    return at(x, y, drawn, size / 10, 60 * record.facing[seat])


def marked(d: str, colour: str, **ink: float | str) -> str:
    """An area that is only touched with a colour."""
    return path(d, fill=colour, fill_opacity=0.13, stroke=colour, **ink)


def chosen(record: Battle, choices: tuple[int, ...] | None, action: int, content: str) -> str:
    """*content* as what stands for an action, if that can be chosen."""
    legal = [action] if action in (choices or ()) else []
    return target(content, legal, record.action_name(action))


def pips(x: float, y: float, wide: float, high: float, left: int, hull: int) -> str:
    """The hull as so many cells, filled as far as it is left."""
    gap = min(2.0, 0.28 * wide / hull)
    cell = (wide + gap) / hull - gap
    full, drawn = svg.GREEN if 2 * left > hull else svg.AMBER, ""
    for place in range(hull):
        frame = x + place * (cell + gap), y, cell, high, min(1.5, cell / 4)
        empty = box(*frame, svg.NIGHT, stroke=svg.LINE, stroke_width=0.8)
        drawn += box(*frame, full) if place < left else empty
    return drawn


# --- the ground ----------------------------------------------------------------------------------

_LARGEST: Final = 62.0  # a hex, from its middle to a corner
ROCK: Final = tuple(shade(*pair) for pair in DATA["rock"])
_FLOOR: Final = shade("#081230", "#f7f9ff")
_SEAM: Final = shade("#2b3b74", "#c3cde8")
EDGE: Final = shade("#56679f", "#6d7cae")
_LEFT, _TOP, _RIGHT, _BELOW = 30, 28, 12, 34  # around the hexes: rows, columns, the caption
TALL: Final = math.sqrt(3)  # of a hex, for a radius of 1


@dataclass(frozen=True)
class Table:
    """Where the hexes lie in the picture."""

    radius: float
    left: float
    top: float

    def middle(self, cell: int) -> Point:
        column, row = column_row(cell)
        return (
            self.left + self.radius * (1 + 1.5 * column),
            self.top + self.radius * TALL * (0.5 + row + 0.5 * (column & 1)),
        )

    def corners(self, cell: int, share: float = 1) -> list[Point]:
        """The corners of a hex; number f and f + 1 bound the side at facing f."""
        middle = self.middle(cell)
        return [towards(middle, 60 * f - 30, share * self.radius) for f in range(6)]

    def edge(self, cell: int, facing: int) -> Point:
        """The middle of a side."""
        return towards(self.middle(cell), 60 * facing, self.radius * TALL / 2)

    @kept
    def outline(self, cell: int, share: float = 1) -> str:
        return f"{line(*self.corners(cell, share))}z"

    @kept
    def side(self, cell: int, facing: int) -> str:
        corners = self.corners(cell)
        return line(corners[facing], corners[(facing + 1) % 6])


def table_within(record: Battle, room: float, depth: float) -> tuple[Table, float]:
    """The map as large as it may be, *depth* at most, in the middle of *room*; and its height."""
    wide, high = record.width, record.height
    across, down = 1.5 * wide + 0.5, TALL * (high + (0.5 if wide > 1 else 0))
    free = room - _LEFT - _RIGHT
    radius = min(free / across, (depth - _TOP - _BELOW) / down, _LARGEST)
    table = Table(radius, _LEFT + (free - radius * across) / 2, _TOP)
    return table, _TOP + radius * down + _BELOW


def ground(record: Battle, table: Table) -> str:
    """The map without ships: with its columns along the top, its rows down the left."""
    drawn, rows, columns = "", range(record.height), range(record.width)
    for column in columns:
        x, _ = table.middle(cell_of(column, 0))
        drawn += small(str(column), x, table.top - 8, svg.DIM, "middle")
    for row in rows:
        _, y = table.middle(cell_of(0, row))
        drawn += small(str(row), table.left - 6, y + LEAST / 2, svg.DIM, "end")
    terrain, cells = record.terrain, [cell_of(column, row) for row in rows for column in columns]
    free = [cell for cell in cells if terrain[cell] == c.FREE]
    sides: dict[int, list[str]] = {c.WALL: [], c.OFF_MAP: []}
    for cell in free:
        for facing, near in enumerate(around(cell)):
            if terrain[near] in sides:
                sides[terrain[near]].append(table.side(cell, facing))
    rim, edge = "".join(sides[c.WALL]), "".join(sides[c.OFF_MAP])
    drawn += path("".join(map(table.outline, free)), fill=_FLOOR, stroke=_SEAM, stroke_width=1)
    drawn += _rock(table, [cell for cell in cells if terrain[cell] == c.WALL])
    drawn += stroke(rim, svg.VIOLET, 5, stroke_opacity=0.16)
    drawn += stroke(rim, svg.VIOLET, 1.6, stroke_opacity=0.8)
    drawn += stroke(edge, EDGE, 1.4, stroke_dasharray="3 4")
    for cell in record.location:  # to be seized: in the colour of the team that stands there
        if cell != c.NONE:
            there = record.cell.index(cell) if cell in record.cell else None
            colour = svg.AMBER if there is None else colour_of(record, there)
            drawn += path(table.outline(cell, 0.9), fill=colour, fill_opacity=0.14)
            for share in (0.9, 0.74):
                drawn += stroke(table.outline(cell, share), colour, 2, stroke_opacity=0.85)
    if record.goal == c.BREAKTHROUGH:  # the edge over which attackers escape
        ways = range(c.WESTWARD, 6)
        way_out = "".join(table.side(cell_of(0, row), facing) for row in rows for facing in ways)
        drawn += stroke(way_out, svg.LIME, 3, stroke_opacity=0.8)
    return drawn


def _rock(table: Table, walls: list[int]) -> str:
    """Walls as rough rock: six facets to a hex, lit from the upper left."""
    facets: list[str] = [""] * len(ROCK)
    for cell in walls:
        rough = cell * 2654435761 >> 7  # a fixed hash: the same rock in every picture
        (x, y), corners = table.middle(cell), table.corners(cell)
        peak = (
            x + table.radius * ((rough & 7) - 3.5) / 14,
            y + table.radius * ((rough >> 3 & 7) - 3.5) / 14,
        )
        for facing in range(6):
            light = (2, 1, 0, 0, 1, 3)[facing] + (rough >> 6 + facing & 1)
            facet = f"{line(peak, corners[facing], corners[(facing + 1) % 6])}z"
            facets[min(light, len(ROCK) - 1)] += facet
    below = "".join(map(table.outline, walls))  # shows in the seams, too
    return path(below, fill=ROCK[1]) + "".join(
        path(facet, fill=colour)
        for facet, colour in zip(facets, ROCK, strict=True)
        if colour != ROCK[1] and facet
    )


# --- what ships did in a phase -------------------------------------------------------------------


class Spot(NamedTuple):
    """Where a ship is drawn, in a hex of that radius: smaller, if two share one."""

    x: float
    y: float
    radius: float


def lift(record: Battle, seat: int, radius: float) -> float:
    """How far a ship is moved to make room for its label: below it, or above if it faces south."""
    return 0.09 * radius * (1 if record.facing[seat] == 3 else -1)


def below_ships(
    record: Battle, table: Table, events: Sequence[Event], spots: dict[int, Spot]
) -> str:
    """EMPs, where ships have moved, and the rings of those that have landed."""
    landed = [event for event in events if isinstance(event, story.Landed)]
    drawn = "".join(_waves(record, table, each.cell) for each in landed if each.action == c.EMP)
    drawn += "".join(trail(record, table, move) for move in events if isinstance(move, story.Move))
    for seat in (each.seat for each in landed if each.seat in spots):
        x, y, radius = spots[seat]
        ring = x, y + lift(record, seat, radius), 0.6 * radius
        drawn += disc(*ring, svg.NIGHT, fill_opacity=0.6)
        drawn += disc(*ring, "none", stroke_width=1.6, stroke=svg.SILVER, stroke_dasharray="5 3")
    return drawn


def trail(record: Battle, table: Table, move: story.Move) -> str:
    """How a ship has moved, or tried to."""
    radius, colour = table.radius, colour_of(record, move.seat)
    start, facing = table.middle(move.start), record.facing[move.seat]
    if isinstance(move, story.Moved) or (isinstance(move, story.Rammed) and move.moved):
        way = line(start, table.middle(move.ahead))
        return (
            disc(*start, 0.14 * radius, colour, fill_opacity=0.5)
            + stroke(way, colour, 0.2 * radius, stroke_opacity=0.28)
            + disc(*start, 0.24 * radius, "none", stroke=colour, stroke_opacity=0.5)
        )
    edge = table.edge(move.start, facing)
    drawn = stroke(line(start, edge), colour, 0.1 * radius, stroke_dasharray="4 4", opacity=0.7)
    if isinstance(move, story.LeftMap | story.BrokeThrough):
        escaped = isinstance(move, story.BrokeThrough)
        tip = towards(edge, 60 * facing, 0.4 * radius)
        sides = [towards(tip, 60 * facing + turn, 0.3 * radius) for turn in (150, 210)]
        drawn += gone(record, move.seat, Spot(*start, radius)) if escaped else ""
        arrow = line(edge, tip) + line(sides[0], tip, sides[1])
        drawn += stroke(arrow, svg.LIME if escaped else svg.RED, max(1.6, 0.06 * radius))
    return drawn


def gone(record: Battle, seat: int, spot: Spot) -> str:
    """A ship that is out, as a shadow with its name."""
    x, y, radius = spot
    size = max(LEAST, 0.25 * radius)
    name = letters(record.label(seat), x, y + 0.68 * radius + size / 2, size, "middle", svg.BRIGHT)
    return group(ship(record, seat, 0.5 * radius, x, y, svg.DIM), opacity=0.8) + name


def _waves(record: Battle, table: Table, cell: int) -> str:
    """An EMP: waves around its user, and the hexes that it reaches."""
    free = [near for near in around(cell) if record.terrain[near] == c.FREE]
    reach = "".join(table.outline(near, 0.8) for near in free)
    drawn = marked(reach, svg.VIOLET, stroke_dasharray="2 3")
    for share, light in ((0.7, 1), (0.95, 0.7), (1.25, 0.5)):
        wave = *table.middle(cell), table.radius * share
        drawn += disc(*wave, "none", stroke=svg.VIOLET, stroke_width=1.8, stroke_opacity=light)
    return drawn


def above_ships(
    record: Battle, table: Table, events: Sequence[Event], spots: dict[int, Spot]
) -> str:
    """Shots, who has rammed what, and that ships have turned, landed, or were hit by an EMP."""
    shots = rams = done = ""
    for event in events:
        colour = colour_of(record, event.seat)
        if isinstance(event, story.Shot):
            way = spots[event.seat], spots[event.target]
            shots += _shot(*way, event.hit, colour, table.radius)
        elif isinstance(event, story.Rammed | story.Crashed):
            edge = table.edge(event.start, record.facing[event.seat])
            rams += star(*edge, 0.32 * table.radius, svg.AMBER)
            rams += star(*edge, 0.16 * table.radius, svg.BRIGHT)
        if event.seat not in spots or record.cell[event.seat] == c.NONE:
            continue
        x, y, radius = spots[event.seat]
        size, left = max(12.0, 0.36 * radius), x - 0.55 * radius
        ground_ = disc(0, 0, 0.62 * size, svg.NIGHT, fill_opacity=0.85)
        if isinstance(event, story.Turned):
            turn = 60 * record.facing[event.seat]
            done += at(x, y, turning(event.way, colour), radius / 10, turn)
        elif isinstance(event, story.Landed):
            done += at(left, y - 0.42 * radius, ground_ + icon(event.action, 0, 0, size))
        elif isinstance(event, story.Jammed):
            bolt = at(0, 0, stroke(DATA["bolt"], svg.VIOLET, 3), size / 20)
            done += at(left, y + 0.3 * radius, ground_ + bolt)
    return shots + rams + done


def turning(turn: int, colour: str) -> str:
    """From where the bow was to where it is: the old tip, hollow, and an arrow from it."""
    way = 1 if turn == c.RIGHT else -1
    start, end = towards((0, 0), -44 * way, 7.7), towards((0, 0), -20 * way, 7.7)
    tips = [towards(end, (-74 + tilt) * way, 2.6) for tilt in (-38, 38)]
    arrow = f"M{xy(start)}A7.7 7.7 0 0 {max(way, 0)} {xy(end)}{line(tips[0], end, tips[1])}"
    old = at(0, 0, path(BOW, fill=svg.NIGHT, stroke=colour, stroke_width=0.45), turn=-60 * way)
    return old + stroke(arrow, svg.NIGHT, 1.7) + stroke(arrow, colour, 0.8)


def _shot(attacker: Spot, aim: Spot, hit: bool, colour: str, radius: float) -> str:
    """A beam from ship to ship: one that hits bursts, one that misses ends at a shield."""
    start, end = attacker[:2], aim[:2]
    degrees = math.degrees(math.atan2(end[0] - start[0], start[1] - end[1]))
    # Fire and returned fire pass each other on the right.
    start, end = (towards(point, degrees + 90, 0.12 * radius) for point in (start, end))
    start = towards(start, degrees, 0.5 * radius)
    end = towards(end, degrees + 180, (0.3 if hit else 0.58) * radius)
    beam = line(start, end)
    if hit:
        return (
            stroke(beam, colour, max(4.0, 0.16 * radius), stroke_opacity=0.35)
            + stroke(beam, svg.BRIGHT, max(1.6, 0.05 * radius))
            + star(*end, 0.27 * radius, colour)
            + star(*end, 0.13 * radius, svg.BRIGHT)
        )
    guard = [towards(end, degrees + turn, 0.2 * radius) for turn in (-90, 90)]
    bow = number(0.3 * radius)
    shield = f"M{xy(guard[0])}A{bow} {bow} 0 0 1 {xy(guard[1])}"
    drawn = stroke(beam, colour, max(2.0, 0.05 * radius), stroke_dasharray="5 4")
    return drawn + stroke(shield, svg.ICE, max(2.6, 0.07 * radius))


@kept
def hull_changed(x: float, y: float, change: int) -> str:
    """How much hull a ship has lost, or gained."""
    words = f"{CAME if change > 0 else WENT}{abs(change)}"
    wide = width(words, LEAST) + 10
    pill = box(x - wide / 2, y - 9, wide, 18, 9, svg.BRIGHT, stroke=svg.NIGHT, stroke_width=2)
    return pill + letters(words, x, y + LEAST / 2, LEAST, "middle", svg.NIGHT, 2)
