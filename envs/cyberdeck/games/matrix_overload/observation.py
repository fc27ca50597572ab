"""MATR1X 0VERL0AD: what the player sees, as one flat int8 vector of named pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Fact, Options, Piece, layout
from cyberdeck.engine.kernels import index, kernel
from cyberdeck.games.matrix_overload.rules import (
    CARDS,
    FIREWALL,
    INNER,
    JOKER,
    OUTER,
    RING,
    SUIT,
    VALUE,
    face_up,
)

PIECES = (
    Piece("top_value", (9,), -1, 10, "value of each inner pile's top card; joker 0, empty -1"),
    Piece("top_suit", (9, 4), 0, 1, "its suit, one-hot (clubs, hearts, spades, diamonds)"),
    Piece("depth", (9,), 0, CARDS, "cards in each inner pile"),
    Piece("royal_value", (12,), 0, 13, "11, 12 or 13 on each outer pile; 0 without a royal"),
    Piece(
        "royal_suit",
        (12, 4),
        0,
        1,
        "the suits that the royal may have, as far as its edition shows: one, "
        "in `firewall` both of a 12's colour, none of an 11",
    ),
    Piece("royal_dead", (12,), 0, 1, "1 for a royal that is face down"),
    Piece("ice", (12,), 0, 100, "ICE on each outer pile (100: that or more)"),
    Piece("card_value", (1,), -1, 13, "value of the face-up card; -1 if there is none"),
    Piece("card_suit", (4,), 0, 1, "its suit, shown as for royals"),
    Piece("draw_pile", (1,), 0, CARDS, "cards in the draw pile, the face-up card included"),
    Piece(
        "unseen",
        (CARDS,),
        0,
        1,
        "1 for each card (by id) among the unseen ones of the draw pile",
    ),
    Piece(
        "draw_order",
        (CARDS,),
        0,
        CARDS,
        "for each card whose place in the draw pile is known: 1 face up, 2 next, ...; else 0",
    ),
    Piece("pile", (CARDS,), 0, INNER, "for each card: 1 + the inner pile it lies in, or 0"),
    Piece("height", (CARDS,), 0, CARDS, "for each card: its height in that pile, 1 the lowest"),
)

FACTS = (
    Fact("royals_killed", "royals that have fallen, 0 to 12"),
    Fact("cards_left", "cards in the draw pile, the face-up card included"),
)

_AT = {name: where.start for name, where in layout(PIECES).items()}
TOP_VALUE, TOP_SUIT, DEPTH = _AT["top_value"], _AT["top_suit"], _AT["depth"]
ROYAL_VALUE, ROYAL_SUIT = _AT["royal_value"], _AT["royal_suit"]
ROYAL_DEAD, ICE = _AT["royal_dead"], _AT["ice"]
CARD_VALUE, CARD_SUIT, DRAW_PILE = _AT["card_value"], _AT["card_suit"], _AT["draw_pile"]
UNSEEN, DRAW_ORDER = _AT["unseen"], _AT["draw_order"]
PILE, HEIGHT = _AT["pile"], _AT["height"]

ELEVEN = 10  # index of the 11 within its suit
TWELVE = 11


def pieces(options: Options) -> tuple[Piece, ...]:
    """The layout is the same for every option."""
    return PIECES


def _shown_suits() -> NDArray[np.int8]:
    """SHOWN[edition, card] = which suits the face of the card allows, as 0/1 (ruling M2)."""
    shown = np.zeros((3, RING, 4), np.int8)  # NONE & (RING - 1) is the last row: no suit
    for edition in range(3):
        for card in range(JOKER):
            suits = [SUIT[card]]
            if edition == FIREWALL and VALUE[card] == 11:
                suits = []
            elif edition == FIREWALL and VALUE[card] == 12:
                suits = [SUIT[card], SUIT[card] ^ 2]
            shown[edition, card, suits] = 1
    return shown


SHOWN = _shown_suits()


@kernel
def show_suit(edition: Any, card: Any, out: Any, at: Any) -> None:
    for suit in range(4):
        out[index(at + suit)] = SHOWN[index(edition), index(card & (RING - 1)), suit]


@kernel
def order_of(state: Any, card: Any, place: Any, out: Any) -> None:
    """Note that *card* is the place-th to be drawn.

    Court cards that look alike in `firewall` must not tell their suits: of those in sight the
    first takes the first id of its kind that is free.
    """
    at: Any = np.int64(card)
    if state.edition == FIREWALL:
        if VALUE[card] == 11:
            at = ELEVEN
            while out[DRAW_ORDER + at] != 0:
                at += 13
        elif VALUE[card] == 12:
            at = TWELVE + 13 * (SUIT[card] & 1)
            if out[DRAW_ORDER + at] != 0:
                at += 26
    out[DRAW_ORDER + at] = place


@kernel
def merge_lookalikes(out: Any) -> None:
    """`firewall`: count unseen 11s, and unseen 12s of a colour, without telling their suits."""
    elevens = 0
    for suit in range(4):
        elevens += out[UNSEEN + 13 * suit + ELEVEN]
    for suit in range(4):
        out[UNSEEN + 13 * suit + ELEVEN] = suit < elevens
    for colour in range(2):
        first = UNSEEN + 13 * colour + TWELVE
        if out[first + 26] > out[first]:
            out[first] = 1
            out[first + 26] = 0


@kernel
def observe(state: Any, seat: Any, out: Any) -> None:
    for inner in range(INNER):
        card = state.top[inner]
        out[TOP_VALUE + inner] = state.top_value[inner]
        show_suit(state.edition, card, out, TOP_SUIT + 4 * inner)
        out[DEPTH + inner] = state.depth[inner]
    for outer in range(OUTER):
        card = state.royal[outer]
        out[ROYAL_VALUE + outer] = max(VALUE[card], 0)
        show_suit(state.edition, card, out, ROYAL_SUIT + 4 * outer)
        out[ROYAL_DEAD + outer] = state.dead[outer]
        out[ICE + outer] = min(state.ice[outer], 100)
    card = face_up(state)
    out[CARD_VALUE] = VALUE[card]
    show_suit(state.edition, card, out, CARD_SUIT)
    out[DRAW_PILE] = state.left
    for card in range(CARDS):
        out[UNSEEN + card] = state.unseen[card]
        out[DRAW_ORDER + card] = 0
        place = state.place[card]
        out[PILE + card] = place if place <= INNER else 0
        out[HEIGHT + card] = state.height[card]
    if state.edition == FIREWALL:
        merge_lookalikes(out)
    for place in range(state.known_first):
        order_of(state, state.draw[(state.head + place) & (RING - 1)], place + 1, out)
    for place in range(state.left - state.known_last, state.left):
        order_of(state, state.draw[(state.head + place) & (RING - 1)], place + 1, out)


@kernel
def report(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.killed
    out[1] = state.left
