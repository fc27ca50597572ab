"""Known games: exact figures of uniform play, beside those known elsewhere.

``make yardsticks``, or ``python benchmarks/yardsticks.py [--tables] [GAME ...]``. Each game is gone
through in a process of its own, on all cores: its positions, what uniform play is worth, and how
much whoever answers it best gains. With ``--tables`` uniform play is a table over all that a seat
remembers, and every course of the game is gone through. Compiling is not in the times.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from cyberdeck import Variant
from cyberdeck.api.registration import load_file
from cyberdeck.common.progress import bar
from cyberdeck.engine.threads import count_of
from cyberdeck.enumeration.exploring import enumerate_positions
from cyberdeck.exact import Bench, BestResponses, Sequences

GAMES = Path(__file__).parents[1] / "examples" / "games"


class Known(NamedTuple):
    """What is known: of the first seat its value, the gains of both; in how many courses of the
    game somebody decides.
    """

    game: str
    options: dict[str, Any]
    value: float | None
    gains: tuple[float, float] | None
    mean: float
    courses: int | None = None


CASES = {
    "Kuhn poker": Known("kuhn_poker", {}, 0.125, (0.375, 0.541667), 0.458333),
    "Leduc poker": Known("leduc_poker", {}, None, None, 2.373611),
    "Liar's dice, 1 x 6": Known("liars_dice", {}, None, None, 0.780744),
    "Liar's dice, 2 x 3": Known("liars_dice", {"dice": 2, "sides": 3}, None, None, 0.738996),
    "Phantom tic-tac-toe, classical": Known(
        "phantom_tictactoe",
        {"rules": "classical"},
        0.296825,
        (0.656300, 0.921164),
        0.788732,
        10_105_432_147,
    ),
    "Phantom tic-tac-toe, abrupt": Known(
        "phantom_tictactoe",
        {"rules": "abrupt"},
        0.316275,
        (0.530865, 0.707804),
        0.619334,
        13_537_067_395,
    ),
    "Dark Hex 3, classical": Known(
        "dark_hex", {"rules": "classical"}, 0.333333, (0.666667, 1.166138), 0.916402, 9_649_789_219
    ),
    "Dark Hex 3, abrupt": Known(
        "dark_hex", {"rules": "abrupt"}, 0.266926, (0.641104, 0.884105), 0.762605, 14_647_765_747
    ),
}


def agrees(known: Known, found: BestResponses) -> bool:
    """Whether all that is known is found, to six digits."""
    pairs = [(found.exploitability, known.mean)]
    if known.value is not None and known.gains is not None:
        pairs += [(found.values[0], known.value), *zip(found.gains, known.gains, strict=True)]
    return all(abs(one - other) < 1e-6 for one, other in pairs)


def measured(name: str, tables: bool) -> bool:
    """One game, in this process; whether it is as known."""
    known = CASES[name]
    variant = Variant(load_file(GAMES / f"{known.game}.py"), known.options)
    tiny = Variant(load_file(GAMES / "kuhn_poker.py"), {})
    one = Bench(tiny)  # what has to be compiled now is
    one.best_response(one.uniform(), 0)
    for keep in (0, 100):
        few = Sequences(one.positions, keep=keep)
        few.best_responses(few.uniform())
    enumerate_positions(variant, 3.0)
    start = time.perf_counter()
    bench = Bench(variant)
    if tables:
        with bar(None, "information sets") as progress:
            held = Sequences(bench.positions, 8.0, progress=progress)
        with bar(2000, "best responses", share=True) as progress:
            found = held.best_responses(held.uniform(), progress)
        same = agrees(known, found) and held.courses == (known.courses or held.courses)
        counts = f"{len(held.set_seen):>10,} {held.courses:>14,}"
    else:
        found = bench.best_responses(bench.uniform())
        same, counts = agrees(known, found), f"{len(bench.positions):>10,}"
    took = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{name:31} {counts} {found.values[0]:>+10.6f} {found.gains[0]:>10.6f} "
        f"{found.gains[1]:>10.6f} {found.exploitability:>10.6f} {took:>7.2f} {memory:>6.2f}  "
        f"{'as known' if same else 'NOT AS KNOWN'}",
        flush=True,
    )
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", choices=[[], *CASES], help="all of them, if none")
    parser.add_argument("--tables", action="store_true", help="over all that is remembered")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        return int(not measured(chosen.one, chosen.tables))
    what = f"{'positions':>41}"
    if chosen.tables:
        what = f"{'information sets':>42} {'courses':>14}"
    print(f"Uniform play, on {count_of('auto')} cores")
    print(
        f"{what} {'value':>10} {'gain 1st':>10} {'gain 2nd':>10} "
        f"{'mean':>10} {'seconds':>7} {'GB':>6}",
        flush=True,
    )
    command = [sys.executable, __file__, *(["--tables"] if chosen.tables else []), "--one"]
    games = chosen.games or CASES
    return max(subprocess.run([*command, name], check=False).returncode for name in games)


if __name__ == "__main__":
    sys.exit(main())
