"""MATR1X 0VERL0AD's cards in pictures: each is drawn from its upper left corner, 72 by 100."""

from __future__ import annotations

from typing import Final

from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import (
    AMBER,
    BRIGHT,
    GREEN,
    ICE,
    MAGENTA,
    NIGHT,
    RED,
    VIOLET,
    at,
    box,
    disc,
    kept,
    path,
    pip,
    stroke,
)
from cyberdeck.views.matrix_overload.cards import Face

W, H = 72, 100  # a card
INK: Final = (svg.SILVER, RED)  # of the black and of the red suits

DEFINITIONS: Final = "".join(
    svg.fade(f"mo-{name}", svg.shade(*first), svg.shade(*last), 1)
    for name, first, last in (
        ("card", ("#1a2450", "#ffffff"), ("#0c1230", "#eaf0fa")),
        ("red", ("#4a1434", "#ffe9ee"), ("#1a0c26", "#f6e4ee")),
        ("black", ("#2a3770", "#e3e9f8"), ("#0d1330", "#f4f7fe")),
        ("any", ("#4a3414", "#fff1d9"), ("#1c1420", "#f9f3ea")),
        ("wild", ("#4b1460", "#f9def4"), ("#12103c", "#ece9fb")),
    )
)

#: Where the pips of a number card lie, as (column, height) with 0 the left or top, 1 the other.
_PIPS: Final[dict[int, tuple[tuple[float, float], ...]]] = {
    2: ((0.5, 0), (0.5, 1)),
    3: ((0.5, 0), (0.5, 0.5), (0.5, 1)),
    4: ((0, 0), (1, 0), (0, 1), (1, 1)),
    5: ((0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)),
    6: ((0, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (1, 1)),
}
_PIPS[7] = (*_PIPS[6], (0.5, 0.25))
_PIPS[8] = (*_PIPS[7], (0.5, 0.75))
_EIGHT: Final = tuple((side, third / 3) for side in (0, 1) for third in range(4))
_PIPS[9] = (*_EIGHT, (0.5, 0.5))
_PIPS[10] = (*_EIGHT, (0.5, 1 / 6), (0.5, 5 / 6))

#: Jack, queen, king: within -20..20 by -16..14.
_CROWNS: Final = {
    11: "M-14 8V-4L-7 2 0-11 7 2 14-4V8z",
    12: "M-15 8L-18-6-9 1-7-10 0 0 7-10 9 1 18-6 15 8z",
    13: "M-16 8L-17-8-8 0-5-10H5L8 0 17-8 16 8z",
}
_JEWELS: Final = {
    11: ((-14, -6, 2), (0, -13, 2.4), (14, -6, 2)),
    12: ((-18, -8, 2.4), (-7, -12.4, 2.4), (7, -12.4, 2.4), (18, -8, 2.4)),
    13: ((-17, -10, 2), (17, -10, 2)),
}
_SHIELD: Final = "M0-9Q4-6.6 7.6-6.6V0Q7.6 6.4 0 10-7.6 6.4-7.6 0V-6.6Q-4-6.6 0-9z"
_ICICLES: Final = "M26 2H63Q70 2 70 9V27L66.5 12 63 20 58.5 8 54 14 50 6 45 10 40 5 35 8 31 4z"
_CROSS: Final = "M-18-22L18 22M18-22L-18 22"
_BRICKS: Final = "M-15 12V-10H15V12zM-15 1H15M0-10V1M-7 1V12M7 1V12"
_FLAKE_ARM: Final = "M0 0V-9M-2.6-8L0-5.4 2.6-8"
_BARE_ARM: Final = "M0-1.8V-9"


def ink(face: Face) -> str:
    """A card's colour."""
    if face.suits:
        return INK[face.suits[0] & 1]
    return AMBER if face.value else MAGENTA


def _tint(face: Face) -> str:
    """What lies behind a court card or a small one."""
    return f"url(#mo-{('black', 'red')[face.suits[0] & 1] if face.suits else 'any'})"


# --- crests and signs ----------------------------------------------------------------------------


def _crown(value: int, colour: str) -> str:
    jewels = "".join(disc(x, y, r, colour) for x, y, r in _JEWELS[value])
    if value == 13:  # the king's cross
        jewels += stroke("M0-10V-17M-3-14H3", colour, 2)
    return (
        path(_CROWNS[value], fill=colour, fill_opacity=0.22)
        + stroke(_CROWNS[value], colour, 1.8)
        + stroke("M-14 12.5H14", colour, 2.4)
        + jewels
    )


def _wall(value: int, colour: str) -> str:
    """A firewall's crest: one course of bricks for an 11, two for a 12, three for a 13."""
    courses = value - 10
    bricks = ""
    for course in range(courses):
        y = 9 - 8 * course
        starts = (-17, -5.5, 6) if course % 2 == 0 else (-17, -11, 0.5, 12)
        widths = (10.5, 10.5, 11) if course % 2 == 0 else (5, 10.5, 10.5, 5)
        for x, wide in zip(starts, widths, strict=True):
            bricks += box(x, y - 7, wide, 6.6, 1.4, fill=colour, fill_opacity=0.75)
    top = 9 - 8 * courses
    flame = f"M-8 {top}q-3-4 0-7q.4 2 2 2.6q-.6-5 5-9q-.4 4 3 6.4q1.2-1 1-3q5 5 1 10z"
    return bricks + path(flame, fill=AMBER, fill_opacity=0.9)


def sign(walls: bool, colour: str) -> str:
    """What stands for any royal, or for any firewall."""
    return stroke(_BRICKS, colour, 1.8) if walls else _crown(13, colour)


def flake(x: float, y: float, scale: float) -> str:
    """A snowflake for ICE; a small one has bare arms."""
    shape = _FLAKE_ARM if scale > 0.8 else _BARE_ARM
    arms = "".join(
        svg.tag("path", d=shape, transform=f"rotate({turn})" if turn else None)
        for turn in range(0, 360, 60)
    )
    thick = 1.8 / max(scale, 0.6)
    return at(
        x,
        y,
        svg.group(arms, fill="none", stroke=ICE, stroke_width=thick, stroke_linecap="round"),
        scale,
    )


def shield(x: float, y: float, scale: float) -> str:
    """What stands for strength."""
    outline = path(_SHIELD, fill=BRIGHT, fill_opacity=0.2) + stroke(_SHIELD, BRIGHT, 1.8)
    return at(x, y, outline, scale)


def ring(colour: str) -> str:
    """Arrows in a ring: what resets a pile."""
    arrows = stroke("M24-9.5A25.8 25.8 0 0 0-24-9.5M-24 9.5A25.8 25.8 0 0 0 24 9.5", colour, 2)
    tips = path("M-28-11L-25.4-2.6-19-8.4z", fill=colour)
    tips += path("M28 11L25.4 2.6 19 8.4z", fill=colour)
    return disc(0, 0, 24, colour, fill_opacity=0.1) + arrows + tips


@kept
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
    return index + pip(face.suits[0], middle, 30, 10.5, colour) if len(face.suits) == 1 else index


@kept
def _cap() -> str:
    """The joker's cap."""
    return (
        path("M-15 10Q-24 4-20-9-12-7-7 1-6-10 0-17 6-10 7 1 12-7 20-9 24 4 15 10z", fill=MAGENTA)
        + path("M0-17Q6-10 7 1 12-7 20-9 24 4 15 10H0z", fill=VIOLET)
        + box(-16, 12, 32, 4.6, 2.3, fill=BRIGHT)
        + "".join(disc(x, y, 3, AMBER) for x, y in ((-20, -10), (0, -18), (20, -10)))
    )


def _joker() -> str:
    """The cap, and the name down the side."""
    name = "".join(
        letters(letter, 13, 22 + 16 * place, LEAST, "middle", MAGENTA, 1.6)
        for place, letter in enumerate("Joker")
    )
    glitch = "".join(
        box(x, y, wide, 1.6, 0.8, fill=colour, fill_opacity=0.7)
        for x, y, wide, colour in (
            (27, 72, 22, svg.CYAN),
            (34, 76, 28, MAGENTA),
            (25, 80, 14, VIOLET),
            (43, 80, 17, svg.CYAN),
            (30, 84, 26, MAGENTA),
        )
    )
    return name + at(44, 46, _cap()) + glitch


@kept
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
        return drawn + at(36, 53, ring(colour), 0.92) + pip(face.suits[0], 36, 53, 27, colour)
    return drawn + "".join(
        pip(face.suits[0], 32 + 26 * x, 26 + 56 * y, 13.5, colour, 180 if y > 0.5 else 0)
        for x, y in _PIPS[value]
    )


def _crest(face: Face, x: float, y: float, scale: float) -> str:
    crest = _wall if face.rank.isdigit() else _crown
    return at(x, y, crest(face.value, ink(face)), scale)


def _emblem(face: Face, x: float, y: float, size: float) -> str:
    """The suit, large; the two that it may be of a black or red 12; any of an 11."""
    colour = ink(face)
    if not face.suits:
        return letters("Any", x, y + LEAST / 2, LEAST, "middle", colour)
    if len(face.suits) == 1:
        return pip(face.suits[0], x, y, size, colour)
    left, right = face.suits
    return pip(left, x - 0.46 * size, y, 0.8 * size, colour) + pip(
        right, x + 0.46 * size, y, 0.8 * size, colour
    )


@kept
def royal(face: Face, strength: int, ice: int, beaten: str = "") -> str:
    """A royal on its outer pile, with its strength and its ICE, or with what has *beaten* it."""
    drawn = _blank(ICE if ice else ink(face), _tint(face), 2)
    if ice:
        drawn += path(_ICICLES, fill=ICE, fill_opacity=0.7)
    drawn += _index(face) + _crest(face, 44, 32, 0.8) + _emblem(face, 44, 55, 20)
    bar = box(2.5, 70, 67, 26, 6, fill=NIGHT, fill_opacity=0.9)
    if beaten:
        bar += letters(beaten, 36, 88.5, LEAST, "middle", GREEN)
        return svg.group(drawn, opacity=0.75) + at(40, 44, stroke(_CROSS, GREEN, 3)) + bar
    if ice:
        bar += shield(12, 82.8, 0.7) + letters(str(strength), 20, 88.5, LEAST)
        bar += flake(46.5, 83, 0.62) + letters(str(ice), 54, 88.5, LEAST, colour=ICE)
    else:
        left = 36 - (19 + width(str(strength), 13)) / 2
        bar += shield(left + 7, 82.8, 0.9) + letters(str(strength), left + 19, 89.3, 13)
    return drawn + bar


@kept
def small(face: Face) -> str:
    """A card 30 by 42 that is known to come: rank and pips."""
    colour, suits = ink(face), face.suits
    drawn = box(0, 0, 30, 42, 5, fill=NIGHT)
    drawn += box(0.6, 0.6, 28.8, 40.8, 4.4, _tint(face), stroke=colour, stroke_width=1.2)
    if not face.value:
        return drawn + at(15, 22, _cap(), 0.5)
    drawn += letters(face.rank, 15, 18, LEAST, "middle", colour, 1.7)
    for place, suit in enumerate(suits):
        drawn += pip(suit, 15 + 11.5 * (place - (len(suits) - 1) / 2), 30, 10.5, colour)
    return drawn


#: Lines from corner to corner of a card face down, within its frame.
_LATTICE: Final = "".join(
    f"M{first} {8 + first - x}L{last} {8 + last - x}"
    f"M{first} {92 - first + x}L{last} {92 - last + x}"
    for x in range(-76, 72, 14)
    for first, last in [(max(x, 7), min(x + 84, 65))]
    if first < last
)
_BACK: Final = svg.shade("#150a26", "#f7e6f4")


@kept
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
