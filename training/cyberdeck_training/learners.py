"""Learners of stable-baselines3, made from a run's settings."""

from __future__ import annotations

from typing import Any, Final

import sb3_contrib
import stable_baselines3
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from torch import Tensor
from torch.nn import functional

from cyberdeck_training.networks import policy_class, policy_kwargs
from cyberdeck_training.rollouts import Collecting
from cyberdeck_training.schedules import schedule_of
from cyberdeck_training.settings import PPOSettings

#: What stable-baselines3's PPO takes as a configuration has it.
_SAME: Final = (
    *("n_steps", "batch_size", "n_epochs", "gamma", "gae_lambda", "vf_coef", "max_grad_norm"),
    "seed",
)

#: What an illegal action's logit becomes, as in sb3-contrib.
NEVER: Final = -1e8


class MaskablePPO(Collecting, sb3_contrib.MaskablePPO):
    """MaskablePPO that keeps the decisions of several seats apart."""


class PPO(Collecting, stable_baselines3.PPO):
    """PPO that keeps the decisions of several seats apart."""


def make(
    learner: type[Collecting],
    config: PPOSettings,
    envs: Any,
    rollouts: dict[str, Any],
    **more: Any,
) -> Any:
    """A *learner* that collects its games in *rollouts*, see ``Recipe.rollouts``; *more* of its
    arguments take the place of what the configuration says.
    """
    masked, bonus = issubclass(learner, sb3_contrib.MaskablePPO), schedule_of(config.ent_coef)
    given = {
        "policy": policy_class(config, masked),
        "env": envs,
        **{name: getattr(config, name) for name in _SAME},
        "learning_rate": schedule_of(config.learning_rate),
        "clip_range": schedule_of(config.clip_range),
        "ent_coef": bonus(1.0),
        "policy_kwargs": policy_kwargs(config),
        "device": "cpu",
    }
    model: Any = learner(**given | rollouts | more)
    model.bonus = bonus
    if masked:
        model.policy.action_dist = LeanCategorical(int(envs.action_space.n))
    return model


class LeanCategorical(MaskableCategoricalDistribution):
    """One normalisation where the original makes three, and one random number where it draws
    one for each action. The probabilities are the same, rounding apart. PPO spends an eighth of its
    time here, or a quarter where there are many actions.
    """

    _logits: Tensor
    _logs: Tensor | None

    def proba_distribution(self, action_logits: Tensor) -> LeanCategorical:
        """Take over the network's logits."""
        self._logits, self._logs = action_logits, None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Only what *masks* allow can be drawn; None allows everything."""
        if masks is not None:
            allowed = torch.as_tensor(masks, dtype=torch.bool).reshape(self._logits.shape)
            self._logits, self._logs = self._logits.masked_fill(~allowed, NEVER), None

    def log_probabilities(self) -> Tensor:
        """(N, A)"""
        if self._logs is None:
            self._logs = functional.log_softmax(self._logits, dim=1)
        return self._logs

    def probabilities(self) -> Tensor:
        """(N, A)"""
        # Not ``exp`` of their logarithms: it is slow where what comes out is 0.
        return functional.softmax(self._logits, dim=1)

    def log_prob(self, actions: Tensor) -> Tensor:
        """(N,)"""
        return self.log_probabilities().gather(1, actions.long().reshape(-1, 1)).squeeze(1)

    def entropy(self) -> Tensor:
        """(N,)"""
        return -(self.probabilities() * self.log_probabilities()).sum(dim=1)

    def sample(self) -> Tensor:
        """(N,)"""
        # One number for each row, not one for each action. Double precision can tell the least of
        # their chances from none.
        sums = self.probabilities().cumsum(dim=1, dtype=torch.float64)
        drawn = torch.rand(len(sums), 1, dtype=torch.float64) * sums[:, -1:]
        return torch.searchsorted(sums, drawn, right=True).squeeze(1)

    def mode(self) -> Tensor:
        """(N,)"""
        return self._logits.argmax(dim=1)
