"""Known games: exact figures of uniform play, beside those known elsewhere.

``make yardsticks``, or ``python benchmarks/yardsticks.py [GAME ...]``. Each game is gone through in
a process of its own, on all cores: its positions, what uniform play is worth, and how much whoever
answers it best gains. Compiling is not in the times.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from cyberdeck.engine.threads import count_of

GAMES = Path(__file__).parents[1] / "examples" / "games"


class Known(NamedTuple):
    """What is known: of the first seat its value, and the gains of both."""

    game: str
    options: dict[str, Any]
    value: float | None
    gains: tuple[float, float] | None
    mean: float


CASES = {
    "Kuhn poker": Known("kuhn_poker", {}, 0.125, (0.375, 0.541667), 0.458333),
    "Leduc poker": Known("leduc_poker", {}, None, None, 2.373611),
    "Liar's dice, 1 x 6": Known("liars_dice", {}, None, None, 0.780744),
    "Liar's dice, 2 x 3": Known("liars_dice", {"dice": 2, "sides": 3}, None, None, 0.738996),
    "Phantom tic-tac-toe, classical": Known(
        "phantom_tictactoe", {"rules": "classical"}, 0.296825, (0.656300, 0.921164), 0.788732
    ),
    "Phantom tic-tac-toe, abrupt": Known(
        "phantom_tictactoe", {"rules": "abrupt"}, 0.316275, (0.530865, 0.707804), 0.619334
    ),
    "Dark Hex 3, classical": Known(
        "dark_hex", {"rules": "classical"}, 0.333333, (0.666667, 1.166138), 0.916402
    ),
    "Dark Hex 3, abrupt": Known(
        "dark_hex", {"rules": "abrupt"}, 0.266926, (0.641104, 0.884105), 0.762605
    ),
}


def measured(name: str) -> None:
    """One game, in this process."""
    from cyberdeck import Variant
    from cyberdeck.api.registration import load_file
    from cyberdeck.evaluation.exact import Bench

    known = CASES[name]
    variant = Variant(load_file(GAMES / f"{known.game}.py"), known.options)
    bench = Bench(variant)
    bench.best_response(bench.uniform(), 0)  # what has to be compiled now is
    start = time.perf_counter()
    bench = Bench(variant)
    found = bench.best_responses(bench.uniform())
    took = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    same = abs(found.exploitability - known.mean) < 1e-6
    if known.value is not None and known.gains is not None:
        same = same and abs(found.values[0] - known.value) < 1e-6
        same = same and all(
            abs(a - b) < 1e-6 for a, b in zip(found.gains, known.gains, strict=True)
        )
    print(
        f"{name:31} {len(bench.positions):>8,} {found.values[0]:>+10.6f} {found.gains[0]:>10.6f} "
        f"{found.gains[1]:>10.6f} {found.exploitability:>10.6f} {took:>7.2f} {memory:>6.2f}  "
        f"{'as known' if same else 'NOT AS KNOWN'}"
    )
    sys.exit(not same)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", choices=[[], *CASES], help="all of them, if none")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        measured(chosen.one)
    print(f"Uniform play, on {count_of('auto')} cores")
    print(
        f"{'':31} {'positions':>8} {'value':>9} {'gain 1st':>10} {'gain 2nd':>10} {'mean':>10} "
        f"{'seconds':>7} {'GB':>6}",
        flush=True,
    )
    codes = [
        subprocess.run([sys.executable, __file__, "--one", name], check=False).returncode
        for name in chosen.games or CASES
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
