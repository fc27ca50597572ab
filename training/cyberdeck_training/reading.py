"""What a run has written into its folder, read at any time.

Whatever is missing, or is not what a run writes, is None or empty.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck import CyberdeckError
from cyberdeck.common.reading import read_bytes
from cyberdeck.common.statistics import Mean
from cyberdeck_training import runs
from cyberdeck_training.settings import RunSettings

#: The columns of a CSV file; what is no number is NaN.
Columns: TypeAlias = Mapping[str, NDArray[np.float64]]

#: Means by name: the points or the reward, and a solitaire's metrics.
Means: TypeAlias = Mapping[str, Mean]

#: What players are measured by, the second in games that nobody wins.
_MEASURES: Final = ("points", "reward")

#: The columns that a table of evaluations has besides.
_NEEDED: Final = ("opponent", "decisions", "games")

#: How many bytes of a file are read: the curves of a long run have a hundredth of it.
_MOST: Final = 2**28

#: How many players or opponents the files of a run may name.
_MOST_WORDS: Final = 1_000

#: A line of a CSV file.
_Row: TypeAlias = Mapping[str, str]


class Run:
    """The files of a run."""

    def __init__(self, folder: Path, config: RunSettings | None = None) -> None:
        """*config*: where the caller has read it already."""
        self.folder, self.config = folder, config
        self.info: runs.RunInfo | None = None
        with suppress(CyberdeckError, ValueError):
            self.info = runs.read_info(folder)
        with suppress(CyberdeckError, ValueError):
            self.config = config or runs.config_of(folder)
        #: What was trained.
        self.title = self.info.title if self.info else folder.resolve().name
        self.curves = _columns(_rows(self.text("curves.csv"), "decisions"))
        #: How many decisions are done, and how long that took.
        self.decisions, self.seconds = self._done("decisions"), self._done("seconds")
        by_player = "opponent", "player"
        #: The columns of evaluations.csv for each opponent.
        self.evaluations = _by(_measured(self.text("evaluations.csv")), "opponent")
        #: Those of references.csv for each opponent and each player.
        self.references = _by(_measured(self.text(runs.REFERENCES), "player"), *by_player)
        finals = _by(_measured(self.text(runs.FINAL), "player"), *by_player)
        trained, before = (
            {name: _means(each[who], -1) for name, each in finals.items() if who in each}
            for who in (runs.TRAINED, runs.BEFORE)
        )
        #: The final evaluation against each opponent, of both sides together.
        self.final = trained
        #: The same, or the latest evaluation if there is no final one yet.
        self.results = {**self._periodic(-1), **trained}
        #: What the policy reached before its first update, on the deals of the results.
        self.untrained = before if trained else self._periodic(0)
        #: Whether it is a game for one.
        self.alone = "-" in self.results
        #: Whether two sides play, so that two equals get half of the points each.
        self.even = self.config is None or len({*self.config.variant.sides}) == 2

    def has(self, name: str) -> bool:
        """Whether the folder holds that file."""
        return (self.folder / name).exists()

    def text(self, name: str) -> str:
        """What is in that file."""
        try:
            return read_bytes(self.folder / name, _MOST).decode("utf-8", "replace")
        except OSError:
            return ""

    def _periodic(self, at: int) -> dict[str, Means]:
        """One of the periodic evaluations, against each opponent."""
        return {opponent: _means(each, at) for opponent, each in self.evaluations.items()}

    def _done(self, name: str) -> float:
        told = getattr(self.info, name, None) if self.info and self.info.finished else None
        curve = self.curves.get(name, np.zeros(1))
        return float(np.nan_to_num(curve[-1])) if told is None else float(told)


def measure(columns: Columns) -> str:
    """What the player of a table of evaluations is measured by."""
    return next(name for name in _MEASURES if name in columns)


def metric_names(columns: Columns) -> list[str]:
    """The columns that are a game's metrics."""
    return [
        name
        for name in columns
        if name != measure(columns) and {f"{name}_low", f"{name}_high"} <= {*columns}
    ]


def mean_at(columns: Columns, name: str, at: int = -1) -> Mean:
    """One evaluation's mean, by default the last one's."""
    return Mean(*(float(columns[f"{name}{end}"][at]) for end in ("", "_low", "_high")))


def _means(columns: Columns, at: int) -> Means:
    """All means of one evaluation."""
    return {name: mean_at(columns, name, at) for name in (measure(columns), *metric_names(columns))}


def _rows(text: str, *needed: str) -> list[_Row]:
    """The whole lines of a CSV file; a full disk may have left half a line at the end.

    None without the columns that are *needed*.
    """
    try:
        lines = csv.reader(text.rpartition("\n")[0].splitlines())
        names = next(lines, [])
        if not {*needed} <= {*names}:
            return []
        # Not DictReader: it fills lines that are too short, each with as many as the first has.
        return [dict(zip(names, line, strict=True)) for line in lines if len(line) == len(names)]
    except csv.Error:
        return []


def _measured(text: str, *needed: str) -> Sequence[_Row]:
    """The rows of a table of evaluations."""
    for name in _MEASURES:
        columns = (f"{name}{end}" for end in ("", "_low", "_high"))
        if rows := _rows(text, *_NEEDED, *needed, *columns):
            return rows
    return []


def _by(rows: Sequence[_Row], key: str, *inner: str) -> dict[str, Any]:
    """The columns of the rows for each word that stands in the column *key*; within it, for each
    in those of *inner*. No run has so many different words.
    """
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.get(key, ""), []).append(row)
    if len(found) > _MOST_WORDS:
        return {}
    return {word: _by(own, *inner) if inner else _columns(own) for word, own in found.items()}


def _columns(rows: Sequence[_Row]) -> Columns:
    return {
        name: np.array([_number(row[name]) for row in rows]) for name in (rows[0] if rows else ())
    }


def _number(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:  # nothing, or a word
        return math.nan
    return number if abs(number) < 1e15 else math.nan  # as far as a plot can go
