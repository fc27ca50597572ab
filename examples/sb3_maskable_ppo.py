"""Train MaskablePPO of sb3-contrib on HACKtheGRID, and compare it with what it was at first.

Needs cyberdeck with the extras sb3 and evaluate (docs/install.md).
"""

import numpy as np
from sb3_contrib import MaskablePPO

from cyberdeck import evaluate
from cyberdeck.sb3 import SB3Policy, Scaled, make_vec_env

DEALS = 500

envs = make_vec_env("hackthegrid", 256, opponent="heuristic", reward="margin", seed=0)
model = MaskablePPO(
    "MlpPolicy",
    envs,
    n_steps=16,
    batch_size=1024,
    n_epochs=4,
    learning_rate=2e-3,
    gamma=1.0,
    gae_lambda=0.8,
    ent_coef=0.01,
    policy_kwargs={"net_arch": [128], "features_extractor_class": Scaled},
    seed=0,
    device="cpu",
)


def measured(name: str) -> np.ndarray:
    """Points on each of some deals that training does not see, of both sides together."""
    results = evaluate("hackthegrid", SB3Policy(model), "heuristic", deals=DEALS, seed=1)
    print(f"{name}\n{results.table()}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


untrained = measured("untrained")
model.learn(400_000)
gain = measured("trained") - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.1, "nothing was learned"
