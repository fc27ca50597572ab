"""Train MaskablePPO of sb3-contrib on HACKtheGRID, and evaluate it against random play.

Needs cyberdeck with the extras sb3 and evaluate (docs/install.md).
"""

from sb3_contrib import MaskablePPO

from cyberdeck.api.sb3 import SB3Policy, SB3VecEnv
from cyberdeck.evaluation import evaluate

envs = SB3VecEnv("hackthegrid", 256, opponent="random", reward="margin", seed=0)
model = MaskablePPO(
    "MlpPolicy",
    envs,
    n_steps=16,
    batch_size=1024,
    n_epochs=4,
    learning_rate=3e-3,
    gamma=1.0,
    gae_lambda=0.5,
    ent_coef=0.01,
    policy_kwargs={"net_arch": [64, 64]},
    seed=0,
)
model.learn(200_000)

results = evaluate("hackthegrid", SB3Policy(model), "random", deals=500, seed=1)
print(results.table())

both = results.records[-1]  # on both sides of the same deals
assert both.wins - both.losses > 3 * (both.wins + both.losses) ** 0.5, "no better than random play"
