"""Hovercrafts in pictures: only what the ship's player may see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from cyberdeck.common.text import counted
from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, lines, rows, small, width, wrapped
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import Block, at, box, flow, glow, panel, panelled, stroke, target
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts import signs, story
from cyberdeck.views.hovercrafts.board import board_signs, draw_board
from cyberdeck.views.hovercrafts.fields import TEAM_NAMES, Battle
from cyberdeck.views.hovercrafts.page import scores
from cyberdeck.views.record import Record
from cyberdeck.views.view import LEGEND, STATUS, Drawn, Look, Page
from cyberdeck.views.words import together

_DEPTH: Final = 612  # of the map at most
_BARE: Final = 900, 500  # the picture's width, and how high map and list are, on a wide page
_HIGH: Final = 75  # of a button, and of a slot

#: What the actions' names do not say.
_EXPLAINED: Final = (
    "Landing, EMP, repair: the ship lands; no EMP reaches it. Repair: hull +1. EMP: ships around "
    "may have to land. Others shoot in their arc. A ram costs the lower hull check 1. "
    "No action ends the plan."
)


def draw(record: Record, page: Page, look: Look) -> Drawn:
    """The map, the ships with their plans, the own plan and the actions."""
    seen = Battle.seen(record, look.viewer)
    page_wide = look.bare and not look.narrow
    full, edge, gap = (390, 5, 10) if look.narrow else (980, 14, 10)
    if page_wide:
        full = _BARE[0]
    wide = full - 2.0 * edge
    listed = wide if look.narrow else 294.0
    room = wide if look.narrow else wide - listed - gap
    # How it stands with the goal, and in the campaign.
    told = [f"{each.title}: {'; '.join(line.text for line in each.lines)}" for each in scores(seen)]
    if seen.goal == c.FLEET:
        told.insert(0, "Goal: have a ship left when the other team has none")
    broken = [row for each in told for row in wrapped(each, wide - 8)]
    scored = Block(wide, 18 * len(broken) - 5, rows(broken, 4, LEAST, 18, svg.AMBER))
    blocks: list[Block | str] = [scored] if broken else []
    high, depth = _fleets_high(seen), float(_DEPTH)
    if page_wide:
        depth = _BARE[1] - (scored.height + gap if broken else 0)
        high = min(high, depth)
    map_ = draw_board(seen, look, room, depth)
    if not look.narrow:
        high = max(high, map_.height)
        if map_.height < high:
            map_ = Block(room, high, panel(0, 0, room, high) + map_.content)
    # The last turn in words stands below the list, if there is room for it.
    left = high - _fleets_high(seen) - _MARGIN
    tells = left >= _report_high(seen, listed - 24)
    ships = _fleets(seen, look, listed, high, left if tells and not look.bare else 0)
    own = [] if seen.own is None else [_panel(seen, look, seen.own, wide)]
    blocks += [map_, STATUS, *own, ships] if look.narrow else [map_, ships, *own, STATUS]
    if not look.bare and not tells:  # else said beside the picture
        words = _report(seen, look, wide - 28, _report_high(seen, wide - 28))
        blocks.append(panelled(words, 14, wide))
    explained = [*board_signs(seen), *_fleet_signs()]
    if seen.own is None:  # a ship's player sees them on the buttons
        explained += [(signs.icon(action, 0, 0, 20), name) for action, name in enumerate(c.ACTIONS)]
    return Drawn(full, edge, gap, [*blocks, LEGEND], explained)


def _headed(head: str, below: Block) -> Block:
    drawn = small(head, 0, LEAST, svg.CYAN) + at(0, 22, below.content)
    return Block(max(width(head, LEAST), below.width), below.height + 22, drawn)


# --- plans, slot by slot -------------------------------------------------------------------------

#: What a slot of a plan is, besides its action: NEVER was not carried out.
_DECIDED, _NEW, _DECIDING, _LATER, _NEVER, _NEW_NEVER = range(6)
_RINGED: Final = (_NEW, _NEW_NEVER)
_FAINT: Final = (_NEVER, _NEW_NEVER)


def _slots_now(record: Battle, look: Look, seat: int) -> list[tuple[int, int]]:
    """The slots of a ship in this turn as the viewer knows them: the action, and what it is."""
    slots = []
    new = _planned(look, seat, record.turn_number)
    just_hidden = {event.slot for event in look.events if isinstance(event, story.AllPlanned)}
    known = zip(record.known_plan(seat), record.decided(seat), strict=True)
    for slot, (action, done) in enumerate(known):
        if done:
            fresh = slot in new or (action == c.NONE and slot in just_hidden)
            kind = _NEW if fresh else _DECIDED
        else:
            kind = _DECIDING if slot == record.slot and record.deciding(seat) else _LATER
        slots.append((action, kind))
    return slots


def _slots_then(record: Battle, look: Look, seat: int) -> list[tuple[int, int]]:
    """The same of the last turn as it was carried out; lit up in a phase that is shown again."""
    slots = []
    new, now = _planned(look, seat, record.last_turn), record.passed - 1
    for slot, (action, was) in enumerate(record.carried_out(seat)):
        fresh, stale = (_NEW, _DECIDED) if was else (_NEW_NEVER, _NEVER)
        kind = fresh if slot in new else stale
        slots.append((action, _DECIDING if record.replaying and slot == now and was else kind))
    return slots


def _planned(look: Look, seat: int, turn: int) -> set[int]:
    """The slots that a ship is known to have planned of a turn just now."""
    planned = [event for event in look.events if isinstance(event, story.Planned)]
    return {each.slot for each in planned if (each.seat, each.turn) == (seat, turn)}


def _strip(slots: Sequence[tuple[int, int]], x: float, size: float) -> str:
    """Slots of a plan in a row, each of its kind; NONE is one whose action is not known."""
    strip = ""
    for slot, (action, kind) in enumerate(slots):
        left, lit = x + slot * size, kind == _DECIDING
        edge = svg.LIME if lit else svg.BRIGHT if kind in _RINGED else svg.LINE
        frame, fill = (left + 0.5, 0, size - 1.5, 18, 3), svg.LIME if lit else svg.NIGHT
        light, thick = 0.16 if lit else 0.7, 2 if kind in _RINGED else None
        strip += box(*frame, fill, fill_opacity=light, stroke=edge, stroke_width=thick)
        middle, high = left + size / 2 - 0.25, min(size - 3, 13)
        if action != c.NONE:
            strip += signs.icon(action, middle, 9, high, 0.35 if kind in _FAINT else 1)
        elif kind in (_DECIDED, _NEW):
            strip += signs.hidden(middle, 9, high)
    return strip


# --- the list of ships ---------------------------------------------------------------------------

_ROW: Final = 52
_HEAD: Final = 26
_MARGIN: Final = 12  # below what happened, in the list's panel


def _fleets_high(record: Battle) -> float:
    """How high the list is at least, if nothing hinders it."""
    return float(30 + 2 * _HEAD + _ROW * record.seats)


def _fleets(record: Battle, look: Look, wide: float, high: float, words: float) -> Block:
    """The panel with both teams, with lower rows where it cannot be as high as it would be; and
    the last turn in *words* so high, if that is not 0.
    """
    row = min(_ROW, _ROW + (high - _fleets_high(record)) / record.seats)
    inside = wide - 24
    drawn = small("Last turn" if record.planning else "Ships", 0, LEAST, svg.DIM)
    drawn += small("This turn", inside / 2 + 7, LEAST, svg.DIM) if record.planning else ""
    y = 20.0
    for team in (c.ZION, c.MACHINES):
        seats = record.crew(team)
        left = record.ships_left(team) if record.phase == c.PLAN else len(seats)
        drawn += small(TEAM_NAMES[team], 0, y + 15, signs.COLOURS[team])
        drawn += small(f"{left}/{len(seats)}", inside, y + 15, anchor="end")
        y += _HEAD - 3
        for seat in seats:
            drawn += at(0, y, _ship(record, look, seat, inside, row))
            y += row
    if words:
        drawn += at(0, _fleets_high(record) - 10, _report(record, look, inside, words).content)
    return Block(wide, high, panel(0, 0, wide, high) + at(12, 10, drawn))


def _ship(record: Battle, look: Look, seat: int, inside: float, high: float) -> str:
    """A ship: name, hull, stats; below its last plan, and what is known of this turn's."""
    out, own, frame = record.is_out(seat), seat == record.own, (-6, 0, inside + 12, high - 4, 7)
    colour = svg.DIM if out else signs.colour_of(record, seat)
    edge, ground, light = (svg.BRIGHT,) * 2 + (0.07,) if own else (svg.LINE, svg.NIGHT, 0.45)
    row = box(*frame, ground, fill_opacity=light) + box(*frame, stroke=edge, stroke_opacity=0.8)
    row += signs.ship(record, seat, 9.2, 11, 13, colour)
    row += small(record.label(seat) + "*" * (seat in record.flagships), 27, 18.5, colour)
    if own:
        row += box(52, 4.5, 36, 17, 8.5, fill=svg.BRIGHT)
        row += letters("You", 70, 18.5, LEAST, "middle", svg.NIGHT, 1.6)
    if record.escaped[seat]:
        row += small("Escaped", 94, 18.5, svg.LIME)
    elif out:
        phases = [e.phase for e in look.last_turn if isinstance(e, story.Out) and e.seat == seat]
        row += small(f"Out in phase {phases[0]}" if phases else "Out", 94, 18.5, svg.RED)
    else:
        hull = record.hull[seat]
        row += signs.pips(94, 7.5, min(80, 13 * hull), 11, record.hull_left[seat], hull)
    stats = () if out else (record.shield, record.ballistic, record.energy)
    for place, (stat, (sign, _)) in enumerate(zip(stats, signs.DATA["stats"], strict=False)):
        left = inside - 87 + 33 * place
        row += at(left, 13, stroke(sign, svg.DIM, 2.4), 0.55)
        row += small(str(stat[seat]), left + 9, 18.5, svg.SILVER)
    lift = 0.6 * (_ROW - high)
    if raises := ", ".join(record.raises(seat)):
        return row + small(f"Raises {raises}", 4, 39 - lift, svg.LIME)
    if record.phase == c.DEPLOY:
        return row + small(record.whereabouts(seat), 4, 39 - lift, svg.DIM)
    size = min(20.0, (inside - 14) / 2 / (3 + max(record.energy[: record.seats])))
    plans = _strip(_slots_then(record, look, seat), 0, size)
    if record.planning:
        plans += _strip(_slots_now(record, look, seat), inside / 2 + 7, size)
    return row + at(0, 26 - lift, plans)


