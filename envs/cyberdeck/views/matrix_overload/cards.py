"""MATR1X 0VERL0AD's cards as their faces show them, and where they lie."""

from __future__ import annotations

from typing import Final, NamedTuple

from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views.record import Record

#: The piles as they lie on the table, from the top; NONE: nothing lies there.
TABLE: Final = (
    (c.NONE, 9, 10, 11, c.NONE),
    (12, 0, 1, 2, 13),
    (14, 3, 4, 5, 15),
    (16, 6, 7, 8, 17),
    (c.NONE, 18, 19, 20, c.NONE),
)

_LETTERS: Final = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}


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
            return f"{c.COLOURS[self.suits[0] & 1]} {self.rank}"
        return f"{_LETTERS.get(self.rank, self.rank)} of {c.SUITS[self.suits[0]]}"

    @property
    def short(self) -> str:
        """In a few characters: "K♥", "12♥♦"."""
        return self.rank + "".join("♣♥♠♦"[suit] for suit in self.suits)


def face(record: Record, card: int) -> Face:
    """What a card of that game shows."""
    value = c.VALUE[card]
    letters = {1: "A"} | ({} if record.edition == c.FIREWALL else {11: "J", 12: "Q", 13: "K"})
    rank = "Joker" if card >= c.JOKER else letters.get(value, str(value))
    return Face(rank, value, c.shown_suits(record.edition, card))


def court(record: Record) -> str:
    """What the edition calls its twelve court cards."""
    return "firewalls" if record.edition == c.FIREWALL else "royals"


def strength(record: Record, outer: int) -> int:
    """Of a royal: its value and its ICE."""
    return int(c.VALUE[record.royal[outer]] + record.ice[outer])


def pile_of(record: Record, inner: int) -> list[int]:
    """The cards of an inner pile, the highest first."""
    cards, card = [], record.top[inner]
    while card != c.NONE:
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
    return [face(record, record.draw[(record.head + at) % c.RING]) for at in places]


def pile_name(pile: int) -> str:
    """A pile by its number, which is the action's: as on the table and in pictures."""
    return f"{'inner' if pile < c.INNER else 'outer'} pile {pile}"
