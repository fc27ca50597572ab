"""The report of a training run, made from the files of its folder alone, at any time.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:  # a run that has written nothing yet
...     write(Path(folder)).name
'report.md'
"""

from __future__ import annotations

import csv
import json
import math
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import yaml
from numpy.typing import NDArray

from cyberdeck import GAMES, OptionError
from cyberdeck.common.files import write_whole
from cyberdeck.common.statistics import Mean, wilson
from cyberdeck.evaluation.plots import labels
from cyberdeck_training import document
from cyberdeck_training.document import (
    Block,
    Code,
    Document,
    Figures,
    Heading,
    Lead,
    Link,
    Paragraph,
    Plot,
    Small,
    Source,
    Table,
    Words,
)
from cyberdeck_training.pictures import Line, Panel, Picture, panels

#: Points of a curve; longer runs are averaged down to so many.
MOST: Final = 150

#: What is averaged over the games that ended, not over the updates.
OF_GAMES: Final = ("mean_return", "win", "draw", "loss", "length", "illegal")

#: What SB3 logs of the learning itself, and what a reader wants to know of it.
LEARNING: Final = {
    "policy_loss": "policy loss",
    "value_loss": "value loss",
    "entropy": "entropy",
    "approx_kl": "KL divergence",
    "clip_fraction": "clipped share",
    "explained_variance": "explained variance",
    "learning_rate": "learning rate",
}

#: The files of a run, and what each is for.
FILES: Final[Mapping[str, Words]] = {
    "best.safetensors": (
        "the policy that was best in the periodic evaluations, as numbers without code: "
        "a player wherever a player is named"
    ),
    "last.safetensors": "the policy as it was last, of the same kind",
    "model.zip": (
        "the whole learner, for resuming only. ",
        Code("MaskablePPO.load"),
        " unpickles it, which can run any code: load none from strangers",
    ),
    "config.yaml": "the configuration as run, complete",
    "run.json": "seeds, versions, revision, machine, times",
    "curves.csv": "training: a line for each update",
    "evaluations.csv": "the periodic evaluations: a line for each of them and opponent",
    "evaluation.json": "the final evaluation, all figures",
    "evaluation.txt": "the final evaluation as a table",
    "replays": "games of each evaluation",
    "tensorboard": ("the curves for TensorBoard: ", Code("tensorboard --logdir tensorboard")),
}

POINTS: Final = (
    "A win is a point, a draw half a point, anything else none; every deal is played on every "
    "side, and the length is in decisions. "
)

#: Replays that are listed, the latest ones.
LISTED: Final = 12

_Row = dict[str, str]


def write(folder: Path) -> Path:
    """Write report.md, report.html and plots/ into the folder of a run; returns the first.

    What the folder lacks, the report says. Each file is there whole or as it was before.
    """
    if not folder.is_dir():
        raise OptionError(f"{folder} is no folder of a training run: give one that is there")
    run = Run(folder)
    blocks: list[Block] = []
    for part in (_top, _final, _progress, _training, _replays, _files, _making):
        blocks += part(run)
    made = _text(run.about.get("title")) or run.game or folder.resolve().name
    content = Document(f"Training report: {made}", _subtitle(run), blocks)
    if run.pictures:
        (folder / "plots").mkdir(exist_ok=True)
    for name, picture in run.pictures.items():
        write_whole(folder / "plots" / f"{name}.png", picture.png)
    write_whole(folder / "report.md", document.markdown(content))
    write_whole(folder / "report.html", document.page(content))
    return folder / "report.md"


# --- what a run has written ----------------------------------------------------------------------


@dataclass(frozen=True)
class Evaluated:
    """One opponent's line of an evaluation; what is not known is NaN."""

    opponent: str
    decisions: float
    games: float
    points: Mean
    metrics: Mapping[str, Mean]


