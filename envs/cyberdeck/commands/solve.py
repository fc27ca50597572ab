"""``solve``: what the solver of a game finds out about its deals, or tables for a small game."""

from __future__ import annotations

import argparse
import importlib
import math
import time
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Final

from cyberdeck.commands import arguments
from cyberdeck.common.progress import bar, further
from cyberdeck.common.text import counted, printable, tell
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

if TYPE_CHECKING:
    from cyberdeck.exact import Solver

_DEALS = 100

#: Iterations of tables, where nothing else is said.
_ITERATIONS: Final = 1000

#: Bytes that solving takes for each sequence of a game: six tables at once.
_BYTES: Final = 6 * 8

#: Below this exploitability a game is solved, as far as numbers go.
_SOLVED: Final = 1e-9

#: What only one of the two kinds of solving takes.
_OF_DEALS: Final = ("deals", "seed")
_OF_TABLES: Final = ("method", "iterations", "minutes", "save", "memory")

#: What a game's solver finds out, in words. Modules with ``deals(variant, count, seed, progress)``,
#: the values of many deals (*progress* is told how many are done), and ``deal(variant, seed)``.
SOLVERS: Final[dict[str, str]] = {
    "matrix_overload": "cyberdeck.commands.solutions_matrix_overload",
    "hackthegrid": "cyberdeck.commands.solutions_hackthegrid",
}


def solve(chosen: argparse.Namespace) -> int:
    """Print what the solver says."""
    variant = arguments.chosen_variant(chosen)
    game = variant.game
    by_deals = game.name in SOLVERS
    for name in _OF_TABLES if by_deals else _OF_DEALS:
        if getattr(chosen, name) is not None:
            how = "deal by deal" if by_deals else "by a table for all deals"
            raise OptionError(f"{game.title} is solved {how}: leave --{name} out")
    if not by_deals:
        return _by_tables(variant, chosen)
    solver = importlib.import_module(SOLVERS[game.name])
    if chosen.deals is None and chosen.seed is not None:
        tell(solver.deal(variant, chosen.seed))
        return 0
    deals = chosen.deals or _DEALS
    with bar(deals, "deals") as progress:
        values = solver.deals(variant, deals, chosen.seed or 0, progress)
    tell(str(values))
    return 0


def _by_tables(variant: Variant, chosen: argparse.Namespace) -> int:
    """Solve a small game for two, and print how far it has come, now and then."""
    from cyberdeck.exact import Bench, Sequences, Solver
    from cyberdeck.players import solved

    arguments.check_file(chosen.save)
    if chosen.save is not None and not chosen.save.endswith(".npz"):
        raise OptionError(f"--save {chosen.save}: the file of a solved game ends in .npz")
    memory = 3.0 if chosen.memory is None else chosen.memory
    with bar(None, "positions") as progress:
        bench = Bench(variant, memory=memory, progress=progress)
    with bar(None, "information sets") as progress:
        game = Sequences(bench.positions, memory, progress=progress)
    needed = _BYTES * game.count / 2**30
    if needed > memory:
        raise OptionError(
            f"solving {variant.game.title} takes {needed:.1f} GB, more than the {memory:g} that "
            "it may: give --memory more"
        )
    if game.seconds > 1:
        arguments.note(
            f"{game.courses:,} courses of the game, {needed:.1f} GB; an iteration takes about "
            f"{game.seconds:,.0f} s, and less when strategies leave actions out"
        )
    solver = Solver(game, chosen.method or "pcfr+")
    last = chosen.iterations or (_ITERATIONS if chosen.minutes is None else None)
    tell(
        f"{variant.game.title}, {len(game.set_seen):,} information sets, {solver.method}; "
        "exploitability\n\niterations   seconds   average  last iterate"
    )
    begun, status = time.monotonic(), 0
    until = math.inf if chosen.minutes is None else begun + 60 * chosen.minutes
    # Until both are measured, what comes to an equilibrium is taken for the better.
    found = (1.0, 0.0) if solver.method == "mmd" else (0.0, 1.0)
    try:
        for mark in _marks(last):
            with bar(2000 * (mark - solver.iterations), "iterations", share=True) as progress:
                before = solver.iterations
                while solver.iterations < mark and time.monotonic() < until:
                    done = 2000 * (solver.iterations - before)
                    solver.iterate(1, further(progress, done))
            found = _told(solver, begun)
            if min(found) < _SOLVED:
                tell("Solved: nobody gains by playing in another way.")
                break
            if time.monotonic() >= until:
                break
    except KeyboardInterrupt:
        tell()
        arguments.note(f"interrupted after {counted(solver.iterations, 'iteration')}")
        status = arguments.INTERRUPTED
    if chosen.save is not None:
        last_is_better = found[1] < found[0]
        solved.save(chosen.save, game, solver.strategy if last_is_better else solver.average)
        what = "last iterate" if last_is_better else "average"
        tell(f"\nThe {what} is kept: it plays as solved:file={printable(chosen.save)}")
    return status


def _marks(last: int | None) -> Iterator[int]:
    """After which iterations to tell: 1, 2, 5, 10, 20 and so on, and the *last*."""
    for mark in (step * 10**power for power in count() for step in (1, 2, 5)):
        if last is not None and mark >= last:
            yield last
            return
        yield mark


def _told(solver: Solver, begun: float) -> tuple[float, float]:
    """The exploitability of the average and of the last iterate, which are printed."""
    seconds = time.monotonic() - begun
    with bar(4000, "best responses", share=True) as progress:
        average, now = (
            solver.sequences.best_responses(each, further(progress, done)).exploitability
            for done, each in ((0, solver.average), (2000, solver.strategy))
        )
    tell(f"{solver.iterations:>10}  {seconds:>8.1f}  {average:>8.6f}  {now:>12.6f}")
    return average, now
