"""What a run writes down while it goes on: learning curves, as CSV and for TensorBoard."""

from __future__ import annotations

import csv
import io
import math
import os
import time
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from cyberdeck.common.files import make_folder, naming, sync, sync_folder
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

#: What the columns of a mean and its interval end with.
_ENDS: Final = ("", "_low", "_high")


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
        self.columns = columns
        if size is not None and (not path.is_file() or path.stat().st_size < size):
            raise CheckpointError(f"{path} is shorter than it was at the checkpoint, or gone")
        self._open(path, "w" if size is None else "r+")
        head = csv_text(columns, []).encode()
        if size is None:
            self.write(head)
        elif self._file.readline() != head:
            self._file.close()
            raise CheckpointError(
                f"{path} has other columns than this cyberdeck writes: go on with the version that "
                "began the run, or begin a new one"
            )
        else:
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
        *("decisions", "player", *_RECORDED, *won, *(f"{measure}{end}" for end in _ENDS)),
        *("decisions_per_game", *(f"{each}{end}" for each in metrics for end in _ENDS)),
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
