"""``solve``: what the solver of a game finds out about its deals, or tables for a small game."""

from __future__ import annotations

import math
import time
from itertools import count
from typing import TYPE_CHECKING, Final

from cyberdeck.commands import arguments
from cyberdeck.commands.arguments import Chosen
from cyberdeck.common.progress import Progress, bar, further
from cyberdeck.common.statistics import percent
from cyberdeck.common.text import counted, printable, table, tell
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch, dealt
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.players.solvers.hackthegrid import solver as hackthegrid
from cyberdeck.players.solvers.hackthegrid.result_partitions import TIES
from cyberdeck.players.solvers.matrix_overload.solver import solve as solve_matrix_overload
from cyberdeck.players.solvers.matrix_overload.solver import solved
from cyberdeck.showing import scene

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
_OF_DEALS: Final = ("deals", "seed", "deal")
_OF_TABLES: Final = ("method", "iterations", "minutes", "output", "memory")

_RULES: Final = """\
Hackers who can neither win nor draw: spiteful ones would rather have both lose, friendly ones
would rather lose alone."""


def solve(chosen: Chosen) -> int:
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
    solve_deals, solve_deal = SOLVERS[game.name]
    if chosen.deal is not None:
        if chosen.deals is not None or chosen.seed is not None:
            raise OptionError("--deal shows one deal alone: leave --deals and --seed out")
        tell(solve_deal(variant, chosen.deal))
        return 0
    deals = chosen.deals or _DEALS
    with bar(deals, "deals") as progress:
        values = solve_deals(variant, deals, chosen.seed or 0, progress)
    tell(values)
    return 0


# --- deal by deal --------------------------------------------------------------------------------


def matrix_overload_deals(
    variant: Variant, deals: int, seed: int, progress: Progress | None = None
) -> str:
    """How many of the deals *seed*, *seed* + 1, ... can be won."""
    return str(solved(deals, game=variant, seed=seed, progress=progress))


def matrix_overload_deal(variant: Variant, seed: int) -> str:
    """The line that wins a deal with open cards, move by move.

    >>> from cyberdeck import variant
    >>> print(matrix_overload_deal(variant("matrix_overload"), 0)[:50])
    With open cards this deal is won in 48 moves:
    <BLANKLINE>
     1.
    """
    games = GameBatch(variant, 1, autoreset=DISABLED)
    games.reset([seed])
    line = solve_matrix_overload(games.save())
    if line is None:
        return "No line that wins this deal was found; there may be one all the same."
    lines = [f"With open cards this deal is won in {len(line)} moves:", ""]
    for number, action in enumerate(line, start=1):
        lines.append(f"{number:>2}. {games.action_name(0, action)}")
        games.advance_one(action)
    return "\n".join(lines)


def hackthegrid_deals(
    variant: Variant, deals: int, seed: int, progress: Progress | None = None
) -> str:
    """What the deals *seed*, *seed* + 1, ... are worth to who goes first, by either rule for ties.

    >>> from cyberdeck import variant
    >>> print(hackthegrid_deals(variant("hackthegrid"), 4, 0).splitlines()[2].split()[:3])
    ['ties', 'win', 'draw']
    """
    rows = []
    for number, ties in enumerate(TIES):

        def advance(done: int, before: int = number * deals) -> None:
            deals_done, left = divmod(before + done, len(TIES))
            if progress is not None and left == 0:
                progress(deals_done)

        values = hackthegrid.deal_values(deals, ties, game=variant, seed=seed, progress=advance)
        shares = [percent(each, deals) for each in values.outcomes]
        rows.append((ties, *shares, *(f"{1000 * each:.1f}" for each in values.seconds)))
    head = ("ties", *hackthegrid.NAMES, "ms: median", "95%", "most")
    what = "1 deal is" if deals == 1 else f"{deals} deals are"
    return f"What {what} worth to who goes first:\n\n{table(head, rows)}\n\n{_RULES}"


