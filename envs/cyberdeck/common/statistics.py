"""Rates and means with their 95% confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Z: Final = 1.959964  # 95% of a normal distribution lie within so many standard deviations


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """95% confidence interval of a rate (Wilson's score interval).

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if trials == 0:
        return 0.0, 1.0
    rate = successes / trials
    middle = (rate + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    spread = math.sqrt(rate * (1 - rate) / trials + Z * Z / (4 * trials**2))
    spread *= Z / (1 + Z * Z / trials)
    # Where all or none succeeded, rounding may leave the rate itself just outside.
    return max(0.0, min(rate, middle - spread)), min(1.0, max(rate, middle + spread))


@dataclass(frozen=True)
class Mean:
    """A mean and its 95% confidence interval."""

    value: float
    low: float
    high: float

    def columns(self, name: str) -> dict[str, float]:
        """As three columns of a file."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


#: The mean of nothing.
NOTHING: Final = Mean(math.nan, math.nan, math.nan)


def mean_of(values: NDArray[Any], groups: NDArray[Any]) -> Mean:
    """The mean of *values*, of which those of one group are not independent.

    Two games on one deal with the seats swapped are such a group: what matters for the interval is
    how the groups differ, so an advantage of the deal that both had does not widen it.

    >>> mean_of(np.array([1.0, 0.0, 1.0, 0.0]), np.array([7, 7, 8, 8]))  # the first mover wins
    Mean(value=0.5, low=0.5, high=0.5)
    """
    if len(values) == 0:
        return NOTHING
    value = float(values.mean())
    _, group = np.unique(groups, return_inverse=True)
    sums = np.bincount(group, weights=values - value)
    count = len(sums)
    if count == 1:
        return Mean(value, -math.inf, math.inf)
    error = Z * math.sqrt(float((sums**2).sum()) * count / (count - 1)) / len(values)
    return Mean(value, value - error, value + error)


def points_of(points: NDArray[Any], deals: NDArray[Any]) -> Mean:
    """The mean of points, from 0 to 1, of games that are paired by their deals.

    Who won or lost every game shows no variation to judge by: then it is Wilson's interval.

    >>> points_of(np.ones(20), np.repeat(np.arange(10), 2)).low  # 10 deals of 10
    0.7224671969739421
    """
    mean = mean_of(points, deals)
    low, high = mean.low, mean.high
    if mean.value in (0.0, 1.0):
        count = len(np.unique(deals))
        low, high = wilson(round(mean.value * count), count)
    return Mean(mean.value, max(0.0, low), min(1.0, high))


def share(count: int, total: int) -> str:
    """A share for a table that has its counts elsewhere: ``37.5%``.

    >>> share(3, 8), share(0, 0)
    ('37.5%', '-')
    """
    return f"{100 * count / total:.1f}%" if total else "-"


def percent(successes: int, trials: int) -> str:
    """A rate for a table, with its interval: ``37.5% (30.1 to 45.4)``."""
    low, high = wilson(successes, trials)
    rate = successes / trials if trials else math.nan
    return f"{100 * rate:5.1f}% ({100 * low:4.1f} to {100 * high:4.1f})"


def shown(mean: Mean) -> str:
    """A mean for a table, with its interval.

    >>> shown(Mean(0.5, 0.4375, 0.5625))
    '0.500 (0.438 to 0.562)'
    """
    if math.isnan(mean.value):
        return "-"
    return f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def finite(value: Any) -> Any:
    """*value* with None for numbers that JSON has no word for: the interval of a single deal.

    >>> finite({"low": -math.inf, "values": [1.0, math.nan]})
    {'low': None, 'values': [1.0, None]}
    """
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
