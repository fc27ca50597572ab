"""Learners of stable-baselines3, made from a configuration.

To add one: a function from the configuration and the envs to a model, and its entry in
``ALGORITHMS`` of ``names.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any, Final

import numpy as np

from cyberdeck import Batch, OptionError
from cyberdeck.api import residual
from cyberdeck.api.extractors import Trunk
from cyberdeck_training import critics
from cyberdeck_training.categorical import LeanCategorical
from cyberdeck_training.config import Config, NetArch
from cyberdeck_training.labelled import (
    Labelled,
    LabelledMaskablePPO,
    LabelledMMD,
    LabelledPPO,
)
from cyberdeck_training.names import ACTION_VALUES, ACTIVATIONS, ALGORITHMS, ENCODINGS, OWN
from cyberdeck_training.rollouts import Collecting, Rollout
from cyberdeck_training.targets import Labels, Replay
from cyberdeck_training.teachers import DAgger, OwnSearch

#: What stable-baselines3's PPO takes as a configuration has it.
_SAME: Final = (
    *("n_steps", "batch_size", "n_epochs", "clip_range", "clip_range_vf", "gamma", "gae_lambda"),
    *("ent_coef", "vf_coef", "max_grad_norm", "seed"),
)

#: As in the experiments of Sokota et al. (2022).
_KL_COEF: Final = 0.05


def make(config: Config, envs: Any) -> Any:
    """The learner that *config* names."""
    place = ALGORITHMS[config.algorithm].make
    made = resolve_name(place)(config, envs)
    if not isinstance(made, Collecting) or not isinstance(made.rollout_buffer, Rollout):
        raise OptionError(
            f"{place} makes a {type(made).__name__}, which mixes the decisions of several seats: "
            "put cyberdeck_training.rollouts.Collecting first among its bases, and give it "
            "**algorithms.rollouts(config)"
        )
    return made


def rollouts(config: Config) -> dict[str, Any]:
    """What a learner collects its games in, as arguments of stable-baselines3."""
    sides = config.variant.sides
    return {
        "rollout_buffer_class": Rollout,
        "rollout_buffer_kwargs": {
            "sides": sides,
            "left_open": len(set(sides)) - 1 if config.plays_itself else 0,
            "masked": ALGORITHMS[config.algorithm].masked,
        },
    }


def maskable_ppo(config: Config, envs: Any) -> Any:
    """PPO that chooses among the legal actions only."""
    return _taught(_masked(config, envs), config, envs)


def mmd(config: Config, envs: Any) -> Any:
    """Magnetic mirror descent."""
    model = _masked(config, envs, LabelledMMD)
    model.kl_coef = _KL_COEF if config.kl_coef is None else config.kl_coef
    return _taught(model, config, envs)


def expert_iteration(config: Config, envs: Any) -> Any:
    """What learns from a search that its own network guides."""
    return _taught(_masked(config, envs), config, envs, OwnSearch)


def ppo(config: Config, envs: Any) -> Any:
    """PPO that has to find out by itself what is legal: what masks are worth is seen by it."""
    policy = "MlpPolicy" if config.prior_weight is None else residual.ResidualPolicy
    return _taught(LabelledPPO(policy, envs, **_ppo(config)), config, envs)


def _masked(config: Config, envs: Any, learner: Any = LabelledMaskablePPO) -> Any:
    """A learner that knows what is legal."""
    given = _ppo(config)
    policy: Any = "MlpPolicy" if config.prior_weight is None else residual.ResidualMaskablePolicy
    if config.critic != OWN:
        policy = critics.FullPolicy
        given["policy_kwargs"] |= critics.sight(envs, given["policy_kwargs"])
    if config.critic == ACTION_VALUES:
        policy = critics.ActionValuePolicy
    model = learner(policy, envs, **given)
    model.policy.action_dist = LeanCategorical(int(envs.action_space.n))
    return model


def _taught(
    model: Labelled, config: Config, envs: Any, *teachers: Callable[[Config, Any], Labels]
) -> Labelled:
    """The same, which learns from these; before them by DAgger if *config* says so."""
    first = [DAgger] if config.dagger is not None else []
    model.teachers = [make(config, envs.unwrapped.core) for make in (*first, *teachers)]
    model.replay = Replay(config.replay) if model.teachers else None
    if config.final_ent_coef is not None:
        model.entropy_schedule = _straight(config.ent_coef, config.final_ent_coef)
    return model


def _ppo(config: Config) -> dict[str, Any]:
    arch = config.net_arch
    return {
        **{name: getattr(config, name) for name in _SAME},
        "learning_rate": learning_rate(config),
        "policy_kwargs": {
            "net_arch": {"pi": arch.pi, "vf": arch.vf} if isinstance(arch, NetArch) else arch,
            "activation_fn": resolve_name(ACTIVATIONS[config.activation_fn]),
            **_features(config),
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        **rollouts(config),
        "device": "cpu",
    }


def _features(config: Config) -> dict[str, Any]:
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
    weight, history = config.prior_weight, config.history
    if weight is None:
        return {"features_extractor_class": extractor, "features_extractor_kwargs": given}
    return residual.residual_policy_kwargs(
        config.variant, weight, history=history, extractor=extractor, extractor_kwargs=given
    )


def random_play(config: Config) -> dict[str, Any]:
    """Mean and deviation of what a seat sees when it decides, if all play at random."""
    batch = Batch(config.variant, 1000, seed=config.seed)
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
    return first if last is None else _straight(first, last)


def _straight(first: float, last: float) -> Callable[[float], float]:
    """From one number to another, by the share that is left to do."""
    # The last rollout may go beyond the run's timesteps: then less than nothing is left.
    return lambda left: last + (first - last) * max(left, 0.0)
