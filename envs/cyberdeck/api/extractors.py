"""Features extractors for stable-baselines3: what a network gets of an observation.

Needs the extra ``sb3``. ``export.network`` can save a policy with any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from cyberdeck.players.networks import Encoding, Whole

#: Elements of so many values become one-hot in ``OneHot``.
_FEWEST, _MOST = 3, 16

#: The least deviation that ``Standardized`` divides by.
_LEAST_DEVIATION = 0.25


def _scales(low: NDArray[Any], high: NDArray[Any]) -> torch.Tensor:
    """The factor of each element that brings its bounds within -1 and 1."""
    most = np.maximum(np.abs(low.astype(np.float64)), np.abs(high.astype(np.float64)))
    return torch.as_tensor(1.0 / np.maximum(most, 1.0), dtype=torch.float32)


class Scaled(BaseFeaturesExtractor):
    """Every element of the observation divided by its bound: what a network learns best from.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.sb3 import make_vec_env
    >>> envs = make_vec_env("matrix_overload", 8, seed=0)
    >>> model = MaskablePPO("MlpPolicy", envs, policy_kwargs={"features_extractor_class": Scaled})
    """

    scales: torch.Tensor

    def __init__(self, observation_space: gym.spaces.Box) -> None:
        low, high = observation_space.low.reshape(-1), observation_space.high.reshape(-1)
        super().__init__(observation_space, len(low))
        self.register_buffer("scales", _scales(low, high))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return observations.flatten(1) * self.scales


class Standardized(BaseFeaturesExtractor):
    """Every element of the observation less its mean, divided by its deviation.

    For numbers that hardly ever come near their bounds. Both are fixed before training, for example
    from random play; a deviation below a quarter counts as a quarter, so that what is rare does not
    become loud.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.sb3 import make_vec_env
    >>> envs = make_vec_env("matrix_overload", 8, seed=0)
    >>> seen = envs.reset()
    >>> shape = {
    ...     "features_extractor_class": Standardized,
    ...     "features_extractor_kwargs": {"mean": seen.mean(axis=0), "deviation": seen.std(axis=0)},
    ... }
    >>> model = MaskablePPO("MlpPolicy", envs, policy_kwargs=shape)
    """

    scales: torch.Tensor
    mean: torch.Tensor

    def __init__(
        self, observation_space: gym.spaces.Box, mean: NDArray[Any], deviation: NDArray[Any]
    ) -> None:
        super().__init__(observation_space, int(np.prod(observation_space.shape)))
        scales = 1.0 / np.maximum(deviation, _LEAST_DEVIATION)
        for name, values in (("scales", scales), ("mean", mean)):
            flat = np.asarray(values, np.float64).reshape(-1)
            self.register_buffer(name, torch.as_tensor(flat, dtype=torch.float32))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return (observations.flatten(1) - self.mean) * self.scales


class ResidualBlock(torch.nn.Module):
    """x + W2 f(W1 x + b1) + b2, with f the activation."""

    def __init__(self, width: int, hidden: int, activation_fn: type[torch.nn.Module]) -> None:
        super().__init__()
        self.first = torch.nn.Linear(width, hidden)
        self.activation = activation_fn()
        self.second = torch.nn.Linear(hidden, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(N, width)"""
        added: torch.Tensor = self.second(self.activation(self.first(x)))
        return x + added


class Trunk(BaseFeaturesExtractor):
    """Hidden layers that the policy and the critic share, after another extractor.

    Both then need one pass. ``net_arch`` of ``policy_kwargs`` is what each has of its own after it.

    Args:
        observation_space: of the envs.
        net_arch: the width of each layer; or ``{"residual": width}``: a ``ResidualBlock`` with so
            many hidden units, which takes and gives as many numbers as the layer before it.
        activation_fn: after each layer, and inside residual blocks; take the policy's.
        extractor: what the first layer gets of an observation.
        extractor_kwargs: its arguments.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.sb3 import make_vec_env
    >>> shape = {
    ...     "features_extractor_class": Trunk,
    ...     "features_extractor_kwargs": {"net_arch": [128, {"residual": 64}]},
    ...     "net_arch": [],
    ... }
    >>> envs = make_vec_env("matrix_overload", 8, seed=0)
    >>> model = MaskablePPO("MlpPolicy", envs, policy_kwargs=shape)
    """

    def __init__(
        self,
        observation_space: gym.spaces.Box,
        net_arch: Sequence[int | Mapping[str, int]],
        activation_fn: type[torch.nn.Module] = torch.nn.Tanh,
        extractor: type[BaseFeaturesExtractor] = Scaled,
        extractor_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        inner = extractor(observation_space, **(extractor_kwargs or {}))
        width = inner.features_dim
        layers: list[torch.nn.Module] = []
        for each in net_arch:
            if isinstance(each, Mapping):
                layers.append(ResidualBlock(width, each["residual"], activation_fn))
            else:
                layers += [torch.nn.Linear(width, each), activation_fn()]
                width = each
        super().__init__(observation_space, width)
        self.inner, self.layers = inner, torch.nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, width)"""
        hidden: torch.Tensor = self.layers(self.inner(observations))
        return hidden


class OneHot(BaseFeaturesExtractor):
    """Elements of 3 to 16 possible values one-hot, fractions and all others divided by their bound.

    For numbers that are names, such as the value of a card: ``policy_kwargs`` as for ``Scaled``.
    """

    scales: torch.Tensor
    kept: torch.Tensor
    sources: torch.Tensor
    values: torch.Tensor

    def __init__(self, observation_space: gym.spaces.Box) -> None:
        low, high = observation_space.low.reshape(-1), observation_space.high.reshape(-1)
        spans = high.astype(np.int64) - low.astype(np.int64) + 1
        spans[getattr(observation_space, "fractions", np.zeros(len(low), np.bool_))] = 0
        self.one_hot = [
            Whole(int(at), int(low[at]), int(high[at]))
            for at in np.flatnonzero((spans >= _FEWEST) & (spans <= _MOST))
        ]
        encoding = Encoding(self.one_hot, len(low))
        super().__init__(observation_space, encoding.size)
        self.register_buffer("scales", _scales(low[encoding.kept], high[encoding.kept]))
        for name in ("kept", "sources", "values"):
            self.register_buffer(name, torch.as_tensor(getattr(encoding, name)))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        shown = observations.flatten(1)
        ones = shown[:, self.sources] == self.values
        return torch.cat([shown[:, self.kept] * self.scales, ones.to(shown.dtype)], dim=1)
