"""Residual policies for stable-baselines3: they learn what to add to the heuristic prior.

An action's logit is what the network gives it, plus its ``prior`` in the observation times one
learned weight. So a policy plays about as the built-in heuristic does from the first decision on,
and all that it learns goes into doing better. Needs the extra ``sb3``.

>>> from sb3_contrib import MaskablePPO
>>> from cyberdeck import variant
>>> from cyberdeck.sb3 import make_vec_env
>>> envs = make_vec_env("hackthegrid", 8, observation="prior", opponent="heuristic", seed=0)
>>> shape = residual_policy_kwargs(variant("hackthegrid", observation="prior"), 0.2)
>>> model = MaskablePPO(ResidualMaskablePolicy, envs, policy_kwargs=shape)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import gymnasium as gym
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor

from cyberdeck.api.extractors import Scaled
from cyberdeck.engine.policy import memory_for
from cyberdeck.engine.prior import PRIOR
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require


def residual_policy_kwargs(
    variant: Variant,
    prior_weight: float,
    *,
    history: int = 1,
    extractor: type[BaseFeaturesExtractor] = Scaled,
    extractor_kwargs: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The ``policy_kwargs`` of a residual policy for that game.

    *prior_weight* is the weight to begin with: what a step of the prior adds to an action's logit.
    What the hidden layers get comes from *extractor*. *history* is for
    ``VecFrameStack(envs, history)``.
    """
    finite = isinstance(prior_weight, (int, float)) and math.isfinite(prior_weight)
    require(finite, "prior_weight", prior_weight, "a finite number is needed")
    memory_for(variant.observation_size, history)  # which says what is wrong with a history
    if PRIOR not in variant.layout:
        raise OptionError(
            f"{variant.game.title} shows no prior with {variant.chosen}: it takes "
            "observation='prior', where the game has that"
        )
    at = variant.layout[PRIOR].start + (history - 1) * variant.observation_size
    return {
        "features_extractor_class": WithPrior,
        "features_extractor_kwargs": {
            "at": at,
            "actions": variant.action_count,
            "size": history * variant.observation_size,
            "prior_weight": float(prior_weight),
            "extractor": extractor,
            "extractor_kwargs": dict(extractor_kwargs or {}),
        },
    }


class Beside(NamedTuple):
    """The output of layers (N, features), and the prior (N, actions) beside it."""

    made: torch.Tensor
    prior: torch.Tensor

    def float(self) -> Beside:
        """In single precision, as a tensor alone would be."""
        return Beside(self.made.float(), self.prior.float())


class WithPrior(BaseFeaturesExtractor):
    """The output of another extractor, and the prior as it is."""

    def __init__(
        self,
        observation_space: gym.spaces.Box,
        at: int,
        actions: int,
        size: int,
        prior_weight: float,
        extractor: type[BaseFeaturesExtractor],
        extractor_kwargs: Mapping[str, Any],
    ) -> None:
        shown = math.prod(observation_space.shape)
        if shown != size:
            raise OptionError(
                f"the envs show {shown} numbers, and residual_policy_kwargs(...) was asked for "
                f"{size}: give it the same game, options and history"
            )
        inner = extractor(observation_space, **extractor_kwargs)
        super().__init__(observation_space, inner.features_dim)
        self.inner = inner
        self.at, self.actions, self.first_weight = at, actions, prior_weight

    def forward(self, observations: torch.Tensor) -> Beside:
        """The features, which SB3 hands on as they are."""
        prior = observations.flatten(1)[:, self.at : self.at + self.actions]
        return Beside(self.inner(observations), prior)


class PastHidden(MlpExtractor):
    """Hidden layers that leave the prior alone: it goes past them to the actions."""

    def forward_actor(self, features: Any) -> Any:
        """The hidden layers' output, and the prior beside it."""
        return Beside(self.policy_net(features.made), features.prior)

    def forward_critic(self, features: Any) -> torch.Tensor:
        """(N, hidden)"""
        return super().forward_critic(features.made)


class ResidualLogits(torch.nn.Module):
    """The last layer: an action's logit is its own output plus the weighted prior."""

    def __init__(self, hidden: int, actions: int, prior_weight: float) -> None:
        super().__init__()
        self.own = torch.nn.Linear(hidden, actions)
        self.prior_weight = torch.nn.Parameter(torch.tensor(float(prior_weight)))

    def forward(self, latent: Beside) -> torch.Tensor:
        """(N, actions)"""
        own: torch.Tensor = self.own(latent.made)
        return own + self.prior_weight * latent.prior


class _Residual:
    """The mixin that makes a policy of SB3 a residual one."""

    mlp_extractor: MlpExtractor
    action_net: torch.nn.Module

    def _build_mlp_extractor(self: Any) -> None:
        if not isinstance(self.features_extractor, WithPrior):
            raise OptionError(
                f"{type(self).__name__} does not know where the prior is: give it "
                "policy_kwargs=residual_policy_kwargs(variant, prior_weight)"
            )
        self.mlp_extractor = PastHidden(
            self.features_dim,
            net_arch=self.net_arch,
            activation_fn=self.activation_fn,
            device=self.device,
        )

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]  # of the policy
        extractor = self.features_extractor
        hidden = self.mlp_extractor.latent_dim_pi
        net = ResidualLogits(hidden, extractor.actions, extractor.first_weight)
        # As SB3 begins the layer that it has made for this place: with next to nothing.
        self.init_weights(net.own, gain=0.01)
        self.action_net = net.to(self.device)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class ResidualMaskablePolicy(_Residual, MaskableActorCriticPolicy):
    """For MaskablePPO."""


class ResidualPolicy(_Residual, ActorCriticPolicy):
    """For PPO and A2C."""