def _fleet_signs() -> list[tuple[str, str]]:
    """What the signs of the list mean."""
    now = box(-9, -9, 18, 18, 3, fill=svg.LIME, fill_opacity=0.16, stroke=svg.LIME)
    stats = signs.DATA["stats"]
    return [
        (signs.pips(-12, -6, 24, 12, 1, 2), "hull left"),
        *((at(0, 0, stroke(sign, svg.DIM, 2.4), 0.8), words) for sign, words in stats),
        (now, "deciding"),
        (signs.hidden(0, 0, 20), "hidden action"),
        (box(-9, -9, 18, 18, 3, stroke=svg.BRIGHT, stroke_width=2), "new action"),
    ]


# --- the last turn in words ----------------------------------------------------------------------

_PITCH: Final = 17
_INDENT: Final = 18  # of what happened, behind the number of its phase


def _report_high(record: Battle, wide: float) -> float:
    """How much room there is for the last turn in words: as much all game long."""
    letters_each = 45 + 14 * record.seats  # of a phase, as most are
    lines_each = max(1.5, letters_each * 7.4 / (wide - _INDENT))
    return float(22 + _PITCH * (math.ceil(record.phases * lines_each) + 1))


def _report(record: Battle, look: Look, wide: float, high: float) -> Block:
    """The last turn in words, phase by phase; before the first one, how a phase goes."""
    most, told = int((high - 22) // _PITCH), list[tuple[int, str]]()
    if not look.last_turn:  # no turn has passed yet
        told = list(enumerate(signs.DATA["steps"], start=1))
    for phase in together(look.last_turn):
        words = phase.words
        for long, short in signs.DATA["short"].items():
            words = words.replace(long, short)
        broken = wrapped(words, wide - _INDENT)
        told += [(0 if place else phase.phase, line) for place, line in enumerate(broken)]
    if len(told) > most:
        told = [*told[: most - 1], (0, f"and {len(told) - most + 1} more lines")]
    drawn = ""
    for place, (number, line) in enumerate(told):
        y = LEAST + _PITCH * place
        drawn += small(str(number), 0, y, svg.CYAN) if number else ""
        drawn += small(line, _INDENT, y, svg.SILVER)
    head = f"Turn {record.turn_number}" if record.replaying else "Last turn"
    head = f"{head}, phase by phase" if look.last_turn else "Each phase, step by step"
    return _headed(head, Block(wide, high - 22, drawn))


# --- the own plan, and the actions ---------------------------------------------------------------


def _panel(record: Battle, look: Look, seat: int, wide: float) -> Block:
    """What the seat has decided and decides."""
    own = _own(record, look, seat, wide - 32)
    if look.narrow:  # as high all game long
        own = Block(wide - 32, max(own.height, 58 + 3 * _HIGH + 4), own.content)
    explained = lines(_EXPLAINED, wide - 32, colour=svg.DIM)
    return panelled(flow([own, explained], wide - 32, 6), 14, wide)


def _own(record: Battle, look: Look, seat: int, wide: float) -> Block:
    """What the seat has chosen in this turn, and what it may choose."""
    ship, phase = record.label(seat), record.phase
    button = 68.0 if wide > 900 else 66.0 if wide > 500 else 84.0
    room = 7 * (button + 4) - 4 if wide > 500 else wide
    beside = wide - room - 14 if wide > room else wide
    names: Sequence[str] = c.ACTIONS
    first, long = 0, 112.0
    if phase == c.DEPLOY:
        head, decided, what = f"Ship {ship}", record.whereabouts(seat), "A hex and a facing"
    elif phase == c.PICK:
        head, decided, what = f"Ship {ship}", "", "Side"
        names, first = c.SIDES, record.first_side
    elif phase == c.UPGRADE:
        head, decided, what = f"{ship} raises", ", ".join(record.raises(seat)) or "nothing", "Stats"
        names, first = c.STAT_NAMES, record.first_upgrade
    else:
        slots = (_slots_now if record.planning else _slots_then)(record, look, seat)
        rolls, long = record.planning and slots, button
        head = f"{ship}: {counted(len(slots), 'action')} rolled" if rolls else f"Plan of {ship}"
        decided = "out of the game" if record.is_out(seat) else "none"
        what = f"Actions{_barred(record, look, seat)}"
    decision = Block(beside, _HIGH, rows(wrapped(decided, beside), 0, 40, 17))
    if phase == c.PLAN and slots:
        decision = _slots(slots)._replace(width=beside)
    if phase == c.DEPLOY:
        buttons = _compass(record, look, seat, button)
    else:
        numbered = enumerate(names, start=first)
        buttons = [_choice(record, look, action, name, long) for action, name in numbered]
    return flow([_headed(head, decision), _headed(what, flow(buttons, room, 4))], wide, 14)


def _barred(record: Battle, look: Look, seat: int) -> str:
    """What may not be planned now, and why."""
    if look.choices is None or not record.planning or not record.deciding(seat):
        return ""
    plan = record.known_plan(seat)[: record.slot]
    if not plan:
        return ": no action cannot be the first"
    if plan[-1] == c.NO_ACTION:
        return ": the plan is over"
    spent = c.EMP in plan and c.EMP not in look.choices
    return f": only {record.emp_per_turn} EMP a turn" if spent else ""


def _slots(slots: Sequence[tuple[int, int]]) -> Block:
    """A plan, slot by slot; one of them lit up."""
    blocks, wide = [], 34
    for slot, (action, kind) in enumerate(slots):
        lit, ringed = kind == _DECIDING, kind in _RINGED
        drawn = glow(0, 0, wide, _HIGH, 8, svg.LIME, 0.8) if lit else ""
        edge = svg.LIME if lit else svg.BRIGHT if ringed else svg.LINE
        thick, dashes = 2.4 if ringed else 1.6, "5 4" if kind == _LATER else None
        frame = 0, 0, wide, _HIGH, 8, svg.CARD
        drawn += box(*frame, stroke=edge, stroke_width=thick, stroke_dasharray=dashes)
        ink = svg.LIME if lit else svg.DIM
        drawn += small(str(slot + 1), wide / 2, _HIGH - 12, ink, "middle")
        if action != c.NONE:
            drawn += signs.icon(action, wide / 2, 32, 24, 0.35 if kind in _FAINT else 1)
        elif lit:
            drawn += letters("?", wide / 2, 40, 14, "middle", svg.LIME)
        elif kind != _LATER:
            drawn += signs.hidden(wide / 2, 32, 24)
        blocks.append(Block(wide, _HIGH, drawn))
    return flow(blocks, 9 * (wide + 4), 4)


def _button(content: str, words: Sequence[str], wide: float, lit: bool, shut: bool) -> str:
    """A choice: its sign above its words; lit up if it is legal, dim if it is not."""
    drawn = glow(0, 0, wide, _HIGH, 8, svg.LIME, 0.8) if lit else ""
    edge = svg.LIME if lit else svg.LINE
    drawn += box(0, 0, wide, _HIGH, 8, svg.CARD, stroke=edge, stroke_width=1.6) + content
    ink = svg.LINE if shut else svg.BRIGHT if lit else svg.SILVER
    for line, word in enumerate(words, 1):
        drawn += small(word, wide / 2, _HIGH - 12 - 16 * (len(words) - line), ink, "middle")
    return drawn


def _choice(record: Battle, look: Look, action: int, name: str, wide: float) -> Block:
    """A button with its action's number, and the sign of one that is planned."""
    legal = look.choices is not None and action in look.choices
    shut = look.choices is not None and not legal
    sign = small(str(action), 6, 18, svg.DIM)
    if action < c.PLACES:
        sign += signs.icon(action, wide / 2 + 4, 27, 26, 0.35 if shut else 1)
    drawn = _button(sign, name.split(), wide, legal, shut)
    return Block(wide, _HIGH, signs.chosen(record, look.choices, action, drawn))


def _compass(record: Battle, look: Look, seat: int, wide: float) -> list[Block]:
    """The six facings of a deployment: each is one end of it, a hex is the other."""
    buttons, craft = [], signs.craft(record.team_of(seat), signs.colour_of(record, seat))
    for facing, name in enumerate(c.FACINGS):
        legal = [each for each in look.choices or () if (each - c.PLACES) % 6 == facing]
        ship = at(wide / 2, 34, craft, 1.5, 60 * facing)
        drawn = _button(ship, [name], wide, bool(legal), False)
        buttons.append(Block(wide, _HIGH, target(drawn, legal, f"facing {name}", alone=False)))
    return buttons
