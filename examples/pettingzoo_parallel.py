"""PettingZoo's parallel loop: all ships of Hovercrafts plan at the same time, in secret.

Needs cyberdeck (docs/install.md).
"""

from cyberdeck import hovercrafts_v0

env = hovercrafts_v0.parallel_env(ships=(2, 2))
observations, infos = env.reset(seed=1)
returns = dict.fromkeys(env.possible_agents, 0.0)
while env.agents:
    actions = {
        agent: env.action_space(agent).sample(observations[agent]["action_mask"])
        for agent in env.agents
    }
    observations, rewards, terminations, truncations, infos = env.step(actions)
    for agent, reward in rewards.items():
        returns[agent] += reward
print(returns, env.metadata["reasons"][infos["zion_0"]["reason"]])
assert sum(returns.values()) == 0  # what one team wins the other loses
