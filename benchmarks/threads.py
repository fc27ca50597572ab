"""What a second thread brings: ``python benchmarks/threads.py``, best on an idle machine.

By the compiled code that is installed: numba's in a checkout, a wheel's with ``--native FOLDER``,
which `make native-test` leaves in build/native. Each game plays in one and in two threads by turns,
so that a machine that slows down meanwhile does so for both; the ratio is the median over the
rounds, with the least and the most. The load is told: other work takes cores from a second thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
from pathlib import Path

from games import GAMES, batch
from timing import THREADS, timed, use_cores


def _speed(found: dict[str, float]) -> float:
    return found["decisions"] / found["seconds"]


def _cost(found: dict[str, float]) -> float:
    return found["core_seconds"] / found["decisions"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--native", metavar="FOLDER", help="of compiled code: build/native")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.4, help="for one of these")
    parser.add_argument("--sizes", type=int, nargs="+", default=[256, 1024, 4096])
    chosen = parser.parse_args()
    use_cores(THREADS)

    import cyberdeck.engine
    from cyberdeck.engine import native

    if chosen.native:
        cyberdeck.engine.__path__.append(str(Path(chosen.native, native.host()).resolve()))
        assert native.library() is not None, "that library was made from other sources"
    print(f"{'native' if native.library() else 'numba'}, load {os.getloadavg()[0]:.1f}", flush=True)
    for name in GAMES:
        for size in chosen.sizes:
            for label, compiled in (("a step", False), ("50 steps a call", True)):
                chunks = [batch(name, size, compiled, threads=count) for count in (1, THREADS)]
                rounds = [
                    [timed(chunk, chosen.seconds) for chunk in chunks]
                    for _ in range(chosen.rounds + 1)
                ][1:]  # the first has whatever is compiled
                speeds = sorted(_speed(two) / _speed(one) for one, two in rounds)
                costs = statistics.median(_cost(two) / _cost(one) for one, two in rounds)
                print(
                    f"{name:>16} x {size:<5} {label:<16} two threads "
                    f"{statistics.median(speeds):.2f} ({speeds[0]:.2f} .. {speeds[-1]:.2f}), "
                    f"for {costs:.2f} times the CPU time",
                    flush=True,
                )
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
