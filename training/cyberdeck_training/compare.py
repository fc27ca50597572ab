"""Several runs of one game over each other: a page with their learning curves, and a table.

Runs whose configurations differ in nothing but the seed count as one, with mean and spread.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final

import numpy as np
from markupsafe import Markup

from cyberdeck import OptionError
from cyberdeck.common.files import write_whole
from cyberdeck.common.text import table
from cyberdeck_training import curves, runs
from cyberdeck_training.pages import COLOURS, Line, Panel, plots, render
from cyberdeck_training.reading import Columns, Run
from cyberdeck_training.words import duration

#: Of training games, beside the evaluations.
_TRAINING: Final = {
    "mean_return": "mean return of the training games",
    "decisions_per_second": "decisions a second",
}


class Group:
    """Runs that differ in nothing but the seed."""

    def __init__(self, members: Sequence[Run]) -> None:
        self.members, self.label = members, ""
        #: What its runs have in common: the keys, those inside others after a dot, and values.
        self.config = _flat(members[0])
        self.seeds = ", ".join(str(run.config.seed) for run in members if run.config)

    def reached(self, opponent: str, name: str, untrained: bool = False) -> str:
        """The mean of the final results, or of the latest, and from where to where they go."""
        every = [run.untrained if untrained else run.results for run in self.members]
        found = [each.get(opponent, {}).get(name) for each in every]
        values = [mean.value for mean in found if mean and math.isfinite(mean.value)]
        if not values:
            return "-"
        mean = f"{sum(values) / len(values):.3f}"
        return mean if len(values) == 1 else f"{mean} ({min(values):.3f} to {max(values):.3f})"

    def curve(self, opponent: str, name: str) -> Line:
        """An evaluation's mean: of one run with its interval, of several with their spread."""
        columns = [run.evaluations.get(opponent, {}) for run in self.members]
        columns = [each for each in columns if name in each]
        if len(columns) == 1:
            return curves.line(self.label, columns[0], name)
        return self._spread(columns, name)

    def training(self, name: str) -> Line:
        """A column of the training games."""
        columns = [run.curves for run in self.members]
        return self._spread([c for c in columns if np.isfinite(c.get(name, ())).any()], name)

    def _spread(self, columns: Sequence[Columns], name: str) -> Line:
        """The mean over runs, where all of them are, from the lowest to the highest."""
        if not columns:
            return Line("", np.zeros(0), np.zeros(0))
        at = reduce(np.intersect1d, (each["decisions"] for each in columns))
        at = at[np.isfinite(at)]
        known = [dict(zip(each["decisions"], each[name], strict=True)) for each in columns]
        values = np.array([[each[decisions] for decisions in at] for each in known])
        parts = {"decisions": at, "mean": values.mean(axis=0)}
        if len(columns) > 1:
            parts |= {"low": values.min(axis=0), "high": values.max(axis=0)}
        thin = curves.thinned(parts)
        return Line(self.label, thin["decisions"], thin["mean"], thin.get("low"), thin.get("high"))


