"""Pages about runs: one HTML file each, which needs nothing else, and the curves on them."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, DIM, GREEN, LIME, MAGENTA, VIOLET
from cyberdeck.evaluation.plots import STYLE, labels, picture
from cyberdeck_training.runs import ENDS, Columns, RunFiles, measure, metric_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of lines, one after the other; when they are used up, the lines are dashed.
COLOURS: Final = (CYAN, MAGENTA, LIME, AMBER, VIOLET, GREEN)
_DASHES: Final = ("-", "--", ":")
_REFERENCES: Final = (MAGENTA, AMBER, LIME, DIM)
_FEW: Final = 40  # so many points are marked, more would hide the line

#: Inches of a picture, by how many are side by side where there is room.
_SIZES: Final = {2: (4.9, 2.7), 3: (3.4, 2.3)}

#: Points of a curve; longer runs are averaged down to so many.
MOST: Final = 150

#: What is averaged over the games that ended, not over the updates.
_OF_GAMES: Final = ("mean_return", "win", "draw", "loss", "length", "illegal")

#: What a player of a game for one is measured by, in words.
ALONE: Final = {"points": "deals won", "reward": "mean score"}

#: What is no letter, but end of line and tab.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


def printable(text: str) -> str:
    """*text* without control characters and halves of surrogate pairs.

    >>> printable("a\\x00b\\ud800")
    'ab?'
    """
    return _UNSEEN.sub("", text.encode("utf-8", "replace").decode("utf-8"))


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


# --- words ---------------------------------------------------------------------------------------


def spaced(name: str) -> str:
    """A name of code in words."""
    return name.replace("_", " ")


def phrase(parts: Iterable[str]) -> str:
    """Several as one phrase.

    >>> phrase(["a", "b", "c"])
    'a, b and c'
    """
    *front, last = parts
    return f"{', '.join(front)} and {last}" if front else last


# --- curves --------------------------------------------------------------------------------------


class Line(NamedTuple):
    """Values over decisions, NaN where unknown, and the ends of their intervals, if any."""

    name: str
    decisions: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None


class Panel(NamedTuple):
    """One part of a picture.

    shares      the values go from 0 to 1
    even        they are points: a line shows where two equals are, if there are no references.
                Other shares are percentages
    from_zero   whoever looks compares with nothing, not with the least value
    references  what others reach, by their names
    legend      whether several lines have their names beside them
    """

    title: str
    lines: Sequence[Line]
    shares: bool = False
    even: bool = False
    from_zero: bool = False
    references: Mapping[str, float] = {}
    legend: bool = True


def measured(every: Sequence[RunFiles]) -> list[tuple[str, str, str]]:
    """What there are evaluations of: the opponent, the column, and what to call it."""
    alone = [run.evaluations.get("-", {}) for run in every if run.alone]
    if alone:
        gained = measure(alone[0])
        metrics = dict.fromkeys(name for each in alone for name in metric_names(each))
        return [("-", gained, ALONE[gained]), *(("-", name, spaced(name)) for name in metrics)]
    met = {name: measure(each) for run in every for name, each in run.evaluations.items()}
    short = labels([printable(name) for name in met])
    return [(name, met[name], f"against {word}") for name, word in zip(met, short, strict=True)]


def evaluation_panel(
    run: RunFiles, opponent: str, name: str, called: str, lines: Sequence[Line], **how: Any
) -> Panel:
    """A panel of something ``measured`` of a run, or of several of one game."""
    points, met = name == "points", opponent != "-"
    title = f"{name} {called}" if met else called
    return Panel(title, lines, shares=points, even=points and met and run.even, **how)


def evaluation_line(name: str, columns: Columns, mean: str) -> Line:
    """A mean with its interval."""
    return Line(name, columns["decisions"], *(columns[mean + end] for end in ENDS))


def panel(columns: Columns, title: str, *names: str, **how: Any) -> list[Panel]:
    """A panel of these columns, if there is something in each."""
    if not all(name in columns and np.isfinite(columns[name]).any() for name in names):
        return []
    return [
        Panel(title, [Line(name, columns["decisions"], columns[name]) for name in names], **how)
    ]


def thinned(curves: Columns, most: int = MOST) -> Columns:
    """*curves* with at most so many points: the means of as many lines each.

    What is of games is weighted by how many ended.

    >>> curves = {"games": np.array([1.0, 3, 2, 2]), "win": np.array([0.0, 1, 0.5, 0.5])}
    >>> thinned(curves, most=2)["win"]
    array([0.75, 0.5 ])
    """
    lines = max((len(values) for values in curves.values()), default=0)
    if lines <= most:
        return curves
    group = np.arange(lines) * most // lines
    games = np.nan_to_num(curves.get("games", np.ones(lines)))
    means = {}
    for name, values in curves.items():
        weights = games if name in _OF_GAMES else np.ones(lines)
        known = np.isfinite(values) & (weights > 0)
        total = np.bincount(group[known], weights[known], most)
        sums = np.bincount(group[known], (weights * values)[known], most)
        means[name] = np.divide(sums, total, out=np.full(most, np.nan), where=total > 0)
    return means


# --- pictures ------------------------------------------------------------------------------------


def plots(name: str, panels: Sequence[Panel], columns: int) -> Markup | None:
    """Figures of a page, so many side by side where there is room, or else below each other; None
    without any.
    """
    figures = [
        Markup('<figure role="img" aria-label="{}">{}</figure>').format(
            printable(f"{panel.title}, over the decisions trained for"),
            Markup(draw(f"{name}{at}", panel, _SIZES[columns])),  # matplotlib has escaped its words
        )
        for at, panel in enumerate(panels)
    ]
    together = Markup("").join(figures)
    return Markup('<div class="plots{}">{}</div>').format(columns, together) if panels else None


def draw(name: str, panel: Panel, size: tuple[float, float]) -> str:
    """A panel as SVG for a page, of that *size* in inches.

    Pictures on one page must differ in their *name*. The colours are the page's, which has a
    variable for each, such as ``--c27e1ff`` for #27e1ff.
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
        _draw(figure.subplots(), panel)
        # Once: arranging takes longer than drawing.
        ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12).execute(figure)
        # All of one size: in a row their frames are alike.
        svg = picture(figure, "svg", cropped=False).decode()
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.S)
    svg = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    return re.sub(r"(?<=: )#([0-9a-f]{6})\b", r"var(--c\1)", svg)


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
        beside: Any = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        axes.legend(drawn, names, frameon=False, labelcolor=BRIGHT, **beside)
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
    for line, (dashes, colour) in zip(lines, cycle(product(_DASHES, COLOURS)), strict=False):
        known = np.isfinite(line.values)
        x, y = line.decisions[known], line.values[known]
        how: Any = {"marker": "o" if len(x) <= _FEW else None, "markersize": 4}
        drawn += axes.plot(x, y, color=colour, linestyle=dashes, linewidth=1.6, **how)
        if line.low is not None and line.high is not None:
            low, high = line.low[known], line.high[known]
            if len(x) == 1:  # a band needs two
                axes.plot([*x, *x], [*low, *high], color=colour, linewidth=4, alpha=0.35)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
    return drawn
