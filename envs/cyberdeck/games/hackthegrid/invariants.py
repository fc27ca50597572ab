"""HACKtheGRID: is a record a possible position? For saved states from others, and tests.

The engine has checked every field's bounds and the header before.
"""

from __future__ import annotations

from cyberdeck.engine.kernels import State, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.rules import can_swap, can_take, cell, score

INVARIANTS = (
    "the number of colours is the deck's",
    "every card lies in exactly one place, and the points are the Runs'",
    "both seats have taken their turns alternately, and the card of their crossing",
    "the SCRAMBLEs still to be decided agree with the cards taken",
    "the phase and the end of the game agree with the position",
)
DECK, PLACES, TURNS, LATE_SWAPS, PHASE = range(1, 6)


@kernel
def deck_holds(state: State) -> bool:
    highest = 0
    for card in range(c.CARDS):
        highest = max(highest, state.colour[card])
    return state.colours == highest + 1


@kernel
def cards_hold(state: State) -> bool:
    found = 0
    on_grid = 0
    for at in range(c.CARDS):
        card = state.grid[at]
        if card == c.NONE:
            continue
        if found >> card & 1:
            return False
        found |= 1 << card
        on_grid += 1
    for seat in range(2):
        for place in range(c.RUN):
            card = state.run[seat, place]
            if (card != c.NONE) != (place < state.length[seat]):
                return False
            if card == c.NONE:
                continue
            if found >> card & 1:
                return False
            found |= 1 << card
        if state.points[seat] != score(state, seat):
            return False
    return found == (1 << c.CARDS) - 1 and on_grid == state.remaining


@kernel
def turns_hold(state: State) -> bool:
    """The first player has taken as many cards as the other, or one more; and moves in turn."""
    lead = state.length[state.first] - state.length[1 - state.first]
    if lead != 0 and lead != 1:
        return False
    # Whoever has moved last has taken the card of the crossing.
    if state.remaining < c.CARDS and state.grid[cell(state, 0, state.avatar[0])] != c.NONE:
        return False
    if state.mover == NOBODY or (state.phase == c.SWAP and state.scramble == c.AT_END):
        return True
    to_take = state.first if lead == 0 else 1 - state.first
    return state.mover == (to_take if state.phase == c.MOVE else 1 - to_take)


@kernel
def late_swaps_hold(state: State) -> bool:
    if state.decided > state.taken or (state.decided > 0 and state.remaining > 0):
        return False
    in_runs = 0
    for seat in range(2):
        for place in range(state.length[seat]):
            in_runs += state.kind[state.run[seat, place]] == c.SCRAMBLE
    return state.taken == (in_runs if state.scramble == c.AT_END else 0)


@kernel
def phase_holds(state: State) -> bool:
    for seat in range(2):
        if abs(state.reward[seat]) > 1.0:
            return False
    if state.truncated != 0 or state.decisions > 2 * c.CARDS:
        return False
    if state.mover == NOBODY:
        return state.reason != c.GRID_EMPTIED or state.remaining == 0
    # Each card is taken, and brings a swap at most.
    if state.decisions > 2 * (c.CARDS - state.remaining):
        return False
    if state.phase == c.MOVE:
        return state.remaining > 0 and can_take(state, state.mover)
    if state.scramble == c.AT_END:
        waiting = state.remaining == 0 and state.decided < state.taken
        if not waiting or state.takers[state.decided] != state.mover:
            return False
    return can_swap(state, state.mover)


@kernel
def check_state(state: State) -> int:
    """0 for a possible position, else which of INVARIANTS fails, from 1."""
    if not deck_holds(state):
        return DECK
    if not cards_hold(state):
        return PLACES
    if not turns_hold(state):
        return TURNS
    if not late_swaps_hold(state):
        return LATE_SWAPS
    return 0 if phase_holds(state) else PHASE
