"""``compare``: the learning curves of several training runs over each other."""

from __future__ import annotations

import argparse
from pathlib import Path

from cyberdeck.commands import arguments
from cyberdeck.common.text import printable, tell


def add(commands: arguments.Commands) -> None:
    """The command's arguments."""
    parser = arguments.add_command(
        commands,
        "compare",
        compare,
        help="several training runs side by side: a page with their curves, and a table",
        examples="""
            compare runs/hackthegrid-20260101-120000 runs/hackthegrid-20260101-130000
            compare runs/hackthegrid-* --html hackthegrid.html
        """,
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the folder of a run")
    arguments.add_file_of_game(parser)
    parser.add_argument(
        "--html", metavar="OUT", default="compare.html", help="where the page goes (compare.html)"
    )


def compare(chosen: argparse.Namespace) -> int:
    """Print the table, write the page."""
    from cyberdeck_training.compare import Comparison

    arguments.check_file(chosen.html)
    found = Comparison([Path(folder) for folder in chosen.runs], chosen.game)
    found.write(Path(chosen.html))
    tell(f"{found.table()}\n\nwritten: {printable(chosen.html)}")
    return 0
