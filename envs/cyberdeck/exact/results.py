"""What all that computes best responses takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: (observation, mask) -> the probability of each action
Strategy: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[np.float64]]


def uniform(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """Every legal action alike."""
    return np.asarray(mask / mask.sum(), np.float64)


@dataclass(frozen=True)
class BestResponses:
    """For each seat: what it gets if all play a strategy, and if it alone answers best to that."""

    values: tuple[float, ...]
    best: tuple[float, ...]

    @property
    def gains(self) -> tuple[float, ...]:
        """What answering best brings each seat more."""
        return tuple(best - value for best, value in zip(self.best, self.values, strict=True))

    @property
    def exploitability(self) -> float:
        """The mean of the gains."""
        return sum(self.gains) / len(self.gains)
