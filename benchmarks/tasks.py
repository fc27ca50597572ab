"""The figures of docs/evaluate/tasks.md: ``python benchmarks/tasks.py -h``."""

from __future__ import annotations

import argparse
import itertools
import time

from cyberdeck.common.progress import bar
from cyberdeck.evaluation.grades import grades
from cyberdeck.text.tasks import BANDS, Tasks
from reporting import add_seeds, first_of, told

_PLAYERS = ("random", "heuristic", "baseline", "search:iterations=1000", "optimal")


def main() -> None:
    """Grade players on the tasks of some deals; or count how many tasks a second are made."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("game", nargs="?", default="hackthegrid")
    parser.add_argument("--action-values", default="exact", help="who knows the values (exact)")
    parser.add_argument("--player", action="append", help=f"({', '.join(_PLAYERS)})")
    parser.add_argument("--deals", type=int, default=1000, help="(1000)")
    parser.add_argument("--speed", action="store_true", help="tasks a second, even ones too")
    parser.add_argument("--threads", type=int, default=2, help="for --speed (2)")
    add_seeds(parser)
    given = parser.parse_args()
    if given.speed:
        tasks = Tasks(given.game, values=given.action_values, bands=[*BANDS])
        stream = tasks.stream("train", threads=given.threads)
        next(stream)  # compile
        begun = time.perf_counter(), time.process_time()
        end = next(stream).seed + given.deals
        many = sum(1 for _ in itertools.takewhile(lambda task: task.seed < end, stream))
        wall, core = time.perf_counter() - begun[0], time.process_time() - begun[1]
        print(
            f"{many} tasks of {given.deals} deals, {given.threads} threads: {many / wall:.0f} a "
            f"second, {many / core:.0f} a second of a core"
        )
        return
    with bar(given.deals, "deals") as progress:
        players = given.player or _PLAYERS
        first = first_of(given, "each row's player")
        print(
            grades(
                Tasks(given.game, values=given.action_values),
                players,
                deals=given.deals,
                seed=first,
                progress=progress,
            )
        )
    print(f"\n{told(given)}")


if __name__ == "__main__":
    main()
