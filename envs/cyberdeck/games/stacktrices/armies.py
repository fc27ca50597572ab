"""Stacktrices' heuristic: what stacks are worth, and who can capture what.

A side's pieces are a set, its *army*. The six bits of one stack are its *caps*. (Of stacked
movement pieces, two alike on one stack count once.) A move that is thought of is a ``Step``.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import Seat, State, index, int64, kernel, lowest
from cyberdeck.games.stacktrices import board
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import Kind, Piece, Pieces, Square, Squares, Stack
from cyberdeck.games.stacktrices.stacks import alive, can_hold

Army: TypeAlias = Pieces
Caps: TypeAlias = int  # a set of kinds
Stacks: TypeAlias = int  # a set: bit `stack`

# What a stack is worth: see WORTH.
STACK = 44  # itself, without any piece
MOBILE = 14  # times the squares that it could reach if nothing stood in the way

FORCE = 932  # all stacks of a side together: what is left of a side is worth the more
WIN = 100_000  # the opponent's last stack

CAPS = 1 << c.KINDS
MOVING = 0b111  # the movement pieces of caps
BACKWARD = 1 << c.SKILL + c.PAWN  # along diagonals, but backward, too
ANYWHERE = 0b110 << c.SKILL  # with one of these skills it turns wherever it likes
PASSER = 1 << c.SKILL + c.QUEEN  # friends let it pass


def _directions(seat: int, caps: int) -> int:
    """Where a stack with these caps may set out, a pupil onto enemies only."""
    if caps & MOVING == 0 or caps & PASSER:
        return board.ANY_DIRECTION
    found = board.FORWARD[seat]
    found |= board.DIAGONALS if caps & BACKWARD else 0
    return found | (board.ORTHOGONALS if caps >> c.SKILL + c.DRONE & 1 else 0)


#: [caps]: the squares that it may go, 0 for a pupil.
REACH = np.array(
    [sum(1 + size for size in range(c.SKILL) if caps >> size & 1) for caps in range(CAPS)], np.int64
)
#: [seat, caps]: where it may set out.
OPEN_TO = np.array([[_directions(seat, caps) for caps in range(CAPS)] for seat in (0, 1)], np.int64)
WORTH = STACK + MOBILE * REACH * np.array([each.bit_count() for each in OPEN_TO[0].tolist()])


def _zones() -> NDArray[np.int64]:
    """[seat, caps, square]: the squares to which such a stack could get at best, as a set."""
    rays = np.zeros((board.ACROSS + 1, len(board.NEXT), c.SQUARES), np.int64)  # by their length
    for length in range(1, board.ACROSS + 1):
        further = 1 << np.maximum(board.NEXT, 0).astype(np.int64)
        further |= np.take_along_axis(rays[length - 1], board.NEXT, 1)
        rays[length] = np.where(board.NEXT == c.NONE, 0, further)
    zones = np.zeros((2, CAPS, c.SQUARES), np.int64)
    for seat in (0, 1):
        for caps in range(CAPS):
            passing = caps & PASSER and caps & MOVING
            length = board.ACROSS if passing else max(1, int(REACH[caps]))
            for direction in range(len(board.NEXT)):
                if OPEN_TO[seat, caps] >> direction & 1:
                    zones[seat, caps] |= rays[length, direction]
    return zones


ZONE = _zones()


# --- armies --------------------------------------------------------------------------------------


class Side(NamedTuple):
    """The stacks of one player."""

    seat: Seat
    living: Stacks
    army: Army
    zone: Squares  # that they might attack
    longest: int  # the longest reach among them
    total: int  # what its stacks are worth together
    scale: int  # 256ths, so that this is FORCE


class Step(NamedTuple):
    """A move that is thought of."""

    mover: int  # as the board names it
    origin: Square
    landing: Square


@kernel
def caps_of(army: Army, stack: Stack) -> Caps:
    return army >> c.KINDS * stack & (CAPS - 1)


@kernel
def worth_in(army: Army, stack: Stack) -> int:
    """What a stack of an army is worth by itself."""
    return WORTH[index(caps_of(army, stack))]


@kernel
def side_of(state: State, seat: Seat) -> Side:
    living, army, zone, longest, total = 0, 0, 0, 1, 0
    for stack in range(c.STACKS):
        if alive(state, seat, stack):
            caps = 0
            for kind in range(c.KINDS):
                caps |= (state.pieces[seat, stack, kind] > 0) << kind
            living |= 1 << stack
            army |= caps << c.KINDS * stack
            zone |= ZONE[index(seat), index(caps), index(state.square[seat, stack])]
            longest = max(longest, REACH[index(caps)])
            total += WORTH[index(caps)]
    scale = (FORCE << 8) // max(1, total)
    return Side(seat, living, army, zone, longest, total, scale)


@kernel
def worth(side: Side, stack: Stack) -> int:
    """What a stack is worth to its side: the more, the less else it has."""
    return WORTH[index(caps_of(side.army, stack))] * side.scale >> 8


@kernel
def cheapest(side: Side, stacks: Stacks) -> int:
    least = WIN
    while stacks != 0:
        least = min(least, worth(side, lowest(stacks)))
        stacks &= stacks - 1
    return least


@kernel
def added(army: Army, piece: Piece) -> int:
    """What one piece more makes of its stack."""
    caps = caps_of(army, piece // c.KINDS)
    return WORTH[index(caps | 1 << piece % c.KINDS)] - WORTH[index(caps)]


@kernel
def best_added(state: State, side: Side, kind: Kind) -> int:
    """What one piece more is worth on the stack that it suits best."""
    best = 0
    stacks = side.living
    while stacks != 0:
        stack = lowest(stacks)
        stacks &= stacks - 1
        if can_hold(state, side.seat, stack, kind):
            best = max(best, added(side.army, c.KINDS * stack + kind))
    return best


# --- who can capture what ------------------------------------------------------------------------


@kernel
def attackers(state: State, side: Side, square: Square, step: Step) -> Stacks:
    """The stacks of a side that may enter *square* after *step*.

    They are looked for from the square outwards. Friends let those with queen skill pass straight
    on; that some turn them, too, is left out.
    """
    found = 0
    for direction in range(8):
        at, away, passing = square, 1, False
        while away <= side.longest:
            at = board.NEXT[index(direction ^ 4), index(at)]
            if at == c.NONE:
                break
            who = int64(state.board[index(at)])
            if at == step.landing:
                who = step.mover
            if who == c.NONE or at == step.origin:
                away += 1
                continue
            stack = who - c.STACKS * side.seat
            if stack < 0 or stack >= c.STACKS:
                break
            caps = caps_of(side.army, stack)
            near = max(1, REACH[index(caps)]) >= away
            turned = OPEN_TO[index(side.seat), index(caps)] >> direction & 1
            if near and turned and not (passing and caps & PASSER == 0):
                found |= 1 << stack
            if caps & MOVING == 0:
                break
            passing = True
    return found


@kernel
def at_stake(state: State, side: Side, stack: Stack, foes: Side, zone: Squares, step: Step) -> int:
    """What a side stands to lose with a stack after *step* if it is not its turn then: the stack,
    less what it captures in return. *zone*: where the foes might attack.
    """
    square = int64(state.square[index(side.seat), index(stack)])
    if square == step.origin:
        square = step.landing
    if zone >> square & 1 == 0:
        return 0
    hunters = attackers(state, foes, square, step)
    if hunters == 0:
        return 0
    value = worth(side, stack)
    guards = attackers(state, side, square, step)
    if guards != 0:
        back = -cheapest(foes, hunters)
        if hunters & hunters - 1 != 0:  # a second attacker takes the guard
            back += cheapest(side, guards)
        value += min(back, 0)
    return max(value, 0)


@kernel
def in_danger(state: State, own: Side, theirs: Side) -> Stacks:
    """The own stacks that the opponent could capture as they stand now."""
    found = 0
    still = Step(c.NONE, c.NONE, c.NONE)
    stacks = own.living
    while stacks != 0:
        stack = lowest(stacks)
        stacks &= stacks - 1
        found |= (at_stake(state, own, stack, theirs, theirs.zone, still) > 0) << stack
    return found