class Run:
    """The files of a run, read; whatever is missing or broken is empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.about = _json(folder / "run.json")
        self.final = _json(folder / "evaluation.json")
        self.config_text = _read(folder / "config.yaml")
        self.config = _yaml(self.config_text)
        self.curves = _columns(_current(_rows(folder / "curves.csv")))
        self.anchors = _anchors(_rows(folder / "evaluations.csv"))
        self.pictures: dict[str, Picture] = {}
        self.game = _text(self.about.get("game")) or _text(self.config.get("game"))
        self.finished = bool(_text(self.about.get("finished")))

    @property
    def decisions(self) -> float:
        """How many are done."""
        return self._done("decisions")

    @property
    def seconds(self) -> float:
        return self._done("seconds")

    def _done(self, name: str) -> float:
        curve = self.curves.get(name)
        last = float(curve[-1]) if curve is not None else math.nan
        told = _number(self.about.get(name))
        if self.finished or math.isnan(last):
            return last if math.isnan(told) else told
        return last

    @property
    def alone(self) -> bool:
        """Whether it is a game for one."""
        return bool(self.final.get("metrics")) or "-" in self.anchors

    def plot(self, name: str, about: str, shown: Sequence[Panel], columns: int) -> Plot:
        """A picture of the report."""
        size = (9.0, 3.6) if len(shown) == 1 else (9.6 / columns, 2.5)
        self.pictures[name] = panels(name, shown, columns, size)
        return Plot(f"plots/{name}.png", about, self.pictures[name].svg)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(_read(path))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _yaml(text: str) -> dict[str, Any]:
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _rows(path: Path) -> list[_Row]:
    """The whole lines of a CSV file; a killed run may have left half a line at the end."""
    whole = _read(path).rpartition("\n")[0]
    rows = []
    try:
        for row in csv.DictReader(whole.splitlines()):
            if None not in row and None not in row.values():
                rows.append(row)
    except csv.Error:  # a field without end: nothing after it can be trusted
        pass
    return rows


def _current(rows: Iterable[_Row]) -> list[_Row]:
    """*rows* in the order of their decisions; where a run went back, its later lines count."""
    kept: list[_Row] = []
    for row in rows:
        at = _number(row.get("decisions"))
        if math.isnan(at):
            continue
        while kept and float(kept[-1]["decisions"]) >= at:
            kept.pop()
        kept.append(row)
    return kept


def _columns(rows: Sequence[_Row]) -> dict[str, NDArray[np.float64]]:
    names = rows[0] if rows else ()
    return {name: np.array([_number(row[name]) for row in rows]) for name in names}


def _anchors(rows: Iterable[_Row]) -> dict[str, list[Evaluated]]:
    """The periodic evaluations by opponent."""
    by_opponent: dict[str, list[_Row]] = {}
    for row in rows:
        by_opponent.setdefault(row.get("opponent", ""), []).append(row)
    found = {
        name: [_evaluated(row) for row in _current(each)] for name, each in by_opponent.items()
    }
    return {name: each for name, each in found.items() if each}


def _evaluated(row: _Row) -> Evaluated:
    def mean(name: str) -> Mean:
        return Mean(*(_number(row.get(name + end)) for end in ("", "_low", "_high")))

    metrics = [n for n in row if n != "points" and f"{n}_low" in row and f"{n}_high" in row]
    return Evaluated(
        row.get("opponent", ""),
        _number(row.get("decisions")),
        _number(row.get("games")),
        mean("points"),
        {name: mean(name) for name in metrics},
    )


def _number(value: Any) -> float:
    """A number as a run can have it, else NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return math.nan
    return number if abs(number) < 1e15 else math.nan


def _text(value: Any) -> str:
    """A word or a number for the reader, empty for none."""
    return "" if value is None or isinstance(value, dict | list) else str(value)


def thinned(
    curves: Mapping[str, NDArray[np.float64]], most: int = MOST
) -> Mapping[str, NDArray[np.float64]]:
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


# --- the parts of the report ---------------------------------------------------------------------


