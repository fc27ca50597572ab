"""Pages about training runs, made from the files of their folders alone, at any time: the report of
one, and the comparison of several of one game.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:  # a run that has written nothing yet
...     write(Path(folder)).name
'report.html'
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from markupsafe import Markup

from cyberdeck import OptionError
from cyberdeck.common.files import write_whole
from cyberdeck.common.statistics import shown
from cyberdeck.common.text import table
from cyberdeck_training import pages, runs
from cyberdeck_training.pages import COLOURS, Line, Panel, evaluation_panel, phrase, spaced
from cyberdeck_training.records import LEARNING, duration
from cyberdeck_training.runs import Columns, Means, RunFiles, mean_at, measure

#: A script of a replay's page.
_SCRIPT: Final = re.compile("<script>(.*?)</script>", re.DOTALL)

#: What makes the fragments of addresses in an embedded page its own, not those of this one.
_BASE: Final = '<base href="about:srcdoc">'


def write(folder: Path) -> Path:
    """Write report.html into the folder of a run, and return where it is.

    What the folder lacks, the report says.
    """
    if not folder.is_dir():
        raise OptionError(f"{folder} is no folder of a training run: give one that is there")
    page = pages.render("report.html.j2", report=Report(RunFiles(folder)))
    write_whole(folder / "report.html", page)
    return folder / "report.html"


class Report:
    """What the page says of a run."""

    def __init__(self, run: RunFiles) -> None:
        self.run, self.decisions = run, run.done("decisions")
        #: Who else was measured on deals of the periodic evaluations.
        self.others = list(dict.fromkeys(name for each in run.references.values() for name in each))
        #: The latest first.
        self.replays = sorted(run.folder.glob("replays/*.json"), reverse=True)
        self.updates, self.points = len(run.curves.get("decisions", ())), pages.MOST

    @property
    def verdict(self) -> str:
        """The one sentence for who reads nothing else."""
        run, seconds = self.run, self.run.done("seconds")
        if not self.decisions:
            return "This run has just begun: nothing is known of it yet."
        lasted = f" in {duration(seconds)}" if seconds else ""
        after = f"After {self.decisions:,.0f} decisions{lasted}"
        if not run.results:
            return f"{after}: not measured yet."
        said = f"{after}: {_told(run.results)}"
        if not run.final:
            at = max(each["decisions"][-1] for each in run.evaluations.values())
            said += f", as last measured at {at:,.0f}"
        return f"{said}. Untrained: {_told(run.untrained)}." if run.untrained else f"{said}."

    @property
    def course(self) -> tuple[list[str], list[list[str]]]:
        """The periodic evaluations and what others reach: a head, and a line for each opponent."""
        run = self.run
        head = ["opponent", "evaluations", "games in each"]
        head += ["untrained", "best", "latest", "best at"]
        rows = []
        for name, each in run.evaluations.items():
            gained = measure(each)
            best = int(np.nan_to_num(each[gained], nan=-np.inf).argmax())
            reached = [run.references.get(name, {}).get(player) for player in self.others]
            rows.append(
                [
                    *(pages.ALONE[gained] if name == "-" else name, f"{len(each[gained])}"),
                    f"{each['games'][-1]:,.0f}",
                    *(shown(mean_at(each, gained, at)) for at in (0, best, -1)),
                    f"{each['decisions'][best]:,.0f}",
                    *(shown(mean_at(found, gained)) if found else "-" for found in reached),
                ]
            )
        return [*head, *self.others], rows

    # --- curves ---

    def strength(self) -> Markup | None:
        """Points in the periodic evaluations, and a solitaire's metrics; and what other players
        reach, and the untrained policy, if it is known.
        """
        run, panels = self.run, []
        for opponent, name, called in pages.measured([run]):
            own = run.evaluations[opponent]
            every = {**run.references.get(opponent, {}), "untrained": own}
            first = {player: float(each[name][0]) for player, each in every.items() if name in each}
            known = {player: value for player, value in first.items() if np.isfinite(value)}
            lines = [pages.evaluation_line(opponent, own, name)]
            panels.append(evaluation_panel(run, opponent, name, called, lines, references=known))
        return pages.plots("strength", panels, 2)

    def training(self) -> Markup | None:
        """The training games."""
        curves = pages.thinned(self.run.curves)
        panels = [
            *pages.panel(curves, "mean return of the training games", "mean_return"),
            *pages.panel(curves, "how they ended", "win", "draw", "loss", shares=True),
            *pages.panel(curves, "length, in decisions", "length", from_zero=True),
            *pages.panel(curves, "decisions a second", "decisions_per_second", from_zero=True),
        ]
        if np.nansum(curves.get("illegal", 0.0)) > 0:
            panels += pages.panel(curves, "illegal", "illegal")
        return pages.plots("training", panels, 2)

    def learning(self) -> Markup | None:
        """What the learner logs; a flat learning rate says nothing."""
        curves = pages.thinned(self.run.curves)
        flat = np.ptp(curves.get("learning_rate", np.zeros(1))) == 0
        names = [name for name in LEARNING if not (flat and name == "learning_rate")]
        panels = [each for name in names for each in pages.panel(curves, spaced(name), name)]
        return pages.plots("learning", panels, 3)

    # --- replays ---

    def address(self, replay: Path) -> str:
        """The relative address of a replay's page, whatever its name holds; or nothing."""
        page = replay.with_suffix(".html")
        return quote(os.fsencode(f"replays/{page.name}")) if page.exists() else ""

    @cached_property
    def embedded(self) -> dict[str, str]:
        """The pages of the games of the latest evaluation, by their names."""
        found = {}
        for path in self.replays:
            content = pages.printable(self.run.text(f"replays/{path.stem}.html"))
            latest = self.replays[0].name.partition("-")[0]
            if content and path.name.partition("-")[0] == latest:
                found[path.stem] = content.replace("<head>", f"<head>{_BASE}", 1)
        return found

    @property
    def scripts(self) -> list[str]:
        """What the pages in this one may run, for its Content-Security-Policy: nothing else."""
        every = [text for page in self.embedded.values() for text in _SCRIPT.findall(page)]
        digests = [sha256(text.encode()).digest() for text in dict.fromkeys(every)]
        return [f"sha256-{b64encode(digest).decode()}" for digest in digests]

    # --- what can be done with it ---

    @property
    def commands(self) -> dict[str, str]:
        """In the run's folder, beside those of every run: what a command does, and the command."""
        run, config, info = self.run, self.run.config, self.run.info
        found = {}
        plays = (run.folder / runs.BEST).exists() and not getattr(config, "network", None)
        if config and info and plays:
            against = [] if run.alone else ["--opponent", *run.evaluations]
            options = [f"{key}={value}" for key, value in config.options.items()]
            day = (info.finished or info.started)[:10]
            how = [*options, *against, "--held-out", day]
            found["Measure the policy to report it"] = ["evaluate", config.game, runs.BEST, *how]
        if self.replays:
            own = ["--game", config.game] if config and config.game.endswith(".py") else []
            latest = ["replay", f"replays/{self.replays[0].name}", *own]
            found["A game in words; with --output game.html or game.gif to watch"] = latest
        return {what: shlex.join(["cyberdeck", *words]) for what, words in found.items()}


