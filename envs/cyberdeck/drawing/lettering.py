"""Our own single-stroke alphabet: pictures need no fonts and look the same on every machine.

A letter is one bent neon tube: a relative SVG path on a grid where capitals are ten units high,
y pointing down from the top of the capitals. Lower-case letters are drawn as capitals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cyberdeck.drawing import svg
from cyberdeck.drawing.svg import BRIGHT, CYAN, DIM, LIME, MAGENTA, NIGHT, PANEL, Block, at, box

#: No letter of a picture is less high, in pixels, at the picture's own size.
LEAST: Final = 11

_HEIGHT: Final = 10
_GAP: Final = 2.6  # between two letters
_BLANK: Final = 3.4  # the width of a space
_NARROW: Final = 500  # less is a narrow picture
_NEWS: Final = "JUST NOW"
_BAR: Final = 40, 78  # how high the bar at the foot is at least, and in a narrow picture

_O: Final = "m2 0h2q2 0 2 2v6q0 2-2 2h-2q-2 0-2-2v-6q0-2 2-2z"

#: The width and the strokes of every character.
_TUBES: Final[dict[str, tuple[float, str]]] = {
    " ": (_BLANK, ""),
    "A": (6, "m0 10v-5l2-4q1-2 2 0l2 4v5m-6-3h6"),
    "B": (6, "m0 5h4q2 0 2 2v1q0 2-2 2h-4v-10h3.6q2 0 2 2v1q0 2-2 2"),
    "C": (6, "m6 2q0-2-2-2h-2q-2 0-2 2v6q0 2 2 2h2q2 0 2-2"),
    "D": (6, "m0 0v10h3q3 0 3-3v-4q0-3-3-3z"),
    "E": (5.4, "m5.4 0h-5.4v10h5.4m-5.4-5h4.6"),
    "F": (5.4, "m5.4 0h-5.4v10m0-5h4.6"),
    "G": (6, "m6 2q0-2-2-2h-2q-2 0-2 2v6q0 2 2 2h2q2 0 2-2v-2.6h-2.6"),
    "H": (6, "m0 0v10m0-5h6m0-5v10"),
    "I": (0, "m0 0v10"),
    "J": (5, "m5 0v8q0 2-2 2h-1q-2 0-2-2v-.6"),
    "K": (6, "m0 0v10m5.6-10l-5.6 5.6m1.8-1.8l4.2 6.2"),
    "L": (5, "m0 0v10h5"),
    "M": (7, "m0 10v-10l3.5 5.4 3.5-5.4v10"),
    "N": (6, "m0 10v-10l6 10v-10"),
    "O": (6, _O),
    "P": (6, "m0 10v-10h4q2 0 2 2v1.5q0 2-2 2h-4"),
    "Q": (6, _O + "m1.7 7.3l2.8 3.2"),
    "R": (6, "m0 10v-10h4q2 0 2 2v1.5q0 2-2 2h-4m2.8 0l3.2 4.5"),
    "S": (6, "m6 2q0-2-2-2h-2q-2 0-2 2v1q0 2 2 2h2q2 0 2 2v1q0 2-2 2h-2q-2 0-2-2"),
    "T": (6, "m0 0h6m-3 0v10"),
    "U": (6, "m0 0v8q0 2 2 2h2q2 0 2-2v-8"),
    "V": (6, "m0 0l3 10 3-10"),
    "W": (8.4, "m0 0l2 10 2.2-7 2.2 7 2-10"),
    "X": (6, "m0 0l6 10m0-10l-6 10"),
    "Y": (6, "m0 0l3 5 3-5m-3 5v5"),
    "Z": (6, "m0 0h6l-6 10h6"),
    "0": (6, _O + "m2.2 3.2l-2.4 3.6"),
    "1": (2.6, "m0 2.4l2.6-2.4v10"),
    "2": (6, "m0 2q0-2 2-2h2q2 0 2 2v.8q0 1.5-1 2.4l-5 4.8h6"),
    "3": (6, "m0 2q0-2 2-2h2q2 0 2 2v1q0 2-2 2h-1.6m1.6 0q2 0 2 2v1q0 2-2 2h-2q-2 0-2-2"),
    "4": (6, "m4.6 10v-10l-4.6 7.2h6"),
    "5": (6, "m5.6 0h-5.2l-.4 4.4h3.6q2.4 0 2.4 2.4v1q0 2.2-2.2 2.2h-1.8q-2 0-2-2"),
    "6": (6, "m5.6 1.2q-.5-1.2-1.9-1.2h-1.2q-2.5 0-2.5 2.5v5.5q0 2 2 2h2q2 0 2-2v-1.4q0-2-2-2h-4"),
    "7": (6, "m0 0h6l-3.8 10"),
    "8": (
        6,
        "m2 4.8q-2 0-2-2v-.8q0-2 2-2h2q2 0 2 2v.8q0 2-2 2zh2q2 0 2 2v1.2q0 2-2 2h-2q-2 0-2-2v-1.2"
        "q0-2 2-2",
    ),
    "9": (6, "m.4 8.8q.5 1.2 1.9 1.2h1.2q2.5 0 2.5-2.5v-5.5q0-2-2-2h-2q-2 0-2 2v1.4q0 2 2 2h4"),
    "+": (5, "m0 5h5m-2.5-2.5v5"),
    "-": (4, "m0 5h4"),
    "\N{MINUS SIGN}": (5, "m0 5h5"),
    "\N{MULTIPLICATION SIGN}": (4.4, "m0 3.4l4.4 4.4m0-4.4l-4.4 4.4"),
    "*": (4.4, "m2.2 1v5m-2.2-3.8l4.4 2.6m0-2.6l-4.4 2.6"),
    "/": (4, "m0 10.6l4-11.2"),
    "=": (5, "m0 3.4h5m-5 3.2h5"),
    "<": (4.6, "m4.6 1.6l-4.6 3.4 4.6 3.4"),
    ">": (4.6, "m0 1.6l4.6 3.4-4.6 3.4"),
    "(": (2, "m2-1q-2 2.4-2 6t2 6"),
    ")": (2, "m0-1q2 2.4 2 6t-2 6"),
    "'": (0, "m0 0v2.4"),
    ":": (0.5, "m0 3h.5m-.5 5h.5"),
    ";": (0.8, "m.3 3h.5m0 5.6l-.8 2.8"),
    ".": (0.5, "m0 9.8h.5"),
    ",": (0.8, "m.8 9.6l-.8 2.2"),
    "!": (0, "m0 0v6.4m0 3.4h.01"),
    "?": (5.4, "m0 2q0-2 2-2h1.4q2 0 2 2v.6q0 1.4-1.4 2.2t-1.4 2.2m0 3h.01"),
    "#": (6, "m2.4 1l-1 8m4.2-8l-1 8m-4.6-5.4h6m-6 3h6"),
    "%": (7.8, "m6.4 0l-5.2 10m.5-10a1.7 1.8 0 1 0 .01 0m4.4 6.4a1.7 1.8 0 1 0 .01 0"),
    "&": (
        6,
        "m6 10l-4.6-6.4q-1.2-2 .2-3 1.3-.9 2.5.1 1.3 1.3-.4 2.8l-1.8 1.3q-1.9 1.3-1.9 2.9"
        " 0 2.3 2.4 2.3 2.6 0 3.4-3.6",
    ),
    "_": (6, "m0 11h6"),
    "\N{MIDDLE DOT}": (0.5, "m0 5h.5"),
    "\N{LEFTWARDS ARROW}": (7, "m7 5h-7m3-3l-3 3 3 3"),
    "\N{RIGHTWARDS ARROW}": (7, "m0 5h7m-3-3l3 3-3 3"),
    "\N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW}": (
        9,
        "m0 2.6h9m-2.2-2.2l2.2 2.2-2.2 2.2m2.2 2.8h-9m2.2-2.2l-2.2 2.2 2.2 2.2",
    ),
    "\N{UPWARDS ARROW}": (6, "m3 10v-10m-3 3l3-3 3 3"),
    "\N{DOWNWARDS ARROW}": (6, "m3 0v10m-3-3l3 3 3-3"),
}


def width(string: str, size: float) -> float:
    """How much room *string* takes when its capitals are *size* high."""
    tubes = [_tube(letter)[0] for letter in string]
    return (sum(tubes) + _GAP * (len(tubes) - 1)) * size / _HEIGHT if tubes else 0.0


@svg.kept
def text(
    string: str,
    x: float,
    y: float,
    size: float,
    anchor: str = "start",
    colour: str = BRIGHT,
    weight: float | None = None,
    opacity: float = 1.0,
) -> str:
    """*string* as one path: *y* is the baseline, *size* the height of capitals in pixels.

    *anchor* says whether *x* is the ``start``, ``middle`` or ``end``; *weight* is the width of
    the strokes in pixels.
    """
    if anchor != "start":
        x -= width(string, size) / (2 if anchor == "middle" else 1)
    strokes, at = [], 0.0
    for letter in string:
        wide, tube = _tube(letter)
        if tube:
            strokes.append(f"M{svg.number(at)} 0{tube}")
        at += wide + _GAP
    scale = size / _HEIGHT
    thick = max(1.0, 0.13 * size) if weight is None else weight
    moves = f"translate({svg.number(x)} {svg.number(y - size)})scale({svg.number(scale, 4)})"
    return svg.tag(
        "path",
        d="".join(strokes),
        transform=moves,
        fill="none",
        stroke=colour,
        stroke_width=thick / scale,
        stroke_linecap="round",
        stroke_linejoin="round",
        opacity=opacity if opacity < 1 else None,
    )


def small(string: str, x: float, y: float, colour: str = BRIGHT, anchor: str = "start") -> str:
    """The same in the smallest letters that there are."""
    return text(string, x, y, LEAST, anchor, colour)


def neon(
    string: str,
    x: float,
    y: float,
    size: float,
    anchor: str = "start",
    colour: str = BRIGHT,
    weight: float | None = None,
) -> str:
    """*string* with a glow around it."""
    thick = max(1.0, 0.13 * size) if weight is None else weight
    tubes = ((thick + 0.55 * size, 0.10), (thick + 0.26 * size, 0.22), (thick, 1.0))
    return "".join(text(string, x, y, size, anchor, colour, *tube) for tube in tubes)


def title(string: str, x: float, y: float, size: float) -> str:
    """A game's name, its colours slightly out of register."""
    weight = 0.7 + 0.084 * size
    return (
        neon(string, x - 1.2, y + 0.7, size, colour=MAGENTA, weight=weight + 0.4)
        + text(string, x + 1.2, y - 0.7, size, colour=CYAN, weight=weight + 0.4)
        + text(string, x, y, size, colour=BRIGHT, weight=weight)
    )


