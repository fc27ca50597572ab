"""MATR1X 0VERL0AD for people: cards and actions by name, what is to do, how a game ended, and the
table as a page; and what has happened between two records, read off them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from cyberdeck.common.text import counted
from cyberdeck.engine.constants import FORFEIT, RUNNING
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views import view
from cyberdeck.views.record import Record
from cyberdeck.views.view import Cell, Ending, Event, Line, Mask, Page, Panel, Viewer

# --- cards, as their faces show them, and where they lie -----------------------------------------

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


def known_cards(record: Record) -> tuple[list[Face], list[Face]]:
    """The cards of the draw pile that the player knows, in order: at its front, the face-up one
    first; and at its back, where they were seen going.
    """
    places = range(record.left)
    front, back = (
        [face(record, record.draw[(record.head + at) % c.RING]) for at in known]
        for known in (places[: record.known_first], places[record.left - record.known_last :])
    )
    return front, back


def pile_name(pile: int) -> str:
    """A pile by its number, which is the action's: as on the table and in pictures."""
    return f"{'inner' if pile < c.INNER else 'outer'} pile {pile}"


# --- actions -------------------------------------------------------------------------------------


def action_name(record: Record, action: int) -> str:
    """An action in words."""
    if not 0 <= action < c.ACTIONS:
        return f"no pile (piles are 0 to {c.ACTIONS - 1})"
    return f"{_to_play(record).name} on {pile_name(action)}" if record.left else pile_name(action)


def notation(record: Record, action: int) -> str:
    """An action in a few words."""
    return f"{_to_play(record).name} to pile {action}" if record.left else f"pile {action}"


def _to_play(record: Record) -> Face:
    return face(record, record.draw[record.head])


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended."""
    reason, stopped = record.reason, f"stopped after {record.decisions} moves"
    if reason == RUNNING:
        return None
    if reason == c.MAX_STEPS:
        return Ending("Nobody wins", f"Timed out: {stopped}", view.DRAWN)
    if reason == c.WON:
        who = "You win" if viewer else "The player wins"
        return Ending(who, f"MATR1X 0VERL0ADED: all 12 {court(record)} have fallen", view.WON)
    why = {
        c.NO_LEGAL_PILE: f"no pile can take the {_to_play(record).name}",
        c.DRAW_PILE_EMPTY: "the draw pile is empty",
        c.BLACK_ICE: "black ICE, a royal grew stronger than 20",
        FORFEIT: "the game was forfeited",
    }.get(reason, stopped)
    who = "You lose" if viewer else "The player loses"
    return Ending(who, f"Connection lost: {why}", view.LOST)


def _task(record: Record, mask: Mask) -> str:
    """What to do with the card to play, and where it goes."""
    card = _to_play(record)
    lay = f"lay the {card.name}"
    if mask is None:
        return f"play the {card.name}"
    if card.value == 0:
        return f"{lay} on the lowest card: its pile goes to the bottom"
    if card.value == 1:
        return f"{lay} on any pile, which goes to the bottom"
    if any(mask[: c.INNER]):
        return f"{lay} on an empty pile, or on a card that is not higher"
    outers = [outer for outer, legal in enumerate(mask[c.INNER :]) if legal]
    ice = f"the {card.name} fits no inner pile: lay it as ICE"
    if card.value <= 10 and record.edition != c.RULEBOOK:
        return ice
    if card.value <= 10 and any(record.royal[outer] != c.NONE for outer in outers):
        return ice
    # The most alike cards of the matrix decide, and the highest of them.
    played = record.draw[record.head]
    kin = max(c.kinship(record.edition, played, record.top[c.BORDERS[at]]) for at in outers)
    suit = c.SUIT[played]
    kind = ("card", f"{c.COLOURS[suit & 1]} card", c.SUITS[suit].removesuffix("s"))[kin]
    put = lay if card.value > 10 else ice
    return f"{put} beside the highest {kind} with room"


# --- the table -----------------------------------------------------------------------------------


def _cell(record: Record, pile: int) -> Cell:
    """A pile's number and what lies there."""
    if pile == c.NONE:
        return Cell("")
    outer = pile - c.INNER
    marks: list[str] = []
    if outer < 0:
        card, depth = record.top[pile], record.depth[pile]
        text = face(record, card).short if depth else "-"
        if depth > 1:
            text, marks = f"{text} x{depth}", [f"{depth} cards"]
    elif record.dead[outer]:
        card, text, marks = record.royal[outer], "fallen", ["fallen"]
    else:
        card, ice = record.royal[outer], record.ice[outer]
        marks = [f"ICE {ice}"] if ice else []
        short = [f"ICE{ice}"] if ice else []  # in a terminal five columns have to fit
        text = short[0] if ice else "-"
        if card != c.NONE:
            text = " ".join([f"{face(record, card).short}/{strength(record, outer)}", *short])
            marks = [f"strength {strength(record, outer)}", *marks]
    pieces = () if card == c.NONE else (view.Piece(face(record, card).name),)
    # Padded: so the columns keep their places.
    return Cell(f"{pile:>2} {text:<7}", pile_name(pile), pieces, tuple(marks))


