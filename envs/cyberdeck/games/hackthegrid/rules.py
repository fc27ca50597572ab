"""HACKtheGRID: the rules, as kernels over one record, in the order of RULES.md beside this file.

Grid cells are numbered 4 * row + column from the top left. Seat 0 is the column hacker, who moves
along the top edge and points at a column; seat 1 is the row hacker, who moves along the left edge
and points at a row. A card is named by its index 0..15 in the deck table.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.defaults import end
from cyberdeck.engine.kernels import Action, Mask, Seat, State, index, kernel
from cyberdeck.engine.record import Field
from cyberdeck.games.hackthegrid import constants as c

Card: TypeAlias = int  # 0..15, an index into the deck table, or NONE
Cell: TypeAlias = int  # 0..15
Position: TypeAlias = int  # 0..3, along a hacker's own edge
Place: TypeAlias = int  # 0..7, in a Run from left to right

FIELDS = (
    # The deck table: what each card 0..15 is.
    Field("kind", 0, len(c.KINDS) - 1, (c.CARDS,)),
    Field("colour", 0, c.MOST_COLOURS - 1, (c.CARDS,)),
    Field("colours", 1, c.MOST_COLOURS),  # how many colours the deck has
    Field("first", 0, 1),  # the seat that moves first
    Field("grid", c.NONE, c.CARDS - 1, (c.CARDS,)),  # the card on each cell, NONE once taken
    Field("remaining", 0, c.CARDS),  # cards on the grid
    Field("avatar", 0, c.SIDE - 1, (2,)),  # position along the own edge
    Field("run", c.NONE, c.CARDS - 1, (2, c.RUN)),  # cards from left to right, then NONE
    Field("length", 0, c.RUN, (2,)),
    Field("points", c.LOWEST, c.HIGHEST, (2,)),  # what each Run is worth now: score() of it
    Field("phase", 0, 1),
    # scramble="at_end": who took each SCRAMBLE, in order; the first `decided` are done.
    Field("takers", 0, 1, (c.CARDS,)),
    Field("taken", 0, c.CARDS),
    Field("decided", 0, c.CARDS),
)

# --- table ---------------------------------------------------------------------------------------


@kernel
def cell(state: State, seat: Seat, position: Position) -> Cell:
    """The crossing of the two lines if *seat* stood at *position*."""
    if seat == 0:
        return c.SIDE * state.avatar[1] + position
    return c.SIDE * position + state.avatar[0]


@kernel
def shuffle(state: State) -> None:
    """A shuffled grid, and a coin for who moves first."""
    for card in range(c.CARDS):
        state.grid[card] = card
    dice.shuffle(state, state.grid, 0, c.CARDS)
    state.first = dice.below(state, 2)


@kernel
def start(state: State) -> None:
    """Begin on the grid that lies in the record: empty Runs, both avatars at the corner."""
    state.avatar[:] = 0
    state.length[:] = 0
    state.points[:] = 0
    state.run[:] = c.NONE
    state.takers[:] = 0
    state.taken = 0
    state.decided = 0
    state.remaining = c.CARDS
    state.phase = c.MOVE
    state.mover = state.first


# --- turn ----------------------------------------------------------------------------------------


@kernel
def legal(state: State, mask: Mask) -> int:
    if state.phase == c.MOVE:
        return mark_moves(state, state.mover, mask)
    return mark_swaps(state, state.mover, mask)


@kernel
def mark_moves(state: State, seat: Seat, mask: Mask) -> int:
    """The positions whose crossing still holds a card."""
    count = 0
    for position in range(c.SIDE):
        mask[position] = state.grid[index(cell(state, seat, position))] != c.NONE
        count += mask[position]
    return count


@kernel
def act(state: State, action: Action) -> None:
    seat = state.mover
    if state.phase == c.MOVE:
        take(state, seat, action)
        return
    if action != c.DECLINE:
        swap(state, seat, (action - c.SWAPS) // c.RUN, (action - c.SWAPS) % c.RUN)
    state.phase = c.MOVE
    if state.scramble == c.AT_END:
        state.decided += 1
        next_late_swap(state)
    else:
        next_turn(state, 1 - seat)


@kernel
def take(state: State, seat: Seat, position: Position) -> None:
    """Move the avatar and put the card at the crossing at the right end of the Run."""
    state.avatar[seat] = position
    crossing = cell(state, seat, position)
    card = state.grid[crossing]
    state.grid[crossing] = c.NONE
    state.remaining -= 1
    append(state, seat, card)
    if state.kind[card] == c.SCRAMBLE:
        if state.scramble == c.AT_END:
            state.takers[state.taken] = seat
            state.taken += 1
        elif can_swap(state, seat):
            state.phase = c.SWAP  # a second decision of the same turn
            return
    next_turn(state, 1 - seat)


@kernel
def append(state: State, seat: Seat, card: Card) -> None:
    """Put *card* at the right end of a Run and add what that changes to its points.

    The same as scoring the whole Run anew, which the invariants check.
    """
    place = state.length[seat]
    kind, colour = state.kind[card], state.colour[card]
    count = 0
    for older in range(place):
        count += state.kind[state.run[seat, older]] == kind
    points = VALUE[kind, count + 1] * (count + 1) - VALUE[kind, count] * count
    if place > 0 and state.colour[state.run[seat, place - 1]] == colour:
        # The array grows by this card, or begins with the last two.
        longer = place > 1 and state.colour[state.run[seat, place - 2]] == colour
        points += c.ARRAY if longer else 2 * c.ARRAY
    state.run[seat, place] = card
    state.length[seat] = place + 1
    state.points[seat] += points


# --- turn: SCRAMBLE ------------------------------------------------------------------------------


@kernel
def can_swap(state: State, seat: Seat) -> bool:
    """Something to give that is not a SCRAMBLE, and something to get."""
    if state.length[1 - seat] == 0:
        return False
    for place in range(state.length[seat]):
        if state.kind[state.run[seat, place]] != c.SCRAMBLE:
            return True
    return False


@kernel
def mark_swaps(state: State, seat: Seat, mask: Mask) -> int:
    """Any own card that is no SCRAMBLE for any of the opponent's; or none."""
    count = 0
    for own in range(state.length[seat]):
        if state.kind[state.run[seat, own]] != c.SCRAMBLE:
            for theirs in range(state.length[1 - seat]):
                mask[c.SWAPS + c.RUN * own + theirs] = 1
                count += 1
    mask[c.DECLINE] = 1
    return count + 1


