"""The report of a training run, made from the files of its folder alone, at any time.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:  # a run that has written nothing yet
...     write(Path(folder)).name
'report.html'
"""

from __future__ import annotations

import csv
import math
import os
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import quote

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from pydantic import BaseModel, NonNegativeInt, PositiveInt, ValidationError

from cyberdeck import CyberdeckError, OptionError
from cyberdeck.common.files import write_whole
from cyberdeck.common.statistics import Mean, share, shown, wilson
from cyberdeck.evaluation.plots import labels
from cyberdeck_training import runs
from cyberdeck_training.pages import plots, render
from cyberdeck_training.pictures import Line, Panel, printable
from cyberdeck_training.words import duration, phrase, spaced

#: Points of a curve; longer runs are averaged down to so many.
MOST: Final = 150

#: What is averaged over the games that ended, not over the updates.
OF_GAMES: Final = ("mean_return", "win", "draw", "loss", "length", "illegal")

#: Columns of curves.csv about the learning itself, and what a reader calls them.
LEARNING: Final = {
    "dagger_loss": "DAgger loss",
    "search_loss": "cross-entropy to the search",
    "policy_loss": "policy loss",
    "value_loss": "value loss",
    "entropy": "entropy",
    "approx_kl": "KL divergence",
    "clip_fraction": "clipped share",
    "explained_variance": "explained variance",
    "learning_rate": "learning rate",
}

#: Replays that are listed, the latest ones.
LISTED: Final = 12

#: A script of a replay's page.
_SCRIPT: Final = re.compile("<script>(.*?)</script>", re.DOTALL)

#: What makes the fragments of addresses in an embedded page its own, not those of this one.
_BASE: Final = '<base href="about:srcdoc">'

#: The columns of a CSV file; what is no number is NaN.
Columns: TypeAlias = Mapping[str, NDArray[np.float64]]

_T = TypeVar("_T")


def write(folder: Path) -> Path:
    """Write report.html into the folder of a run, and return where it is.

    What the folder lacks, the report says.
    """
    if not folder.is_dir():
        raise OptionError(f"{folder} is no folder of a training run: give one that is there")
    write_whole(folder / "report.html", render("report.html.j2", run=Run(folder)))
    return folder / "report.html"


# --- what a run has written ----------------------------------------------------------------------


class _Interval(BaseModel):
    """A mean; JSON has no word for the interval of a single deal."""

    value: float
    low: float | None
    high: float | None

    @property
    def mean(self) -> Mean:
        low = -math.inf if self.low is None else self.low
        return Mean(self.value, low, math.inf if self.high is None else self.high)


class _Record(BaseModel):
    """Of evaluation.json: one opponent, one side."""

    opponent: str
    side: str
    games: PositiveInt
    wins: NonNegativeInt
    draws: NonNegativeInt
    losses: NonNegativeInt
    all_lose: NonNegativeInt
    points: _Interval
    decisions: float

    @property
    def cells(self) -> list[str]:
        """For a table."""
        ends = (self.wins, self.draws, self.losses, self.all_lose)
        return [
            *(self.opponent, self.side, str(self.games)),
            *(_rate(count, self.games) for count in ends),
            *(shown(self.points.mean), f"{self.decisions:.0f}"),
        ]


class _Final(BaseModel):
    """The final evaluation."""

    player: str
    interrupted: bool = False
    records: list[_Record]
    metrics: dict[str, _Interval]

    @property
    def points(self) -> dict[str, Mean]:
        """Against each opponent, of both sides together."""
        both = [record for record in self.records if record.side in ("both", "-")]
        return {record.opponent: record.points.mean for record in both}


class _Result(BaseModel):
    reason: str


class _Replay(BaseModel):
    players: list[str]
    result: _Result


