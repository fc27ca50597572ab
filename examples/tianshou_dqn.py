"""Train Tianshou's DQN with masks on tic-tac-toe, against itself, in Tianshou's PettingZooEnv.

Needs cyberdeck (docs/install.md) and tianshou.
"""

import logging
from pathlib import Path

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from cyberdeck import evaluate, load_file
from cyberdeck.api import pettingzoo_env

DEALS = 500

np.random.seed(0)  # noqa: NPY002  # what Tianshou draws from
torch.manual_seed(0)
torch.set_num_threads(1)
logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)  # two rewards: told at each step
load_file(Path(__file__).parent / "games" / "tictactoe.py")


def make() -> PettingZooEnv:
    """Tianshou takes masks from observations, and its buffers keep all that lies in infos."""
    return PettingZooEnv(pettingzoo_env.env("tictactoe", mask="observation"))


env = make()
policy = DiscreteQLearningPolicy(
    model=Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=(128, 128),
    ),
    action_space=env.action_space,
    eps_inference=0.3,  # beneath MultiAgentOffPolicyAlgorithm (2.0.1) eps_training has no effect
)
learner = DQN(
    policy=policy,
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=1.0,  # games end
    n_step_return_horizon=2,  # from a player's turn to its next: the opponent's is in between
    target_update_freq=100,
)
both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, learner], env=env)


def play(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A policy as cyberdeck's evaluation takes it: from batches to actions."""
    seen = Batch(obs=observations, mask=masks == 1)
    with torch.no_grad():
        return policy(Batch(obs=seen, info=None)).act


def measured(name: str) -> np.ndarray:
    """Points of both seats together, in so many games with other dice, against a little search."""
    results = evaluate("tictactoe", play, "search:iterations=30", deals=DEALS, seed=1)
    print(f"{name}\n{results.table()}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


untrained = measured("untrained")
envs = DummyVectorEnv([make] * 32)
envs.seed(0)
collector = Collector(both, envs, VectorReplayBuffer(20_000, 32), exploration_noise=True)
collector.reset()
result = both.run_training(
    OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=3,
        epoch_num_steps=5_000,
        collection_step_num_env_steps=128,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=256,
        multi_agent_return_reduction=lambda returns: returns[:, 0],
        show_progress=False,
    )
)
print(result)

gain = measured("trained") - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.2, "nothing was learned"
