"""Hypothesis chooses what to begin with, and how it is changed: what fails is made simpler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.trial import Door, changed


def run(
    door: Door, right: Sequence[bytes], attempt: Callable[[bytes], object], examples: int, seed: int
) -> None:
    """Try so many."""

    @hypothesis.seed(seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        st.integers(0, len(right) - 1),
        st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4),
    )
    def tries(which: int, lucks: list[int]) -> None:
        attempt(changed(door, right[which], lucks))

    tries()
