"""Recorded games come out the same, move by move: on any platform, in any version of v0."""

from __future__ import annotations

import json

import pytest

from cyberdeck import Batch
from tests.cases import Case, label
from tests.golden import CASES, SEED, path, seen


@pytest.mark.parametrize("case", CASES, ids=label)
def test_golden_games_are_replayed_move_by_move(case: Case) -> None:
    game, options = case
    golden = json.loads(path(case).read_text())
    assert len(golden["games"]) == 2
    for played in golden["games"]:
        batch = Batch(game, 1, seed=SEED, autoreset="Disabled", **options)
        assert seen(batch) == played["first"]
        for at, (mover, action, expected) in enumerate(played["moves"]):
            assert int(batch.mover[0]) == mover, f"move {at}"
            batch.step([action])
            assert seen(batch) == expected, f"after move {at}, action {action}"
        assert batch.mover[0] == -1
        assert batch.final_return[0].tolist() == pytest.approx(played["returns"], abs=1e-5)
        assert batch.reasons[batch.reason[0]] == played["reason"]
