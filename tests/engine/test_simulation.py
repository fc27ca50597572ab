"""Random play of every pair of options, every invariant at every state (short; see soak.py)."""

from __future__ import annotations

import pytest

from tests.cases import PAIRS, Case, label
from tests.simulation import simulate

#: Decisions, and games at once; the long games need more of both until enough have ended.
SIZE = {
    "matrix_overload": (20_000, 64),
    "hackthegrid": (20_000, 64),
    "stacktrices": (80_000, 160),
    "hovercrafts": (48_000, 80),
}


@pytest.mark.parametrize("games", [4, pytest.param(1, marks=pytest.mark.slow)], ids="1/{}".format)
@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_invariants_hold_at_every_state_of_random_play(case: Case, games: int) -> None:
    """In a quarter of those games, or in all."""
    decisions, count = (number // games for number in SIZE[case[0]])
    ended = simulate(*case, decisions=decisions, count=count, seed=7)
    battles = case[1].get("battles", 1)
    assert ended > count / battles, "hardly any game came to its end"
