"""A built-in opponent for HACKtheGRID: it looks a few decisions ahead over the open table.

Everything that it tries out lives in whole numbers: the cells that still hold a card (one bit
each) and the two Runs (four bits for each card, the newest lowest, a 1 above the oldest). The
record is only read, and nothing is allocated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import kernel
from cyberdeck.games.hackthegrid.rules import (
    ACTIONS,
    CARDS,
    DECLINE,
    MOVE,
    NONE,
    RUN,
    SCRAMBLE,
    SIDE,
    SWAPS,
    VALUE,
)

POINT = 4  # one point of margin; the finer preferences are fractions of it
WIN = 40  # winning, by whatever margin, on top of the margin
SWAP = 16  # what the swap of a SCRAMBLE brings on average: it is not tried out ahead
OPEN = 1  # each card left for the opponent to choose from: narrow lines strand both players
STRANDED = -1000  # cards remain: both lose, whoever brought it about
PLIES = 3  # replies looked ahead while the grid is full
LATE = 8  # with this many cards left the rest of the game is looked through

EMPTY_RUN = 1


@kernel
def packed(state: Any, seat: Any) -> Any:
    """A Run as one number."""
    run = np.int64(EMPTY_RUN)
    for place in range(state.length[seat]):
        run = run << 4 | np.int64(state.run[seat, place])
    return run


@kernel
def gain(state: Any, run: Any, card: Any) -> Any:
    """Points that *card* at the right end adds to a Run: its kind counted anew, and the array."""
    kind = state.kind[card]
    count = 0
    older = run
    while older != EMPTY_RUN:
        count += state.kind[older & 15] == kind
        older >>= 4
    added = (count + 1) * np.int64(VALUE[kind, count + 1]) - count * np.int64(VALUE[kind, count])
    colour = state.colour[card]
    if run != EMPTY_RUN and state.colour[run & 15] == colour:
        added += 1
        older = run >> 4
        if older == EMPTY_RUN or state.colour[older & 15] != colour:
            added += 1  # so far the neighbour was in no array
    return added


@kernel
def points(state: Any, run: Any) -> Any:
    """What a Run scores: what its cards have added one after the other."""
    total = 0
    while run != EMPTY_RUN:
        total += gain(state, run >> 4, run & 15)
        run >>= 4
    return total


@kernel
def lead_of(state: Any, own: Any, theirs: Any) -> Any:
    return POINT * (points(state, own) - points(state, theirs))


@kernel
def crossing(seat: Any, position: Any, other: Any) -> Any:
    """The cell that *seat* points at from *position* while the other avatar is at *other*."""
    if seat == 0:
        return SIDE * other + position
    return SIDE * position + other


@kernel
def taking(
    state: Any,
    cells: Any,
    seat: Any,
    position: Any,
    other: Any,
    own: Any,
    theirs: Any,
    lead: Any,
    plies: Any,
) -> Any:
    """What *seat* gets by moving to *position*, or STRANDED, looking *plies* replies ahead.

    *lead* is how much more its Run is worth than the other one before the move.
    """
    at = crossing(seat, position, other)
    card = np.int64(state.grid[at])
    lead += POINT * gain(state, own, card)
    if state.kind[card] == SCRAMBLE and own != EMPTY_RUN and theirs != EMPTY_RUN:
        lead += SWAP
    return waiting(state, cells & ~(1 << at), seat, position, own << 4 | card, theirs, lead, plies)


@kernel
def waiting(
    state: Any,
    cells: Any,
    seat: Any,
    position: Any,
    own: Any,
    theirs: Any,
    lead: Any,
    plies: Any,
) -> Any:
    """The same once the card is taken and the opponent is to move."""
    if cells == 0:
        return lead + WIN * np.sign(lead)
    return lead
