"""The curves of a run as figures of its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from markupsafe import Markup

from cyberdeck.evaluation.plots import labels
from cyberdeck_training.pages import Line, Panel, plots, printable
from cyberdeck_training.reading import Columns, Run, measure, metric_names
from cyberdeck_training.records import LEARNING
from cyberdeck_training.words import spaced

#: Points of a curve; longer runs are averaged down to so many.
MOST: Final = 150

#: What is averaged over the games that ended, not over the updates.
OF_GAMES: Final = ("mean_return", "win", "draw", "loss", "length", "illegal")


#: What a player of a game for one is measured by, in words.
ALONE: Final = {"points": "deals won", "reward": "mean score"}


def measured(every: Sequence[Run]) -> list[tuple[str, str, str]]:
    """What there are evaluations of: the opponent, the column, and what to call it."""
    alone = [run.evaluations.get("-", {}) for run in every if run.alone]
    if alone:
        gained = measure(alone[0])
        metrics = dict.fromkeys(name for each in alone for name in metric_names(each))
        return [("-", gained, ALONE[gained]), *(("-", name, spaced(name)) for name in metrics)]
    found = {name: measure(each) for run in every for name, each in run.evaluations.items()}
    called = labels([printable(name) for name in found])
    return [
        (name, gained, f"against {short}")
        for (name, gained), short in zip(found.items(), called, strict=True)
    ]


def measured_panel(
    run: Run, opponent: str, name: str, called: str, lines: Sequence[Line], **how: Any
) -> Panel:
    """A panel of something ``measured`` of a run, or of several of one game."""
    points, met = name == "points", opponent != "-"
    title = f"{name} {called}" if met else called
    return Panel(title, lines, shares=points, even=points and met and run.even, **how)


def strength(run: Run) -> Markup:
    """Points in the periodic evaluations, and a solitaire's metrics."""
    panels = []
    for each in measured([run]):
        opponent, name, _ = each
        lines = [line(opponent, run.evaluations[opponent], name)]
        panels.append(measured_panel(run, *each, lines, references=_reached(run, opponent, name)))
    return plots("strength", panels, 2)


def _reached(run: Run, opponent: str, name: str) -> dict[str, float]:
    """What other players reach, and the untrained policy, if it is known."""
    every = {**run.references.get(opponent, {}), "untrained": run.evaluations[opponent]}
    first = {player: float(each[name][0]) for player, each in every.items() if name in each}
    return {player: value for player, value in first.items() if np.isfinite(value)}


def training(run: Run) -> Markup | None:
    """The training games."""
    curves = thinned(run.curves)
    panels = [
        *_panel(curves, "mean return of the training games", "mean_return"),
        *_panel(curves, "how they ended", "win", "draw", "loss", shares=True),
        *_panel(curves, "length, in decisions", "length", from_zero=True),
        *_panel(curves, "decisions a second", "decisions_per_second", from_zero=True),
    ]
    if np.nansum(curves.get("illegal", 0.0)) > 0:
        panels += _panel(curves, "illegal", "illegal")
    return plots("training", panels, 2) if panels else None


def learning(run: Run) -> Markup | None:
    """What the learner logs."""
    curves = dict(thinned(run.curves))
    if np.ptp(curves.get("learning_rate", np.zeros(1))) == 0:  # a flat line says nothing
        curves.pop("learning_rate", None)
    panels = [each for name in LEARNING for each in _panel(curves, spaced(name), name)]
    return plots("learning", panels, 3) if panels else None


def _panel(columns: Columns, title: str, *names: str, **how: Any) -> list[Panel]:
    """A panel of these columns, if there is something in each."""
    if not all(name in columns and np.isfinite(columns[name]).any() for name in names):
        return []
    lines = [Line(name, columns["decisions"], columns[name]) for name in names]
    return [Panel(title, lines, **how)]


def line(name: str, columns: Columns, mean: str) -> Line:
    """A mean with its interval."""
    return Line(name, columns["decisions"], *(columns[mean + end] for end in ("", "_low", "_high")))


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
        weights = games if name in OF_GAMES else np.ones(lines)
        known = np.isfinite(values) & (weights > 0)
        total = np.bincount(group[known], weights[known], most)
        sums = np.bincount(group[known], (weights * values)[known], most)
        means[name] = np.divide(sums, total, out=np.full(most, np.nan), where=total > 0)
    return means
