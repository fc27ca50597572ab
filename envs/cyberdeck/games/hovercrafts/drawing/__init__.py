"""Hovercrafts in pictures: only what the ship's player may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing.lettering import badge, banner, prompt, title, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    CYAN,
    DIM,
    GREEN,
    LIME,
    LINE,
    RED,
    SILVER,
    at,
    backdrop,
    box,
    document,
    glow,
    panel,
)
from cyberdeck.engine.contract import Look
from cyberdeck.engine.kernels import Mask, Seat, State
from cyberdeck.games.hovercrafts.drawing.board import draw_board
from cyberdeck.games.hovercrafts.drawing.fleets import draw_fleets
from cyberdeck.games.hovercrafts.drawing.signs import COLOURS, craft, icon
from cyberdeck.games.hovercrafts.narration import (
    carried_out,
    decides,
    ending,
    happened,
    known_plan,
    known_upgrades,
    label,
    planning,
    replaying,
    scores,
    stage,
    task,
    text,
    turn_number,
    whereabouts,
)
from cyberdeck.games.hovercrafts.table import (
    ACTIONS,
    DEPLOY,
    FACINGS,
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

_WIDTH, _HEIGHT = 980, 866

# --- the own plan, and the actions ---------------------------------------------------------------

_PLAN: Final = (14, 690, 952, 112)  # its panel


def _actions(mask: Mask | None) -> str:
    """All actions of a plan with their numbers; the legal ones lit up."""
    drawn, y = "", _PLAN[1] + 32
    for action, name in enumerate(ACTIONS):
        x = _PLAN[0] + 462 + 68.6 * action
        legal = mask is not None and mask[action]
        if legal:
            drawn += glow(x, y, 63, 68, 8, LIME, 0.8)
        drawn += box(
            x, y, 63, 68, 8, fill="#101839", stroke=LIME if legal else LINE, stroke_width=1.6
        )
        shut = mask is not None and not legal
        drawn += icon(action, x + 31.5, y + 28, 25, 0.35 if shut else 1)
        drawn += letters(str(action), x + 7, y + 13, 7, colour=DIM)
        ink = LINE if shut else BRIGHT if legal else SILVER
        drawn += letters(name, x + 31.5, y + 58, 7, "middle", ink)
    return drawn


def _compass(state: State, seat: Seat, mask: Mask | None) -> str:
    """The six facings of a deployment, and what must be added to the number on a hex."""
    drawn, y = "", _PLAN[1] + 32
    team = team_of(state, seat)
    for facing, name in enumerate(FACINGS):
        x = _PLAN[0] + 462 + 80 * facing
        legal = mask is not None and mask[PLACES + facing :: 6].any()
        if legal:
            drawn += glow(x, y, 74, 68, 8, LIME, 0.8)
        drawn += box(
            x, y, 74, 68, 8, fill="#101839", stroke=LIME if legal else LINE, stroke_width=1.6
        )
        drawn += at(x + 37, y + 28, craft(team, COLOURS[team]), 1.5, 60 * facing)
        drawn += letters(f"{name}  +{facing}", x + 37, y + 60, 7.6, "middle", BRIGHT)
    return drawn


def _choices(names: Sequence[str], first: int, mask: Mask | None) -> str:
    """What may be chosen besides plans and places, with the numbers; the legal ones lit up."""
    drawn, y = "", _PLAN[1] + 32
    for choice, name in enumerate(names):
        x = _PLAN[0] + 462 + 120 * choice
        legal = mask is not None and mask[first + choice]
        if legal:
            drawn += glow(x, y, 112, 68, 8, LIME, 0.8)
        drawn += box(
            x, y, 112, 68, 8, fill="#101839", stroke=LIME if legal else LINE, stroke_width=1.6
        )
        drawn += letters(str(first + choice), x + 7, y + 13, 7, colour=DIM)
        drawn += letters(name, x + 56, y + 40, 10, "middle", BRIGHT if legal else SILVER)
    return drawn


def _own_plan(state: State, seat: Seat, mask: Mask | None) -> str:
    x, y, _, _ = _PLAN
    own = panel(*_PLAN)
    ship = label(state, seat)
    if int(state["phase"]) == DEPLOY:
        own += letters(f"YOUR SHIP {ship}", x + 16, y + 20, 9, colour=CYAN)
        own += letters(whereabouts(state, seat), x + 16, y + 58, 9, colour=BRIGHT)
        own += letters("FACING: ADD TO THE NUMBER ON A HEX", x + 462, y + 20, 9, colour=CYAN)
        return own + _compass(state, seat, mask)
    if int(state["phase"]) == PICK:
        own += letters(f"YOUR SHIP {ship}", x + 16, y + 20, 9, colour=CYAN)
        own += letters("SIDE OF THE OWN TEAM", x + 462, y + 20, 9, colour=CYAN)
        return own + _choices(SIDES, int(first_side(state)), mask)
    if int(state["phase"]) == UPGRADE and not replaying(state):
        chosen = [
            "?" if stat == NONE else STAT_NAMES[stat] for stat in known_upgrades(state, seat, seat)
        ]
        own += letters(f"UPGRADES OF YOUR SHIP {ship}", x + 16, y + 20, 9, colour=CYAN)
        own += letters(", ".join(chosen) or "NONE", x + 16, y + 66, 10, colour=BRIGHT)
        own += letters("STATS", x + 462, y + 20, 9, colour=CYAN)
        return own + _choices(STAT_NAMES, int(first_upgrade(state)), mask)
    if planning(state):
        actions, now = known_plan(state, seat, seat), int(state["slot"])
        if not decides(state, seat):
            now = NONE
    else:
        actions, now = carried_out(state, seat)
    own += letters(f"PLAN OF YOUR SHIP {ship}", x + 16, y + 20, 9, colour=CYAN)
    if not actions:
        own += letters(
            "OUT OF THE GAME" if is_out(state, seat) else "NONE", x + 16, y + 66, 9, colour=DIM
        )
    for slot, action in enumerate(actions):
        left, lit = x + 16 + 48 * slot, slot == now
        if lit:
            own += glow(left, y + 32, 43, 68, 8, LIME, 0.8)
        own += box(
            left,
            y + 32,
            43,
            68,
            8,
            fill="#101839",
            stroke=LIME if lit else LINE,
            stroke_width=1.6,
            stroke_dasharray="5 4" if action == NONE and not lit else None,
        )
        own += letters(str(slot + 1), left + 21.5, y + 91, 7, "middle", LIME if lit else DIM)
        if action != NONE:
            own += icon(action, left + 21.5, y + 58, 24)
        elif lit:
            own += letters("?", left + 21.5, y + 65, 14, "middle", LIME)
    if not planning(state) and state["passed"]:
        own += letters(f"PHASE {int(state['passed'])}", x + 462, y + 20, 9, colour=CYAN)
        return own + _report(state, x + 462, y + 39)
    own += letters("ACTIONS", x + 462, y + 20, 9, colour=CYAN)
    return own + _actions(mask)


def _report(state: State, x: float, y: float) -> str:
    """A phase in words, in three columns."""
    events = happened(state)
    if len(events) > 18:
        events = [*events[:17], f"and {len(events) - 17} more"]
    return "".join(
        letters(event, x + 162 * (line // 6), y + 12.6 * (line % 6), 7, colour=SILVER)
        for line, event in enumerate(events)
    )


# --- whose turn, and the end ---------------------------------------------------------------------


def _status(state: State, seat: Seat, mask: Mask | None) -> str:
    """What to do, or how it ended."""
    over = ending(state)
    if over is not None:
        colour = GREEN if over.winner == team_of(state, seat) else RED
        if over.winner is None:
            colour = AMBER
        return banner(812, over.headline, over.why, colour, wide=_WIDTH)
    legal = None if mask is None else int(np.count_nonzero(mask))
    return prompt(812, task(state, seat), legal, "ACTION", wide=_WIDTH)


def _header(state: State) -> str:
    now = stage(state)
    turn = f"TURN {turn_number(state)}/{int(state['max_turns'])}"
    if int(state["phase"]) in (DEPLOY, PICK):
        turn = f"{int(state['max_turns'])} TURNS"
    score = "".join(
        letters(line.upper(), 330, 34 + 15 * at_, 8, colour=AMBER)
        for at_, line in enumerate(scores(state))
    )
    return (
        title("HOVERCRAFTS", 24, 46, 25)
        + score
        + letters(turn, 966 - width(now, 9) - 38, 41, 11, "end", BRIGHT)
        + badge(now, 966, 24)
    )


def svg(record: NDArray[Any], look: Look) -> str:
    """The table as an SVG picture."""
    state, seat, mask = record[0], look.side, look.mask
    return document(
        _WIDTH,
        _HEIGHT,
        "Hovercrafts",
        text(record, look.seat),
        "",
        backdrop(_WIDTH, _HEIGHT)
        + _header(state)
        + draw_board(state, seat, mask)
        + draw_fleets(state, seat)
        + _own_plan(state, seat, mask)
        + _status(state, seat, mask),
    )
