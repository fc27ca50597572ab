"""Stacktrices: the table's squares and pieces, the record, and which actions pick pieces.

How they are numbered `constants` says. Sets of anything are whole numbers: their bits.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel, lowest
from cyberdeck.engine.record import Field
from cyberdeck.games.stacktrices import constants as c

Square: TypeAlias = int
Squares: TypeAlias = int  # a set: bit `square`
Stack: TypeAlias = int
Kind: TypeAlias = int
Counts: TypeAlias = NDArray[np.int8]  # (KINDS,)  how many pieces of each kind
Piece: TypeAlias = int  # of a side's: KINDS * stack + kind
Pieces: TypeAlias = int  # a set: bit `piece`
Pick: TypeAlias = int  # of an action that picks a piece: counted from the first of its side
Direction: TypeAlias = int
Directions: TypeAlias = int  # a set: bit `direction`

SIZE = np.array(c.PIPS, np.int8)  # [kind] in pips
TOTAL = np.array([4, 4, 3, 4, 4, 3], np.int8)  # [kind] in the whole game
TO_CAP = np.array([2, 2, 1, 2, 2, 1], np.int8)  # [kind] that each player caps the stacks with
EACH_CAPS = int(TO_CAP.sum())

ACROSS = c.SIDE - 1  # no straight way is longer
MOST_TRADED = 3  # pieces given, and pieces received

# --- options -------------------------------------------------------------------------------------

CHOOSE, RANDOM = 0, 1
SETUPS = ("choose", "random")
FIRSTS = (0, 1, "random")
EITHER = 2
OUTCOME, MATERIAL = 0, 1
REWARDS = ("outcome", "material")
VECTOR, PLANES, WITH_PRIOR = range(3)
OBSERVATIONS = ("vector", "planes", "prior")
PIP = 0.01  # what a pip is worth with reward="material"

# --- the record ----------------------------------------------------------------------------------

LONGEST_GAME = 1_000_000  # the highest max_turns
MOST = int(TOTAL.max())  # of a kind
ALL_PIPS = int((SIZE * TOTAL).sum())

FIELDS = (
    Field("max_turns", 2, LONGEST_GAME),
    Field("turns", 0, LONGEST_GAME),  # turns that have ended
    Field("setup", 0, len(SETUPS) - 1),
    Field("first_rule", 0, EITHER),
    Field("reward_mode", 0, len(REWARDS) - 1),
    Field("steal_on_attack", 0, 1),
    Field("stacked_movement", 0, 1),
    Field("shown", 0, len(OBSERVATIONS) - 1),
    Field("first", 0, 1),  # the seat that plays white
    Field("phase", 0, len(c.PHASES) - 1),
    Field("stalled", 0, 2),  # turns in a row with neither move nor trade
    Field("lead", -ALL_PIPS, ALL_PIPS),  # seat 0's pips less seat 1's, when the last turn ended
    Field("board", c.NONE, 2 * c.STACKS - 1, (c.SQUARES,)),  # STACKS * seat + stack, or NONE
    Field("square", c.NONE, c.SQUARES - 1, (2, c.STACKS)),  # NONE once captured
    Field("pieces", 0, MOST, (2, c.STACKS, c.KINDS)),  # how many of each kind are on a stack
    Field("store", 0, MOST, (c.KINDS,)),
    Field("hand", 0, MOST_TRADED, (2, c.KINDS)),  # to cap with, stolen, raided, or given in a trade
    Field("thief", c.NONE, c.DRONES - 1, (2,)),  # the drone that hides the vulnerability, or NONE
    Field("exposed", 0, 1, (2,)),  # 1: for good, by a steal on attack
    Field("raided", 0, 1, (2, c.DRONES)),  # 1: no raid until a turn ends on its own home row
    Field("last_from", c.NONE, c.SQUARES - 1),  # the last move, whoever's
    Field("last_to", c.NONE, c.SQUARES - 1),
    # This turn.
    Field("skipped", 0, 1),  # 1: there was no legal move
    Field("moved", c.NONE, c.STACKS - 1),  # the stack that moved
    Field("landed", 0, 1),  # 1: it has come to the opponent's home row, and may raid if thief
    Field("captured", c.NONE, c.STACKS - 1),  # the opponent's stack that it captured
    Field("caught", 0, 1),  # 1: that was the thief
    Field("loot", 0, MOST, (c.KINDS,)),  # what may still be stolen of that stack's pieces
    Field("given", c.NONE, c.STACKS * c.KINDS - 1, (MOST_TRADED,)),  # pieces, then NONE
    Field("taken", c.NONE, c.STACKS * c.KINDS - 1, (MOST_TRADED,)),
    Field("gives", 0, MOST_TRADED),
    Field("takes", 0, MOST_TRADED - 1),  # with the third the trade is done
    Field("in_trade", 0, 1, (c.STACKS,)),  # 1: may receive: it was a pupil, or has given
)

# --- actions -------------------------------------------------------------------------------------


@kernel
def their_picks(state: State) -> Action:
    """The first action that picks a piece of the opponent's."""
    return c.THEIR_PICKS[1] if state.stacked_movement else c.THEIR_PICKS[0]