def _subtitle(run: Run) -> str:
    parts = [
        f"Folder {run.folder.resolve().name}",
        _text(run.config.get("algorithm")),
        ", ".join(f"{key}={_text(value)}" for key, value in _mapping(run.config, "options")),
        f"started {started}" if (started := _text(run.about.get("started"))) else "",
        f"finished {_text(run.about['finished'])}" if run.finished else "not finished",
    ]
    return " · ".join(filter(None, parts))


def _top(run: Run) -> list[Block]:
    """The verdict, whether that is all, and a few figures."""
    blocks: list[Block] = [Lead(_verdict(run))]
    planned = _number(run.config.get("decisions"))
    if not run.about:
        blocks.append(Paragraph([Code("run.json"), " is missing or cannot be read."]))
    if not run.finished:
        done = 0.0 if math.isnan(run.decisions) else run.decisions
        of = "" if math.isnan(planned) else f" of {planned:,.0f}"
        blocks.append(
            Paragraph(
                f"This run is not finished: it still goes on or was interrupted. "
                f"{done:,.0f}{of} decisions are done."
            )
        )
    if run.final.get("interrupted") is True:
        blocks.append(
            Paragraph("The final evaluation was interrupted: it has fewer games than it should.")
        )
    figures = []
    if run.decisions > 0:
        figures.append(("decisions", f"{run.decisions:,.0f}"))
    if run.seconds > 0:
        figures.append(("time", _time(run.seconds)))
        if run.decisions > 0:
            figures.append(("decisions a second", f"{run.decisions / run.seconds:,.0f}"))
    if (games := float(np.nansum(run.curves.get("games", 0.0)))) > 0:
        figures.append(("training games", f"{games:,.0f}"))
    if (updates := len(run.curves.get("decisions", ()))) > 0:
        figures.append(("updates", f"{updates:,}"))
    return [*blocks, Figures(figures)] if figures else blocks


def _verdict(run: Run) -> str:
    if not run.decisions > 0:
        return "This run has just begun: nothing is known of it yet."
    after = f"After {run.decisions:,.0f} decisions"
    if run.seconds > 0:
        after += f" in {_time(run.seconds)}"
    if final := _final_results(run):
        return f"{after}: {_said(final)}."
    if latest := [each[-1] for each in run.anchors.values()]:
        at = max(each.decisions for each in latest)
        return f"{after}: {_said(latest)}, as last measured at {at:,.0f}."
    return f"{after}: not measured yet."


def _final_results(run: Run) -> list[Evaluated]:
    """What the final evaluation says of each opponent."""
    metrics = {name: _mean(mean) for name, mean in _mapping(run.final, "metrics")}
    return [
        Evaluated(
            _text(each.get("opponent")), math.nan, math.nan, _mean(each.get("points")), metrics
        )
        for each in _records(run)
        if each.get("side") in ("both", "-")
    ]


def _said(results: Sequence[Evaluated]) -> str:
    """Results as a phrase."""
    parts = []
    for at, result in enumerate(results):
        if result.opponent == "-":
            parts.append(_percent(result.points, " of deals won"))
            parts += [f"{_fact(mean)} {_spaced(name)}" for name, mean in result.metrics.items()]
        else:
            of = " of points" if at == 0 else ""
            parts.append(_percent(result.points, f"{of} against {result.opponent}"))
    return _and(parts)


def _final(run: Run) -> list[Block]:
    heading = Heading("Final evaluation")
    records = _records(run)
    if not records:
        if text := _read(run.folder / "evaluation.txt"):
            return [heading, Source(text, "text")]
        return [heading, Paragraph("There is no final evaluation yet: it is made at the end.")]
    chosen = _text(run.final.get("player")) or "the policy"
    if run.alone:
        rows: list[tuple[Words, Words]] = [("games", _text(records[0].get("games")))]
        rows.append(("won", _cell(_percent(_rate(records[0], "wins")))))
        rows += [(_spaced(n), _cell(_fact(_mean(m)))) for n, m in _mapping(run.final, "metrics")]
        result = Table(("", chosen), rows)
    else:
        head = ("opponent", "side", "games", "win", "draw", "loss", "all lose", "points", "length")
        result = Table(head, [_record(record) for record in records])
    return [
        heading,
        Paragraph(
            [
                "Of ",
                Code(chosen),
                ", which decides without chance" if _greedy(run) else ", which draws its decisions",
                ", on deals that training did not see. ",
                "" if run.alone else POINTS,
                "In brackets are 95% confidence intervals.",
            ]
        ),
        result,
    ]


