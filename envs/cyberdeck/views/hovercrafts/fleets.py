"""The list of ships in Hovercrafts' pictures, with their plans, and the last turn in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, width, wrapped
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import Block, at, box, panel, stroke
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.views.hovercrafts import signs, story
from cyberdeck.views.hovercrafts.fields import TEAM_NAMES, Battle
from cyberdeck.views.view import Look
from cyberdeck.views.words import together

_ROW: Final = 52
_HEAD: Final = 26

# --- plans, slot by slot -------------------------------------------------------------------------

#: What a slot of a plan is, besides its action: NEVER was not carried out.
DECIDED, NEW, DECIDING, LATER, NEVER, NEW_NEVER = range(6)
RINGED: Final = (NEW, NEW_NEVER)
FAINT: Final = (NEVER, NEW_NEVER)

#: Stands for an action that is decided and hidden: a lock, within -10 to 10.
LOCK: Final = "M-6-1H6V8H-6zM-4-1V-4A4 4 0 0 1 4-4V-1"


def hidden(x: float, y: float, size: float) -> str:
    """The sign for an action that is decided, and hidden."""
    return at(x, y, stroke(LOCK, svg.SILVER, min(2.6, 30 / size)), size / 20)


def slots_now(record: Battle, look: Look, seat: int) -> tuple[list[int], list[int]]:
    """The slots of a ship in this turn as the viewer knows them, and what each is."""
    actions, kinds = record.known_plan(seat), []
    new = _planned(look, seat, record.turn_number)
    hidden_ones = {event.slot for event in look.events if isinstance(event, story.AllPlanned)}
    for slot, done in enumerate(record.decided(seat)):
        if done:
            unseen = slot in new or (actions[slot] == c.NONE and slot in hidden_ones)
            kinds.append(NEW if unseen else DECIDED)
        else:
            kinds.append(DECIDING if slot == record.slot and record.deciding(seat) else LATER)
    return actions, kinds


def slots_then(record: Battle, look: Look, seat: int) -> tuple[list[int], list[int]]:
    """The same of the last turn as it was carried out; lit up in a phase that is shown again."""
    done, kinds = record.carried_out(seat), []
    new = _planned(look, seat, record.last_turn)
    for slot, (_, was) in enumerate(done):
        fresh, stale = (NEW, DECIDED) if was else (NEW_NEVER, NEVER)
        kinds.append(fresh if slot in new else stale)
    now = record.passed - 1
    if record.replaying and now < len(kinds) and done[now][1]:
        kinds[now] = DECIDING
    return [action for action, _ in done], kinds


def _planned(look: Look, seat: int, turn: int) -> set[int]:
    """The slots that a ship is known to have planned of a turn just now."""
    planned = [event for event in look.events if isinstance(event, story.Planned)]
    return {each.slot for each in planned if (each.seat, each.turn) == (seat, turn)}


def _strip(actions: Sequence[int], kinds: Sequence[int], x: float, size: float) -> str:
    """Slots of a plan in a row, each of its kind; NONE is one whose action is not known."""
    strip = ""
    for slot, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
        left, lit = x + slot * size, kind == DECIDING
        edge = svg.LIME if lit else svg.BRIGHT if kind in RINGED else svg.LINE
        thick = 2 if kind in RINGED else None
        frame, fill = (left + 0.5, 0, size - 1.5, 18, 3), svg.LIME if lit else svg.NIGHT
        light = 0.16 if lit else 0.7
        strip += box(*frame, fill, fill_opacity=light, stroke=edge, stroke_width=thick)
        middle, high = left + size / 2 - 0.25, min(size - 3, 13)
        if action != c.NONE:
            strip += signs.icon(action, middle, 9, high, 0.35 if kind in FAINT else 1)
        elif kind in (DECIDED, NEW):
            strip += hidden(middle, 9, high)
    return strip


# --- the list ------------------------------------------------------------------------------------


def fleets_high(record: Battle) -> float:
    """How high the list is at least, if nothing hinders it."""
    return float(30 + 2 * _HEAD + _ROW * record.seats)


def tells(record: Battle, wide: float, high: float) -> bool:
    """Whether there is room for the last turn in words below the list."""
    return high - fleets_high(record) - _MARGIN >= report_high(record, wide - 24)


def draw_fleets(record: Battle, look: Look, wide: float, high: float) -> Block:
    """The panel with both teams; with lower rows where it cannot be as high as it would be."""
    row = min(_ROW, _ROW + (high - fleets_high(record)) / record.seats)
    inside = wide - 24
    if record.planning:
        drawn = letters("Last turn", 0, LEAST, LEAST, colour=svg.DIM)
        drawn += letters("This turn", inside / 2 + 7, LEAST, LEAST, colour=svg.DIM)
    else:
        drawn = letters("Ships", 0, LEAST, LEAST, colour=svg.DIM)
    y = 20.0
    for team in (c.ZION, c.MACHINES):
        seats = record.crew(team)
        left = record.ships_left(team) if record.phase == c.PLAN else len(seats)
        drawn += letters(TEAM_NAMES[team], 0, y + 15, LEAST, colour=signs.COLOURS[team])
        drawn += letters(f"{left}/{len(seats)}", inside, y + 15, LEAST, "end", svg.BRIGHT)
        y += _HEAD - 3
        for seat in seats:
            drawn += at(0, y, _ship(record, look, seat, inside, row))
            y += row
    if not look.bare and tells(record, wide, high):
        words = report(record, look, inside, high - fleets_high(record) - _MARGIN)
        drawn += at(0, fleets_high(record) - 10, words.content)
    return Block(wide, high, panel(0, 0, wide, high) + at(12, 10, drawn))


def _ship(record: Battle, look: Look, seat: int, inside: float, high: float) -> str:
    """A ship: name, hull, stats; below its last plan, and what is known of this turn's."""
    out, own, frame = record.is_out(seat), seat == record.own, (-6, 0, inside + 12, high - 4, 7)
    lift = 0.6 * (_ROW - high)
    colour = svg.DIM if out else signs.colour_of(record, seat)
    edge = svg.BRIGHT if own else svg.LINE
    row = box(*frame, svg.BRIGHT if own else svg.NIGHT, fill_opacity=0.07 if own else 0.45)
    row += box(*frame, stroke=edge, stroke_opacity=0.8)
    row += signs.ship(record, seat, 9.2, 11, 13, colour)
    name = record.label(seat) + ("*" if seat in record.flagships else "")
    row += letters(name, 27, 18.5, LEAST, colour=colour)
    if own:
        row += box(52, 4.5, 36, 17, 8.5, fill=svg.BRIGHT)
        row += letters("You", 70, 18.5, LEAST, "middle", svg.NIGHT, 1.6)
    hull = record.hull[seat]
    if record.escaped[seat]:
        row += letters("Escaped", 94, 18.5, LEAST, colour=svg.LIME)
    elif out:
        phases = [e.phase for e in look.last_turn if isinstance(e, story.Out) and e.seat == seat]
        since = f"Out in phase {phases[0]}" if phases else "Out"
        row += letters(since, 94, 18.5, LEAST, colour=svg.RED)
    else:
        row += signs.pips(94, 7.5, min(80, 13 * hull), 11, record.hull_left[seat], hull)
    stats = (record.shield, record.ballistic, record.energy)
    for place, (stat, (sign, _)) in enumerate(zip(stats, () if out else signs.STATS, strict=False)):
        left = inside - 87 + 33 * place
        row += at(left, 13, stroke(sign, svg.DIM, 2.4), 0.55)
        row += letters(str(stat[seat]), left + 9, 18.5, LEAST, colour=svg.SILVER)
    if raises := ", ".join(record.raises(seat)):
        return row + letters(f"Raises {raises}", 4, 39 - lift, LEAST, colour=svg.LIME)
    if record.phase == c.DEPLOY:
        return row + letters(record.whereabouts(seat), 4, 39 - lift, LEAST, colour=svg.DIM)
    size = min(20.0, (inside - 14) / 2 / (3 + max(record.energy[: record.seats])))
    plans = _strip(*slots_then(record, look, seat), 0, size)
    if record.planning:
        plans += _strip(*slots_now(record, look, seat), inside / 2 + 7, size)
    return row + at(0, 26 - lift, plans)


