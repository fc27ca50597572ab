"""HACKtheGRID: what a seat sees, as one flat int8 vector of named pieces.

Everything is open. The vector is told from the seat's own side: for the row hacker the grid is
mirrored at its diagonal, so that one's own positions are always the first index.
"""

from __future__ import annotations

from typing import Any

from cyberdeck.engine.contract import NOBODY, Fact, Options, Piece
from cyberdeck.engine.kernels import index, kernel
from cyberdeck.games.hackthegrid.rules import CARDS, KINDS, NONE, RUN, SIDE, SWAP

FACTS = (
    Fact("own_score", "what the seat's own Run is worth now"),
    Fact("opponent_score", "what the opponent's Run is worth now"),
    Fact("cards_left", "cards on the grid"),
)

_KINDS = len(KINDS)


def pieces(options: Options) -> tuple[Piece, ...]:
    """The layout grows with the number of colours in the deck."""
    colours = colours_in(options["deck"])
    return (
        Piece(
            "grid_kind",
            (SIDE, SIDE, _KINDS),
            0,
            1,
            "kind of the card at [own position, opponent's position], one-hot; all 0: taken",
        ),
        Piece("grid_colour", (SIDE, SIDE, colours), 0, 1, "its colour, one-hot"),
        Piece("own_run_kind", (RUN, _KINDS), 0, 1, "own Run from left to right, kinds"),
        Piece("own_run_colour", (RUN, colours), 0, 1, "own Run, colours"),
        Piece("opponent_run_kind", (RUN, _KINDS), 0, 1, "the opponent's Run, kinds"),
        Piece("opponent_run_colour", (RUN, colours), 0, 1, "the opponent's Run, colours"),
        Piece("own_avatar", (SIDE,), 0, 1, "own position along the own edge, one-hot"),
        Piece("opponent_avatar", (SIDE,), 0, 1, "the opponent's position, one-hot"),
        Piece("to_move", (1,), 0, 1, "1 if this seat decides now"),
        Piece("swapping", (1,), 0, 1, "1 if the decision is about a swap, 0 about taking a card"),
        Piece("own_score", (1,), -64, 64, "what the own Run is worth now"),
        Piece("opponent_score", (1,), -64, 64, "what the opponent's Run is worth now"),
        Piece("cards_left", (1,), 0, CARDS, "cards on the grid"),
        Piece(
            "late_swaps",
            (CARDS,),
            -1,
            1,
            "`at_end`: who decides the swaps still open, in order: 1 this seat, -1 the opponent",
        ),
    )


def colours_in(deck: Any) -> int:
    """How many colours a deck has: one more than the highest colour number."""
    return 1 + max(int(colour) for _, colour in deck)


@kernel
def show(state: Any, card: Any, out: Any, kind_at: Any, colour_at: Any) -> None:
    """One-hot, or all zeros for NONE: that reads the last card's kind, and a 0 is written."""
    shown = index(card & (CARDS - 1))
    out[index(kind_at + state.kind[shown])] = card != NONE
    out[index(colour_at + state.colour[shown])] = card != NONE


@kernel
def observe(state: Any, seat: Any, out: Any) -> None:
    for at in range(len(out)):
        out[at] = 0
    colours = state.colours
    kind_at = 0
    colour_at = CARDS * _KINDS
    own_step, their_step = (1, SIDE) if seat == 0 else (SIDE, 1)
    for own in range(SIDE):
        for theirs in range(SIDE):
            card = state.grid[index(own_step * own + their_step * theirs)]
            show(state, card, out, kind_at, colour_at)
            kind_at += _KINDS
            colour_at += colours
    for who in range(2):
        owner = seat if who == 0 else 1 - seat
        kind_at = colour_at
        colour_at = kind_at + RUN * _KINDS
        for place in range(RUN):
            show(state, state.run[index(owner), place], out, kind_at, colour_at)
            kind_at += _KINDS
            colour_at += colours
    at = colour_at
    out[at + state.avatar[seat]] = 1
    out[at + SIDE + state.avatar[1 - seat]] = 1
    at += 2 * SIDE
    out[at] = state.mover == seat
    out[at + 1] = state.mover != NOBODY and state.phase == SWAP
    out[at + 2] = state.points[seat]
    out[at + 3] = state.points[1 - seat]
    out[at + 4] = state.remaining
    at += 5
    for late in range(state.decided, state.taken):
        out[at + late - state.decided] = 1 if state.takers[late] == seat else -1


@kernel
def report(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.points[seat]
    out[1] = state.points[1 - seat]
    out[2] = state.remaining
