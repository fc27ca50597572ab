"""The map in Hovercrafts' pictures: its ships and what they did, what is legal, the own plan."""

from __future__ import annotations

from typing import Final

from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import CAME, FELL, LEAST, happened, small, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import Block, at, box, disc, group, panel, path, stroke, target
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts import signs, story
from cyberdeck.views.hovercrafts.fields import Battle, beside, cell_of, named
from cyberdeck.views.hovercrafts.signs import Table
from cyberdeck.views.view import Look, sentence

#: Where a ship will look: like ``signs.BOW``, but open.
_PLANNED: Final = "M-3-6L0-8.6 3-6"
_AHEAD: Final = {"stroke_width": "1.6", "stroke_dasharray": "5 4"}  # the edge of the next hex

#: A hex with room for a number in each of its wedges; for a hull beside the name; for it at all.
_WEDGES, _ROOMY, _TIGHT = 46.0, 27.0, 13.0


def draw_board(record: Battle, look: Look, wide: float, depth: float) -> Block:
    """The panel with the map, all ships, and what they did in the last phase."""
    seat, phased = record.own, record.phase == c.PLAN
    table, high = signs.table_within(record, wide, depth)
    drawn = panel(0, 0, wide, high) + signs.ground(record, table)
    if seat is not None:
        drawn += _deployable(record, table, seat, look.choices) + _arc(record, table, seat)
    told = look.last_turn if phased else ()
    last = [event for event in told if event.phase == record.passed]
    recent = last if record.replaying else told
    lost = {event.seat: event.cell for event in recent if isinstance(event, story.Out)}
    left = [event for event in recent if isinstance(event, story.LeftMap)]
    spots = _spots(record, table, lost)
    there = {ship: spot for ship, spot in spots.items() if ship not in lost}
    others = [event for event in last if not isinstance(event, story.LeftMap)]
    # Faint, once it is no news: something of the next turn is planned.
    fresh = (
        any(event.phase for event in look.events) if look.before is not None else record.slot == 0
    )
    old = None if fresh or not record.planning else 0.5
    below = "".join(signs.trail(record, table, move) for move in left)
    drawn += group(below + signs.below_ships(record, table, others, there), opacity=old)
    if seat is not None:
        drawn += _course(record, table, seat, look.choices)
    for ship, (x, y, radius) in there.items():
        bow = path(signs.BOW, fill=signs.colour_of(record, ship))
        lift = y + signs.lift(record, ship, radius)
        craft = signs.ship(record, ship, 0.5 * radius, x, lift)
        craft += at(x, y, bow, radius / 10, 60 * record.facing[ship])
        drawn += svg.piece(craft, f"ship {ship}")
    above = "".join(signs.gone(record, ship, spots[ship]) for ship in lost)
    drawn += group(above + signs.above_ships(record, table, last, spots), opacity=old)
    drawn += "".join(_name_plate(record, *each, table.radius) for each in there.items())
    changes = "".join(_change(record, look, *each, each[0] in lost) for each in spots.items())
    drawn += group(changes, opacity=None if old is None else 0.75)
    waiting = {c.PLAN: "No turn has passed yet", c.UPGRADE: "Between two battles"}
    caption = waiting.get(record.phase, "Ships take their places")
    if record.passed and phased:
        turn = f"Turn {record.turn_number}" if record.replaying else "Last turn"
        caption = f"{turn}, phase {record.passed}"
    warning, taken = "" if seat is None else sentence(record.warning(seat)), 16.0
    if warning:
        drawn += small(warning, wide - 16, high - 13, svg.RED, "end")
        taken += width(warning, LEAST) + 32
    if taken + width(caption, LEAST) < wide:  # on a phone there is room for one of them
        drawn += small(caption, 16, high - 13, svg.CYAN)
    return Block(wide, high, drawn)


# --- ships ---------------------------------------------------------------------------------------


def _spots(record: Battle, table: Table, wrecks: dict[int, int]) -> dict[int, signs.Spot]:
    """Where ships are drawn, and how large: side by side where a wreck and a ship share a hex."""
    there: dict[int, list[int]] = {}
    for seat, cell in (*wrecks.items(), *enumerate(record.cell[: record.seats])):
        if cell != c.NONE:
            there.setdefault(cell, []).append(seat)
    spots = {}
    for cell, seats in there.items():
        (x, y), alone = table.middle(cell), len(seats) == 1
        for place, seat in enumerate(seats):
            shift = 0.9 * table.radius * (place - (len(seats) - 1) / 2) / max(1, len(seats) - 1)
            spots[seat] = signs.Spot(x + shift, y, table.radius if alone else 0.7 * table.radius)
    return spots


