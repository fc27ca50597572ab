"""Train DQN of stable-baselines3, which knows no masks, on HACKtheGRID.

With ``illegal="lose"`` an action that is not legal loses the game: so it finds out what is legal.
It also sees what the heuristic makes of each action (``observation="prior"``), and learns soon.

Needs cyberdeck with the extras sb3 and evaluate (docs/install.md).
"""

import numpy as np
import torch
from stable_baselines3 import DQN

from cyberdeck import evaluate
from cyberdeck.sb3 import Scaled, make_vec_env

DEALS = 500
GAME = {"illegal": "lose", "observation": "prior"}

envs = make_vec_env("hackthegrid", 64, opponent="heuristic", reward="margin", seed=0, **GAME)
model = DQN(
    "MlpPolicy",
    envs,
    learning_rate=1e-3,
    buffer_size=100_000,
    learning_starts=5_000,
    batch_size=256,
    gamma=0.8,  # at first it loses every game by an illegal action: below 1, later is better
    train_freq=1,
    gradient_steps=4,
    target_update_interval=1_000,
    policy_kwargs={"net_arch": [128], "features_extractor_class": Scaled},
    seed=0,
    device="cpu",
)


def play(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A policy as cyberdeck's evaluation takes it; this one does not look at the masks."""
    with torch.no_grad():
        return model.q_net(torch.as_tensor(observations)).argmax(dim=1).numpy()


def measured(name: str) -> np.ndarray:
    """Points on each of some deals that training does not see, of both sides together."""
    results = evaluate("hackthegrid", play, "heuristic", deals=DEALS, seed=1, **GAME)
    print(f"{name}\n{results.table()}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


untrained = measured("untrained")
model.learn(80_000)
gain = measured("trained") - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.1, "nothing was learned"