def hackthegrid_deal(variant: Variant, seed: int) -> str:
    """What every first action of a deal leads to, by either rule for ties.

    >>> from cyberdeck import variant
    >>> print(hackthegrid_deal(variant("hackthegrid"), 3).splitlines()[-4])
    3  go to column 3: SCRAMBLE (cyan)       loss      loss
    """
    states = dealt(variant, 1, seed)
    outcomes = [hackthegrid.solve(states, ties) for ties in TIES]
    rows = [
        (
            str(action),
            registry.named_action(variant, states, action),
            *(each[action] for each in outcomes),
        )
        for action in outcomes[0]
    ]
    board = scene(variant, states, (int(states["mover"][0]),)).text()
    return f"{board}\n\n{table(('', 'action', *TIES), rows)}\n\n{_RULES}"


#: Of games with a solver of their own: what it finds out about many deals, and about one, in words.
SOLVERS: Final = {
    "matrix_overload": (matrix_overload_deals, matrix_overload_deal),
    "hackthegrid": (hackthegrid_deals, hackthegrid_deal),
}


# --- by tables -----------------------------------------------------------------------------------


def _by_tables(variant: Variant, chosen: Chosen) -> int:
    """Solve a small game for two, and print how far it has come, now and then."""
    from cyberdeck.exact import InformationSets, PositionSolver, Solver
    from cyberdeck.players.solved import save

    arguments.check_file(chosen.output)
    if chosen.output is not None and not chosen.output.endswith(".npz"):
        raise OptionError(f"--output {chosen.output}: the file of a solved game ends in .npz")
    memory = 3.0 if chosen.memory is None else chosen.memory
    with bar(None, "positions") as progress:
        positions = PositionSolver(variant, memory=memory, progress=progress).positions
    with bar(None, "information sets") as progress:
        game = InformationSets(positions, memory, progress=progress)
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
    last = chosen.iterations or (_ITERATIONS if chosen.minutes is None else math.inf)
    tell(
        f"{variant.game.title}, {len(game.set_seen):,} information sets, {solver.method}; "
        "exploitability\n\niterations   seconds   average  last iterate"
    )
    begun, status = time.monotonic(), 0
    until = math.inf if chosen.minutes is None else begun + 60 * chosen.minutes
    # Until both are measured, what comes to an equilibrium is taken for the better.
    average, now = (1.0, 0.0) if solver.method == "mmd" else (0.0, 1.0)
    marks = (step * 10**power for power in count() for step in (1, 2, 5))
    try:
        while solver.iterations < last and time.monotonic() < until:
            before, mark = solver.iterations, int(min(next(marks), last))
            with bar(2000 * (mark - before), "iterations", share=True) as progress:
                while solver.iterations < mark and time.monotonic() < until:
                    solver.iterate(1, further(progress, 2000 * (solver.iterations - before)))
            average, now = _report(solver, begun)
            if min(average, now) < _SOLVED:
                tell("Solved: nobody gains by playing in another way.")
                break
    except KeyboardInterrupt:
        tell()
        arguments.note(f"interrupted after {counted(solver.iterations, 'iteration')}")
        status = arguments.INTERRUPTED
    if chosen.output is not None:
        save(chosen.output, game, solver.strategy if now < average else solver.average)
        what = "last iterate" if now < average else "average"
        tell(f"\nThe {what} is kept: it plays as solved:file={printable(chosen.output)}")
    return status


def _report(solver: Solver, begun: float) -> tuple[float, float]:
    """The exploitability of the average and of the last iterate, which are printed."""
    seconds = time.monotonic() - begun
    with bar(4000, "best responses", share=True) as progress:
        average, now = (
            solver.sequences.best_responses(each, further(progress, done)).exploitability
            for done, each in ((0, solver.average), (2000, solver.strategy))
        )
    tell(f"{solver.iterations:>10}  {seconds:>8.1f}  {average:>8.6f}  {now:>12.6f}")
    return average, now
