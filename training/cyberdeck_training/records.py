"""What a run tells while it goes on: learning curves, as CSV and for TensorBoard, and what it shows
on the terminal, or in the file that its output goes to.
"""

from __future__ import annotations

import csv
import io
import math
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter
from tqdm import tqdm

from cyberdeck.common.files import make_folder, naming, sync, sync_folder, write_whole
from cyberdeck.common.statistics import NOTHING, shown
from cyberdeck.common.text import printable, tell
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.record import FORFEIT
from cyberdeck.engine.variant import Variant
from cyberdeck.evaluation import Evaluation
from cyberdeck.evaluation.games import ENDINGS, measure_of
from cyberdeck_training.checkpoints import CheckpointError

#: What stable-baselines3 logs of an update, by its names there.
LEARNING: Final[Mapping[str, str]] = {
    "dagger_loss": "train/dagger_loss",
    "search_loss": "train/search_loss",
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy": "train/entropy_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
    "explained_variance": "train/explained_variance",
    "learning_rate": "train/learning_rate",
}

CURVES: Final = (
    *("update", "decisions", "seconds", "decisions_per_second"),
    *("games", "mean_return", "win", "draw", "loss", "length", "illegal", "truncated"),
    *LEARNING,
)

#: Of a ``Record``, by its names; the rest only where somebody wins.
_RECORDED: Final = ("opponent", "games")

#: Seconds between two lines where nobody watches a bar.
PAUSE: Final = 10.0


def learning(logged: Mapping[str, Any]) -> dict[str, float]:
    """The columns of ``LEARNING`` that SB3 has logged; its entropy has the sign turned."""
    found = {name: float(logged[key]) for name, key in LEARNING.items() if key in logged}
    if "entropy" in found:
        found["entropy"] = -found["entropy"]
    return found


class _Log:
    """A file that grows, with nothing in memory that is not yet there."""

    _file: FileIO

    def _open(self, path: Path, mode: str = "wb") -> None:
        self._path, self._file = path, FileIO(path, mode)

    def write(self, content: bytes) -> None:
        """Add bytes, all of them: a disk that is nearly full takes a part, and no more after it."""
        with naming(self._path):
            while content:
                content = content[self._file.write(content) :]

    def sync(self) -> None:
        """Have it all on the disk."""
        with naming(self._path):
            sync(self._file)
            sync_folder(self._path.parent)

    def close(self) -> None:
        """Nothing can be added any more."""
        self._file.close()


class CsvLog(_Log):
    """A CSV file that grows by lines, and can be cut back to where a checkpoint was."""

    def __init__(self, path: Path, columns: tuple[str, ...], size: int | None = None) -> None:
        """Begin a new file, or go on with the first *size* bytes of the one that is there."""
        self.columns, head = columns, csv_text(columns, []).encode()
        if size is None:
            self._open(path)
            self.write(head)
            return
        if not path.is_file() or path.stat().st_size < size:
            raise CheckpointError(f"{path} is shorter than it was at the checkpoint, or gone")
        self._open(path, "r+")
        if self._file.readline() != head:
            self._file.close()
            raise CheckpointError(
                f"{path} has other columns than this cyberdeck writes: go on with the version that "
                "began the run, or begin a new one"
            )
        self._file.truncate(size)
        self._file.seek(size)

    def add(self, values: Mapping[str, Any]) -> None:
        """One more line; None and what is not a number are left empty."""
        self.write(csv_text(self.columns, [values], head=False).encode())

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._file.tell()


