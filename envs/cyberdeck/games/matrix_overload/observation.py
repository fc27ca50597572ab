"""MATR1X 0VERL0AD: what the player sees, as one flat int8 vector of named features."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.engine.features import offsets
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, int64, kernel
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.games.matrix_overload import rules
from cyberdeck.games.matrix_overload.heuristic import FAR, MIDDLE, TALLEST, height
from cyberdeck.games.matrix_overload.rules import SUIT, VALUE, Card, Edition, Outer

At: TypeAlias = int  # a place in the observation
Counts: TypeAlias = int  # a word of counts by value, see SUMS
Sums: TypeAlias = int  # the same, of cards of each value or more
Suits: TypeAlias = tuple[Sums, Sums, Sums, Sums]  # of each suit

LOW = 40  # aces and number cards
LIMIT = 127
MANY = 10  # chances are counted up to this: whether there are few of them matters more

PIECES = (
    Feature("top_value", (9,), -1, 10, "value of each inner pile's top card; joker 0, empty -1"),
    Feature("top_suit", (9, 4), 0, 1, "its suit, one-hot (clubs, hearts, spades, diamonds)"),
    Feature("depth", (9,), 0, c.CARDS, "cards in each inner pile"),
    Feature("royal_value", (12,), 0, 13, "11, 12 or 13 on each outer pile; 0 without a royal"),
    Feature(
        "royal_suit",
        (12, 4),
        0,
        1,
        "the suits that the royal may have, as far as its edition shows: one, "
        "in `firewall` both of a 12's colour, none of an 11",
    ),
    Feature("royal_dead", (12,), 0, 1, "1 for a royal that is face down"),
    Feature("ice", (12,), 0, 100, "ICE on each outer pile (100: that or more)"),
    Feature("card_value", (1,), -1, 13, "value of the face-up card; -1 if there is none"),
    Feature("card_suit", (4,), 0, 1, "its suit, shown as for royals"),
    Feature("draw_pile", (1,), 0, c.CARDS, "cards in the draw pile, the face-up card included"),
    Feature(
        "unseen",
        (c.CARDS,),
        0,
        1,
        "1 for each card (by id) among the unseen ones of the draw pile",
    ),
    Feature(
        "draw_order",
        (c.CARDS,),
        0,
        c.CARDS,
        "for each card whose place in the draw pile is known: 1 face up, 2 next, ...; else 0",
    ),
    Feature("pile", (c.CARDS,), 0, c.INNER, "for each card: 1 + the inner pile it lies in, or 0"),
    Feature(
        "height", (c.CARDS,), 0, c.CARDS, "for each card: its height in that pile, 1 the lowest"
    ),
    Feature("steps_left", (1,), 0, LIMIT, "moves until `max_steps`; 127 if there are more"),
)

#: What follows from these, so that a network need not learn to count.
COUNTED = (
    Feature("coming", (14,), 0, 4, "how many cards of each value from 0 to 13 are to come"),
    Feature("fitting", (9,), 0, LOW, "how many aces and numbers to come fit on each inner pile"),
    Feature(
        "placeable",
        (10,),
        0,
        LOW,
        "how many aces and numbers to come fit on some inner pile: as the matrix is, and with the "
        "face-up card on each inner pile",
    ),
    Feature(
        "attackers",
        (12, 2),
        0,
        TALLEST,
        "values of the two cards that attack each living royal, the one beside it first; 0 for "
        "one that does not suit it",
    ),
    Feature("ready", (12,), 0, 1, "1 if they suffice: any card laid on the far side kills it"),
    Feature("falls", (9,), 0, 2, "how many royals fall to a card laid on each inner pile"),
    Feature("suits", (12,), 0, 1, "1 if the face-up card may attack the royal"),
    Feature(
        "ready_after",
        (12, 2),
        0,
        1,
        "1 if they would suffice with the face-up card in the place of the one beside the royal, "
        "or of the other; if it fits on no inner pile, with it as AT.ice of the royal",
    ),
    Feature(
        "chances",
        (12, 2),
        0,
        MANY,
        "how many cards to come would make the attackers suffice, laid in the place of the one "
        "beside the royal, or of the other (10: so many or more)",
    ),
    Feature(
        "chances_after",
        (12, 2),
        0,
        MANY,
        "the same with the face-up card in the one place, for the cards to come in the other; "
        "if it fits on no inner pile, `chances` with it as AT.ice of the royal",
    ),
)

METRICS = (
    Metric("royals_killed", "royals that have fallen, 0 to 12"),
    Metric("cards_left", "cards in the draw pile, the face-up card included"),
)

AT = offsets(PIECES + COUNTED)

#: Counts of cards by value lie side by side in one word, so many bits each. Times SUMS, each
#: becomes the sum of those up to it: the number of cards of that value or more.
WIDTH = 6
SUMS = sum(1 << WIDTH * at for at in range(TALLEST))
EACH = (1 << WIDTH) - 1

#: RIVALS[royal] = 1 for each suit whose cards may attack it; ATTACK[edition, royal, card] = the
#: card's value if it may attack the royal, else -1. The last index stands for NONE.
RIVALS = np.zeros((c.CARDS + 1, 4), np.int64)
ATTACK = np.full((3, c.CARDS + 1, c.CARDS + 1), -1, np.int8)

for _royal in range(c.JOKER):
    _strength, _suit = VALUE[_royal], SUIT[_royal]
    _rivals = {11: [0, 1, 2, 3], 12: [_suit, _suit ^ 2], 13: [_suit]}.get(_strength, [])
    RIVALS[_royal, _rivals] = 1
    for _card in range(c.JOKER):
        if SUIT[_card] in _rivals:
            ATTACK[:, _royal, _card] = VALUE[_card]
    if _rivals:  # a joker suits every jack; in the rule book it is wild
        ATTACK[c.RULEBOOK, _royal, c.JOKER : c.CARDS] = 0
    if _strength == 11:
        ATTACK[:, _royal, c.JOKER : c.CARDS] = 0

ELEVEN = 10  # index of the 11 within its suit
TWELVE = 11


def features(options: Options) -> tuple[Feature, ...]:
    """The layout: the counts come after the cards, if they are shown."""
    return PIECES + COUNTED if options["observation"] == "counted" else PIECES


#: SHOWN[edition, card] = which suits the face of the card allows, as 0/1 (ruling M2).
SHOWN = np.zeros((3, c.RING, 4), np.int8)  # NONE & (RING - 1) is the last row: no suit
for _edition in range(3):
    for _card in range(c.JOKER):
        SHOWN[_edition, _card, c.shown_suits(_edition, _card)] = 1


@kernel
def show_suit(edition: Edition, card: Card, out: Vector, at: At) -> None:
    for suit in range(4):
        out[index(at + suit)] = SHOWN[index(edition), index(card & (c.RING - 1)), suit]


@kernel
def order_of(state: State, card: Card, place: int, out: Vector) -> None:
    """Note that *card* is the place-th to be drawn.

    Court cards that look alike in `firewall` must not tell their suits: the first in sight takes
    the first id of its kind, and so on. The unseen ones take the next.
    """
    at = int64(card)
    if state.edition == c.FIREWALL:
        if VALUE[card] == 11:
            at = ELEVEN
            while out[AT.draw_order + at] != 0:
                at += 13
        elif VALUE[card] == 12:
            at = TWELVE + 13 * (SUIT[card] & 1)
            if out[AT.draw_order + at] != 0:
                at += 26
    out[AT.draw_order + at] = place


@kernel
def merge_lookalikes(first: Card, step: int, kinds: int, out: Vector) -> None:
    """`firewall`: the unseen cards of a kind take the first ids that ``order_of`` has left free."""
    known, unseen = 0, 0
    for number in range(kinds):
        card = first + step * number
        known += out[AT.draw_order + card] != 0
        unseen += out[AT.unseen + card]
    for number in range(kinds):
        out[AT.unseen + first + step * number] = known <= number < known + unseen


@kernel
def observe(state: State, seat: Seat, out: Vector) -> None:
    for inner in range(c.INNER):
        card = state.top[inner]
        out[AT.top_value + inner] = state.top_value[inner]
        show_suit(state.edition, card, out, AT.top_suit + 4 * inner)
        out[AT.depth + inner] = state.depth[inner]
    for outer in range(c.OUTER):
        card = state.royal[outer]
        out[AT.royal_value + outer] = max(VALUE[card], 0)
        show_suit(state.edition, card, out, AT.royal_suit + 4 * outer)
        out[AT.royal_dead + outer] = state.dead[outer]
        out[AT.ice + outer] = min(state.ice[outer], 100)
    card = rules.face_up(state)
    out[AT.card_value] = VALUE[card]
    show_suit(state.edition, card, out, AT.card_suit)
    out[AT.draw_pile] = state.left
    for card in range(c.CARDS):
        out[AT.unseen + card] = state.unseen[card]
        place = state.place[card]
        out[AT.pile + card] = place if place <= c.INNER else 0
        out[AT.height + card] = state.height[card]
    for place in range(state.known_first):
        card = state.draw[index((state.head + place) & (c.RING - 1))]
        order_of(state, card, place + 1, out)
    if state.edition == c.FIREWALL:
        merge_lookalikes(ELEVEN, 13, 4, out)
        merge_lookalikes(TWELVE, 26, 2, out)
        merge_lookalikes(TWELVE + 13, 26, 2, out)
    for place in range(state.left - state.known_last, state.left):  # no court cards return
        card = state.draw[index((state.head + place) & (c.RING - 1))]
        out[index(AT.draw_order + card)] = place + 1
    out[AT.steps_left] = min(state.max_steps - state.decisions, LIMIT)
    if state.counted:
        show_what_follows(state, out)


@kernel
def counts_of(state: State, suit: int) -> Counts:
    """A word of how many aces and numbers of a suit are to come: WIDTH bits a value, 10 lowest."""
    counts = int64(0)
    for value in range(1, TALLEST + 1):
        waits = int64(state.place[13 * suit + value - 1] == 0)
        counts |= waits << WIDTH * (TALLEST - value)
    card = rules.face_up(state)
    if SUIT[card] == suit and VALUE[card] <= TALLEST:
        counts &= ~(int64(1) << WIDTH * (TALLEST - int64(VALUE[card])))
    return counts


@kernel
def at_least(sums: Sums, value: int) -> int:
    """How many cards have the value, or more, by a word of sums."""
    value = min(max(value, 1), TALLEST + 1)
    return (sums >> WIDTH * max(TALLEST - value, 0) & EACH) * (value <= TALLEST)


@kernel
def fit_on(sums: Sums, top: int) -> int:
    """How many cards fit on an inner pile *top* high: an ace always does."""
    aces = at_least(sums, 1) - at_least(sums, 2)
    return at_least(sums, top) + aces * (top > 1)


@kernel
def chances(foes: Sums, strength: int, other: int, top: int) -> int:
    """How many *foes* kill the royal together with the *other* attacker, laid on a pile."""
    lacking = strength - other
    aces = at_least(foes, 1) - at_least(foes, 2)
    fit = at_least(foes, max(lacking, top))
    return min(fit + aces * (lacking <= 1 and top > 1), MANY) * (other >= 0)


@kernel
def attack(edition: Edition, royal: Card, card: Card) -> int:
    """The value of *card* against *royal*, or -1 if it may not attack or there is none."""
    return int64(ATTACK[edition, royal, card])


@kernel
def suffice(first: int, second: int, strength: int) -> bool:
    """Whether two attackers, each a value or -1 for one that may not attack, kill the royal."""
    return (first >= 0) & (second >= 0) & (first + second >= strength)


@kernel
def show_what_follows(state: State, out: Vector) -> None:
    """What the player could count out: the cards to come, and what they could do."""
    clubs, hearts = counts_of(state, 0), counts_of(state, 1)
    spades, diamonds = counts_of(state, 2), counts_of(state, 3)
    counts = clubs + hearts + spades + diamonds
    for value in range(1, TALLEST + 1):
        out[AT.coming + value] = counts >> WIDTH * (TALLEST - value) & EACH
    card = rules.face_up(state)
    for value in range(TALLEST + 1, 14):
        count = -int64(VALUE[card] == value)
        for suit in range(4):
            count += state.place[13 * suit + value - 1] == 0
        out[AT.coming + value] = count
    out[AT.coming] = (state.place[c.JOKER] == 0) - (VALUE[card] == 0)
    if state.edition == c.RULEBOOK:
        out[AT.coming] += state.place[c.JOKER + 1] == 0
    show_room(state, counts * SUMS, out)
    suits = (clubs * SUMS, hearts * SUMS, spades * SUMS, diamonds * SUMS)
    as_ice = 2 <= VALUE[card] <= TALLEST and not rules.fits_inside(state, card)
    for outer in range(c.OUTER):
        show_attack(state, outer, card, suits, as_ice, out)


@kernel
def show_room(state: State, sums: Sums, out: Vector) -> None:
    """How many of the cards to come have a place in the matrix."""
    card = rules.face_up(state)
    lowest = TALLEST
    next_lowest = TALLEST
    for inner in range(c.INNER):
        top = height(state.top[inner])
        out[AT.fitting + inner] = fit_on(sums, top)
        next_lowest = min(next_lowest, max(lowest, top))
        lowest = min(lowest, top)
    out[AT.placeable] = fit_on(sums, lowest)
    for inner in range(c.INNER):
        after = lowest
        if VALUE[card] <= TALLEST:
            others = next_lowest if height(state.top[inner]) == lowest else lowest
            after = min(others, height(card))
        out[AT.placeable + 1 + inner] = fit_on(sums, after)


@kernel
def show_attack(
    state: State, outer: Outer, card: Card, suits: Suits, as_ice: bool, out: Vector
) -> None:
    """What attacks the royal of an outer pile now, and once the face-up card is played."""
    at = 2 * outer
    royal = state.royal[outer]
    if royal == c.NONE and VALUE[card] > TALLEST:
        royal = card
    if royal == c.NONE or state.dead[outer] == 1:
        return
    rivals = RIVALS[royal]
    foes = suits[0] * rivals[0] + suits[1] * rivals[1] + suits[2] * rivals[2] + suits[3] * rivals[3]
    strength = int64(VALUE[royal]) + int64(state.ice[outer])
    beside, behind = state.top[rules.BORDERS[outer]], state.top[MIDDLE[outer]]
    first, second = attack(state.edition, royal, beside), attack(state.edition, royal, behind)
    out[AT.attackers + at] = max(first, 0)
    out[AT.attackers + at + 1] = max(second, 0)
    out[AT.ready + outer] = suffice(first, second, strength)
    out[AT.chances + at] = chances(foes, strength, second, height(beside))
    out[AT.chances + at + 1] = chances(foes, strength, first, height(behind))
    if state.royal[outer] != c.NONE:
        out[AT.falls + FAR[outer]] += out[AT.ready + outer]
    if VALUE[card] > TALLEST:
        return
    own = attack(state.edition, royal, card)
    out[AT.suits + outer] = own >= 0
    if as_ice:
        strength += VALUE[card]
        out[AT.ready_after + at] = suffice(first, second, strength)
        out[AT.ready_after + at + 1] = out[AT.ready_after + at]
        out[AT.chances_after + at] = chances(foes, strength, second, height(beside))
        out[AT.chances_after + at + 1] = chances(foes, strength, first, height(behind))
    else:
        out[AT.ready_after + at] = suffice(own, second, strength)
        out[AT.ready_after + at + 1] = suffice(first, own, strength)
        out[AT.chances_after + at] = chances(foes, strength, own, height(behind))
        out[AT.chances_after + at + 1] = chances(foes, strength, own, height(beside))


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    out[0] = state.killed
    out[1] = state.left