@kernel
def claim(state: State) -> Action:
    """The action `claim`; `end the turn`, `call off` and `expose` follow it."""
    return c.CLAIM[1] if state.stacked_movement else c.CLAIM[0]


@kernel
def pick(state: State, stack: Stack, kind: Kind) -> Pick:
    """A piece pick, counted from the first of its side."""
    if state.stacked_movement:
        return c.KINDS * stack + kind
    return (1 + c.SIZES) * stack + max(0, kind - c.SKILL + 1)


@kernel
def picked_kind(state: State, pieces: Counts, choice: Pick) -> Kind:
    """The kind of a piece pick from a stack with these *pieces*."""
    if state.stacked_movement:
        return choice % c.KINDS
    kind = c.SKILL - 1 + choice % (1 + c.SIZES)
    if kind < c.SKILL:  # the one movement piece
        kind = c.PAWN if pieces[c.PAWN] else c.DRONE if pieces[c.DRONE] else c.QUEEN
    return kind


@kernel
def picked(state: State, owner: Seat, choice: Pick) -> Piece:
    """The piece of *owner*'s that a piece pick is of."""
    stack = choice // c.KINDS if state.stacked_movement else choice // (1 + c.SIZES)
    return c.KINDS * stack + picked_kind(state, state.pieces[owner, stack], choice)


@kernel
def mark_picks(state: State, first: Action, pieces: Pieces, mask: Mask) -> int:
    """All *pieces* may be picked: of the side whose picks begin at *first*."""
    count = 0
    while pieces != 0:
        piece = lowest(pieces)
        pieces &= pieces - 1
        mask[first + pick(state, piece // c.KINDS, piece % c.KINDS)] = 1
        count += 1
    return count


# --- squares -------------------------------------------------------------------------------------

#: Directions in turn, from seat 0's forward to the right: odd ones are diagonal.
DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
ANY_DIRECTION = 0b11111111
DIAGONALS = 0b10101010
ORTHOGONALS = 0b01010101
FORWARD = (0b10000010, 0b00101000)  # [seat] the two forward diagonals


def _neighbours() -> NDArray[np.int8]:
    """[direction, square]: the next square, NONE off the board."""
    found = np.full((len(DIRECTIONS), c.SQUARES), c.NONE, np.int8)
    for direction, (up, right) in enumerate(DIRECTIONS):
        for square in range(c.SQUARES):
            rank, file = square // c.SIDE + up, square % c.SIDE + right
            if 0 <= rank < c.SIDE and 0 <= file < c.SIDE:
                found[direction, square] = c.SIDE * rank + file
    return found


NEXT = _neighbours()
HOME_RANK = (0, c.SIDE - 1)  # [seat]


@kernel
def mirrored(seat: Seat, square: Square) -> Square:
    """A square as *seat* sees it, and back: for seat 1 the ranks are mirrored, the files kept."""
    if seat == 0:
        return square
    return square + c.SIDE * (c.SIDE - 1) - 2 * c.SIDE * (square // c.SIDE)
