"""Pages about runs: one HTML file each, which needs nothing else, and the pictures on them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, DIM, GREEN, LIME, MAGENTA, VIOLET
from cyberdeck.evaluation.plots import STYLE, labels, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of lines, one after the other; when they are used up, the lines are dashed.
COLOURS: Final = (CYAN, MAGENTA, LIME, AMBER, VIOLET, GREEN)
_DASHES: Final = ("-", "--", ":")
_REFERENCES: Final = (MAGENTA, AMBER, LIME, DIM)
_FEW: Final = 40  # so many points are marked, more would hide the line

#: Inches of a picture, by how many are side by side where there is room.
_SIZES: Final = {2: (4.9, 2.7), 3: (3.4, 2.3)}


_TEMPLATES: Final = Environment(
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=lambda value: value if isinstance(value, Markup) else printable(str(value)),
    loader=PackageLoader("cyberdeck_training", "."),
)


def render(name: str, **values: Any) -> str:
    """A template of this package, filled in."""
    return _TEMPLATES.get_template(name).render(**values)


def plots(name: str, panels: Sequence[Panel], columns: int) -> Markup:
    """Figures of a page, so many side by side where there is room, or else below each other."""
    figures = [
        Markup('<figure role="img" aria-label="{}">{}</figure>').format(
            printable(f"{panel.title}, over the decisions trained for"),
            Markup(draw(f"{name}{at}", panel, _SIZES[columns])),  # matplotlib has escaped its words
        )
        for at, panel in enumerate(panels)
    ]
    return Markup('<div class="plots{}">{}</div>').format(columns, Markup("").join(figures))


# --- pictures: panels with lines over the decisions trained for ----------------------------------


@dataclass(frozen=True)
class Line:
    """Values over decisions, NaN where unknown, and the ends of their intervals, if any."""

    name: str
    decisions: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Panel:
    """One part of a picture."""

    title: str
    lines: Sequence[Line]
    shares: bool = False
    """The values go from 0 to 1."""
    even: bool = False
    """They are points: a line shows where two equals are, if there are no references. Other shares
    are percentages."""
    from_zero: bool = False
    """Whoever looks compares with nothing, not with the least value."""
    references: Mapping[str, float] = field(default_factory=dict)
    """What others reach, by their names."""
    legend: bool = True
    """Whether several lines have their names beside them."""


#: What is no letter, but end of line and tab.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


def printable(text: str) -> str:
    """*text* without control characters and halves of surrogate pairs.

    >>> printable("a\\x00b\\ud800")
    'ab?'
    """
    return _UNSEEN.sub("", text.encode("utf-8", "replace").decode("utf-8"))


def draw(name: str, panel: Panel, size: tuple[float, float]) -> str:
    """A panel as SVG for a page, of that *size* in inches.

    Pictures on one page must differ in their *name*. The colours are the page's.
    """
    need("matplotlib", "pictures")
    from matplotlib import style
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with style.context(STYLE, after_reset=True), warnings.catch_warnings():
        # Names in other scripts have boxes for letters, very long ones leave no room.
        for harmless in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", harmless, UserWarning)
        figure = Figure(figsize=size)
        axes = figure.subplots()
        _draw(axes, panel)
        # Once: arranging takes longer than drawing.
        ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12).execute(figure)
        # All of one size: in a row their frames are alike.
        return _inline(picture(figure, "svg", cropped=False).decode(), name)


def _draw(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import EngFormatter, MaxNLocator, PercentFormatter

    axes.set_title(printable(panel.title), fontsize=11, fontweight="bold", loc="left", pad=8)
    drawn = _lines(axes, panel.lines)
    if panel.shares:
        axes.set_ylim(0, 1)
    if panel.shares and not panel.even:
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    if panel.even and not panel.references:
        axes.axhline(0.5, color=DIM, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    if panel.from_zero:
        axes.set_ylim(0, 1.1 * max(np.nanmax(line.values) for line in panel.lines))
    if panel.references:
        _refer(axes, panel.references)
    elif len(panel.lines) > 1 and panel.legend:
        cleaned = [printable(line.name) for line in panel.lines]
        # matplotlib leaves out what begins with an underscore.
        names = [f" {name}" if name.startswith("_") else name for name in labels(cleaned)]
        axes.legend(
            drawn,
            names,
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            frameon=False,
            labelcolor=BRIGHT,
        )
    axes.set_xlabel("decisions")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.grid(linewidth=0.6)
    axes.set_axisbelow(True)


def _refer(axes: Axes, references: Mapping[str, float]) -> None:
    """A line across for each, its name at the end: names of lines that lie close move apart."""
    coloured = list(zip(references.items(), cycle(_REFERENCES), strict=False))
    for (_, value), colour in coloured:
        axes.axhline(value, color=colour, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
    low, high = axes.get_ylim()
    at = -math.inf
    for (name, value), colour in sorted(coloured, key=lambda each: each[0][1]):
        at = max(at + 0.085, (value - low) / (high - low))
        axes.text(1.015, at, printable(name), color=colour, transform=axes.transAxes, va="center")


def _lines(axes: Axes, lines: Sequence[Line]) -> list[Any]:
    drawn = []
    for at, line in enumerate(lines):
        colour = COLOURS[at % len(COLOURS)]
        dashes = _DASHES[at // len(COLOURS) % len(_DASHES)]
        known = np.isfinite(line.values)
        x, y = line.decisions[known], line.values[known]
        marker = "o" if len(x) <= _FEW else None
        drawn += axes.plot(
            x, y, color=colour, linestyle=dashes, linewidth=1.6, marker=marker, markersize=4
        )
        if line.low is not None and line.high is not None:
            low, high = line.low[known], line.high[known]
            if len(x) == 1:  # a band needs two
                axes.plot([*x, *x], [*low, *high], color=colour, linewidth=4, alpha=0.35)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    return drawn


def _inline(svg: str, name: str) -> str:
    """An SVG as a part of a page: its ids made different from others', its colours the page's.

    The page has a variable for each colour, such as ``--c27e1ff`` for #27e1ff.
    """
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.S)
    svg = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    return re.sub(r"(?<=: )#([0-9a-f]{6})\b", r"var(--c\1)", svg)
