"""Play, search and solve with compiled games; and how long the first step takes."""

from __future__ import annotations

import subprocess
import sys
import time

from cyberdeck import GAMES, Batch
from cyberdeck.players.search import Search
from cyberdeck.players.solvers.hackthegrid.solver import Optimal
from cyberdeck.players.solvers.matrix_overload import solver

FIRST_STEP = """
import gymnasium, numpy, cyberdeck
env = gymnasium.make(cyberdeck.game({name!r}).gym_id)
_, info = env.reset(seed=0)
env.step(int(numpy.flatnonzero(info["action_mask"])[0]))
"""


def main() -> None:
    for name in GAMES:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", FIRST_STEP.format(name=name)], check=True)
        print(f"{name}: {time.perf_counter() - began:.2f} s to the first step")
        batch = Batch(name, 2, seed=0)
        batch.step(batch.core.ask(Search(50), batch.core.all_rows))
        batch.play("heuristic", 200)
        assert batch.svg(0)
    grid = Batch("hackthegrid", 2, seed=0)
    grid.step(grid.core.ask(Optimal(), grid.core.all_rows))
    deck = Batch("matrix_overload", 1, seed=0).get_state(0)
    assert solver.wins(deck, solver.solve(deck) or [])


if __name__ == "__main__":
    main()