def _greedy(run: Run) -> bool:
    return ("greedy", False) not in _mapping(run.config, "evaluation")


def _record(record: Mapping[str, Any]) -> list[Words]:
    length = _number(record.get("decisions"))
    return [
        _text(record.get("opponent")),
        _text(record.get("side")),
        _text(record.get("games")),
        *(_cell(_percent(_rate(record, n))) for n in ("wins", "draws", "losses", "all_lose")),
        _cell(_percent(_mean(record.get("points")))),
        "-" if math.isnan(length) else f"{length:.0f}",
    ]


def _progress(run: Run) -> list[Block]:
    """The periodic evaluations."""
    heading = Heading("Strength while training")
    if not run.anchors:
        return [heading, Paragraph("No evaluation has been made yet.")]
    lines = [
        _line(_of(name), each, [result.points for result in each])
        for name, each in run.anchors.items()
    ]
    blocks: list[Block] = [heading]
    if run.alone:
        about = "Share of deals won over the decisions trained for"
        blocks.append(run.plot("strength", about, [Panel("deals won", lines, shares=True)], 1))
        every = run.anchors.get("-", [])
        names = list(every[-1].metrics) if every else []
        metrics = [
            Panel(_spaced(name), [_line(name, every, [each.metrics[name] for each in every])])
            for name in names
        ]
        if metrics:
            about = f"Means over the decisions trained for: {', '.join(map(_spaced, names))}"
            blocks.append(run.plot("metrics", about, metrics, 2))
    else:
        whom = _and(run.anchors)
        about = f"Points against {whom} over the decisions trained for"
        title = f"points against {'frozen opponents' if len(lines) > 1 else labels([whom])[0]}"
        blocks.append(run.plot("strength", about, [Panel(title, lines, shares=True, even=True)], 1))
    blocks.append(Paragraph("The bands are 95% confidence intervals. The numbers:"))
    head = (
        "" if run.alone else "opponent",
        "evaluations",
        "games in each",
        "first",
        "best",
        "best at",
        "latest",
    )
    rows: list[list[Words]] = []
    for name, each in run.anchors.items():
        best = max(each, key=lambda result: np.nan_to_num(result.points.value, nan=-1.0))
        rows.append(
            [
                _of(name),
                str(len(each)),
                _whole(each[-1].games),
                *(_cell(_percent(result.points)) for result in (each[0], best)),
                _whole(best.decisions),
                _cell(_percent(each[-1].points)),
            ]
        )
    return [*blocks, Table(head, rows)]


def _line(name: str, results: Sequence[Evaluated], means: Sequence[Mean]) -> Line:
    decisions = np.array([result.decisions for result in results])
    value, low, high = np.array([(mean.value, mean.low, mean.high) for mean in means]).T
    return Line(name, decisions, value, low, high)


def _of(opponent: str) -> str:
    """What the share of points against an *opponent* is called."""
    return "deals won" if opponent == "-" else opponent


