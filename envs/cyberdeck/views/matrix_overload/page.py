"""MATR1X 0VERL0AD for people: actions, what is to do, how a game ended, and the table as a page."""

from __future__ import annotations

from typing import Final

from cyberdeck.engine.constants import FORFEIT, RUNNING
from cyberdeck.games.matrix_overload import constants as c
from cyberdeck.views import view
from cyberdeck.views.matrix_overload import cards
from cyberdeck.views.matrix_overload.cards import Face, face, pile_name, pile_of
from cyberdeck.views.record import Record
from cyberdeck.views.view import Board, Cell, Ending, Line, Mask, Page, Panel, Piece, Viewer


def action_name(record: Record, action: int) -> str:
    """An action in words."""
    if not 0 <= action < c.ACTIONS:
        return f"no pile (piles are 0 to {c.ACTIONS - 1})"
    if record.left == 0:
        return pile_name(action)
    return f"{_to_play(record).name} on {pile_name(action)}"


def notation(record: Record, action: int) -> str:
    """An action in a few words."""
    if record.left == 0:
        return f"pile {action}"
    return f"{_to_play(record).name} to pile {action}"


HOW_TO_WRITE: Final = """\
A move is the card to play, "to pile" and the pile's number: red 12 to pile 9.
Inner piles are 0 to 8, row by row; outer piles are 9 to 11 above the matrix,
12, 14 and 16 left of its rows, 13, 15 and 17 right of them, 18 to 20 below."""


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
        return Ending(who, f"MATR1X 0VERL0ADED: all 12 {cards.court(record)} have fallen", view.WON)
    if reason == c.NO_LEGAL_PILE:
        why = f"no pile can take the {_to_play(record).name}"
    else:
        why = {
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
        return f"{lay} on a card that is not higher"
    outers = [outer for outer, legal in enumerate(mask[c.INNER :]) if legal]
    ice = f"the {card.name} fits no inner pile: lay it as ICE"
    if card.value <= 10 and record.edition != c.RULEBOOK:
        return ice
    if card.value <= 10 and any(record.royal[outer] != c.NONE for outer in outers):
        return f"{ice} on the royal most like it"
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
            strength = cards.strength(record, outer)
            text = " ".join([f"{face(record, card).short}/{strength}", *short])
            marks = [f"strength {strength}", *marks]
    pieces = () if card == c.NONE else (Piece(face(record, card).name),)
    # Padded: so the columns keep their places.
    return Cell(f"{pile:>2} {text:<7}", pile_name(pile), pieces, tuple(marks))


def _listed(shown: list[Face]) -> str:
    return " ".join(each.short for each in shown)


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The table: a spectator sees what the player sees."""
    over = ending(record, viewer)
    known, returned = cards.front(record), cards.bottom(record)
    unseen = record.left - len(known) - len(returned)
    at_bottom = f", then at the bottom: {_listed(returned)}" if returned else ""
    under = [
        f"{inner}: {_listed([face(record, card) for card in pile_of(record, inner)[1:]])}"
        for inner in range(c.INNER)
        if record.depth[inner] > 1
    ]
    lines = [
        f"To play: {_listed(known[:1]) or '-'}, next: {_listed(known[1:]) or 'none known'}",
        f"Draw pile: {record.left}, of which {unseen} unseen{at_bottom}",
        f"{cards.court(record).capitalize()} fallen: {record.killed} of 12",
        f"Moves: {record.decisions} of {record.max_steps}",
        *([f"Under the top cards: {'; '.join(under)}"] if under else []),
    ]
    return Page(
        "MATR1X 0VERL0AD",
        [f"{c.EDITIONS[record.edition]} edition"],
        "" if over else _task(record, mask),
        over,
        Board([[_cell(record, pile) for pile in row] for row in cards.TABLE]),
        [Panel("", [Line(line) for line in lines])],
        [("xN", "a pile of N"), ("/15", f"a {cards.court(record)[:-1]}'s strength, ICE included")],
    )


#: The red suits are red; what has fallen is dim.
INKS: Final = (
    (r"[^\s,;]+[♥♦][^\s,;]*|\bred \d+|\b\S+ of (?:hearts|diamonds)", "red"),
    (r"\b[Jj]oker\b", "magenta"),
    (r"\b\d+ fallen\b", "dim"),
)