@kernel
def swap(state: State, seat: Seat, own: Place, theirs: Place) -> None:
    """The swapped cards take each other's places. A SCRAMBLE received gives no new swap (H5)."""
    given = state.run[seat, own]
    state.run[seat, own] = state.run[1 - seat, theirs]
    state.run[1 - seat, theirs] = given
    state.points[0] = score(state, 0)
    state.points[1] = score(state, 1)


@kernel
def next_late_swap(state: State) -> None:
    """scramble="at_end": the swaps in the order the SCRAMBLEs were taken, then the scoring."""
    while state.decided < state.taken:
        taker = state.takers[state.decided]
        if can_swap(state, taker):
            state.mover = taker
            state.phase = c.SWAP
            return
        state.decided += 1
    compare_runs(state)


# --- end -----------------------------------------------------------------------------------------


@kernel
def next_turn(state: State, seat: Seat) -> None:
    """*seat* moves, if there is something to take."""
    state.mover = seat
    if state.remaining == 0:
        next_late_swap(state)
    elif not can_take(state, seat):
        # Cards remain that cannot be taken: the run was unsuccessful, both lose.
        state.reward[:] = -1.0
        end(state, c.CARDS_REMAIN)


@kernel
def can_take(state: State, seat: Seat) -> bool:
    """Whether the line that the other avatar fixes still has a card."""
    cards = 0
    for position in range(c.SIDE):
        cards += state.grid[cell(state, seat, position)] != c.NONE
    return cards > 0


@kernel
def compare_runs(state: State) -> None:
    """The grid is empty: the higher score wins."""
    lead = state.points[0] - state.points[1]
    if state.reward_mode == c.MARGIN:
        state.reward[0] = min(1.0, max(-1.0, lead / 20.0))
    else:
        state.reward[0] = np.sign(lead)
    state.reward[1] = -state.reward[0]
    end(state, c.GRID_EMPTIED)


# --- score ---------------------------------------------------------------------------------------

#: VALUE[kind, count] = what each card of the kind is worth when a Run holds that many of them.
VALUE = np.array([[*few, *few[-1:] * (c.CARDS + 1 - len(few))] for few in c.VALUES], np.int8)


@kernel
def score(state: State, seat: Seat) -> int:
    """What a Run is worth: each card by how many of its kind there are, and the arrays."""
    run = state.run[seat]
    length = state.length[seat]
    points = 0
    for place in range(length):
        kind = state.kind[run[place]]
        count = 0
        for other in range(length):
            count += state.kind[run[other]] == kind
        points += VALUE[kind, count]
        points += c.ARRAY * in_array(state, seat, place)
    return points


@kernel
def in_array(state: State, seat: Seat, place: Place) -> bool:
    """Whether a neighbour has the same colour: arrays are stretches of 2 or more."""
    run = state.run[seat]
    colour = state.colour[run[place]]
    left = place > 0 and state.colour[run[place - 1]] == colour
    right = place + 1 < state.length[seat] and state.colour[run[place + 1]] == colour
    return left or right
