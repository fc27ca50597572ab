"""What has happened between two records of MATR1X 0VERL0AD, read off them."""

from __future__ import annotations

from dataclasses import dataclass

from cyberdeck.common.text import counted
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views.matrix_overload.cards import Face, face, pile_of, strength
from cyberdeck.views.record import Record
from cyberdeck.views.view import Between, Event, Viewer


@dataclass(frozen=True, kw_only=True)
class Laid(Event):
    """A card was laid on a pile; an ace or a joker sent so many to the bottom of the draw pile."""

    card: Face
    pile: int
    returned: int


@dataclass(frozen=True, kw_only=True)
class Iced(Event):
    """Cards were laid as ICE on an outer pile: so much has come to what lay there."""

    cards: tuple[Face, ...]
    pile: int
    come: int


@dataclass(frozen=True, kw_only=True)
class Fell(Event):
    """A royal fell: to the top cards of these piles, the nearer one last, when a card was laid on
    another. None are told if more has happened since.
    """

    royal: Face
    pile: int
    attackers: tuple[int, ...]
    sum: str
    """What they add up to: "3+10=13"."""
    laid: int


def story(before: Record, after: Record, viewer: Viewer, between: Between) -> list[Event]:
    """What has been laid where, in the order of the piles if that of the decisions is not known;
    and what has fallen.
    """
    turns = {pile: turn for turn, (_, pile) in enumerate(between.decisions or ())}
    told: list[Event] = []
    for pile in sorted(range(c.ACTIONS), key=lambda pile: turns.get(pile, 0)):
        told += (_inside if pile < c.INNER else _outside)(before, after, pile)
    alone = after.decisions - before.decisions == 1
    laid = next((event.pile for event in told if isinstance(event, Laid) and alone), c.NONE)
    fallen = [outer for outer, dead in enumerate(after.dead) if dead > before.dead[outer]]
    return told + [_fallen(after, outer, laid) for outer in fallen]


def _laid(record: Record, card: int, pile: int, returned: int = 0) -> Laid:
    shown = face(record, card)
    words = f"the {shown.name} was laid on pile {pile}"
    if returned:
        words += f", whose {counted(returned, 'card')} went to the bottom"
    return Laid(seat=0, card=shown, pile=pile, returned=returned, words=words)


def _inside(before: Record, after: Record, pile: int) -> list[Event]:
    """What was laid on an inner pile, which may have been reset before."""
    had, cards = (pile_of(record, pile)[::-1] for record in (before, after))
    kept = len(had) if cards[: len(had)] == had else 0
    return [
        _laid(after, card, pile, 0 if kept or place else len(had))
        for place, card in enumerate(cards[kept:])
    ]


def _outside(before: Record, after: Record, pile: int) -> list[Event]:
    """The royal and the ICE that have come to an outer pile."""
    told: list[Event] = []
    outer = pile - c.INNER
    royal, ice, had = after.royal[outer], after.ice[outer], before.ice[outer]
    if royal != before.royal[outer]:
        told.append(_laid(after, royal, pile))
    if ice != had:
        cards = tuple(
            face(after, card)
            for card, place in enumerate(after.place)
            if card != royal and place == 1 + pile != before.place[card]
        )
        names = " and ".join(f"the {card.name}" for card in cards)
        words = f"{names} {'was' if len(cards) == 1 else 'were'} laid as ICE on "
        words += "" if royal == c.NONE else f"the {face(after, royal).name} on "
        words += f"pile {pile}: ICE {had} -> {ice}"
        words += "" if royal == c.NONE else f", strength {strength(after, outer)}"
        told.append(Iced(seat=0, cards=cards, pile=pile, come=ice - had, words=words))
    return told


def _fallen(record: Record, outer: int, laid: int) -> Fell:
    royal, pile = face(record, record.royal[outer]), c.INNER + outer
    lines = () if laid == c.NONE else c.LINES[laid]
    attackers = next((line[:2] for line in lines if line[2] == outer), ())
    words, total = f"the {royal.name} on pile {pile} fell", ""
    if attackers:
        one, two = (record.top_value[inner] for inner in attackers)
        total = f"{one}+{two}={one + two}"
        words += f" to {total}"
    return Fell(
        words=words,
        follows=True,
        royal=royal,
        pile=pile,
        attackers=attackers,
        sum=total,
        laid=laid,
    )
