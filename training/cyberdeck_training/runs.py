"""The folder of a run: its lock, and what says how it came about."""

from __future__ import annotations

import platform
import subprocess
import time
from contextlib import AbstractContextManager, suppress
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final

from filelock import FileLock, Timeout
from pydantic import BaseModel, FailFast, FiniteFloat

from cyberdeck import CyberdeckError, OptionError
from cyberdeck.common.files import make_folder, write_whole
from cyberdeck.common.reading import from_json, read_bytes
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
BEST, LAST, MODEL = "best.safetensors", "last.safetensors", "model.zip"
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

    def write(self, folder: Path) -> None:
        """Into the folder of the run."""
        write_whole(folder / INFO, self.model_dump_json(indent=2) + "\n")


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
