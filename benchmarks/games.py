"""cyberdeck's own figures: decisions per second, size and frames.

Run by run.py in a process of its own for each: ``python games.py NAME`` measures like peers.py;
``python games.py size GAME`` (or ``frames``) answers one line of JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from peers import aec, episodes, steps
from timing import THREADS, WITH_THREADS, Chunk, Subject, one_of, serve, use_cores

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

#: Games that others have as well, each one file: the same rules on both sides.
EXAMPLES = ("connect_four", "tictactoe")
FOLDER = Path(__file__).resolve().parents[1] / "examples" / "games"


def known(game: str) -> str:
    """A game's name, once the game is registered."""
    if game in EXAMPLES:
        from cyberdeck import load_file

        load_file(FOLDER / f"{game}.py")
    return game


def batch(game: str, size: int, compiled: bool = False, **options: Any) -> Chunk:
    """The batch interface, every seat played by the compiled sampler of legal actions.

    *compiled*: 50 steps in one compiled call, as PGX's loop.
    """
    import cyberdeck

    games = cyberdeck.Batch(known(game), size, seed=0, **options)
    games.reset()
    steps = 50 if compiled else max(1, 8192 // size)

    def chunk() -> int:
        if compiled:
            games.play("random", steps)
        else:
            for _ in range(steps):
                games.step(games.choose("random"))
        return steps * size

    return chunk


def single(game: str) -> Chunk:
    """``gym.make`` as it is, with its default wrappers, and the sampler in Python."""
    import gymnasium

    env = gymnasium.make(f"cyberdeck:{GAMES[game]}")  # imports cyberdeck, which registers it
    return episodes(env, lambda info: one_of(np.flatnonzero(info["action_mask"])), 5)


def vector(game: str, size: int) -> Chunk:
    """``gymnasium.make_vec`` with the games' own vector env; opponents play inside, at random."""
    import gymnasium

    import cyberdeck

    envs = gymnasium.make_vec(cyberdeck.game(known(game)).gym_id, num_envs=size)
    own: Any = envs.unwrapped
    return steps(envs, lambda _: own.choose("random"), size)


def zoo(game: str) -> Chunk:
    """``env()`` for PettingZoo, in the same loop as PettingZoo's own game."""
    from cyberdeck.api.pettingzoo_env import env

    return aec(partial(env, known(game)))


def frames(game: str) -> dict[str, float]:
    """CPU seconds of ``render()`` as pixels, and of a picture in a GIF, in a game at random."""
    import gymnasium

    from cyberdeck.replay.film import gif

    env: Any = gymnasium.make(f"cyberdeck:{GAMES[game]}", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    height, width, _ = env.render().shape  # what is compiled or kept on first use is so now
    took, svgs = [], []
    for _ in range(40):
        _, _, terminated, truncated, _ = env.step(env.suggest("random"))
        if terminated or truncated:
            env.reset()
        begin = time.process_time()
        env.render()
        took.append(time.process_time() - begin)
        svgs.append(env.svg(highlight=False))
    begin = time.process_time()
    gif(svgs, 600, 0.8)
    film = (time.process_time() - begin) / len(svgs)
    return {"width": width, "height": height, "frame": statistics.median(took), "film": film}


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
    **{f"{game} x 1024, 50 steps a call": partial(batch, game, 1024, True) for game in GAMES},
    **{f"{game} Gymnasium": partial(single, game) for game in GAMES},
    **{f"{game} AEC env()": partial(zoo, game) for game in ZOO},
    **{f"{game} x 1024": partial(batch, game, 1024) for game in EXAMPLES},
    **{f"{game} x 1024, 50 steps a call": partial(batch, game, 1024, True) for game in EXAMPLES},
    f"connect_four x 1024{WITH_THREADS}": partial(batch, "connect_four", 1024, threads=THREADS),
    f"connect_four x 1024, 50 steps a call{WITH_THREADS}": partial(
        batch, "connect_four", 1024, True, threads=THREADS
    ),
    "connect_four Gymnasium vector x 1024": partial(vector, "connect_four", 1024),
    "connect_four AEC env()": partial(zoo, "connect_four"),
}

if __name__ == "__main__":
    own = {"size": size, "frames": frames}
    if sys.argv[1] in own:
        use_cores()
        print(json.dumps(own[sys.argv[1]](sys.argv[2])))
    else:
        serve(SUBJECTS)
