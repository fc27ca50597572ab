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
from cyberdeck.views.hovercrafts import signs, story
from cyberdeck.views.hovercrafts.fields import Battle, beside
from cyberdeck.views.hovercrafts.ground import Table
from cyberdeck.views.view import Event


class Spot(NamedTuple):
    """Where a ship is drawn, in a hex of that radius: smaller, if two share one."""

    x: float
    y: float
    radius: float


#: Where a ship looks: a tip at that side of its hex, 10 from the middle to a corner.
BOW: Final = "M0-8.8L2.5-6.8H-2.5z"


def lift(record: Battle, seat: int, radius: float) -> float:
    """How far a ship is moved to make room for its label: below it, or above if it faces south."""
    return 0.09 * radius * (1 if record.facing[seat] == 3 else -1)


# --- below the ships -----------------------------------------------------------------------------


def below(record: Battle, table: Table, events: Sequence[Event], spots: dict[int, Spot]) -> str:
    """EMPs, where ships have moved, and the rings of those that have landed."""
    landed = [event for event in events if isinstance(event, story.Landed)]
    drawn = "".join(_waves(record, table, each.cell) for each in landed if each.action == c.EMP)
    moves = [event for event in events if isinstance(event, story.Move)]
    drawn += "".join(trail(record, table, move) for move in moves)
    for seat in (each.seat for each in landed if each.seat in spots):
        x, y, radius = spots[seat]
        y += lift(record, seat, radius)
        drawn += disc(x, y, 0.6 * radius, svg.NIGHT, fill_opacity=0.6)
        ring = {"stroke": svg.SILVER, "stroke_dasharray": "5 3"}
        drawn += disc(x, y, 0.6 * radius, "none", stroke_width=1.6, **ring)
    return drawn


def trail(record: Battle, table: Table, move: story.Move) -> str:
    """How a ship has moved, or tried to."""
    radius, colour = table.radius, signs.colour_of(record, move.seat)
    start, facing = table.middle(move.start), record.facing[move.seat]
    if isinstance(move, story.Moved) or (isinstance(move, story.Rammed) and move.moved):
        way = signs.line(start, table.middle(move.ahead))
        return (
            disc(*start, 0.14 * radius, colour, fill_opacity=0.5)
            + stroke(way, colour, 0.2 * radius, stroke_opacity=0.28)
            + disc(*start, 0.24 * radius, "none", stroke=colour, stroke_opacity=0.5)
        )
    edge = table.edge(move.start, facing)
    way = signs.line(start, edge)
    drawn = stroke(way, colour, 0.1 * radius, stroke_dasharray="4 4", opacity=0.7)
    if isinstance(move, story.LeftMap | story.BrokeThrough):
        escaped = isinstance(move, story.BrokeThrough)
        tip = signs.towards(edge, 60 * facing, 0.4 * radius)
        sides = [signs.towards(tip, 60 * facing + turn, 0.3 * radius) for turn in (150, 210)]
        drawn += gone(record, move.seat, Spot(*start, radius)) if escaped else ""
        arrow = signs.line(edge, tip) + signs.line(sides[0], tip, sides[1])
        drawn += stroke(arrow, svg.LIME if escaped else svg.RED, max(1.6, 0.06 * radius))
    return drawn


def gone(record: Battle, seat: int, spot: Spot) -> str:
    """A ship that is out, as a shadow with its name."""
    x, y, radius = spot
    size = max(LEAST, 0.25 * radius)
    name = letters(record.label(seat), x, y + 0.68 * radius + size / 2, size, "middle", svg.BRIGHT)
    return group(signs.ship(record, seat, 0.5 * radius, x, y, svg.DIM), opacity=0.8) + name


def _waves(record: Battle, table: Table, cell: int) -> str:
    """An EMP: waves around its user, and the hexes that it reaches."""
    around = [beside(cell, facing) for facing in range(6)]
    free = [near for near in around if record.terrain[near] == c.FREE]
    reach = "".join(table.outline(near, 0.8) for near in free)
    drawn = signs.marked(reach, svg.VIOLET, stroke_dasharray="2 3")
    for share, light in ((0.7, 1), (0.95, 0.7), (1.25, 0.5)):
        x, y, radius = *table.middle(cell), table.radius * share
        drawn += disc(
            x, y, radius, "none", stroke=svg.VIOLET, stroke_width=1.8, stroke_opacity=light
        )
    return drawn


# --- above them ----------------------------------------------------------------------------------