def badge(string: str, right: float, y: float) -> str:
    """Words in a pill that ends at *right*."""
    wide = width(string, LEAST) + 24
    return box(right - wide, y, wide, 26, 13, fill=PANEL, stroke=MAGENTA, stroke_width=1.2) + text(
        string, right - wide / 2, y + 18.5, LEAST, "middle", MAGENTA
    )


def wrapped(string: str, wide: float, size: float = LEAST) -> list[str]:
    """*string* in lines of a width."""
    lines, line = [], ""
    for word in string.split(" "):
        longer = f"{line} {word}".lstrip()
        if line and width(longer, size) > wide:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]


def lines(string: str, wide: float, size: float = LEAST, colour: str = BRIGHT) -> Block:
    """*string* from the left, in lines of a width."""
    broken, pitch, content = wrapped(string, wide, size), 1.5 * size, ""
    for place, line in enumerate(broken):
        content += text(line, 0, size + pitch * place, size, colour=colour)
    reach = max(width(line, size) for line in broken)
    return Block(reach, pitch * (len(broken) - 1) + size, content)


# --- what just happened, and what signs mean -----------------------------------------------------

#: What has just happened to a thing, by the sign that it is marked with.
CAME, WENT, MOVED, SWAPPED, FELL, HIT = (
    "+",
    "\N{MINUS SIGN}",
    "\N{RIGHTWARDS ARROW}",
    "\N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW}",
    "\N{MULTIPLICATION SIGN}",
    "!",
)


