"""Stacktrices: how a game begins. RULES.md, *Set-up*."""

from __future__ import annotations

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Mask, Seat, State, kernel, lowest
from cyberdeck.games.stacktrices import board, stacks, turns
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Counts, Piece, Square, Stack

#: [seat, stack]: drones on a, c, e, g of the home row, queens on b, d, f before it (ruling S3).
START = np.array([[0, 2, 4, 6, 8, 10, 12], [42, 44, 46, 48, 36, 38, 40]], np.int8)


@kernel
def shuffle(state: State) -> None:
    """Who plays white."""
    state.first = dice.below(state, 2) if state.first_rule == board.EITHER else state.first_rule


@kernel
def clear(state: State) -> None:
    """An empty board before the first turn, and all pieces in the store."""
    state.board[:] = c.NONE
    state.square[:] = c.NONE
    state.pieces[:] = 0
    state.hand[:] = 0
    for kind in range(c.KINDS):
        state.store[kind] = board.TOTAL[kind]
    state.raided[:] = 0
    state.thief[:] = c.NONE
    state.exposed[:] = 0
    turns.clear_turn(state)
    state.last_from = c.NONE
    state.last_to = c.NONE
    state.turns = 0
    state.stalled = 0
    state.lead = 0
    state.phase = c.MOVE


@kernel
def start(state: State) -> None:
    """Bare stacks on both sides, ten pieces in each hand; white begins the set-up."""
    clear(state)
    for seat in range(2):
        for stack in range(c.STACKS):
            stand(state, seat, stack, START[seat, stack])
        for kind in range(c.KINDS):
            state.hand[seat, kind] = board.TO_CAP[kind]
            state.store[kind] -= board.TO_CAP[kind]
    state.mover = state.first
    state.phase = c.HIDE
    if state.setup == board.RANDOM:
        for seat in range(2):
            draw_setup(state, seat)
        turns.begin_turn(state, state.first)


@kernel
def stand(state: State, seat: Seat, stack: Stack, square: Square) -> None:
    state.board[square] = c.STACKS * seat + stack
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
    state.phase = c.CAP
    state.thief[seat] = dice.below(state, c.DRONES)
    hand = state.hand[seat]
    pieces = stacks.holdable(state, seat, hand)
    while pieces != 0:
        for _ in range(dice.below(state, bit_count(pieces))):
            pieces &= pieces - 1
        put(state, seat, lowest(pieces), hand)
        pieces = stacks.holdable(state, seat, hand)


@kernel
def legal_hides(state: State, seat: Seat, mask: Mask) -> int:
    count = 0
    for drone in range(c.DRONES):
        if stacks.alive(state, seat, drone):
            mask[c.HIDES + drone] = 1
            count += 1
    return count


@kernel
def legal_puts(state: State, seat: Seat, source: Counts, mask: Mask) -> int:
    """Every piece of *source* on every own stack that may hold it."""
    pieces, count = stacks.holdable(state, seat, source), 0
    while pieces != 0:
        mask[c.PUTS + lowest(pieces)] = 1
        pieces &= pieces - 1
        count += 1
    return count


@kernel
def put(state: State, seat: Seat, piece: Piece, source: Counts) -> None:
    """Put a piece of *source*, the hand or the store, on an own stack."""
    source[piece % c.KINDS] -= 1
    state.pieces[seat, piece // c.KINDS, piece % c.KINDS] += 1


@kernel
def take_off(state: State, owner: Seat, piece: Piece, goal: Counts) -> None:
    """Take a piece off a stack: it goes to *goal*, a hand or the store."""
    state.pieces[owner, piece // c.KINDS, piece % c.KINDS] -= 1
    goal[piece % c.KINDS] += 1


@kernel
def cap_on(state: State, seat: Seat) -> None:
    """White caps its stacks to the end, then black; then white begins."""
    if stacks.in_hand(state, seat) > 0:
        return
    if seat == state.first:
        state.mover = 1 - seat
        state.phase = c.HIDE
    else:
        turns.begin_turn(state, state.first)
