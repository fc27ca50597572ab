"""MATR1X 0VERL0AD: the rules, as kernels over one record, in the order of RULES.md beside them.

Piles and cards have numbers: see constants.py.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.defaults import end
from cyberdeck.engine.kernels import Action, Mask, Seat, State, kernel
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.games.matrix_overload.table import LOSE, PER_ROYAL

Card: TypeAlias = int  # 0..53, or NONE
Inner: TypeAlias = int  # an inner pile, 0..8, which is its action's number as well
Outer: TypeAlias = int  # an outer pile, 0..11, INNER less than its action's number
Edition: TypeAlias = int  # an index into EDITIONS

CENTRE = 4
STRONGEST = 20  # a royal beyond this can never fall
#: What a royal's fall pays: the float32 just below 1/12, so that no win adds up to more than 2.
ROYAL = np.nextafter(np.float32(1 / 12), np.float32(0))

# --- cards and table -----------------------------------------------------------------------------

#: By card; the last index stands for NONE.
VALUE = np.array(c.VALUE, np.int8)
SUIT = np.array(c.SUIT, np.int8)

#: The inner pile that each outer pile borders.
BORDERS = np.array(c.BORDERS, np.int8)

# --- deal ----------------------------------------------------------------------------------------


@kernel
def shuffle(state: State) -> None:
    """A shuffled deck in `draw`: 53 cards in the digital editions, 54 in the rule book."""
    count = c.CARDS if state.edition == c.RULEBOOK else c.CARDS - 1
    for at in range(c.RING):
        state.draw[at] = at if at < count else 0
    dice.shuffle(state, state.draw, 0, count)


@kernel
def start(state: State) -> None:
    """Lay out the deck that lies in `draw`, first card first, and begin."""
    clear_table(state)
    count = c.CARDS if state.edition == c.RULEBOOK else c.CARDS - 1
    at, set_aside = 0, 0
    for inner in range(c.INNER):
        if inner == CENTRE:
            continue
        while VALUE[state.draw[at]] > 10:
            set_aside += 1
            at += 1
        stack(state, inner, state.draw[at])
        at += 1
    # The set-aside court cards go back on top in the order drawn: close them up, last one first.
    write = at
    for read in range(at - 1, -1, -1):
        if VALUE[state.draw[read]] > 10:
            write -= 1
            state.draw[write] = state.draw[read]
    state.draw[:write] = 0
    state.head = write
    state.left = count - write
    state.known_first = set_aside
    state.known_last = 0
    for later in range(at, count):
        state.unseen[state.draw[later]] = 1
    turn_face_up(state)


@kernel
def clear_table(state: State) -> None:
    state.unseen[:] = 0
    state.place[:] = 0
    state.height[:] = 0
    state.below[:] = c.NONE
    state.top[:] = c.NONE
    state.top_value[:] = -1
    state.depth[:] = 0
    state.royal[:] = c.NONE
    state.ice[:] = 0
    state.dead[:] = 0
    state.killed = 0


@kernel
def stack(state: State, inner: Inner, card: Card) -> None:
    state.below[card] = state.top[inner]
    state.top[inner] = card
    state.top_value[inner] = VALUE[card]
    state.depth[inner] += 1
    state.place[card] = 1 + inner
    state.height[card] = state.depth[inner]


# --- turn ----------------------------------------------------------------------------------------


@kernel
def face_up(state: State) -> Card:
    """The card to play, or NONE."""
    if state.left == 0:
        return np.int8(c.NONE)  # type: ignore[return-value]  # as narrow as a card of the record
    return state.draw[state.head]


@kernel
def legal(state: State, mask: Mask) -> int:
    """The piles that the face-up card may be played to, and how many they are."""
    card = face_up(state)
    value = VALUE[card]
    if value > 10:
        return court_card_piles(state, card, mask)
    if value > 1:
        return number_card_piles(state, card, mask)
    if value == 0:
        return lowest_piles(state, mask)
    mask[: c.INNER] = 1  # an ace resets any pile
    return c.INNER


@kernel
def act(state: State, action: Action) -> None:
    """Play the face-up card to pile *action*, which must be legal."""
    card = take_face_up(state)
    black_ice = False
    if action < c.INNER:
        if VALUE[card] <= 1:
            reset_pile(state, action)
        stack(state, action, card)
        fallen = overload(state, action)
        if state.reward_mode == PER_ROYAL and fallen > 0:
            state.reward[0] = np.float32(fallen * ROYAL)
    else:
        outer = action - c.INNER
        if VALUE[card] > 10:
            state.royal[outer] = card
        else:
            state.ice[outer] += VALUE[card]
        state.place[card] = 1 + action
        black_ice = state.royal[outer] != c.NONE and strength(state, outer) > STRONGEST
    turn_face_up(state)
    end_of_move(state, black_ice)


@kernel
def take_face_up(state: State) -> Card:
    card = state.draw[state.head]
    state.draw[state.head] = 0  # equal positions are equal bytes
    state.head = (state.head + 1) & (c.RING - 1)
    state.left -= 1
    state.known_first -= 1
    return card


@kernel
def turn_face_up(state: State) -> None:
    """The top card of the draw pile is always face up."""
    if state.left == 0 or state.known_first > 0:
        return
    if state.left > state.known_last:
        state.known_first = 1
        state.unseen[state.draw[state.head]] = 0
    else:  # nothing unseen is left: the rest was seen being returned
        state.known_first = state.known_last
        state.known_last = 0


# --- turn: a court card --------------------------------------------------------------------------

#: KINSHIP[edition, card, other]; the last index of a card stands for NONE.
KINSHIP = np.array(
    [
        [
            [c.kinship(e, card, other) for other in (*range(c.CARDS), c.NONE)]
            for card in range(c.JOKER)
        ]
        for e in range(3)
    ],
    np.int8,
)


@kernel
def court_card_piles(state: State, card: Card, mask: Mask) -> int:
    """Empty outer piles beside the best inner pile: same suit, else colour, else any; highest."""
    best = 0
    for outer in range(c.OUTER):
        beside = BORDERS[outer]
        # An empty inner pile counts as value 0 (M1). Rank 0: the outer pile is taken.
        rank = 1 + max(state.top_value[beside], 0)
        rank += 16 * KINSHIP[state.edition, card, state.top[beside]]
        rank *= state.royal[outer] == c.NONE
        best = max(best, rank)
        mask[c.INNER + outer] = rank
    return keep_best(mask, best)


@kernel
def keep_best(mask: Mask, best: int) -> int:
    """Turn ranks noted in the outer piles' places of the mask into 1 for the best, else 0."""
    count = 0
    for action in range(c.INNER, c.ACTIONS):
        legal = best > 0 and mask[action] == best
        mask[action] = legal
        count += legal
    return count