@svg.kept
def mark(x: float, y: float, wide: float, high: float, sign: str, radius: float = 8) -> str:
    """A ring around what has just changed, and the sign that says how in its upper right corner."""
    return ring(x, y, wide, high, radius) + happened(x + wide - 2, y + 2, sign)


@svg.kept
def ring(
    x: float, y: float, wide: float, high: float, radius: float = 8, colour: str = BRIGHT
) -> str:
    """The ring alone."""
    around = x - 3, y - 3, wide + 6, high + 6, radius + 3
    return box(*around, stroke=NIGHT, stroke_width=5) + box(
        *around, stroke=colour, stroke_width=2.4
    )


@svg.kept
def happened(x: float, y: float, sign: str) -> str:
    """The sign alone; a longer one, such as ``+3``, grows to the left."""
    if len(sign) == 1:
        return svg.disc(x, y, 10, BRIGHT, stroke=NIGHT, stroke_width=2) + text(
            sign, x, y + LEAST / 2, LEAST, "middle", NIGHT, 1.6 if sign == SWAPPED else 2.4
        )
    wide = width(sign, LEAST) + 11
    left = x + 10 - wide
    return box(left, y - 10, wide, 20, 10, BRIGHT, stroke=NIGHT, stroke_width=2) + text(
        sign, left + wide / 2, y + LEAST / 2, LEAST, "middle", NIGHT, 2
    )


