"""The list of ships in Hovercrafts' pictures, with their plans, and the last turn in words."""

from __future__ import annotations

import math
from typing import Final

from cyberdeck.drawing.lettering import LEAST, width, wrapped
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    BRIGHT,
    CYAN,
    DIM,
    LIME,
    LINE,
    NIGHT,
    RED,
    SILVER,
    Block,
    at,
    box,
    panel,
    stroke,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import Action, Seat, State
from cyberdeck.games.hovercrafts.drawing.signs import COLOURS, STATS, craft, icon, pips
from cyberdeck.games.hovercrafts.narration import (
    TEAM_NAMES,
    carried_out,
    crew,
    decided,
    decides,
    is_flagship,
    known_plan,
    known_upgrades,
    label,
    lost_in,
    phase_by_phase,
    planning,
    replaying,
    whereabouts,
)
from cyberdeck.games.hovercrafts.table import (
    DEPLOY,
    MACHINES,
    NONE,
    PLAN,
    STAT_NAMES,
    ZION,
    is_out,
    team_of,
)

_ROW: Final = 52
_HEAD: Final = 26


#: What a slot of a plan is, besides its action: NEVER was not carried out.
DECIDED, NEW, DECIDING, LATER, NEVER, NEW_NEVER = range(6)
RINGED: Final = (NEW, NEW_NEVER)
FAINT: Final = (NEVER, NEW_NEVER)

#: Stands for an action that is decided and hidden: a lock, within -10 to 10.
_LOCK: Final = "M-6-1H6V8H-6zM-4-1V-4A4 4 0 0 1 4-4V-1"


def hidden(x: float, y: float, size: float) -> str:
    """The sign for an action that is decided, and hidden."""
    return at(x, y, stroke(_LOCK, SILVER, min(2.6, 30 / size)), size / 20)


def slots_now(state: State, look: Look, seat: Seat) -> tuple[list[Action], list[int]]:
    """The slots of a ship in this turn as the viewer knows them, and what each is."""
    actions, kinds = known_plan(state, look.viewers, seat), []
    before = _decided_before(state, look, seat)
    for slot, done in enumerate(decided(state, look.viewers, seat)):
        if done:
            kinds.append(NEW if before is not None and not before[slot] else DECIDED)
        else:
            kinds.append(DECIDING if slot == state["slot"] and decides(state, seat) else LATER)
    return actions, kinds


def _decided_before(state: State, look: Look, seat: Seat) -> list[bool] | None:
    """Which of these slots were decided before, if that is known."""
    if look.before is None:
        return None
    before = look.before[0]
    if (before["battle"], before["turns"]) != (state["battle"], state["turns"]):
        return [False] * int(state["actions"][seat])
    if not planning(before):
        return [False] * int(state["actions"][seat])
    return decided(before, look.viewers, seat)


def slots_then(state: State, look: Look, seat: Seat) -> tuple[list[Action], list[int]]:
    """The same of the last turn as it was carried out; lit up in a phase that is shown again."""
    done = carried_out(state, seat)
    known = _known_then(state, look, seat)
    kinds = []
    for slot, (_, was) in enumerate(done):
        if slot < len(known) and not known[slot]:
            kinds.append(NEW if was else NEW_NEVER)
        else:
            kinds.append(DECIDED if was else NEVER)
    now = int(state["passed"]) - 1
    if replaying(state) and now < len(kinds) and done[now][1]:
        kinds[now] = DECIDING
    return [action for action, _ in done], kinds


def _known_then(state: State, look: Look, seat: Seat) -> list[bool]:
    """Which slots of the last turn were decided before, if that turn was still planned then.

    Nothing of others' ships: all their orders are news when a turn is carried out.
    """
    if look.before is None or not (look.viewers is None or seat in look.viewers):
        return []
    before = look.before[0]
    same = before["battle"] == state["battle"] and before["turns"] + 1 == state["turns"]
    return decided(before, look.viewers, seat) if same and planning(before) else []


def _slots(state: State, inside: float) -> tuple[float, float]:
    """How wide a slot of a plan is in the list, and where this turn's ones begin."""
    most = 3 + max(int(state["energy"][seat]) for seat in range(int(state["seats"])))
    return min(20.0, (inside - 14) / 2 / most), inside / 2 + 7


