"""``review``: what each decision of a saved game gave away."""

from __future__ import annotations

import argparse

from cyberdeck.commands import arguments
from cyberdeck.commands.replay import loaded, reviewed
from cyberdeck.commands.terminal import table_width
from cyberdeck.common.text import printable, tell


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
