"""A built-in opponent for HACKtheGRID: it looks a few decisions ahead over the open table.

Everything that it tries out lives in whole numbers: the cells that still hold a card (one bit
each) and the two Runs (four bits for each card, the newest lowest, a 1 above the oldest). The
record is only read, and nothing is allocated. Swaps are weighed when they are offered; looking
ahead, a SCRAMBLE is just its points, and that plays better than counting on a good swap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import kernel, kernel_of
from cyberdeck.games.hackthegrid.rules import (
    ACTIONS,
    CARDS,
    DECLINE,
    MOVE,
    NONE,
    RUN,
    SIDE,
    SWAPS,
    VALUE,
)

POINT = 4  # one point of margin; the finer preferences are fractions of it
WIN = 40  # winning, by whatever margin, on top of the margin
OPEN = 1  # each card left for the opponent to choose from: narrow lines strand both players
CARELESS = 12  # each reply that strands both: an opponent might choose it all the same
STRANDED = -1000  # cards remain: both lose, whoever brought it about
LATE = 10  # with this many cards left, or fewer, the rest of the game is looked through

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
    """What *card* at the right end adds to a Run: its kind counted anew, and the array."""
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
    return POINT * added


@kernel
def worth(state: Any, run: Any) -> Any:
    """What a Run scores: what its cards have added one after the other."""
    total = 0
    while run != EMPTY_RUN:
        total += gain(state, run >> 4, run & 15)
        run >>= 4
    return total


@kernel
def crossing(seat: Any, position: Any, other: Any) -> Any:
    """The cell that *seat* points at from *position* while the other avatar is at *other*."""
    if seat == 0:
        return SIDE * other + position
    return SIDE * position + other


@kernel
def at_once(
    state: Any, cells: Any, seat: Any, position: Any, own: Any, theirs: Any, lead: Any
) -> Any:
    """What *seat*, at *position*, may expect when its turn is over, without looking ahead.

    *own* and *theirs* are the two Runs, *lead* is how much more its own is worth.
    """
    if cells == 0:
        return lead + WIN * np.sign(lead)
    choices = 0
    for reply in range(SIDE):
        choices += (cells >> crossing(1 - seat, reply, position)) & 1
    return lead + OPEN * choices if choices > 0 else STRANDED


def replied(further: Any, careless: int, depth: int) -> Any:
    """The same with every reply tried out, and what follows it judged by *further*.

    *careless* is what each stranding reply costs *seat*: nothing where *seat* is the opponent of
    the player who decides, who shall not count on a blunder. There is a kernel for each *depth*,
    as numba cannot be trusted to link one that calls itself.
    """

    @kernel_of(f"{depth}")
    def prospect(
        state: Any, cells: Any, seat: Any, position: Any, own: Any, theirs: Any, lead: Any
    ) -> Any:
        if cells == 0:
            return lead + WIN * np.sign(lead)
        other = 1 - seat
        best = STRANDED
        strands = 0
        for reply in range(SIDE):
            at = crossing(other, reply, position)
            if (cells >> at) & 1:
                card = np.int64(state.grid[at])
                rest = cells & ~(1 << at)
                ahead = gain(state, theirs, card) - lead
                value = further(state, rest, other, reply, theirs << 4 | card, own, ahead)
                best = max(best, value)
                strands += value == STRANDED
        return -best - careless * strands if best != STRANDED else STRANDED

    return prospect


after_1 = replied(at_once, CARELESS, 1)
after_2 = replied(after_1, 0, 2)
after_3 = replied(after_2, CARELESS, 3)
after_4 = replied(after_3, 0, 4)
after_5 = replied(after_4, CARELESS, 5)
after_6 = replied(after_5, 0, 6)
after_7 = replied(after_6, CARELESS, 7)
after_8 = replied(after_7, 0, 8)
after_9 = replied(after_8, CARELESS, 9)


@kernel
def value_of_move(state: Any, cells: Any, seat: Any, position: Any, own: Any, theirs: Any) -> Any:
    at = crossing(seat, position, np.int64(state.avatar[1 - seat]))
    card = np.int64(state.grid[at])
    lead = worth(state, own) - worth(state, theirs) + gain(state, own, card)
    rest = cells & ~(1 << at)
    if state.remaining <= LATE:
        return after_9(state, rest, seat, position, own << 4 | card, theirs, lead)
    return after_5(state, rest, seat, position, own << 4 | card, theirs, lead)


@kernel
def value_of_swap(state: Any, cells: Any, seat: Any, action: Any, own: Any, theirs: Any) -> Any:
    if action != DECLINE:
        # The newest card is the lowest: count the places from the right.
        mine = 4 * (state.length[seat] - 1 - (action - SWAPS) // RUN)
        other = 4 * (state.length[1 - seat] - 1 - (action - SWAPS) % RUN)
        differing = (own >> mine ^ theirs >> other) & 15
        own ^= differing << mine
        theirs ^= differing << other
    lead = worth(state, own) - worth(state, theirs)
    position = np.int64(state.avatar[seat])
    return after_5(state, cells, seat, position, own, theirs, lead)


@kernel
def laid_out(state: Any) -> Any:
    """The position in whole numbers: the cells that hold a card, the mover's Run, the other's."""
    cells = np.int64(0)
    for at in range(CARDS):
        if state.grid[at] != NONE:
            cells |= 1 << at
    seat = np.int64(state.mover)
    return cells, packed(state, seat), packed(state, 1 - seat)


@kernel
def value_of(state: Any, cells: Any, action: Any, own: Any, theirs: Any) -> Any:
    """What a legal action is worth to the mover, in a position as it is *laid_out*."""
    seat = np.int64(state.mover)
    if state.phase == MOVE:
        return value_of_move(state, cells, seat, action, own, theirs)
    return value_of_swap(state, cells, seat, action, own, theirs)


@kernel
def heuristic(state: Any, mask: Any, random_bits: Any) -> Any:
    """The action with the best prospect for the mover; *luck* chooses among equals."""
    cells, own, theirs = laid_out(state)
    chosen = -1
    best = 2 * STRANDED
    ties = 0
    for action in range(ACTIONS):
        if mask[action] == 0:
            continue
        value = value_of(state, cells, action, own, theirs)
        if value > best:
            best = value
            chosen = action
            ties = 1
        elif value == best:
            ties += 1
            random_bits = dice.mixed(random_bits)
            if (
                dice.scaled(random_bits, ties) == 0
            ):  # the n-th of equals replaces the others 1 in n times
                chosen = action
    return chosen
