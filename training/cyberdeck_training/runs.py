"""The folder of a run: its lock, and what says how it came about."""

from __future__ import annotations

import json
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from cyberdeck import CyberdeckError, OptionError
from cyberdeck.common.files import write_whole
from cyberdeck_training import config as configs
from cyberdeck_training.config import Config

CONFIG, ABOUT, LOCK = "config.yaml", "run.json", ".lock"
CHECKPOINTS, SELVES, REPLAYS, BOARD = "checkpoints", "selves", "replays", "tensorboard"
BEST, LAST, MODEL = "best.safetensors", "last.safetensors", "model.zip"

#: Packages that results depend on.
_PACKAGES: Final = (
    *("cyberdeck", "gymnasium", "numpy", "numba", "torch"),
    *("stable-baselines3", "sb3-contrib", "safetensors"),
)


class RunError(CyberdeckError):
    """A run's folder that cannot be used as asked."""


def new(config: Config, name: str, runs: Path) -> Path:
    """Make the folder of a new run, named by its configuration and the time."""
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(100):
        folder = runs / (f"{stem}-{number}" if number else stem)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        keep(folder, config)
        return folder
    raise RunError(f"{runs} holds too many runs of the name {stem}")


def config_of(folder: Path, changes: tuple[str, ...] = ()) -> Config:
    """The configuration of a run that is to go on; only its length may be another."""
    if not (folder / CONFIG).is_file():
        raise RunError(f"{folder} is no folder of a run: it has no {CONFIG}")
    for change in changes:
        if change.partition("=")[0] != "decisions":
            raise OptionError(
                f"{change!r}: a run goes on with its own configuration; only decisions may be "
                "changed. For anything else begin a new run"
            )
    return configs.load(folder / CONFIG, changes)


def locked(folder: Path) -> FileLock:
    """Holds the folder for one process; the system lets it go however that ends."""
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise RunError(
            f"another process is training in {folder}: wait until it is done, or stop it"
        ) from None
    return lock


def about(folder: Path) -> dict[str, Any]:
    """What ``run.json`` says so far."""
    try:
        said: dict[str, Any] = json.loads((folder / ABOUT).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(f"{folder / ABOUT} cannot be read: {error}") from None
    return said


def keep(folder: Path, config: Config) -> None:
    """Write the configuration as it is run."""
    write_whole(folder / CONFIG, config.text())


def tell(folder: Path, said: dict[str, Any]) -> None:
    """Write ``run.json``."""
    write_whole(folder / ABOUT, json.dumps(said, indent=2) + "\n")


def surroundings(config: Config) -> dict[str, Any]:
    """Seeds, versions, revision and machine: what a result depends on beside the configuration."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = ""
    # Not that of somebody else's checkout which an environment with this package lies in.
    ours = _git("ls-files", "--error-unmatch", __file__) is not None
    revision = _git("rev-parse", "HEAD") if ours else None
    changes = _git("status", "--porcelain", "--untracked-files=no") if ours else None
    return {
        "game": config.game,
        "title": config.variant.game.title,
        "seeds": {
            "games": config.seed,
            "learner": config.seed,
            "evaluation": evaluation_seed(config),
            "final evaluation": final_seed(config),
        },
        "versions": versions,
        "revision": revision,
        "changed": None if changes is None else bool(changes),
        "machine": f"{platform.system()} {platform.machine()}, {platform.processor() or 'CPU'}",
        "threads": config.threads,
    }


def evaluation_seed(config: Config) -> int:
    """Of the deals that progress is measured on. Training plays on from small seeds, matches
    begin from large ones, so no deal of one is met in the other.
    """
    return config.seed + 500_009


def final_seed(config: Config) -> int:
    """Of the deals that the result is measured on: neither training nor choosing has seen them."""
    return config.seed + 1_000_003


def _git(*arguments: str) -> str | None:
    """What git says of the checkout that this code lies in; None where it is none."""
    try:
        said = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip()
