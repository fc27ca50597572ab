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
import tomllib
from pathlib import Path
from typing import Any

from cyberdeck import Variant, load_file
from cyberdeck.common.progress import bar
from cyberdeck.engine.threads import count_of
from cyberdeck.enumeration.exploring import Enumeration
from cyberdeck.exact import BestResponses, InformationSets, PositionSolver

GAMES = Path(__file__).parents[1] / "examples" / "games"


#: What is known of each, by its name in the table.
KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def agrees(known: dict[str, Any], found: BestResponses) -> bool:
    """Whether all that is known is found, to six digits."""
    pairs = [(found.exploitability, known["mean"])]
    if "value" in known:
        pairs += [(found.values[0], known["value"])]
        pairs += zip(found.gains, known["gains"], strict=True)
    return all(abs(one - other) < 1e-6 for one, other in pairs)


def measured(name: str, tables: bool) -> bool:
    """One game, in this process; whether it is as known."""
    known = KNOWN[name]
    variant = Variant(load_file(GAMES / f"{known['game']}.py"), known.get("options", {}))
    tiny = Variant(load_file(GAMES / "kuhn_poker.py"), {})
    one = PositionSolver(tiny)  # what has to be compiled now is
    one.best_response(one.uniform(), 0)
    for keep in (0, 100):
        few = InformationSets(one.positions, keep=keep)
        few.best_responses(few.uniform())
    Enumeration(variant).all(3.0)
    start = time.perf_counter()
    bench = PositionSolver(variant)
    if tables:
        with bar(None, "information sets") as progress:
            held = InformationSets(bench.positions, 8.0, progress=progress)
        with bar(2000, "best responses", share=True) as progress:
            found = held.best_responses(held.uniform(), progress)
        same = agrees(known, found) and held.courses == known.get("courses", held.courses)
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
    parser.add_argument("games", nargs="*", choices=[[], *KNOWN], help="all of them, if none")
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
    games = chosen.games or KNOWN
    return max(subprocess.run([*command, name], check=False).returncode for name in games)


if __name__ == "__main__":
    sys.exit(main())
