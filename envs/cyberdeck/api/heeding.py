"""Policies of stable-baselines3 that begin with the observation's ``advice``, and learn to differ.

An action's number is what the network gives it, plus its advice times one learned weight. So a
policy plays about as the built-in heuristic does from the first decision on, and all that it learns
goes into doing better. Needs the extra ``sb3``.

>>> from sb3_contrib import MaskablePPO
>>> from cyberdeck import variant
>>> from cyberdeck.api.sb3 import SB3VecEnv
>>> envs = SB3VecEnv("hackthegrid", 8, observation="advised", opponent="heuristic", seed=0)
>>> shape = heeding(variant("hackthegrid", observation="advised"), 0.2)
>>> model = MaskablePPO(HeedingMaskablePolicy, envs, policy_kwargs=shape)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor

from cyberdeck.api.sb3 import Scaled
from cyberdeck.engine.policy import memory_for
from cyberdeck.engine.prior import ADVICE
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError


def heeding(
    variant: Variant,
    heed: float,
    *,
    history: int = 1,
    extractor: type[BaseFeaturesExtractor] = Scaled,
    extractor_kwargs: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The ``policy_kwargs`` of a policy that heeds the advice of that game.

    *heed* is the weight to begin with: how much a step of the advice counts for an action, as the
    logarithm of its odds. What the hidden layers get comes from *extractor*. *history* is for
    ``VecFrameStack(envs, history)``.
    """
    if not isinstance(heed, (int, float)) or not math.isfinite(heed):
        raise OptionError(f"heed={heed!r} is not possible: a finite number is needed")
    memory_for(variant.observation_size, history)  # which says what is wrong with a history
    if ADVICE not in variant.layout:
        raise OptionError(
            f"{variant.game.title} tells no advice with {variant.chosen}: it takes "
            "observation='advised', where the game has that"
        )
    at = variant.layout[ADVICE].start + (history - 1) * variant.observation_size
    return {
        "features_extractor_class": WithAdvice,
        "features_extractor_kwargs": {
            "at": at,
            "actions": variant.action_count,
            "size": history * variant.observation_size,
            "heed": float(heed),
            "extractor": extractor,
            "extractor_kwargs": dict(extractor_kwargs or {}),
        },
    }


class WithAdvice(BaseFeaturesExtractor):
    """What another extractor makes of an observation, and after it the advice as it is."""

    def __init__(
        self,
        observation_space: gym.spaces.Box,
        at: int,
        actions: int,
        size: int,
        heed: float,
        extractor: type[BaseFeaturesExtractor],
        extractor_kwargs: Mapping[str, Any],
    ) -> None:
        shown = math.prod(observation_space.shape)
        if shown != size:
            raise OptionError(
                f"the envs show {shown} numbers, and heeding(...) was asked for {size}: give it "
                "the same game, options and history"
            )
        inner = extractor(observation_space, **extractor_kwargs)
        super().__init__(observation_space, inner.features_dim + actions)
        self.inner = inner
        self.at, self.actions, self.first_heed = at, actions, heed

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, features + actions)"""
        advice = observations.flatten(1)[:, self.at : self.at + self.actions]
        return torch.cat([self.inner(observations), advice], dim=1)


class PastHidden(MlpExtractor):
    """Hidden layers that leave the advice alone: it goes past them to the actions."""

    def __init__(self, features: int, actions: int, *arguments: Any, **more: Any) -> None:
        super().__init__(features - actions, *arguments, **more)
        self.actions = actions
        self.latent_dim_pi += actions

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """(N, hidden + actions)"""
        seen, advice = features[:, : -self.actions], features[:, -self.actions :]
        return torch.cat([self.policy_net(seen), advice], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """(N, hidden)"""
        return super().forward_critic(features[:, : -self.actions])


class Heeding(torch.nn.Module):
    """The last layer: a number for each action, to which its advice is added."""

    def __init__(self, hidden: int, actions: int, heed: float) -> None:
        super().__init__()
        self.own = torch.nn.Linear(hidden, actions)
        self.heed = torch.nn.Parameter(torch.tensor(float(heed)))

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """(N, actions)"""
        hidden = self.own.in_features
        logits: torch.Tensor = self.own(latent[:, :hidden]) + self.heed * latent[:, hidden:]
        return logits


class _Heeds:
    """What is before SB3's policy among the bases of one that heeds the advice."""

    mlp_extractor: MlpExtractor
    action_net: torch.nn.Module

    def _build_mlp_extractor(self: Any) -> None:
        if not isinstance(self.features_extractor, WithAdvice):
            raise OptionError(
                f"{type(self).__name__} is not told where the advice is: give it "
                "policy_kwargs=heeding(variant, heed)"
            )
        self.mlp_extractor = PastHidden(
            self.features_dim,
            self.features_extractor.actions,
            net_arch=self.net_arch,
            activation_fn=self.activation_fn,
            device=self.device,
        )

    def _build(self: Any, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]  # of the policy
        extractor = self.features_extractor
        hidden = self.mlp_extractor.latent_dim_pi - extractor.actions
        net = Heeding(hidden, extractor.actions, extractor.first_heed)
        # As SB3 begins the layer that it has made for this place: with next to nothing.
        self.init_weights(net.own, gain=0.01)
        self.action_net = net.to(self.device)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class HeedingMaskablePolicy(_Heeds, MaskableActorCriticPolicy):
    """For MaskablePPO."""


class HeedingPolicy(_Heeds, ActorCriticPolicy):
    """For PPO and A2C."""
