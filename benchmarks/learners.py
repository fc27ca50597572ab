"""How fast PPO learns HACKtheGRID in four ways, side by side: ``python benchmarks/learners.py``.

The configuration of this repository, the same with two networks of 512 and 256, MaskablePPO of
sb3-contrib as it is with two such networks, and a loop in the style of CleanRL (PyTorch alone) with
them. All play against the same opponents: the heuristic, and what they have learned themselves by
the last update.

All are made and warmed up first. Then each makes one update (a rollout and the learning from it) in
turn, round after round, so that a machine that slows down does so for all of them. The parts are by
the clock, and want an idle machine: where two threads compute, CPU time says little, because one
that waits for the other may keep its core busy. Needs the extra train.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits
from torch import nn

from clocks import Clock, Copy
from cyberdeck.api.export import network
from cyberdeck.common.text import table
from cyberdeck.players.networks import Network
from cyberdeck.sb3 import make_vec_env
from cyberdeck_training import config
from cyberdeck_training.algorithms import recipe_of
from cyberdeck_training.values import PRECISIONS

GAME = "hackthegrid"

#: All learn as fast, whatever the configuration says of that.
RATE = "learning_rate=0.001"

#: What the configuration had before policy and critic shared a network.
BEFORE = "net_arch=[512, 256]"

#: Four in seven games are against what was learned by the last update.
SELF, HEURISTIC = 4, 3

#: Collecting: the games and the heuristic in them; the decisions of the network that is the
#: opponent; the learner's own; what is around them. Learning: products there and back; clipping
#: gradients and Adam; all else.
PARTS = ("env", "opponents", "network", "rest", "forward, backward", "optimizer", "rest of it")

#: Of this update so far.
CLOCK = Clock()


class Learner:
    """Some way to learn, with a clock on each part of its work."""

    def __init__(self, chosen: Any) -> None:
        self.config, self.updates = chosen, list[dict[str, float]]()
        self.current = Copy()
        CLOCK.on(self.current, "decide", "opponents")
        self.envs = make_vec_env(
            GAME,
            chosen.num_envs,
            seed=chosen.seed,
            opponent=[self.current] * SELF + ["heuristic"] * HEURISTIC,
            threads=chosen.threads,
            **chosen.options,
        )
        CLOCK.on(self.envs, "step", "step")

    def learned(self) -> Network:
        """The policy as it is now."""
        raise NotImplementedError

    def update(self) -> None:
        """Play one rollout and learn from it; the clock has "collect" and "learn" then."""
        raise NotImplementedError

    def measure(self) -> None:
        """One update, and where its time went: microseconds a decision."""
        torch.set_num_threads(self.config.threads)
        torch.set_float32_matmul_precision(PRECISIONS[self.config.precision])
        self.current.player = self.learned()
        CLOCK.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        self.update()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        s = CLOCK.wall
        env = s["step"] + s["masks"] - s["opponents"]
        parts = (
            env,
            s["opponents"],
            s["act"] + s["values"],
            s["collect"] - env - s["opponents"] - s["act"] - s["values"],
            s["evaluate"] + s["backward"],
            s["clip"] + s["adam"],
            s["learn"] - s["evaluate"] - s["backward"] - s["clip"] - s["adam"],
        )
        each = 1e6 / self.config.rollout
        rates = {"a second": self.config.rollout / wall, "of CPU time": self.config.rollout / cpu}
        self.updates.append(
            {name: part * each for name, part in zip(PARTS, parts, strict=True)} | rates
        )


class SB3(Learner):
    """MaskablePPO: as it is made from a configuration here, or as anyone makes it."""

    def __init__(self, chosen: Any, stock: bool) -> None:
        super().__init__(chosen)
        CLOCK.on(self.envs, "env_method", "masks")
        self.model: Any = self.stock() if stock else recipe_of(chosen).make_learner(self.envs)
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        policy = self.model.policy
        for thing, method, name in (
            *((self.model, "collect_rollouts", "collect"), (self.model, "train", "learn")),
            # Where layers are shared, the critic is asked beside the policy.
            *((policy, "get_distribution", "act"), (policy, "forward", "act")),
            *((policy, "predict_values", "values"), (policy, "evaluate_actions", "evaluate")),
            (policy.optimizer, "step", "adam"),
        ):
            CLOCK.on(thing, method, name)
        self.begun = False

    def stock(self) -> MaskablePPO:
        """With the same sizes, and nothing of this repository but the envs."""
        names = ("learning_rate", "n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda")
        alike = {name: getattr(self.config, name) for name in (*names, "ent_coef", "seed")}
        shape = {"net_arch": self.config.net_arch, "activation_fn": nn.ReLU}
        return MaskablePPO("MlpPolicy", self.envs, policy_kwargs=shape, device="cpu", **alike)

    def learned(self) -> Network:
        return network(self.model, GAME, greedy=False, options=self.config.options)

    def update(self) -> None:
        self.model.learn(self.config.rollout, reset_num_timesteps=not self.begun)
        self.begun = True


class Agent(nn.Module):
    """An actor and a critic, as CleanRL has them."""

    def __init__(self, observation: int, actions: int, widths: list[int]) -> None:
        super().__init__()
        self.critic = self.perceptron([observation, *widths, 1], 1.0)
        self.actor = self.perceptron([observation, *widths, actions], 0.01)

    @staticmethod
    def perceptron(sizes: list[int], last: float) -> nn.Sequential:
        layers: list[nn.Module] = []
        for at, (into, out) in enumerate(itertools.pairwise(sizes)):
            linear = nn.Linear(into, out)
            nn.init.orthogonal_(linear.weight, last if at == len(sizes) - 2 else 2**0.5)
            nn.init.zeros_(linear.bias)
            layers += [linear, nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    def forward(
        self, seen: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """The distribution of the legal actions, and (N,) values."""
        logits = self.actor(seen).masked_fill(~masks, -1e8)
        return torch.distributions.Categorical(logits=logits), self.critic(seen)[:, 0]


class CleanRL(Learner):
    """PPO in one loop with PyTorch alone, in the style of CleanRL's ppo.py."""

    def __init__(self, chosen: Any) -> None:
        super().__init__(chosen)
        torch.manual_seed(chosen.seed)
        variant = chosen.variant
        widths = chosen.net_arch
        assert isinstance(widths, list)
        self.agent = Agent(variant.observation_size, variant.action_count, widths)
        self.adam = torch.optim.Adam(self.agent.parameters(), lr=chosen.learning_rate, eps=1e-5)
        for part in ("collect", "learn", "act", "evaluate"):
            CLOCK.on(self, part, part)
        CLOCK.on(self.adam, "step", "adam")
        self.current.player = self.learned()
        self.seen = self.tensor(self.envs.reset())
        self.begins = torch.zeros(chosen.num_envs)

    @staticmethod
    def tensor(array: NDArray[Any]) -> torch.Tensor:
        return torch.as_tensor(np.asarray(array, np.float32))

    def learned(self) -> Network:
        linear = [part for part in self.agent.actor if isinstance(part, nn.Linear)]
        layers = [tuple(part.detach().numpy() for part in each.parameters()) for each in linear]
        return Network(GAME, layers, "relu", greedy=False, options=self.config.options)

    @torch.no_grad()
    def act(self, masks: torch.Tensor) -> tuple[torch.Tensor, ...]:
        chances, values = self.agent(self.seen, masks)
        actions = chances.sample()
        return actions, chances.log_prob(actions), values

    def evaluate(
        self, seen: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        chances, values = self.agent(seen, masks)
        return chances.log_prob(actions), chances.entropy(), values

    def collect(self) -> dict[str, torch.Tensor]:
        """A rollout: each (n_steps, num_envs, ...)."""
        chosen = self.config
        steps = []
        for _ in range(chosen.n_steps):
            masks = torch.as_tensor(self.envs.action_masks())
            actions, logs, values = self.act(masks)
            step = {"seen": self.seen, "masks": masks, "begins": self.begins, "actions": actions}
            seen, rewards, dones, _ = self.envs.step(actions.numpy())
            rewards = self.tensor(rewards)
            steps.append(step | {"logs": logs, "values": values, "rewards": rewards})
            self.seen, self.begins = self.tensor(seen), self.tensor(dones)
        rollout = {name: torch.stack([step[name] for step in steps]) for name in steps[0]}
        _, _, after = self.act(torch.as_tensor(self.envs.action_masks()))
        advantages, last = torch.zeros_like(rollout["values"]), torch.zeros(chosen.num_envs)
        ends = self.begins
        for at in reversed(range(chosen.n_steps)):
            delta = rollout["rewards"][at] + chosen.gamma * after * (1 - ends)
            delta -= rollout["values"][at]
            last = delta + chosen.gamma * chosen.gae_lambda * (1 - ends) * last
            advantages[at] = last
            after, ends = rollout["values"][at], rollout["begins"][at]
        return rollout | {"advantages": advantages, "returns": advantages + rollout["values"]}

    def learn(self, rollout: dict[str, torch.Tensor]) -> None:
        """*n_epochs* passes in batches."""
        chosen = self.config
        flat = {name: part.flatten(0, 1) for name, part in rollout.items()}
        for _ in range(chosen.n_epochs):
            for rows in torch.randperm(chosen.rollout).split(chosen.batch_size):
                batch = {name: part[rows] for name, part in flat.items()}
                given = (batch[name] for name in ("seen", "masks", "actions"))
                logs, entropy, values = self.evaluate(*given)
                ratio = (logs - batch["logs"]).exp()
                gain = batch["advantages"]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - chosen.clip_range, 1 + chosen.clip_range)
                policy_loss = torch.max(-gain * ratio, -gain * clipped).mean()
                value_loss = 0.5 * ((values - batch["returns"]) ** 2).mean()
                loss = policy_loss - chosen.ent_coef * entropy.mean()
                self.adam.zero_grad()
                (loss + chosen.vf_coef * value_loss).backward()
                nn.utils.clip_grad_norm_(self.agent.parameters(), 0.5)
                self.adam.step()

    def update(self) -> None:
        self.learn(self.collect())


