"""``make soak``: long random play of every pair of options, notation, and redrawn games."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cyberdeck import variant
from cyberdeck.testing import random_play
from tests import disguises
from tests.cases import LONGEST, PAIRS, Case, label
from tests.engine.games import example
from tests.notations import EXAMPLES, misread_in
from tests.text import redrawn


def tried(name: str, play: Callable[[], tuple[str, bool]]) -> None:
    """Print what came of it and how long it took; what went wrong ends all."""
    started = time.perf_counter()
    told, is_wrong = play()
    print(f"{name:50s} {told}, {time.perf_counter() - started:6.0f} s", flush=True)
    if is_wrong:
        sys.exit(1)


def read(case: Case, positions: int, seed: int) -> tuple[str, bool]:
    """Whether the notation of all that is legal is read back."""
    wrong = misread_in(case, positions, seed)
    return f"{positions} positions: {'; '.join(wrong[:3]) or 'all read back'}", bool(wrong)


def played(case: Case, decisions: int, seed: int) -> tuple[str, bool]:
    """Whether all invariants hold, and no game is longer than it can be."""
    game, options = case
    games = min(4096, max(1, decisions // 500))  # so many at once: few decide so often
    report = random_play(variant(game, **options), decisions=decisions, games=games, seed=seed)
    return str(report), bool(report.faults) or report.longest > LONGEST[game]


def disguised(case: Case, decisions: int) -> tuple[str, bool]:
    """Whether a game and its disguise take the same course."""
    shown = variant(case[0], **case[1])
    wrong = [disguises.difference(shown, seed, decisions // 2) for seed in (1, 2)]
    told = "; ".join(filter(None, wrong)) or "the same course"
    return f"{decisions} in disguise: {told}", any(wrong)


def retold(game: str, states: int, seed: int) -> tuple[str, bool]:
    """Whether the same is told in states that a seat cannot tell apart; an error says if not."""
    return f"told alike in {redrawn.compare(game, states, seed):,} redrawn states", False


def main() -> None:
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
    positions, seed = -(-chosen.read // len(cases)), chosen.seed
    own = [(example(name).name, {}) for name in disguises.OWN]
    for case in cases:
        tried(label(case), partial(read, case, positions, seed))
    for case in PAIRS:
        tried(label(case), partial(played, case, chosen.decisions, seed))
    for case in [*disguises.CASES, *own]:
        tried(label(case), partial(disguised, case, chosen.disguised))
    for game in redrawn.CASES:
        tried(game, partial(retold, game, chosen.redrawn, seed))


if __name__ == "__main__":
    main()
