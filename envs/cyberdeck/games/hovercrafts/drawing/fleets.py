"""The list of ships in Hovercrafts' pictures, with their plans, and the last phase in words."""

from __future__ import annotations

from typing import Final

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
    at,
    box,
    disc,
    number,
    panel,
    stroke,
)
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

_FLEETS: Final = (672, 68, 294, 612)  # their panel
_ROW: Final = 52
_HEAD: Final = 26
_INSIDE: Final = 270  # from margin to margin


def _slots(state: State) -> tuple[float, float]:
    """How wide a slot of a plan is in the table of fleets, and where this turn's ones begin."""
    most = 3 + max(int(state["energy"][seat]) for seat in range(int(state["seats"])))
    size = min(20.0, (_INSIDE - 14) / 2 / most)
    return size, _INSIDE / 2 + 7


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


def _fleet_row(state: State, viewer: Seat, seat: Seat, y: float) -> str:
    """A ship: name, hull, stats; below its last plan, and what is known of this turn's."""
    x = _FLEETS[0] + 12
    team, out = team_of(state, seat), is_out(state, seat)
    colour = DIM if out else COLOURS[team]
    row = box(
        x - 6,
        y,
        _INSIDE + 12,
        _ROW - 4,
        7,
        fill=BRIGHT if seat == viewer else NIGHT,
        fill_opacity=0.07 if seat == viewer else 0.45,
        stroke=BRIGHT if seat == viewer else LINE,
        stroke_opacity=0.8,
    )
    facing = 0 if int(state["phase"]) != PLAN and state["cell"][seat] == NONE else 60
    row += at(x + 11, y + 13, craft(team, colour), 0.92, facing * int(state["facing"][seat]))
    if state["passed"] and state["landed"][seat] and not out:
        row += disc(x + 11, y + 13, 11, "none", stroke=SILVER, stroke_dasharray="4 2.4")
    name = label(state, seat) + ("*" if is_flagship(state, seat) else "")
    row += letters(name, x + 28, y + 18, 10, colour=colour)
    if seat == viewer:
        row += box(x + 54, y + 6.5, 28, 13, 6.5, fill=BRIGHT)
        row += letters("YOU", x + 68, y + 16, 6.4, "middle", NIGHT, 1.4)
    hull, total = int(state["hull_left"][seat]), int(state["hull"][seat])
    if state["escaped"][seat]:
        row += letters("ESCAPED", x + 84, y + 17.5, 9, colour=LIME)
    elif out:
        row += letters("OUT", x + 84, y + 17.5, 9, colour=RED)
    else:
        row += pips(x + 86, y + 7.5, min(84, 13 * total), 11, hull, total)
    for place, (name, sign) in enumerate(STATS):
        left = x + 182 + 33 * place
        row += at(left, y + 13, stroke(sign, DIM, 2.4), 0.55)
        row += letters(str(int(state[name][seat])), left + 9, y + 17.5, 9, colour=SILVER)
    size, this_turn = _slots(state)
    chosen = known_upgrades(state, viewer, seat)
    if chosen:
        names = ["?" if stat == NONE else STAT_NAMES[stat] for stat in chosen]
        row += letters(f"RAISES {', '.join(names)}", x + this_turn, y + 38, 8, colour=LIME)
    row += _strip(*carried_out(state, seat), x, y + 26, size)
    if int(state["phase"]) == DEPLOY:
        row += letters(whereabouts(state, seat), x + 4, y + 38, 8, colour=DIM)
    elif planning(state):
        deciding = int(state["slot"]) if decides(state, seat) else NONE
        row += _strip(known_plan(state, viewer, seat), deciding, x + this_turn, y + 26, size)
    return row


def draw_fleets(state: State, viewer: Seat) -> str:
    """The panel with both teams, and below them the last phase."""
    drawn = panel(*_FLEETS)
    x, y = _FLEETS[0] + 12, float(_FLEETS[1] + 6)
    _, this_turn = _slots(state)
    for team in (ZION, MACHINES):
        seats = crew(state, team)
        left = sum(not is_out(state, seat) for seat in seats)
        drawn += letters(TEAM_NAMES[team], x, y + 17, 9, colour=COLOURS[team])
        if team == ZION and planning(state):
            drawn += letters("LAST TURN", x + this_turn - 16, y + 16.5, 6.6, "end", DIM)
            drawn += letters("THIS TURN", x + this_turn, y + 16.5, 6.6, colour=DIM)
        drawn += letters(f"{left}/{len(seats)}", x + _INSIDE, y + 17, 9, "end", BRIGHT)
        y += _HEAD
        for seat in seats:
            drawn += _fleet_row(state, viewer, seat, y)
            y += _ROW
    bottom = _FLEETS[1] + _FLEETS[3] - 13
    for place, (name, sign) in enumerate(STATS):
        drawn += at(x + 6 + 90 * place, bottom - 4, stroke(sign, DIM, 2.4), 0.5)
        drawn += letters(name, x + 16 + 90 * place, bottom, 8, colour=DIM)
    return drawn + (_log(state, y + 8, bottom - 20) if planning(state) else "")


def _log(state: State, y: float, bottom: float) -> str:
    """The last phase in words, where the ships leave room for it."""
    events = happened(state)
    room = int((bottom - y - 24) // 16)
    if not events or room < 2:
        return ""
    x = _FLEETS[0] + 12
    log = stroke(f"M{x} {number(y)}h{_INSIDE}", LINE, 1)
    log += letters(f"PHASE {int(state['passed'])}", x, y + 20, 8, colour=CYAN)
    if len(events) > room:
        events = [*events[: room - 1], f"and {len(events) - room + 1} more"]
    for line, event in enumerate(events):
        log += letters(event, x, y + 38 + 16 * line, 8, colour=SILVER)
    return log
