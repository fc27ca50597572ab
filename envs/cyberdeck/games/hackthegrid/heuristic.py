"""A built-in opponent for HACKtheGRID: it looks a few decisions ahead over the open table.

Everything that it tries out lives in whole numbers: the cells that still hold a card (one bit
each) and the two Runs (four bits for each card, the newest lowest, a 1 above the oldest). The
record is only read, and nothing is allocated. Swaps are weighed when they are offered; looking
ahead, a SCRAMBLE is just its points, and that plays better than counting on a good swap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Action, Mask, RandomBits, Seat, State, int64, kernel, kernel_of
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.rules import VALUE, Card, Cell, Position

Cells: TypeAlias = int  # a bit for each cell that still holds a card
Run: TypeAlias = int  # four bits for each card, the newest lowest, and a 1 above the oldest
Worth: TypeAlias = int  # in quarters of a point
#: (state, cells, seat, position, own, theirs, lead) -> what the seat may expect.
Prospect: TypeAlias = Callable[[State, Cells, Seat, Position, Run, Run, Worth], Worth]

POINT = 4  # one point of margin; the finer preferences are fractions of it
WIN = 40  # winning, by whatever margin, on top of the margin
OPEN = 1  # each card left for the opponent to choose from: narrow lines strand both players
CARELESS = 12  # each reply that strands both: an opponent might choose it all the same
STRANDED = -1000  # cards remain: both lose, whoever brought it about
LATE = 10  # with this many cards left, or fewer, the rest of the game is looked through

EMPTY_RUN = 1


@kernel
def packed(state: State, seat: Seat) -> Run:
    """A Run as one number."""
    run = EMPTY_RUN
    for place in range(state.length[seat]):
        run = run << 4 | state.run[seat, place]
    return run


@kernel
def gain(state: State, run: Run, card: Card) -> Worth:
    """What *card* at the right end adds to a Run: its kind counted anew, and the array."""
    kind = state.kind[card]
    count = 0
    older = run
    while older != EMPTY_RUN:
        count += state.kind[older & 15] == kind
        older >>= 4
    added = (count + 1) * VALUE[kind, count + 1] - count * VALUE[kind, count]
    colour = state.colour[card]
    if run != EMPTY_RUN and state.colour[run & 15] == colour:
        added += c.ARRAY
        older = run >> 4
        if older == EMPTY_RUN or state.colour[older & 15] != colour:
            added += c.ARRAY  # so far the neighbour was in no array
    return POINT * added


@kernel
def worth(state: State, run: Run) -> Worth:
    """What a Run scores: what its cards have added one after the other."""
    total = 0
    while run != EMPTY_RUN:
        total += gain(state, run >> 4, run & 15)
        run >>= 4
    return total


@kernel
def crossing(seat: Seat, position: Position, other: Position) -> Cell:
    """The cell that *seat* points at from *position* while the other avatar is at *other*."""
    if seat == 0:
        return c.SIDE * other + position
    return c.SIDE * position + other


@kernel
def at_once(
    state: State, cells: Cells, seat: Seat, position: Position, own: Run, theirs: Run, lead: Worth
) -> Worth:
    """What *seat*, at *position*, may expect when its turn is over, without looking ahead.

    *own* and *theirs* are the two Runs, *lead* is how much more its own is worth.
    """
    if cells == 0:
        return lead + WIN * np.sign(lead)
    choices = 0
    for reply in range(c.SIDE):
        choices += (cells >> crossing(1 - seat, reply, position)) & 1
    return lead + OPEN * choices if choices > 0 else STRANDED


def replied(further: Prospect, careless: Worth, depth: int) -> Prospect:
    """The same with every reply tried out, and what follows it judged by *further*.

    *careless* is what each stranding reply costs *seat*: nothing where *seat* is the opponent of
    the player who decides, who shall not count on a blunder. There is a kernel for each *depth*,
    as numba cannot be trusted to link one that calls itself.
    """

    @kernel_of(f"{depth}")
    def prospect(
        state: State,
        cells: Cells,
        seat: Seat,
        position: Position,
        own: Run,
        theirs: Run,
        lead: Worth,
    ) -> Worth:
        if cells == 0:
            return lead + WIN * np.sign(lead)
        other = 1 - seat
        best = STRANDED
        strands = 0
        for reply in range(c.SIDE):
            at = crossing(other, reply, position)
            if (cells >> at) & 1:
                card = int64(state.grid[at])
                rest = cells & ~(1 << at)
                ahead = gain(state, theirs, card) - lead
                value = further(state, rest, other, reply, theirs << 4 | card, own, ahead)
                best = max(best, value)
                strands += value == STRANDED
        return -best - careless * strands if best != STRANDED else STRANDED

    return prospect


_after: list[Prospect] = [at_once]
for _depth in range(1, 10):
    _after.append(replied(_after[-1], CARELESS if _depth % 2 else 0, _depth))
after_5, after_9 = _after[5], _after[9]


@kernel
def laid_out(state: State) -> tuple[Cells, Run, Run]:
    """The position in whole numbers: the cells that hold a card, the mover's Run, the other's."""
    cells = 0
    for at in range(c.CARDS):
        if state.grid[at] != c.NONE:
            cells |= 1 << at
    seat = int64(state.mover)
    return cells, packed(state, seat), packed(state, 1 - seat)


@kernel
def value_of(state: State, cells: Cells, action: Action, own: Run, theirs: Run) -> Worth:
    """What a legal action is worth to the mover, in a position as it is *laid_out*."""
    seat = int64(state.mover)
    if state.phase == c.MOVE:
        at = crossing(seat, action, int64(state.avatar[1 - seat]))
        card = int64(state.grid[at])
        lead = worth(state, own) - worth(state, theirs) + gain(state, own, card)
        rest = cells & ~(1 << at)
        if state.remaining <= LATE:
            return after_9(state, rest, seat, action, own << 4 | card, theirs, lead)
        return after_5(state, rest, seat, action, own << 4 | card, theirs, lead)
    if action != c.DECLINE:
        # The newest card is the lowest: count the places from the right.
        mine = 4 * (state.length[seat] - 1 - (action - c.SWAPS) // c.RUN)
        other = 4 * (state.length[1 - seat] - 1 - (action - c.SWAPS) % c.RUN)
        differing = (own >> mine ^ theirs >> other) & 15
        own ^= differing << mine
        theirs ^= differing << other
    lead = worth(state, own) - worth(state, theirs)
    return after_5(state, cells, seat, int64(state.avatar[seat]), own, theirs, lead)


@kernel
def heuristic(state: State, mask: Mask, random_bits: RandomBits) -> Action:
    """The action with the best prospect for the mover; *random_bits* choose among equals."""
    cells, own, theirs = laid_out(state)
    chosen = -1
    best = 2 * STRANDED
    ties = 0
    for action in range(c.ACTIONS):
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
            if dice.scaled(random_bits, ties) == 0:  # the n-th of equals replaces them 1 in n times
                chosen = action
    return chosen
