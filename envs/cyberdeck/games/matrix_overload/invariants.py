"""MATR1X 0VERL0AD: is a record a possible position? For saved states from others, and tests.

The engine has checked every field's bounds and the header before.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine.kernels import State, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.games.matrix_overload import rules
from cyberdeck.games.matrix_overload.table import LOSE

Found: TypeAlias = np.uint64  # a bit for each card that was found

INVARIANTS = (
    "every card lies in exactly one place",
    "the inner piles hang together as cards are laid",
    "the draw pile's known and unseen cards agree",
    "the royals and their ICE agree with the cards beside the matrix",
    "the end of the game agrees with the position",
)
CARDS_, INNER_PILES, DRAW_PILE, ROYALS_, END = range(1, 6)

_ONE = np.uint64(1)


@kernel
def draw_pile_holds(state: State, cards: int) -> tuple[bool, Found]:
    """Known front, unseen middle, known back. Also a bit for each card found."""
    found = np.uint64(0)
    known = state.known_first + state.known_last
    if known > state.left or (state.left > 0 and state.known_first == 0):
        return False, found
    unseen = 0
    for card in range(c.CARDS):
        unseen += state.unseen[card]
    if unseen != state.left - known:
        return False, found
    for at in range(state.left):
        card = state.draw[(state.head + at) & (c.RING - 1)]
        if card >= cards or state.place[card] != 0 or state.height[card] != 0:
            return False, found
        bit = _ONE << np.uint64(card)
        middle = state.known_first <= at < state.left - state.known_last
        if found & bit or (state.unseen[card] == 1) != middle:
            return False, found
        found |= bit
    return True, found


@kernel
def inner_piles_hold(state: State, cards: int, found: Found) -> tuple[bool, Found]:
    for inner in range(c.INNER):
        card = state.top[inner]
        if state.top_value[inner] != rules.VALUE[card]:
            return False, found
        for height in range(state.depth[inner], 0, -1):
            if not 0 <= card < cards or rules.VALUE[card] > 10:
                return False, found
            # Aces and jokers reset: only a number is laid on a card, and on none that is higher.
            if height > 1 and rules.VALUE[card] < max(2, rules.VALUE[state.below[card]]):
                return False, found
            bit = _ONE << np.uint64(card)
            if found & bit or state.place[card] != 1 + inner or state.height[card] != height:
                return False, found
            found |= bit
            card = state.below[card]
        if card != c.NONE:
            return False, found
    return True, found


@kernel
def royals_hold(state: State, cards: int, found: Found) -> tuple[bool, Found]:
    killed = 0
    for outer in range(c.OUTER):
        royal = state.royal[outer]
        ice = 0
        for card in range(cards):
            if state.place[card] != 1 + c.INNER + outer:
                continue
            if state.height[card] != 0:
                return False, found
            found |= _ONE << np.uint64(card)
            if card != royal:
                if not 2 <= rules.VALUE[card] <= 10:
                    return False, found
                ice += rules.VALUE[card]
        if ice != state.ice[outer]:
            return False, found
        if royal == c.NONE:
            if state.dead[outer] != 0 or (ice > 0 and state.edition != c.RULEBOOK):
                return False, found
            continue
        if rules.VALUE[royal] <= 10 or state.place[royal] != 1 + c.INNER + outer:
            return False, found
        too_strong = rules.living(state, outer) and rules.strength(state, outer) > rules.STRONGEST
        if too_strong and state.reason != c.BLACK_ICE:
            return False, found
        killed += state.dead[outer]
    return killed == state.killed, found


@kernel
def end_holds(state: State) -> bool:
    if abs(state.reward[0]) > 2.0 or state.decisions > state.max_steps:
        return False
    if (state.killed == c.OUTER) != (state.reason == c.WON):
        return False
    at_the_limit = state.reason in (c.MAX_STEPS, c.STALLED)
    if at_the_limit and (
        state.decisions != state.max_steps or (state.stall == LOSE) != (state.reason == c.STALLED)
    ):
        return False
    if state.mover == NOBODY:
        return state.truncated == (state.reason == c.MAX_STEPS)
    return state.left > 0 and state.decisions < state.max_steps and rules.has_legal_pile(state)


@kernel
def check_state(state: State) -> int:
    """0 for a possible position, else which of INVARIANTS fails, from 1."""
    cards = c.CARDS if state.edition == c.RULEBOOK else c.CARDS - 1
    good, found = draw_pile_holds(state, cards)
    if not good:
        return DRAW_PILE
    good, found = inner_piles_hold(state, cards, found)
    if not good:
        return INNER_PILES
    good, found = royals_hold(state, cards, found)
    if not good:
        return ROYALS_
    if found != (_ONE << np.uint64(cards)) - _ONE:
        return CARDS_
    for card in range(cards, c.CARDS):
        if state.place[card] != 0 or state.height[card] != 0:
            return CARDS_
    return 0 if end_holds(state) else END