def _training(run: Run) -> list[Block]:
    heading = Heading("Training")
    curves = thinned(run.curves)

    def panel(title: str, *names: str, **how: bool) -> list[Panel]:
        """A panel of these columns, if there is something in each."""
        if not all(name in curves and np.isfinite(curves[name]).any() for name in names):
            return []
        lines = [Line(name, curves["decisions"], curves[name]) for name in names]
        return [Panel(title, lines, **how)]

    ends = ["win", "draw", "loss"]
    if not run.alone and all(name in curves for name in ends):
        rest = 1.0 - curves["win"] - curves["draw"] - curves["loss"]
        if (rest > 0.001).any():
            curves, ends = {**curves, "all lose": rest}, [*ends, "all lose"]
    games = [
        *panel("mean return of the training games", "mean_return"),
        *panel("how they ended", *ends, shares=True, stacked=True),
        *panel("length, in decisions", "length", from_zero=True),
        *panel("decisions a second", "decisions_per_second", from_zero=True),
    ]
    if np.nansum(curves.get("illegal", 0.0)) > 0:
        games += panel("illegal", "illegal")
    learning = [each for name, title in LEARNING.items() for each in panel(title, name)]
    if np.ptp(run.curves.get("learning_rate", np.zeros(1))) == 0.0:  # a flat line says nothing
        learning = [each for each in learning if each.title != LEARNING["learning_rate"]]
    if not games and not learning:
        return [heading, Paragraph("No update has been logged yet.")]
    blocks: list[Block] = [heading]
    if len(run.curves["decisions"]) > MOST:
        lines = f"{len(run.curves['decisions']):,}"
        blocks.append(
            Paragraph(f"The {lines} updates are averaged down to {MOST} points, weighted by games.")
        )
    if games:
        about = f"Over the decisions trained for: {', '.join(each.title for each in games)}"
        blocks.append(run.plot("training", about, games, 2))
    if learning:
        about = f"Over the decisions trained for: {', '.join(each.title for each in learning)}"
        blocks.append(run.plot("learning", about, learning, 3))
    return blocks


def _replays(run: Run) -> list[Block]:
    heading = Heading("Replays")
    folder = run.folder / "replays"
    saved = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not saved:
        return [heading, Paragraph("No game has been saved yet.")]
    shown = saved[: -LISTED - 1 : -1]  # the latest first
    rows: list[list[Words]] = []
    for path in shown:
        replay = _json(path)
        players, result = replay.get("players"), replay.get("result")
        result = result if isinstance(result, dict) else {}
        page = path.with_suffix(".html")
        rows.append(
            [
                Link(path.name, _address(f"replays/{path.name}")),
                ", ".join(map(_text, players)) if isinstance(players, list) else "",
                _spaced(_text(result.get("reason"))),
                Link("watch", _address(f"replays/{page.name}")) if page.exists() else "-",
            ]
        )
    blocks: list[Block] = [heading]
    if len(saved) > len(shown):
        blocks.append(Paragraph(f"The latest {len(shown)} of {len(saved)}:"))
    newest = f"replays/{shown[0].name}"
    out = str(Path(newest).with_suffix(".html"))
    return [
        *blocks,
        Table(("game", "players", "ended by", "page"), rows),
        Paragraph("To step through a game in the browser, make its page in this folder:"),
        Source(f"cyberdeck replay {shlex.quote(newest)} --html {shlex.quote(out)}", "sh"),
    ]


def _files(run: Run) -> list[Block]:
    rows: list[list[Words]] = []
    for name, purpose in FILES.items():
        there = (run.folder / name).exists()
        shown = Link(name, _address(name)) if there else Code(name)
        rows.append([shown, purpose, "" if there else "not there yet"])
    return [Heading("Files"), Table(("file", "what it is for", ""), rows)]


