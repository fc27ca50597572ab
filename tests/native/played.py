"""Plays all loops of a library a little, for valgrind: ``played.py FOLDER [wrong]``.

*wrong*: a row is asked for that is not there, which no check of arguments sees.
"""

from __future__ import annotations

import sys

sys.modules["numba"] = None  # type: ignore[assignment]

import numpy as np  # noqa: E402

import cyberdeck.engine  # noqa: E402

cyberdeck.engine.__path__.append(sys.argv[1])

from cyberdeck import GAMES, Batch  # noqa: E402
from cyberdeck.engine import native  # noqa: E402
from cyberdeck.engine.loops import HEURISTIC, RANDOM  # noqa: E402
from cyberdeck.engine.phases import phases_between  # noqa: E402
from cyberdeck.players import find_player  # noqa: E402

assert native.library() is not None, "that library was made from other sources"

ROWS, STEPS = 3, 12

for name in GAMES:
    batch = Batch(name, ROWS, seed=1)
    core = batch._core
    if "wrong" in sys.argv:
        # It writes nothing where what it finds there says: that would end Python as well.
        core.loops.first_illegal(np.array([ROWS]), np.zeros(1, np.int64), core.rows, core.masks)
        break
    for step in range(STEPS):
        before = core.states[:1].copy()
        core.step(core.choose(HEURISTIC if step % 2 else RANDOM))
        phases_between(core.game, before, core.states[:1])
        for seat in range(core.variant.seats):
            core.look(seat, step % ROWS)
        core.load(core.save(step % ROWS), (step + 1) % ROWS)
    core.resample(0, 5, 1)
    actions = core.ask(find_player(core.variant, "search:iterations=6"), core.all_rows)
    assert core.masks[core.all_rows, actions].all()
    core.play(find_player(core.variant, "random").code, 5)
print("played")
