"""Hovercrafts: a phase: one action of every ship at once."""

from __future__ import annotations

from cyberdeck.engine.kernels import State, int64, kernel
from cyberdeck.games.hovercrafts.constants import EMP, LAND, NO_ACTION, NONE, REPAIR
from cyberdeck.games.hovercrafts.fire import carry_out_emps, carry_out_shots
from cyberdeck.games.hovercrafts.moves import carry_out_moves
from cyberdeck.games.hovercrafts.table import turned
from cyberdeck.games.hovercrafts.turn import note_deeds, planned


@kernel
def carry_out_phase(state: State) -> None:
    """One action of every ship."""
    begin_phase(state)
    carry_out_moves(state)
    end_phase(state)


@kernel
def begin_phase(state: State) -> None:
    """Turns and repairs, and who lands."""
    for seat in range(state.seats):
        action = planned(state, seat, state.passed)
        if state.jammed[seat] and action != NO_ACTION:
            action = LAND  # hit by an EMP in the phase before
        state.jammed[seat] = 0
        state.done[seat] = action
        state.landed[seat] = action in (LAND, EMP, REPAIR)
        state.rammed[seat] = NONE
        state.shot[seat] = 0
        state.hit[seat] = 0
        state.facing[seat] = turned(state.facing[seat], action)
        if action == REPAIR:
            state.hull_left[seat] = min(state.hull[seat], state.hull_left[seat] + 1)


@kernel
def end_phase(state: State) -> None:
    """EMPs and shots."""
    carry_out_emps(state)
    carry_out_shots(state)
    note_deeds(state, int64(state.passed))
    state.passed += 1
