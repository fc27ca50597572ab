"""``list``, ``describe``, ``warm-up``: what games there are, and what each is like."""

from __future__ import annotations

import argparse
import concurrent.futures
import multiprocessing
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from cyberdeck import docs
from cyberdeck.commands import arguments
from cyberdeck.commands.terminal import table_width
from cyberdeck.common.text import counted, printable, tell
from cyberdeck.engine import defaults, native, registry
from cyberdeck.engine.phases import phases_between
from cyberdeck.players import find_player

#: After so many decisions a turn has been carried out, if there are turns to be carried out.
_MOST_DECISIONS: Final = 200


def list_games(chosen: argparse.Namespace) -> int:
    """Print a line for each game."""
    tell(docs.listing(registry.names(), width=table_width()))
    return 0


def describe(chosen: argparse.Namespace) -> int:
    """Print all about one game, with the options that were given."""
    tell(docs.description(arguments.chosen_variant(chosen), table_width()))
    return 0


def warm_up(chosen: argparse.Namespace) -> int:
    """Compile the loops of games into the cache folder: each in a process of its own."""
    games = chosen.games or registry.names()
    for name in games:
        arguments.chosen_game(name)
    if native.library() is not None:
        games = [name for name in games if name not in registry.GAMES]
    if not games:
        tell("every game came compiled with the package: there is nothing to do")
        return 0
    from cyberdeck.engine.compiling import be_silent
    from cyberdeck.engine.jit import cache_folder

    folder = cache_folder()
    if folder is None:
        raise OSError(
            "compiled code needs a folder that you alone can write to, and there is none: set "
            "CYBERDECK_CACHE_DIR to one"
        )
    tell(f"compiling {counted(len(games), 'game')}, which takes a minute or two ...")
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(mp_context=spawn, initializer=be_silent) as pool:
        # The largest games come last in the list; begun first, they leave no core idle at the end.
        compiling = [pool.submit(compile_game, name) for name in reversed(games)]
        try:
            for done in concurrent.futures.as_completed(compiling):
                tell(done.result())
        except BrokenProcessPool as broken:
            raise OSError(
                "a process that was compiling has been killed, most likely because memory ran out; "
                "what was finished is kept: try again, or let each game compile when it is used"
            ) from broken
    tell(f"compiled code is kept in {printable(folder)}")
    return 0


def compile_game(named: str) -> str:
    """Have every loop of a game compiled, and return its title."""
    from cyberdeck.api import pettingzoo_env
    from cyberdeck.api.batch import Batch
    from cyberdeck.players.guided import unlearned
    from cyberdeck.players.search import Search

    game = arguments.chosen_game(named)
    name = game.name
    batch = Batch(name, 1, seed=0)
    batch.step(batch.choose("heuristic" if game.has_heuristic else "random"))
    batch.set_state(0, batch.get_state(0))
    batch.resample(0, 0)
    batch.play("random", 1)
    search = find_player(batch.variant, "search:iterations=1")
    batch.core.ask(search, batch.core.all_rows)
    guided = Search(iterations=1, network=unlearned(batch.variant))
    batch.core.ask(guided, batch.core.all_rows)
    if batch.variant.seats > 1:
        pettingzoo_env.raw_env(name).reset()
    if batch.variant.game.simultaneous:
        pettingzoo_env.parallel_env(name).reset()
    for _ in range(_MOST_DECISIONS):  # until a turn is carried out, where turns have phases
        before = batch.core.states.copy()
        batch.step(batch.choose("random"))
        if game.next_phase is defaults.no_phase or phases_between(game, before, batch.core.states):
            break
    return registry.game(name).title
