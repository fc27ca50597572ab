"""Hovercrafts: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hovercrafts.rules import (
    BOTH_OUT,
    CELLS,
    CHOOSE,
    DEPLOY,
    DISABLED_ALL,
    EMP,
    FREE,
    GIVEN,
    HIGHEST,
    MACHINES,
    MARGIN,
    MAX_TURNS,
    MOST_TURNS,
    NO_ACTION,
    NONE,
    OFF_MAP,
    PLAN,
    SCRIPT,
    SHIPS,
    SLOTS,
    STRIDE,
    VECTOR,
    WIDEST,
    WITH_PRIOR,
    ZION,
    alive,
    phases_left,
    ships_left,
    start_cell,
    start_column,
    team_of,
)

INVARIANTS = (
    "the options are in range",
    "the map has its size, and room for both teams in the outer columns",
    "the ships stand on free hexes of their own, with hull and stats in range",
    "the plans are those of the slots decided so far, and could be planned",
    "what is kept of the last turn is in range",
    "the mover is the next one to be asked",
    "the end of the game agrees with the position",
)
OPTIONS, MAP, FLEETS, PLANS, LAST_TURN, DECISION, ENDING = range(1, 8)


@kernel
def is_flag(value: Any) -> Any:
    return value == 0 or value == 1


@kernel
def options_hold(state: Any) -> Any:
    machines = state.seats - state.zion
    if not (2 <= state.seats <= SHIPS and 1 <= state.zion <= 9 and 1 <= machines <= 9):
        return False
    if not (2 <= state.width <= WIDEST and 1 <= state.height <= HIGHEST):
        return False
    if not (0 <= state.scenario <= GIVEN and VECTOR <= state.shown <= WITH_PRIOR):
        return False
    if not is_flag(state.deployment):
        return False
    if not (is_flag(state.reward_mode) and is_flag(state.share_plans) and is_flag(state.starting)):
        return False
    if not (1 <= state.emp_per_turn <= SLOTS and 0 <= state.walls_drawn <= 1000):
        return False
    return 1 <= state.max_turns <= MOST_TURNS and 0 <= state.turns <= state.max_turns


@kernel
def map_holds(state: Any) -> Any:
    for cell in range(CELLS):
        column, row = cell % STRIDE - MARGIN, cell // STRIDE - MARGIN
        inside = 0 <= column < state.width and 0 <= row < state.height
        terrain = state.terrain[cell]
        if not (FREE <= terrain <= OFF_MAP) or (terrain == OFF_MAP) == inside:
            return False
    most = max(state.zion, state.seats - state.zion)
    for team in range(2):
        free = 0
        for row in range(state.height):
            free += (
                state.terrain[STRIDE * (row + MARGIN) + start_column(state, team) + MARGIN] == FREE
            )
        if free < most:
            return False
    return True


@kernel
def is_free(state: Any, cell: Any) -> Any:
    return 0 <= cell < CELLS and state.terrain[cell] == FREE


@kernel
def fleets_hold(state: Any) -> Any:
    for seat in range(SHIPS):
        if seat >= state.seats:
            if state.cell[seat] != NONE or state.actions[seat] != 0:
                return False
            continue
        if not (1 <= state.hull[seat] <= 9 and 0 <= state.shield[seat] <= 6):
            return False
        if not (0 <= state.ballistic[seat] <= 6 and 0 <= state.energy[seat] <= 6):
            return False
        if not (0 <= state.facing[seat] < 6 and 0 <= state.hull_left[seat] <= state.hull[seat]):
            return False
        cell = state.cell[seat]
        if cell == NONE:
            if state.phase == PLAN and state.hull_left[seat] != 0:
                return False
            continue
        if not is_free(state, cell) or state.hull_left[seat] == 0:
            return False
        for other in range(seat):
            if state.cell[other] == cell:
                return False
    return True


@kernel
def deployment_holds(state: Any) -> Any:
    """Who is not on the map yet comes after the mover; the others stand on their columns.

    With random deployment nobody is asked: there would be no actions for it.
    """
    if state.deployment != CHOOSE:
        return False
    if state.turns != 0 or state.slot != 0 or state.passed != 0:
        return False
    for seat in range(state.seats):
        team = team_of(state, seat)
        mover_team = team_of(state, max(state.mover, 0))
        before = seat < state.mover if team == mover_team else team == state.starting
        if state.mover != NOBODY and alive(state, seat) != before:
            return False
        if state.hull_left[seat] != state.hull[seat] or state.actions[seat] != 0:
            return False
        row = state.cell[seat] // STRIDE - MARGIN
        if alive(state, seat) and state.cell[seat] != start_cell(state, seat, row):
            return False
    return True


@kernel
def plan_holds(state: Any, seat: Any) -> Any:
    """What a seat has planned: slots decided one after the other, each as it was legal."""
    emps = 0
    for slot in range(SLOTS):
        action = state.plan[seat, slot]
        if not NONE <= action <= NO_ACTION:
            return False
        decided = action != NONE
        if state.phase == DEPLOY or seat >= state.seats or slot >= state.actions[seat]:
            if decided:
                return False
            continue
        if state.mover != NOBODY:
            asked = slot < state.slot or (slot == state.slot and seat < state.mover)
            if decided != asked:
                return False
        if not decided:
            continue
        if slot == 0 and action == NO_ACTION:
            return False
        if slot > 0 and state.plan[seat, slot - 1] == NO_ACTION and action != NO_ACTION:
            return False
        if slot > 0 and state.plan[seat, slot - 1] == NONE:
            return False
        emps += action == EMP
    return emps <= state.emp_per_turn


@kernel
def plans_hold(state: Any) -> Any:
    if not 0 <= state.slot <= SLOTS:
        return False
    for seat in range(SHIPS):
        rolled = state.actions[seat]
        if not 0 <= rolled <= SLOTS or not plan_holds(state, seat):
            return False
        if seat >= state.seats or state.phase == DEPLOY or state.mover == NOBODY:
            continue
        low = 1 + state.energy[seat]
        if alive(state, seat) and not low <= rolled <= low + 2:
            return False
        if not alive(state, seat) and rolled != 0:
            return False
    return True


@kernel
def last_turn_holds(state: Any) -> Any:
    if not (0 <= state.passed <= SLOTS and 0 <= state.scripted <= SCRIPT):
        return False
    if not 0 <= state.before_scripted <= SCRIPT:
        return False
    for at in range(SCRIPT):
        if not 0 <= state.script[at] <= 6:
            return False
        if at >= SCRIPT - max(state.scripted, state.before_scripted) and state.script[at] == 0:
            return False
    for team in range(2):
        if state.lost[team] < 0 or (state.mover != NOBODY and state.lost[team] != 0):
            return False
    for seat in range(SHIPS):
        was, wreck = state.was[seat], state.wreck[seat]
        for cell in (was, wreck, state.aim[seat], state.before_cell[seat]):
            if cell != NONE and not is_free(state, cell):
                return False
        if state.passed == 0 and was != NONE:
            return False
        if (wreck != NONE) != (was != NONE and not alive(state, seat)):
            return False
        if not (0 <= state.done[seat] <= NO_ACTION and NONE <= state.rammed[seat] < SHIPS):
            return False
        if not (is_flag(state.landed[seat]) and state.jammed[seat] == 0):
            return False
        if not (0 <= state.shot[seat] < 1 << SHIPS and 0 <= state.hit[seat] < 1 << SHIPS):
            return False
        # Not their sum: -1 and 1 would pass for nothing.
        if (state.place[seat] | state.roll[seat] | state.behind[seat] | state.advancing[seat]) != 0:
            return False
        if not (0 <= state.before_facing[seat] < 6 and 0 <= state.before_hull[seat] <= 9):
            return False
        if (state.before_cell[seat] == NONE) != (state.before_hull[seat] == 0):
            return False
        if seat >= state.seats and state.before_cell[seat] != NONE:
            return False
        for other in range(seat):
            if state.before_cell[other] == state.before_cell[seat] != NONE:
                return False
        if not 0 <= state.before_actions[seat] <= SLOTS:
            return False
        for slot in range(SLOTS):
            if not NONE <= state.revealed[seat, slot] <= NO_ACTION:
                return False
            if state.passed == 0 and state.revealed[seat, slot] != NONE:
                return False
    return not phases_left(state)


@kernel
def most_decisions(state: Any) -> Any:
    """How many there can have been: one too many would run over in the end."""
    made = np.int64(state.reason == FORFEIT)
    for seat in range(state.seats):
        if state.phase == DEPLOY:
            made += alive(state, seat)
        for slot in range(SLOTS):
            made += state.plan[seat, slot] != NONE
    if state.phase == DEPLOY:
        return made
    return made + SHIPS + SHIPS * SLOTS * np.int64(state.turns)


@kernel
def ending_holds(state: Any) -> Any:
    for seat in range(SHIPS):
        if not abs(state.reward[seat]) <= 16.0:
            return False
    if not 0 <= state.decisions <= most_decisions(state):
        return False
    if not is_flag(state.terminated) or not is_flag(state.truncated):
        return False
    zion, machines = ships_left(state, ZION), ships_left(state, MACHINES)
    if state.mover != NOBODY:
        if state.terminated or state.truncated or state.reason != RUNNING:
            return False
        if state.phase == PLAN and (zion == 0 or machines == 0):
            return False
        return state.turns < state.max_turns
    if state.terminated == state.truncated:
        return False
    if state.reason == DISABLED_ALL:
        return state.terminated == 1 and (zion == 0) != (machines == 0)
    if state.reason == BOTH_OUT:
        return state.terminated == 1 and zion == 0 and machines == 0
    if state.reason == MAX_TURNS:
        return state.truncated == 1 and state.turns == state.max_turns
    return state.reason == FORFEIT and state.terminated == 1


@kernel
def decision_holds(state: Any) -> Any:
    if state.mover == NOBODY:
        return True
    if not (state.mover < state.seats):
        return False
    if state.phase == DEPLOY:
        return not alive(state, state.mover)
    return state.slot < SLOTS and state.actions[state.mover] > state.slot


@kernel
def check_state(state: Any) -> Any:
    """0 for a possible position, else which of INVARIANTS fails, from 1. Reads within bounds."""
    if not options_hold(state):
        return OPTIONS
    if not map_holds(state):
        return MAP
    if not (is_flag(state.phase) and NOBODY <= state.mover < SHIPS):
        return DECISION
    if not fleets_hold(state):
        return FLEETS
    if state.phase == DEPLOY and not deployment_holds(state):
        return FLEETS
    if not plans_hold(state):
        return PLANS
    if not last_turn_holds(state):
        return LAST_TURN
    if not decision_holds(state):
        return DECISION
    return 0 if ending_holds(state) else ENDING
