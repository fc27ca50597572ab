"""Random play of every pair of options: the contract at every state (long: soak.py)."""

from __future__ import annotations

import pytest

from cyberdeck import variant
from cyberdeck.testing import random_play
from tests.cases import LONGEST, PAIRS, Case, label

#: Decisions that 32 games make in a short time; the long games need more until enough have ended.
DECISIONS = {
    "matrix_overload": 1_100,
    "hackthegrid": 800,
    "stacktrices": 2_400,
    "hovercrafts": 800,
}


@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_the_contract_is_kept_at_every_state_of_random_play(case: Case) -> None:
    chosen = variant(case[0], **case[1])
    report = random_play(chosen, decisions=DECISIONS[case[0]], games=32, seed=7)
    assert not report.faults, str(report)
    assert report.longest <= LONGEST[case[0]]
