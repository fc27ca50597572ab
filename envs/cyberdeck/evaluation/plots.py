"""Plots of tournaments, as PNG or SVG files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.files import write_whole
from cyberdeck.drawing.svg import AMBER, BRIGHT, CARD, CYAN, DIM, LINE, MAGENTA, NIGHT, PANEL
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.ratings import Ratings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Settings of matplotlib that decide how a picture looks; the salt makes the same SVG every time.
STYLE: Final[Any] = {  # typed by key only in newer versions
    "font.family": "DejaVu Sans",  # matplotlib brings it along
    "font.size": 10,
    "text.color": BRIGHT,
    "text.parse_math": False,  # names may hold dollars
    "axes.labelcolor": BRIGHT,
    "axes.titlecolor": BRIGHT,
    "axes.edgecolor": LINE,
    "axes.facecolor": PANEL,
    "figure.facecolor": NIGHT,
    "xtick.color": DIM,
    "ytick.color": DIM,
    "xtick.labelcolor": BRIGHT,
    "ytick.labelcolor": BRIGHT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": LINE,
    "svg.hashsalt": "cyberdeck",
}

#: Letters of a label, if it can be helped.
_LONGEST: Final = 30


@contextmanager
def drawn(
    path: str | Path,
    size: tuple[float, float],
    title: str = "",
    box: tuple[float, float, float, float] = (0, 0, 1, 1),
) -> Iterator[Axes]:
    """Axes of a figure of that *size* in inches, which is written to *path*, PNG or SVG.

    *box*: where in it the axes are.
    """
    kind = Path(path).suffix.lower()
    if kind not in (".png", ".svg"):
        raise OptionError(f"{str(path)!r} names no picture: it must end in .png or .svg")
    need("matplotlib", "plots")
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(STYLE, after_reset=True):
        figure = Figure(figsize=size)
        axes = figure.add_axes(box)
        yield axes
        if title:
            axes.set_title(title, fontsize=13, fontweight="bold", loc="left", pad=12)
        write_whole(path, picture(figure, kind[1:]))


def points(
    players: Sequence[str],
    values: NDArray[Any],
    path: str | Path,
    title: str = "",
    *,
    measure: str = "points",
    even: float = 0.5,
) -> None:
    """Draw mean points (n, n) of row against column, from 0 to 1; NaN leaves a cell empty.

    Points above what is *even* are cyan, points below it magenta. Another *measure*, such as the
    reward, has a scale as wide as it needs.
    """
    known = np.abs(values[np.isfinite(values)])
    span = even if measure == "points" else max(float(known.max(initial=0)), 1e-9)
    side = 0.62 * max(len(players), 3)
    wide = side + 1.1
    with drawn(path, (wide, side), title, (0, 0, side / wide, 1)) as axes:
        from matplotlib.colors import LinearSegmentedColormap

        # From 49 shades on, matplotlib would put the scale into an SVG as pixels.
        colours = LinearSegmentedColormap.from_list("points", [MAGENTA, CARD, CYAN], N=47)
        names, middles = labels(players), np.arange(len(players)) + 0.5
        low, high = even - span, even + span
        mesh = axes.pcolormesh(
            values, cmap=colours, vmin=low, vmax=high, edgecolors=NIGHT, linewidth=2
        )
        axes.invert_yaxis()
        axes.set_xticks(middles, names, rotation=40, ha="left", rotation_mode="anchor")
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_yticks(middles, names)
        axes.set_xlabel("against", labelpad=10)
        axes.set_ylabel(f"{measure} of")
        for (row, column), value in np.ndenumerate(np.asarray(values, np.float64)):
            if np.isfinite(value):
                brightness = np.dot(colours((value - low) / (high - low))[:3], (0.3, 0.59, 0.11))
                colour = NIGHT if brightness > 0.45 else BRIGHT
                at, words = (column + 0.5, row + 0.5), f"{value:.2f}"
                axes.text(*at, words, ha="center", va="center", color=colour)
        beside = axes.figure.add_axes(((side + 0.3) / wide, 0, 0.18 / wide, 1))
        ticks = [0, 0.25, 0.5, 0.75, 1] if (measure, even) == ("points", 0.5) else None
        bar = axes.figure.colorbar(mesh, cax=beside, ticks=ticks, label=f"mean {measure}")
        assert bar.solids is not None  # a mesh has areas to colour
        bar.solids.set_edgecolor("face")  # else an SVG shows seams between the shades


def ratings(players: Sequence[str], rated: Ratings, path: str | Path, title: str = "") -> None:
    """Draw ``Ratings`` with their intervals, best on top; arrows go where there is no limit."""
    count, names = len(players), labels(players)
    order = np.argsort(-rated.values, kind="stable")
    values, low, high = rated.values[order], rated.low[order], rated.high[order]
    ends = np.concatenate([values, low[np.isfinite(low)], high[np.isfinite(high)]])
    room = 0.08 * max(float(np.ptp(ends)), 100.0)
    left, right = ends.min() - 2 * room, ends.max() + 2 * room
    with drawn(path, (5.6, 0.38 * count + 0.3), title) as axes:
        axes.set_xlim(left, right)
        axes.set_ylim(count - 0.5, -0.5)
        axes.axvline(0, color=AMBER, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        for place, (at, value) in enumerate(zip(order, values, strict=True)):
            colour = AMBER if at == rated.anchor else CYAN
            bar = np.clip((low[place], high[place]), left + room / 2, right - room / 2)
            axes.plot(bar, (place, place), color=colour, linewidth=1.6)
            for end, at_end, arrow in zip(bar, (low[place], high[place]), "<>", strict=True):
                marker = "|" if np.isfinite(at_end) else arrow
                axes.plot(end, place, marker, color=colour, markersize=8)
            axes.plot(value, place, "o", color=colour, markersize=7, zorder=3)
        axes.set_yticks(range(count), [names[at] for at in order])
        axes.set_xlabel(f"rating (Elo scale, {names[rated.anchor]} = 0)")
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)


def labels(names: Sequence[str]) -> list[str]:
    """Names that fit beside a plot: long ones lose their middle, if they still differ then.

    >>> labels(["random", "search:iterations=2000,exploration=0.75"])
    ['random', 'search:iteratio…ploration=0.75']
    """
    half = (_LONGEST - 1) // 2
    short = [n if len(n) <= _LONGEST else f"{n[: half + 1]}…{n[-half:]}" for n in names]
    return [cut if short.count(cut) == 1 else name for cut, name in zip(short, names, strict=True)]


def picture(figure: Figure, kind: str, cropped: bool = True) -> bytes:
    """A figure as "png" or "svg", the same bytes every time; *cropped* to what is drawn on it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    options: dict[str, Any] = {"dpi": 150}
    if cropped:
        options |= {"bbox_inches": "tight", "pad_inches": 0.25}
    if kind == "svg":
        FigureCanvasSVG(figure)
        options["metadata"] = {"Date": None}
    else:
        FigureCanvasAgg(figure)
    written = BytesIO()
    figure.savefig(written, format=kind, **options)
    return written.getvalue()