def _listed(shown: Sequence[Face]) -> str:
    return " ".join(each.short for each in shown)


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The table: a spectator sees what the player sees."""
    over = ending(record, viewer)
    known, returned = known_cards(record)
    unseen = record.left - len(known) - len(returned)
    if not unseen:  # what went to the bottom comes next
        known, returned = known + returned, []
    at_bottom = f", then at the bottom: {_listed(returned)}" if returned else ""
    under = [
        f"{inner}: {_listed([face(record, card) for card in pile_of(record, inner)[1:]])}"
        for inner in range(c.INNER)
        if record.depth[inner] > 1
    ]
    lines = [
        f"To play: {known[0].name if known else '-'}, next: {_listed(known[1:]) or 'none known'}",
        f"Draw pile: {record.left} with the card to play, {unseen} of them unseen{at_bottom}",
        f"{court(record).capitalize()} fallen: {record.killed} of 12",
        f"Moves: {record.decisions} of {record.max_steps}",
        *([f"Under the top cards: {'; '.join(under)}"] if under else []),
    ]
    return Page(
        "MATR1X 0VERL0AD",
        [f"{c.EDITIONS[record.edition]} edition"],
        "" if over else _task(record, mask),
        over,
        view.Board([[_cell(record, pile) for pile in row] for row in TABLE]),
        [Panel("", [Line(line) for line in lines])],
        [("xN", "a pile of N"), ("/15", f"a {court(record)[:-1]}'s strength, ICE included")],
    )


#: The red suits are red; what has fallen is dim.
INKS: Final = (
    (r"[^\s,;]+[♥♦][^\s,;]*|\bred \d+|\b\S+ of (?:hearts|diamonds)", "red"),
    (r"\b[Jj]oker\b", "magenta"),
    (r"\b\d+ fallen\b", "dim"),
)


# --- the story -----------------------------------------------------------------------------------


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


def story(before: Record, after: Record, viewer: Viewer, between: view.Between) -> list[Event]:
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
    words += f", whose {counted(returned, 'card')} went to the bottom" if returned else ""
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
        there = "" if royal == c.NONE else f"the {face(after, royal).name} on "
        words = f"{names} {'was' if len(cards) == 1 else 'were'} laid as ICE on {there}pile {pile}"
        words += f": ICE {had} -> {ice}"
        words += f", strength {strength(after, outer)}" if there else ""
        told.append(Iced(seat=0, cards=cards, pile=pile, come=ice - had, words=words))
    return told


def _fallen(record: Record, outer: int, laid: int) -> Fell:
    royal, pile, total = face(record, record.royal[outer]), c.INNER + outer, ""
    lines = () if laid == c.NONE else c.LINES[laid]
    attackers = next((line[:2] for line in lines if line[2] == outer), ())
    words = f"the {royal.name} on pile {pile} fell"
    if attackers:
        one, two = (record.top_value[inner] for inner in attackers)
        total = f"{one}+{two}={one + two}"
        words += f" to {total}"
    return Fell(
        words=words, follows=True, royal=royal, pile=pile, attackers=attackers, sum=total, laid=laid
    )


# --- the rules in short --------------------------------------------------------------------------


def facts(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the text of the rules may name: also which piles attack where when a card is laid on an
    inner pile.
    """
    firewalls = options["edition"] == "firewall"
    attacks = []
    for pile, lines in enumerate(c.LINES):
        there = [f"{one}+{two} attack {c.INNER + at}" for one, two, at in lines if at != c.NONE]
        attacks += [f"{pile}: {' and '.join(there)}"] if there else []
    rows = ["".join(f"{'' if pile == c.NONE else pile:>5}" for pile in row) for row in TABLE]
    court = ("11", "12", "13") if firewalls else ("J", "Q", "K")
    return {
        "royal": "firewall" if firewalls else "royal",
        "rulebook": options["edition"] == "rulebook",
        "piles": "\n".join(row.rstrip() for row in rows),
        "attacks": "; on ".join(attacks),
        "moves": counted(options["max_steps"], "move"),
        **dict(zip(("jack", "queen", "king"), court, strict=True)),
    }
