"""``train``: a training run from a configuration, begun or gone on with."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cyberdeck.commands import arguments
from cyberdeck.common.text import printable, tell
from cyberdeck.errors import OptionError

if TYPE_CHECKING:
    from cyberdeck_training.settings import RunSettings


def train(chosen: argparse.Namespace) -> int:
    """Train, and print the table of the final evaluation."""
    from cyberdeck_training import algorithms, runs
    from cyberdeck_training import config as configs

    name, game, changes = chosen.config, chosen.game, list(chosen.changes)
    if name is not None and (chosen.resume or ("=" in name and not Path(name).is_file())):
        name, changes = None, [name, *changes]
    if chosen.resume is not None:
        folder = Path(chosen.resume)
        return run_in(folder, runs.config_of(folder, tuple(changes), game), resume=True)
    if name is None:
        name, game = game, None
    if name is None:
        raise OptionError("name a configuration, such as: cyberdeck train hackthegrid")
    config = configs.load(name, changes, game)
    _ = config.variant.loops  # no folder for a game that nothing here can compile
    algorithms.recipe_of(config)  # nor for a device that is not there
    return run_in(runs.create(Path(name).stem, Path(chosen.runs)), config)


def run_in(folder: Path, config: RunSettings, resume: bool = False) -> int:
    """Train in *folder*, and print what came out."""
    # PyTorch's threads spin for milliseconds before they sleep: on a machine with other work, two
    # are then slower than one. Spinning much less costs a tenth on an idle one. It has to be said
    # before PyTorch is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    from cyberdeck_training import runs
    from cyberdeck_training import train as training

    against = ", ".join(f"{printable(name)} {share}" for name, share in config.playing.items())
    tell(
        f"{config.algorithm} on {config.variant.game.title}"
        + (f", against {against}" if against else "")
        + f", in {printable(folder)}"
        + (f"\n{config.rounding}" if config.rounding else "")
    )
    try:
        if resume:
            training.resume(config, folder)
        else:
            training.begin(config, folder, ["cyberdeck", *sys.argv[1:]])
    except KeyboardInterrupt:
        best = folder / runs.BEST
        if (folder / runs.CHECKPOINTS).exists():
            kept = f"to go on: cyberdeck train --resume {printable(folder)}"
        elif best.exists():
            kept = f"the best policy so far is {printable(best)}"
        else:
            kept = "nothing is kept"
        arguments.note(f"interrupted; {kept}")
        return arguments.INTERRUPTED
    tell(f"\n{(folder / runs.TABLE).read_text('utf-8')}")
    if (folder / runs.EXPLOITED).exists():
        tell((folder / runs.EXPLOITED).read_text("utf-8"))
    tell(f"report: {printable(folder / 'report.html')}")
    return 0
