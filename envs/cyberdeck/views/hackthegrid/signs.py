"""HACKtheGRID's cards and signs in pictures."""

from __future__ import annotations

from typing import Final

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.icons import icons_of
from cyberdeck.drawing.lettering import LEAST, happened
from cyberdeck.drawing.svg import BRIGHT, LIME, at, stroke
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.views.hackthegrid.cards import colour_name

CARD: Final = 82  # wide and high

OWN: Final = (svg.AMBER, svg.VIOLET)  # the hackers' own colours

#: The cards' colours. The first four, the default deck's, are also told apart by deuteranopes.
PALETTE: Final = (
    svg.shade("#28e2ff", "#0090c8"),
    svg.shade("#e23fc0", "#7d0a72"),
    svg.shade("#ffd93a", "#a87c00"),
    svg.shade("#34d080", "#0a7a34"),
    svg.shade("#ff9040", "#b04a00"),
    svg.shade("#7289ff", "#2c45c8"),
    svg.RED,
    BRIGHT,
)
_TOP: Final = svg.shade("#1b2450", "#ffffff")  # of a card
_FOOT: Final = svg.shade("#0b1028", "#e6ecf9")
DEFINITIONS: Final = svg.fade("hg-card", _TOP, _FOOT)

icon = icons_of(__package__)


def kind_sign(kind: int, colour: str, x: float, y: float, scale: float) -> str:
    """The sign of a kind of card."""
    return at(x, y, icon(c.KINDS[kind].lower().replace(" ", "_"), colour), scale)


def _mark(colour: int, x: float, y: float) -> str:
    """A mark for each colour, for those who cannot tell the colours apart."""
    return at(x, y, icon(f"mark_{colour}", PALETTE[colour]), 1.6)


@svg.kept
def card_face(kind: int, colour: int) -> str:
    ink = PALETTE[colour]
    words = c.KINDS[kind].split()
    y, scale = (26, 0.78) if len(words) == 2 else (32, 0.92)
    card = icon("face", ink) + kind_sign(kind, ink, 44, y, scale) + _mark(colour, 13.5, 14)
    for place, word in enumerate(words, -len(words)):
        card += lettering.text(word, CARD / 2, 89 + 14 * place, LEAST, "middle", BRIGHT, 1.3)
    return card


@svg.kept
def explained(colours: tuple[int, ...]) -> list[tuple[str, str]]:
    """What the signs mean, and the colours of the deck."""
    choice = svg.corners(-10, -10, 20, 20, 6, LIME, 2.4)
    cross = stroke("M-10-5V5M10-5V5", OWN[0], 2.4) + stroke("M-5-10H5M-5 10H5", OWN[1], 2.4)
    items = [
        (choice, "you may choose it"),
        (happened(0, 0, lettering.CAME), "just taken"),
        (happened(0, 0, lettering.WENT), "taken from here"),
        (happened(0, 0, lettering.SWAPPED), "came by a swap"),
        (happened(0, 0, lettering.MOVED), "moved"),
        (cross, "lines cross"),
    ]
    return items + [(_mark(colour, 0, 0), colour_name(colour)) for colour in colours]
