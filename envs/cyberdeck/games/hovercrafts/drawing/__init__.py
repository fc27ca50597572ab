"""Hovercrafts in pictures: only what the ship's player may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from cyberdeck.drawing.lettering import (
    LEAST,
    asked,
    badge,
    legend,
    over,
    title,
    width,
    wrapped,
)
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CARD,
    DIM,
    GREEN,
    LIME,
    LINE,
    RED,
    SILVER,
    Block,
    at,
    backdrop,
    box,
    document,
    flow,
    glow,
    panel,
    panelled,
    target,
)
from cyberdeck.engine.contract import Look, Record
from cyberdeck.engine.kernels import Mask, Seat, State
from cyberdeck.games.hovercrafts.drawing.board import board_signs, draw_board, table_of
from cyberdeck.games.hovercrafts.drawing.fleets import (
    DECIDING,
    FAINT,
    LATER,
    RINGED,
    draw_fleets,
    fleet_signs,
    fleets_high,
    headed,
    hidden,
    report,
    report_high,
    slots_now,
    slots_then,
    tells,
)
from cyberdeck.games.hovercrafts.drawing.signs import COLOURS, chosen, craft, icon
from cyberdeck.games.hovercrafts.narration import (
    decides,
    described,
    ending,
    known_plan,
    known_upgrades,
    label,
    planning,
    scores,
    situation,
    stage,
    task,
    turn_number,
    whereabouts,
)
from cyberdeck.games.hovercrafts.table import (
    ACTIONS,
    DEPLOY,
    EMP,
    FACINGS,
    NO_ACTION,
    NONE,
    PICK,
    PLACES,
    SIDES,
    STAT_NAMES,
    UPGRADE,
    first_side,
    first_upgrade,
    is_out,
    team_of,
)

_EDGE, _GAP = 14, 10
_WIDTH, _NARROW = 980, 390
_DEPTH: Final = 612  # of the map at most

# --- the own plan, and the actions ---------------------------------------------------------------

_HIGH: Final = 88  # of a button, and of a slot


def _button(content: str, words: Sequence[str], wide: float, lit: bool, shut: bool) -> str:
    """A choice: its sign above its words; lit up if it is legal, dim if it is not."""
    drawn = glow(0, 0, wide, _HIGH, 8, LIME, 0.8) if lit else ""
    drawn += box(0, 0, wide, _HIGH, 8, fill=CARD, stroke=LIME if lit else LINE, stroke_width=1.6)
    drawn += content
    ink = LINE if shut else BRIGHT if lit else SILVER
    for line, word in enumerate(words):
        y = _HIGH - 12 - 16 * (len(words) - 1 - line)
        drawn += letters(word, wide / 2, y, LEAST, "middle", ink)
    return drawn


def _actions(record: Record, mask: Mask | None, wide: float, room: float) -> Block:
    """All actions of a plan with their numbers; the legal ones lit up."""
    buttons = []
    for action, name in enumerate(ACTIONS):
        legal = mask is not None and bool(mask[action])
        shut = mask is not None and not legal
        sign = icon(action, wide / 2 + 4, 31, 26, 0.35 if shut else 1)
        sign += letters(str(action), 6, 18, LEAST, colour=DIM)
        drawn = _button(sign, name.split(), wide, legal, shut)
        buttons.append(Block(wide, _HIGH, chosen(record, mask, action, drawn)))
    return flow(buttons, room, 4)


def _compass(state: State, seat: Seat, mask: Mask | None, wide: float, room: float) -> Block:
    """The six facings of a deployment: each is one end of it, a hex is the other."""
    buttons, team = [], team_of(state, seat)
    for facing, name in enumerate(FACINGS):
        legal = [] if mask is None else (PLACES + np.flatnonzero(mask[PLACES:])).tolist()
        legal = [action for action in legal if (action - PLACES) % len(FACINGS) == facing]
        ship = at(wide / 2, 34, craft(team, COLOURS[team]), 1.5, 60 * facing)
        drawn = _button(ship, [name], wide, bool(legal), False)
        buttons.append(Block(wide, _HIGH, target(drawn, legal, f"facing {name}", alone=False)))
    return flow(buttons, room, 4)


def _choices(
    record: Record, names: Sequence[str], first: int, mask: Mask | None, room: float
) -> Block:
    """What may be chosen besides plans and places, with the numbers; the legal ones lit up."""
    buttons = []
    for choice, name in enumerate(names):
        legal = mask is not None and bool(mask[first + choice])
        number = letters(str(first + choice), 6, 18, LEAST, colour=DIM)
        drawn = _button(number, [name], 112, legal, mask is not None and not legal)
        buttons.append(Block(112, _HIGH, chosen(record, mask, first + choice, drawn)))
    return flow(buttons, room, 4)


def _slots(actions: Sequence[int], kinds: Sequence[int]) -> Block:
    """A plan, slot by slot; one of them lit up."""
    slots, wide = [], 34
    for slot, (action, kind) in enumerate(zip(actions, kinds, strict=True)):
        lit = kind == DECIDING
        drawn = glow(0, 0, wide, _HIGH, 8, LIME, 0.8) if lit else ""
        drawn += box(
            0,
            0,
            wide,
            _HIGH,
            8,
            fill=CARD,
            stroke=LIME if lit else BRIGHT if kind in RINGED else LINE,
            stroke_width=2.4 if kind in RINGED else 1.6,
            stroke_dasharray="5 4" if kind == LATER else None,
        )
        ink = LIME if lit else DIM
        drawn += letters(str(slot + 1), wide / 2, _HIGH - 12, LEAST, "middle", ink)
        if action != NONE:
            drawn += icon(action, wide / 2, 32, 24, 0.35 if kind in FAINT else 1)
        elif lit:
            drawn += letters("?", wide / 2, 40, 14, "middle", LIME)
        elif kind != LATER:
            drawn += hidden(wide / 2, 32, 24)
        slots.append(Block(wide, _HIGH, drawn))
    return flow(slots, 9 * (wide + 4), 4)


def _blocked(state: State, seat: Seat) -> str:
    """Which actions may not be planned now, and why."""
    slot = int(state["slot"])
    plan = known_plan(state, (seat,), seat)[:slot]
    if slot == 0:
        return ": NO ACTION CANNOT BE THE FIRST"
    if plan[-1] == NO_ACTION:
        return ": THE PLAN IS OVER"
    if plan.count(EMP) >= int(state["emp_per_turn"]):
        return f": ONLY {int(state['emp_per_turn'])} EMP A TURN"
    return ""


def _said(words: str, wide: float) -> Block:
    lines = wrapped(words, wide)
    drawn = "".join(
        letters(line, 0, 40 + 17 * at_, LEAST, colour=BRIGHT) for at_, line in enumerate(lines)
    )
    return Block(wide, _HIGH, drawn)


def _own(record: Record, look: Look, seat: Seat, wide: float) -> Block:
    """What the seat has chosen in this turn, and what it may choose."""
    state, mask, ship = record[0], look.mask, label(record[0], seat)
    room = 500.0 if wide > 500 else wide
    phase, beside = int(state["phase"]), wide - room - 14 if wide > room else wide
    button = 68.0 if wide > 500 else 84.0
    if phase == DEPLOY:
        chosen_ = headed(f"SHIP {ship}", _said(whereabouts(state, seat), beside))
        offered = headed("A HEX AND A FACING", _compass(state, seat, mask, button, room))
    elif phase == PICK:
        chosen_ = headed(f"SHIP {ship}", _said("", beside))
        offered = headed("SIDE", _choices(record, SIDES, int(first_side(state)), mask, room))
    elif phase == UPGRADE:
        stats = known_upgrades(state, (seat,), seat)
        names = ["?" if stat == NONE else STAT_NAMES[stat] for stat in stats]
        chosen_ = headed(f"{ship} RAISES", _said(", ".join(names) or "NOTHING", beside))
        first = int(first_upgrade(state))
        offered = headed("STATS", _choices(record, STAT_NAMES, first, mask, room))
    else:
        slots = slots_now(state, look, seat) if planning(state) else slots_then(state, look, seat)
        count, out = len(slots[0]), "OUT OF THE GAME" if is_out(state, seat) else "NONE"
        drawn = _slots(*slots) if count else _said(out, beside)
        head = f"{ship}: {count} ACTIONS ROLLED" if count and planning(state) else f"PLAN OF {ship}"
        chosen_ = headed(head, Block(beside, drawn.height, drawn.content))
        why = _blocked(state, seat) if mask is not None and decides(state, seat) else ""
        offered = headed(f"ACTIONS{why}", _actions(record, mask, button, room))
    return flow([chosen_, offered], wide, 14)


def _panel(record: Record, look: Look, seat: Seat, wide: float) -> Block:
    """What the seat has decided and decides."""
    own = _own(record, look, seat, wide - 32)
    if look.narrow:  # as high all game long
        own = Block(own.width, max(own.height, 58 + 3 * _HIGH + 4), own.content)
    return panelled(own, 14, wide)


# --- whose turn, and the end ---------------------------------------------------------------------


def _status(state: State, look: Look, wide: float) -> Block:
    """What to do, or how it ended."""
    ended = ending(state)
    if ended is not None:
        colour = AMBER
        if ended.winner is not None:
            lost = look.seat is not None and ended.winner != team_of(state, look.seat)
            colour = RED if lost else GREEN
        return over(ended.headline, ended.why, colour, wide)
    legal = None if look.mask is None else int(np.count_nonzero(look.mask))
    return asked(task(state, look.seat), legal, "ACTION", wide)


def _header(state: State, look: Look, wide: float) -> Block:
    turn = f"TURN {turn_number(state)}/{int(state['max_turns'])}"
    if int(state["phase"]) in (DEPLOY, PICK):
        turn = f"{int(state['max_turns'])} TURNS"
    told = [line.upper() for line in scores(state)]
    if look.narrow:
        drawn = title("HOVERCRAFTS", 4, 26, 17) + letters(turn, wide - 2, 25, LEAST, "end", BRIGHT)
        told = [part for line in told for part in wrapped(line, wide)]
        y = 48.0
    else:
        drawn = title("HOVERCRAFTS", 10, 34, 25) + badge(stage(state), wide, 10)
        left = wide - width(stage(state), LEAST) - 40
        drawn += letters(turn, left, 28.5, LEAST, "end", BRIGHT)
        y = 60.0
    for at_, line in enumerate(told):
        drawn += letters(line, 4, y + 18 * at_, LEAST, colour=AMBER)
    return Block(wide, y + 18 * len(told) - 16, drawn)


def svg(record: Record, look: Look) -> str:
    """The table as an SVG picture."""
    state = record[0]
    edge, full = (5, _NARROW) if look.narrow else (_EDGE, _WIDTH)
    wide = full - 2.0 * edge
    listed = wide if look.narrow else 294.0
    room = wide if look.narrow else wide - listed - _GAP
    _, high = table_of(state, room, _DEPTH)
    fleets = fleets_high(state)
    if not look.narrow:
        fleets = max(fleets, high)
    map_ = draw_board(record, look, room, _DEPTH)
    if map_.height < fleets and not look.narrow:
        map_ = Block(room, fleets, panel(0, 0, room, fleets) + map_.content)
    ships = draw_fleets(record, look, listed, fleets)
    own = [] if look.seat is None else [_panel(record, look, look.seat, wide)]
    status = _status(state, look, wide)
    order = [map_, status, *own, ships] if look.narrow else [map_, ships, *own, status]
    if not tells(state, listed, fleets):
        order.append(panelled(report(record, wide - 28, report_high(state, wide - 28)), 14, wide))
    signs = [*board_signs(state), *fleet_signs()]
    if look.seat is None:
        signs += _icons()  # a ship's player sees them on the buttons
    head = _header(state, look, wide)
    explained = panelled(legend(signs, wide - 28, 13), 14, wide)
    table = flow([head, *order, explained], wide, _GAP)
    high = table.height + 2 * edge
    return document(
        full,
        high,
        f"Hovercrafts, turn {turn_number(state)} of {int(state['max_turns'])}. "
        f"{situation(state, look.seat)}",
        described(record, look.viewers),
        "",
        backdrop(full, int(high)) + at(edge, edge, table.content),
    )


def _icons() -> list[tuple[str, str]]:
    """The actions' signs."""
    return [(icon(action, 0, 0, 20), name.upper()) for action, name in enumerate(ACTIONS)]
