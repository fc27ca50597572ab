"""HACKtheGRID: the rules, as kernels over one record. RULES.md beside this file says them.

Grid cells are numbered 4 * row + column from the top left. Seat 0 is the column hacker, who moves
along the top edge and points at a column; seat 1 is the row hacker, who moves along the left edge
and points at a row. A card is named by its index 0..15 in the deck table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import NOBODY, Field

SCRAMBLE, SIGNAL_SPIKE, FIREWALL, LOOPBACK, NET_NODE, DATA_PACKET = range(6)
KINDS = ("SCRAMBLE", "SIGNAL SPIKE", "FIREWALL", "LOOPBACK", "NET NODE", "DATA PACKET")
COLOURS = ("cyan", "magenta", "yellow", "green")  # of the default deck

CARDS = 16
SIDE = 4
RUN = 8  # places in a Run: the players take turns, so each takes half of the cards
NONE = -1  # no card

SWAPS = SIDE  # the first of 64 actions: own place i for the opponent's place j, 4 + 8*i + j
DECLINE = SWAPS + RUN * RUN
ACTIONS = DECLINE + 1

ON_TAKE, AT_END = 0, 1
SCRAMBLES = ("on_take", "at_end")
OUTCOME, MARGIN = 0, 1
REWARDS = ("outcome", "margin")
OBSERVATIONS = ("vector", "prior")

MOVE, SWAP = 0, 1  # phases of a turn

GRID_EMPTIED, CARDS_REMAIN = 2, 3
REASONS = ("grid_emptied", "cards_remain")

FIELDS = (
    Field("scramble", 0, 1),
    Field("reward_mode", 0, 1),
    Field("with_prior", 0, 1),  # observation: 0 vector, 1 prior
    # The deck table: what each card 0..15 is.
    Field("kind", 0, 5, (CARDS,)),
    Field("colour", 0, 7, (CARDS,)),
    Field("colours", 1, 8),  # how many colours the deck has
    Field("first", 0, 1),  # the seat that moves first
    Field("grid", NONE, CARDS - 1, (CARDS,)),  # the card on each cell, NONE once taken
    Field("remaining", 0, CARDS),  # cards on the grid
    Field("avatar", 0, SIDE - 1, (2,)),  # position along the own edge
    Field("run", NONE, CARDS - 1, (2, RUN)),  # cards from left to right, then NONE
    Field("length", 0, RUN, (2,)),
    Field("points", -64, 64, (2,)),  # what each Run is worth now: score() of it
    Field("phase", 0, 1),
    # scramble="at_end": who took each SCRAMBLE, in order; the first `decided` are done.
    Field("takers", 0, 1, (CARDS,)),
    Field("taken", 0, CARDS),
    Field("decided", 0, CARDS),
)

#: VALUE[kind, count] = what each card of the kind is worth when a Run holds that many of them.
VALUE = np.array(
    [
        [0] + [-3] * CARDS,  # SCRAMBLE
        [0] + [2] * CARDS,  # SIGNAL SPIKE
        [0, 0, 1] + [-1] * (CARDS - 2),  # FIREWALL
        [0, 4] + [1] * (CARDS - 1),  # LOOPBACK
        [0, 0, 1] + [2] * (CARDS - 2),  # NET NODE
        [0, 1, 1] + [2] * (CARDS - 2),  # DATA PACKET
    ],
    np.int8,
)

# --- scoring -------------------------------------------------------------------------------------


@kernel
def score(state: Any, seat: Any) -> Any:
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
        # A card is in an array if a neighbour has its colour: stretches of 2 or more.
        colour = state.colour[run[place]]
        left = place > 0 and state.colour[run[place - 1]] == colour
        right = place + 1 < length and state.colour[run[place + 1]] == colour
        points += left or right
    return points


@kernel
def append(state: Any, seat: Any, card: Any) -> None:
    """Put *card* at the right end of a Run and add what that changes to its points.

    The same as scoring the whole Run anew, which the invariants check.
    """
    end = state.length[seat]
    kind, colour = state.kind[card], state.colour[card]
    count = 0
    for place in range(end):
        count += state.kind[state.run[seat, place]] == kind
    points = VALUE[kind, count + 1] * (count + 1) - VALUE[kind, count] * count
    if end > 0 and state.colour[state.run[seat, end - 1]] == colour:
        # The array grows by this card, or begins with the last two.
        longer = end > 1 and state.colour[state.run[seat, end - 2]] == colour
        points += 1 if longer else 2
    state.run[seat, end] = card
    state.length[seat] = end + 1
    state.points[seat] += points


# --- what is legal -------------------------------------------------------------------------------


@kernel
def cell(state: Any, seat: Any, position: Any) -> Any:
    """The crossing of the two lines if *seat* stood at *position*."""
    if seat == 0:
        return SIDE * state.avatar[1] + position
    return SIDE * position + state.avatar[0]


@kernel
def can_take(state: Any, seat: Any) -> Any:
    """Whether the line that the other avatar fixes still has a card."""
    cards = 0
    for position in range(SIDE):
        cards += state.grid[cell(state, seat, position)] != NONE
    return cards > 0


@kernel
def can_swap(state: Any, seat: Any) -> Any:
    """Something to give that is not a SCRAMBLE, and something to get."""
    if state.length[1 - seat] == 0:
        return False
    for place in range(state.length[seat]):
        if state.kind[state.run[seat, place]] != SCRAMBLE:
            return True
    return False


@kernel
def legal(state: Any, mask: Any) -> None:
    seat = state.mover
    if state.phase == MOVE:
        for position in range(SIDE):
            mask[position] = state.grid[cell(state, seat, position)] != NONE
        return
    for own in range(state.length[seat]):
        if state.kind[state.run[seat, own]] != SCRAMBLE:
            for theirs in range(state.length[1 - seat]):
                mask[SWAPS + RUN * own + theirs] = 1
    mask[DECLINE] = 1


# --- playing it ----------------------------------------------------------------------------------


@kernel
def act(state: Any, action: Any) -> None:
    """Apply the mover's legal *action*."""
    seat = state.mover
    if state.phase == MOVE:
        take(state, seat, action)
    else:
        if action != DECLINE:
            swap(state, seat, (action - SWAPS) // RUN, (action - SWAPS) % RUN)
        state.phase = MOVE
        if state.scramble == AT_END:
            state.decided += 1
            next_late_swap(state)
        else:
            next_turn(state, 1 - seat)


@kernel
def take(state: Any, seat: Any, position: Any) -> None:
    """Move the avatar and put the card at the crossing at the right end of the Run."""
    state.avatar[seat] = position
    crossing = cell(state, seat, position)
    card = state.grid[crossing]
    state.grid[crossing] = NONE
    state.remaining -= 1
    append(state, seat, card)
    if state.kind[card] == SCRAMBLE:
        if state.scramble == AT_END:
            state.takers[state.taken] = seat
            state.taken += 1
        elif can_swap(state, seat):
            state.phase = SWAP  # a second decision of the same turn
            return
    next_turn(state, 1 - seat)


@kernel
def swap(state: Any, seat: Any, own: Any, theirs: Any) -> None:
    """The swapped cards take each other's places. A SCRAMBLE received gives no new swap (H5)."""
    given = state.run[seat, own]
    state.run[seat, own] = state.run[1 - seat, theirs]
    state.run[1 - seat, theirs] = given
    state.points[0] = score(state, 0)
    state.points[1] = score(state, 1)


@kernel
def next_turn(state: Any, seat: Any) -> None:
    state.mover = seat
    if state.remaining == 0:
        next_late_swap(state)
    elif not can_take(state, seat):
        # Cards remain that cannot be taken: the run was unsuccessful, both lose.
        finish(state, CARDS_REMAIN, np.float32(-1.0), np.float32(-1.0))


@kernel
def next_late_swap(state: Any) -> None:
    """scramble="at_end": the swaps in the order the SCRAMBLEs were taken, then the scoring."""
    while state.decided < state.taken:
        taker = state.takers[state.decided]
        if can_swap(state, taker):
            state.mover = taker
            state.phase = SWAP
            return
        state.decided += 1
    lead = state.points[0] - state.points[1]
    if state.reward_mode == MARGIN:
        reward = min(1.0, max(-1.0, lead / 20.0))
    else:
        reward = 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    finish(state, GRID_EMPTIED, np.float32(reward), np.float32(-reward))


@kernel
def finish(state: Any, reason: Any, column: Any, row: Any) -> None:
    state.reason = reason
    state.terminated = 1
    state.mover = NOBODY
    state.reward[0] = column
    state.reward[1] = row


# --- the deal ------------------------------------------------------------------------------------


@kernel
def shuffle(state: Any) -> None:
    """A shuffled grid, and a coin for who moves first."""
    for card in range(CARDS):
        state.grid[card] = card
    dice.shuffle(state, state.grid, 0, CARDS)
    state.first = dice.below(state, 2)


@kernel
def start(state: Any) -> None:
    """Begin on the grid that lies in the record: empty Runs, both avatars at the corner."""
    for seat in range(2):
        state.avatar[seat] = 0
        state.length[seat] = 0
        state.points[seat] = 0
        for place in range(RUN):
            state.run[seat, place] = NONE
    for card in range(CARDS):
        state.takers[card] = 0
    state.taken = 0
    state.decided = 0
    state.remaining = CARDS
    state.phase = MOVE
    state.mover = state.first


@kernel
def resample(state: Any, seat: Any) -> None:
    """Nothing is hidden: the state as it is."""
