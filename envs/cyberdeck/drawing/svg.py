"""Small helpers that write SVG, the palette that all pictures share, and the suits' pips."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

# --- the palette ---------------------------------------------------------------------------------

NIGHT: Final = "#070919"
DEEP: Final = "#0b1024"
PANEL: Final = "#0c122a"
CARD: Final = "#151d40"
LINE: Final = "#2a3768"
DIM: Final = "#7f8dbd"
BRIGHT: Final = "#eaf0ff"
CYAN: Final = "#27e1ff"
MAGENTA: Final = "#ff4fd0"
RED: Final = "#ff5470"
SILVER: Final = "#cfdcff"
ICE: Final = "#8ff4ff"
LIME: Final = "#d4ff4d"
GREEN: Final = "#48f59a"
AMBER: Final = "#ffb347"
VIOLET: Final = "#b18cff"

_F = TypeVar("_F", bound=Callable[..., Any])


def kept(function: _F) -> _F:
    """What *function* writes is kept: the pictures of a game have most of their parts in common."""
    return cast("_F", lru_cache(maxsize=1 << 13)(function))


# --- writing SVG ---------------------------------------------------------------------------------


@kept
def number(value: float, places: int = 2) -> str:
    """A coordinate with no more digits than it needs."""
    short = f"{value:.{places}f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
    return "0" if short == "-0" else short


def tag(name: str, content: str = "", /, **attributes: float | str | None) -> str:
    """An element; underscores in attributes stand for hyphens, None leaves an attribute out."""
    written = "".join(
        f' {key.replace("_", "-")}="{value if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def path(d: str, **attributes: float | str | None) -> str:
    return tag("path", d=d, **attributes)


def stroke(d: str, colour: str, width: float, **attributes: float | str | None) -> str:
    """A line drawn along *d* with round ends and corners."""
    return tag(
        "path",
        d=d,
        fill="none",
        stroke=colour,
        stroke_width=width,
        stroke_linecap="round",
        stroke_linejoin="round",
        **attributes,
    )


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    radius: float = 0,
    fill: str = "none",
    **attributes: float | str | None,
) -> str:
    """A rectangle with rounded corners."""
    return tag(
        "rect", x=x, y=y, width=width, height=height, rx=radius or None, fill=fill, **attributes
    )


def disc(x: float, y: float, radius: float, fill: str, **attributes: float | str | None) -> str:
    return tag("circle", cx=x, cy=y, r=radius, fill=fill, **attributes)


def group(content: str, **attributes: float | str | None) -> str:
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
    return box(
        x + 1,
        y + 1,
        width - 2,
        height - 2,
        8,
        fill=NIGHT,
        fill_opacity=0.4,
        stroke=colour,
        stroke_width=1.3,
        stroke_dasharray="5 4",
    )


def glow(
    x: float, y: float, width: float, height: float, radius: float, colour: str, strength: float = 1
) -> str:
    """Light around a rounded rectangle, in layers: filters would cost ten times as long."""
    return "".join(
        box(
            x - spread,
            y - spread,
            width + 2 * spread,
            height + 2 * spread,
            radius + spread,
            fill=colour,
            fill_opacity=0.1 * strength,
        )
        for spread in (2, 4, 7)
    )


def corners(
    x: float, y: float, width: float, height: float, arm: float, colour: str, thick: float
) -> str:
    """Four corner brackets, as a viewfinder has."""
    right, below = x + width, y + height
    return stroke(
        f"M{number(x)} {number(y + arm)}V{number(y)}h{number(arm)}"
        f"M{number(right - arm)} {number(y)}H{number(right)}v{number(arm)}"
        f"M{number(right)} {number(below - arm)}V{number(below)}h{number(-arm)}"
        f"M{number(x + arm)} {number(below)}H{number(x)}v{number(-arm)}",
        colour,
        thick,
    )


def fade(name: str, first: str, last: str, x2: float = 0, y2: float = 1) -> str:
    """The definition of a linear gradient, downwards unless told otherwise."""
    stops = tag("stop", offset="0", stop_color=first) + tag("stop", offset="1", stop_color=last)
    return tag("linearGradient", stops, id=name, x1="0", y1="0", x2=x2, y2=y2)


@kept
def backdrop(width: int, height: int, step: int = 24) -> str:
    """The night, and the fine lines behind everything."""
    lines = "".join(f"M{x} 0V{height}" for x in range(step, width, step))
    lines += "".join(f"M0 {y}H{width}" for y in range(step, height, step))
    return box(0, 0, width, height, fill=NIGHT) + tag(
        "path", d=lines, stroke="#101738", shape_rendering="crispEdges"
    )


def document(width: float, height: float, title: str, definitions: str, content: str) -> str:
    """A whole picture."""
    return tag(
        "svg",
        tag("title", title) + tag("defs", definitions) + content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
    )


# --- pips ----------------------------------------------------------------------------------------

#: Clubs, hearts, spades, diamonds, each within a square from -10 to 10.
PIPS: Final = (
    "M0-10a4.7 4.7 0 0 1 3.5 7.9 4.7 4.7 0 1 1-2.4 7.3Q1.2 8 3.6 10H-3.6Q-1.2 8-1.1 5.2A4.7 4.7"
    " 0 1 1-3.5-2.1 4.7 4.7 0 0 1 0-10z",
    "M0 9.6C-3.6 5.6-9.6 1.4-9.6-4A5 5 0 0 1 0-5.8 5 5 0 0 1 9.6-4C9.6 1.4 3.6 5.6 0 9.6z",
    "M0-10C3.4-5.8 9.4-2.4 9.4 2.4A4.6 4.6 0 0 1 1.1 5Q1.2 8 3.6 10H-3.6Q-1.2 8-1.1 5A4.6 4.6 0 0 1"
    "-9.4 2.4C-9.4-2.4-3.4-5.8 0-10z",
    "M0-10Q3.2-4.6 7.4 0 3.2 4.6 0 10-3.2 4.6-7.4 0-3.2-4.6 0-10z",
)


def pip(suit: int, x: float, y: float, size: float, colour: str, turn: float = 0) -> str:
    """The pip of a suit, *size* high, centred on (x, y)."""
    moves = f"translate({number(x)} {number(y)})scale({number(size / 20, 4)})"
    if turn:
        moves += f"rotate({number(turn)})"
    return tag("path", d=PIPS[suit], transform=moves, fill=colour)
