"""The ``cyberdeck`` command: what games there are, and what each is like."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from cyberdeck import __version__, docs, registry
from cyberdeck.errors import CyberdeckError

_EXAMPLES = """examples:
  cyberdeck list
  cyberdeck describe hackthegrid
  cyberdeck warm-up
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="cyberdeck",
        description="Cyberspace table-top games as reinforcement-learning environments.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cyberdeck {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="the games, their ids and sizes")
    describe = commands.add_parser(
        "describe", help="seats, actions, observation layout, rewards and options of a game"
    )
    describe.add_argument("game", help="name of the game, as `cyberdeck list` prints it")
    commands.add_parser("warm-up", help="compile every game now, so that the first start is fast")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "list":
            print(docs.listing())
        elif chosen.command == "describe":
            print(docs.description(registry.game(chosen.game)))
        else:
            warm_up()
    except CyberdeckError as error:
        print(f"cyberdeck: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `cyberdeck describe ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def warm_up() -> None:
    """Compile the loops of every game into the cache folder."""
    from cyberdeck.api import pettingzoo_env
    from cyberdeck.api.batch import Batch
    from cyberdeck.engine.kernels import cache_folder

    for name in registry.GAMES:
        print(f"{registry.game(name).title} ...", flush=True)
        batch = Batch(name, 1, seed=0)
        batch.step(batch.choose("heuristic"))
        batch.set_state(0, batch.get_state(0))
        batch.resample(0, 0)
        batch.play("random", 1)
        if batch.variant.seats > 1:
            pettingzoo_env.raw_env(name).reset()
    folder = cache_folder()
    where = "nowhere: no folder is writable" if folder is None else str(folder)
    print(f"compiled code is kept in {where}")


if __name__ == "__main__":
    sys.exit(main())
