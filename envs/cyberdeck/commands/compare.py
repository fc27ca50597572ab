"""``compare``: the learning curves of several training runs over each other."""

from __future__ import annotations

import argparse
from pathlib import Path

from cyberdeck.commands import arguments
from cyberdeck.common.text import printable, tell


def compare(chosen: argparse.Namespace) -> int:
    """Print the table, write the page."""
    from cyberdeck_training.compare import Comparison

    arguments.check_file(chosen.html)
    found = Comparison([Path(folder) for folder in chosen.runs], chosen.game)
    found.write(Path(chosen.html))
    tell(f"{found.table()}\n\nwritten: {printable(chosen.html)}")
    return 0
