"""Random play of every game and option, every invariant at every state (short; see soak.py)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulation import EVERYTHING, label, simulate

#: Decisions, and games at once; the long games need more of both until enough have ended.
SIZE = {
    "matrix_overload": (40_000, 128),
    "hackthegrid": (40_000, 128),
    "stacktrices": (200_000, 400),
    "hovercrafts": (120_000, 200),
}


@pytest.mark.parametrize("case", EVERYTHING, ids=label)
def test_invariants_hold_at_every_state_of_random_play(case: tuple[str, dict[str, Any]]) -> None:
    decisions, count = SIZE[case[0]]
    ended = simulate(*case, decisions=decisions, count=count, seed=7)
    assert ended > 300, "hardly any game came to its end"