class Run:
    """The files of a run, read, and what the report says of them.

    Whatever is missing, or is not what a run writes, is None or empty.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.info = _or_none(lambda: runs.read_info(folder))
        self.config = _or_none(lambda: runs.config_of(folder))
        self.config_text = _read(folder / runs.CONFIG)
        self.final = _or_none(lambda: _Final.model_validate_json(_read(folder / "evaluation.json")))
        self.final_text = _read(folder / "evaluation.txt")
        self.exploited = _read(folder / runs.EXPLOITED)
        self.curves = _columns(_rows(folder / "curves.csv"))
        #: The columns of evaluations.csv for each opponent.
        self.evaluations = _by("opponent", _rows(folder / "evaluations.csv"))
        #: Those of references.csv, for each opponent and each player.
        self.references = {
            name: _by("player", [row for row in rows if row.get("opponent") == name])
            for rows in [_rows(folder / runs.REFERENCES)]
            for name in self.evaluations
        }

    def has(self, name: str) -> bool:
        """Whether the folder holds that file."""
        return (self.folder / name).exists()

    @property
    def title(self) -> str:
        """What was trained."""
        return self.info.title if self.info else self.folder.resolve().name

    @property
    def alone(self) -> bool:
        """Whether it is a game for one."""
        return bool(self.final and self.final.metrics) or "-" in self.evaluations

    @property
    def subtitle(self) -> str:
        parts = [f"Folder {self.folder.resolve().name}"]
        if self.config:
            parts.append(self.config.algorithm)
            parts += [f"{key}={value}" for key, value in self.config.options.items()]
        if self.info:
            parts.append(f"started {self.info.started}")
        finished = self.info.finished if self.info else None
        parts.append(f"finished {finished}" if finished else "not finished")
        return " · ".join(parts)

    def _done(self, name: str) -> float:
        """How many decisions, or seconds, are done."""
        told = getattr(self.info, name, None) if self.info and self.info.finished else None
        curve = self.curves.get(name, np.zeros(1))
        return float(np.nan_to_num(curve[-1])) if told is None else float(told)

    @property
    def decisions(self) -> float:
        return self._done("decisions")

    @property
    def seconds(self) -> float:
        return self._done("seconds")

    @property
    def metric_names(self) -> list[str]:
        """A solitaire's, of the periodic evaluations."""
        return metric_names(self.evaluations.get("-", {}))

    def latest(self, opponent: str, name: str) -> float:
        """A mean of the final evaluation, or of the latest one if there is no final one yet."""
        if self.final and opponent in self.final.points:
            results = {key: each.mean for key, each in self.final.metrics.items()}
            results["points"] = self.final.points[opponent]
            return results[name].value if name in results else math.nan
        columns = self.evaluations.get(opponent, {})
        return float(columns[name][-1]) if name in columns else math.nan

    @property
    def verdict(self) -> str:
        """The one sentence for who reads nothing else."""
        if not self.decisions:
            return "This run has just begun: nothing is known of it yet."
        seconds = self.seconds
        lasted = f" in {duration(seconds)}" if seconds else ""
        after = f"After {self.decisions:,.0f} decisions{lasted}"
        if self.final and (results := self.final.points):
            metrics = {name: each.mean for name, each in self.final.metrics.items()}
            return f"{after}: {_results(results, metrics)}."
        if self.evaluations:
            results = {name: _mean(each, "points") for name, each in self.evaluations.items()}
            alone = self.evaluations.get("-", {})
            metrics = {name: _mean(alone, name) for name in metric_names(alone)}
            at = max(each["decisions"][-1] for each in self.evaluations.values())
            return f"{after}: {_results(results, metrics)}, as last measured at {at:,.0f}."
        return f"{after}: not measured yet."

    @property
    def numbers(self) -> dict[str, str]:
        """A few at a glance."""
        seconds = self.seconds
        games = float(np.nansum(self.curves.get("games", 0.0)))
        updates = len(self.curves.get("decisions", ()))
        each = {
            "decisions": f"{self.decisions:,.0f}" if self.decisions else "",
            "time": duration(seconds) if seconds else "",
            "decisions a second": f"{self.decisions / seconds:,.0f}" if seconds else "",
            "training games": f"{games:,.0f}" if games else "",
            "updates": f"{updates:,}" if updates else "",
        }
        return {what: number for what, number in each.items() if number}

    @property
    def final_of_one(self) -> list[tuple[str, str]]:
        """The final evaluation of a game for one."""
        assert self.final is not None
        record = self.final.records[0]
        metrics = [(spaced(name), shown(each.mean)) for name, each in self.final.metrics.items()]
        won = _rate(record.wins, record.games)
        return [("games", str(record.games)), ("won", won), *metrics]

    @property
    def others(self) -> list[str]:
        """Who else was measured on these deals."""
        return list(dict.fromkeys(name for each in self.references.values() for name in each))

    @property
    def other_deals(self) -> str:
        """On which deals."""
        few = any(
            each["games"][0] < self.evaluations[name]["games"][-1]
            for name, players in self.references.items()
            for each in players.values()
        )
        return "on the first of these deals" if few else "on the same deals"

    def _reached(self, opponent: str, name: str) -> dict[str, float]:
        """What others reach, if it is known."""
        found = {
            player: float(each[name][0]) if name in each else math.nan
            for player, each in self.references.get(opponent, {}).items()
        }
        return {player: value for player, value in found.items() if math.isfinite(value)}

    @property
    def course(self) -> list[list[str]]:
        """The periodic evaluations, a line for each opponent."""
        rows = []
        for name, each in self.evaluations.items():
            best = int(np.nan_to_num(each["points"], nan=-1.0).argmax())
            rows.append(
                [
                    "deals won" if name == "-" else name,
                    f"{len(each['points'])}",
                    f"{each['games'][-1]:,.0f}",
                    *(shown(_mean(each, "points", at)) for at in (0, best, -1)),
                    f"{each['decisions'][best]:,.0f}",
                ]
            )
        return rows

    @property
    def reached(self) -> list[list[str]]:
        """What the others reach, a line for each opponent."""
        return [
            [
                "deals won" if name == "-" else name,
                *(
                    shown(_mean(players[other], "points")) if other in players else "-"
                    for other in self.others
                ),
            ]
            for name, players in self.references.items()
        ]

    # --- plots ---

    def strength(self) -> Markup:
        """Points in the periodic evaluations, and a solitaire's metrics."""
        names = labels([printable(name) for name in self.evaluations])
        panels = [
            Panel(
                "deals won" if self.alone else f"points against {whom}",
                [line(name, each, "points")],
                shares=True,
                even=not self.alone,
                references=self._reached(name, "points"),
            )
            for whom, (name, each) in zip(names, self.evaluations.items(), strict=True)
        ]
        panels += [
            Panel(
                spaced(name),
                [line(name, self.evaluations["-"], name)],
                references=self._reached("-", name),
            )
            for name in self.metric_names
        ]
        return plots("strength", panels, 2)

    def training(self) -> Markup | None:
        """The training games."""
        curves = thinned(self.curves)
        ends = ["win", "draw", "loss"]
        if not self.alone and all(name in curves for name in ends):
            rest = 1.0 - curves["win"] - curves["draw"] - curves["loss"]
            if (rest > 0.001).any():
                curves, ends = {**curves, "all lose": rest}, [*ends, "all lose"]
        panels = [
            *_panel(curves, "mean return of the training games", "mean_return"),
            *_panel(curves, "how they ended", *ends, shares=True, stacked=True),
            *_panel(curves, "length, in decisions", "length", from_zero=True),
            *_panel(curves, "decisions a second", "decisions_per_second", from_zero=True),
        ]
        if np.nansum(curves.get("illegal", 0.0)) > 0:
            panels += _panel(curves, "illegal", "illegal")
        return plots("training", panels, 2) if panels else None

    def learning(self) -> Markup | None:
        """What the learner logs."""
        curves = dict(thinned(self.curves))
        if np.ptp(curves.get("learning_rate", np.zeros(1))) == 0:  # a flat line says nothing
            curves.pop("learning_rate", None)
        panels = [each for name, title in LEARNING.items() for each in _panel(curves, title, name)]
        return plots("learning", panels, 3) if panels else None

    @property
    def averaged(self) -> str:
        """What is to be said of a run with more updates than a plot has points."""
        updates = len(self.curves.get("decisions", ()))
        if updates <= MOST:
            return ""
        return f"The {updates:,} updates are averaged down to {MOST} points, weighted by games."

    # --- the rest ---

    @property
    def replays(self) -> list[Path]:
        """The latest first."""
        return sorted(self.folder.glob("replays/*.json"), reverse=True)

    @property
    def listed(self) -> list[dict[str, str]]:
        """The latest replays: their addresses, who played, how it ended."""
        return [self._replay(path) for path in self.replays[:LISTED]]

    def _replay(self, path: Path) -> dict[str, str]:
        replay = _or_none(partial(_Replay.model_validate_json, _read(path)))
        page = path.with_suffix(".html")
        decisions = path.name.partition("-")[0]
        return {
            "name": path.name,
            "after": f"{int(decisions):,} decisions" if decisions.isdecimal() else "",
            "players": ", ".join(replay.players) if replay else "",
            "reason": spaced(replay.result.reason) if replay else "",
            "page": _address(page) if page.exists() else "",
        }

    @cached_property
    def embedded(self) -> list[dict[str, str]]:
        """The games of the latest evaluation that have a page, and what is in it."""
        latest = [path.name.partition("-")[0] for path in self.replays[:1]]
        found = []
        for path in self.replays:
            content = printable(_read(path.with_suffix(".html")))
            content = content.replace("<head>", f"<head>{_BASE}", 1)
            if content and path.name.partition("-")[0] in latest:
                found.append({**self._replay(path), "title": path.stem, "content": content})
        return found

    @property
    def scripts(self) -> list[str]:
        """What the pages in this one may run, for its Content-Security-Policy: nothing else."""
        every = [text for each in self.embedded for text in _SCRIPT.findall(each["content"])]
        digests = [sha256(text.encode()).digest() for text in dict.fromkeys(every)]
        return [f"sha256-{b64encode(digest).decode()}" for digest in digests]

    @property
    def replay_commands(self) -> str:
        """What can be done with the latest."""
        latest = f"replays/{self.replays[0].name}"
        kinds = ["gif"] if self.embedded else ["gif", "html"]
        ways = [[], *([f"--{kind}", str(Path(latest).with_suffix(f".{kind}"))] for kind in kinds)]
        game = self.config.game if self.config else ""
        own = ["--game", game] if game.endswith(".py") else []
        return "\n".join(shlex.join(["cyberdeck", "replay", latest, *own, *way]) for way in ways)

    @property
    def evaluate_command(self) -> str:
        """How to measure the best policy on other deals."""
        if not self.config or not self.has(runs.BEST):
            return ""
        words = ["cyberdeck", "evaluate", self.config.game, runs.BEST]
        if not self.alone:
            words += ["--against", *self.evaluations]
        for key, value in self.config.options.items():
            words += ["--option", f"{key}={value}"]
        return f"{shlex.join(words)} --seed 7"

    @property
    def making(self) -> dict[str, Any]:
        """How the run came about."""
        rows: dict[str, Any] = {}
        if self.config and self.config.opponents:
            shares = (f"{player} {share}" for player, share in self.config.opponents.items())
            rows["trained against (shares)"] = ", ".join(shares)
        if self.info:
            changed = ", with changes that are not in it" if self.info.changed else ""
            resumed = len(self.info.resumes)
            rows |= {
                "command": self.info.command,
                "started": self.info.started,
                "finished": self.info.finished or "not yet",
                "resumed": f"{resumed} time{'s' * (resumed > 1)}" if resumed else "never",
                "machine": self.info.machine,
                "threads": self.info.threads,
                "git revision": f"{self.info.revision}{changed}" if self.info.revision else "",
                **{f"seed of {name}": seed for name, seed in self.info.seeds.items()},
                **self.info.versions,
            }
        return {what: value for what, value in rows.items() if value != ""}