def above(record: Battle, table: Table, events: Sequence[Event], spots: dict[int, Spot]) -> str:
    """Shots, who has rammed what, and what ships did that is not seen otherwise."""
    drawn = ""
    for event in events:
        if isinstance(event, story.Shot):
            colour = signs.colour_of(record, event.seat)
            drawn += _shot(spots[event.seat], spots[event.target], event.hit, colour, table.radius)
    for event in events:
        if isinstance(event, story.Rammed | story.Crashed):
            edge = table.edge(event.start, record.facing[event.seat])
            drawn += signs.star(*edge, 0.32 * table.radius, svg.AMBER)
            drawn += signs.star(*edge, 0.16 * table.radius, svg.BRIGHT)
    for event in events:
        if event.seat in spots and record.cell[event.seat] != c.NONE:
            drawn += _done(record, event, spots[event.seat])
    return drawn


def _done(record: Battle, event: Event, spot: Spot) -> str:
    """That a ship has turned or landed, or was hit by an EMP."""
    x, y, radius = spot
    size, beside_it = max(12.0, 0.36 * radius), x - 0.55 * radius
    if isinstance(event, story.Turned):
        sign = turning(event.way, signs.colour_of(record, event.seat))
        return at(x, y, sign, radius / 10, 60 * record.facing[event.seat])
    if isinstance(event, story.Landed):
        return _backed(signs.icon(event.action, 0, 0, size), beside_it, y - 0.42 * radius, size)
    if isinstance(event, story.Jammed):
        bolt = at(0, 0, stroke(signs.BOLT, svg.VIOLET, 3), size / 20)
        return _backed(bolt, beside_it, y + 0.3 * radius, size)
    return ""


def _backed(sign: str, x: float, y: float, size: float) -> str:
    return at(x, y, disc(0, 0, 0.62 * size, svg.NIGHT, fill_opacity=0.85) + sign)


def turning(turn: int, colour: str) -> str:
    """From where the bow was to where it is: the old tip, hollow, and an arrow from it."""
    way = 1 if turn == c.RIGHT else -1
    start, end = signs.towards((0, 0), -44 * way, 7.7), signs.towards((0, 0), -20 * way, 7.7)
    tips = [signs.towards(end, (-74 + tilt) * way, 2.6) for tilt in (-38, 38)]
    arrow = f"M{signs.xy(start)}A7.7 7.7 0 0 {max(way, 0)} {signs.xy(end)}"
    arrow += signs.line(tips[0], end, tips[1])
    old = path(BOW, fill=svg.NIGHT, stroke=colour, stroke_width=0.45)
    old = at(0, 0, old, turn=-60 * way)
    return old + stroke(arrow, svg.NIGHT, 1.7) + stroke(arrow, colour, 0.8)


def _shot(attacker: Spot, target: Spot, hit: bool, colour: str, radius: float) -> str:
    """A beam from ship to ship: one that hits bursts, one that misses ends at a shield."""
    start, end = attacker[:2], target[:2]
    degrees = math.degrees(math.atan2(end[0] - start[0], start[1] - end[1]))
    # Fire and returned fire pass each other on the right.
    start, end = (signs.towards(point, degrees + 90, 0.12 * radius) for point in (start, end))
    start = signs.towards(start, degrees, 0.5 * radius)
    end = signs.towards(end, degrees + 180, (0.3 if hit else 0.58) * radius)
    beam = signs.line(start, end)
    if hit:
        return (
            stroke(beam, colour, max(4.0, 0.16 * radius), stroke_opacity=0.35)
            + stroke(beam, svg.BRIGHT, max(1.6, 0.05 * radius))
            + signs.star(*end, 0.27 * radius, colour)
            + signs.star(*end, 0.13 * radius, svg.BRIGHT)
        )
    guard = [signs.towards(end, degrees + turn, 0.2 * radius) for turn in (-90, 90)]
    bow = number(0.3 * radius)
    shield = f"M{signs.xy(guard[0])}A{bow} {bow} 0 0 1 {signs.xy(guard[1])}"
    drawn = stroke(beam, colour, max(2.0, 0.05 * radius), stroke_dasharray="5 4")
    return drawn + stroke(shield, svg.ICE, max(2.6, 0.07 * radius))


@kept
def hull_changed(x: float, y: float, change: int) -> str:
    """How much hull a ship has lost, or gained."""
    words = f"{CAME if change > 0 else WENT}{abs(change)}"
    wide = width(words, LEAST) + 10
    pill = box(x - wide / 2, y - 9, wide, 18, 9, svg.BRIGHT, stroke=svg.NIGHT, stroke_width=2)
    return pill + letters(words, x, y + LEAST / 2, LEAST, "middle", svg.NIGHT, 2)