def _name_plate(record: Battle, seat: int, spot: signs.Spot, full: float) -> str:
    """Name and hull, across a hex; the hull below the name in a small one."""
    x, y, radius = spot
    y += (-0.64 if record.facing[seat] == 3 else 0.64) * radius
    size = max(LEAST, 0.25 * radius)
    name = record.label(seat) + ("*" if seat in record.flagships else "")
    wide = width(name, size)
    bar = 0.56 * radius + 4 if radius > _ROOMY else 0
    left = x - (wide + bar) / 2
    under = 5 if not bar and radius > _TIGHT else 0
    y -= under / 2
    plate = left - 3, y - 0.68 * size, wide + bar + 6, 1.36 * size + under
    drawn = box(*plate, 3, fill=svg.NIGHT, fill_opacity=0.85)
    drawn += letters(name, left, y + size / 2, size, colour=signs.colour_of(record, seat))
    hull = record.hull_left[seat], record.hull[seat]
    if bar:
        drawn += signs.pips(left + wide + 4, y - 0.4 * size, bar - 4, 0.8 * size, *hull)
    elif under:
        drawn += signs.pips(left - 1, y + 0.5 * size + 2, wide + 2, 4, *hull)
    return svg.piece(drawn, f"name {seat}")


def _change(record: Battle, look: Look, seat: int, spot: signs.Spot, lost: bool) -> str:
    """That a ship was deployed, or is out; or the hull that it has lost or gained: in the last
    turn, or in a phase of it that is shown.
    """
    x, y, radius = spot
    if lost:
        return happened(x, y, FELL)
    under = record.facing[seat] == 3  # its label is above the ship
    place = x + 0.55 * radius, y + (0.5 if under else -0.5) * radius
    if any(isinstance(event, story.Deployed) and event.seat == seat for event in look.events):
        return happened(*place, CAME)
    if record.phase != c.PLAN:
        return ""
    told = look.events if record.replaying else look.last_turn
    told = [event for event in told if event.seat == seat]
    change = sum(event.change for event in told if isinstance(event, story.HullLeft))
    return signs.hull_changed(*place, change) if change else ""


def _arc(record: Battle, table: Table, seat: int) -> str:
    """The three hexes that the own ship can fire at."""
    cell, facing = record.cell[seat], record.facing[seat]
    if cell == c.NONE:
        return ""
    colour = signs.colour_of(record, seat)
    aims = [beside(cell, facing + turn) for turn in (-1, 0, 1)]
    reach = "".join(table.outline(aim, 0.9) for aim in aims if record.terrain[aim] == c.FREE)
    return signs.marked(reach, colour, stroke_opacity=0.6, stroke_dasharray="4 4") + signs.marked(
        table.outline(cell, 0.94), svg.BRIGHT, stroke_width=1.8
    )


# --- what is legal, and the own plan -------------------------------------------------------------


def _deployable(record: Battle, table: Table, seat: int, choices: tuple[int, ...] | None) -> str:
    """The free hexes of the column: a wedge for each facing, with its number if there is room."""
    drawn = ""
    for row in range(record.height if choices and record.phase == c.DEPLOY else 0):
        first = c.PLACES + len(c.FACINGS) * row
        legal = [facing for facing in range(len(c.FACINGS)) if first + facing in (choices or ())]
        if not legal:
            continue
        cell = cell_of(record.start_column(seat), row)
        middle, corners = table.middle(cell), table.corners(cell, 0.95)
        hexagon = path(table.outline(cell, 0.95), fill=svg.NIGHT, stroke=svg.LIME, stroke_width=2)
        drawn += target(hexagon, [first + facing for facing in legal], named(cell), alone=False)
        for facing in legal:
            area = f"{signs.line(middle, corners[facing], corners[(facing + 1) % 6])}z"
            wedge = signs.marked(area, svg.LIME, stroke_opacity=0.6)
            there = signs.towards(middle, 60 * facing, 0.68 * table.radius)
            tip = path("M0-3.2L3 1.6H-3z", fill=svg.LIME)
            wedge += at(*there, tip, table.radius / 22, 60 * facing)
            if table.radius > _WEDGES:
                x, y = signs.towards(middle, 60 * facing, 0.42 * table.radius)
                wedge += small(str(first + facing), x, y + LEAST / 2, svg.LIME, "middle")
            drawn += signs.chosen(record, choices, first + facing, wedge)
    return drawn


