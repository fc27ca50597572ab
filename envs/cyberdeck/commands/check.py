"""``cyberdeck check``: does a game keep the contract?"""

from __future__ import annotations

import argparse

from cyberdeck.commands.arguments import (
    Commands,
    add_command,
    add_game,
    add_seed,
    chosen_variant,
    positive,
)


def add(commands: Commands) -> None:
    """Its part of the command line."""
    check = add_command(
        commands,
        "check",
        run,
        help="play a game at random and look for anything that breaks the contract",
        examples="check hackthegrid\ncheck my_game.py --decisions 50000 --seed 7",
    )
    add_game(check)
    check.add_argument(
        "--decisions", type=positive, default=5_000, metavar="N", help="how many (5000)"
    )
    add_seed(check, "of the first game; each one after it has the next (0)")


def run(chosen: argparse.Namespace) -> int:
    """Print the report; 1 if something is wrong."""
    from cyberdeck.common.progress import bar
    from cyberdeck.evaluation.check import check

    with bar(chosen.decisions, "decisions") as tell:
        report = check(
            chosen_variant(chosen), decisions=chosen.decisions, seed=chosen.seed, progress=tell
        )
    print(report)
    return 1 if report.faults else 0
