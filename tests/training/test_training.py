"""Training and evaluation: configurations that are checked, figures that are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import OptionError, networks
from cyberdeck.evaluation import evaluate
from cyberdeck.evaluation.figures import Mean
from cyberdeck_training import config, train

CONFIGS = Path(__file__).resolve().parents[2] / "configs"

TINY = {
    "game": "hackthegrid",
    "opponent": "random",
    "decisions": 256,
    "games_at_once": 8,
    "rollout": 16,
    "batch_size": 64,
    "epochs": 1,
    "hidden": [8],
    "evaluation": {"deals": 10},
}


def write(folder: Path, **changed: Any) -> Path:
    path = folder / "config.yaml"
    content = {key: value for key, value in {**TINY, **changed}.items() if value is not ...}
    path.write_text(json.dumps(content))  # JSON is YAML
    return path


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_configurations_of_the_repository_are_right(path: Path) -> None:
    assert config.load(path).game == path.stem


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"gmae": "x"}, "gmae"),
        ({"game": "chess"}, "chess"),
        ({"game": ...}, "game"),
        ({"decisions": "many"}, "decisions"),
        ({"decisions": 0}, "decisions"),
        ({"epochs": True}, "epochs"),
        ({"hidden": [8, "x"]}, "hidden"),
        ({"opponent": "nobody"}, "nobody"),
        ({"options": {"scrambel": 1}}, "scrambel"),
        ({"options": {"scramble": "never"}}, "never"),
        ({"batch_size": 1000}, "batch_size"),
        ({"evaluation": {"game": 3}}, "evaluation"),
        ({"evaluation": {"deals": 0}}, "evaluation"),
        ({"evaluation": {"opponents": ["best"]}}, "best"),
        ({"game": "matrix_overload"}, "opponent"),
    ],
)
def test_a_wrong_configuration_is_one_clear_error(
    tmp_path: Path, changed: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, **changed)
    with pytest.raises(OptionError, match=named):
        config.load(path)
    assert train.main([str(path), "--runs", str(tmp_path / "runs")]) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"nowhere\.yaml"):
        config.load(tmp_path / "nowhere.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("game: [")
    with pytest.raises(OptionError, match="not YAML"):
        config.load(broken)


def test_training_leaves_a_model_and_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sb3_contrib import MaskablePPO

    assert train.main([str(write(tmp_path)), "--runs", str(tmp_path / "runs")]) == 0
    printed = capsys.readouterr().out
    for word in ("random", "heuristic", "column", "row", "win", "all lose"):
        assert word in printed
    (folder,) = (tmp_path / "runs").iterdir()
    assert MaskablePPO.load(folder / "model.zip", device="cpu").num_timesteps >= 256
    assert json.loads((folder / "config.json").read_text())["decisions"] == 256
    assert (folder / "evaluation.txt").read_text().strip() in printed
    assert json.loads((folder / "evaluation.json").read_text())["records"][-1]["games"] == 20
    saved = networks.load(folder / "policy.safetensors")
    again = evaluate("hackthegrid", saved, ["random", "heuristic"], deals=10, seed=1_000_004)
    assert [record.points for record in again.records] == [
        Mean(**record["points"])
        for record in json.loads((folder / "evaluation.json").read_text())["records"]
    ]


def test_training_works_for_the_game_for_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, game="matrix_overload", opponent=...)
    assert train.main([str(path), "--runs", str(tmp_path / "runs")]) == 0
    assert "royals_killed" in capsys.readouterr().out
