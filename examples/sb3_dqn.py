"""Train DQN of stable-baselines3, which knows no masks, on MATR1X 0VERL0AD.

With ``illegal="lose"`` an illegal action loses the game, so a learner without masks finds out what
is legal. That takes long: after this short run it still loses nearly at once. A learner with masks
(sb3_maskable_ppo.py) is better off.

Needs cyberdeck with the extra sb3 (docs/install.md).
"""

import gymnasium
from stable_baselines3 import DQN
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

import cyberdeck  # noqa: F401  # registers the envs

env = Monitor(gymnasium.make("cyberdeck/MatrixOverload-v1", illegal="lose"))
model = DQN("MlpPolicy", env, learning_starts=500, target_update_interval=500, seed=0)
model.learn(3_000)

mean, deviation = evaluate_policy(model, env, n_eval_episodes=20)
print(f"reward of a game: {mean:.2f} +- {deviation:.2f}")
