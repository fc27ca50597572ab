"""Stacktrices: what stacks are, and what they may hold. RULES.md, *Stacks*."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.stacktrices.board import SIZE, Counts, Kind, Pieces, Stack
from cyberdeck.games.stacktrices.constants import (
    CAP,
    DRONE,
    DRONES,
    KINDS,
    NONE,
    PAWN,
    QUEEN,
    SKILL,
    STACKS,
)


@kernel
def alive(state: State, seat: Seat, stack: Stack) -> bool:
    return state.square[seat, stack] != NONE


@kernel
def stacks_left(state: State, seat: Seat) -> int:
    count = 0
    for stack in range(STACKS):
        count += alive(state, seat, stack)
    return count


@kernel
def drones_left(state: State, seat: Seat) -> int:
    count = 0
    for drone in range(DRONES):
        count += alive(state, seat, drone)
    return count


@kernel
def movement(state: State, seat: Seat, stack: Stack) -> int:
    """The reach of a stack: its movement piece's size, or the sum of several; 0: a pupil."""
    pieces = state.pieces[seat, stack]
    return pieces[PAWN] + 2 * pieces[DRONE] + 3 * pieces[QUEEN]


@kernel
def skilled(state: State, seat: Seat, stack: Stack) -> bool:
    pieces = state.pieces[seat, stack]
    return pieces[SKILL + PAWN] + pieces[SKILL + DRONE] + pieces[SKILL + QUEEN] > 0


@kernel
def has_pupil(state: State, seat: Seat) -> bool:
    for stack in range(STACKS):
        if alive(state, seat, stack) and movement(state, seat, stack) == 0:
            return True
    return False


@kernel
def can_hold(state: State, seat: Seat, stack: Stack, kind: Kind) -> bool:
    """Whether a stack may take one more piece: one movement piece (or, after the set-up and with
    stacked_movement, any number), and skill only on movement, one of each size (ruling S2).
    """
    if not alive(state, seat, stack):
        return False
    adult = movement(state, seat, stack) > 0
    if kind < SKILL:
        return not adult or (state.stacked_movement == 1 and state.phase != CAP)
    return adult and state.pieces[seat, stack, kind] == 0


@kernel
def some_can_hold(state: State, seat: Seat, kind: Kind) -> bool:
    for stack in range(STACKS):
        if can_hold(state, seat, stack, kind):
            return True
    return False


@kernel
def holdable(state: State, seat: Seat, source: Counts) -> Pieces:
    """Every piece of *source* on every own stack that may hold it."""
    found = 0
    for kind in range(KINDS):
        if source[kind] > 0:
            for stack in range(STACKS):
                found |= can_hold(state, seat, stack, kind) << KINDS * stack + kind
    return found


@kernel
def protected(state: State, seat: Seat, stack: Stack, kind: Kind) -> bool:
    """A skilled stack's movement piece is protected; of stacked ones, the last."""
    if kind >= SKILL or not skilled(state, seat, stack):
        return False
    pieces = state.pieces[seat, stack]
    return pieces[PAWN] + pieces[DRONE] + pieces[QUEEN] == 1


@kernel
def pips(state: State, seat: Seat) -> int:
    """The value of all pieces on a seat's stacks."""
    value = 0
    for stack in range(STACKS):
        for kind in range(KINDS):
            value += SIZE[kind] * state.pieces[seat, stack, kind]
    return value
