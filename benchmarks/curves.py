"""Curves of figures by search's budget, for the benchmarks that make such."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from cyberdeck.common.statistics import Mean
from cyberdeck.drawing.svg import AMBER, BRIGHT, CYAN, DIM, LIME, LINE, MAGENTA, PANEL
from cyberdeck.evaluation import plots


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
    with plots.drawn(path, (4.6, 3.2), title) as axes:
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
        axes.set_xlabel("iterations a decision")
        axes.set_ylabel(axis)
        if axis == "points":
            axes.axhline(0.5, color=DIM, linewidth=1, linestyle=(0, (4, 3)))
        axes.grid(axis="y", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(
            loc="lower right" if axis == "points" else "upper right",
            facecolor=PANEL,
            edgecolor=LINE,
            labelcolor=BRIGHT,
            ncols=1 + len(lines) // 5,
        )
