"""MATR1X 0VERL0AD's cards in pictures: each is drawn from its upper left corner, 72 by 100."""

from __future__ import annotations

from typing import Final

from cyberdeck.common.tables import table_of
from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import BRIGHT, GREEN, MAGENTA, NIGHT, at, box, disc, path, stroke
from cyberdeck.views.matrix_overload.page import Face

W, H = 72, 100  # a card
INK: Final = (svg.SILVER, svg.RED)  # of the black and of the red suits

_TABLE: Final = table_of(__package__, "faces.toml")
DEFINITIONS: Final = "".join(
    svg.fade(f"mo-{name}", svg.shade(*first), svg.shade(*last))
    for name, (first, last) in _TABLE["fades"].items()
)

_ICICLES: Final = "M26 2H63Q70 2 70 9V27L66.5 12 63 20 58.5 8 54 14 50 6 45 10 40 5 35 8 31 4z"
_CROSS: Final = "M-18-22L18 22M18-22L-18 22"
icon: Final = svg.icons_of(__package__)


def ink(face: Face) -> str:
    """A card's colour."""
    if face.suits:
        return INK[face.suits[0] & 1]
    return svg.AMBER if face.value else MAGENTA


def _tint(face: Face) -> str:
    """What lies behind a court card or a small one."""
    return f"url(#mo-{('black', 'red')[face.suits[0] & 1] if face.suits else 'any'})"


# --- crests and signs ----------------------------------------------------------------------------


def sign(walls: bool, colour: str) -> str:
    """What stands for any royal, or for any firewall."""
    return icon("bricks" if walls else "crown_13", colour)


def flake(x: float, y: float, scale: float) -> str:
    """A snowflake for ICE; a small one has bare arms."""
    arm = "M0 0V-9M-2.6-8L0-5.4 2.6-8" if scale > 0.8 else "M0-1.8V-9"
    ray = stroke(arm, svg.ICE, 1.8 / max(scale, 0.6))
    return at(x, y, "".join(at(0, 0, ray, turn=turn) for turn in range(0, 360, 60)), scale)


def shield(x: float, y: float, scale: float) -> str:
    """What stands for strength."""
    return at(x, y, icon("shield", BRIGHT), scale)


@svg.kept
def ruin(walls: bool, wide: float, high: float, scale: float) -> str:
    """A royal that has fallen, about (0, 0): crossed out."""
    shape = -wide / 2, -high / 2, wide, high, 6
    return (
        box(*shape, fill=NIGHT)
        + box(*shape, fill=GREEN, fill_opacity=0.12, stroke=GREEN, stroke_width=1.2)
        + at(0, 0, sign(walls, GREEN), scale)
        + at(0, 0, stroke(_CROSS, GREEN, 1.3 / scale, stroke_opacity=0.9), scale)
    )


# --- cards ---------------------------------------------------------------------------------------


def _blank(colour: str, fill: str, thick: float = 1.8) -> str:
    edge = 0.7, 0.7, W - 1.4, H - 1.4, 7.4
    return box(0, 0, W, H, 8, fill=NIGHT) + box(*edge, fill, stroke=colour, stroke_width=thick)


def _index(face: Face) -> str:
    """Rank and pip in the upper left corner."""
    middle, colour = 7 + max(width(face.rank, 12.5), 8) / 2, ink(face)
    index = letters(face.rank, middle, 20, 12.5, "middle", colour, 2)
    one = len(face.suits) == 1
    return index + (svg.pip(face.suits[0], middle, 30, 10.5, colour) if one else "")


def _joker() -> str:
    """The cap, and the name down the side."""
    joker = at(44, 46, icon("cap", MAGENTA))
    for place, letter in enumerate("Joker"):
        joker += letters(letter, 13, 22 + 16 * place, LEAST, "middle", MAGENTA, 1.6)
    for glitch, colour in (
        ("M27.8 72.8h20.4M43.8 80.8h15.4", svg.CYAN),
        ("M34.8 76.8h26.4M30.8 84.8h24.4", MAGENTA),
        ("M25.8 80.8h12.4", svg.VIOLET),
    ):
        joker += stroke(glitch, colour, 1.6, stroke_opacity=0.7)
    return joker


