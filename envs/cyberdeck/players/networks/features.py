"""The features that a network reads: where they lie in an observation, and which are missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import DTYPES, Feature
from cyberdeck.engine.variant import Variant


class FeatureReader:
    """Takes some features out of observations, in an order of its own."""

    def __init__(self, features: Sequence[Feature]) -> None:
        self.features = tuple(features)
        #: How many numbers they have.
        self.size = sum(math.prod(feature.shape) for feature in self.features)
        #: Where they lie in the observation of the variant that was read last.
        self._places: tuple[Sequence[Feature], NDArray[np.int64] | None] = (self.features, None)

    def read(self, variant: Variant, observations: NDArray[Any]) -> NDArray[Any]:
        """Of (N, D) *observations* no other features than its own, in its own order."""
        places = self.places(variant)
        return observations if places is None else observations[:, places]

    def places(self, variant: Variant) -> NDArray[np.int64] | None:
        """The features' places in what that variant shows; None if they are all of it."""
        known = self._places  # another thread may change it meanwhile
        if known[0] is not variant.features:
            known = self._places = variant.features, _places(self.features, variant)
        return known[1]


def _places(features: Sequence[Feature], variant: Variant) -> NDArray[np.int64] | None:
    if [feature.name for feature in features] == list(variant.layout):
        return None
    stretches = [variant.layout[feature.name] for feature in features]
    return np.concatenate([np.arange(at.start, at.stop, dtype=np.int64) for at in stretches])


def signature(feature: Feature) -> tuple[Any, ...]:
    """All of a feature that a network depends on: not the words that explain it. Files name the
    type only where it is not int8.
    """
    kind = () if feature.dtype == DTYPES[0] else (feature.dtype,)
    return feature.name, tuple(feature.shape), feature.low, feature.high, *kind


def from_signature(name: str, shape: list[int], low: float, high: float, *kind: str) -> Feature:
    """The feature with that signature."""
    return Feature(name, tuple(shape), low, high, dtype=kind[0] if kind else DTYPES[0])


def differences(features: Sequence[Feature], shown: Sequence[Feature]) -> list[str]:
    """The differences between *features* and those *shown* by the same names, in words.

    >>> from cyberdeck import variant
    >>> plain, more = (variant("hackthegrid", observation=o) for o in ("vector", "prior"))
    >>> differences(plain.features, more.features)
    []
    >>> differences(more.features, plain.features)
    ["there is no feature 'prior'", "there is no feature 'prospect'"]
    """
    there = {feature.name: feature for feature in shown}
    wrong = []
    for feature in features:
        other = there.get(feature.name)
        if other is None:
            wrong.append(f"there is no feature {feature.name!r}")
        elif other.dtype != feature.dtype:
            wrong.append(f"{feature.name!r} is {other.dtype}, and it reads {feature.dtype}")
        elif signature(other) != signature(feature):
            wrong.append(
                f"{feature.name!r} has the shape {other.shape} from {other.low} to {other.high}, "
                f"and it reads {feature.shape} from {feature.low} to {feature.high}"
            )
    return wrong
