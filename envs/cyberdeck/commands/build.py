"""``build``: games compiled ahead, for Python without numba and for JavaScript."""

from __future__ import annotations

import argparse
from pathlib import Path

from cyberdeck.commands import arguments
from cyberdeck.common.text import printable, tell
from cyberdeck.engine import native, registry
from cyberdeck.engine.variant import Variant


def build(chosen: argparse.Namespace) -> int:
    """Write a game's library, its WebAssembly, and the module that plays it."""
    game = arguments.chosen_game(chosen.game)
    options = arguments.game_options(game, chosen.option)
    variant = Variant(game, options)
    home = Path(chosen.game).parent if chosen.game.endswith(".py") else Path()
    folder = home if chosen.out is None else Path(chosen.out)

    from cyberdeck.building import ahead

    ahead.check_tools()
    tell(f"{game.title}: compiling, which takes a minute ...")
    made = ahead.build(variant, options, folder)
    tell("\n".join(printable(path) for path in made))
    if game.name not in registry.GAMES and folder.resolve() != home.resolve():
        arguments.note(f"Python finds {native.file_name(game.name)} beside the game's file only")
    return 0