def shown(learners: dict[str, Learner]) -> str:
    """Medians over the updates: microseconds a decision, and decisions a second."""
    rows = []
    for name, learner in learners.items():
        medians = {
            part: statistics.median(update[part] for update in learner.updates)
            for part in learner.updates[0]
        }
        each = (f"{medians[part]:,.{int(part in PARTS)}f}" for part in medians)
        rows.append((name, *each))
    return table(("learner", *PARTS, "decisions a second", "of CPU time"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="updates of each")
    parser.add_argument("--threads", type=int, default=2, help="of PyTorch")
    chosen = parser.parse_args()
    threadpool_limits(1, "blas")  # as in training: NumPy's products are of the opponents
    CLOCK.on(torch.Tensor, "backward", "backward")
    CLOCK.on(nn.utils, "clip_grad_norm_", "clip")
    threads = f"threads={chosen.threads}"
    alike = [threads, RATE]
    now, before = config.load(GAME, alike), config.load(GAME, [*alike, BEFORE])
    plain = config.load(GAME, [*alike, BEFORE, "precision=float32"])
    learners: dict[str, Learner] = {
        "as configured": SB3(now, stock=False),
        "two networks": SB3(before, stock=False),
        "stock MaskablePPO": SB3(plain, stock=True),
        "CleanRL style": CleanRL(plain),
    }
    for learner in learners.values():
        learner.measure()
        learner.updates.clear()  # the first one compiled and allocated
    for _ in range(chosen.rounds):
        for learner in learners.values():
            learner.measure()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {chosen.threads} threads")
    print(shown(learners))


if __name__ == "__main__":
    main()
