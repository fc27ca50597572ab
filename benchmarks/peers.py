"""The peers, one small function each: random legal play with mask, observation and autoreset.

Run by run.py in a process of its own for each peer: ``python peers.py NAME``.
A function sets its peer up and returns a chunk of play (see timing.py). A decision is one action
applied; resets, and the steps that a library spends on them, are not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import random
from typing import Any

import numpy as np

from timing import THREADS, WITH_THREADS, Chunk, Subject, one_of, one_of_each, serve

#: Games side by side in the peers that play batches.
BATCH = 1024


def episodes(env: Any, choose: Callable[[dict[str, Any]], int], games: int) -> Chunk:
    """Whole games of one of Gymnasium's envs; *choose* decides by the infos."""

    def chunk() -> int:
        decisions = 0
        for _ in range(games):
            _, info = env.reset()
            over = False
            while not over:
                _, _, terminated, truncated, info = env.step(choose(info))
                over = terminated or truncated
                decisions += 1
        return decisions

    return chunk


def steps(envs: Any, choose: Callable[[dict[str, Any]], Any], size: int) -> Chunk:
    """Steps of so many envs at once; a step on a finished game is its reset, and not counted."""
    _, info = envs.reset()
    over = np.zeros(size, np.bool_)

    def chunk() -> int:
        nonlocal info, over
        decisions = 0
        for _ in range(20):
            decisions += size - int(np.count_nonzero(over))
            _, _, terminated, truncated, info = envs.step(choose(info))
            over = terminated | truncated
        return decisions

    return chunk


def aec(make: Callable[[], Any], games: int = 10) -> Chunk:
    """PettingZoo's loop over agents, as its documentation has it; also cyberdeck's AEC env."""
    env = make()

    def chunk() -> int:
        decisions = 0
        for _ in range(games):
            env.reset()
            for _agent in env.agent_iter():
                observation, _reward, terminated, truncated, _info = env.last()
                if terminated or truncated:
                    env.step(None)
                else:
                    env.step(one_of(np.flatnonzero(observation["action_mask"])))
                    decisions += 1
        return decisions

    return chunk


def pettingzoo_connect_four(kind: str) -> Chunk:
    """``env()`` is what its users get, with the checking wrappers; ``raw_env()`` the bare one."""
    from pettingzoo.classic.connect_four import connect_four

    return aec(getattr(connect_four, kind))


def openspiel(name: str, arrays: bool = False) -> Chunk:
    """The least that a game takes: the list of legal actions, and no observation at all.

    Or with mask and observation as *arrays*, in the fastest way found: by OpenSpiel's own observer,
    and a mask written from the list of legal actions.
    """
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    observation = make_observation(game)
    actions = game.num_distinct_actions()

    def chunk() -> int:
        decisions = 0
        for _ in range(50):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                if arrays:
                    mask = np.zeros(actions, np.int8)
                    mask[legal] = 1
                    observation.set_from(state, state.current_player())
                state.apply_action(one_of(legal))
                decisions += 1
        return decisions

    return chunk


