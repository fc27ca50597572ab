"""Stacktrices: where a turn begins and ends, and the game with it. RULES.md, *Turn* and *End*."""

from __future__ import annotations

import numpy as np

from cyberdeck.engine.defaults import end
from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices import stacks
from cyberdeck.games.stacktrices.board import HOME_RANK, MATERIAL, PIP
from cyberdeck.games.stacktrices.moves import can_move


@kernel
def active(state: State) -> Seat:
    """The seat whose turn it is: not the mover while a victim hides its thief again."""
    return 1 - state.mover if state.phase == c.HIDE_AGAIN else state.mover


@kernel
def begin_turn(state: State, seat: Seat) -> None:
    """No passing; but who cannot move at all is skipped, and may still trade (ruling S9)."""
    state.mover = seat
    state.skipped = not can_move(state, seat)
    state.phase = c.AFTER_MOVE if state.skipped else c.MOVE


@kernel
def end_turn(state: State, seat: Seat, traded: bool) -> None:
    for drone in range(c.DRONES):  # back home: it may raid again (ruling S11)
        if (
            stacks.alive(state, seat, drone)
            and state.square[seat, drone] // c.SIDE == HOME_RANK[seat]
        ):
            state.raided[seat, drone] = 0
    state.stalled = state.stalled + 1 if state.skipped and not traded else 0
    state.turns += 1
    settle(state)
    clear_turn(state)
    if state.stalled == 2:
        end(state, c.STALLED)
    elif state.turns >= state.max_turns:
        state.truncated = 1
        state.reason = c.MAX_TURNS
        state.mover = NOBODY
    else:
        begin_turn(state, 1 - seat)


@kernel
def clear_turn(state: State) -> None:
    state.skipped = 0
    state.moved = c.NONE
    state.landed = 0
    state.captured = c.NONE
    state.caught = 0
    state.loot[:] = 0
    state.given[:] = c.NONE
    state.taken[:] = c.NONE
    state.gives = 0
    state.takes = 0
    state.in_trade[:] = 0


@kernel
def settle(state: State) -> None:
    """reward="material": what this turn has changed in the difference of pips."""
    lead = stacks.pips(state, 0) - stacks.pips(state, 1)
    if state.reward_mode == MATERIAL:
        gain = np.float32(PIP * (lead - state.lead))
        state.reward[0] += gain
        state.reward[1] -= gain
    state.lead = lead
