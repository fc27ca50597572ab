"""What ships did in a phase, as it is marked on Hovercrafts' map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import CAME, LEAST, WENT, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import at, box, disc, group, kept, number, path, stroke
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts.fields import beside, label, team_of
from cyberdeck.views.hovercrafts.ground import Table
from cyberdeck.views.hovercrafts.signs import (
    BOLT,
    COLOURS,
    craft,
    icon,
    line,
    star,
    towards,
    xy,
)
from cyberdeck.views.hovercrafts.story import (
    BrokeThrough,
    Crashed,
    Jammed,
    Landed,
    LeftMap,
    Move,
    Moved,
    Rammed,
    Shot,
    Turned,
)
from cyberdeck.views.record import Record
from cyberdeck.views.view import Event


class Spot(NamedTuple):
    """Where a ship is drawn, in a hex of that radius: smaller, if two share one."""

    x: float
    y: float
    radius: float


#: Where a ship looks: a tip at that side of its hex, 10 from the middle to a corner.
BOW: Final = "M0-8.8L2.5-6.8H-2.5z"


def lift(facing: int, radius: float) -> float:
    """How far a ship is moved to make room for its label: below it, or above if it faces south."""
    return 0.09 * radius * (1 if facing == 3 else -1)


# --- below the ships -----------------------------------------------------------------------------


def below(record: Record, table: Table, events: Sequence[Event], spots: dict[int, Spot]) -> str:
    """EMPs, where ships have moved, and the rings of those that have landed."""
    landed = [event for event in events if isinstance(event, Landed)]
    drawn = "".join(_waves(record, table, each.cell) for each in landed if each.action == c.EMP)
    drawn += "".join(trail(record, table, event) for event in events if isinstance(event, Move))
    for seat in (each.seat for each in landed if each.seat in spots):
        x, y, radius = spots[seat]
        ring = x, y + lift(record.facing[seat], radius), 0.6 * radius
        drawn += disc(*ring, svg.NIGHT, fill_opacity=0.6)
        drawn += disc(*ring, "none", stroke=svg.SILVER, stroke_width=1.6, stroke_dasharray="5 3")
    return drawn


def trail(record: Record, table: Table, move: Move) -> str:
    """How a ship has moved, or tried to."""
    radius, colour = table.radius, COLOURS[team_of(record, move.seat)]
    start, degrees = table.middle(move.start), 60 * record.facing[move.seat]
    if isinstance(move, Moved) or (isinstance(move, Rammed) and move.moved):
        way = line(start, table.middle(move.ahead))
        return (
            disc(*start, 0.14 * radius, colour, fill_opacity=0.5)
            + stroke(way, colour, 0.2 * radius, stroke_opacity=0.28)
            + disc(*start, 0.24 * radius, "none", stroke=colour, stroke_opacity=0.5)
        )
    edge = table.edge(move.start, record.facing[move.seat])
    drawn = stroke(line(start, edge), colour, 0.1 * radius, stroke_dasharray="4 4", opacity=0.7)
    if isinstance(move, LeftMap | BrokeThrough):
        escaped = isinstance(move, BrokeThrough)
        tip = towards(edge, degrees, 0.4 * radius)
        sides = [towards(tip, degrees + turn, 0.3 * radius) for turn in (150, 210)]
        drawn += gone(record, move.seat, Spot(*start, radius)) if escaped else ""
        arrow = line(edge, tip) + line(sides[0], tip, sides[1])
        drawn += stroke(arrow, svg.LIME if escaped else svg.RED, max(1.6, 0.06 * radius))
    return drawn


def gone(record: Record, seat: int, spot: Spot) -> str:
    """A ship that is out, as a shadow with its name."""
    x, y, radius = spot
    shadow = craft(team_of(record, seat), svg.DIM)
    size = max(LEAST, 0.25 * radius)
    name = letters(label(record, seat), x, y + 0.68 * radius + size / 2, size, "middle", svg.BRIGHT)
    return group(at(x, y, shadow, 0.05 * radius, 60 * record.facing[seat]), opacity=0.8) + name


def _waves(record: Record, table: Table, cell: int) -> str:
    """An EMP: waves around its user, and the hexes that it reaches."""
    around = [beside(cell, facing) for facing in range(6)]
    free = [near for near in around if record.terrain[near] == c.FREE]
    reach = "".join(table.outline(near, 0.8) for near in free)
    rings = path(
        reach, fill=svg.VIOLET, fill_opacity=0.12, stroke=svg.VIOLET, stroke_dasharray="2 3"
    )
    for share, opacity in ((0.7, 1), (0.95, 0.7), (1.25, 0.5)):
        ring = *table.middle(cell), table.radius * share
        ink = {"stroke": svg.VIOLET, "stroke_width": 1.8, "stroke_opacity": opacity}
        rings += disc(*ring, "none", **ink)
    return rings


# --- above them ----------------------------------------------------------------------------------


def above(record: Record, table: Table, events: Sequence[Event], spots: dict[int, Spot]) -> str:
    """Shots, who has rammed what, and what ships did that is not seen otherwise."""
    drawn = ""
    for event in events:
        if isinstance(event, Shot):
            colour = COLOURS[team_of(record, event.seat)]
            drawn += _shot(spots[event.seat], spots[event.target], event.hit, colour, table.radius)
    for event in events:
        if isinstance(event, Rammed | Crashed):
            edge = table.edge(event.start, record.facing[event.seat])
            drawn += star(*edge, 0.32 * table.radius, svg.AMBER)
            drawn += star(*edge, 0.16 * table.radius, svg.BRIGHT)
    for event in events:
        if event.seat in spots and record.cell[event.seat] != c.NONE:
            drawn += _done(record, event, spots[event.seat])
    return drawn


def _done(record: Record, event: Event, spot: Spot) -> str:
    """That a ship has turned or landed, or was hit by an EMP."""
    x, y, radius = spot
    size, beside_it = max(12.0, 0.36 * radius), x - 0.55 * radius
    if isinstance(event, Turned):
        sign = turning(event.way, COLOURS[team_of(record, event.seat)])
        return at(x, y, sign, radius / 10, 60 * record.facing[event.seat])
    if isinstance(event, Landed):
        return _backed(icon(event.action, 0, 0, size), beside_it, y - 0.42 * radius, size)
    if isinstance(event, Jammed):
        bolt = at(0, 0, stroke(BOLT, svg.VIOLET, 3), size / 20)
        return _backed(bolt, beside_it, y + 0.3 * radius, size)
    return ""


def _backed(sign: str, x: float, y: float, size: float) -> str:
    return at(x, y, disc(0, 0, 0.62 * size, svg.NIGHT, fill_opacity=0.85) + sign)


def turning(turn: int, colour: str) -> str:
    """From where the bow was to where it is: the old tip, hollow, and an arrow from it."""
    way = 1 if turn == c.RIGHT else -1
    start, end = towards((0, 0), -44 * way, 7.7), towards((0, 0), -20 * way, 7.7)
    tips = [towards(end, (-74 + tilt) * way, 2.6) for tilt in (-38, 38)]
    arrow = f"M{xy(start)}A7.7 7.7 0 0 {max(way, 0)} {xy(end)}{line(tips[0], end, tips[1])}"
    turned = f"rotate({-60 * way})"
    old = path(BOW, fill=svg.NIGHT, stroke=colour, stroke_width=0.45, transform=turned)
    return old + stroke(arrow, svg.NIGHT, 1.7) + stroke(arrow, colour, 0.8)


def _shot(attacker: Spot, target: Spot, hit: bool, colour: str, radius: float) -> str:
    """A beam from ship to ship: one that hits bursts, one that misses ends at a shield."""
    start, end = attacker[:2], target[:2]
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
    return stroke(beam, colour, max(2.0, 0.05 * radius), stroke_dasharray="5 4") + stroke(
        shield, svg.ICE, max(2.6, 0.07 * radius)
    )


@kept
def hull_changed(x: float, y: float, change: int) -> str:
    """How much hull a ship has lost, or gained."""
    words = f"{CAME if change > 0 else WENT}{abs(change)}"
    wide = width(words, LEAST) + 10
    return box(
        x - wide / 2, y - 9, wide, 18, 9, fill=svg.BRIGHT, stroke=svg.NIGHT, stroke_width=2
    ) + letters(words, x, y + LEAST / 2, LEAST, "middle", svg.NIGHT, 2)
