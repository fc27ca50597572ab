"""A user's script, as mypy --strict and pyright see it (``make check``); it is not run.

What is wrong on purpose is marked: an ignored error that there is not is an error.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck import Batch, evaluate, hackthegrid_v0, hovercrafts_v0
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.sb3 import make_vec_env

single = CyberdeckEnv("hackthegrid", seat=0, opponent="heuristic", mask="info", dtype="float32")
actions: int = int(single.action_space.n)
observation, info = single.reset(seed=1)
action = single.action_space.sample(info["action_mask"])
observation, reward, terminated, truncated, info = single.step(action)
word: str = single.action_name(int(action)) + single.metadata["reasons"][info["reason"]]
CyberdeckEnv("hackthegrid", mask="infos")  # type: ignore[arg-type]

many = CyberdeckVectorEnv("hackthegrid", 8)
width: int = int(many.single_action_space.n)
masks: NDArray[np.bool_] = many.action_masks()
names: tuple[Any, ...] = many.call("action_name", 3)

turns = hackthegrid_v0.env(scramble="at_end", reward="margin", render_mode="ansi")
for agent in turns.agent_iter():
    seen, gained, terminated, truncated, info = turns.last()
    legal: NDArray[np.int8] = seen["action_mask"]
    turns.step(None if terminated else turns.action_space(agent).sample(legal))
size: int = int(turns.action_space("row").n)
hackthegrid_v0.env(reward="regret", disguise=3)
hovercrafts_v0.parallel_env(disguise=3)
hackthegrid_v0.env(nonsense=1)  # type: ignore[call-arg]
hackthegrid_v0.raw_env(reward="marign")  # type: ignore[arg-type]

rounds = hovercrafts_v0.parallel_env(ships=(2, 2), illegal="raise", goal="seize")
plans = {agent: int(rounds.action_space(agent).sample()) for agent in rounds.agents}
paid: dict[str, float] = rounds.step(plans)[1]

batch = Batch("stacktrices", 64, seed=0, seat="random", opponent=["random", "heuristic"])
batch.step(batch.choose("heuristic"))
envs = make_vec_env("matrix_overload", 16, mask="observation", seed=0)


def first_legal(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    first: NDArray[np.int64] = masks.argmax(axis=1)
    return first


print(evaluate("hackthegrid", first_legal, ["random"], deals=10).table())
