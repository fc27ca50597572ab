"""``review``: what each decision of a saved game gave away."""

from __future__ import annotations

import argparse

from cyberdeck.commands import arguments
from cyberdeck.commands.replay import add_file, loaded, reviewed
from cyberdeck.commands.terminal import table_width
from cyberdeck.common.text import printable, tell


def add(commands: arguments.Commands) -> None:
    """The command's arguments."""
    parser = arguments.add_command(
        commands,
        "review",
        review,
        help="what each decision of a saved game gave away, exactly or by search",
        examples="""
            review game.json
            review game.json --json review.json
            review game.json --playouts 1000
            replay game.json --html game.html --review
        """,
    )
    add_file(parser)
    what = "where search judges: games played on from each of the two moves (100)"
    arguments.add_number(parser, "--playouts", what)
    parser.add_argument("--json", metavar="OUT", help="write all of it there too")


def review(chosen: argparse.Namespace) -> int:
    """Print the table."""
    from cyberdeck.evaluation.results import write_json

    arguments.check_file(chosen.json)
    replay = loaded(chosen)
    found = reviewed(replay, chosen.playouts)
    tell(f"{printable(replay.headline())}\n\n{found.table(table_width())}")
    if chosen.json is not None:
        write_json(chosen.json, replay.variant, found.to_json())
    return 0
