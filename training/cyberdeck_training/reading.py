"""What a run has written into its folder, read at any time.

Whatever is missing, or is not what a run writes, is None or empty.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

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

_T = TypeVar("_T")


class Run:
    """The files of a run."""

    def __init__(self, folder: Path, config: RunSettings | None = None) -> None:
        """*config*: where the caller has read it already."""
        self.folder = folder
        self.info = _or_none(lambda: runs.read_info(folder))
        self.config = config or _or_none(lambda: runs.config_of(folder))
        self.curves = _columns(_rows(self.text("curves.csv"), "decisions"))
        #: The columns of evaluations.csv for each opponent.
        self.evaluations = _by("opponent", _measured(self.text("evaluations.csv")))
        #: Those of references.csv, and of the final evaluation, for each opponent and each player.
        self.references = self._by_player(runs.REFERENCES)
        self._finals = self._by_player(runs.FINAL)

    def _by_player(self, name: str) -> dict[str, dict[str, Columns]]:
        every = _grouped("opponent", _measured(self.text(name), "player"))
        return {opponent: _by("player", rows) for opponent, rows in every.items()}

    def has(self, name: str) -> bool:
        """Whether the folder holds that file."""
        return (self.folder / name).exists()

    def text(self, name: str) -> str:
        """What is in that file."""
        try:
            return read_bytes(self.folder / name, _MOST).decode("utf-8", "replace")
        except OSError:
            return ""

    @property
    def title(self) -> str:
        """What was trained."""
        return self.info.title if self.info else self.folder.resolve().name

    @cached_property
    def final(self) -> dict[str, Means]:
        """The final evaluation against each opponent, of both sides together."""
        return self._final(runs.TRAINED)

    def _final(self, player: str) -> dict[str, Means]:
        every = {name: players.get(player) for name, players in self._finals.items()}
        return {name: _means(columns, -1) for name, columns in every.items() if columns}

    @cached_property
    def results(self) -> dict[str, Means]:
        """The final evaluation against each opponent, or the latest one if there is none yet."""
        return {**self._periodic(-1), **self.final}

    @cached_property
    def untrained(self) -> dict[str, Means]:
        """What the policy reached before its first update, on the deals of the results."""
        return self._final(runs.BEFORE) if self.final else self._periodic(0)

    def _periodic(self, at: int) -> dict[str, Means]:
        """One of the periodic evaluations, against each opponent."""
        return {opponent: _means(each, at) for opponent, each in self.evaluations.items()}

    @property
    def alone(self) -> bool:
        """Whether it is a game for one."""
        return "-" in self.results

    @property
    def even(self) -> bool:
        """Whether two sides play, so that two equals get half of the points each."""
        variant = self.config.variant if self.config else None
        return variant is None or len(variant.teams or variant.agents) == 2

    @property
    def decisions(self) -> float:
        """How many are done."""
        return self._done("decisions")

    @property
    def seconds(self) -> float:
        """How long that took."""
        return self._done("seconds")

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


def _or_none(read: Callable[[], _T]) -> _T | None:
    """What is read, or None where a file is missing or is not what a run writes."""
    try:
        return read()
    except (CyberdeckError, ValueError):
        return None


def _rows(text: str, *needed: str) -> list[dict[str, str]]:
    """The whole lines of a CSV file; a full disk may have left half a line at the end.

    None without the columns that are *needed*.
    """
    try:
        lines = csv.reader(text.rpartition("\n")[0].splitlines())
        names = next(lines, [])
        if not {*needed} <= {*names}:
            return []
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


def _grouped(key: str, rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    """The rows for each word that stands in the column *key*; no run has so many different ones."""
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row.get(key, ""), []).append(row)
    return found if len(found) <= _MOST_WORDS else {}


def _by(key: str, rows: Sequence[_Row]) -> dict[str, Columns]:
    """Their columns."""
    return {word: _columns(found) for word, found in _grouped(key, rows).items()}


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