def _or_none(read: Callable[[], _T]) -> _T | None:
    """What is read, or None where a file is missing or is not what a run writes."""
    try:
        return read()
    except (CyberdeckError, ValidationError):
        return None


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _rows(path: Path) -> list[dict[str, str]]:
    """The whole lines of a CSV file; a full disk may have left half a line at the end."""
    lines = _read(path).rpartition("\n")[0].splitlines()
    try:
        rows = list(csv.DictReader(lines))
    except csv.Error:
        return []
    return [row for row in rows if None not in row and None not in row.values()]


def _by(key: str, rows: Sequence[Mapping[str, str]]) -> dict[str, Columns]:
    """The columns of the rows for each word that stands in the column *key*."""
    return {
        word: _columns([row for row in rows if row.get(key) == word])
        for word in dict.fromkeys(row.get(key, "") for row in rows)
    }


def _columns(rows: Sequence[Mapping[str, str]]) -> Columns:
    return {
        name: np.array([_number(row[name]) for row in rows]) for name in (rows[0] if rows else ())
    }


def _number(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:  # nothing, or a word
        return math.nan
    return number if abs(number) < 1e15 else math.nan  # as far as a plot can go


def metric_names(columns: Columns) -> list[str]:
    """The columns that are a game's metrics."""
    return [name for name in columns if name != "points" and f"{name}_low" in columns]


def _mean(columns: Columns, name: str, at: int = -1) -> Mean:
    """One evaluation's mean, by default the last one's."""
    return Mean(*(float(columns[f"{name}{end}"][at]) for end in ("", "_low", "_high")))


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


# --- plots ---------------------------------------------------------------------------------------


def _panel(columns: Columns, title: str, *names: str, **how: Any) -> list[Panel]:
    """A panel of these columns, if there is something in each."""
    if not all(name in columns and np.isfinite(columns[name]).any() for name in names):
        return []
    lines = [Line(name, columns["decisions"], columns[name]) for name in names]
    return [Panel(title, lines, **how)]


def line(name: str, columns: Columns, mean: str) -> Line:
    """A mean with its interval."""
    return Line(name, columns["decisions"], *(columns[mean + end] for end in ("", "_low", "_high")))


# --- words ---------------------------------------------------------------------------------------


def _results(points: Mapping[str, Mean], metrics: Mapping[str, Mean]) -> str:
    """Results as a phrase: the points against each opponent, or of a game for one."""
    if "-" in points:
        parts = [f"{shown(points['-'])} of deals won"]
        parts += [f"{shown(mean)} {spaced(name)}" for name, mean in metrics.items()]
    else:
        parts = [f"{shown(mean)} against {name}" for name, mean in points.items()]
        parts[0] = f"points of {parts[0]}"
    return phrase(parts)


def _rate(count: int, games: int) -> str:
    """A share of games with its interval."""
    low, high = wilson(count, games)
    return f"{share(count, games)} ({100 * low:.1f} to {100 * high:.1f})"


def _address(path: Path) -> str:
    """The relative address of a replay, whatever its name holds."""
    return quote(os.fsencode(f"replays/{path.name}"))