def _course(record: Battle, table: Table, seat: int, choices: tuple[int, ...] | None) -> str:
    """Where the own plan leads if nobody is in the way, and the next hex that a move would take."""
    if not record.planning or record.is_out(seat):
        return ""
    radius, (cells, bow) = table.radius, record.course(seat)
    end, moves = cells[-1], len(cells) > 1
    drawn = ""
    if moves:
        way = signs.line(*(table.middle(cell) for cell in cells))
        drawn += stroke(way, svg.LIME, max(1.6, 0.06 * radius), stroke_dasharray="2 5")
    if record.terrain[end] == c.OFF_MAP:
        escapes = record.leads_out(seat, cells[-2], bow)
        return drawn + ("" if escapes else _no_way(table, cells[-2], bow))
    if moves or bow != record.facing[seat]:
        there = stroke(_PLANNED, svg.LIME, 0.8)
        if moves:
            ghost = signs.craft(record.team_of(seat), signs.colour_of(record, seat))
            there += at(0, 0, group(ghost, opacity=0.4), 0.52)
        drawn += at(*table.middle(end), there, 0.1 * radius, 60 * bow)
    if choices is not None and c.MOVE in choices:
        ahead = beside(end, bow)
        if record.terrain[ahead] == c.FREE:
            there = signs.marked(table.outline(ahead, 0.84), svg.LIME, **_AHEAD)
            drawn += target(there, [c.MOVE], record.action_name(c.MOVE), alone=False)
        elif not record.leads_out(seat, end, bow):  # a wall, or the end of the map
            drawn += _no_way(table, end, bow)
    return drawn


def _no_way(table: Table, cell: int, facing: int) -> str:
    """A cross at a side of a hex over which no move leads to another."""
    edge = signs.towards(table.middle(cell), 60 * facing, 1.06 * table.radius)
    ends = [signs.towards(edge, turn, 0.18 * table.radius) for turn in (45, 225, 135, 315)]
    return stroke(signs.line(*ends[:2]) + signs.line(*ends[2:]), svg.RED, 2.4)


# --- what the signs mean -------------------------------------------------------------------------


def board_signs(record: Battle) -> list[tuple[str, str]]:
    """What the signs on the map mean: of this game's options."""
    hexagon = f"{signs.line(*(signs.towards((0, 0), 60 * f - 30, 11) for f in range(6)))}z"
    missed = stroke("M-12 0h14", svg.BRIGHT, 2, stroke_dasharray="5 4")
    waves = "".join(disc(0, 0, r, "none", stroke=svg.VIOLET, stroke_width=1.6) for r in (4, 8))
    waves += stroke(hexagon, svg.VIOLET, 1, stroke_dasharray="2 3")
    moved = disc(-9, 0, 2.4, svg.SILVER) + stroke("M-9 0h18", svg.SILVER, 5, stroke_opacity=0.5)
    ring = {"stroke": svg.SILVER, "stroke_dasharray": "4 2.4"}
    left = stroke("M-5 0h14m-5-5l5 5-5 5", svg.RED, 2) + stroke("M-10-8V8", signs.EDGE, 2)
    place = stroke(hexagon, svg.AMBER, 2) + at(0, 0, stroke(hexagon, svg.AMBER, 2.6), 0.7)
    held = place.replace(svg.AMBER, signs.COLOURS[c.ZION])
    goals = {
        c.FLAGSHIP: [(small("*", 0, LEAST / 2, svg.BRIGHT, "middle"), "flagship")],
        c.SEIZE: [(place, "location"), (held, "held: in its team's colour")],
        c.BREAKTHROUGH: [(stroke("M0-10V10", svg.LIME, 4), "way out")],
    }
    return [
        (at(0, 17, path(signs.BOW, fill=svg.SILVER), 2.2), "bow"),
        (at(0, 17, stroke(_PLANNED, svg.LIME, 0.8), 2.2), "planned bow"),
        (stroke("M-11 0h22", svg.LIME, 2, stroke_dasharray="2 5"), "own course"),
        (signs.marked(hexagon, svg.LIME, **_AHEAD), "next move"),
        (stroke("M-5-5l10 10m0-10l-10 10", svg.RED, 2.4), "no way ahead"),
        (signs.marked(hexagon, svg.SILVER, stroke_dasharray="3 3"), "own fire arc"),
        (path(hexagon, fill=signs.ROCK[2]) + stroke(hexagon, svg.VIOLET, 1.6), "wall"),
        (moved, "moved"),
        (at(11, 16, signs.turning(c.RIGHT, svg.SILVER), 2.4), "turned"),
        (stroke("M-12 0h15", svg.BRIGHT, 1.8) + signs.star(5, 0, 7, svg.BRIGHT), "hit"),
        (missed + stroke("M4-6q6 6 0 12", svg.ICE, 2.6), "missed"),
        (signs.star(0, 0, 9, svg.AMBER) + signs.star(0, 0, 4, svg.BRIGHT), "rammed"),
        (waves, "EMP reach"),
        (at(0, 0, stroke(signs.DATA["bolt"], svg.VIOLET, 3), 0.9), "jammed"),
        (disc(0, 0, 10, "none", stroke_width=1.6, **ring), "landed last phase"),
        (signs.hull_changed(0, 0, -1), "hull change"),
        (happened(0, 0, FELL), "out"),
        (happened(0, 0, CAME), "deployed"),
        (left, "left the map"),
        *goals.get(record.goal, []),
    ]
