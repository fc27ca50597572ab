"""The algorithms that a configuration may name: each makes a learner of stable-baselines3.

To add one: a function from the configuration and the envs to a model, and its entry in
``ALGORITHMS``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cyberdeck_training.config import Config

#: What turns an observation into the network's input: where the features extractor is.
ENCODINGS: Final[Mapping[str, str]] = {
    "raw": "stable_baselines3.common.torch_layers:FlattenExtractor",
    "scaled": "cyberdeck.api.extractors:Scaled",
    "standardized": "cyberdeck.api.extractors:Standardized",
    "onehot": "cyberdeck.api.extractors:OneHot",
}


@dataclass(frozen=True)
class Algorithm:
    """How to make a learner, and what its games need to be like."""

    make: Callable[[Config, Any], Any]
    masked: bool = True
    """Whether it knows what is legal. If not, an illegal action loses its game."""


def maskable_ppo(config: Config, envs: Any) -> Any:
    """PPO that chooses among the legal actions only."""
    from cyberdeck.api.residual import ResidualMaskablePolicy
    from cyberdeck_training.categorical import LeanCategorical
    from cyberdeck_training.imitation import TaughtMaskablePPO

    policy = "MlpPolicy" if config.heed is None else ResidualMaskablePolicy
    model = TaughtMaskablePPO(policy, envs, **_ppo(config))
    model.policy.action_dist = LeanCategorical(int(envs.action_space.n))
    return model


def ppo(config: Config, envs: Any) -> Any:
    """PPO that has to find out by itself what is legal: what masks are worth is seen by it."""
    from cyberdeck.api.residual import ResidualPolicy
    from cyberdeck_training.imitation import TaughtPPO

    policy = "MlpPolicy" if config.heed is None else ResidualPolicy
    return TaughtPPO(policy, envs, **_ppo(config))


ALGORITHMS: Final[Mapping[str, Algorithm]] = {
    "maskable_ppo": Algorithm(maskable_ppo),
    "ppo": Algorithm(ppo, masked=False),
}


def _ppo(config: Config) -> dict[str, Any]:
    import torch

    return {
        "n_steps": config.rollout,
        "batch_size": config.batch_size,
        "n_epochs": config.epochs,
        "learning_rate": learning_rate(config),
        "clip_range": config.clip,
        "gamma": config.discount,
        "gae_lambda": config.gae_lambda,
        "ent_coef": config.entropy,
        "vf_coef": config.value_weight,
        "policy_kwargs": {
            "net_arch": {"pi": config.hidden, "vf": config.critic or config.hidden},
            "activation_fn": {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[config.activation],
            **_features(config),
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        "seed": config.seed,
        "device": "cpu",
    }


def _features(config: Config) -> dict[str, Any]:
    """What the network gets of an observation."""
    module, _, kind = ENCODINGS[config.encoding].partition(":")
    extractor = getattr(importlib.import_module(module), kind)
    arguments = random_play(config) if config.encoding == "standardized" else {}
    if config.heed is None:
        return {"features_extractor_class": extractor, "features_extractor_kwargs": arguments}
    from cyberdeck.api.residual import residual_policy_kwargs

    return residual_policy_kwargs(
        config.variant,
        config.heed,
        history=config.history,
        extractor=extractor,
        extractor_kwargs=arguments,
    )


def random_play(config: Config) -> dict[str, Any]:
    """Mean and deviation of what a seat sees when it decides, if all play at random."""
    import numpy as np

    from cyberdeck import Batch

    batch = Batch(config.game, 1000, seed=config.seed, **config.options)
    seen = []
    for step in range(100):
        if step % 4 == 0:
            seen.append(batch.observation.reshape(1000, -1).copy())
        batch.step(batch.choose("random"))
    every = np.concatenate(seen).astype(np.float64)
    # A history is as many observations one after the other.
    return {
        "mean": np.tile(every.mean(axis=0), config.history),
        "deviation": np.tile(every.std(axis=0), config.history),
    }


def learning_rate(config: Config) -> float | Callable[[float], float]:
    """As stable-baselines3 wants it: a number, or a function of the share that is left to do."""
    first, last = config.learning_rate, config.final_learning_rate
    if last is None:
        return first
    # The last rollout may go beyond the run's decisions: then less than nothing is left.
    return lambda left: last + (first - last) * max(left, 0.0)
