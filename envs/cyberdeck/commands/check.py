"""``cyberdeck check``: does a game keep the contract?"""

from __future__ import annotations

import argparse

from cyberdeck.commands import arguments


def add(commands: arguments.Commands) -> None:
    """Its part of the command line."""
    check = arguments.add_command(
        commands,
        "check",
        run,
        help="play a game at random and look for anything that breaks the contract",
        examples="check hackthegrid\ncheck my_game.py --decisions 50000 --seed 7",
    )
    arguments.add_game(check)
    arguments.add_number(check, "--decisions", "how many to play", 5_000)
    arguments.add_seed(check, "of the first game; each one after it has the next (0)")


def run(chosen: argparse.Namespace) -> int:
    """Print the report; 1 if something is wrong."""
    from cyberdeck.common.progress import bar
    from cyberdeck.evaluation.check import check

    variant = arguments.chosen_variant(chosen)
    with bar(chosen.decisions, "decisions") as tell:
        report = check(variant, decisions=chosen.decisions, seed=chosen.seed, progress=tell)
    print(report)
    return 1 if report.faults else 0