class TensorBoardLog(_Log):
    """Scalars for TensorBoard, whose own writer is a thread that nobody hears of a full disk."""

    def __init__(self, folder: Path, purge_step: int | None) -> None:
        """A new file; what earlier ones hold from *purge_step* on does not count any more."""
        make_folder(folder)
        now = time.time()
        path = folder / f"events.out.tfevents.{now:017.6f}.{os.getpid()}"
        self._open(path)
        self._writer = RecordWriter(self)
        self._write(Event(wall_time=now, file_version="brain.Event:2"))
        if purge_step is not None:
            start = SessionLog(status=SessionLog.START)
            self._write(Event(wall_time=now, step=purge_step, session_log=start))

    def add(self, tag: str, value: float, step: int) -> None:
        """One value."""
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        self._write(Event(wall_time=time.time(), step=step, summary=summary))

    def _write(self, event: Event) -> None:
        self._writer.write(event.SerializeToString())


def csv_text(
    columns: tuple[str, ...], lines: Iterable[Mapping[str, Any]], head: bool = True
) -> str:
    """A CSV file, or lines of one without its *head*."""
    text, cells = io.StringIO(), [[_cell(line.get(name)) for name in columns] for line in lines]
    csv.writer(text, lineterminator="\n").writerows([*[columns] * head, *cells])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


class GameCounts:
    """The training games that ended since the line before."""

    def __init__(self, variant: Variant) -> None:
        #: Whether a return says who won, or is a score, or shaped.
        self.outcome = variant.by_outcome is variant and not variant.scored
        self._sides = np.array(variant.sides)
        self._first = np.unique(self._sides, return_index=True)[1]
        self._rows = list[NDArray[Any]]()

    def add(self, rows: NDArray[Any]) -> None:
        """Games that have ended, by their rows."""
        self._rows.append(rows)

    def take(self) -> tuple[dict[str, Any], dict[int, tuple[int, float]]]:
        """The columns of a line; and by each opponent's place in the pool how many games were
        against it, and the learner's points there (win 1, loss 0). Counting begins anew.

        Of a game against itself counts the mean of all sides.
        """
        if not self._rows:
            return {"games": 0}, {}
        rows, self._rows = np.concatenate(self._rows), []
        got = rows["final_returns"][:, self._first].astype(np.float64)  # (games, K)
        every, side = rows["final_seat"] == EVERY, self._sides[rows["final_seat"]]
        own = every[:, None] | (side[:, None] == np.arange(got.shape[1]))

        def mean(values: NDArray[Any]) -> Any:
            return np.mean(values, axis=1, where=own)

        win, draw, loss = mean(got > 0), mean(got == 0), mean(got < 0)
        cut = (rows["truncated"] == 1) & (rows["terminated"] == 0)
        columns = {
            "mean_return": mean(got),
            "length": rows["final_length"],
            "illegal": rows["reason"] == FORFEIT,
            "truncated": cut,
            **({"win": win, "draw": draw, "loss": loss} if self.outcome else {}),
        }
        games, points = np.bincount(rows["final_opponent"]), win + draw / 2
        sums = np.bincount(rows["final_opponent"], points)
        met = {at: (int(games[at]), float(sums[at])) for at in np.flatnonzero(games).tolist()}
        means = {name: float(values.mean()) for name, values in columns.items()}
        return {"games": len(rows), **means}, met


def evaluation_columns(variant: Variant) -> tuple[str, ...]:
    """The columns of ``evaluations.csv``."""
    measure = measure_of(variant)
    metrics = [metric.name for metric in variant.game.metrics] if variant.seats == 1 else []
    won = ENDINGS if measure == "points" else ()
    return (
        *("decisions", "player", *_RECORDED, *won, *NOTHING.columns(measure)),
        *("decisions_per_game", *(name for each in metrics for name in NOTHING.columns(each))),
    )


def evaluation_lines(decisions: int, player: str, result: Evaluation) -> list[dict[str, Any]]:
    """A line for each opponent, both sides together."""
    metrics: dict[str, float] = {}
    for name, mean in result.metrics.items():
        metrics |= mean.columns(name)
    return [
        {
            "decisions": decisions,
            "player": player,
            **{name: getattr(record, name) for name in (*_RECORDED, *ENDINGS)},
            **getattr(record, result.measure).columns(result.measure),
            "decisions_per_game": record.decisions,
            **metrics,
        }
        for record in result.overall
    ]