def _strip(actions: list[Action], kinds: list[int], x: float, y: float, size: float) -> str:
    """Slots of a plan in a row, each of its kind; NONE is one whose action is not known."""
    strip = ""
    for slot, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
        left, lit = x + slot * size, kind == DECIDING
        strip += box(
            left + 0.5,
            y,
            size - 1.5,
            18,
            3,
            fill=LIME if lit else NIGHT,
            fill_opacity=0.16 if lit else 0.7,
            stroke=LIME if lit else BRIGHT if kind in RINGED else LINE,
            stroke_width=2 if kind in RINGED else None,
        )
        middle = left + size / 2 - 0.25
        if action != NONE:
            dim = 0.35 if kind in FAINT else 1
            strip += icon(action, middle, y + 9, min(size - 3, 13), dim)
        elif kind in (DECIDED, NEW):
            strip += hidden(middle, y + 9, min(size - 3, 13))
    return strip


def _fleet_row(state: State, look: Look, seat: Seat, phase: int, inside: float) -> str:
    """A ship: name, hull, stats; below its last plan, and what is known of this turn's.

    *phase*: of the last turn, in which it went out; 0 if it did not.
    """
    team, out, own = team_of(state, seat), is_out(state, seat), seat == look.seat
    colour = DIM if out else COLOURS[team]
    row = box(
        -6,
        0,
        inside + 12,
        _ROW - 4,
        7,
        fill=BRIGHT if own else NIGHT,
        fill_opacity=0.07 if own else 0.45,
        stroke=BRIGHT if own else LINE,
        stroke_opacity=0.8,
    )
    facing = 0 if int(state["phase"]) != PLAN and state["cell"][seat] == NONE else 60
    row += at(11, 13, craft(team, colour), 0.92, facing * int(state["facing"][seat]))
    name = label(state, seat) + ("*" if is_flagship(state, seat) else "")
    row += letters(name, 27, 18.5, LEAST, colour=colour)
    if own:
        row += box(52, 4.5, 36, 17, 8.5, fill=BRIGHT)
        row += letters("YOU", 70, 18.5, LEAST, "middle", NIGHT, 1.6)
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    if state["escaped"][seat]:
        row += letters("ESCAPED", 94, 18.5, LEAST, colour=LIME)
    elif out:
        since = f"OUT IN PHASE {phase}" if phase else "OUT"
        row += letters(since, 94, 18.5, LEAST, colour=RED)
    else:
        row += pips(94, 7.5, min(80, 13 * total), 11, hull, total)
    for place, (stat, sign, _) in enumerate(() if out else STATS):
        left = inside - 87 + 33 * place
        row += at(left, 13, stroke(sign, DIM, 2.4), 0.55)
        row += letters(str(int(state[stat][seat])), left + 9, 18.5, LEAST, colour=SILVER)
    size, this_turn = _slots(state, inside)
    if chosen := known_upgrades(state, look.viewers, seat):
        names = ["?" if stat == NONE else STAT_NAMES[stat] for stat in chosen]
        return row + letters(f"RAISES {', '.join(names)}", 4, 39, LEAST, colour=LIME)
    if int(state["phase"]) == DEPLOY:
        return row + letters(whereabouts(state, seat), 4, 39, LEAST, colour=DIM)
    row += _strip(*slots_then(state, look, seat), 0, 26, size)
    if planning(state):
        row += _strip(*slots_now(state, look, seat), this_turn, 26, size)
    return row


def fleets_high(state: State) -> float:
    """How high the list is at least."""
    return 30 + 2 * _HEAD + _ROW * int(state["seats"])


def tells(state: State, wide: float, high: float) -> bool:
    """Whether there is room for the last turn in words below the list."""
    return high - fleets_high(state) - _MARGIN >= report_high(state, wide - 24)


