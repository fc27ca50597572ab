"""Features extractors for stable-baselines3: what a network gets of an observation.

Needs the extra ``sb3``. ``export.network`` can save a policy with any of them.
"""

from __future__ import annotations

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
    """What each element is multiplied by, so that its bounds lie within -1 and 1."""
    most = np.maximum(np.abs(low.astype(np.float64)), np.abs(high.astype(np.float64)))
    return torch.as_tensor(1.0 / np.maximum(most, 1.0), dtype=torch.float32)


class Scaled(BaseFeaturesExtractor):
    """Every element of the observation divided by its bound: what a network learns best from.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.api.sb3 import SB3VecEnv
    >>> envs = SB3VecEnv("matrix_overload", 8, seed=0)
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
    >>> from cyberdeck.api.sb3 import SB3VecEnv
    >>> envs = SB3VecEnv("matrix_overload", 8, seed=0)
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


class OneHot(BaseFeaturesExtractor):
    """Elements of 3 to 16 possible values one-hot, every other one divided by its bound.

    For numbers that are names, such as the value of a card: ``policy_kwargs`` as for ``Scaled``.
    """

    scales: torch.Tensor
    kept: torch.Tensor
    sources: torch.Tensor
    values: torch.Tensor

    def __init__(self, observation_space: gym.spaces.Box) -> None:
        low, high = observation_space.low.reshape(-1), observation_space.high.reshape(-1)
        spans = high.astype(np.int64) - low + 1
        self.one_hot = [
            Whole(int(at), int(low[at]), int(high[at]))
            for at in np.flatnonzero((spans >= _FEWEST) & (spans <= _MOST))
        ]
        encoding = Encoding(self.one_hot, len(low))
        super().__init__(observation_space, encoding.size)
        self.register_buffer("scales", _scales(low[encoding.kept], high[encoding.kept]))
        self.register_buffer("kept", torch.as_tensor(encoding.kept))
        self.register_buffer("sources", torch.as_tensor(encoding.sources))
        self.register_buffer("values", torch.as_tensor(encoding.values))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        shown = observations.flatten(1)
        ones = shown[:, self.sources] == self.values
        return torch.cat([shown[:, self.kept] * self.scales, ones.to(shown.dtype)], dim=1)
