"""MATR1X 0VERL0AD in words: cards, piles, what has fallen, and how a game ended."""

from __future__ import annotations

from typing import Any, Final

from numpy.typing import NDArray

from cyberdeck.engine.kernels import State
from cyberdeck.engine.record import FORFEIT, RUNNING
from cyberdeck.games.matrix_overload.rules import (
    ACTIONS,
    BLACK_ICE,
    DRAW_PILE_EMPTY,
    FIREWALL,
    INNER,
    JOKER,
    MAX_STEPS,
    NO_LEGAL_PILE,
    ROYALS,
    VALUE,
    WON,
    shown_suits,
)

RANKS: Final = ("", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
COURT: Final = {11: "JACK", 12: "QUEEN", 13: "KING"}
SUITS: Final = ("clubs", "hearts", "spades", "diamonds")


def card_name(card: int, edition: int = ROYALS) -> str:
    """A card in words, as its edition shows it."""
    if card >= JOKER:
        return "the joker"
    rank, suits = rank_of(card, edition), shown_suits(edition, card)
    if not suits:
        return f"an {rank}"
    if len(suits) == 2:
        return f"a {('black', 'red')[suits[0] & 1]} {rank}"
    the = "the " if edition == FIREWALL and VALUE[card] > 10 else ""
    return f"{the}{rank} of {SUITS[suits[0]]}"


def pile_name(action: int) -> str:
    """A pile by its number, which is the action's: as on the table and in pictures."""
    return f"{'inner' if action < INNER else 'outer'} pile {action}"


def action_name(record: NDArray[Any], action: int) -> str:
    state = record[0]
    if not 0 <= action < ACTIONS:
        return f"no pile (piles are 0 to {ACTIONS - 1})"
    if state["left"] == 0:
        return pile_name(action)
    card = int(state["draw"][state["head"]])
    return f"{card_name(card, int(state['edition']))} on {pile_name(action)}"


def events(before: NDArray[Any], after: NDArray[Any]) -> list[str]:
    """The royals that have fallen."""
    edition = int(after[0]["edition"])
    fallen = (after[0]["dead"] > before[0]["dead"]).nonzero()[0]
    return [
        f"{card_name(int(after[0]['royal'][outer]), edition)} "
        f"on {pile_name(INNER + int(outer))} falls"
        for outer in fallen
    ]


def rank_of(card: int, edition: int) -> str:
    value = int(VALUE[card])
    return str(value) if edition == FIREWALL and value > 10 else RANKS[value]


def titled(card: int, edition: int) -> str:
    """A card in capitals, as its edition shows it."""
    if card >= JOKER:
        return "JOKER"
    suits, value = shown_suits(edition, card), int(VALUE[card])
    if not suits:
        return rank_of(card, edition)
    if len(suits) == 2:
        return f"{('BLACK', 'RED')[suits[0] & 1]} {value}"
    rank = "ACE" if value == 1 else rank_of(card, edition)
    if edition != FIREWALL:
        rank = COURT.get(value, rank)
    return f"{rank} OF {SUITS[suits[0]].upper()}"


def royals(edition: int) -> str:
    return "FIREWALLS" if edition == FIREWALL else "ROYALS"


def ending(state: State) -> tuple[str, str] | None:
    """How the game ended: a headline, and the reason in plain words."""
    reason, edition = int(state["reason"]), int(state["edition"])
    if reason == RUNNING:
        return None
    if reason == WON:
        return "MATR1X 0VERL0ADED", f"WON: ALL 12 {royals(edition)} ARE DOWN"
    if reason == MAX_STEPS:
        return "TIMED OUT", f"STOPPED AFTER {int(state['decisions'])} DECISIONS"
    why = {
        DRAW_PILE_EMPTY: "LOST: THE DRAW PILE IS EMPTY",
        BLACK_ICE: "LOST: BLACK ICE, A ROYAL GREW STRONGER THAN 20",
        FORFEIT: "LOST: AN ILLEGAL MOVE",
    }
    if reason == NO_LEGAL_PILE:
        card = int(state["draw"][state["head"]])
        return "CONNECTION LOST", f"LOST: NO PILE CAN TAKE THE {titled(card, edition)}"
    return "CONNECTION LOST", why.get(reason, "LOST")


def ended(record: NDArray[Any], seat: int) -> str:
    """Why the game is over."""
    end = ending(record[0])
    return end[1].rpartition(": ")[2].lower() if end else ""


#: The red suits are red; what has fallen is dim.
INKS: Final = (
    (r"[^\s,;]+[♥♦][^\s,;]*|\ba red \d+|\b\S+ of (?:hearts|diamonds)", "red"),
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