def pgx_game(name: str, steps: int, ready_made: bool = False, batch: int = BATCH) -> Chunk:
    """The whole loop in one compiled call of *steps* steps.

    The sampler draws one number for each game; PGX's own draws one for each action. The autoreset
    is PGX's own, which makes a new key and a new game in every row at every step; *ready_made*
    instead copies from a batch of initial states made beforehand.
    """
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    init = jax.vmap(env.init)
    fresh = jax.jit(init)(jax.random.split(jax.random.key(0), batch))

    def sample(masks: Any, key: Any) -> Any:
        seen = jnp.cumsum(masks.astype(jnp.int32), axis=1)
        luck = jax.random.uniform(key, (batch, 1))
        return jnp.argmax(seen > luck * seen[:, -1:], axis=1).astype(jnp.int32)

    def step_and_reset(state: Any, action: Any, key: Any) -> Any:
        keys = jax.random.split(key, batch)
        return jax.vmap(auto_reset(env.step, env.init))(state, action, keys)

    def step_and_copy(state: Any, action: Any, key: Any) -> Any:
        state = jax.vmap(env.step)(state, action)
        over = state.terminated | state.truncated

        def pick(new: Any, old: Any) -> Any:
            return jnp.where(over.reshape((batch,) + (1,) * (old.ndim - 1)), new, old)

        return jax.tree.map(pick, fresh, state).replace(rewards=state.rewards)

    step = step_and_copy if ready_made else step_and_reset

    def one(_: Any, carried: Any) -> Any:
        state, key = carried
        key, luck, reset = jax.random.split(key, 3)
        return step(state, sample(state.legal_action_mask, luck), reset), key

    play = jax.jit(lambda carried: jax.lax.fori_loop(0, steps, one, carried), donate_argnums=0)
    carried = (jax.tree.map(jnp.copy, fresh), jax.random.key(1))

    def chunk() -> int:
        nonlocal carried
        carried = jax.block_until_ready(play(carried))
        return steps * batch

    return chunk


def envpool_connect_four(threads: int = 1) -> Chunk:
    """EnvPool's port of PGX's game."""
    import envpool

    if "ConnectFour-v1" not in envpool.list_all_envs():
        raise ImportError(f"envpool {envpool.__version__} has no ConnectFour")
    env = envpool.make(
        "ConnectFour-v1", env_type="gymnasium", num_envs=BATCH, num_threads=threads, seed=0
    )
    luck = np.random.default_rng(0)

    def choose(info: dict[str, Any]) -> Any:
        return one_of_each(info["legal_action_mask"], luck.random(BATCH)).astype(np.int32)

    return steps(env, choose, BATCH)


def cartpole() -> Chunk:
    """``gym.make`` as it is, with its default wrappers; every action is legal, so no mask."""
    import gymnasium

    return episodes(gymnasium.make("CartPole-v1"), lambda _: int(random() * 2), 20)


def cartpole_vector() -> Chunk:
    """Gymnasium's own vectorized CartPole; a step on a finished episode is its reset."""
    import gymnasium

    envs = gymnasium.make_vec("CartPole-v1", BATCH, vectorization_mode="vector_entry_point")
    luck = np.random.default_rng(0)
    return steps(envs, lambda _: luck.integers(0, 2, BATCH), BATCH)


PEERS: dict[str, Subject] = {
    "PettingZoo connect_four env()": partial(pettingzoo_connect_four, "env"),
    "PettingZoo connect_four raw_env()": partial(pettingzoo_connect_four, "raw_env"),
    "OpenSpiel connect_four": partial(openspiel, "connect_four"),
    "OpenSpiel connect_four, mask and observation": partial(openspiel, "connect_four", True),
    "OpenSpiel tic_tac_toe": partial(openspiel, "tic_tac_toe"),
    "OpenSpiel tic_tac_toe, mask and observation": partial(openspiel, "tic_tac_toe", True),
    f"PGX connect_four x {BATCH}": partial(pgx_game, "connect_four", 50),
    f"PGX connect_four x {BATCH}, ready-made resets": partial(pgx_game, "connect_four", 50, True),
    f"PGX tic_tac_toe x {BATCH}": partial(pgx_game, "tic_tac_toe", 50),
    f"PGX gardner_chess x {BATCH}": partial(pgx_game, "gardner_chess", 1),
    f"EnvPool ConnectFour x {BATCH}": envpool_connect_four,
    f"EnvPool ConnectFour x {BATCH}{WITH_THREADS}": partial(envpool_connect_four, THREADS),
    "Gymnasium CartPole": cartpole,
    f"Gymnasium CartPole x {BATCH}": cartpole_vector,
}

if __name__ == "__main__":
    serve(PEERS)
