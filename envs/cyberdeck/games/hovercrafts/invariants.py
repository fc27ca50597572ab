"""Hovercrafts: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.engine.record import FORFEIT, NOBODY
from cyberdeck.games.hovercrafts.deployment import start_cell, start_column
from cyberdeck.games.hovercrafts.ending import ships_left
from cyberdeck.games.hovercrafts.table import (
    BOTH_OUT,
    CELLS,
    CHOOSE,
    DEPLOY,
    DISABLED_ALL,
    EMP,
    FREE,
    MACHINES,
    MAX_TURNS,
    NO_ACTION,
    NONE,
    OFF_MAP,
    PLAN,
    SCRIPT,
    SHIPS,
    SLOTS,
    ZION,
    alive,
    cell_of,
    column_of,
    row_of,
    team_of,
)
from cyberdeck.games.hovercrafts.turn import phases_left

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
def options_hold(state: State) -> bool:
    """Both teams have ships, and no more turns have ended than there may be."""
    return 1 <= state.seats - state.zion < SHIPS and state.turns <= state.max_turns


@kernel
def map_holds(state: State) -> bool:
    for cell in range(CELLS):
        inside = 0 <= column_of(cell) < state.width and 0 <= row_of(cell) < state.height
        if (state.terrain[cell] == OFF_MAP) == inside:
            return False
    most = max(state.zion, state.seats - state.zion)
    for team in range(2):
        free = 0
        for row in range(state.height):
            free += state.terrain[cell_of(start_column(state, team), row)] == FREE
        if free < most:
            return False
    return True


@kernel
def fleets_hold(state: State) -> bool:
    for seat in range(SHIPS):
        if seat >= state.seats:
            if state.cell[seat] != NONE or state.actions[seat] != 0:
                return False
            continue
        if state.hull[seat] == 0 or state.hull_left[seat] > state.hull[seat]:
            return False
        cell = state.cell[seat]
        if cell == NONE:
            if state.phase == PLAN and state.hull_left[seat] != 0:
                return False
            continue
        if state.terrain[cell] != FREE or state.hull_left[seat] == 0:
            return False
        for other in range(seat):
            if state.cell[other] == cell:
                return False
    return True


@kernel
def deployment_holds(state: State) -> bool:
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
        row = row_of(state.cell[seat])
        if alive(state, seat) and state.cell[seat] != start_cell(state, seat, row):
            return False
    return True


@kernel
def plan_holds(state: State, seat: Seat) -> bool:
    """What a seat has planned: slots decided one after the other, each as it was legal."""
    emps = 0
    for slot in range(SLOTS):
        action = state.plan[seat, slot]
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
def plans_hold(state: State) -> bool:
    for seat in range(SHIPS):
        rolled = state.actions[seat]
        if not plan_holds(state, seat):
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
def last_turn_holds(state: State) -> bool:
    for at in range(SCRIPT - max(state.scripted, state.before_scripted), SCRIPT):
        if state.script[at] == 0:
            return False
    for team in range(2):
        if state.mover != NOBODY and state.lost[team] != 0:
            return False
    for seat in range(SHIPS):
        was, wreck = state.was[seat], state.wreck[seat]
        for cell in (was, wreck, state.aim[seat], state.before_cell[seat]):
            if cell != NONE and state.terrain[cell] != FREE:
                return False
        if state.passed == 0 and was != NONE:
            return False
        if (wreck != NONE) != (was != NONE and not alive(state, seat)):
            return False
        if (state.before_cell[seat] == NONE) != (state.before_hull[seat] == 0):
            return False
        if seat >= state.seats and state.before_cell[seat] != NONE:
            return False
        for other in range(seat):
            if state.before_cell[other] == state.before_cell[seat] != NONE:
                return False
        for slot in range(SLOTS):
            if state.passed == 0 and state.revealed[seat, slot] != NONE:
                return False
    return not phases_left(state)


@kernel
def most_decisions(state: State) -> int:
    """How many there can have been: one too many would run over in the end."""
    made = int64(state.reason == FORFEIT)
    for seat in range(state.seats):
        if state.phase == DEPLOY:
            made += alive(state, seat)
        for slot in range(SLOTS):
            made += state.plan[seat, slot] != NONE
    if state.phase == DEPLOY:
        return made
    return made + SHIPS + SHIPS * SLOTS * int64(state.turns)


@kernel
def ending_holds(state: State) -> bool:
    for seat in range(SHIPS):
        if not abs(state.reward[seat]) <= 16.0:
            return False
    if state.decisions > most_decisions(state):
        return False
    zion, machines = ships_left(state, ZION), ships_left(state, MACHINES)
    if state.mover != NOBODY:
        if state.phase == PLAN and (zion == 0 or machines == 0):
            return False
        return state.turns < state.max_turns
    if state.truncated != (state.reason == MAX_TURNS):
        return False
    if state.reason == DISABLED_ALL:
        return (zion == 0) != (machines == 0)
    if state.reason == BOTH_OUT:
        return zion == 0 and machines == 0
    return state.reason == FORFEIT or state.turns == state.max_turns


@kernel
def decision_holds(state: State) -> bool:
    if state.mover == NOBODY:
        return True
    if not (state.mover < state.seats):
        return False
    if state.phase == DEPLOY:
        return not alive(state, state.mover)
    return state.slot < SLOTS and state.actions[state.mover] > state.slot


@kernel
def check_state(state: State) -> int:
    """0 for a possible position, else which of INVARIANTS fails, from 1.

    Every field is within its bounds, and the header agrees with itself: the engine has seen to it.
    """
    if not options_hold(state):
        return OPTIONS
    if not map_holds(state):
        return MAP
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
