"""MATR1X 0VERL0AD for people: actions, what is to do, how a game ended, and the table as a page."""

from __future__ import annotations

from typing import Final

from cyberdeck.engine.constants import FORFEIT, RUNNING
from cyberdeck.games.matrix_overload.constants import (
    ACTIONS,
    BLACK_ICE,
    BORDERS,
    DRAW_PILE_EMPTY,
    EDITIONS,
    INNER,
    MAX_STEPS,
    NO_LEGAL_PILE,
    NONE,
    RULEBOOK,
    SUIT,
    SUITS,
    kinship,
)
from cyberdeck.games.matrix_overload.constants import WON as OVERLOADED
from cyberdeck.views.matrix_overload.cards import (
    Face,
    bottom,
    court,
    face,
    front,
    pile_name,
    pile_of,
    strength,
)
from cyberdeck.views.record import Record
from cyberdeck.views.view import (
    DRAWN,
    LOST,
    WON,
    Board,
    Cell,
    Ending,
    Line,
    Mask,
    Page,
    Panel,
    Piece,
    Viewer,
)


def action_name(record: Record, action: int) -> str:
    """An action in words."""
    if not 0 <= action < ACTIONS:
        return f"no pile (piles are 0 to {ACTIONS - 1})"
    if record.left == 0:
        return pile_name(action)
    return f"{_to_play(record).name} on {pile_name(action)}"


def seat_name(record: Record, seat: int) -> str:
    """There is one."""
    return "player"


def _to_play(record: Record) -> Face:
    return face(record, record.draw[record.head])


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended."""
    reason = record.reason
    if reason == RUNNING:
        return None
    if reason == OVERLOADED:
        return Ending("MATR1X 0VERL0ADED", f"All 12 {court(record)} are down", WON)
    stopped = f"Stopped after {record.decisions} decisions"
    if reason == MAX_STEPS:
        return Ending("Timed out", stopped, DRAWN)
    if reason == NO_LEGAL_PILE:
        why = f"No pile can take the {_to_play(record).name}"
    else:
        why = {
            DRAW_PILE_EMPTY: "The draw pile is empty",
            BLACK_ICE: "Black ICE: a royal grew stronger than 20",
            FORFEIT: "An illegal move",
        }.get(reason, stopped)
    return Ending("Connection lost", why, LOST)


def _task(record: Record, mask: Mask) -> str:
    """What to do with the card to play, and where it goes."""
    card = _to_play(record)
    lay = f"lay the {card.name}"
    if mask is None:
        return lay
    if card.value == 0:
        return f"{lay} on the lowest card: its pile goes to the bottom"
    if card.value == 1:
        return f"{lay} on any pile, which goes to the bottom"
    if card.value > 10:
        return f"place the {card.name} beside {_deciding(record, mask)}"
    if any(mask[:INNER]):
        return f"{lay} on a card that is not higher"
    ice = f"the {card.name} fits no inner pile: add it as ICE"
    if record.edition != RULEBOOK:
        return ice
    if any(
        legal and royal != NONE for legal, royal in zip(mask[INNER:], record.royal, strict=True)
    ):
        return f"{ice} to the royal most like it"
    return f"{ice} beside {_deciding(record, mask)}"


def _deciding(record: Record, mask: Mask) -> str:
    """The cards of the matrix that decide which outer piles are legal."""
    card = record.draw[record.head]
    beside = [BORDERS[outer] for outer, legal in enumerate(mask[INNER:]) if legal]
    kin = max(kinship(record.edition, card, record.top[inner]) for inner in beside)
    colour = ("black", "red")[SUIT[card] & 1]
    kind = ("card", f"{colour} card", SUITS[SUIT[card]].removesuffix("s"))[kin]
    return f"the highest {kind} with room"


# --- the table -----------------------------------------------------------------------------------

#: The piles as they lie, from the top; NONE: nothing lies there.
_TABLE: Final = (
    (NONE, 9, 10, 11, NONE),
    (12, 0, 1, 2, 13),
    (14, 3, 4, 5, 15),
    (16, 6, 7, 8, 17),
    (NONE, 18, 19, 20, NONE),
)


def _cell(record: Record, pile: int) -> Cell:
    """A pile's number and what lies there."""
    if pile == NONE:
        return Cell("")
    marks: tuple[str, ...] = ()
    if pile < INNER:
        cards = [face(record, card) for card in pile_of(record, pile)]
        text = cards[0].short if cards else "-"
        if len(cards) > 1:
            text += f" x{len(cards)}"
    else:
        outer = pile - INNER
        royal, ice = record.royal[outer], record.ice[outer]
        cards = [] if royal == NONE else [face(record, royal)]
        if record.dead[outer]:
            text, cards, marks = "dead", [], ("dead",)
        else:
            marks = (f"ICE {ice}",) if ice else ()
            if cards:
                text = " ".join([f"{cards[0].short}/{strength(record, outer)}", *marks])
                marks = (f"strength {strength(record, outer)}", *marks)
            else:
                text = " ".join(marks) or "-"
    return Cell(f"{pile:>2} {text}", str(pile), tuple(Piece(card.name) for card in cards), marks)