def headed(head: str, below: Block) -> Block:
    drawn = letters(head, 0, LEAST, LEAST, colour=svg.CYAN) + at(0, 22, below.content)
    return Block(max(width(head, LEAST), below.width), below.height + 22, drawn)


# --- the last turn -------------------------------------------------------------------------------

_PITCH: Final = 17
_MARGIN: Final = 12  # below what happened, in the list's panel
_INDENT: Final = 18  # of what happened, behind the number of its phase

#: What happens in a phase, in order.
_STEPS: Final = (
    "jammed ships land",
    "turns and repairs",
    "moves and rams",
    "EMPs",
    "shots",
)

#: Words of the story, shorter: of an action as on its button.
_SHORT: Final = {
    " moves to ": " \N{RIGHTWARDS ARROW} ",
    " turns ": " ",
    " lands and uses EMP": " lands, EMP",
    " lands and repairs": " lands, repairs",
    " is jammed by the EMP of ": " jammed by EMP of ",
    " is out": " out",
    "; hull ": "; ",
}


def report_high(record: Battle, wide: float) -> float:
    """How much room there is for the last turn in words: as much all game long."""
    letters_each = 45 + 14 * record.seats  # of a phase, as most are
    lines_each = max(1.5, letters_each * 7.4 / (wide - _INDENT))
    return float(22 + _PITCH * (math.ceil(record.phases * lines_each) + 1))


