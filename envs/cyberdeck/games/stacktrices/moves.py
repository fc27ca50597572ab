"""Stacktrices: where stacks may go. RULES.md, *Moving*."""

from __future__ import annotations

from typing import TypeAlias

from cyberdeck.engine.kernels import Mask, Seat, State, index, int64, kernel, lowest
from cyberdeck.games.stacktrices import board, stacks
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Direction, Directions, Square, Squares, Stack


@kernel
def targets(state: State, seat: Seat, stack: Stack) -> Squares:
    """All squares that a stack may go to in its move."""
    if not stacks.alive(state, seat, stack):
        return 0
    return reach(state, seat, stack) | warp(state, seat, stack)


@kernel
def can_move(state: State, seat: Seat) -> bool:
    for stack in range(c.STACKS):
        if targets(state, seat, stack) != 0:
            return True
    return False


@kernel
def legal_moves(state: State, seat: Seat, mask: Mask) -> int:
    count = 0
    for stack in range(c.STACKS):
        ends = targets(state, seat, stack)
        while ends != 0:
            square = lowest(ends)
            ends &= ends - 1
            mask[index(c.SQUARES * stack + board.mirrored(seat, square))] = 1
            count += 1
    return count


@kernel
def reach(state: State, seat: Seat, stack: Stack) -> Squares:
    """The squares that a living stack may move to, the warp left out."""
    origin = state.square[seat, stack]
    left = stacks.movement(state, seat, stack)
    ends = 0
    if left == 0:  # a pupil: one square in any direction, and only onto an enemy
        for direction in range(8):
            square = board.NEXT[direction, origin]
            if square != c.NONE:
                who = state.board[square]
                if who != c.NONE and (who >= c.STACKS) != (seat == 1):
                    ends |= 1 << int(square)
        return ends
    if state.pieces[seat, stack, c.SKILL + c.QUEEN]:
        return queen_reach(state, seat, stack)
    open_to = directions(state, seat, stack)
    for direction in range(8):
        if open_to >> direction & 1:
            ends |= walk(state, seat, origin, origin, direction, left)[0]
    return ends


@kernel
def directions(state: State, seat: Seat, stack: Stack) -> Directions:
    """Where a stack with movement, and no queen skill, may set out: skills add to the adult's
    forward diagonals.
    """
    pieces = state.pieces[seat, stack]
    open_to = board.FORWARD[seat]
    if pieces[c.SKILL + c.PAWN]:
        open_to |= board.DIAGONALS
    if pieces[c.SKILL + c.DRONE]:
        open_to |= board.ORTHOGONALS
    return open_to


@kernel
def walk(
    state: State, seat: Seat, origin: Square, square: Square, direction: Direction, left: int
) -> tuple[Squares, Stack, int]:
    """From *square* straight on with *left* squares of reach, for a stack that stood on *origin*.

    Returns the squares where it may end, the friend that it runs into (or NONE), and the reach
    that is left there. Nobody goes through or beyond an enemy: the capture ends the move.
    """
    ends = 0
    while left > 0:
        square = int64(board.NEXT[index(direction), index(square)])
        if square == c.NONE:
            break
        who = state.board[index(square)]
        if square == origin:  # as good as empty on the way, but no place to end
            left -= 1
        elif who == c.NONE:
            left -= 1
            ends |= 1 << square
        elif (who >= c.STACKS) == (seat == 1):
            return ends, who - c.STACKS * seat, left
        else:
            ends |= 1 << square
            break
    return ends, c.NONE, 0


# --- warp ----------------------------------------------------------------------------------------


@kernel
def warp(state: State, seat: Seat, stack: Stack) -> Squares:
    """From the opponent's home row to any empty square of one's own, pupils included."""
    ends = 0
    if state.square[seat, stack] // c.SIDE == board.HOME_RANK[1 - seat]:
        for file in range(c.SIDE):
            square = c.SIDE * board.HOME_RANK[seat] + file
            if state.board[square] == c.NONE:
                ends |= 1 << square
    return ends


# --- through friends -----------------------------------------------------------------------------
# A way is a friend and the direction in which it sends the mover on: bit 8 * stack + direction.

# A walk from one friend to the next spends at most five squares of the board's seven.

Ways: TypeAlias = tuple[int, int, int, int, int, int]  # [squares spent from now on]: a set of ways


@kernel
def sent_on(waiting: Ways, spent: int, friend: Stack, direction: Direction) -> Ways:
    """*waiting* with one way more: on from a friend's square, once *spent* more were spent."""
    way = 1 << 8 * friend + (direction & 7)
    return (
        waiting[0] | way * (spent == 0),
        waiting[1] | way * (spent == 1),
        waiting[2] | way * (spent == 2),
        waiting[3] | way * (spent == 3),
        waiting[4] | way * (spent == 4),
        waiting[5] | way * (spent == 5),
    )


@kernel
def queen_reach(state: State, seat: Seat, stack: Stack) -> Squares:
    """Where a queen-skilled stack may go: friends pass it on, and cost no reach (ruling S8).

    The mover's own square begins it all. `waiting` holds the ways still to go. More reach leads
    wherever less does, so the longest come first and no way is gone twice.
    """
    origin = state.square[seat, stack]
    waiting: Ways = (0, 0, 0, 0, 0, 0)
    for direction in range(8):
        waiting = sent_on(waiting, 0, stack, direction)
    ends = 0
    gone = 0
    for left in range(stacks.movement(state, seat, stack), 0, -1):
        ways = waiting[0] & ~gone
        while ways != 0:
            way = lowest(ways)
            gone |= 1 << way
            passer, direction = way // 8, way % 8
            start = state.square[seat, passer]
            found, friend, rest = walk(state, seat, origin, start, direction, left)
            ends |= found
            if friend != c.NONE and stacks.movement(state, seat, friend) > 0:  # a pupil blocks
                waiting = sent_on(waiting, left - rest, friend, direction)
                if stacks.skilled(state, seat, friend):
                    waiting = sent_on(waiting, left - rest, friend, direction - 1)
                    waiting = sent_on(waiting, left - rest, friend, direction + 1)
            ways = waiting[0] & ~gone
        waiting = (waiting[1], waiting[2], waiting[3], waiting[4], waiting[5], 0)
    return ends
