"""PPO with action masks in one file: gymnasium, NumPy and PyTorch, in the manner of CleanRL.

Needs cyberdeck (docs/install.md) and torch.
"""

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import cyberdeck  # noqa: F401  # registers the envs
from cyberdeck import evaluate

ENVS, STEPS, UPDATES, EPOCHS, MINIBATCH = 256, 16, 100, 4, 1024
GAE_LAMBDA, CLIP, ENTROPY, LEARNING_RATE = 0.8, 0.2, 0.01, 2e-3  # gamma is 1: games end
DEALS = 500

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)


class Agent(nn.Module):
    """Logits of the actions, and the value; an action that is not legal has no chance."""

    def __init__(self, bounds: np.ndarray, actions: int) -> None:
        super().__init__()
        self.bounds = torch.as_tensor(bounds, dtype=torch.float32)
        self.body = nn.Sequential(nn.Linear(len(bounds), 128), nn.ReLU())
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor):
        hidden = self.body(observations / self.bounds)  # similar numbers are easier to learn from
        logits = self.actor(hidden).masked_fill(~masks, -1e9)
        return Categorical(logits=logits, validate_args=False), self.critic(hidden).squeeze(-1)


def tensors(observations: np.ndarray, masks: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Observations and masks are int8: a network wants float32 and bool."""
    return torch.as_tensor(observations, dtype=torch.float32), torch.as_tensor(masks == 1)


envs = gymnasium.make_vec(
    "cyberdeck/HackTheGrid-v0",
    num_envs=ENVS,
    vectorization_mode="vector_entry_point",
    autoreset_mode="SameStep",
    opponent="heuristic",
    reward="margin",
)
agent = Agent(envs.single_observation_space.high, int(envs.single_action_space.n))


def play(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A policy as cyberdeck's evaluation takes it: from batches to actions."""
    with torch.no_grad():
        return agent(*tensors(observations, masks))[0].probs.argmax(dim=1).numpy()


def measured(name: str) -> np.ndarray:
    """Points on each of some deals that training does not see, of both sides together."""
    results = evaluate("hackthegrid", play, "heuristic", deals=DEALS, seed=1)
    print(f"{name}\n{results.table()}\n", flush=True)
    games = results.games
    return games.points()[games.lineups == 0].reshape(DEALS, -1).mean(axis=1)


untrained = measured("untrained")
optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE)
observations, infos = envs.reset(seed=0)
seen, masks = tensors(observations, infos["action_mask"])

for update in range(1, UPDATES + 1):
    # Play: (STEPS, ENVS, ...) of everything.
    all_seen, all_masks = torch.empty(STEPS, *seen.shape), torch.empty(STEPS, *masks.shape).bool()
    actions, chances, values, rewards, ends = (torch.empty(STEPS, ENVS) for _ in range(5))
    for step in range(STEPS):
        with torch.no_grad():
            policy, values[step] = agent(seen, masks)
            chosen = policy.sample()
        all_seen[step], all_masks[step], actions[step] = seen, masks, chosen
        chances[step] = policy.log_prob(chosen)
        observations, reward, terminated, truncated, infos = envs.step(chosen.numpy())
        rewards[step], ends[step] = torch.as_tensor(reward), torch.as_tensor(terminated | truncated)
        seen, masks = tensors(observations, infos["action_mask"])

    # How much better each action was than expected.
    advantages, ahead = torch.empty(STEPS, ENVS), torch.zeros(ENVS)
    with torch.no_grad():
        following = agent(seen, masks)[1]
    for step in reversed(range(STEPS)):
        goes_on = 1 - ends[step]
        surprise = rewards[step] + following * goes_on - values[step]
        advantages[step] = ahead = surprise + GAE_LAMBDA * goes_on * ahead
        following = values[step]
    returns = advantages + values

    # Learn.
    flat = [
        each.flatten(0, 1) for each in (all_seen, all_masks, actions, chances, advantages, returns)
    ]
    for _ in range(EPOCHS):
        for part in rng.permutation(STEPS * ENVS).reshape(-1, MINIBATCH):
            s, m, a, old, gained, target = (each[part] for each in flat)
            policy, value = agent(s, m)
            ratio = (policy.log_prob(a) - old).exp()
            gained = (gained - gained.mean()) / (gained.std() + 1e-8)
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = (
                -torch.min(ratio * gained, clipped * gained).mean()
                + 0.5 * (value - target).square().mean()
                - ENTROPY * policy.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    print(
        f"update {update}/{UPDATES}: reward of a game {rewards.sum() / ends.sum():+.2f}", flush=True
    )

gain = measured("trained") - untrained
# No untrained network is so far ahead of another: README.md.
assert gain.mean() - 3 * gain.std() / DEALS**0.5 > 0.1, "nothing was learned"
