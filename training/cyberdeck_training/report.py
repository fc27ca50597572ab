"""The report of a training run, made from the files of its folder alone, at any time.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:  # a run that has written nothing yet
...     write(Path(folder)).name
'report.html'
"""

from __future__ import annotations

import os
import re
import shlex
from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

import numpy as np

from cyberdeck import OptionError
from cyberdeck.common.files import write_whole
from cyberdeck.common.statistics import shown
from cyberdeck_training import curves, runs
from cyberdeck_training.pages import printable, render
from cyberdeck_training.reading import Means, Run, mean_at, measure
from cyberdeck_training.words import duration, phrase, spaced

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
    page = render("report.html.j2", report=Report(Run(folder)), curves=curves)
    write_whole(folder / "report.html", page)
    return folder / "report.html"


class Report:
    """What the page says of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        #: Who else was measured on deals of the periodic evaluations.
        self.others = list(dict.fromkeys(name for each in run.references.values() for name in each))
        #: The latest first.
        self.replays = sorted(run.folder.glob("replays/*.json"), reverse=True)

    @property
    def subtitle(self) -> str:
        info, config = self.run.info, self.run.config
        parts = [f"Folder {self.run.folder.resolve().name}"]
        if config:
            options = (f"{key}={value}" for key, value in config.options.items())
            parts += [config.algorithm, *options]
        if info:
            parts.append(f"started {info.started}")
        parts.append(f"finished {info.finished}" if info and info.finished else "not finished")
        return " · ".join(parts)

    @property
    def verdict(self) -> str:
        """The one sentence for who reads nothing else."""
        run = self.run
        if not run.decisions:
            return "This run has just begun: nothing is known of it yet."
        lasted = f" in {duration(run.seconds)}" if run.seconds else ""
        after = f"After {run.decisions:,.0f} decisions{lasted}"
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
                    *(curves.ALONE[gained] if name == "-" else name, f"{len(each[gained])}"),
                    f"{each['games'][-1]:,.0f}",
                    *(shown(mean_at(each, gained, at)) for at in (0, best, -1)),
                    f"{each['decisions'][best]:,.0f}",
                    *(shown(mean_at(found, gained)) if found else "-" for found in reached),
                ]
            )
        return [*head, *self.others], rows

    @property
    def averaged(self) -> str:
        """What is to be said of a run with more updates than a plot has points."""
        updates, most = len(self.run.curves.get("decisions", ())), curves.MOST
        if updates <= most:
            return ""
        return f"The {updates:,} updates are averaged down to {most} points, weighted by games."

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
            content = printable(self.run.text(f"replays/{path.stem}.html"))
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
        """In the run's folder: what a command does, and the command."""
        found = {
            "The same run again, from the beginning": ["train", runs.CONFIG],
            "Go on where it stopped": ["train", "--resume", "."],
        }
        config, info = self.run.config, self.run.info
        if config and info and self.run.has(runs.BEST):
            against = [] if self.run.alone else ["--against", *self.run.evaluations]
            given = [("--option", f"{key}={value}") for key, value in config.options.items()]
            day = (info.finished or info.started)[:10]
            how = [*against, *(word for option in given for word in option), "--report", day]
            found["Measure the policy to report it"] = ["evaluate", config.game, runs.BEST, *how]
        if self.replays:
            own = ["--game", config.game] if config and config.game.endswith(".py") else []
            latest = ["replay", f"replays/{self.replays[0].name}", *own]
            found["A game in words; with --html OUT or --gif OUT to watch"] = latest
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
