"""``make soak``: long random play of every pair of options, notation, and redrawn games."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cyberdeck import variant
from cyberdeck.testing import random_play
from tests import disguises
from tests.cases import LONGEST, PAIRS, label
from tests.notations import EXAMPLES, misread_in
from tests.text import redrawn


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=20_000_000, help="per case")
    parser.add_argument(
        "--read", type=int, default=1_000_000, help="positions with their notation, in all cases"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--disguised", type=int, default=1_000_000, help="decisions per game")
    parser.add_argument("--redrawn", type=int, default=100_000, help="states per game")
    chosen = parser.parse_args()
    cases = [*PAIRS, *EXAMPLES]
    for case in cases:
        started = time.perf_counter()
        positions = -(-chosen.read // len(cases))
        wrong = misread_in(case, positions, chosen.seed)
        seconds = time.perf_counter() - started
        told = "; ".join(wrong[:3]) or "all read back"
        print(f"{label(case):50s} {positions} positions: {told}, {seconds:6.0f} s", flush=True)
        if wrong:
            return 1
    for case in PAIRS:
        started = time.perf_counter()
        game, options = case
        games = min(4096, max(1, chosen.decisions // 500))  # so many at once: few decide so often
        size = {"decisions": chosen.decisions, "games": games, "seed": chosen.seed}
        report = random_play(variant(game, **options), **size)
        seconds = time.perf_counter() - started
        print(f"{label(case):50s} {report}, {seconds:6.0f} s", flush=True)
        if report.faults or report.longest > LONGEST[game]:
            return 1
    own = [(disguises.own_game(name).name, {}) for name in disguises.OWN]
    for case in [*disguises.CASES, *own]:
        started = time.perf_counter()
        game, options = case
        half, played = chosen.disguised // 2, variant(game, **options)
        wrong = [disguises.difference(played, seed, half) for seed in (1, 2)]
        seconds = time.perf_counter() - started
        told = "; ".join(filter(None, wrong)) or "the same course"
        print(f"{label(case):50s} {2 * half} in disguise: {told}, {seconds:6.0f} s", flush=True)
        if any(wrong):
            return 1
    for game in redrawn.CASES:
        started = time.perf_counter()
        states = redrawn.compare(game, chosen.redrawn, chosen.seed)
        seconds = time.perf_counter() - started
        print(f"{game:50s} told alike in {states:,} redrawn states, {seconds:6.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
