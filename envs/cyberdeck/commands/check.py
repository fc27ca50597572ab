"""``cyberdeck check``: does a game keep the contract?"""

from __future__ import annotations

import argparse

from cyberdeck.commands import arguments
from cyberdeck.common.text import tell


def add(commands: arguments.Commands) -> None:
    """Its part of the command line."""
    check = arguments.add_command(
        commands,
        "check",
        run,
        help="play a game at random and look for anything that breaks the contract",
        examples="check hackthegrid\ncheck my_game.py --thorough\n"
        "check my_game.py --decisions 50000 --seed 7",
    )
    arguments.add_game(check)
    arguments.add_number(check, "--decisions", "how many to play", 5_000)
    arguments.add_seed(check, "of the first game; each one after it has the next (0)")
    arguments.add_number(check, "--seconds", "how long it may take, not counting compilation", 60)
    check.add_argument("--thorough", action="store_true", help="do ten times as much")


def run(chosen: argparse.Namespace) -> int:
    """Print the report; 1 if something is wrong, 3 if too little was looked at."""
    from cyberdeck.common.progress import bar
    from cyberdeck.testing.apart import check_apart
    from cyberdeck.testing.checking import CAREFUL, THOROUGH

    times = THOROUGH if chosen.thorough else 1
    with bar(times * (min(CAREFUL, chosen.decisions) + chosen.decisions), "decisions") as progress:
        report = check_apart(
            arguments.chosen_variant,
            (chosen,),
            progress,
            times * chosen.seconds,
            decisions=chosen.decisions,
            seed=chosen.seed,
            thorough=chosen.thorough,
        )
    tell(str(report))
    return report.status