class Comparison:
    """What a page says of several runs."""

    def __init__(self, folders: Sequence[Path], game: str | None = None) -> None:
        """Read them; ``OptionError`` for what is no run, or if they are of different games.

        *game*: the file of their game, as in ``config.load``.
        """
        self.runs = [_run(folder, game) for folder in folders]
        games = {run.config.variant.game.title: run for run in self.runs if run.config}
        if len(games) > 1:
            of = "; ".join(f"{run.folder} is of {game}" for game, run in games.items())
            raise OptionError(f"runs of different games cannot be compared: {of}")
        paths = [run.folder.resolve() for run in self.runs]
        for path in paths:
            if paths.count(path) > 1:
                raise OptionError(f"{path} is named twice")
        alike: dict[str, list[Run]] = {}
        for run in self.runs:
            alike.setdefault(json.dumps(_flat(run)), []).append(run)
        self.groups = [Group(members) for members in alike.values()]
        configs = [group.config for group in self.groups]
        keys = dict.fromkeys(key for config in configs for key in config)
        rows = [[key, *(config.get(key, "-") for config in configs)] for key in keys]
        #: The keys whose values differ, with the value of each group.
        self.differences = [row for row in rows if len(set(row[1:])) > 1]
        for group, label in zip(self.groups, self._labels(), strict=True):
            group.label = label
        self.title = self.runs[0].title
        #: What there are evaluations of.
        self.measured = curves.measured(self.runs)

    def _labels(self) -> list[str]:
        """What tells the groups apart: what differs, if that is short, or else their folders."""
        if len(self.groups) == 1 < len(self.runs):
            return ["all"]
        rows = self.differences
        told = [
            ", ".join(f"{row[0]}={row[at]}" for row in rows)
            for at in range(1, len(self.groups) + 1)
        ]
        if rows and max(map(len, told)) <= 30:
            return told
        names = [group.members[0].folder.resolve().name for group in self.groups]
        paths = [str(group.members[0].folder) for group in self.groups]
        return names if len(set(names)) == len(names) else paths

    @property
    def rows(self) -> tuple[list[str], list[list[str]]]:
        """A head, a line for each group, and one for what it was before it learned."""
        head = ["run", "seeds", "decisions", "time", *(title for *_, title in self.measured)]
        rows = []
        for group in self.groups:
            decisions = _range([run.decisions for run in group.members], "{:,.0f}".format)
            lasted = _range([run.seconds for run in group.members], duration)
            rows.append([group.label, group.seeds, decisions, lasted, *self._reached(group)])
            if all(run.untrained for run in group.members):  # known of all of them
                before = self._reached(group, untrained=True)
                rows.append([f"{group.label}, untrained", group.seeds, "0", "-", *before])
        return head, rows

    def _reached(self, group: Group, untrained: bool = False) -> list[str]:
        return [group.reached(opponent, name, untrained) for opponent, name, _ in self.measured]

    def table(self) -> str:
        """For the terminal: the results, and what differs."""
        parts = [table(*self.rows)]
        if self.differences:
            parts.append(table(["", *(group.label for group in self.groups)], self.differences))
        return "\n\n".join(parts)

    def write(self, path: Path) -> None:
        """The page."""
        write_whole(path, render("compare.html.j2", all=self))

    # --- plots ---

    @property
    def colours(self) -> list[str]:
        """The colour of each group, as the page calls it."""
        every = (COLOURS[at % len(COLOURS)] for at in range(len(self.groups)))
        return [f"--c{colour.removeprefix('#')}" for colour in every]

    def strength(self) -> Markup | None:
        """The evaluations on the way."""
        panels = []
        for each in self.measured:
            lines = [group.curve(*each[:2]) for group in self.groups]
            if any(len(line.values) for line in lines):
                panels.append(curves.measured_panel(self.runs[0], *each, lines, legend=False))
        return plots("strength", panels, 2) if panels else None

    def training(self) -> Markup | None:
        """The training games."""
        panels = []
        for name, title in _TRAINING.items():
            lines = [group.training(name) for group in self.groups]
            if any(len(line.values) for line in lines):
                panels.append(Panel(title, lines, legend=False))
        return plots("training", panels, 2) if panels else None


def _run(folder: Path, game: str | None) -> Run:
    if not folder.is_dir():
        why = "it is a file" if folder.exists() else "there is no such folder"
        raise OptionError(f"{folder} is no folder of a run: {why}")
    return Run(folder, runs.config_of(folder, game=game))


def _flat(run: Run) -> dict[str, str]:
    """A run's configuration without its seed."""
    assert run.config is not None
    found: dict[str, str] = {}

    def add(values: dict[str, Any], outer: str = "") -> None:
        for key, value in values.items():
            if isinstance(value, dict) and value:
                add(value, f"{outer}{key}.")
            else:
                found[f"{outer}{key}"] = value if isinstance(value, str) else json.dumps(value)

    add(run.config.model_dump(mode="json", exclude={"seed"}))
    return found


def _range(values: Sequence[float], show: Callable[[float], str]) -> str:
    return " to ".join(dict.fromkeys((show(min(values)), show(max(values)))))
