"""A built-in player for MATR1X 0VERL0AD: it weighs the position that each legal move leads to.

It knows which cards the draw pile still holds, as the player does by counting, and never looks
at their order. A set of aces and number cards is one 64-bit word, 16 bits to a suit: how many
cards could do a thing is then a mask and a count of bits. The record is only read, and nothing
is allocated.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Action, Mask, RandomBits, State, int64, kernel
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.games.matrix_overload import rules
from cyberdeck.games.matrix_overload.rules import VALUE, Card, Edition, Inner, Outer

# Found by an evolution strategy over deals of all three editions; KILL sets the scale.
KILL = 15.0  # a royal falls now
READY = 14.1  # the attackers of a living royal suffice: the next card beyond them kills it
CHANCE = 4.2  # times the root of the share of the coming cards that would make them suffice
STOCK = 1.5  # times the root of the number of those cards
PART = 2.8  # times the share of a royal's strength that its fit attackers have now
CLIMB = 0.25  # for each point of height of each pile: attacks need some
STEEP = -0.065  # for the square of each pile's height: high piles take few cards
TRIGGER = -0.36  # for each point of height of a pile that must be hit to attack, per royal's place
STUCK = -31.0  # times the share of the coming cards that would fit no inner pile
RETURNED = 0.74  # for each card that a reset returns to the draw pile
RELIEF = 1.95  # for each point of height that a reset takes away

Cards: TypeAlias = int  # a set of aces and number cards, 16 bits to a suit

TALLEST = 10

#: Words of one suit's cards, and of one colour's.
_SUITS = [0x3FFE << 16 * suit for suit in range(4)]
_COLOURS = [_SUITS[0] | _SUITS[2], _SUITS[1] | _SUITS[3]]

#: A card's bit. Jokers and court cards have none: they complete no attack.
BIT = np.zeros(c.CARDS + 1, np.int64)

#: The cards that may attack a court card.
FOES = np.zeros(c.CARDS + 1, np.int64)

for _suit in range(4):
    for _value in range(1, TALLEST + 1):
        BIT[13 * _suit + _value - 1] = 1 << 16 * _suit + _value
    FOES[13 * _suit + 10] = _COLOURS[0] | _COLOURS[1]  # a jack: any
    FOES[13 * _suit + 11] = _COLOURS[_suit & 1]
    FOES[13 * _suit + 12] = _SUITS[_suit]

#: AT_LEAST[v]: the aces and number cards of value v or more.
AT_LEAST = np.array(
    [sum(1 << 16 * s + v for s in range(4) for v in range(low, TALLEST + 1)) for low in range(12)],
    np.int64,
)

#: By outer pile: the second attacker (the first is what it borders), and the pile to be hit.
MIDDLE = np.zeros(c.OUTER, np.int64)
FAR = np.zeros(c.OUTER, np.int64)

for _inner in range(c.INNER):
    for _middle, _, _outer in rules.LINES[_inner]:
        if _outer != c.NONE:
            MIDDLE[_outer] = _middle
            FAR[_outer] = _inner


@kernel
def number_of(cards: Cards) -> int:
    """How many cards a word holds: its bits, added in ever wider fields."""
    cards -= cards >> 1 & 0x5555555555555555
    cards = (cards & 0x3333333333333333) + (cards >> 2 & 0x3333333333333333)
    cards = (cards + (cards >> 4)) & 0x0F0F0F0F0F0F0F0F
    cards += cards >> 8
    cards += cards >> 16
    return (cards + (cards >> 32)) & 0x7F


@kernel
def to_come(state: State) -> Cards:
    """The cards of the draw pile under the face-up one: which, not in what order."""
    cards = 0
    for card in range(c.CARDS):
        if state.place[card] == 0:
            cards |= BIT[card]
    return cards & ~BIT[rules.face_up(state)]


@kernel
def pile(state: State, inner: Inner) -> Cards:
    cards = 0
    card = state.top[inner]
    while card != c.NONE:
        cards |= BIT[card]
        card = state.below[card]
    return cards


@kernel
def top_after(state: State, inner: Inner, action: Action, card: Card) -> Card:
    return card if inner == action else state.top[inner]


@kernel
def height(card: Card) -> int:
    return max(int64(VALUE[card]), 0)


@kernel
def attack(edition: Edition, royal: Card, card: Card) -> int:
    """The value of *card* against *royal*, or -1 if it may not attack or there is none."""
    return int64(VALUE[card]) if rules.matches(edition, royal, card) else -1


@kernel
def completing(foes: Cards, lacking: int, top: Card) -> int:
    """How many of the *foes* have the value *lacking*, or more, and fit on *top*."""
    return number_of(foes & AT_LEAST[min(max(lacking, height(top)), TALLEST + 1)])


@kernel
def value_at(
    state: State, outer: Outer, action: Action, card: Card, coming: Cards, count: int
) -> float:
    """What the outer pile promises, or yields, once *card* was played to pile *action*."""
    value = TRIGGER * height(top_after(state, FAR[outer], action, card))
    royal = state.royal[outer]
    ice = int64(state.ice[outer])
    if action == c.INNER + outer:
        if VALUE[card] > TALLEST:
            royal = card
        else:
            ice += VALUE[card]
    if royal == c.NONE:
        return value
    strength = VALUE[royal] + ice
    near = top_after(state, rules.BORDERS[outer], action, card)
    middle = top_after(state, MIDDLE[outer], action, card)
    first = attack(state.edition, royal, near)
    second = attack(state.edition, royal, middle)
    if first >= 0 and second >= 0 and first + second >= strength:
        return KILL if FAR[outer] == action else value + READY
    foes = coming & FOES[royal]
    fit = 0
    if second >= 0:
        fit += completing(foes, strength - second, near)
    if first >= 0:
        fit += completing(foes, strength - first, middle)
    value += CHANCE * np.sqrt(fit / count) + STOCK * np.sqrt(fit)
    return value + PART * (max(first, 0) + max(second, 0)) / strength


@kernel
def value_of_piles(state: State, action: Action, card: Card, coming: Cards, count: int) -> float:
    """What the heights of the inner piles are worth once *card* was played to pile *action*."""
    value = 0.0
    lowest = TALLEST
    for inner in range(c.INNER):
        high = height(top_after(state, inner, action, card))
        value += CLIMB * high + STEEP * high * high
        lowest = min(lowest, high)
    fitting = AT_LEAST[lowest] | ~AT_LEAST[2]  # an ace fits always
    return value + STUCK * number_of(coming & ~fitting) / count


@kernel
def value_after(state: State, action: Action, card: Card, coming: Cards) -> float:
    """What the position is worth once *card* was played to pile *action*."""
    value = 0.0
    count = int64(state.left) - 1
    if action < c.INNER and VALUE[card] <= 1:
        coming |= pile(state, action)
        count += state.depth[action]
        value = RETURNED * state.depth[action] + RELIEF * height(state.top[action])
    count = max(count, int64(1))
    value += value_of_piles(state, action, card, coming, count)
    for outer in range(c.OUTER):
        if state.dead[outer] == 0:
            value += value_at(state, outer, action, card, coming, count)
    return value


@kernel
def heuristic(state: State, mask: Mask, random_bits: RandomBits) -> Action:
    """The legal action that leads to the best position; *random_bits* choose among equals."""
    card = rules.face_up(state)
    coming = to_come(state)
    chosen = -1
    best = 0.0
    ties = 0
    for action in range(c.ACTIONS):
        if mask[action] == 0:
            continue
        value = value_after(state, action, card, coming)
        if ties == 0 or value > best:
            best = value
            chosen = action
            ties = 1
        elif value == best:
            ties += 1
            random_bits = dice.mixed(random_bits)
            if dice.scaled(random_bits, ties) == 0:  # each of n equals stays 1 in n times
                chosen = action
    return chosen
