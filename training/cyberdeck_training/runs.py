"""The folder of a run: its lock, what says how it came about, and what stands in its files.

It is read at any time: whatever is missing, or is not what a run writes, is None or empty.
"""

from __future__ import annotations

import csv
import math
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from pydantic import BaseModel, FailFast, FiniteFloat

from cyberdeck import CyberdeckError, OptionError
from cyberdeck.common.files import make_folder, write_whole
from cyberdeck.common.reading import from_json, read_bytes
from cyberdeck.common.statistics import Mean
from cyberdeck_training import config as configs
from cyberdeck_training import exploit
from cyberdeck_training.settings import RunSettings

CONFIG, INFO, LOCK = "config.yaml", "run.json", ".lock"
CHECKPOINTS, SELVES, REPLAYS, TENSORBOARD = "checkpoints", "selves", "replays", "tensorboard"
POLICIES = "policies"
REFERENCES, FINAL, TABLE = "references.csv", "final.csv", "evaluation.txt"

#: What the policies are called in tables: the one that is trained, and what it was at first.
TRAINED, BEFORE = "trained", "untrained"

EXPLOITED = exploit.EXPLOITED
BEST, LAST, MODEL, ONNX = "best.safetensors", "last.safetensors", "model.zip", "best.onnx"
UNTRAINED, RESULT, UNTRAINED_RESULT = "untrained.safetensors", "evaluation.json", "untrained.json"

#: Packages that results depend on.
_PACKAGES: Final = (
    *("cyberdeck", "gymnasium", "numpy", "numba", "torch"),
    *("stable-baselines3", "sb3-contrib", "safetensors"),
)


class RunError(CyberdeckError):
    """A run's folder that cannot be used as asked."""


def create(name: str, runs: Path) -> Path:
    """Make the folder of a new run, called by its configuration's *name* and the time."""
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(100):
        folder = runs / (f"{stem}-{number}" if number else stem)
        try:
            make_folder(folder, exist_ok=False)
        except FileExistsError:
            continue
        return folder
    raise RunError(f"{runs} holds too many runs of the name {stem}")


def config_of(folder: Path, changes: tuple[str, ...] = (), game: str | None = None) -> RunSettings:
    """The configuration of a run that is to go on; only its length may be another.

    *game*: the file of its game, as in ``config.load``. In *changes* may stand what the
    configuration says too, so that players are named as by the user.
    """
    if not (folder / CONFIG).is_file():
        raise OptionError(f"{folder} is no folder of a run: it has no {CONFIG}")
    for change in changes:
        free = change.partition("=")[0] == "total_timesteps"
        if not free and not configs.says_again(folder / CONFIG, change):
            raise OptionError(
                f"{change!r}: a run goes on with its own configuration; only total_timesteps may "
                "be changed. For anything else begin a new run"
            )
    return configs.load(folder / CONFIG, changes, game)


def locked(folder: Path) -> AbstractContextManager[object]:
    """Holds the folder for one process; the system lets it go however that ends."""
    try:
        return FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise RunError(
            f"another process is training in {folder}: wait until it is done, or stop it"
        ) from None


class RunInfo(BaseModel):
    """What a result depends on beside the configuration: seeds, versions, revision, machine."""

    game: str
    title: str
    command: str = ""
    started: str
    finished: str | None = None
    decisions: int | None = None
    """Made by a finished run, in so many *seconds*."""
    seconds: FiniteFloat | None = None
    seeds: dict[str, int]
    versions: dict[str, str]
    revision: str | None
    changed: bool | None
    """Whether the checkout has changes that are not in its revision."""
    machine: str
    threads: int
    # One complaint is enough: those of a long list of nothing would fill the memory.
    resumes: Annotated[list[dict[str, Any]], FailFast()] = []
    """When a run went on, from so many decisions."""


def describe(config: RunSettings, folder: Path, info: RunInfo) -> None:
    """Write down what is run, and how it comes about."""
    about = info.model_dump_json(indent=2) + "\n"
    for name, text in ((CONFIG, config.text()), (INFO, about)):
        write_whole(folder / name, text)


def read_info(folder: Path) -> RunInfo:
    """What ``run.json`` holds."""
    try:
        return RunInfo.model_validate(from_json(read_bytes(folder / INFO)))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not what a run writes"
        raise RunError(f"{folder / INFO} cannot be read: {reason}") from None


