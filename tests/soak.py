"""``make soak``: long random play of every pair of options, all invariants at every state."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.cases import PAIRS, label
from tests.simulation import simulate


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=20_000_000, help="per case")
    parser.add_argument("--count", type=int, default=4096, help="games at once")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    for case in PAIRS:
        started = time.perf_counter()
        ended = simulate(*case, chosen.decisions, chosen.count, chosen.seed)
        seconds = time.perf_counter() - started
        print(
            f"{label(case):50s} {chosen.decisions:>12,} decisions, {ended:>10,} games, "
            f"{seconds:6.0f} s: sound",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