def draw_fleets(record: Record, look: Look, wide: float, high: float) -> Block:
    """The panel with both teams."""
    state, inside, out = record[0], wide - 24, lost_in(record)
    _, this_turn = _slots(state, inside)
    drawn = ""
    if planning(state):
        drawn += letters("LAST TURN", 0, LEAST, LEAST, colour=DIM)
        drawn += letters("THIS TURN", this_turn, LEAST, LEAST, colour=DIM)
    else:
        drawn += letters("SHIPS", 0, LEAST, LEAST, colour=DIM)
    y = 20.0
    for team in (ZION, MACHINES):
        seats = crew(state, team)
        left = sum(not is_out(state, seat) for seat in seats)
        drawn += letters(TEAM_NAMES[team], 0, y + 15, LEAST, colour=COLOURS[team])
        drawn += letters(f"{left}/{len(seats)}", inside, y + 15, LEAST, "end", BRIGHT)
        y += _HEAD - 3
        for seat in seats:
            drawn += at(0, y, _fleet_row(state, look, seat, out.get(seat, 0), inside))
            y += _ROW
    if tells(state, wide, high):
        told = report(record, inside, high - fleets_high(state) - _MARGIN)
        drawn += at(0, fleets_high(state) - 10, told.content)
    return Block(wide, high, panel(0, 0, wide, high) + at(12, 10, drawn))


def headed(head: str, below: Block) -> Block:
    drawn = letters(head, 0, LEAST, LEAST, colour=CYAN) + at(0, 22, below.content)
    return Block(max(width(head, LEAST), below.width), below.height + 22, drawn)


_PITCH: Final = 17
_MARGIN: Final = 12  # below what happened, in the list's panel
_INDENT: Final = 18  # of what happened, behind the number of its phase

#: Words of the narration, shorter: of an action as on its button.
_SHORT: Final = {
    " moves to ": " \N{RIGHTWARDS ARROW} ",
    " turns ": " ",
    " lands and uses EMP": " lands, EMP",
    " lands and repairs": " lands, repairs",
    " is hit by the EMP of ": " hit by EMP of ",
    " lands, hit by an EMP": " lands, jammed",
    " is out": " out",
}


def report_high(state: State, wide: float) -> float:
    """How much room there is for the last turn in words: as much all game long."""
    letters_each = 45 + 14 * int(state["seats"])  # of a phase, as most are
    lines_each = max(1.5, letters_each * 7.4 / (wide - _INDENT))
    lines = math.ceil(int(state["phases"]) * lines_each) + 1
    return 22 + _PITCH * lines


def report(record: Record, wide: float, high: float) -> Block:
    """The last turn in words, phase by phase."""
    state, rows = record[0], int((high - 22) // _PITCH)
    told: list[tuple[int, str]] = []
    for number, events in phase_by_phase(record):
        for word, short in _SHORT.items():
            events = events.replace(word, short)
        lines = wrapped(events, wide - _INDENT)
        told += [(number if at_ == 0 else 0, line) for at_, line in enumerate(lines)]
    if len(told) > rows:
        told = [*told[: rows - 1], (0, f"and {len(told) - rows + 1} more lines")]
    drawn = ""
    for at_, (number, line) in enumerate(told):
        y = LEAST + _PITCH * at_
        if number:
            drawn += letters(str(number), 0, y, LEAST, colour=CYAN)
        drawn += letters(line, _INDENT, y, LEAST, colour=SILVER)
    if not told:
        head = "NO TURN HAS PASSED YET"
    elif replaying(state):
        head = f"TURN {int(state['turns'])}, PHASE BY PHASE"
    else:
        head = "LAST TURN, PHASE BY PHASE"
    return headed(head, Block(wide, high - 22, drawn))


def fleet_signs() -> list[tuple[str, str]]:
    """What the signs of the list mean."""
    now = box(-9, -9, 18, 18, 3, fill=LIME, fill_opacity=0.16, stroke=LIME)
    new = box(-9, -9, 18, 18, 3, stroke=BRIGHT, stroke_width=2)
    return [
        (pips(-12, -6, 24, 12, 1, 2), "HULL LEFT"),
        *((at(0, 0, stroke(sign, DIM, 2.4), 0.8), words) for _, sign, words in STATS),
        (now, "DECIDING"),
        (hidden(0, 0, 20), "HIDDEN ORDER"),
        (new, "NEW ORDER"),
    ]
