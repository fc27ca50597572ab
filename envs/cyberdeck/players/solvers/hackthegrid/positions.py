"""HACKtheGRID: positions as the exact search has them: whole numbers in small records.

The record of the game is read once; from there on the search plays here, with the same rules. A
card is named by the first card of the deck with its kind and colour: cards that are alike are the
same.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cyberdeck.engine.arguments import Array
from cyberdeck.engine.kernels import kernel, loop_of
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.heuristic import crossing
from cyberdeck.games.hackthegrid.rules import VALUE
from cyberdeck.players.solvers.hackthegrid.result_partitions import BOTH_LOSE, COLUMN, DRAW, ROW

# --- records -------------------------------------------------------------------------------------

COLOURS = 8
DEEPEST = 2 * c.CARDS + 2  # each card a decision, each SCRAMBLE one more
MOST = c.RUN * c.RUN + 1  # options of a decision
NO_TAKER = 1

_WHOLE = np.int64

#: What stays the same while a deal is solved. Cards are equal if kind and colour are.
DEAL = np.dtype(
    [
        ("number", _WHOLE),  # of the deal, in keys
        ("scramble", _WHOLE),
        ("ties", _WHOLE),
        ("kind", _WHOLE, (c.CARDS,)),
        ("colour", _WHOLE, (c.CARDS,)),
        ("card", _WHOLE, (c.CARDS,)),  # on each cell
        ("kinds", _WHOLE, (len(c.KINDS),)),  # the cells with a card of each kind
        ("colours", _WHOLE, (COLOURS,)),  # the cells with a card of each colour
    ]
)

#: A position of the search, and how far it has got there.
NODE = np.dtype(
    [
        ("cells", _WHOLE),
        ("line", _WHOLE),  # where the other avatar stands: the mover chooses from that line
        ("seat", _WHOLE),
        ("phase", _WHOLE),
        ("run", _WHOLE, (2,)),  # four bits for each card, the first lowest
        ("length", _WHOLE, (2,)),
        ("counts", _WHOLE, (2,)),  # four bits for each kind: how many of it the Run holds
        ("lead", _WHOLE),  # the column hacker's points less the row hacker's
        ("takers", _WHOLE),  # who decides swaps to come: one bit each, the next lowest, under a 1
        ("asked", _WHOLE),  # the question
        ("best", _WHOLE),  # result so far for the mover
        ("key", _WHOLE),  # of the position in the table,
        ("where", _WHOLE),  # and the rest of it; NONE if it is not kept there
        ("left", _WHOLE),  # options not yet tried
    ]
)

# --- how many lines empty the grid ---------------------------------------------------------------


#: Of what ``count_ways`` fills.
WAYS: Final = {"C": 1 << c.CARDS, "I": 2, "J": c.SIDE}


@loop_of("hackthegrid", WAYS, ways=Array(np.int16, "CIJ"))
def count_ways(ways: Any) -> None:
    """Fill ways[cells, seat, line]: how many there are to take all cards, *seat* to move."""
    for cells in range(1 << c.CARDS):
        for seat in range(2):
            for line in range(c.SIDE):
                count = np.int64(cells == 0)
                for position in range(c.SIDE):
                    bit = 1 << crossing(seat, position, line)
                    if cells & bit:
                        count += ways[cells ^ bit, 1 - seat, position]
                ways[cells, seat, line] = count


# --- Runs ----------------------------------------------------------------------------------------


@kernel
def card_in(node: Any, seat: Any, place: Any) -> Any:
    return node.run[seat] >> 4 * place & 15


@kernel
def count_of(counts: Any, kind: Any) -> Any:
    return counts >> 4 * kind & 15


@kernel
def more(counts: Any, kind: Any, by: Any) -> Any:
    """What *by* more cards of a kind add."""
    count = count_of(counts, kind)
    return VALUE[kind, count + by] * (count + by) - VALUE[kind, count] * count


@kernel
def append(deal: Any, node: Any, seat: Any, card: Any) -> None:
    """Put *card* at the right end of a Run."""
    kind, end = deal.kind[card], node.length[seat] - 1
    points = more(node.counts[seat], kind, 1)
    if colour_at(deal, node, seat, end) == deal.colour[card]:
        points += c.ARRAY if in_array(deal, node, seat, end) else 2 * c.ARRAY
    node.run[seat] |= card << 4 * node.length[seat]
    node.length[seat] += 1
    node.counts[seat] += 1 << 4 * kind
    node.lead += points if seat == 0 else -points


@kernel
def colour_at(deal: Any, node: Any, seat: Any, place: Any) -> Any:
    """The colour of a place, NONE beyond the ends."""
    if place < 0 or place >= node.length[seat]:
        return c.NONE
    return deal.colour[card_in(node, seat, place)]


@kernel
def in_array(deal: Any, node: Any, seat: Any, place: Any) -> Any:
    colour = colour_at(deal, node, seat, place)
    return (
        colour_at(deal, node, seat, place - 1) == colour
        or colour_at(deal, node, seat, place + 1) == colour
    )


@kernel
def arrays_with(deal: Any, node: Any, seat: Any, place: Any, colour: Any) -> Any:
    """The points of arrays at a place and its two neighbours if the place had that colour.

    No others can come into or out of an array by it.
    """
    left = colour_at(deal, node, seat, place - 1)
    right = colour_at(deal, node, seat, place + 1)
    points = np.int64(left == colour or right == colour)
    if left != c.NONE:
        points += left == colour or left == colour_at(deal, node, seat, place - 2)
    if right != c.NONE:
        points += right == colour or right == colour_at(deal, node, seat, place + 2)
    return c.ARRAY * points


@kernel
def swapped_kinds(node: Any, seat: Any, given: Any, received: Any) -> Any:
    """What the lead of *seat* gains by giving one kind for another, arrays aside."""
    if given == received:
        return 0
    own, theirs = node.counts[seat], node.counts[1 - seat]
    gained = more(own, given, -1) + more(own, received, 1)
    return gained - more(theirs, given, 1) - more(theirs, received, -1)


@kernel
def swap(deal: Any, node: Any, action: Any) -> None:
    """The mover's swap: counts, Runs and the lead."""
    seat = node.seat
    mine, other = (action - c.SWAPS) // c.RUN, (action - c.SWAPS) % c.RUN
    given, received = card_in(node, seat, mine), card_in(node, 1 - seat, other)
    kind_given, kind_received = deal.kind[given], deal.kind[received]
    colour_given, colour_received = deal.colour[given], deal.colour[received]
    gained = (
        swapped_kinds(node, seat, kind_given, kind_received)
        + arrays_with(deal, node, seat, mine, colour_received)
        - arrays_with(deal, node, seat, mine, colour_given)
        - arrays_with(deal, node, 1 - seat, other, colour_given)
        + arrays_with(deal, node, 1 - seat, other, colour_received)
    )
    node.lead += gained if seat == 0 else -gained
    node.run[seat] ^= (given ^ received) << 4 * mine
    node.run[1 - seat] ^= (given ^ received) << 4 * other
    moved = (1 << 4 * kind_received) - (1 << 4 * kind_given)
    node.counts[seat] += moved
    node.counts[1 - seat] -= moved


