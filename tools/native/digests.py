"""Whether compiled games play on this machine as they do where numba compiled them.

    python -m tools.native.digests --write FILE   in a checkout: play by numba's loops
    python digests.py FILE                        anywhere: play the same, and compare

Exits with 1 if anything differs. The file holds what is played, so nothing of a checkout is needed
to compare: cyberdeck and this script.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch
from cyberdeck.engine import native, roles
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.players.search import Search
from cyberdeck.players.solvers.hackthegrid.solver import Optimal
from cyberdeck.players.solvers.matrix_overload import solver as matrix_solver
from cyberdeck.players.solvers.matrix_overload.sampler import Sampler

GAMES, STEPS = 24, 60
MANY: Final = 4096
MOST_TOLD: Final = 8

#: A game, its options and the seat that decides.
Case = tuple[str, dict[str, Any], int | str]


def cases() -> list[Case]:
    """Any two values of a game's options together, for every seat and for one."""
    from tests.cases import PAIRS

    return [(*case, seat) for case in PAIRS for seat in ("every", 0)]


def played(case: Case) -> Iterator[NDArray[Any] | bytes]:
    """Long play with forfeits, and whatever can be asked on the way."""
    name, options, seat = case
    teams = cyberdeck.variant(name, **options).seats > 1 and seat == 0
    players = {"opponent": "heuristic"} if teams else {}
    batch = Batch(name, GAMES, seed=7, seat=seat, illegal="lose", **players, **options)
    core, luck = batch._core, np.random.default_rng(3)
    for step in range(STEPS):
        actions = batch.choose(("random", "random", "heuristic")[step % 3])
        if step % 7 == 0:
            actions[luck.integers(0, GAMES, 3)] = luck.integers(0, batch.mask.shape[1], 3)
        batch.step(actions)
        yield from (core.states, core.rows, core.masks, core.observations, core.finals)
    for player in ("random", "heuristic"):
        batch.play(player, 20)
        yield core.states
    for row in range(0, GAMES, 5):
        for viewer in range(batch.variant.seats):
            yield from batch.look(row, viewer)
        state = batch.get_state(row)
        yield state
        batch.set_state(row, state)
        batch.resample(row, row % batch.variant.seats)
        yield from asked(batch, row)
    yield core.states


def asked(batch: Batch, row: int) -> Iterator[NDArray[Any] | bytes]:
    """What is said of a game by the loops that change nothing."""
    core, game, seats = batch._core, batch.variant.game, batch.variant.seats
    metrics = np.zeros((seats, len(game.metrics)), np.int32)
    core.loops.report_all(core.states, row, metrics)
    record = core.states[row : row + 1]
    roles_ = [each(game, record) for each in (roles.sides, roles.deciding, roles.hidden_from)]
    yield f"{metrics.tolist()} {roles_} {broken_invariant(game, record)}".encode()
    masks, together = np.zeros((seats, batch.mask.shape[1]), np.int8), np.zeros(seats, np.int8)
    seen = np.zeros((seats, batch.variant.observation_size), batch.variant.dtype)
    core.look_together(masks, seen, metrics, together)
    yield from (masks, seen, metrics, together)


def thought(name: str) -> Iterator[NDArray[Any] | bytes]:
    """What search and solvers make of positions; and so many games that threads share them."""
    many = Batch(name, MANY, seed=1, threads=2)
    for _ in range(5):
        many.step(many.choose("random"))
        yield from (many._core.states, many._core.masks, many._core.observations)
    batch = Batch(name, 8, seed=5)
    batch.play("random", 12)
    seen = batch._core.seen(batch._core.all_rows, True)
    for player in (Search(60), Search(40, playout="random", length=20, prior=0.2)):
        yield from player.examine(seen)
    if name == "hackthegrid":
        solver = Optimal()
        yield solver.solver.values(batch._core.states)
        yield solver.decide(seen)
    if name == "matrix_overload":
        for at in range(2):
            yield repr(matrix_solver.solve(batch._core.states[at : at + 1])).encode()
        yield Sampler(4).decide(seen)


def digest(parts: Iterator[NDArray[Any] | bytes]) -> str:
    """One for all of *parts*."""
    made = hashlib.blake2b(digest_size=8)
    for part in parts:
        made.update(part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes())
    return made.hexdigest()


def found(played_cases: list[Case]) -> list[str]:
    """The digests of all cases, and those of search and solvers."""
    return [digest(played(case)) for case in played_cases] + [
        digest(thought(name)) for name in cyberdeck.GAMES
    ]


def compare(file: Path) -> int:
    """Play what *file* says; how many digests are others."""
    expected, began = json.loads(file.read_text("utf-8")), time.monotonic()
    now = found(expected["cases"])
    names = [
        *map(str, expected["cases"]),
        *(f"search, solvers and threads: {each}" for each in cyberdeck.GAMES),
    ]
    pairs = zip(expected["digests"], now, strict=True)
    wrong = [name for name, (one, other) in zip(names, pairs, strict=True) if one != other]
    for name in wrong[:MOST_TOLD]:
        print(f"differs: {name[:200]}")
    print(
        f"{len(now) - len(wrong)} of {len(now)} digests are the same, {platform.system()} "
        f"{platform.machine()}, level {native.library().level}, {time.monotonic() - began:.0f} s"
    )
    return len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--write", action="store_true", help="make FILE")
    parser.add_argument("--level", type=int, help="the code for these processors only")
    chosen = parser.parse_args()
    library = native.library()
    if chosen.write:
        assert library is None, "FILE is written by what numba compiles"
        made = {"cases": cases(), "digests": found(cases())}
        chosen.file.write_text(json.dumps(made), "utf-8")
        return 0
    if library is None:
        print("there is no library, or it is of other sources")
        return 1
    levels = range(library.level) if chosen.level is None else ()
    ended = [
        subprocess.run([sys.executable, *sys.argv, f"--level={each}"], check=False).returncode
        for each in levels
    ]
    if chosen.level is not None:
        library.level = chosen.level
    return max(*ended, int(compare(chosen.file) > 0), 0)


if __name__ == "__main__":
    sys.exit(main())
