"""Our own single-stroke alphabet: pictures need no fonts and look the same on every machine.

A letter is one bent neon tube: a relative SVG path on a grid where capitals are ten units high,
y pointing down from the top of the capitals. Lower-case letters are drawn as capitals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cyberdeck.common.tables import table_of
from cyberdeck.drawing import svg
from cyberdeck.drawing.svg import BRIGHT, CYAN, DIM, LIME, MAGENTA, NIGHT, PANEL, Block, at, box

#: No letter of a picture is less high, in pixels, at the picture's own size.
LEAST: Final = 11

_HEIGHT: Final = 10
_GAP: Final = 2.6  # between two letters
_NARROW: Final = 500  # less is a narrow picture
_NEWS: Final = "JUST NOW"
_BAR: Final = 40, 78  # how high the bar at the foot is at least, and in a narrow picture

#: The width and the strokes of every character.
_TUBES: Final[dict[str, tuple[float, str]]] = table_of("cyberdeck.drawing", "letters.toml")


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
    line = f'path d="{"".join(strokes)}" transform="{moves}" fill="none" stroke="{colour}"'
    line += f' stroke-width="{svg.number(thick / scale)}" {svg.ROUND}'
    return svg.tag(line, opacity=opacity if opacity < 1 else None)


def small(string: str, x: float, y: float, colour: str = BRIGHT, anchor: str = "start") -> str:
    """The same in the smallest letters that there are."""
    return text(string, x, y, LEAST, anchor, colour)


def neon(string: str, x: float, y: float, size: float, colour: str, weight: float = 0) -> str:
    """*string* with a glow around it."""
    thick = weight or max(1.0, 0.13 * size)
    tubes = ((thick + 0.55 * size, 0.10), (thick + 0.26 * size, 0.22), (thick, 1.0))
    return "".join(text(string, x, y, size, "start", colour, *tube) for tube in tubes)


def title(string: str, x: float, y: float, size: float) -> str:
    """A game's name, its colours slightly out of register."""
    weight = 0.7 + 0.084 * size
    return (
        neon(string, x - 1.2, y + 0.7, size, MAGENTA, weight + 0.4)
        + text(string, x + 1.2, y - 0.7, size, colour=CYAN, weight=weight + 0.4)
        + text(string, x, y, size, colour=BRIGHT, weight=weight)
    )


def badge(string: str, right: float, y: float) -> str:
    """Words in a pill that ends at *right*."""
    wide = width(string, LEAST) + 24
    return _pill(string, right - wide, y, wide, MAGENTA, PANEL, 1.2)


def button(string: str, x: float, y: float, wide: float, ink: str, fill: str, edge: float) -> str:
    """Words in a pill that is lit: they may be chosen. *edge*: how thick it is."""
    return svg.glow(x, y, wide, 26, 13, ink, 0.6) + _pill(string, x, y, wide, ink, fill, edge)


def _pill(string: str, x: float, y: float, wide: float, ink: str, fill: str, edge: float) -> str:
    shape = box(x, y, wide, 26, 13, fill=fill, stroke=ink, stroke_width=edge)
    return shape + text(string, x + wide / 2, y + 18.5, LEAST, "middle", ink)


def wrapped(string: str, wide: float) -> list[str]:
    """*string* in lines of a width, in the smallest letters."""
    lines = [""]
    for word in string.split(" "):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and width(longer, LEAST) > wide:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def rows(lines: Sequence[str], x: float, y: float, pitch: float, colour: str = BRIGHT) -> str:
    """Lines one below the other, in the smallest letters."""
    return "".join(small(line, x, y + pitch * at, colour) for at, line in enumerate(lines))


def lines(string: str, wide: float, colour: str = BRIGHT) -> Block:
    """*string* from the left, in lines of a width."""
    broken, pitch = wrapped(string, wide), 1.5 * LEAST
    reach = max(width(line, LEAST) for line in broken)
    content = rows(broken, 0, LEAST, pitch, colour)
    return Block(reach, pitch * (len(broken) - 1) + LEAST, content)


# --- what just happened, and what signs mean -----------------------------------------------------

#: What has just happened to a thing, by the sign that it is marked with.
CAME, WENT, MOVED, SWAPPED, FELL, HIT = tuple("+\u2212\u2192\u21c4\u00d7!")


@svg.kept
def ring(x: float, y: float, wide: float, high: float, radius: float = 8) -> str:
    """A ring around what has just changed."""
    around = x - 3, y - 3, wide + 6, high + 6, radius + 3
    edge = box(*around, stroke=BRIGHT, stroke_width=2.4)
    return box(*around, stroke=NIGHT, stroke_width=5) + edge


@svg.kept
def happened(x: float, y: float, sign: str) -> str:
    """The sign that says how it has changed; a longer one, such as ``+3``, grows to the left."""
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


def news(sentences: Iterable[str], count: int, wide: float) -> Block:
    """What just happened, in words: a bar with room for so many lines, whatever they say."""
    left, top = (width(_NEWS, LEAST) + 36, 25.5) if wide > _NARROW else (16, 44.5)
    said = [line for each in sentences for line in wrapped(each, wide - left - 16)]
    bar = small(_NEWS, 16, 25.5, CYAN) + rows(said[:count], left, top, 1.5 * LEAST)
    high = top + 1.5 * LEAST * (count - 1) + 14.5
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
    bar += neon(headline, 16, 28, 16, colour)
    bar += text(reason, wide - 16, 25.5, LEAST, "end") if beside else at(16, 38, said.content)
    return Block(wide, high, bar)


def _tube(letter: str) -> tuple[float, str]:
    return _TUBES.get(letter.upper(), _TUBES["?"])
