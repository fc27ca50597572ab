"""Small helpers that write SVG, the palette that all pictures share, and the suits' pips."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from cyberdeck.common.tables import table_of, text_of
from cyberdeck.errors import require

# --- the palette ---------------------------------------------------------------------------------

#: What the light theme makes of each colour; pictures are drawn in the dark theme's.
LIGHT: Final[dict[str, str]] = {}

THEMES: Final = ("dark", "light")


def shade(dark: str, light: str) -> str:
    """A colour to draw in, by its name in the dark theme, and what the light theme has for it."""
    LIGHT[dark] = light
    return dark


NIGHT: Final = shade("#070919", "#eef2fb")
DEEP: Final = shade("#0b1024", "#e4eaf7")
PANEL: Final = shade("#0c122a", "#ffffff")
CARD: Final = shade("#151d40", "#f4f7fe")
LINE: Final = shade("#3b4a82", "#9aa7cd")
DIM: Final = shade("#93a0cc", "#4f5b86")
BRIGHT: Final = shade("#eaf0ff", "#10163a")
CYAN: Final = shade("#27e1ff", "#00697f")
MAGENTA: Final = shade("#ff4fd0", "#b3127c")
RED: Final = shade("#ff5470", "#c2163a")
SILVER: Final = shade("#cfdcff", "#2b3763")
ICE: Final = shade("#8ff4ff", "#0a6f96")
LIME: Final = shade("#d4ff4d", "#476f00")
GREEN: Final = shade("#48f59a", "#00734a")
AMBER: Final = shade("#ffb347", "#8f5200")
VIOLET: Final = shade("#b18cff", "#6335c9")
_GRID: Final = shade("#101738", "#e0e7f6")

_COLOUR = re.compile('(?<=")#[0-9a-f]{6}(?=")')
_PAINT = re.compile('(fill|stroke|stop-color)="(#[0-9a-f]{6})"')


def themed(svg: str, theme: str) -> str:
    """A picture in the colours of a theme."""
    require(theme in THEMES, "theme", theme, "choose 'dark' or 'light'")
    if theme == "dark":
        return svg
    return _COLOUR.sub(lambda colour: LIGHT.get(colour[0], colour[0]), svg)


def both_themes(svgs: Iterable[str]) -> tuple[str, str, str]:
    """For a page whose viewers choose the theme: a style sheet that takes the pictures' colours
    from variables, and these for the dark and for the light theme.

    So the page needs each picture once: a style sheet stands above attributes.
    """
    painted = sorted({found for svg in svgs for found in _PAINT.findall(svg)})
    colours = sorted({colour for _, colour in painted if colour in LIGHT})
    rules = "".join(
        f'[{paint}="{colour}"]{{{paint}:var(--{colour[1:]})}}\n'
        for paint, colour in painted
        if colour in LIGHT
    )
    dark = "".join(f"--{colour[1:]}:{colour};" for colour in colours)
    return rules, dark, "".join(f"--{colour[1:]}:{LIGHT[colour]};" for colour in colours)


_Writer = TypeVar("_Writer", bound=Callable[..., Any])


def kept(function: _Writer) -> _Writer:
    """What *function* writes is kept: the pictures of a game have most of their parts in common."""
    return cast("_Writer", lru_cache(maxsize=1 << 13)(function))


# --- writing SVG ---------------------------------------------------------------------------------

Ink: TypeAlias = float | str | None  # an attribute of an element

#: The ends and the corners of lines.
ROUND: Final = 'stroke-linecap="round" stroke-linejoin="round"'


@kept
def number(value: float, places: int = 2) -> str:
    """A coordinate with no more digits than it needs."""
    short = f"{value:.{places}f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
    return "0" if short == "-0" else short


def way(template: str, *places: float) -> str:
    """A path with coordinates in its braces.

    >>> way("M{} {}h8", 0.5, 3)
    'M0.5 3h8'
    """
    return template.format(*map(number, places))


def tag(name: str, content: str = "", /, **attributes: Ink) -> str:
    """An element; underscores in attributes stand for hyphens, None leaves an attribute out."""
    written = "".join(
        f' {key.replace("_", "-")}="{value if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def path(d: str, **attributes: Ink) -> str:
    return tag("path", d=d, **attributes)


def stroke(d: str, colour: str, width: float, **attributes: Ink) -> str:
    """A line drawn along *d* with round ends and corners."""
    ink = f'fill="none" stroke="{colour}" stroke-width="{number(width)}" {ROUND}'
    return tag(f'path d="{d}" {ink}', **attributes)


def box(
    x: float, y: float, wide: float, high: float, radius: float = 0, fill: str = "none", **ink: Ink
) -> str:
    """A rectangle with rounded corners."""
    size = {"width": wide, "height": high, "rx": radius or None}
    return tag("rect", x=x, y=y, **size, fill=fill, **ink)


def disc(x: float, y: float, radius: float, fill: str, **attributes: Ink) -> str:
    return tag("circle", cx=x, cy=y, r=radius, fill=fill, **attributes)


def group(content: str, **attributes: Ink) -> str:
    return tag("g", content, **attributes) if content else ""


def at(x: float, y: float, content: str, scale: float = 1, turn: float = 0) -> str:
    """*content* moved to (x, y), scaled and turned about its own origin."""
    moves = f"translate({number(x)} {number(y)})"
    if scale != 1:
        moves += f"scale({number(scale, 4)})"
    if turn:
        moves += f"rotate({number(turn)})"
    return group(content, transform=moves)


def panel(x: float, y: float, width: float, height: float, colour: str = LINE) -> str:
    """Something to stand on, beside or below the table."""
    return box(x, y, width, height, 12, fill=PANEL, stroke=colour)


def vacant(x: float, y: float, width: float, height: float, colour: str = LINE) -> str:
    """The outline of a card that is not there."""
    inside = x + 1, y + 1, width - 2, height - 2, 8, NIGHT
    return box(*inside, fill_opacity=0.4, stroke=colour, stroke_width=1.3, stroke_dasharray="5 4")


def glow(
    x: float, y: float, width: float, height: float, radius: float, colour: str, strength: float = 1
) -> str:
    """Light around a rounded rectangle, in layers: filters would cost ten times as long."""
    rings = ""
    for by in (2, 4, 7):
        around = x - by, y - by, width + 2 * by, height + 2 * by, radius + by
        rings += box(*around, fill=colour, fill_opacity=0.1 * strength)
    return rings


@kept
def corners(
    x: float, y: float, width: float, height: float, arm: float, colour: str, thick: float
) -> str:
    """Four corner brackets, as a viewfinder has."""
    right, below = x + width, y + height
    d = way("M{} {}V{}h{}M{} {}H{}v{}", x, y + arm, y, arm, right - arm, y, right, arm)
    d += way("M{} {}V{}h{}", right, below - arm, below, -arm)
    return stroke(d + way("M{} {}H{}v{}", x + arm, below, x, -arm), colour, thick)


def fade(name: str, first: str, last: str) -> str:
    """The definition of a linear gradient, from the upper left to the lower right."""
    stops = tag("stop", offset="0", stop_color=first) + tag("stop", offset="1", stop_color=last)
    return tag("linearGradient", stops, id=name, x1="0", y1="0", x2="1", y2="1")


@kept
def backdrop(width: int, height: int) -> str:
    """The night, and the fine lines behind everything.

    Each line is a path of its own: one path of them all takes several times as long to paint.
    """
    lines = [f"M{x + 0.5} 0V{height}" for x in range(24, width, 24)]
    lines += [f"M0 {y + 0.5}H{width}" for y in range(24, height, 24)]
    paths = "".join(path(line) for line in lines)
    grid = group(paths, stroke=_GRID, shape_rendering="crispEdges")
    return box(0, 0, width, height, fill=NIGHT) + grid


def document(
    width: float, height: float, title: str, desc: str, definitions: str, content: str
) -> str:
    """A whole picture; *title* and *desc* say in words what it shows."""
    said = tag("title", html.escape(title, quote=False))
    said += tag("desc", html.escape(desc, quote=False)) if desc else ""
    said += tag("defs", definitions) if definitions else ""
    size = {"viewBox": f"0 0 {number(width)} {number(height)}", "width": number(width)}
    size["height"] = number(height)
    # What can be chosen in an image is not read out.
    role = "group" if ' role="button"' in content else "img"
    return tag("svg", said + content, xmlns="http://www.w3.org/2000/svg", **size, role=role)


def target(content: str, actions: Sequence[int], words: str, *, alone: bool = True) -> str:
    """*content* as what stands for legal actions; it is read out as *words*.

    A page that lets people click finds them by ``data-actions``, numbers with blanks between them.
    Who chooses a target with several actions chooses another then, such as a card's new place: what
    both have in common is left, until it is one. *alone*: nothing else stands for its one action,
    which then is its id: ``action-17``.
    """
    if not actions:
        return content
    own = {"id": f"action-{actions[0]}"} if alone and len(actions) == 1 else {}
    numbers, name = " ".join(map(str, actions)), html.escape(words)
    return group(content, **own, data_actions=numbers, role="button", tabindex="0", aria_label=name)


def piece(content: str, name: str) -> str:
    """*content* as a thing that stays the same from picture to picture: a page that shows one after
    the other lets what has the same *name* glide to its new place.

    The name says no more than the picture does.
    """
    return group(content, data_piece=html.escape(name))


# --- signs of a game -----------------------------------------------------------------------------

_GROUP: Final = re.compile(r'^  <g id="(\w+)">\n(.*?)^  </g>\n', re.MULTILINE | re.DOTALL)


def icons_of(package: str) -> Callable[[str, str], str]:
    """(id, colour): a sign of a package's ``icons.svg``, where any editor shows and changes
    them, in a colour.

    Each is a group with an id, on lines of its own, drawn about (0, 0) in the dark theme's colours;
    ``currentColor`` stands for the colour that it is drawn in.
    """
    groups = _GROUP.findall(text_of(package, "icons.svg"))
    icons = {name: "".join(map(str.strip, group.splitlines())) for name, group in groups}

    def icon(name: str, colour: str) -> str:
        return icons[name].replace("currentColor", colour)

    return icon


# --- where things lie ----------------------------------------------------------------------------


class Block(NamedTuple):
    """Part of a picture, drawn from (0, 0)."""

    width: float
    height: float
    content: str


def flow(blocks: Iterable[Block], wide: float, gap: float) -> Block:
    """Blocks from left to right, begun anew below where the next one does not fit.

    In a narrow picture they come one below the other.
    """
    x = y = high = reach = 0.0
    content = ""
    for block in blocks:
        if x > 0 and x + block.width > wide + 0.01:
            x, y, high = 0.0, y + high + gap, 0.0
        content += at(x, y, block.content)
        reach = max(reach, x + block.width)
        high = max(high, block.height)
        x += block.width + gap
    return Block(reach, y + high, content)


def panelled(block: Block, pad: float = 16, wide: float = 0) -> Block:
    """A block on a panel, which is as wide as it or as *wide* as said."""
    wide, high = max(wide, block.width + 2 * pad), block.height + 2 * pad
    return Block(wide, high, panel(0, 0, wide, high) + at(pad, pad, block.content))


# --- pips ----------------------------------------------------------------------------------------

#: Clubs, hearts, spades, diamonds, each within a square from -10 to 10.
PIPS: Final[list[str]] = table_of("cyberdeck.drawing", "pips.toml")["pips"]


def pip(suit: int, x: float, y: float, size: float, colour: str, turn: float = 0) -> str:
    """The pip of a suit, *size* high, centred on (x, y)."""
    moves = f"translate({number(x)} {number(y)})scale({number(size / 20, 4)})"
    if turn:
        moves += f"rotate({number(turn)})"
    return tag("path", d=PIPS[suit], transform=moves, fill=colour)
