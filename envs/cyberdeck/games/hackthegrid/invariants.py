"""HACKtheGRID: is a record a possible position? For saved states from others, and tests."""

from __future__ import annotations

from typing import Any

from cyberdeck.engine.kernels import kernel
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hackthegrid.rules import (
    AT_END,
    CARDS,
    CARDS_REMAIN,
    GRID_EMPTIED,
    KINDS,
    MOVE,
    NONE,
    RUN,
    SCRAMBLE,
    SIDE,
    SWAP,
    can_swap,
    can_take,
    score,
)

INVARIANTS = (
    "the options and the deck are in range",
    "every card lies in exactly one place, and the points are the Runs'",
    "both seats have taken their turns alternately",
    "the SCRAMBLEs still to be decided agree with the cards taken",
    "the phase and the end of the game agree with the position",
)
DECK, PLACES, TURNS, LATE_SWAPS, PHASE = range(1, 6)


@kernel
def deck_holds(state: Any) -> Any:
    if not (
        0 <= state.scramble <= 1 and 0 <= state.reward_mode <= 1 and 0 <= state.with_prior <= 1
    ):
        return False
    if not 0 <= state.first <= 1:
        return False
    highest = 0
    for card in range(CARDS):
        if not 0 <= state.kind[card] < len(KINDS) or state.colour[card] < 0:
            return False
        highest = max(highest, state.colour[card])
    return highest < 8 and state.colours == highest + 1


@kernel
def cards_hold(state: Any) -> Any:
    found = 0
    on_grid = 0
    for at in range(CARDS):
        card = state.grid[at]
        if card == NONE:
            continue
        if not 0 <= card < CARDS or found >> card & 1:
            return False
        found |= 1 << card
        on_grid += 1
    for seat in range(2):
        if not 0 <= state.avatar[seat] < SIDE or not 0 <= state.length[seat] <= RUN:
            return False
        for place in range(RUN):
            card = state.run[seat, place]
            if place >= state.length[seat]:
                if card != NONE:
                    return False
                continue
            if not 0 <= card < CARDS or found >> card & 1:
                return False
            found |= 1 << card
        if state.points[seat] != score(state, seat):
            return False
    return found == (1 << CARDS) - 1 and on_grid == state.remaining


@kernel
def turns_hold(state: Any) -> Any:
    """The first player has taken as many cards as the other, or one more; and moves in turn."""
    lead = state.length[state.first] - state.length[1 - state.first]
    if lead != 0 and lead != 1:
        return False
    if state.mover == NOBODY or (state.phase == SWAP and state.scramble == AT_END):
        return True
    to_take = state.first if lead == 0 else 1 - state.first
    return state.mover == (to_take if state.phase == MOVE else 1 - to_take)


@kernel
def late_swaps_hold(state: Any) -> Any:
    if not 0 <= state.decided <= state.taken <= CARDS:
        return False
    in_runs = 0
    for seat in range(2):
        for place in range(state.length[seat]):
            in_runs += state.kind[state.run[seat, place]] == SCRAMBLE
    for at in range(CARDS):
        if not 0 <= state.takers[at] <= 1:
            return False
    if state.decided > 0 and state.remaining > 0:
        return False
    return state.taken == (in_runs if state.scramble == AT_END else 0)


@kernel
def phase_holds(state: Any) -> Any:
    for seat in range(2):
        if not abs(state.reward[seat]) <= 2.0:
            return False
    if state.truncated != 0 or not 0 <= state.decisions <= 2 * CARDS:
        return False
    if state.mover == NOBODY:
        known = state.reason == GRID_EMPTIED or state.reason == CARDS_REMAIN
        if state.reason == GRID_EMPTIED and state.remaining != 0:
            return False
        return state.terminated == 1 and (known or state.reason == FORFEIT)
    if state.terminated != 0 or state.reason != RUNNING:
        return False
    if state.phase == MOVE:
        return state.remaining > 0 and can_take(state, state.mover)
    if not can_swap(state, state.mover):
        return False
    if state.scramble == AT_END:
        return (
            state.remaining == 0
            and state.decided < state.taken
            and state.takers[state.decided] == state.mover
        )
    return True


@kernel
def check_state(state: Any) -> Any:
    """0 for a possible position, else which of INVARIANTS fails, from 1. Reads within bounds."""
    if not deck_holds(state):
        return DECK
    if not cards_hold(state):
        return PLACES
    if not MOVE <= state.phase <= SWAP or not NOBODY <= state.mover <= 1:
        return PHASE
    if not turns_hold(state):
        return TURNS
    if not late_swaps_hold(state):
        return LATE_SWAPS
    if not phase_holds(state):
        return PHASE
    return 0