# --- turn: a number card -------------------------------------------------------------------------


@kernel
def number_card_piles(state: State, card: Card, mask: Mask) -> int:
    count = 0
    for inner in range(c.INNER):
        fits = state.top_value[inner] <= VALUE[card]
        mask[inner] = fits
        count += fits
    if count > 0:
        return count
    if state.edition == c.RULEBOOK:
        return most_similar_royals(state, card, mask)
    for outer in range(c.OUTER):  # any living royal whose strength stays within 20
        able = bears(state, outer, card)
        mask[c.INNER + outer] = able
        count += able
    return count


@kernel
def fits_inside(state: State, card: Card) -> bool:
    """Whether a number card has an inner pile: an empty one, or a top card that is not higher."""
    lowest = state.top_value[0]
    for inner in range(1, c.INNER):
        lowest = min(lowest, state.top_value[inner])
    return lowest <= VALUE[card]


@kernel
def living(state: State, outer: Outer) -> bool:
    return state.royal[outer] != c.NONE and state.dead[outer] == 0


@kernel
def strength(state: State, outer: Outer) -> int:
    """11, 12 or 13 and the ICE; of an empty pile the ICE alone."""
    return max(VALUE[state.royal[outer]], 0) + state.ice[outer]


@kernel
def bears(state: State, outer: Outer, card: Card) -> bool:
    """Digital editions: whether the living royal's strength would stay within 20."""
    return living(state, outer) and strength(state, outer) + VALUE[card] <= STRONGEST


@kernel
def most_similar_royals(state: State, card: Card, mask: Mask) -> int:
    """Rule book: the royal of the same suit, else colour, else any; the one closest in strength.

    Without a living royal the card becomes preventative ICE, placed like a court card.
    """
    best = 0
    for outer in range(c.OUTER):
        rank = 0
        if living(state, outer):
            distance = strength(state, outer) - VALUE[card]
            rank = 32 * (1 + KINSHIP[state.edition, card, state.royal[outer]]) - distance
            best = max(best, rank)
        mask[c.INNER + outer] = rank
    if best > 0:
        return keep_best(mask, best)
    return court_card_piles(state, card, mask)


# --- turn: an ace, a joker -----------------------------------------------------------------------


