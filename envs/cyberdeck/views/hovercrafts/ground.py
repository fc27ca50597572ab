"""The ground in Hovercrafts' pictures: where the hexes lie, walls, locations, the way out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import kept, path, shade, stroke
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts import signs
from cyberdeck.views.hovercrafts.fields import Battle, beside, cell_of, column_row

_LARGEST: Final = 62.0  # a hex, from its middle to a corner
ROCK: Final = (
    shade("#141a38", "#8d97b8"),
    shade("#1a2146", "#9ba5c5"),
    shade("#212a55", "#abb5d2"),
    shade("#2a3566", "#bcc5de"),
)
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

    def middle(self, cell: int) -> signs.Point:
        column, row = column_row(cell)
        return (
            self.left + self.radius * (1 + 1.5 * column),
            self.top + self.radius * TALL * (0.5 + row + 0.5 * (column & 1)),
        )

    def corners(self, cell: int, share: float = 1) -> list[signs.Point]:
        """The corners of a hex; number f and f + 1 bound the side at facing f."""
        middle = self.middle(cell)
        return [signs.towards(middle, 60 * f - 30, share * self.radius) for f in range(6)]

    def edge(self, cell: int, facing: int) -> signs.Point:
        """The middle of a side."""
        return signs.towards(self.middle(cell), 60 * facing, self.radius * TALL / 2)

    @kept
    def outline(self, cell: int, share: float = 1) -> str:
        return f"{signs.line(*self.corners(cell, share))}z"

    @kept
    def side(self, cell: int, facing: int) -> str:
        corners = self.corners(cell)
        return signs.line(corners[facing], corners[(facing + 1) % 6])


def table_of(record: Battle, room: float, depth: float) -> tuple[Table, float]:
    """The map as large as it may be, *depth* at most, in the middle of *room*; and its height."""
    wide, high = record.width, record.height
    across, down = 1.5 * wide + 0.5, TALL * (high + (0.5 if wide > 1 else 0))
    free = room - _LEFT - _RIGHT
    radius = min(free / across, (depth - _TOP - _BELOW) / down, _LARGEST)
    table = Table(radius, _LEFT + (free - radius * across) / 2, _TOP)
    return table, _TOP + radius * down + _BELOW


def ground(record: Battle, table: Table) -> str:
    """The map without ships."""
    drawn = _numbers(record, table) + _terrain(record, table) + _locations(record, table)
    if record.goal == c.BREAKTHROUGH:  # the edge over which attackers escape
        rows, ways = range(record.height), range(c.WESTWARD, 6)
        sides = [table.side(cell_of(0, row), facing) for row in rows for facing in ways]
        drawn += stroke("".join(sides), svg.LIME, 3, stroke_opacity=0.8)
    return drawn


def _numbers(record: Battle, table: Table) -> str:
    """Columns along the top, rows down the left."""
    numbers = ""
    for column in range(record.width):
        x, _ = table.middle(cell_of(column, 0))
        numbers += letters(str(column), x, table.top - 8, LEAST, "middle", svg.DIM)
    for row in range(record.height):
        _, y = table.middle(cell_of(0, row))
        numbers += letters(str(row), table.left - 6, y + LEAST / 2, LEAST, "end", svg.DIM)
    return numbers


def _terrain(record: Battle, table: Table) -> str:
    terrain, rows, columns = record.terrain, range(record.height), range(record.width)
    cells = [cell_of(column, row) for row in rows for column in columns]
    free = [cell for cell in cells if terrain[cell] == c.FREE]
    floor = "".join(table.outline(cell) for cell in free)
    sides: dict[int, list[str]] = {c.WALL: [], c.OFF_MAP: []}
    for cell in free:
        for facing in range(6):
            beyond = terrain[beside(cell, facing)]
            if beyond in sides:
                sides[beyond].append(table.side(cell, facing))
    rim, edge = "".join(sides[c.WALL]), "".join(sides[c.OFF_MAP])
    return (
        path(floor, fill=_FLOOR, stroke=_SEAM, stroke_width=1)
        + _rock(table, [cell for cell in cells if terrain[cell] == c.WALL])
        + stroke(rim, svg.VIOLET, 5, stroke_opacity=0.16)
        + stroke(rim, svg.VIOLET, 1.6, stroke_opacity=0.8)
        + stroke(edge, EDGE, 1.4, stroke_dasharray="3 4")
    )


def _rock(table: Table, walls: list[int]) -> str:
    """Walls as rough rock: six facets to a hex, lit from the upper left."""
    facets: list[list[str]] = [[] for _ in ROCK]
    for cell in walls:
        rough = cell * 2654435761 >> 7  # a fixed hash: the same rock in every picture
        x, y = table.middle(cell)
        peak = (
            x + table.radius * ((rough & 7) - 3.5) / 14,
            y + table.radius * ((rough >> 3 & 7) - 3.5) / 14,
        )
        corners = table.corners(cell)
        for facing in range(6):
            light = (2, 1, 0, 0, 1, 3)[facing] + (rough >> 6 + facing & 1)
            facet = f"{signs.line(peak, corners[facing], corners[(facing + 1) % 6])}z"
            facets[min(light, len(ROCK) - 1)].append(facet)
    below = "".join(table.outline(cell) for cell in walls)  # shows in the seams, too
    return path(below, fill=ROCK[1]) + "".join(
        path("".join(facet), fill=colour)
        for facet, colour in zip(facets, ROCK, strict=True)
        if colour != ROCK[1] and facet
    )


def _locations(record: Battle, table: Table) -> str:
    """The hexes to be seized, in the colour of the team that stands on them."""
    drawn = ""
    for cell in record.location:
        if cell == c.NONE:
            continue
        held = cell in record.cell
        colour = signs.COLOURS[record.team_of(record.cell.index(cell))] if held else svg.AMBER
        drawn += path(table.outline(cell, 0.9), fill=colour, fill_opacity=0.14)
        for share in (0.9, 0.74):
            drawn += stroke(table.outline(cell, share), colour, 2, stroke_opacity=0.85)
    return drawn
