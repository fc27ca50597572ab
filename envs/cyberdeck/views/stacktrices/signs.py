"""The signs in Stacktrices' pictures: pyramids, marks, what may be chosen, what has happened."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from cyberdeck.common.tables import table_of
from cyberdeck.drawing import svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.lettering import text as letters
from cyberdeck.drawing.svg import at, box, disc, kept, number, path, shade, stroke, way
from cyberdeck.games.stacktrices.constants import PIPS, QUEEN, SKILL

Point: TypeAlias = tuple[float, float]

# --- pyramids ------------------------------------------------------------------------------------
# A pyramid stands with the middle of its foot at the origin. Its edge towards us divides it into
# a bright face and a dark one.


Inks: TypeAlias = tuple[str, ...]  # bright and dark face, edges, pips

_COLOURS: Final = table_of(__package__, "colours.toml")
_INKS: Final[list[Inks]] = [tuple(shade(*pair) for pair in four) for four in _COLOURS["pieces"]]
_BASE_INKS: Final[list[Inks]] = [tuple(shade(*pair) for pair in four) for four in _COLOURS["bases"]]
_WIDE: Final = (21, 31, 41)  # by size
_HIGH: Final = (19, 28, 37)
_BASES: Final = ((42, 31, 11), (52, 38, 12))  # drone and queen: wide, high, seen below a cap
_FOOT: Final = 4  # a queen stands on a step
_ROOM: Final = 60  # the highest stack
_BAND: Final = 9  # how much of a piece is seen below the next


def _pips(count: int, y: float, radius: float, colour: str) -> str:
    gap, dot = 3.1 * radius, "M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z"
    dot = dot.format("{}", "{}", r=number(radius), d=number(2 * radius))
    firsts = ((place - (count - 1) / 2) * gap - radius for place in range(count))
    return path("".join(way(dot, first, y) for first in firsts), fill=colour)


@kept
def _pyramid(
    wide: float,
    high: float,
    inks: Inks,
    pips: int,
    band: float | None,
    fresh: bool = False,
) -> str:
    """A pyramid with its pips at the foot; with a *band* only so much of it is seen."""
    bright, dark, edge, ink = inks
    left, right, ridge, drop = -wide / 2, wide / 2, 0.2 * wide, 0.05 * wide
    top = high if band is None else band + 1
    half = wide / 2 * (1 - top / high)  # of the edge at the top: it is cut off under the next
    bend = 0.4 * half
    shape = way("M{} 0L{} {}H{}L{} 0 {} {}z", left, -half, -top, half, right, ridge, drop)
    shadow = way("M{} {}H{}L{} 0 {} {}z", bend, -top, half, right, ridge, drop)
    faces = path(shape, fill=bright) + path(shadow, fill=dark)
    if inks == _INKS[SKILL] and band is None:  # light on the glass
        shine = way("M{} {}L{} {}", 0.3 * left, -0.52 * high, 0.5 * left, -0.22 * high)
        faces += stroke(shine, svg.BRIGHT, 1.4, stroke_opacity=0.6)
    low = 10 if band is None else band
    return (
        faces
        + (stroke(shape, svg.BRIGHT, 2.6) if fresh else stroke(shape, edge, 1.2))
        + _pips(pips, -0.42 * min(low, 10), min(1.9, low / 4.4), ink)
    )


def piece(kind: int, band: float | None = None, fresh: bool = False) -> str:
    size = kind % SKILL
    return _pyramid(_WIDE[size], _HIGH[size], _INKS[kind], size + 1, band, fresh)


@kept
def base(colour: int, queen: bool, capped: bool) -> str:
    """A stack's base; a queen stands on a step, so that the two differ by more than size."""
    wide, high, seen = _BASES[queen]
    inks = _BASE_INKS[colour]
    pyramid = _pyramid(wide, high, inks, 2 + queen, seen if capped else None)
    if not queen:
        return pyramid
    bright, dark, edge, _ = inks
    left, right, ridge = -wide / 2 - 4, wide / 2 + 4, 0.2 * wide
    step = way("M{} 0v4L{} 7 {} 4v-4z", left, ridge, right)  # as high as the foot
    drawn = path(step, fill=bright) + path(way("M{} 3V7L{} 4v-4z", ridge, right), fill=dark)
    return at(0, -_FOOT, drawn + stroke(step, edge, 1.2) + pyramid)


def tower(
    colour: int, queen: bool, pieces: Sequence[int], fresh: Collection[int] = ()
) -> tuple[str, list[tuple[str, Point]]]:
    """A stack: its base, movement on it, skill on top, those of *fresh* kinds with bright edges;
    and how many there are of a kind, where it is several: in words, with the place.
    """
    kinds = [kind for sort in (0, SKILL) for kind in range(sort + 2, sort - 1, -1) if pieces[kind]]
    drawn = base(colour, queen, bool(kinds))
    y = float(-_BASES[queen][2] - (_FOOT if queen else 0))
    counts = []
    for place, kind in enumerate(kinds, 1):
        room = _ROOM + y - _HIGH[kinds[-1] % SKILL]
        band = min(_BAND, room / max(1, len(kinds) - place))
        drawn += at(0, y, piece(kind, band if place < len(kinds) else None, kind in fresh))
        if pieces[kind] > 1:
            counts.append((f"\N{MULTIPLICATION SIGN}{pieces[kind]}", (-_WIDE[kind % SKILL] / 2, y)))
        y -= band
    return drawn, counts


