"""Models of SBX decide as a player what SBX predicts.

These tests run where SBX is installed: ``make example-test``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch
from cyberdeck.evaluation import evaluate
from cyberdeck.players import find_player
from cyberdeck.sb3 import SB3Policy, make_vec_env

sbx = pytest.importorskip("sbx")

pytestmark = [pytest.mark.examples, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("name", ["PPO", "DQN"])
def test_a_model_of_sbx_decides_as_it_predicts(name: str, tmp_path: Path) -> None:
    more: dict[str, Any] = {"buffer_size": 10} if name == "DQN" else {}
    model = getattr(sbx, name)("MlpPolicy", make_vec_env("hackthegrid", 1, seed=0), seed=1, **more)
    batch = Batch("hackthegrid", 60, seed=3)
    for _ in range(6):
        batch.step(batch.choose("random"))
    low, high = (each.astype(np.int64) for each in batch.variant.bounds())
    shown = np.random.default_rng(4).integers(low, high + 1, (60, *low.shape)).astype(np.int8)
    seen = replace(batch._core.seen(batch._core.all_rows, False), observations=shown)
    alone = [int(model.predict(each, deterministic=True)[0]) for each in seen.observations]
    assert SB3Policy(model, masked=False).decide(seen).tolist() == alone
    assert len({*alone}) > 3
    model.save(tmp_path / "own.zip")
    filed = find_player(cyberdeck.variant("hackthegrid"), str(tmp_path / "own.zip"))
    decided = filed.decide(seen)
    assert (seen.masks[np.arange(60), decided] == 1).all()
    assert (decided == SB3Policy(model).decide(seen)).all()
    assert (SB3Policy(model).decide(seen.rows(np.array([7])))[0]) == decided[7]
    assert evaluate("hackthegrid", filed, ["random"], deals=20).records[-1].games == 40
    if name == "PPO":
        chances = SB3Policy(model, greedy=False).chances(seen)
        assert np.abs(chances.sum(axis=1) - 1).max() < 1e-6