def report(record: Battle, look: Look, wide: float, high: float) -> Block:
    """The last turn in words, phase by phase; before the first one, how a phase goes."""
    rows = int((high - 22) // _PITCH)
    lines: list[tuple[int, str]] = []
    if not look.last_turn:  # no turn has passed yet
        lines = list(enumerate(_STEPS, start=1))
    for phase in together(look.last_turn):
        words = phase.words
        for long, short in _SHORT.items():
            words = words.replace(long, short)
        broken = wrapped(words, wide - _INDENT)
        lines += [(0 if place else phase.phase, line) for place, line in enumerate(broken)]
    if len(lines) > rows:
        lines = [*lines[: rows - 1], (0, f"and {len(lines) - rows + 1} more lines")]
    drawn = ""
    for place, (number, line) in enumerate(lines):
        y = LEAST + _PITCH * place
        drawn += letters(str(number), 0, y, LEAST, colour=svg.CYAN) if number else ""
        drawn += letters(line, _INDENT, y, LEAST, colour=svg.SILVER)
    head = f"Turn {record.turn_number}" if record.replaying else "Last turn"
    head = f"{head}, phase by phase" if look.last_turn else "Each phase, step by step"
    return headed(head, Block(wide, high - 22, drawn))


def fleet_signs() -> list[tuple[str, str]]:
    """What the signs of the list mean."""
    now = box(-9, -9, 18, 18, 3, fill=svg.LIME, fill_opacity=0.16, stroke=svg.LIME)
    return [
        (signs.pips(-12, -6, 24, 12, 1, 2), "hull left"),
        *((at(0, 0, stroke(sign, svg.DIM, 2.4), 0.8), words) for sign, words in signs.STATS),
        (now, "deciding"),
        (hidden(0, 0, 20), "hidden action"),
        (box(-9, -9, 18, 18, 3, stroke=svg.BRIGHT, stroke_width=2), "new action"),
    ]
