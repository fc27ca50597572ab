"""MATR1X 0VERL0AD's cards as their faces show them, and where they lie."""

from __future__ import annotations

from typing import Final, NamedTuple

from cyberdeck.games.matrix_overload.constants import (
    FIREWALL,
    INNER,
    JOKER,
    NONE,
    RING,
    SUITS,
    VALUE,
    shown_suits,
)
from cyberdeck.views.record import Record

COURT: Final = {11: "jack", 12: "queen", 13: "king"}
PIPS: Final = "♣♥♠♦"


class Face(NamedTuple):
    """A card as its edition shows it: no more of it is known."""

    rank: str
    """ "A", "2" to "10", "J", "Q" and "K", which are "11", "12" and "13" in `firewall`; "Joker"."""
    value: int
    suits: tuple[int, ...]
    """The suits that it may have: none of a joker, and of an 11."""

    @property
    def name(self) -> str:
        """In words: "king of hearts", "red 12", "11"."""
        if not self.suits:
            return self.rank.lower()
        if len(self.suits) == 2:
            return f"{('black', 'red')[self.suits[0] & 1]} {self.rank}"
        rank = self.rank if self.rank.isdigit() else COURT.get(self.value, "ace")
        return f"{rank} of {SUITS[self.suits[0]]}"

    @property
    def short(self) -> str:
        """In a few characters: "K♥", "12♥♦"."""
        return self.rank + "".join(PIPS[suit] for suit in self.suits)


def face(record: Record, card: int) -> Face:
    """What a card of that game shows."""
    value = VALUE[card]
    if card >= JOKER:
        rank = "Joker"
    elif value == 1 or (value > 10 and record.edition != FIREWALL):
        rank = {1: "A", 11: "J", 12: "Q", 13: "K"}[value]
    else:
        rank = str(value)
    return Face(rank, value, shown_suits(record.edition, card))


def court(record: Record) -> str:
    """What the edition calls its twelve court cards."""
    return "firewalls" if record.edition == FIREWALL else "royals"


def strength(record: Record, outer: int) -> int:
    """Of a royal: its value and its ICE."""
    return int(VALUE[record.royal[outer]] + record.ice[outer])


def pile_of(record: Record, inner: int) -> list[int]:
    """The cards of an inner pile, the highest first."""
    cards, card = [], record.top[inner]
    while card != NONE:
        cards.append(card)
        card = record.below[card]
    return cards


def front(record: Record) -> list[Face]:
    """The cards at the front of the draw pile that the player knows, the face-up one first."""
    return _drawn(record, range(min(record.known_first, record.left)))


def bottom(record: Record) -> list[Face]:
    """The cards at the back of the draw pile that the player saw going there, in order."""
    return _drawn(record, range(record.left - record.known_last, record.left))


def _drawn(record: Record, places: range) -> list[Face]:
    return [face(record, record.draw[(record.head + at) % RING]) for at in places]


def pile_name(pile: int) -> str:
    """A pile by its number, which is the action's: as on the table and in pictures."""
    return f"{'inner' if pile < INNER else 'outer'} pile {pile}"
