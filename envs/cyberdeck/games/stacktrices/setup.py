"""Stacktrices: how a game begins. RULES.md, *Set-up*."""

from __future__ import annotations

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Mask, Seat, State, int64, kernel, lowest
from cyberdeck.games.stacktrices.board import (
    EITHER,
    RANDOM,
    TO_CAP,
    TOTAL,
    Counts,
    Piece,
    Square,
    Stack,
)
from cyberdeck.games.stacktrices.constants import (
    CAP,
    DRONES,
    HIDE,
    HIDES,
    KINDS,
    MOVE,
    NONE,
    PUTS,
    STACKS,
)
from cyberdeck.games.stacktrices.stacks import alive, holdable
from cyberdeck.games.stacktrices.turns import begin_turn, clear_turn

#: [seat, stack]: drones on a, c, e, g of the home row, queens on b, d, f before it (ruling S3).
START = np.array(
    [[0, 2, 4, 6, 8, 10, 12], [42, 44, 46, 48, 36, 38, 40]],
    np.int8,
)


@kernel
def shuffle(state: State) -> None:
    """Who plays white."""
    state.first = dice.below(state, 2) if state.first_rule == EITHER else state.first_rule


@kernel
def clear(state: State) -> None:
    """An empty board before the first turn, and all pieces in the store."""
    state.board[:] = NONE
    state.square[:] = NONE
    state.pieces[:] = 0
    state.hand[:] = 0
    for kind in range(KINDS):
        state.store[kind] = TOTAL[kind]
    state.raided[:] = 0
    state.thief[:] = NONE
    state.exposed[:] = 0
    clear_turn(state)
    state.last_from = NONE
    state.last_to = NONE
    state.turns = 0
    state.stalled = 0
    state.lead = 0
    state.phase = MOVE


@kernel
def start(state: State) -> None:
    """Bare stacks on both sides, ten pieces in each hand; white begins the set-up."""
    clear(state)
    for seat in range(2):
        for stack in range(STACKS):
            stand(state, seat, stack, START[seat, stack])
        for kind in range(KINDS):
            state.hand[seat, kind] = TO_CAP[kind]
            state.store[kind] -= TO_CAP[kind]
    state.mover = state.first
    state.phase = HIDE
    if state.setup == RANDOM:
        for seat in range(2):
            draw_setup(state, seat)
        begin_turn(state, int64(state.first))


@kernel
def stand(state: State, seat: Seat, stack: Stack, square: Square) -> None:
    state.board[square] = STACKS * seat + stack
    state.square[seat, stack] = square


@kernel
def bit_count(bits: int) -> int:
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


@kernel
def draw_setup(state: State, seat: Seat) -> None:
    """A set-up of decisions that are even over what is legal, one after the other (S4)."""
    state.phase = CAP
    state.thief[seat] = dice.below(state, DRONES)
    hand = state.hand[seat]
    pieces = holdable(state, seat, hand)
    while pieces != 0:
        for _ in range(dice.below(state, bit_count(pieces))):
            pieces &= pieces - 1
        put(state, seat, lowest(pieces), hand)
        pieces = holdable(state, seat, hand)


@kernel
def legal_hides(state: State, seat: Seat, mask: Mask) -> int:
    count = 0
    for drone in range(DRONES):
        if alive(state, seat, drone):
            mask[HIDES + drone] = 1
            count += 1
    return count


@kernel
def legal_puts(state: State, seat: Seat, source: Counts, mask: Mask) -> int:
    """Every piece of *source* on every own stack that may hold it."""
    pieces, count = holdable(state, seat, source), 0
    while pieces != 0:
        mask[PUTS + lowest(pieces)] = 1
        pieces &= pieces - 1
        count += 1
    return count


@kernel
def put(state: State, seat: Seat, piece: Piece, source: Counts) -> None:
    """Put a piece of *source*, the hand or the store, on an own stack."""
    source[piece % KINDS] -= 1
    state.pieces[seat, piece // KINDS, piece % KINDS] += 1


@kernel
def cap_on(state: State, seat: Seat) -> None:
    """White caps its stacks to the end, then black; then white begins."""
    for kind in range(KINDS):
        if state.hand[seat, kind] > 0:
            return
    if seat == state.first:
        state.mover = 1 - seat
        state.phase = HIDE
    else:
        begin_turn(state, int64(state.first))