@svg.kept
def card(face: Face) -> str:
    """A card face up."""
    colour, value = ink(face), face.value
    if value == 0:
        return _blank(colour, "url(#mo-wild)") + _joker()
    index = _index(face)
    if value > 10:
        drawn = _blank(colour, _tint(face)) + index + at(W, H, index, turn=180)
        return drawn + _crest(face, 37, 36, 0.84) + _emblem(face, 36, 66, 22)
    drawn = _blank(colour, "url(#mo-card)", 1.8 if value == 1 else 1.4) + index
    if value == 1:
        return (
            drawn
            + at(36, 53, icon("ring", colour), 0.92)
            + svg.pip(face.suits[0], 36, 53, 27, colour)
        )
    for x, y in _TABLE["pips"][str(value)]:
        turn = 180 if y > 0.5 else 0
        drawn += svg.pip(face.suits[0], 32 + 26 * x, 26 + 56 * y, 13.5, colour, turn)
    return drawn


def _crest(face: Face, x: float, y: float, scale: float) -> str:
    crest = "wall" if face.rank.isdigit() else "crown"
    return at(x, y, icon(f"{crest}_{face.value}", ink(face)), scale)


def _emblem(face: Face, x: float, y: float, size: float) -> str:
    """The suit, large; the two that it may be of a black or red 12; any of an 11."""
    if not face.suits:
        return letters("Any", x, y + LEAST / 2, LEAST, "middle", ink(face))
    return _pips(face, x, y, 0.92 * size, size if len(face.suits) == 1 else 0.8 * size)


def _pips(face: Face, x: float, y: float, apart: float, size: float) -> str:
    """All suits that it may have, side by side."""
    left = x - apart * (len(face.suits) - 1) / 2
    return "".join(
        svg.pip(suit, left + apart * place, y, size, ink(face))
        for place, suit in enumerate(face.suits)
    )


@svg.kept
def royal(face: Face, strength: int, ice: int, beaten: str = "") -> str:
    """A royal on its outer pile, with its strength and its ICE, or with what has *beaten* it."""
    drawn = _blank(svg.ICE if ice else ink(face), _tint(face), 2)
    if ice:
        drawn += path(_ICICLES, fill=svg.ICE, fill_opacity=0.7)
    drawn += _index(face) + _crest(face, 44, 32, 0.8) + _emblem(face, 44, 55, 20)
    bar = box(2.5, 70, 67, 26, 6, fill=NIGHT, fill_opacity=0.9)
    if beaten:
        bar += letters(beaten, 36, 88.5, LEAST, "middle", GREEN)
        return svg.group(drawn, opacity=0.75) + at(40, 44, stroke(_CROSS, GREEN, 3)) + bar
    if ice:
        bar += shield(12, 82.8, 0.7) + letters(str(strength), 20, 88.5, LEAST)
        bar += flake(46.5, 83, 0.62) + letters(str(ice), 54, 88.5, LEAST, colour=svg.ICE)
    else:
        left = 36 - (19 + width(str(strength), 13)) / 2
        bar += shield(left + 7, 82.8, 0.9) + letters(str(strength), left + 19, 89.3, 13)
    return drawn + bar


@svg.kept
def small(face: Face) -> str:
    """A card 30 by 42 that is known to come: rank and pips."""
    drawn = box(0, 0, 30, 42, 5, fill=NIGHT)
    drawn += box(0.6, 0.6, 28.8, 40.8, 4.4, _tint(face), stroke=ink(face), stroke_width=1.2)
    if not face.value:
        return drawn + at(15, 22, icon("cap", MAGENTA), 0.5)
    drawn += letters(face.rank, 15, 18, LEAST, "middle", ink(face), 1.7)
    return drawn + _pips(face, 15, 30, 11.5, 10.5)


#: Lines from corner to corner of a card face down, within its frame.
_LATTICE: Final = "".join(
    f"M{first} {8 + first - x}L{last} {8 + last - x}"
    f"M{first} {92 - first + x}L{last} {92 - last + x}"
    for x in range(-76, 72, 14)
    for first, last in [(max(x, 7), min(x + 84, 65))]
    if first < last
)
_BACK: Final = svg.shade("#150a26", "#f7e6f4")


@svg.kept
def back() -> str:
    """A card face down."""
    emblem = disc(36, 50, 14, NIGHT, stroke=MAGENTA, stroke_width=1.4)
    emblem += stroke("M31.4 45.6A6.6 6.6 0 1 0 40.6 45.6M36 42V49", MAGENTA, 2)
    return (
        _blank(MAGENTA, _BACK, 1.2)
        + path(_LATTICE, stroke=MAGENTA, stroke_opacity=0.45)
        + box(6, 6, W - 12, H - 12, 4, stroke=MAGENTA, stroke_opacity=0.7)
        + emblem
    )
