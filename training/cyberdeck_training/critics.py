"""Critics that see more than the policy does while it learns: what all seats see, side by side.

Nobody plays with them: they judge the policy's decisions, and are not part of what is saved as a
player. Where much is hidden, most of a game's luck is no luck to such a critic, and the policy
hears more clearly which of its actions were good.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, MlpExtractor
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cyberdeck.engine.constants import EVERY
from cyberdeck_training.categorical import LeanCategorical


class AllSeats(VecEnvWrapper):
    """Shows after what the learner sees what the seats after it see, and which actions are legal.

    Of a game that a limit has cut, the last observation has the others' of the decision before: the
    next game is already there. Only where the learner plays all seats it has what they see at last.
    """

    def __init__(self, envs: VecEnv) -> None:
        self._core: Any = envs.get_attr("core")[0]
        variant, space = self._core.variant, envs.observation_space
        assert isinstance(space, gym.spaces.Box)
        self._others, self._own = variant.seats - 1, int(np.prod(space.shape))
        self._legal = variant.action_count
        parts = [
            (np.tile(bound, self._others), np.full(variant.action_count, mask))
            for mask, bound in enumerate(variant.bounds())
        ]
        low, high = (
            np.concatenate([own.reshape(-1), *part]).astype(space.dtype)
            for own, part in zip((space.low, space.high), parts, strict=True)
        )
        wide = gym.spaces.Box(low, high, dtype=space.dtype)
        others = np.tile(variant.fractions, self._others), np.zeros(self._legal, np.bool_)
        vars(wide)["fractions"] = np.concatenate([vars(space)["fractions"], *others])
        super().__init__(envs, observation_space=wide)
        #: (N, ...), now.
        self.shown_to_all = np.zeros((envs.num_envs, *wide.shape), space.dtype)

    def reset(self) -> Any:
        """Begin all games."""
        return self._look(self.venv.reset())

    def step_wait(self) -> Any:
        """Apply the actions."""
        seen, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            if "terminal_observation" not in infos[row]:
                continue
            info, before = infos[row], self.shown_to_all[row, self._own :]
            last = info["terminal_observation"].reshape(-1, self._own)
            if info["seat"] == EVERY:
                rest = self._rolled(last), np.tile(before[-self._legal :], (len(last), 1))
                info["terminal_observation"] = np.concatenate([last, *rest], axis=1)
            else:
                info["terminal_observation"] = np.concatenate([last[0], before])
        return self._look(seen), rewards, dones, infos

    def _rolled(self, last: NDArray[Any]) -> NDArray[Any]:
        """(S, ...): what the seats after each see, of what all of them see; the latest of each."""
        latest = last[:, -self._core.variant.observation_size :]
        return np.stack(
            [np.roll(latest, -seat, axis=0)[1:].reshape(-1) for seat in range(len(last))]
        )

    def _look(self, own: Any) -> NDArray[Any]:
        core, count = self._core, self.num_envs
        variant, seats = core.variant, core.playing().astype(np.int64)
        others = np.empty((count, self._others, variant.observation_size), self.shown_to_all.dtype)
        mask, metrics = core.one_mask.copy(), core.one_metrics.copy()
        for after in range(self._others):
            for row, seat in enumerate(((seats + after + 1) % variant.seats).tolist()):
                core.loops.look(core.states, row, seat, mask, others[row, after], metrics)
        parts = (own.reshape(count, -1), others.reshape(count, -1), core.masks)
        self.shown_to_all = np.concatenate(parts, axis=1)
        return self.shown_to_all.copy()


class Own(BaseFeaturesExtractor):
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
        assert isinstance(own, Own)
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

    def judge(self, obs: Any, actions: torch.Tensor) -> torch.Tensor:
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
        "features_extractor_class": Own,
        "features_extractor_kwargs": given,
        "share_features_extractor": False,
    }


def player(model: Any) -> Any:
    """The part of a model that plays: what ``api.export.network`` asks for."""
    own = model.policy.pi_features_extractor
    if not isinstance(own, Own):
        return model
    plays = SimpleNamespace(
        pi_features_extractor=own.inner,
        mlp_extractor=model.policy.mlp_extractor,
        action_net=model.policy.action_net,
    )
    spaces = {"observation_space": own.own, "action_space": model.action_space}
    return SimpleNamespace(policy=plays, **spaces)
