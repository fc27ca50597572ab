"""PettingZoo's loop for games in turns: two random players of Stacktrices.

Needs cyberdeck (docs/install.md).
"""

from cyberdeck import stacktrices_v0

env = stacktrices_v0.env(render_mode="ansi")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    if terminated or truncated:
        print(agent, reward, env.metadata["reasons"][info["reason"]])
        action = None
    else:
        action = env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
assert not env.agents