@kernel
def reset_pile(state: State, inner: Inner) -> None:
    """The pile goes to the bottom of the draw pile, its top card first."""
    card = state.top[inner]
    while card != c.NONE:
        under = state.below[card]
        state.draw[(state.head + state.left) & (c.RING - 1)] = card
        state.left += 1
        state.known_last += 1
        state.place[card] = 0
        state.height[card] = 0
        state.below[card] = c.NONE
        card = under
    state.top[inner] = c.NONE
    state.top_value[inner] = -1
    state.depth[inner] = 0


@kernel
def lowest_piles(state: State, mask: Mask) -> int:
    """Where a joker goes: the lowest top card; only the rule book counts an empty pile, as 0."""
    empty_counts = state.edition == c.RULEBOOK
    lowest = 99
    for inner in range(c.INNER):
        value = state.top_value[inner]
        if value >= 0 or empty_counts:
            lowest = min(lowest, max(value, 0))
    count = 0
    for inner in range(c.INNER):
        value = state.top_value[inner]
        # Ruling M3: if every pile is empty (lowest is still 99), any will do.
        low = lowest == 99 or (value == -1 and empty_counts) or value == lowest
        mask[inner] = low
        count += low
    return count


# --- attack --------------------------------------------------------------------------------------

#: LINES[pile] = up to two lines across the matrix: two attackers and the outer pile behind them.
LINES = np.array(c.LINES, np.int8)


@kernel
def overload(state: State, inner: Inner) -> int:
    """A card was laid on *inner*: every line from there to a living royal attacks it."""
    fallen = 0
    for line in range(2):
        first, second, outer = LINES[inner, line]
        if outer == c.NONE:
            break
        royal = state.royal[outer]
        # An empty pile counts -1: with one card, at most 10, it is never enough.
        power = state.top_value[first] + state.top_value[second]
        enough = power >= VALUE[royal] + state.ice[outer]
        if not (enough & (royal != c.NONE) & (state.dead[outer] == 0)):
            continue
        if matches(state.edition, royal, state.top[first]) and matches(
            state.edition, royal, state.top[second]
        ):
            state.dead[outer] = 1
            state.killed += 1
            fallen += 1
    return fallen


@kernel
def matches(edition: Edition, royal: Card, card: Card) -> bool:
    """Whether *card* may attack *royal*: a queen wants her colour, a king his suit."""
    if VALUE[royal] == 11:
        return True
    if card >= c.JOKER:
        return edition == c.RULEBOOK
    if VALUE[royal] == 12:
        return SUIT[card] & 1 == SUIT[royal] & 1
    return SUIT[card] == SUIT[royal]


# --- end -----------------------------------------------------------------------------------------


@kernel
def end_of_move(state: State, black_ice: bool) -> None:
    """Won before lost, lost before the limit of moves."""
    if state.killed == c.OUTER:
        state.reward[0] += np.float32(1.0)
        end(state, c.WON)
    elif black_ice:
        end(state, c.BLACK_ICE)
    elif state.left == 0:
        end(state, c.DRAW_PILE_EMPTY)
    elif not has_legal_pile(state):
        end(state, c.NO_LEGAL_PILE)
    elif state.decisions >= state.max_steps and state.stall == LOSE:
        end(state, c.STALLED)
    elif state.decisions >= state.max_steps:
        state.truncated = 1
        state.reason = c.MAX_STEPS
        state.mover = NOBODY


@kernel
def has_legal_pile(state: State) -> bool:
    """Whether the face-up card can be played. Only a digital number card can be stuck."""
    card = face_up(state)
    stuck = 2 <= VALUE[card] <= 10 and state.edition != c.RULEBOOK and not fits_inside(state, card)
    if not stuck:
        return True
    for outer in range(c.OUTER):
        if bears(state, outer, card):
            return True
    return False


# --- what you know -------------------------------------------------------------------------------


#: LAYING_ORDER[edition] = all cards, those that look alike in this edition side by side.
LAYING_ORDER = np.array(
    [
        sorted(range(c.CARDS), key=lambda card: (VALUE[card], c.shown_suits(e, card)))
        for e in range(3)
    ],
    np.int8,
)


@kernel
def resample(state: State, seat: Seat) -> None:
    """Shuffle the unseen stretch of the draw pile: all that the player does not know."""
    first = (state.head + state.known_first) & (c.RING - 1)
    count = 0
    # Laid in order before, so that nothing of the old order is left; lookalikes side by side, so
    # that it does not matter either which of them are unseen.
    for card in LAYING_ORDER[state.edition]:
        if state.unseen[card] == 1:
            state.draw[(first + count) & (c.RING - 1)] = card
            count += 1
    dice.shuffle(state, state.draw, first, count)