def _listed(cards: list[Face]) -> str:
    return " ".join(card.short for card in cards)


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The table: a spectator sees what the player sees."""
    over = ending(record, viewer)
    known, returned = front(record), bottom(record)
    unseen = record.left - len(known) - len(returned)
    piles = (pile_of(record, inner) for inner in range(INNER))
    under = [
        f"{inner}: {_listed([face(record, card) for card in cards[1:]])}"
        for inner, cards in enumerate(piles)
        if len(cards) > 1
    ]
    panels = {
        "To play": f"{_listed(known[:1]) or '-'}, next: {_listed(known[1:]) or 'none known'}",
        "Draw pile": f"{record.left}, of which {unseen} unseen"
        + (f", then at the bottom: {_listed(returned)}" if returned else ""),
        f"{court(record).capitalize()} down": f"{record.killed} of 12",
        "Decisions": f"{record.decisions} of {record.max_steps}",
        "Under the top cards": "; ".join(under),
    }
    return Page(
        "MATR1X 0VERL0AD",
        [f"{EDITIONS[record.edition]} edition"],
        "" if over else _task(record, mask),
        over,
        Board([[_cell(record, pile) for pile in row] for row in _TABLE]),
        [Panel(title, [Line(line)]) for title, line in panels.items() if line],
        [("xN", "a pile of N"), ("/15", "a royal's strength, ICE included")],
    )


#: The red suits are red; what has fallen is dim.
INKS: Final = (
    (r"[^\s,;]+[♥♦][^\s,;]*|\bred \d+|\b\S+ of (?:hearts|diamonds)", "red"),
    (r"\b[Jj]oker\b", "magenta"),
    (r"\b\d+ dead\b", "dim"),
)

HOW_TO_PLAY: Final = """\
Overload the twelve royals (11, 12 and 13, or J, Q and K) on the outer piles
around a 3x3 matrix. Play the face-up card; a card's choices are piles.
  royal   to the empty outer pile beside the highest top card of its suit, else
          of its colour, else of all. 11 has no suit, 12 a colour only; J, Q
          and K show all of it
  2-10    on an inner pile that is empty or not higher. If there is none, it
          becomes ICE of a living royal, who grows stronger by it, up to 20
  A       on any inner pile: the pile goes to the bottom of the draw pile
  joker   like an ace, but on the lowest top card; it counts 0
Attack: a card laid on the matrix looks along its row and column to the royal at
the far side. The two inner piles next to that royal attack it; the card just
laid does not count. It falls if they add up to its strength (11, 12 or 13, and
its ICE) or more, and suit it:
  11, J  any two cards     12, Q  both of its colour     13, K  both of its suit
You win when all twelve have fallen. You lose when the draw pile is empty, or
when no pile can take the card. The printed rule book has two jokers and
stricter ICE: option edition=rulebook.
On the table: each pile begins with its number, xN is a pile of N cards, and
13♥/15 ICE 2 a royal of strength 15, of which 2 are ICE."""
