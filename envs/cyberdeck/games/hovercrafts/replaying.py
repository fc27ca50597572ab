"""Hovercrafts: a turn carried out again, phase by phase."""

from __future__ import annotations

from cyberdeck.engine.kernels import State, int64, kernel
from cyberdeck.engine.record import NOBODY, RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.moves import carry_out_moves
from cyberdeck.games.hovercrafts.phase import begin_phase, end_phase


@kernel
def retrace(state: State, after: State) -> int:
    """Begin the turn that was carried out between two records: with the dice of the first, and the
    plans that the second has revealed.
    """
    if not a_turn_lies_between(state, after):
        return 0
    if not is_carried_out(state):
        for seat in range(c.SHIPS):
            for slot in range(c.SLOTS):
                state.revealed[seat, slot] = after.revealed[seat, slot]
        state.plan[:] = c.NONE
        state.reward[:] = 0.0
        state.deeds[:] = 0
        state.mover = NOBODY
        state.passed = 0
        state.slot = 0
        state.decisions = 0
    left = int64(after.passed) - int64(state.passed)
    return -1 if left == 0 and not has_led_to(state, after) else left


@kernel
def is_carried_out(state: State) -> bool:
    """Whether a turn is being carried out: nobody is asked, but the game goes on."""
    return state.mover == NOBODY and state.reason == RUNNING


@kernel
def a_turn_lies_between(state: State, after: State) -> bool:
    """Whether it is that of the first record which was the last to be carried out in the second."""
    if state.phase != c.PLAN or state.reason != RUNNING:
        return False
    if after.phase != c.PLAN and after.phase != c.UPGRADE:
        return False
    battle_over = after.phase == c.UPGRADE or after.reason in (c.WAR_WON, c.WAR_DRAWN)
    turns = 0 if is_carried_out(after) else 1
    return after.turns - state.turns == turns and after.battle - state.battle == battle_over


@kernel
def has_led_to(state: State, after: State) -> bool:
    """Whether the last phase of the one has come out as the other says: not with other dice."""
    for at in range(len(state.deeds)):
        if state.deeds[at] != after.deeds[at]:
            return False
    for seat in range(c.SHIPS):
        moved = state.cell[seat] != after.cell[seat]
        if after.phase == c.PLAN and (moved or state.hull_left[seat] != after.hull_left[seat]):
            return False
    return True


@kernel
def next_phase(state: State) -> None:
    """A phase as the rules carry it out. Afterwards only those ships have an ``aim`` that came to
    that hex: so it shows where a ship stood that went out.
    """
    begin_phase(state)
    carry_out_moves(state)
    came = 0
    for seat in range(state.seats):
        there = state.cell[seat] == state.aim[seat]
        for other in range(state.seats):  # who rammed it there
            there |= state.rammed[other] == seat and state.aim[other] == state.aim[seat]
        came |= int64(there) << seat
    for seat in range(state.seats):
        if not came >> seat & 1:
            state.aim[seat] = c.NONE
    end_phase(state)
