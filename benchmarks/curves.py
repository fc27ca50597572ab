"""Curves, as all benchmarks draw them; and those of figures by a search's budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

from cyberdeck.common.statistics import Mean
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, DIM, LIME, LINE, MAGENTA, PANEL
from cyberdeck.evaluation import plots


@contextmanager
def framed(
    path: str | Path, size: tuple[float, float], title: str, x: str, y: str, **legend: Any
) -> Iterator[Any]:
    """Axes to draw on, which are given their names, a grid and a legend."""
    with plots.drawn(path, size, title) as axes:
        yield axes
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.grid(axis="y", which="both", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(facecolor=PANEL, edgecolor=LINE, labelcolor=BRIGHT, **legend)


def draw_curves(
    lines: Sequence[tuple[str, Sequence[Mean]]],
    budgets: Sequence[int],
    path: str | Path,
    title: str = "",
    axis: str = "points",
    top: float = 1.0,
    looks: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Draw points, or what *axis* says, from 0 to *top* by budget, on a logarithmic scale.

    A line for each opponent, with a mark at half of all points; *looks* are their colours and
    styles. What is below 0 is not there.
    """
    place = "lower right" if axis == "points" else "upper right"
    legend: dict[str, Any] = {"loc": place, "ncols": 1 + len(lines) // 5}
    with framed(path, (4.6, 3.2), title, "iterations a decision", axis, **legend) as axes:
        looks = looks or [(colour, "-") for colour in (CYAN, MAGENTA, LIME, AMBER)]
        for at, ((name, means), look) in enumerate(zip(lines, cycle(looks), strict=False)):
            beside = [budget * 1.05**at for budget in budgets]  # so that no bar hides another
            drawn = [(x, mean) for x, mean in zip(beside, means, strict=True) if mean.value >= 0]
            axes.errorbar(
                [x for x, _ in drawn],
                [mean.value for _, mean in drawn],
                [
                    [mean.value - mean.low for _, mean in drawn],
                    [mean.high - mean.value for _, mean in drawn],
                ],
                marker="o",
                capsize=4,
                color=look[0],
                linestyle=look[1],
                label=name,
            )
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xticks(budgets, [str(budget) for budget in budgets])
        axes.set_ylim(0, 1.03 * top)
        if axis == "points":
            axes.axhline(0.5, color=DIM, linewidth=1, linestyle=(0, (4, 3)))
