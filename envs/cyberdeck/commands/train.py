"""``train``: a training run from a configuration, begun or gone on with; ``train-rllib``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from cyberdeck.commands.arguments import (
    INTERRUPTED,
    Commands,
    add_command,
    add_game,
    add_seed,
    chosen_variant,
    note,
    positive,
)
from cyberdeck.engine.loops import loops_of
from cyberdeck.errors import OptionError

if TYPE_CHECKING:
    from cyberdeck_training.config import Config


def add(commands: Commands) -> None:
    """The command's arguments."""
    parser = add_command(
        commands,
        "train",
        train,
        help="train a policy as a configuration says, and measure it",
        examples="""
            train hackthegrid
            train configs/stacktrices.yaml total_timesteps=2_000_000 seed=7
            train examples/games/connect_four.py total_timesteps=300_000
            train hovercrafts evaluation.deals=50 'opponents={self: 1, heuristic: 1}'
            train --resume runs/hackthegrid-20260101-120000
            train --resume runs/hackthegrid-20260101-120000 total_timesteps=10_000_000
        """,
    )
    parser.add_argument(
        "config",
        metavar="CONFIG",
        nargs="?",
        help="a configuration (*.yaml), or a game: its name, or the file (*.py) of one of your own",
    )
    parser.add_argument(
        "changes",
        metavar="KEY=VALUE",
        nargs="*",
        help="values in place of the configuration's; those inside others as evaluation.deals=50",
    )
    parser.add_argument(
        "--resume", metavar="FOLDER", help="go on with an interrupted run from its last checkpoint"
    )
    parser.add_argument(
        "--runs", metavar="FOLDER", default="runs", help="where the run's folder is made (runs)"
    )

    _add_rllib(commands)


def _add_rllib(commands: Commands) -> None:
    parser = add_command(
        commands,
        "train-rllib",
        train_rllib,
        help="train with Ray's RLlib, on this machine or on a cluster",
        examples="""
            train-rllib hackthegrid --iterations 10
            train-rllib hovercrafts --option ships=3v3 --separate
            train-rllib hackthegrid --runners 16 --address auto
        """,
    )
    add_game(parser)
    parser.add_argument("--iterations", type=positive, default=10, help="updates (10)")
    parser.add_argument("--batch", type=positive, default=4096, help="decisions of each (4096)")
    parser.add_argument(
        "--address", help="of a Ray cluster, or 'auto'; by default Ray starts on this machine"
    )
    parser.add_argument(
        "--runners", type=positive, default=0, help="processes that play, beside the learner's own"
    )
    parser.add_argument(
        "--separate", action="store_true", help="a module for each seat or team, not one for all"
    )
    parser.add_argument(
        "--opponent", help="who plays the other side, by name; by default the learner itself"
    )
    parser.add_argument("--restore", type=Path, help="go on from this checkpoint's weights")
    parser.add_argument("--deals", type=positive, default=500, help="of the final table (500)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder for results (runs)")
    add_seed(parser, "of the games and of the learner", default=1)


def train_rllib(chosen: argparse.Namespace) -> int:
    """Train with RLlib."""
    from cyberdeck_training.rllib import RllibRun

    names = (field.name for field in fields(RllibRun) if field.name != "variant")
    settings = {name: getattr(chosen, name) for name in names}
    RllibRun(chosen_variant(chosen), **settings).train()
    return 0


def train(chosen: argparse.Namespace) -> int:
    """Train, and print the table of the final evaluation."""
    from cyberdeck_training import config as configs
    from cyberdeck_training import runs

    changes = list(chosen.changes)
    if chosen.resume is None:
        if chosen.config is None:
            raise OptionError("name a configuration, such as: cyberdeck train hackthegrid")
        config = configs.load(chosen.config, changes)
        loops_of(config.variant.game)  # no folder for a game that nothing here can compile
        folder = runs.create(Path(chosen.config).stem, Path(chosen.runs))
    else:
        if chosen.config is not None:
            changes = [chosen.config, *changes]
        folder = Path(chosen.resume)
        config = runs.config_of(folder, tuple(changes))

    return run_in(folder, config, chosen.resume is not None)


def run_in(folder: Path, config: Config, resume: bool = False) -> int:
    """Train in *folder*, and print what came out."""
    from cyberdeck_training import runs
    from cyberdeck_training import train as training

    against = ", ".join(f"{name} {share}" for name, share in config.opponents.items() if share)
    print(
        f"{config.algorithm} on {config.variant.game.title}"
        + (f", against {against}" if against else "")
        + f", in {folder}"
        + (f"\n{config.rounding}" if config.rounding else ""),
        flush=True,
    )
    try:
        if resume:
            result = training.resume(config, folder)
        else:
            result = training.begin(config, folder, ["cyberdeck", *sys.argv[1:]])
    except KeyboardInterrupt:
        note(f"interrupted; to go on: cyberdeck train --resume {folder}")
        return INTERRUPTED
    print(f"\n{result.table()}\n")
    if config.exploited is not None:
        print((folder / runs.EXPLOITED).read_text("utf-8"))
    print(f"report: {folder / 'report.html'}")
    return 0
