"""cyberdeck's own figures: decisions per second, size, and times to compile and to start.

Run by run.py in a process of its own for each: ``python games.py NAME`` measures like peers.py;
``python games.py start GAME`` and ``python games.py size GAME`` answer one line of JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from functools import partial
from typing import Any

import numpy as np

from peers import aec
from timing import Chunk, Subject, one_of, serve, use_one_core

#: name -> id in Gymnasium's registry
GAMES = {
    "matrix_overload": "cyberdeck/MatrixOverload-v0",
    "hackthegrid": "cyberdeck/HackTheGrid-v0",
    "stacktrices": "cyberdeck/Stacktrices-v0",
    "hovercrafts": "cyberdeck/Hovercrafts-v0",
}
#: games for more than one, which have a PettingZoo module
ZOO = ("hackthegrid", "stacktrices", "hovercrafts")
BATCHES = (1, 64, 1024, 4096)


def batch(game: str, size: int, **options: Any) -> Chunk:
    """The batch interface, every seat played by the compiled sampler of legal actions."""
    import cyberdeck

    games = cyberdeck.Batch(game, size, seed=0, **options)
    games.reset()
    steps = max(1, 8192 // size)

    def chunk() -> int:
        for _ in range(steps):
            games.step(games.choose("random"))
        return steps * size

    return chunk


def batch_compiled(game: str, size: int) -> Chunk:
    """The same, 50 steps in one compiled call, as PGX's loop."""
    import cyberdeck

    games = cyberdeck.Batch(game, size, seed=0)

    def chunk() -> int:
        games.play("random", 50)
        return 50 * size

    return chunk


def single(game: str) -> Chunk:
    """``gym.make`` as it is, with its default wrappers, and the sampler in Python."""
    import gymnasium

    env = gymnasium.make(f"cyberdeck:{GAMES[game]}")  # imports cyberdeck, which registers it

    def chunk() -> int:
        decisions = 0
        for _ in range(5):
            _, info = env.reset()
            over = False
            while not over:
                action = one_of(np.flatnonzero(info["action_mask"]))
                _, _, terminated, truncated, info = env.step(action)
                over = terminated or truncated
                decisions += 1
        return decisions

    return chunk


def zoo(game: str) -> Chunk:
    """``env()`` of the PettingZoo module, in the same loop as PettingZoo's own game."""
    return aec(importlib.import_module(f"cyberdeck.{game}_v0").env)


def start(game: str) -> dict[str, float]:
    """Seconds to import, and from before the import to the end of the first step."""
    begin = time.perf_counter()
    import cyberdeck

    imported = time.perf_counter()
    games = cyberdeck.Batch(game, 1024, seed=0)
    games.reset()
    games.step(games.choose("random"))
    return {"import": imported - begin, "first_step": time.perf_counter() - begin}


def size(game: str) -> dict[str, int]:
    """Bytes of one game: the record that holds all of it; and what the caller sees of it."""
    import cyberdeck

    variant = cyberdeck.variant(game)
    return {
        "bytes": variant.game.dtype.itemsize,
        "observation": variant.observation_size,
        "mask": variant.action_count,
    }


SUBJECTS: dict[str, Subject] = {
    **{f"{game} x {size}": partial(batch, game, size) for game in GAMES for size in BATCHES},
    "hovercrafts 5v5 x 1024": partial(batch, "hovercrafts", 1024, ships=(5, 5)),
    **{f"{game} x 1024, 50 steps a call": partial(batch_compiled, game, 1024) for game in GAMES},
    **{f"{game} Gymnasium": partial(single, game) for game in GAMES},
    **{f"{game} AEC env()": partial(zoo, game) for game in ZOO},
}

if __name__ == "__main__":
    if sys.argv[1] in ("start", "size"):
        use_one_core()
        print(json.dumps({"start": start, "size": size}[sys.argv[1]](sys.argv[2])))
    else:
        serve(SUBJECTS)
