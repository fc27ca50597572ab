"""The policies among the examples: networks that decide without the heuristic's opinion."""

from __future__ import annotations

from pathlib import Path

import pytest

from cyberdeck.evaluation.evaluate import evaluate
from cyberdeck.players.networks import load
from cyberdeck_training import config

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples" / "policies").glob("*.safetensors"))


def test_there_is_one_for_each_configuration() -> None:
    made = {path.stem.removesuffix("-alone") for path in (ROOT / "configs").glob("*-alone.yaml")}
    assert {path.stem for path in FILES} == made


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_sees_no_advice_and_beats_who_gives_it(path: Path) -> None:
    network = load(path)
    assert network.prior is None
    assert "prior" not in [feature.name for feature in network.features]
    assert network.value is not None
    assert network.options == config.load(ROOT / "configs" / f"{path.stem}-alone.yaml").options
    points = evaluate(path.stem, network, ["heuristic"], deals=40, seed=77).records[-1].points
    assert points.low > 0.5
