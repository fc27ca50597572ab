"""HACKtheGRID for people: actions, what is to do, how a game ended, and the table as a page."""

from __future__ import annotations

from typing import Final

from cyberdeck.engine.constants import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views import view
from cyberdeck.views.hackthegrid.cards import HACKERS, arrays, card_name, cell, colour_name
from cyberdeck.views.record import Record
from cyberdeck.views.view import Board, Cell, Ending, Line, Mask, Page, Panel, Piece, Viewer


def action_name(record: Record, action: int) -> str:
    """An action in words."""
    seat = max(record.mover, 0)
    if 0 <= action < c.SWAPS:
        card = record.grid[cell(record, seat, action)]
        what = "no card is left there" if card == c.NONE else card_name(record, card)
        return f"go to {HACKERS[seat]} {action}: {what}"
    if action == c.DECLINE:
        return "decline the swap"
    if c.SWAPS <= action < c.DECLINE:
        own, theirs = divmod(action - c.SWAPS, c.RUN)
        other = HACKERS[1 - seat]
        if own < record.length[seat] and theirs < record.length[1 - seat]:
            given = card_name(record, record.run[seat][own])
            received = card_name(record, record.run[1 - seat][theirs])
            return f"swap own place {own}, {given}, for {other}'s place {theirs}, {received}"
        return f"swap own place {own} for {other}'s place {theirs}"
    return f"nothing (actions are 0 to {c.ACTIONS - 1})"


def notation(record: Record, action: int) -> str:
    """An action in a few letters."""
    if action < c.SWAPS:
        return f"{'CR'[max(record.mover, 0)]}{action}"
    if action == c.DECLINE:
        return "decline"
    own, theirs = divmod(action - c.SWAPS, c.RUN)
    return f"S{own}-{theirs}"


HOW_TO_WRITE: Final = """\
The column hacker goes to a column and takes the card there by C0, C1, C2 or C3;
the row hacker to a row by R0, R1, R2 or R3. A swap is S, your own place and
theirs, as numbered in the Runs: S3-5. To swap nothing is: decline"""


def seat_name(record: Record, seat: int) -> str:
    """A hacker."""
    return HACKERS[seat]


def _task(record: Record, viewer: Viewer) -> str:
    """What the mover has to do."""
    mover = record.mover
    who = "your turn" if mover == view.seat_of(viewer) else f"{HACKERS[mover]} hacker's turn"
    if record.phase == c.SWAP:
        return f"{who}: swap a card with {HACKERS[1 - mover]}, or decline"
    return f"{who}: choose a {HACKERS[mover]} and take the card"


def ending(record: Record, viewer: Viewer) -> Ending | None:
    """How the game ended."""
    if record.reason == RUNNING:
        return None
    if record.reason == c.CARDS_REMAIN:
        stuck = (record.first + sum(record.length)) % 2
        line = f"{HACKERS[1 - stuck]} {record.avatar[1 - stuck]}"
        return Ending("Both lose", f"No card in {line} for the {HACKERS[stuck]} hacker", view.LOST)
    if record.reason == FORFEIT:
        lead = record.reward[0] - record.reward[1]
        loser = 0 if lead < 0 else 1
        why = f"The {HACKERS[loser]} hacker forfeited the game"
    else:
        lead = record.points[0] - record.points[1]
        high, low = (signed(points) for points in sorted(record.points, reverse=True))
        why = f"The grid is empty: {high} to {low}"
    if lead == 0:
        return Ending("A draw", why, view.DRAWN)
    winner = 0 if lead > 0 else 1
    if view.seat_of(viewer) == winner:
        return Ending("You win", why, view.WON)
    if viewer is None:
        return Ending(f"The {HACKERS[winner]} hacker wins", why, view.WON)
    return Ending(f"You lose to the {HACKERS[winner]} hacker", why, view.LOST)


def signed(points: int) -> str:
    """A number of points."""
    return str(points).replace("-", "\N{MINUS SIGN}")


# --- the table -----------------------------------------------------------------------------------

_SHORT: Final = ("SCRAMBLE", "SPIKE", "FIREWALL", "LOOPBACK", "NODE", "PACKET")


def _named(record: Record, card: int) -> str:
    return f"{_SHORT[record.kind[card]]} {colour_name(record.colour[card])}"


def _board(record: Record) -> Board:
    """The grid; v and > show where the hackers stand."""
    column, row = record.avatar
    crossing = c.SIDE * row + column
    cells = [
        Cell(
            "-" if card == c.NONE else _named(record, card),
            f"column {at % c.SIDE}, row {at // c.SIDE}",
            () if card == c.NONE else (Piece(card_name(record, card)),),
            ("crossing",) if at == crossing else (),
        )
        for at, card in enumerate(record.grid)
    ]
    return Board(
        [cells[c.SIDE * at : c.SIDE * at + c.SIDE] for at in range(c.SIDE)],
        [f"{'v' if at == column else ' '} column {at}" for at in range(c.SIDE)],
        [f"{'>' if at == row else ' '} row {at}" for at in range(c.SIDE)],
    )


def _run(record: Record, hacker: int, viewer: Viewer) -> Panel:
    """A hacker's cards, four in a line."""
    you = " (you)" if hacker == view.seat_of(viewer) else ""
    inside = {
        place for first, count, _ in arrays(record, hacker) for place in range(first, first + count)
    }
    cards = [
        f"{place} {_named(record, card)}{'*' if place in inside else ''}"
        for place, card in enumerate(record.run[hacker][: record.length[hacker]])
    ]
    title = f"{HACKERS[hacker]} hacker's Run{you}, score {signed(record.points[hacker])}"
    lines = ["".join(card.ljust(19) for card in cards[at : at + 4]).rstrip() for at in (0, 4)]
    return Panel(view.sentence(title), [Line(line) for line in lines if line])


def page(record: Record, viewer: Viewer, mask: Mask) -> Page:
    """The table: everything lies open; the seat decides who is *you*."""
    over = ending(record, viewer)
    side = 0 if viewer is None else viewer[0]
    phase = "swapping" if record.phase == c.SWAP else "taking"
    return Page(
        "HACKtheGRID",
        ["over" if record.mover == NOBODY else phase],
        "" if over else _task(record, viewer),
        over,
        _board(record),
        [_run(record, hacker, viewer) for hacker in (1 - side, side)],
        [("*", "in an array")],
    )


#: Cards are shown in their colour.
INKS: Final = tuple(
    (rf"\b(?:{'|'.join(c.KINDS)}|SPIKE|NODE|PACKET) \(?{colour}\b\)?", colour)
    for colour in c.COLOURS
)