def new_info(config: RunSettings, command: str) -> RunInfo:
    """Of a run that starts here and now."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    # Not that of somebody else's checkout which an environment with this package lies in.
    ours = _git("ls-files", "--error-unmatch", __file__) is not None
    changes = _git("status", "--porcelain", "--untracked-files=no") if ours else None
    return RunInfo(
        game=config.variant.game.name,
        title=config.variant.game.title,
        command=command.encode("utf-8", "replace").decode(),
        started=now(),
        seeds={
            "games": config.seed,
            "learner": config.seed,
            "evaluation": config.evaluation_seed,
            "final evaluation": config.final_seed,
        },
        versions=versions,
        revision=_git("rev-parse", "HEAD") if ours else None,
        changed=None if changes is None else bool(changes),
        machine=f"{platform.system()} {platform.machine()}, {platform.processor() or 'CPU'}",
        threads=config.threads,
    )


def now() -> str:
    """The time for a reader."""
    return time.strftime("%Y-%m-%d %H:%M:%S %z")


def resumed_info(config: RunSettings, before: RunInfo, decisions: int) -> RunInfo:
    """Of a run that goes on here and now, from so many decisions."""
    here = new_info(config, before.command)
    resumed = {"at": here.started, "decisions": decisions}
    resumed |= here.model_dump(include={"versions", "revision"})
    return before.model_copy(update={"finished": None, "resumes": [*before.resumes, resumed]})


def _git(*arguments: str) -> str | None:
    """What git says of the checkout that this code lies in; None where it is none."""
    asked = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip()


# --- what stands in its files --------------------------------------------------------------------

#: The columns of a CSV file; what is no number is NaN.
Columns: TypeAlias = Mapping[str, NDArray[np.float64]]

#: Means by name: the points or the reward, and a solitaire's metrics.
Means: TypeAlias = Mapping[str, Mean]

#: What players are measured by, the second in games that nobody wins.
_MEASURES: Final = ("points", "reward")

#: What the columns of a mean and its interval end with.
ENDS: Final = ("", "_low", "_high")

#: How many bytes of a file are read: the curves of a long run have a hundredth of it.
MOST: Final = 2**28

#: How many players or opponents the files of a run may name.
MOST_WORDS: Final = 1_000


class RunFiles:
    """What the files of a run say."""

    def __init__(self, folder: Path, config: RunSettings | None = None) -> None:
        """*config*: where the caller has read it already."""
        self.folder, self.config = folder, config
        self.info: RunInfo | None = None
        with suppress(CyberdeckError, ValueError):
            self.info = read_info(folder)
        with suppress(CyberdeckError, ValueError):
            self.config = config or config_of(folder)
        #: What was trained.
        self.title = self.info.title if self.info else folder.resolve().name
        self.curves = _columns(self._rows("curves.csv", "decisions"))
        #: The columns of evaluations.csv for each opponent.
        self.evaluations = self._measured("evaluations.csv", "opponent")
        #: Those of references.csv for each opponent and each player.
        self.references = self._measured(REFERENCES, "opponent", "player")
        finals = self._measured(FINAL, "opponent", "player")
        trained, before = (
            {name: _means(each[who], -1) for name, each in finals.items() if who in each}
            for who in (TRAINED, BEFORE)
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

    def text(self, name: str) -> str:
        """What is in that file."""
        try:
            return read_bytes(self.folder / name, MOST).decode("utf-8", "replace")
        except OSError:
            return ""

    def done(self, name: str) -> float:
        """How many ``decisions`` are done, or ``seconds`` that took."""
        finished = getattr(self.info, name) if self.info and self.info.finished else None
        curve = self.curves.get(name, np.zeros(1))
        return float(np.nan_to_num(curve[-1])) if finished is None else float(finished)

    def _periodic(self, at: int) -> dict[str, Means]:
        """One of the periodic evaluations, against each opponent."""
        return {opponent: _means(each, at) for opponent, each in self.evaluations.items()}

    def _rows(self, file: str, *needed: str) -> list[dict[str, str]]:
        """The whole lines of a CSV file; a full disk may have left half a line at the end.

        None without the columns that are *needed*.
        """
        try:
            names, *lines = csv.reader(self.text(file).rpartition("\n")[0].splitlines() or [""])
        except csv.Error:
            return []
        # Not DictReader: it fills lines that are too short, each with as many as the first has.
        whole = [line for line in lines if len(line) == len(names)] if {*needed} <= {*names} else []
        return [dict(zip(names, line, strict=True)) for line in whole]

    def _measured(self, file: str, *keys: str) -> dict[str, Any]:
        """The columns of a table of evaluations, by what stands in the columns *keys*."""
        for name in _MEASURES:
            columns = (f"{name}{end}" for end in ENDS)
            if rows := self._rows(file, "opponent", "decisions", "games", *keys, *columns):
                columns_by_word: dict[str, Any] = _by(rows, *keys)
                return columns_by_word
        return {}


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
    return Mean(*(float(columns[f"{name}{end}"][at]) for end in ENDS))


def _means(columns: Columns, at: int) -> Means:
    """All means of one evaluation."""
    return {name: mean_at(columns, name, at) for name in (measure(columns), *metric_names(columns))}


def _by(rows: Sequence[Mapping[str, str]], *keys: str) -> Any:
    """The columns of the rows for each word that stands in the column of the first key; within it,
    for each in those of the others. No run has so many different words.
    """
    if not keys:
        return _columns(rows)
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(row[keys[0]], []).append(row)
    if len(groups) > MOST_WORDS:
        return {}
    return {word: _by(own, *keys[1:]) for word, own in groups.items()}


def _columns(rows: Sequence[Mapping[str, str]]) -> Columns:
    return (
        {name: np.array([_number(row[name]) for row in rows]) for name in rows[0]} if rows else {}
    )


def _number(cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:  # nothing, or a word
        return math.nan
    return number if abs(number) < 1e15 else math.nan  # as far as a plot can go
