"""The features that a network reads: where they lie in an observation, and which are missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import DTYPES, Feature
from cyberdeck.engine.variant import Variant


def read(features: Sequence[Feature], variant: Variant, observations: NDArray[Any]) -> NDArray[Any]:
    """Of (N, D) *observations* no other features than these, in this order."""
    if [feature.name for feature in features] == list(variant.layout):
        return observations
    return np.hstack([observations[:, variant.layout[feature.name]] for feature in features])


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
