"""Train a population of AgileRL's PPO with masks on HACKtheGRID, and measure the best of it.

Needs cyberdeck (docs/install.md), agilerl and peft.
"""

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.hpo.mutation import Mutations
from agilerl.hpo.tournament import TournamentSelection
from agilerl.training.train_on_policy import train_on_policy

import cyberdeck  # noqa: F401  # registers the envs
from cyberdeck import evaluate

ENVS, POPULATION, DEALS = 64, 2, 500

np.random.seed(0)  # noqa: NPY002  # what AgileRL draws from
torch.manual_seed(0)
torch.set_num_threads(1)

# AgileRL takes masks from infos, where they lie by default, and makes floats of observations.
envs = gymnasium.make_vec(
    "cyberdeck/HackTheGrid-v0",
    num_envs=ENVS,
    vectorization_mode="vector_entry_point",
    autoreset_mode="SameStep",
    opponent="heuristic",
    reward="margin",
    observation="prior",  # with hints it learns in half a minute
)
envs.reset(seed=0)
agents = PPO.population(
    size=POPULATION,
    observation_space=envs.single_observation_space,
    action_space=envs.single_action_space,
    net_config={
        "latent_dim": 128,
        "encoder_config": {"hidden_size": [128]},
        "head_config": {"hidden_size": [128]},
    },
    num_envs=ENVS,
    batch_size=1024,
    learn_step=64 * ENVS,
    lr=1e-3,
    gamma=1.0,  # games end
    # With its GAE (2.58) a reward at the end of a game reaches the last action alone.
    rollout_buffer_config={"use_gae": False},
)


def measured(name: str, agent: PPO) -> np.ndarray:
    """Points on each of some deals that training does not see, of both sides together."""
    agent.set_training_mode(False)

    def play(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return agent.get_action(observations, action_mask=masks)[0]

    results = evaluate("hackthegrid", play, "heuristic", deals=DEALS, seed=1, observation="prior")
    print(f"{name}\n{results.table()}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


untrained = measured("untrained", agents[0])
agents, _ = train_on_policy(
    envs,
    "HACKtheGRID",
    "PPO",
    agents,
    max_steps=120_000,
    evo_steps=20_000,
    selection_strategy=TournamentSelection(
        tournament_size=2, elitism=True, population_size=POPULATION
    ),
    mutation=Mutations(
        no_mutation=0.5,
        architecture=0,
        new_layer_prob=0,
        parameters=0,
        activation=0,
        rl_hp=0.5,  # the learning rate, or how much is learnt from at once
        mutate_elite=False,
        rand_seed=0,
    ),
)
best = max(agents, key=lambda agent: agent.fitness[-1])
gain = measured("trained", best) - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.1, "nothing was learned"