@svg.kept
def reframed(x: float, y: float, wide: float, high: float) -> str:
    """The corners of what may be chosen, for what has a ring around it: they lie above the ring."""
    frame = x - 3, y - 3, wide + 6, high + 6, 20
    return svg.corners(*frame, NIGHT, 7) + svg.corners(*frame, LIME, 3.4)


def news(sentences: Iterable[str], rows: int, wide: float) -> Block:
    """What just happened, in words: a bar with room for so many lines, whatever they say."""
    left, top = (width(_NEWS, LEAST) + 36, 25.5) if wide > _NARROW else (16, 44.5)
    said = [line for each in sentences for line in wrapped(each, wide - left - 16)]
    bar = text(_NEWS, 16, 25.5, LEAST, colour=CYAN)
    for row, line in enumerate(said[:rows]):
        bar += text(line, left, top + 1.5 * LEAST * row, LEAST)
    high = top + 1.5 * LEAST * (rows - 1) + 14.5
    return Block(wide, high, svg.panel(0, 0, wide, high) + bar)


def legend(items: Iterable[tuple[str, str]], wide: float, reach: float = 12) -> Block:
    """What signs mean: (sign, words). Signs are drawn about (0, 0), no farther out than *reach*."""
    blocks = []
    for sign, words in items:
        left = 2 * reach + 8
        said = lines(words, wide - left, colour=DIM)
        high = max(2 * reach, said.height)
        content = at(reach, high / 2, sign) + at(left, (high - said.height) / 2, said.content)
        blocks.append(Block(left + said.width + 8, high, content))
    return svg.flow(blocks, wide, 10)


# --- whose turn, and the end ---------------------------------------------------------------------


def asked(task: str, legal: int | None, unit: str, wide: float, room: float = 0) -> Block:
    """The bar at the foot of a picture: what to do, and how many moves are legal if known; *room*
    is left at its right end where it is wide.
    """
    count = "" if legal is None else f"{legal} LEGAL {unit}{'' if legal == 1 else 'S'}"
    room = room if wide > _NARROW else 0
    beside = room + (width(count, LEAST) + 20 if count and wide > _NARROW else 0)
    said = lines(task, wide - 52 - beside)
    high = said.height + 29
    bar = svg.stroke("M16 14l7 6-7 6", LIME, 2.4) + at(36, 14.5, said.content)
    if count and wide > _NARROW:
        bar += text(count, wide - room - 16, 25.5, LEAST, "end", LIME)
    elif count:
        bar += text(count, 36, high + 2.5, LEAST, colour=LIME)
        high += 17
    high = max(high, _BAR[wide < _NARROW])
    return Block(wide, high, svg.panel(0, 0, wide, high) + bar)


def over(headline: str, reason: str, colour: str, wide: float) -> Block:
    """The same bar at the end of a game: how it ended, and why."""
    beside = width(headline, 16) + width(reason, LEAST) + 52 <= wide
    said = lines(reason, wide - (52 if beside else 32))
    high = max(40 if beside else 42 + said.height, _BAR[wide < _NARROW])
    bar = svg.glow(0, 0, wide, high, 12, colour, 0.9)
    bar += box(0, 0, wide, high, 12, fill=NIGHT, stroke=colour, stroke_width=2)
    bar += neon(headline, 16, 28, 16, colour=colour)
    bar += text(reason, wide - 16, 25.5, LEAST, "end") if beside else at(16, 38, said.content)
    return Block(wide, high, bar)


def _tube(letter: str) -> tuple[float, str]:
    return _TUBES.get(letter.upper(), _TUBES["?"])
