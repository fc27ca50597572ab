"""``solve``: what the solver of a game finds out about its deals."""

from __future__ import annotations

import argparse
import importlib
from typing import Final

from cyberdeck.commands import arguments
from cyberdeck.common.progress import bar
from cyberdeck.errors import OptionError

_DEALS = 100

#: What a game's solver finds out, in words. Modules with ``deals(variant, count, seed, progress)``,
#: the values of many deals (*progress* is told how many are done), and ``deal(variant, seed)``.
SOLVERS: Final[dict[str, str]] = {
    "matrix_overload": "cyberdeck.commands.solutions_matrix_overload",
    "hackthegrid": "cyberdeck.commands.solutions_hackthegrid",
}


def add(commands: arguments.Commands) -> None:
    """The command's arguments."""
    parser = arguments.add_command(
        commands,
        "solve",
        solve,
        help="what a game's solver finds out about one deal or many",
        examples="""
            solve hackthegrid --deals 200
            solve hackthegrid --seed 7
            solve matrix_overload --deals 50 --option edition=royals
        """,
    )
    arguments.add_game(parser)
    what = f"what N deals are worth, from --seed (or 0) on ({_DEALS}, if no --seed is given)"
    arguments.add_number(parser, "--deals", what)
    arguments.add_seed(parser, "without --deals: that deal alone, told in full", default=None)


def solve(chosen: argparse.Namespace) -> int:
    """Print what the solver says."""
    variant = arguments.chosen_variant(chosen)
    game = variant.game
    if game.name not in SOLVERS:
        raise OptionError(f"{game.title} has no solver; there is one for: {', '.join(SOLVERS)}")
    solver = importlib.import_module(SOLVERS[game.name])
    if chosen.deals is None and chosen.seed is not None:
        print(solver.deal(variant, chosen.seed))
        return 0
    count = chosen.deals or _DEALS
    with bar(count, "deals") as progress:
        values = solver.deals(variant, count, chosen.seed or 0, progress)
    print(values)
    return 0
