"""MATR1X 0VERL0AD: the numbers and tables that the rules and the view share; no NumPy here.

Piles, as actions number them (inner piles 0..8 are the matrix, outer piles 9..20 surround it):

                 9   10   11
           12    0    1    2   13
           14    3    4    5   15
           16    6    7    8   17
                18   19   20

Cards: 13 * suit + value - 1 with suits clubs, hearts, spades, diamonds; jokers 52 and 53.
"""

from __future__ import annotations

FIREWALL, ROYALS, RULEBOOK = 0, 1, 2
EDITIONS = ("firewall", "royals", "rulebook")

CARDS = 54
JOKER = 52  # and 53
NONE = -1  # no card
SUITS = ("clubs", "hearts", "spades", "diamonds")
COLOURS = ("black", "red")  # of a suit: its lowest bit
INNER, OUTER = 9, 12
ACTIONS = INNER + OUTER
RING = 64  # places of the draw pile: room for every card, a power of two

WON, DRAW_PILE_EMPTY, NO_LEGAL_PILE, BLACK_ICE, MAX_STEPS, STALLED = range(2, 8)
REASONS = ("won", "draw_pile_empty", "no_legal_pile", "black_ice", "max_steps", "stalled")

# --- cards ---------------------------------------------------------------------------------------

#: By card. NONE is -1, so the last entry answers for no card: lower than any.
VALUE = (*(card % 13 + 1 for card in range(JOKER)), 0, 0, -1)
SUIT = (*(card // 13 for card in range(JOKER)), NONE, NONE, NONE)


def shown_suits(edition: int, card: int) -> tuple[int, ...]:
    """The suits that a card may have, as far as its face shows: of a joker none.

    In the firewall edition an 11 shows no suit and a 12 only its colour.
    """
    if card >= JOKER or (edition == FIREWALL and VALUE[card] == 11):
        return ()
    suit = SUIT[card]
    return (suit & 1, suit | 2) if edition == FIREWALL and VALUE[card] == 12 else (suit,)


def kinship(edition: int, card: int, other: int) -> int:
    """How alike *other* is to *card*: 2 same suit, 1 same colour, 0 neither.

    *other* is the top of an inner pile (NONE: empty, ruling M1) or, in the rule book, a royal; of
    *card* counts what its face shows (M2). In the rule book a joker matches any suit (M1).
    """
    if other == NONE:
        return 0
    if other >= JOKER:
        return 2 if edition == RULEBOOK else 0
    shown = shown_suits(edition, card)
    if shown == (SUIT[other],):
        return 2
    return int(any(suit & 1 == SUIT[other] & 1 for suit in shown))


# --- table ---------------------------------------------------------------------------------------

#: The inner pile that each outer pile borders.
BORDERS = (0, 1, 2, 0, 2, 3, 5, 6, 8, 6, 7, 8)

_NO_LINE = (NONE, NONE, NONE)

#: LINES[pile] = up to two lines across the matrix: two attackers and the outer pile behind them.
LINES = (
    ((1, 2, 4), (3, 6, 9)),
    ((4, 7, 10), _NO_LINE),
    ((1, 0, 3), (5, 8, 11)),
    ((4, 5, 6), _NO_LINE),
    (_NO_LINE, _NO_LINE),
    ((4, 3, 5), _NO_LINE),
    ((7, 8, 8), (3, 0, 0)),
    ((4, 1, 1), _NO_LINE),
    ((7, 6, 7), (5, 2, 2)),
)