@kept
def silhouette(colour: int, queen: bool, alive: bool) -> str:
    """A base in the row of those that are left."""
    wide, high = (19, 19) if queen else (14, 14)
    shape = f"M{-wide / 2} 0L0 {-high} {wide / 2} 0z"
    if queen:
        shape += f"M{-wide / 2 - 1} 3H{wide / 2 + 1}"
    if alive:
        bright, _, edge, _ = _BASE_INKS[colour]
        return path(shape, fill=bright) + stroke(shape, edge, 1.4)
    return stroke(shape, svg.LINE, 1.2) + stroke("M-4-9l8 6m0-6l-8 6", svg.RED, 1.8)


# --- marks ---------------------------------------------------------------------------------------

icon: Final = svg.icons_of(__package__)


def thief_mark(exposed: bool) -> str:
    """A hooded face; a thief that is exposed for good stands in the light."""
    return icon("exposed_thief", svg.RED) if exposed else icon("thief", svg.MAGENTA)


#: A padlock: no raid until the stack has been home.
RAIDED: Final = icon("raided", svg.AMBER)


# --- what may be chosen, and what has happened ---------------------------------------------------


def plate(words: str, x: float, y: float, colour: str = svg.BRIGHT) -> str:
    """Words that can be read on everything; their upper left corner is at (x, y)."""
    wide = width(words, LEAST) + 6
    return box(x, y, wide, LEAST + 4, 3, fill=svg.NIGHT, fill_opacity=0.85) + letters(
        words, x + 3, y + LEAST + 2, LEAST, colour=colour, weight=1.7
    )


CHIP: Final = (20, 15)  # wide, high
_ROUND: Final = "M4 .5h12q3.5 0 3.5 3.5v7q0 3.5-3.5 3.5h-12q-3.5 0-3.5-3.5v-7q0-3.5 3.5-3.5z"
_CUT: Final = "M4 .5h12l3.5 3.5v7l-3.5 3.5h-12l-3.5-3.5v-7z"

#: The edges of pieces that may come or leave, of those that just have, and earlier in a trade.
MAY, NOW, EARLIER = svg.LIME, svg.BRIGHT, svg.NIGHT


@kept
def chip(change: int, kind: int, edge: str) -> str:
    """A piece that comes on a stack (1) or leaves it (-1), by its pips: round for movement, with
    cut corners for skill. Its upper left corner is at (0, 0).
    """
    shape, bright, dark = (_ROUND if kind < SKILL else _CUT), _INKS[kind][0], _INKS[kind][3]
    drawn = stroke(shape, svg.NIGHT, 5.5) if edge == NOW else ""
    drawn += path(shape, fill=bright, stroke=edge, stroke_width=2.2 if edge == NOW else 1.4)
    sign = "M3.8 7.5h4.4" + ("m-2.2-2.2v4.4" if change > 0 else "")
    return (
        drawn
        + stroke(sign, dark, 1.7)
        + letters(str(PIPS[kind]), 13.4, (CHIP[1] + LEAST) / 2, LEAST, "middle", dark, 1.8)
    )


@kept
def goal(stack: int, captures: bool, relayed: bool = False) -> str:
    """The number of a stack that may move to a square; a diamond where it captures; a box
    where friends pass it on.
    """
    if captures:
        ground = path("M0-13L13 0 0 13-13 0z", fill=svg.RED, stroke=svg.NIGHT, stroke_width=1.5)
    elif relayed:
        ground = box(-8.5, -8.5, 17, 17, 2, fill=svg.LIME, stroke=svg.NIGHT, stroke_width=1.5)
    else:
        ground = disc(0, 0, 9, svg.LIME, stroke=svg.NIGHT, stroke_width=1.5)
    return ground + letters(str(stack), 0, LEAST / 2, LEAST, "middle", svg.NIGHT, 1.9)


@kept
def aim(half: float) -> str:
    """A stack that may be captured, about its middle."""
    sides = ((1, 0), (0, 1), (-1, 0), (0, -1))
    sight = "".join(way("M{} {}l{} {}", half * x, half * y, -9 * x, -9 * y) for x, y in sides)
    edge = -half, -half, 2 * half, 2 * half, 4
    frame = box(*edge, stroke=svg.NIGHT, stroke_width=4.5)
    frame += box(*edge, stroke=svg.RED, stroke_width=2)
    return frame + stroke(sight, svg.NIGHT, 5) + stroke(sight, svg.RED, 2.8)


@kept
def trail(x: float, y: float, bow: float = 0) -> str:
    """The way of the last move, from (0, 0): straight, or bowed by a share of its length."""
    x1, y1 = x / 2 - bow * y, y / 2 + bow * x
    curve = way("M0 0Q{} {} {} {}", x1, y1, x, y)
    turn = math.degrees(math.atan2(y - y1, x - x1))
    tip = "M-9-7L0 0-9 7"
    arrow = stroke(tip, svg.NIGHT, 6, stroke_opacity=0.6) + stroke(tip, svg.CYAN, 2.6)
    return (
        stroke(curve, svg.NIGHT, 5, stroke_opacity=0.6)
        + disc(0, 0, 8, svg.NIGHT, fill_opacity=0.6, stroke=svg.CYAN, stroke_width=2)
        + stroke(curve, svg.CYAN, 2.2, stroke_dasharray="1 5")
        + at(x, y, arrow, turn=turn)
    )


_COMPASS: Final = ("M-5-5L-2-2M5-5L2-2M5 5L2 2M-5 5L-2 2", "M0-7V-3M7 0H3M0 7V3M-7 0H-3")


def compass(size: int, colour: str) -> str:
    """The directions that a skill adds."""
    lines = _COMPASS[0] + _COMPASS[1] if size == QUEEN else _COMPASS[size]
    return disc(0, 0, 1.3, colour) + stroke(lines, colour, 1.7)
