"""The signs in Hovercrafts' pictures: ships, actions, stats, hulls."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from cyberdeck.drawing import svg
from cyberdeck.drawing.icons import icons_of
from cyberdeck.drawing.svg import at, box, group, number, path, stroke, target
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts.fields import Battle

Point: TypeAlias = tuple[float, float]

_craft: Final = icons_of(__package__)

COLOURS: Final = (svg.CYAN, svg.RED)  # of the teams

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
_INKS: Final = (svg.BRIGHT,) * 3 + (svg.SILVER, svg.VIOLET, svg.GREEN, svg.DIM)

_SHIELD: Final = "M0-9Q4-6.6 7.6-6.6V0Q7.6 6.4 0 10-7.6 6.4-7.6 0V-6.6Q-4-6.6 0-9z"
_SIGHT: Final = "M0-9V-3M0 9V3M-9 0H-3M9 0H3M6 0A6 6 0 1 1 6-.01"
BOLT: Final = "M2-9L-5 1.4H5L-2 9"
#: Those after hull.
STATS: Final = (
    (_SHIELD, "shield: defence"),
    (_SIGHT, "ballistic: fire"),
    (BOLT, "energy: actions"),
)


def icon(action: int, x: float, y: float, size: float, opacity: float = 1.0) -> str:
    """The sign of an action, *size* high."""
    scale = size / 20
    drawn = stroke(_ICONS[action], _INKS[action], min(2.6, 1.5 / scale))
    return group(at(x, y, drawn, scale), opacity=opacity if opacity < 1 else None)


def craft(team: int, colour: str) -> str:
    """A ship from above, its bow up, within -10 to 10."""
    return _craft(c.TEAMS[team], colour)


def star(x: float, y: float, radius: float, colour: str) -> str:
    """A burst of light."""
    rays = []
    for ray in range(16):
        reach = radius * (0.42 if ray % 2 else 1 if ray % 4 else 0.78)
        rays.append(towards((x, y), 22.5 * ray, reach))
    return path(f"M{'L'.join(xy(ray) for ray in rays)}z", fill=colour)


def towards(start: Point, degrees: float, reach: float) -> Point:
    """The point that far away in a direction, in degrees clockwise from north."""
    turn = math.radians(degrees)
    return start[0] + reach * math.sin(turn), start[1] - reach * math.cos(turn)


def xy(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def line(*points: Point) -> str:
    """The path from point to point."""
    return f"M{'L'.join(xy(point) for point in points)}"


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
    if choices is None or action not in choices:
        return content
    return target(content, [action], record.action_name(action))


def pips(x: float, y: float, wide: float, high: float, left: int, hull: int) -> str:
    """The hull as so many cells, filled as far as it is left."""
    gap = min(2.0, 0.28 * wide / hull)
    cell = (wide + gap) / hull - gap
    full = svg.GREEN if 2 * left > hull else svg.AMBER
    drawn = ""
    for place in range(hull):
        frame = x + place * (cell + gap), y, cell, high, min(1.5, cell / 4)
        empty = box(*frame, svg.NIGHT, stroke=svg.LINE, stroke_width=0.8)
        drawn += box(*frame, full) if place < left else empty
    return drawn
