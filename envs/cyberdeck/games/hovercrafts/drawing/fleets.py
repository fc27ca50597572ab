"""The list of ships in Hovercrafts' pictures, with their plans, and the last phase in words."""

from __future__ import annotations

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
    disc,
    panel,
    stroke,
)
from cyberdeck.engine.contract import Look
from cyberdeck.engine.kernels import Seat, State
from cyberdeck.games.hovercrafts.drawing.signs import COLOURS, STATS, craft, icon, pips
from cyberdeck.games.hovercrafts.narration import (
    TEAM_NAMES,
    carried_out,
    crew,
    decides,
    happened,
    is_flagship,
    known_plan,
    known_upgrades,
    label,
    planning,
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


def _slots(state: State, inside: float) -> tuple[float, float]:
    """How wide a slot of a plan is in the list, and where this turn's ones begin."""
    most = 3 + max(int(state["energy"][seat]) for seat in range(int(state["seats"])))
    return min(20.0, (inside - 14) / 2 / most), inside / 2 + 7


def _strip(actions: list[int], now: int, x: float, y: float, size: float) -> str:
    """Slots of a plan in a row, one of them lit up; NONE is a slot whose action is not known."""
    strip = ""
    for slot, action in enumerate(actions):
        left, lit = x + slot * size, slot == now
        strip += box(
            left + 0.5,
            y,
            size - 1.5,
            18,
            3,
            fill=LIME if lit else NIGHT,
            fill_opacity=0.16 if lit else 0.7,
            stroke=LIME if lit else LINE,
        )
        if action != NONE:
            strip += icon(action, left + size / 2 - 0.25, y + 9, min(size - 3, 13))
    return strip


def _fleet_row(state: State, look: Look, seat: Seat, inside: float) -> str:
    """A ship: name, hull, stats; below its last plan, and what is known of this turn's."""
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
    if state["passed"] and state["landed"][seat] and not out:
        row += disc(11, 13, 11, "none", stroke=SILVER, stroke_dasharray="4 2.4")
    name = label(state, seat) + ("*" if is_flagship(state, seat) else "")
    row += letters(name, 27, 18.5, LEAST, colour=colour)
    if own:
        row += box(52, 4.5, 36, 17, 8.5, fill=BRIGHT)
        row += letters("YOU", 70, 18.5, LEAST, "middle", NIGHT, 1.6)
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    if state["escaped"][seat]:
        row += letters("ESCAPED", 94, 18.5, LEAST, colour=LIME)
    elif out:
        row += letters("OUT", 94, 18.5, LEAST, colour=RED)
    else:
        row += pips(94, 7.5, min(80, 13 * total), 11, hull, total)
    for place, (stat, sign) in enumerate(STATS):
        left = inside - 87 + 33 * place
        row += at(left, 13, stroke(sign, DIM, 2.4), 0.55)
        row += letters(str(int(state[stat][seat])), left + 9, 18.5, LEAST, colour=SILVER)
    size, this_turn = _slots(state, inside)
    if chosen := known_upgrades(state, look.viewers, seat):
        names = ["?" if stat == NONE else STAT_NAMES[stat] for stat in chosen]
        return row + letters(f"RAISES {', '.join(names)}", 4, 39, LEAST, colour=LIME)
    if int(state["phase"]) == DEPLOY:
        return row + letters(whereabouts(state, seat), 4, 39, LEAST, colour=DIM)
    row += _strip(*carried_out(state, seat), 0, 26, size)
    if planning(state):
        deciding = int(state["slot"]) if decides(state, seat) else NONE
        row += _strip(known_plan(state, look.viewers, seat), deciding, this_turn, 26, size)
    return row


def fleets_high(state: State) -> float:
    """How high the list is at least."""
    return 30 + 2 * _HEAD + _ROW * int(state["seats"])


def draw_fleets(state: State, look: Look, wide: float, high: float) -> Block:
    """The panel with both teams."""
    inside = wide - 24
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
            drawn += at(0, y, _fleet_row(state, look, seat, inside))
            y += _ROW
    room = high - y - 40
    if planning(state) and room > 3 * 17:
        drawn += at(0, y + 10, report(state, inside, room - 22).content)
    return Block(wide, high, panel(0, 0, wide, high) + at(12, 10, drawn))


def headed(head: str, below: Block) -> Block:
    drawn = letters(head, 0, LEAST, LEAST, colour=CYAN) + at(0, 22, below.content)
    return Block(max(width(head, LEAST), below.width), below.height + 22, drawn)


def report(state: State, wide: float, high: float) -> Block:
    """The last phase in words, in columns."""
    events = [line for event in happened(state) for line in wrapped(event, min(wide, 300))]
    across, rows = max(1, int(wide // 300)), int(high // 17)
    room = across * rows
    if len(events) > room:
        events = [*events[: room - 1], f"and {len(events) - room + 1} more"]
    drawn = "".join(
        letters(event, 308 * (line // rows), LEAST + 17 * (line % rows), LEAST, colour=SILVER)
        for line, event in enumerate(events)
    )
    head = f"PHASE {int(state['passed'])}" if state["passed"] else "NO PHASE YET"
    return headed(head, Block(wide, high, drawn))


def fleet_signs() -> list[tuple[str, str]]:
    """What the signs of the list mean."""
    signs = [(at(0, 0, stroke(sign, DIM, 2.4), 0.8), name.upper()) for name, sign in STATS]
    return [(pips(-12, -6, 24, 12, 1, 2), "HULL LEFT"), *signs]