def _told(results: Mapping[str, Means]) -> str:
    """What a policy reached, in one phrase."""
    if "-" in results:
        (name, mean), *metrics = results["-"].items()
        told = f"{shown(mean)} of deals won" if name == "points" else f"a score of {shown(mean)}"
        return phrase([told, *(f"{shown(mean)} {spaced(name)}" for name, mean in metrics)])
    means = {name: next(iter(each.items())) for name, each in results.items()}
    parts = [f"{shown(mean)} against {name}" for name, (_, mean) in means.items()]
    parts[0] = f"{next(iter(means.values()))[0]} of {parts[0]}"
    return phrase(parts)


# --- several runs --------------------------------------------------------------------------------


class Group:
    """Runs that differ in nothing but the seed: they count as one, with mean and spread."""

    def __init__(self, members: Sequence[RunFiles], config: Mapping[str, str]) -> None:
        """*config*: what they have in common, as ``_flat``."""
        self.members, self.config, self.label = members, config, ""
        self.seeds = ", ".join(str(run.config.seed) for run in members if run.config)

    def reached(self, opponent: str, name: str, untrained: bool) -> str:
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
            return pages.evaluation_line(self.label, columns[0], name)
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
        return Line(self.label, *pages.thinned(parts).values())


class Comparison:
    """What a page says of several runs."""

    def __init__(self, folders: Sequence[Path], game: str | None = None) -> None:
        """Read them; ``OptionError`` for what is no run, or if they are of different games.

        *game*: the file of their game, as in ``config.load``.
        """
        for folder in folders:
            if not folder.is_dir():
                why = "it is a file" if folder.exists() else "there is no such folder"
                raise OptionError(f"{folder} is no folder of a run: {why}")
        configs = [runs.config_of(folder, game=game) for folder in folders]
        self.runs = [RunFiles(*each) for each in zip(folders, configs, strict=True)]
        titles = [config.variant.game.title for config in configs]
        if len(set(titles)) > 1:
            games = dict(zip(titles, folders, strict=True)).items()
            of = "; ".join(f"{folder} is of {title}" for title, folder in games)
            raise OptionError(f"runs of different games cannot be compared: {of}")
        paths = [folder.resolve() for folder in folders]
        for path in paths:
            if paths.count(path) > 1:
                raise OptionError(f"{path} is named twice")
        alike: dict[str, list[RunFiles]] = {}
        flat = [_flat(config.model_dump(mode="json", exclude={"seed"})) for config in configs]
        for run, values in zip(self.runs, flat, strict=True):
            alike.setdefault(json.dumps(values), []).append(run)
        self.groups = [Group(members, json.loads(each)) for each, members in alike.items()]
        every = [group.config for group in self.groups]
        keys = dict.fromkeys(key for config in every for key in config)
        rows = [[key, *(config.get(key, "-") for config in every)] for key in keys]
        #: The keys whose values differ, with the value of each group.
        self.differences = [row for row in rows if len(set(row[1:])) > 1]
        for group, label in zip(self.groups, self._labels(), strict=True):
            group.label = label
        self.title = self.runs[0].title
        #: What there are evaluations of.
        self.measured = pages.measured(self.runs)

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

        def reached(group: Group, untrained: bool) -> list[str]:
            return [group.reached(*each[:2], untrained) for each in self.measured]

        head = ["run", "seeds", "decisions", "time", *(title for *_, title in self.measured)]
        rows = []
        for group in self.groups:
            made = _range([run.done("decisions") for run in group.members], "{:,.0f}".format)
            lasted = _range([run.done("seconds") for run in group.members], duration)
            rows.append([group.label, group.seeds, made, lasted, *reached(group, False)])
            if all(run.untrained for run in group.members):  # known of all of them
                rows.append([f"{group.label}, untrained", group.seeds, "0", "-"])
                rows[-1] += reached(group, True)
        return head, rows

    def table(self) -> str:
        """For the terminal: the results, and what differs."""
        parts = [table(*self.rows)]
        if self.differences:
            parts.append(table(["", *(group.label for group in self.groups)], self.differences))
        return "\n\n".join(parts)

    def write(self, path: Path) -> None:
        """The page."""
        write_whole(path, pages.render("compare.html.j2", all=self))

    # --- curves ---

    @property
    def colours(self) -> list[str]:
        """The colour of each group, as the page calls it."""
        every = (COLOURS[at % len(COLOURS)] for at in range(len(self.groups)))
        return [f"--c{colour.removeprefix('#')}" for colour in every]

    def strength(self) -> Markup | None:
        """The evaluations on the way."""
        panels = [
            evaluation_panel(
                self.runs[0],
                *each,
                [group.curve(*each[:2]) for group in self.groups],
                legend=False,
            )
            for each in self.measured
        ]
        return _drawn("strength", panels)

    def training(self) -> Markup | None:
        """The training games."""
        titles = {
            "mean_return": "mean return of the training games",
            "decisions_per_second": "decisions a second",
        }
        panels = [
            Panel(title, [group.training(name) for group in self.groups], legend=False)
            for name, title in titles.items()
        ]
        return _drawn("training", panels)


def _drawn(name: str, panels: Sequence[Panel]) -> Markup | None:
    """The panels in which there is something."""
    known = [each for each in panels if any(len(line.values) for line in each.lines)]
    return pages.plots(name, known, 2)


def _flat(values: Mapping[str, Any], outer: str = "") -> dict[str, str]:
    """Its values as texts; the keys of those inside others stand after a dot."""
    found: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, dict) and value:
            found |= _flat(value, f"{outer}{key}.")
        else:
            found[f"{outer}{key}"] = value if isinstance(value, str) else json.dumps(value)
    return found


def _range(values: Sequence[float], show: Callable[[float], str]) -> str:
    return " to ".join(dict.fromkeys((show(min(values)), show(max(values)))))
