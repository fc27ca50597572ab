"""A short use of everything in the light core, for installs without the test tools."""

from __future__ import annotations

import copy
import pickle
import sys

import gymnasium
import numpy as np

import cyberdeck


def main() -> None:
    for name in cyberdeck.GAMES:
        game = cyberdeck.game(name)
        env = gymnasium.make(game.gym_id, render_mode="rgb_array")
        _, info = env.reset(seed=3)
        over, total = False, 0.0
        while not over:
            action = int(np.flatnonzero(info["action_mask"])[0])
            _, reward, terminated, truncated, info = env.step(action)
            over, total = terminated or truncated, total + reward
        frame = env.render()
        assert frame.ndim == 3
        assert frame.std() > 10, "an empty picture"
        assert info["reason"] > 0
        twin = pickle.loads(pickle.dumps(copy.deepcopy(env)))
        assert twin.unwrapped.get_state() == env.unwrapped.get_state()
        for mode in ("NextStep", "SameStep"):
            envs = gymnasium.make_vec(game.gym_id, num_envs=32, autoreset_mode=mode)
            envs.reset(seed=0)
            for _ in range(60):
                envs.step(envs.choose("random"))
        print(f"{game.title}: return {total:+.2f}, {info['reason']}")
    from cyberdeck import hackthegrid_v0

    env = hackthegrid_v0.env()
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        over = terminated or truncated
        mask = observation["action_mask"]
        env.step(None if over else env.action_space(agent).sample(mask))
    heavy = {"torch", "pygame", "stable_baselines3"} & set(sys.modules)
    assert not heavy, f"the core imports {heavy}"


if __name__ == "__main__":
    main()
