"""HACKtheGRID in words: cards, actions, what is to do, and how a game ended."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import State
from cyberdeck.engine.plain import as_python
from cyberdeck.engine.record import FORFEIT, NOBODY, RUNNING
from cyberdeck.games.hackthegrid import rules
from cyberdeck.games.hackthegrid.deeds import Declined, Deed, Taken
from cyberdeck.games.hackthegrid.rules import (
    ACTIONS,
    CARDS_REMAIN,
    COLOURS,
    DECLINE,
    KINDS,
    NONE,
    RUN,
    SWAP,
    SWAPS,
)

HACKERS: Final = ("COLUMN HACKER", "ROW HACKER")
_SHORT: Final = ("column", "row")

WON, LOST, DRAWN = "won", "lost", "drawn"

_cell = as_python(rules.cell)


def cell(state: State, seat: int, position: int) -> int:
    """The crossing of the two lines if *seat* stood at *position*."""
    return int(_cell(state, seat, position))


def colour_name(colour: int) -> str:
    return COLOURS[colour] if colour < len(COLOURS) else f"colour {colour}"


def card_name(record: NDArray[Any], card: int) -> str:
    """A card in words."""
    return f"{KINDS[record['kind'][0, card]]} ({colour_name(int(record['colour'][0, card]))})"


def action_name(record: NDArray[Any], action: int) -> str:
    state = record[0]
    seat = max(int(state["mover"]), 0)
    if 0 <= action < SWAPS:
        where = f"{('column', 'row')[seat]} {action}"
        card = int(state["grid"][cell(state, seat, action)])
        what = "no card is left there" if card == NONE else card_name(record, card)
        return f"go to {where}: {what}"
    if action == DECLINE:
        return "decline the swap"
    if SWAPS <= action < DECLINE:
        own, theirs = divmod(action - SWAPS, RUN)
        if own < state["length"][seat] and theirs < state["length"][1 - seat]:
            given = card_name(record, int(state["run"][seat, own]))
            received = card_name(record, int(state["run"][1 - seat, theirs]))
            return f"swap own place {own}, {given}, for their place {theirs}, {received}"
        return f"swap own place {own} for their place {theirs}"
    return f"nothing (actions are 0 to {ACTIONS - 1})"


def told(record: NDArray[Any], deed: Deed, seat: int | None) -> str:
    """What was done, to the reader in *seat*, or to a spectator."""
    who = "you" if deed.hacker == seat else _SHORT[deed.hacker]
    whose = ["your" if hacker == seat else f"{name}'s" for hacker, name in enumerate(_SHORT)]
    if isinstance(deed, Taken):
        return f"{who} took {card_name(record, deed.card)}"
    if isinstance(deed, Declined):
        return f"{who} declined the swap"
    if deed.hacker == NOBODY:
        places = (f"{each} place {at}" for each, at in zip(whose, deed.places, strict=True))
        return f"{' and '.join(places)} were swapped"
    given, got = deed.places[deed.hacker], deed.places[1 - deed.hacker]
    return f"{who} swapped place {given} for {whose[1 - deed.hacker]} {got}"


def task(state: State, seat: int | None) -> str:
    """What the mover has to do, to the reader in *seat*, or to a spectator."""
    mover = int(state["mover"])
    who = "YOUR TURN" if mover == seat else f"{HACKERS[mover]}'S TURN"
    if int(state["phase"]) == SWAP:
        return f"{who}: SWAP A CARD OR DECLINE"
    return f"{who}: CHOOSE A {('COLUMN', 'ROW')[mover]} AND TAKE THE CARD"


def ending(state: State, seat: int | None) -> tuple[str, str, str] | None:
    """How the game ended: a headline, the reason in plain words, and WON, LOST or DRAWN."""
    reason = int(state["reason"])
    if reason == RUNNING:
        return None
    if reason == CARDS_REMAIN:
        stuck = (int(state["first"]) + int(state["length"].sum())) % 2
        line = f"{('ROW', 'COLUMN')[stuck]} {int(state['avatar'][1 - stuck])}"
        return "BOTH LOSE", f"NO CARD IN {line} FOR {HACKERS[stuck]}", LOST
    if reason == FORFEIT:
        loser = int(np.argmin(state["reward"]))
        why = f"{HACKERS[loser]} MADE AN ILLEGAL MOVE"
        lead = 1 if loser == 1 else -1
    else:
        points = [int(state["points"][hacker]) for hacker in range(2)]
        why = f"THE GRID IS EMPTY: {max(points)} TO {min(points)}".replace("-", "\N{MINUS SIGN}")
        lead = points[0] - points[1]
    if lead == 0:
        return "A DRAW", why, DRAWN
    winner = 0 if lead > 0 else 1
    if seat in (winner, None):
        return "YOU WIN" if seat == winner else f"{HACKERS[winner]} WINS", why, WON
    return f"YOU LOSE TO {HACKERS[winner]}", why, LOST


def ended(record: NDArray[Any], seat: int) -> str:
    """Why the game is over."""
    end = ending(record[0], seat)
    return end[1].lower() if end else ""


#: Cards are shown in their colour.
INKS: Final = tuple(
    (rf"\b(?:{'|'.join(KINDS)}|SPIKE|NODE|PACKET) \(?{colour}\b\)?", colour) for colour in COLOURS
)

HOW_TO_PLAY: Final = """\
You steer along the top edge (column hacker) or along the left edge (row
hacker). On your turn go to any position along your edge, or stay, and take the
card where the two lines cross. It goes to the right end of your Run.
The game ends when the grid is empty; the higher score wins. But if the player
whose turn it is finds no card in the line that the other hacker points at,
BOTH LOSE: do not run dry.

Each card scores by how many of its kind your Run holds:
                  one    two       three or more
  SCRAMBLE        -3     -3 each   -3 each
  SIGNAL SPIKE     2      2 each    2 each
  FIREWALL         0      1 each   -1 each
  LOOPBACK         4      1 each    1 each
  NET NODE         0      1 each    2 each
  DATA PACKET      1      1 each    2 each
Array (*): a card next to one of its colour in your Run scores 1 more.
Who takes a SCRAMBLE may swap: one own card that is no SCRAMBLE for any card of
the other Run, each into the other's place."""
