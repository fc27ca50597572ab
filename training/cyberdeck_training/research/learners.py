"""Learners for games with secrets: critics that see more than the policy does, and magnetic mirror
descent.

Critics see while the policy learns what all seats see, side by side. Nobody plays with them: they
judge the policy's decisions, and are not part of what is saved as a player. Where much is hidden,
most of a game's luck is no luck to such a critic, and the policy hears more clearly which of its
actions were good.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from torch.nn import functional

from cyberdeck_training.learners import LeanCategorical, MaskablePPO
from cyberdeck_training.research.views import AllSeats


class OwnView(BaseFeaturesExtractor):
    """What another extractor makes of the part that the policy may see."""

    def __init__(
        self,
        observation_space: gym.spaces.Box,
        own: gym.spaces.Box,
        extractor: type[BaseFeaturesExtractor],
        extractor_kwargs: Mapping[str, Any],
    ) -> None:
        inner = extractor(own, **extractor_kwargs)
        super().__init__(observation_space, inner.features_dim)
        self.inner, self.own, self.size = inner, own, int(np.prod(own.shape))
        self.of_all = partial(extractor, observation_space, **extractor_kwargs)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, features)"""
        features: torch.Tensor = self.inner(observations[:, : self.size])
        return features


class Apart(MlpExtractor):
    """Hidden layers of a policy and a critic that get different features."""

    def __init__(self, features: int, of_all: int, *arguments: Any, **more: Any) -> None:
        super().__init__(features, *arguments, **more)
        self.value_net = MlpExtractor(of_all, *arguments, **more).value_net


class FullPolicy(MaskableActorCriticPolicy):
    """A policy that sees its part of the observation, and a critic that sees all of it."""

    def _build_mlp_extractor(self) -> None:
        own = self.pi_features_extractor
        assert isinstance(own, OwnView)
        self.vf_features_extractor = own.of_all()
        self.mlp_extractor = Apart(
            own.features_dim,
            self.vf_features_extractor.features_dim,
            net_arch=self.net_arch,
            activation_fn=self.activation_fn,
            device=self.device,
        )


class ActionValuePolicy(FullPolicy):
    """With a critic that values each action: Q(s, a), of which V(s) is the policy's mean."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.actions = int(self.action_space.n)  # type: ignore[attr-defined]
        self.value_net = torch.nn.Linear(self.mlp_extractor.latent_dim_vf, self.actions)
        self.init_weights(self.value_net, gain=1)
        given = {"lr": lr_schedule(1), **self.optimizer_kwargs}
        self.optimizer = self.optimizer_class(self.parameters(), **given)

    def values_actions(self, obs: Any, actions: torch.Tensor) -> torch.Tensor:
        """(N, 2): Q of these actions, and V."""
        values = super().predict_values(obs)
        taken = values.gather(1, actions.reshape(-1, 1))
        return torch.cat([taken, self._mean(obs, values)], dim=1)

    def predict_values(self, obs: Any) -> torch.Tensor:
        """V (N, 1)."""
        return self._mean(obs, super().predict_values(obs))

    def evaluate_actions(
        self, obs: Any, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Q of these actions (N, 1), their log-probabilities, the policy's entropy."""
        values, log_prob, entropy = super().evaluate_actions(obs, actions, action_masks)
        return values.gather(1, actions.long().reshape(-1, 1)), log_prob, entropy

    def _mean(self, obs: Any, values: torch.Tensor) -> torch.Tensor:
        """(N, 1): by what the policy would do there."""
        found = self.get_distribution(obs, obs[:, -self.actions :])
        assert isinstance(found, LeanCategorical)
        return (found.probabilities() * values).sum(dim=1, keepdim=True)


def sight(envs: AllSeats, policy_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What makes of these ``policy_kwargs`` those of a ``FullPolicy``."""
    given = {
        "own": envs.venv.observation_space,
        "extractor": policy_kwargs["features_extractor_class"],
        "extractor_kwargs": policy_kwargs["features_extractor_kwargs"],
    }
    return {
        **policy_kwargs,
        "features_extractor_class": OwnView,
        "features_extractor_kwargs": given,
        "share_features_extractor": False,
    }


def player(model: Any) -> Any:
    """The part of a model that plays: what ``api.export.network`` asks for."""
    own = model.policy.pi_features_extractor
    if not isinstance(own, OwnView):
        return model
    plays = SimpleNamespace(
        pi_features_extractor=own.inner,
        mlp_extractor=model.policy.mlp_extractor,
        action_net=model.policy.action_net,
    )
    spaces = {"observation_space": own.own, "action_space": model.action_space}
    return SimpleNamespace(policy=plays, **spaces)


class MMD(MaskablePPO):
    """Magnetic mirror descent (Sokota et al. 2022, arXiv 2206.05825): MaskablePPO with the distance
    to the policy before the update in its loss.

    PPO draws a policy towards what did well, for as far as its clip allows. This one is held by two
    forces besides: towards playing all legal actions alike, its magnet (``ent_coef``: the bonus for
    entropy is the distance to that), and towards what it was before the update (``kl_coef``). In
    games for two with hidden information, where self-play with little of both goes in circles, it
    comes to rest near an equilibrium.
    """

    #: The weight of that. Without it this is MaskablePPO, to the last bit.
    kl_coef = 0.0

    def learn_from_rollout(self) -> None:
        """Several passes over it."""
        policy, buffer, left = self.policy, self.rollout_buffer, self._current_progress_remaining
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip = self.clip_range(left)  # type: ignore[operator]  # a schedule by now
        clip_vf = self.clip_range_vf and self.clip_range_vf(left)  # type: ignore[operator]
        found = defaultdict[str, list[float]](list)
        for _ in range(self.n_epochs):
            for batch in buffer.get(self.batch_size):
                values, logs, entropy = policy.evaluate_actions(
                    batch.observations, batch.actions.long().flatten(), batch.action_masks
                )
                assert entropy is not None
                values, better = values.flatten(), batch.advantages
                if clip_vf is not None:
                    change = (values - batch.old_values).clamp(-clip_vf, clip_vf)
                    values = batch.old_values + change
                better = (better - better.mean()) / (better.std() + 1e-8)
                ratio = (logs - batch.old_log_prob).exp()
                gain = torch.min(better * ratio, better * ratio.clamp(1 - clip, 1 + clip))
                # KL(new, old) by actions of the old: never negative, and right on average.
                kl = (ratio * (logs - batch.old_log_prob) - (ratio - 1)).mean()
                value_loss = functional.mse_loss(batch.returns, values)
                loss = -gain.mean() - self.ent_coef * entropy.mean()
                loss += self.vf_coef * value_loss + self.kl_coef * kl
                policy.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
                found["policy_gradient_loss"].append(-gain.mean().item())
                found["value_loss"].append(value_loss.item())
                found["entropy_loss"].append(-entropy.mean().item())
                found["approx_kl"].append(kl.item())
                clipped = (ratio - 1).abs() > clip
                found["clip_fraction"].append(clipped.float().mean().item())
            self._n_updates += 1
        for name, each in found.items():
            self.logger.record(f"train/{name}", np.mean(each))