@kernel
def can_swap(node: Any, seat: Any) -> Any:
    """Something to give that is not a SCRAMBLE, and something to get."""
    return node.length[1 - seat] > 0 and node.length[seat] > count_of(node.counts[seat], c.SCRAMBLE)


# --- playing on ----------------------------------------------------------------------------------


@kernel
def advance(deal: Any, ways: Any, node: Any, action: Any) -> Any:
    """Apply an action of the mover. The result if it is certain now, else NONE."""
    seat = node.seat
    if node.phase == c.MOVE:
        at = crossing(seat, action, node.line)
        node.cells ^= 1 << at
        node.line = action  # of the next mover, once this turn is over
        card = deal.card[at]
        append(deal, node, seat, card)
        if deal.kind[card] == c.SCRAMBLE:
            if deal.scramble == c.AT_END:
                top = np.int64(1)
                while top << 1 <= node.takers:
                    top <<= 1
                node.takers += top << seat  # the seat's bit, and the 1 above it
            elif can_swap(node, seat):
                node.phase = c.SWAP
                if ways[node.cells, 1 - seat, node.line] == 0:
                    return BOTH_LOSE
                return c.NONE
    else:
        if action != c.DECLINE:
            swap(deal, node, action)
        node.phase = c.MOVE
        if deal.scramble == c.AT_END:
            node.takers >>= 1
            return late_swap(node)
    node.seat = 1 - seat
    if node.cells == 0:
        return late_swap(node)
    if ways[node.cells, node.seat, node.line] == 0:
        return BOTH_LOSE
    return c.NONE


@kernel
def late_swap(node: Any) -> Any:
    """After the last card: the next swap that can be made, or the result."""
    while node.takers != NO_TAKER:
        taker = node.takers & 1
        if can_swap(node, taker):
            node.seat = taker
            node.phase = c.SWAP
            return c.NONE
        node.takers >>= 1
    return COLUMN if node.lead > 0 else ROW if node.lead < 0 else DRAW


# --- from a record -------------------------------------------------------------------------------


@kernel
def begin(deal: Any, state: Any, node: Any) -> None:
    """The position of a record."""
    seat = np.int64(state.mover)
    node.cells = 0
    for at in range(c.CARDS):
        if state.grid[at] != c.NONE:
            node.cells |= 1 << at
    node.seat = seat
    node.phase = state.phase
    node.line = state.avatar[seat if state.phase == c.SWAP else 1 - seat]
    node.lead = 0
    for one in range(2):
        node.run[one] = 0
        node.length[one] = 0
        node.counts[one] = 0
        for place in range(state.length[one]):
            append(deal, node, one, alike(deal, state.run[one, place]))
    node.takers = NO_TAKER
    for at in range(state.taken - 1, state.decided - 1, -1):
        node.takers = node.takers << 1 | np.int64(state.takers[at])


@kernel
def alike(deal: Any, card: Any) -> Any:
    """The first card of the deck with this kind and colour."""
    for other in range(c.CARDS):
        if deal.kind[other] == deal.kind[card] and deal.colour[other] == deal.colour[card]:
            return other
    return np.int64(card)


@kernel
def describe(state: Any, ties: Any, number: Any, deal: Any) -> None:
    """Write what stays the same after a record's position."""
    deal.number = number
    deal.scramble = state.scramble
    deal.ties = ties
    for card in range(c.CARDS):
        deal.kind[card] = state.kind[card]
        deal.colour[card] = state.colour[card]
    deal.kinds[:] = 0
    deal.colours[:] = 0
    for at in range(c.CARDS):
        deal.card[at] = c.NONE
        if state.grid[at] != c.NONE:
            deal.card[at] = alike(deal, state.grid[at])
            deal.kinds[deal.kind[deal.card[at]]] |= 1 << at
            deal.colours[deal.colour[deal.card[at]]] |= 1 << at
