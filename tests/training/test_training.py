"""Training and evaluation: configurations that are checked, figures that are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import OptionError
from cyberdeck_training import config, evaluation, train

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
    "evaluation": {"games": 10},
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
        ({"evaluation": {"games": 0}}, "evaluation"),
        ({"evaluation": {"opponents": ["optimal"]}}, "optimal"),
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
    for word in ("random", "heuristic", "0 (column)", "1 (row)", "win", "both lose"):
        assert word in printed
    (folder,) = (tmp_path / "runs").iterdir()
    assert MaskablePPO.load(folder / "model.zip", device="cpu").num_timesteps >= 256
    assert json.loads((folder / "config.json").read_text())["decisions"] == 256
    assert (folder / "evaluation.txt").read_text().strip() in printed


def test_training_works_for_the_game_for_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, game="matrix_overload", opponent=...)
    assert train.main([str(path), "--runs", str(tmp_path / "runs")]) == 0
    assert "royals_killed" in capsys.readouterr().out


def test_evaluation_counts_what_the_games_say() -> None:
    """Against a check by hand: the same games, one by one through the single env."""
    from cyberdeck.api.gymnasium_env import CyberdeckEnv

    def lowest(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[Any]:
        return masks.argmax(axis=1)

    records = evaluation.against("hackthegrid", lowest, ["random"], games=60, seed=5)
    assert [record.seat for record in records] == ["0 (column)", "1 (row)"]
    for seat, record in enumerate(records):
        counts = {"win": 0, "draw": 0, "loss": 0, "both": 0}
        env = CyberdeckEnv("hackthegrid", seat=seat, opponent="random")
        for game in range(60):
            _, info = env.reset(seed=5 + game)
            over, total = False, 0.0
            while not over:
                _, reward, terminated, _, info = env.step(int(info["action_mask"].argmax()))
                over, total = terminated, total + reward
            if info["reason"] == "cards_remain":
                counts["both"] += 1
            else:
                counts["win" if total > 0 else "loss" if total < 0 else "draw"] += 1
        assert record.games == 60
        assert (record.wins, record.draws) == (counts["win"], counts["draw"])
        assert (record.losses, record.both_lose) == (counts["loss"], counts["both"])


def test_wilson_interval_has_its_known_values() -> None:
    low, high = evaluation.wilson(0, 10)
    assert low == 0.0
    assert high == pytest.approx(0.2775, abs=1e-4)
    assert evaluation.wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert evaluation.wilson(0, 0) == (0.0, 1.0)
