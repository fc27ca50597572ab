"""Small games solved by tables, beside OpenSpiel: ``python benchmarks/tabular.py --spiel PYTHON``.

PYTHON is an interpreter that has OpenSpiel; without one its columns stay empty. Both work in turns,
on one core each: a stretch of ours, the same stretch of theirs. Seconds are those of the processor,
without compiling and without measuring exploitability. With --plot a picture of it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GAMES = Path(__file__).parents[1] / "examples" / "games"

#: What is compared: games by their files.
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TITLES = {
    "kuhn_poker": "Kuhn poker",
    "leduc_poker": "Leduc poker",
    "liars_dice": "Liar's dice",
    "goofspiel": "Goofspiel",
}

#: What the picture shows.
DRAWN = ("leduc_poker", "liars_dice")

#: Stepsize and temperature where OpenSpiel's mirror descent is compared: it keeps both.
FIXED = 0.5, 0.05

#: Seconds and exploitability after some iterations more.
Stretch = Callable[[int], tuple[float, float]]


def theirs(game: str, method: str) -> None:
    """Answers on standard output: run by OpenSpiel's interpreter."""
    import pyspiel

    held = pyspiel.load_game(game)
    if method == "mmd":
        from open_spiel.python.algorithms import exploitability, mmd_dilated

        solver = mmd_dilated.MMDDilatedEnt(held, FIXED[1], FIXED[0])
        step = solver.update_sequences

        def measured() -> float:
            return float(exploitability.exploitability(held, solver.get_policies()))
    else:
        solver = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}[method](held)
        step = solver.evaluate_and_update_policy

        def measured() -> float:
            return float(pyspiel.exploitability(held, solver.average_policy()))

    for line in sys.stdin:
        begun = time.process_time()
        for _ in range(int(line)):
            step()
        print(time.process_time() - begun, repr(measured()), flush=True)


def ours(name: str, method: str, fixed: bool) -> Stretch:
    """Our solver; of ``mmd`` as OpenSpiel's does it if *fixed*."""
    from cyberdeck import load_file
    from cyberdeck.exact import InformationSets, PositionSolver, Solver

    game = InformationSets(PositionSolver(load_file(GAMES / f"{name}.py").name).positions)
    more: dict[str, Any] = {}
    if fixed and method == "mmd":
        more = {"schedule": lambda t: FIXED, "simultaneous": True}
    Solver(game, method, **more).iterate(1)  # what has to be compiled now is
    solver = Solver(game, method, **more)

    def stretch(times: int) -> tuple[float, float]:
        begun = time.process_time()
        solver.iterate(times)
        seconds = time.process_time() - begun
        return seconds, game.best_responses(solver.solution).exploitability

    return stretch


@contextmanager
def asked(spiel: str | None, name: str, method: str) -> Iterator[Stretch | None]:
    """OpenSpiel's solver in its own interpreter; None where there is none."""
    if spiel is None:
        yield None
        return
    line = [spiel, __file__, "--theirs", TABLE["openspiel"][name], method]
    pipe, one_core = subprocess.PIPE, os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, text=True, env=one_core) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        told, answers = running.stdin, running.stdout

        def stretch(times: int) -> tuple[float, float]:
            print(times, file=told, flush=True)
            seconds, found = map(float, answers.readline().split())
            return seconds, found

        yield stretch
        told.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--spiel", metavar="PYTHON", help="an interpreter that has OpenSpiel")
    parser.add_argument("--plot", type=Path, help="draw curves into this file")
    parser.add_argument("--theirs", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.theirs:
        theirs(*given.theirs)
        return
    from cyberdeck.common.text import table

    if given.spiel is None:
        print("OpenSpiel is left out: --spiel names no interpreter that has it\n")
    rows, curves = [], {}
    for name, method, marks in TABLE["rows"]["both"]:
        own = ours(name, method, fixed=True)
        spent, total, curve = [0.0, 0.0], 0, []
        with asked(given.spiel, name, method) as other:
            for mark in marks:
                found = [each(mark - total) if each else (0.0, 0.0) for each in (own, other)]
                spent = [at + seconds for at, (seconds, _) in zip(spent, found, strict=True)]
                total = mark
                if other is None:
                    there = ("-", "-", "-", "-")
                else:
                    ratio, ms = spent[1] / max(spent[0], 1e-9), 1000 * spent[1] / total
                    apart = abs(found[0][1] - found[1][1])
                    there = (f"{found[1][1]:.9f}", f"{apart:.0e}", f"{ms:.3g}", f"{ratio:.0f}")
                    curve.append((spent[1], found[1][1]))
                here = (f"{found[0][1]:.9f}", f"{1000 * spent[0] / total:.3g}")
                rows.append(
                    (TITLES[name], method, f"{total:,}", here[0], *there[:2], here[1], *there[2:])
                )
                print(*rows[-1], flush=True)
        if curve and name in DRAWN and method != "mmd":
            curves[f"{TITLES[name]}, OpenSpiel, {method}"] = curve
    head = ("game", "method", "iterations", "exploitability", "OpenSpiel", "apart")
    head += ("ms each", "OpenSpiel", "times as fast")
    print("\n" + table(head, rows, markdown=True) + "\n")
    longer = []
    for name, method, most in TABLE["rows"]["ours"]:
        own, spent, total, curve = ours(name, method, fixed=False), 0.0, 0, []
        mark = 1
        while total < most:
            mark = min(most, max(mark + 1, mark * 5 // 4))
            seconds, value = own(mark - total)
            spent, total = spent + seconds, mark
            curve.append((spent, value))
        below = next((f"{at:.2g}" for at, value in curve if value < 0.001), "-")
        longer.append((TITLES[name], method, below, f"{spent:.1f}", f"{curve[-1][1]:.1e}"))
        print(*longer[-1], flush=True)
        curves[f"{TITLES[name]}, {method}"] = curve
    head = ("game", "method", "seconds to 0.001", "seconds in all", "exploitability then")
    print("\n" + table(head, longer, markdown=True))
    if given.plot:
        draw(curves, given.plot)


def draw(curves: dict[str, list[tuple[float, float]]], path: Path) -> None:
    """Exploitability by seconds: a colour for each game, a dash for each method."""
    from curves import framed
    from cyberdeck.drawing.svg import AMBER, CYAN

    dashes = {"cfr": (0, (1, 1.5)), "cfr+": "-", "pcfr+": (0, (5, 2)), "mmd": (0, (3, 2, 1, 2))}
    size, x = (6.4, 4.2), "seconds of one core"
    legend = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
    with framed(path, size, "Small games, solved", x, "exploitability", **legend) as axes:
        for name, curve in curves.items():
            solver, method = name.rsplit(", ", 1)
            axes.plot(
                [seconds for seconds, _ in curve],
                [max(value, 1e-7) for _, value in curve],
                color=CYAN if name.startswith("Leduc") else AMBER,
                linestyle=dashes[method],
                linewidth=1.4,
                marker="o" if "OpenSpiel" in solver else None,
                markersize=5,
                label=name,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.minorticks_off()
        for mark, powers in ((axes.set_xticks, range(-2, 3)), (axes.set_yticks, range(-6, 1))):
            mark([10.0**power for power in powers], [f"{10.0**power:g}" for power in powers])
        axes.set_ylim(1e-6, 4)
        axes.grid(axis="x", linewidth=0.6)


if __name__ == "__main__":
    main()
