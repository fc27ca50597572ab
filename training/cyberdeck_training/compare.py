"""Several runs of one game over each other: a page with their learning curves, and a table.

Runs whose configurations differ in nothing but the seed count as one, with mean and spread.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, Final

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

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
        self.members = members
        self.label = ""

    @property
    def config(self) -> dict[str, str]:
        """What its runs have in common: the keys, those inside others after a dot, and values."""
        return _flat(self.members[0])

    @property
    def seeds(self) -> str:
        return ", ".join(str(run.config.seed) for run in self.members if run.config)

    @property
    def decisions(self) -> str:
        return _range([run.decisions for run in self.members], ",.0f")

    @property
    def lasted(self) -> str:
        every = sorted(run.seconds for run in self.members)
        return " to ".join(dict.fromkeys((duration(every[0]), duration(every[-1]))))

    @property
    def untrained(self) -> bool:
        """Whether it is known what its policies were before they learned."""
        return all(run.untrained for run in self.members)

    def reached(self, opponent: str, name: str, untrained: bool = False) -> str:
        """The mean of the final results, or of the latest, and from where to where they go."""
        every = [run.untrained if untrained else run.results for run in self.members]
        found = [each.get(opponent, {}).get(name) for each in every]
        values = [mean.value for mean in found if mean and math.isfinite(mean.value)]
        if not values:
            return "-"
        mean = f"{sum(values) / len(values):.3f}"
        return mean if len(values) == 1 else f"{mean} ({min(values):.3f} to {max(values):.3f})"

    def curve(self, opponent: str, name: str) -> Line | None:
        """An evaluation's mean: of one run with its interval, of several with their spread."""
        columns = [run.evaluations.get(opponent, {}) for run in self.members]
        columns = [each for each in columns if name in each]
        if len(columns) == 1:
            return curves.line(self.label, columns[0], name)
        return self._spread(columns, name)

    def training(self, name: str) -> Line | None:
        """A column of the training games."""
        columns = [run.curves for run in self.members]
        return self._spread([c for c in columns if np.isfinite(c.get(name, ())).any()], name)

    def _spread(self, columns: Sequence[Columns], name: str) -> Line | None:
        """The mean over runs, where all of them are, from the lowest to the highest."""
        if not columns:
            return None
        at = reduce(np.intersect1d, (each["decisions"] for each in columns))
        at = at[np.isfinite(at)]
        values = np.array([_at(each, name, at) for each in columns])
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
        games = {_game(run): run for run in self.runs}
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
        for group, label in zip(self.groups, self._labels(), strict=True):
            group.label = label

    @property
    def title(self) -> str:
        return self.runs[0].title

    @property
    def differences(self) -> list[list[str]]:
        """The keys whose values differ, with the value of each group."""
        configs = [group.config for group in self.groups]
        keys = dict.fromkeys(key for config in configs for key in config)
        rows = [[key, *(config.get(key, "-") for config in configs)] for key in keys]
        return [row for row in rows if len(set(row[1:])) > 1]

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

    @cached_property
    def measured(self) -> list[tuple[str, str, str]]:
        """What there are evaluations of."""
        return curves.measured(self.runs)

    @property
    def rows(self) -> tuple[list[str], list[list[str]]]:
        """A head, a line for each group, and one for what it was before it learned."""
        head = ["run", "seeds", "decisions", "time", *(title for *_, title in self.measured)]
        rows = []
        for group in self.groups:
            lasted = (group.decisions, group.lasted)
            rows.append([group.label, group.seeds, *lasted, *self._reached(group)])
            if group.untrained:
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
            if lines := self._lines([group.curve(*each[:2]) for group in self.groups]):
                panels.append(curves.measured_panel(self.runs[0], *each, lines, legend=False))
        return plots("strength", panels, 2) if panels else None

    def training(self) -> Markup | None:
        """The training games."""
        panels = []
        for name, title in _TRAINING.items():
            if lines := self._lines([group.training(name) for group in self.groups]):
                panels.append(Panel(title, lines, legend=False))
        return plots("training", panels, 2) if panels else None

    def _lines(self, found: Sequence[Line | None]) -> list[Line]:
        """A group without a line has an empty one: the colours stay. Nothing if all have none."""
        nothing = np.zeros(0)
        return [line or Line("", nothing, nothing) for line in found] if any(found) else []


def _run(folder: Path, game: str | None) -> Run:
    if not folder.is_dir():
        why = "it is a file" if folder.exists() else "there is no such folder"
        raise OptionError(f"{folder} is no folder of a run: {why}")
    return Run(folder, runs.config_of(folder, game=game))


def _game(run: Run) -> str:
    assert run.config is not None
    return run.config.variant.game.title


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


def _at(columns: Columns, name: str, decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    where = {at: row for row, at in enumerate(columns["decisions"])}
    return columns[name][[where[at] for at in decisions]]


def _range(values: Sequence[float], how: str) -> str:
    ends = dict.fromkeys((format(min(values), how), format(max(values), how)))
    return " to ".join(ends)