def _making(run: Run) -> list[Block]:
    """How it was made, and how to do it again or go on."""
    about = run.about
    revision = _text(about.get("revision"))
    if revision and about.get("changed") is True:
        revision += ", with changes that are not in it"
    resumes = about.get("resumes")
    resumed = len(resumes) if isinstance(resumes, list) else 0
    metrics: list[tuple[str, Words]] = [
        ("command", Code(_text(about.get("command")))),
        ("started", _text(about.get("started"))),
        ("finished", _text(about.get("finished")) or "not yet"),
        ("resumed", f"{resumed} time{'s' * (resumed > 1)}" if resumed > 0 else "never"),
        ("machine", _text(about.get("machine"))),
        ("threads", _text(about.get("threads"))),
        ("git revision", Code(revision) if revision else "unknown"),
        *((f"seed of {_spaced(name)}", _text(seed)) for name, seed in _mapping(about, "seeds")),
        *((name, _text(version)) for name, version in _mapping(about, "versions")),
    ]
    opponents = [f"{player} {_text(share)}" for player, share in _mapping(run.config, "opponents")]
    if opponents:
        metrics.insert(0, ("trained against (shares)", ", ".join(opponents)))
    rows = [[name, words] for name, words in metrics if words not in ("", Code(""))]
    configured: Block = (
        Source(run.config_text, "yaml")
        if run.config_text
        else Paragraph([Code("config.yaml"), " is missing or cannot be read."])
    )
    return [
        Heading("Again, and further"),
        Paragraph("In this folder:"),
        Source("\n".join(_commands(run)), "sh"),
        Heading("How it was made"),
        Table(("", ""), rows),
        Heading("Configuration"),
        configured,
    ]


def _commands(run: Run) -> list[str]:
    lines = [
        "# The same run again, from the beginning:",
        "cyberdeck train config.yaml",
        "# Go on where it stopped:",
        "cyberdeck train --resume .",
    ]
    if run.game in GAMES and (run.folder / "best.safetensors").exists():
        words = ["cyberdeck", "evaluate", run.game, "best.safetensors"]
        if not run.alone:
            words += ["--against", *(name for name in run.anchors if name)]
        for key, value in _mapping(run.config, "options"):
            words += ["--option", f"{key}={_text(value)}"]
        lines += ["# Measure the policy on other deals:", f"{shlex.join(words)} --seed 7"]
    return lines


# --- words ---------------------------------------------------------------------------------------


def _mapping(content: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    found = content.get(name)
    return [(str(key), value) for key, value in found.items()] if isinstance(found, dict) else []


def _records(run: Run) -> list[dict[str, Any]]:
    found = run.final.get("records")
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _mean(content: Any) -> Mean:
    """A mean as it stands in JSON."""
    content = content if isinstance(content, dict) else {}
    return Mean(*(_number(content.get(name)) for name in ("value", "low", "high")))


def _percent(mean: Mean, what: str = "") -> str:
    """A share, *what* it is of, and its interval.

    >>> _percent(Mean(0.738, 0.72, 0.756), " of points")
    '73.8% of points (72.0 to 75.6)'
    """
    if math.isnan(mean.value):
        return f"unknown{what}"
    return f"{100 * mean.value:.1f}%{what}{_interval(100 * mean.low, 100 * mean.high, 1)}"


def _fact(mean: Mean) -> str:
    if math.isnan(mean.value):
        return "unknown"
    return f"{mean.value:.2f}{_interval(mean.low, mean.high, 2)}"


def _interval(low: float, high: float, places: int) -> str:
    return "" if math.isnan(low + high) else f" ({low:.{places}f} to {high:.{places}f})"


def _rate(record: Mapping[str, Any], name: str) -> Mean:
    """How many of the games, with Wilson's interval."""
    count, games = _number(record.get(name)), _number(record.get("games"))
    if not 0 <= count <= games or games < 1:
        return Mean(math.nan, math.nan, math.nan)
    return Mean(count / games, *wilson(round(count), round(games)))


def _cell(words: str) -> Words:
    """A number for a table, its interval made small."""
    number, bracket, rest = words.partition(" (")
    return [number, " ", Small(f"({rest}")] if bracket else number


def _whole(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:,.0f}"


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _and(parts: Iterable[str]) -> str:
    """Several as one phrase.

    >>> _and(["a", "b", "c"])
    'a, b and c'
    """
    *front, last = parts
    return f"{', '.join(front)} and {last}" if front else last


def _time(seconds: float) -> str:
    """A duration in words.

    >>> _time(161), _time(7500), _time(4.2)
    ('2 min 41 s', '2 h 5 min', '4 s')
    """
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def _address(path: str) -> str:
    """A relative address of a file, whatever its name holds."""
    return quote(os.fsencode(path))