def write_evaluations(
    path: Path, variant: Variant, every: Iterable[tuple[int, str, Evaluation]]
) -> None:
    """A table of evaluations: after how many decisions, of whom, and what they came to."""
    lines = [line for each in every for line in evaluation_lines(*each)]
    write_whole(path, csv_text(evaluation_columns(variant), lines))


# --- on the terminal -----------------------------------------------------------------------------


def duration(seconds: float) -> str:
    """In words.

    >>> duration(161), duration(7500), duration(4.2)
    ('2 min 41 s', '2 h 5 min', '4 s')
    """
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


class Progress:
    """Decisions a second and the current rates, and a line each evaluation.

    On a terminal that is a bar with the evaluations above it, elsewhere a line now and then.
    """

    def __init__(self, decisions: int, done: int) -> None:
        self._total = decisions
        self._watched = sys.stdout.isatty() and sys.stderr.isatty()
        self._bar = tqdm(
            total=decisions,
            initial=done,
            unit=" decisions",
            unit_scale=True,
            smoothing=0.05,
            disable=not self._watched,
        )
        self._done = self._first = done
        self._began = self._when = time.monotonic()
        self._games: deque[Mapping[str, Any]] = deque(maxlen=20)
        self._rates = ""

    def update(self, decisions: int, games: Mapping[str, Any]) -> None:
        """So far *decisions*; *games*: what ``GameCounts`` gave."""
        if games["games"]:
            self._games.append(games)
            counts = [each["games"] for each in self._games]
            known = [name for name in ("mean_return", "win", "draw", "loss") if name in games]
            # Over the games of the latest updates.
            got, *ended = (
                np.average([each[name] for each in self._games], weights=counts) for name in known
            )
            shares = zip(known[1:], ended, strict=True)
            parts = [f"return {got:+.2f}", *(f"{name} {100 * mean:.0f}%" for name, mean in shares)]
            self._rates = ", ".join(parts)
            self._bar.set_postfix_str(self._rates, refresh=False)
        self.advance(decisions)

    def advance(self, decisions: int) -> None:
        """So far *decisions*; nothing new is known of the games."""
        self._bar.update(decisions - self._done)
        self._done = decisions
        if self._due() and decisions < self._total:
            speed = (decisions - self._first) / (time.monotonic() - self._began)
            left = (self._total - decisions) / speed
            parts = [f"{speed:,.0f} a second", self._rates, f"{duration(left)} left"]
            self._tell(f"of {self._total:,}, {', '.join(filter(None, parts))}")

    def measuring(self, games: int) -> None:
        """An evaluation goes on, and has played so many games."""
        if self._due():
            self._tell(f"evaluation, {games:,} games so far")

    def _due(self) -> bool:
        return not self._watched and time.monotonic() - self._when >= PAUSE

    def evaluated(self, result: Evaluation, best: bool = False, who: str = "") -> None:
        """An evaluation in one line: a star marks the best so far. *who*: the name of another
        player, on the same deals.
        """
        reached = ", ".join(f"{what} {mean}" for what, mean in measured(result).items())
        self._tell(f"{reached}{' *' if best else ''}", who)

    def _tell(self, words: str, who: str = "") -> None:
        line = printable(f"{who or format(self._done, ','):>13}: {words}", most=None)
        if self._watched:
            self._bar.write(line)
        else:
            tell(line)
        self._when = time.monotonic()
        if self._done == self._first:  # nothing is learned yet
            self._began = self._when

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()


def measured(result: Evaluation) -> dict[str, str]:
    """What a player reached, in words: against whom, or in a game for one of what, and how much."""
    alone = "won" if result.measure == "points" else "score"
    return {
        **{
            alone if each.side == "-" else f"against {each.opponent}": shown(
                getattr(each, result.measure)
            )
            for each in result.overall
        },
        **{name: shown(mean) for name, mean in result.metrics.items()},
    }
