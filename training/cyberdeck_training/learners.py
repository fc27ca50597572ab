"""Learners of stable-baselines3, made from a run's settings."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Final

import numpy as np
import sb3_contrib
import stable_baselines3

from cyberdeck import Batch
from cyberdeck.api import residual
from cyberdeck.api.extractors import Trunk
from cyberdeck_training.categorical import LeanCategorical
from cyberdeck_training.rollouts import Collecting
from cyberdeck_training.settings import NetArch, PPOSettings
from cyberdeck_training.values import ACTIVATIONS, ENCODINGS

#: What stable-baselines3's PPO takes as a configuration has it.
_SAME: Final = (
    *("n_steps", "batch_size", "n_epochs", "clip_range", "gamma", "gae_lambda"),
    *("ent_coef", "vf_coef", "max_grad_norm", "seed"),
)


class MaskablePPO(Collecting, sb3_contrib.MaskablePPO):
    """MaskablePPO that keeps the decisions of several seats apart."""


class PPO(Collecting, stable_baselines3.PPO):
    """PPO that keeps the decisions of several seats apart."""


def make(
    learner: type[Collecting],
    config: PPOSettings,
    envs: Any,
    rollouts: dict[str, Any],
    policy: Any = "MlpPolicy",
    **more: Any,
) -> Any:
    """A *learner* that collects its games in *rollouts*, see ``Recipe.rollouts``."""
    masked = issubclass(learner, sb3_contrib.MaskablePPO)
    if getattr(config, "prior_weight", None) is not None:
        policy = residual.ResidualMaskablePolicy if masked else residual.ResidualPolicy
    model: Any = learner(policy, envs, **arguments(config) | rollouts | more)
    if masked:
        model.policy.action_dist = LeanCategorical(int(envs.action_space.n))
    return model


def arguments(config: PPOSettings) -> dict[str, Any]:
    """What PPO is made with."""
    arch = config.net_arch
    return {
        **{name: getattr(config, name) for name in _SAME},
        "learning_rate": straight(config.learning_rate, config.final_learning_rate),
        "policy_kwargs": {
            "net_arch": arch if isinstance(arch, list) else {"pi": arch.pi, "vf": arch.vf},
            "activation_fn": resolve_name(ACTIVATIONS[config.activation_fn]),
            **_features(config),
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        "device": "cpu",
    }


def _features(config: PPOSettings) -> dict[str, Any]:
    """What the network gets of an observation."""
    extractor = resolve_name(ENCODINGS[config.encoding])
    given: dict[str, Any] = random_play(config) if config.encoding == "standardized" else {}
    arch = config.net_arch
    if isinstance(arch, NetArch) and arch.shared:
        given = {
            "net_arch": arch.model_dump()["shared"],
            "activation_fn": resolve_name(ACTIVATIONS[config.activation_fn]),
            "extractor": extractor,
            "extractor_kwargs": given,
        }
        extractor = Trunk
    weight = getattr(config, "prior_weight", None)
    if weight is None:
        return {"features_extractor_class": extractor, "features_extractor_kwargs": given}
    return residual.residual_policy_kwargs(
        config.variant, weight, extractor=extractor, extractor_kwargs=given
    )


def random_play(config: PPOSettings) -> dict[str, Any]:
    """Mean and deviation of what a seat sees when it decides, if all play at random."""
    batch = Batch(config.variant, 1000, seed=config.seed)
    seen = []
    for step in range(100):
        if step % 4 == 0:
            seen.append(batch.observation.reshape(1000, -1).copy())
        batch.step(batch.choose("random"))
    every = np.concatenate(seen).astype(np.float64)
    return {"mean": every.mean(axis=0), "deviation": every.std(axis=0)}


def straight(first: float, last: float | None) -> Callable[[float], float]:
    """A number that goes to another in a straight line, as SB3 wants it: by the share of the run
    that is left to do; or stays as it is, if there is no other.
    """
    # The last rollout may go beyond the run's timesteps: then less than nothing is left.
    return lambda left: first if last is None else last + (first - last) * max(left, 0.0)
