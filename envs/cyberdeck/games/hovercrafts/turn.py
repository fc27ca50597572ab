"""Hovercrafts: a turn: energy checks, plans slot by slot, and how long it lasts."""

from __future__ import annotations

from typing import TypeAlias

from cyberdeck.engine.kernels import Action, Seat, State, int64, kernel
from cyberdeck.games.hovercrafts.constants import EMP, NO_ACTION, NONE, PLAN, SLOTS
from cyberdeck.games.hovercrafts.ships import check
from cyberdeck.games.hovercrafts.table import Slot, alive, number_of, team_of

Plan: TypeAlias = int  # three bits for each slot, the first one's the lowest; 0 for NONE


@kernel
def begin_turn(state: State) -> None:
    """Every ship's energy check, rolled openly, says how many actions it has this turn."""
    for seat in range(state.seats):
        state.actions[seat] = check(state, state.energy[seat]) if alive(state, seat) else 0
    state.plan[:] = NONE
    state.lost[:] = 0
    state.slot = 0
    state.phase = PLAN
    next_to_plan(state, 0)


@kernel
def next_to_plan(state: State, first: Seat) -> bool:
    """Slot by slot, in the order of the seats: every ship decides as many as it has rolled."""
    while state.slot < SLOTS:
        for seat in range(first, state.seats):
            if state.actions[seat] > state.slot and state.plan[seat, state.slot] == NONE:
                state.mover = seat
                return True
        first = 0
        state.slot += 1
    return False


# --- plans ---------------------------------------------------------------------------------------


@kernel
def with_action(plan: Plan, slot: Slot, action: Action) -> Plan:
    """A plan whose slot was empty."""
    return plan | int64(action + 1) << 3 * slot


@kernel
def action_in(plan: Plan, slot: Slot) -> Action:
    return (plan >> 3 * slot & 7) - 1


@kernel
def plan_of(state: State, seat: Seat, slots: Slot) -> Plan:
    """What a seat has planned for its first slots."""
    plan = int64(0)
    for slot in range(slots):
        plan = with_action(plan, slot, state.plan[seat, slot])
    return plan


@kernel
def ended(plan: Plan, slot: Slot) -> bool:
    """Whether nothing but `no action` may follow in a slot."""
    return slot > 0 and action_in(plan, slot - 1) == NO_ACTION


@kernel
def may_plan(state: State, plan: Plan, slot: Slot, action: Action) -> bool:
    """After `no action` nothing else follows, it is never the first, and EMPs are limited."""
    if ended(plan, slot):
        return action == NO_ACTION
    if action == NO_ACTION:
        return slot > 0
    if action == EMP:
        used = 0
        for before in range(slot):
            used += action_in(plan, before) == EMP
        return used < state.emp_per_turn
    return True


# --- phases --------------------------------------------------------------------------------------


@kernel
def reveal(state: State) -> None:
    """The plans lie open, and nothing of them has been carried out."""
    for seat in range(state.seats):
        for slot in range(SLOTS):
            state.revealed[seat, slot] = state.plan[seat, slot]
    state.passed = 0
    state.deeds[:] = 0


@kernel
def deeds_of_ship(state: State) -> int:
    """How many numbers tell of a ship: so many fit its fleets, and can be shown as they lie."""
    return 3 * int64(state.phases) + max(int64(state.zion), int64(state.seats) - state.zion)


@kernel
def note_deeds(state: State, phase: Slot) -> None:
    """What every ship has done in a phase, for all to see.

    By phase: 1 + its action, 0 for none; 1 if an EMP hit it; 1 + the number of the ship that it
    rammed, less than 0 for a friend. By number: how often it hit which ship of the other team.
    """
    size, phases = deeds_of_ship(state), int64(state.phases)
    for seat in range(int64(state.seats)):
        at = seat * size
        if state.done[seat] != NO_ACTION:
            state.deeds[at + phase] = state.done[seat] + 1
        state.deeds[at + phases + phase] = state.jammed[seat]
        rammed = int64(state.rammed[seat])
        if rammed != NONE:
            friend = team_of(state, rammed) == team_of(state, seat)
            number = 1 + number_of(state, rammed)
            state.deeds[at + 2 * phases + phase] = -number if friend else number
        if state.hit[seat]:
            for target in range(int64(state.seats)):
                if state.hit[seat] >> target & 1:
                    state.deeds[at + 3 * phases + number_of(state, target)] += 1


@kernel
def planned(state: State, seat: Seat, phase: Slot) -> Action:
    """A living ship's action in a phase, as it was planned."""
    action = int(state.revealed[seat, phase])
    return NO_ACTION if action == NONE or not alive(state, seat) else action


@kernel
def phases_left(state: State) -> bool:
    """A turn has as many phases as the longest plan of a ship still alive."""
    if state.passed >= SLOTS:
        return False
    for seat in range(state.seats):
        if planned(state, seat, state.passed) != NO_ACTION:
            return True
    return False
