"""Stacktrices: what stacks are, and what they may hold. RULES.md, *Stacks*."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import SIZE, Counts, Kind, Pieces, Stack


@kernel
def alive(state: State, seat: Seat, stack: Stack) -> bool:
    return state.square[seat, stack] != c.NONE


@kernel
def stacks_left(state: State, seat: Seat) -> int:
    count = 0
    for stack in range(c.STACKS):
        count += alive(state, seat, stack)
    return count


@kernel
def drones_left(state: State, seat: Seat) -> int:
    count = 0
    for drone in range(c.DRONES):
        count += alive(state, seat, drone)
    return count


@kernel
def movement(state: State, seat: Seat, stack: Stack) -> int:
    """The reach of a stack: its movement piece's size, or the sum of several; 0: a pupil."""
    pieces = state.pieces[seat, stack]
    return pieces[c.PAWN] + 2 * pieces[c.DRONE] + 3 * pieces[c.QUEEN]


@kernel
def skilled(state: State, seat: Seat, stack: Stack) -> bool:
    pieces = state.pieces[seat, stack]
    return pieces[c.SKILL + c.PAWN] + pieces[c.SKILL + c.DRONE] + pieces[c.SKILL + c.QUEEN] > 0


@kernel
def is_pupil(state: State, seat: Seat, stack: Stack) -> bool:
    return alive(state, seat, stack) and movement(state, seat, stack) == 0


@kernel
def has_pupil(state: State, seat: Seat) -> bool:
    for stack in range(c.STACKS):
        if is_pupil(state, seat, stack):
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
    if kind < c.SKILL:
        return not adult or (state.stacked_movement == 1 and state.phase != c.CAP)
    return adult and state.pieces[seat, stack, kind] == 0


@kernel
def some_can_hold(state: State, seat: Seat, kind: Kind) -> bool:
    for stack in range(c.STACKS):
        if can_hold(state, seat, stack, kind):
            return True
    return False


@kernel
def holdable(state: State, seat: Seat, source: Counts) -> Pieces:
    """Every piece of *source* on every own stack that may hold it."""
    found = 0
    for kind in range(c.KINDS):
        if source[kind] > 0:
            for stack in range(c.STACKS):
                found |= can_hold(state, seat, stack, kind) << c.KINDS * stack + kind
    return found


@kernel
def protected(state: State, seat: Seat, stack: Stack, kind: Kind) -> bool:
    """A skilled stack's movement piece is protected; of stacked ones, the last."""
    if kind >= c.SKILL or not skilled(state, seat, stack):
        return False
    pieces = state.pieces[seat, stack]
    return pieces[c.PAWN] + pieces[c.DRONE] + pieces[c.QUEEN] == 1


@kernel
def total(counts: Counts) -> int:
    count = 0
    for each in counts:
        count += each
    return count


@kernel
def in_hand(state: State, seat: Seat) -> int:
    """How many pieces a hand holds."""
    return total(state.hand[seat])


@kernel
def pips(state: State, seat: Seat) -> int:
    """The value of all pieces on a seat's stacks."""
    value = 0
    for stack in range(c.STACKS):
        for kind in range(c.KINDS):
            value += SIZE[kind] * state.pieces[seat, stack, kind]
    return value
