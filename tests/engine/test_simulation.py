"""Random play of every game and option, every invariant at every state (short; see soak.py)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulation import EVERYTHING, label, simulate


@pytest.mark.parametrize("case", EVERYTHING, ids=label)
def test_invariants_hold_at_every_state_of_random_play(case: tuple[str, dict[str, Any]]) -> None:
    ended = simulate(*case, decisions=40_000, count=128, seed=7)
    assert ended > 300, "hardly any game came to its end"
