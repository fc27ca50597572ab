"""Configurations: all that is wrong with one is told in one clear error, before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cyberdeck import GAMES, OptionError
from cyberdeck.commands import main as command
from cyberdeck_training import config
from tests.training.runs import write

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_configurations_of_the_repository_are_right(path: Path) -> None:
    assert any(path.stem.startswith(game) for game in GAMES)
    assert path.stem.startswith(config.load(path).game)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"decisions": float("nan")}, "decisions must be a whole number, not nan"),
        ({"gmae": "x"}, "unknown key gmae; known are .*game"),
        ({"game": "chess"}, "game: there is no 'chess'; choose .*hackthegrid"),
        ({"game": ...}, "keys are missing: game$"),
        ({"game": None}, "game must be a text, not None"),
        ({"decisions": "many"}, "decisions must be a whole number, not 'many'"),
        ({"decisions": 1.5}, "decisions must be a whole number, not 1.5"),
        ({"decisions": 0}, "decisions: must be at least 1 and at most .*, not 0"),
        ({"epochs": True}, "epochs must be a whole number, not True"),
        ({"hidden": [8, "x"]}, r"hidden\[1\] must be a whole number, not 'x'"),
        ({"hidden": [8, 0]}, "hidden: widths must be from 1"),
        ({"algorithm": "dqn"}, "algorithm: there is no 'dqn'; choose maskable_ppo, ppo"),
        ({"encoding": "fourier"}, "encoding: there is no 'fourier'"),
        ({"activation": "gelu"}, "activation: .*choose tanh, relu"),
        ({"opponents": {"nobody": 1}}, "opponents: 'nobody' is no player"),
        ({"opponents": {"random": -1}}, "opponents.random: a share must be at least 0, not -1"),
        ({"opponents": {"random": 0.5}}, "opponents.random must be a whole number, not 0.5"),
        ({"opponents": {3: 1}}, "the key 3 of opponents must be a text"),
        ({"opponents": ["random"]}, "opponents must be a mapping"),
        (
            {"opponents": {}, "past": None},
            "opponents: hackthegrid needs some: shares of self, past",
        ),
        ({"opponents": {"random": 0}, "past": None}, "opponents: hackthegrid needs some"),
        ({"opponents": {"random": 1}}, "past: nobody plays past selves"),
        ({"past": {"keep": 0}}, "past.keep: must be at least 1, not 0"),
        ({"past": {"replace": "best"}}, "past.replace: there is no 'best'; choose oldest, random"),
        ({"past": {"evry": 1}}, "unknown key past.evry; known are every"),
        ({"past": 3}, "past must be a mapping"),
        ({"options": {"scrambel": 1}}, "options: .*'scrambel'"),
        ({"options": {"scramble": "never"}}, "options: .*'never'"),
        ({"batch_size": 1000}, "batch_size: 1000 is more than a rollout holds"),
        ({"learning_rate": 0}, "learning_rate: must be above 0"),
        ({"final_learning_rate": -1}, "final_learning_rate: must be above 0"),
        ({"discount": 1.1}, "discount: must be from 0 to 1"),
        ({"entropy": float("nan")}, "entropy: must be at least 0"),
        ({"seed": -1}, "seed: must be at least 0"),
        ({"seed": 2**30}, "seed: must be at least 0 and at most 1073741823"),
        ({"history": 0}, "history: must be at least 1"),
        ({"evaluation": {"game": 3}}, "unknown key evaluation.game"),
        ({"evaluation": {"deals": 0}}, "evaluation.deals: must be at least 1"),
        ({"evaluation": {"opponents": ["best"]}}, "evaluation.opponents: 'best' is no player"),
        ({"evaluation": {"opponents": []}}, "evaluation.opponents: name at least one"),
        ({"game": "matrix_overload"}, "opponents: matrix_overload is a game for one"),
        (
            {"game": "stacktrices", "options": {"observation": "planes"}, "history": 2},
            "history: planes have none",
        ),
        (
            {"game": "hovercrafts", "options": {"ships": [2, 1]}, "history": 2},
            "history: a side of several ships has none yet",
        ),
        ({"imitation": {"player": "best"}}, "imitation.player: 'best' is no player"),
        ({"imitation": {"decisions": 127}}, "imitation.decisions: .* those of a rollout, 128"),
        ({"batch_size": 1}, "batch_size: must be at least 2"),
        ({"games_at_once": 3, "rollout": 11, "batch_size": 32}, "batch_size: 32 leaves one of"),
        ({"entropy": float("inf")}, "entropy: must be at least 0, not inf"),
        ({"threads": 2**40}, "threads: must be at least 1 and at most 1024"),
        ({"games_at_once": 10**12}, "games_at_once: must be at least 1 and at most"),
        ({"hidden": [10**12]}, "hidden: widths must be from 1 to 16384"),
        ({"critic": [0]}, "critic: widths must be from 1"),
        ({"critic": ["x"]}, r"critic\[0\] must be a whole number"),
        ({"opponents": {"past": 1, "random": 9999}}, "opponents: shares and past.keep have to be"),
        (
            {"game": "matrix_overload", "opponents": ..., "past": {}},
            "past: matrix_overload is a game for one",
        ),
        (
            {
                "game": "matrix_overload",
                "opponents": ...,
                "past": ...,
                "evaluation": {"opponents": ["heuristic"]},
            },
            "evaluation.opponents: matrix_overload is a game for one",
        ),
        ({"heed": 0.2}, "heed: these games show no prior: give options.observation=prior"),
        ({"heed": 0, "options": {"observation": "prior"}}, "heed: must be above 0 and at most"),
        ({"heed": "much"}, "heed must be a number or nothing"),
        ({"precision": "double"}, "precision: there is no 'double'; choose float32, bfloat16"),
    ],
)
def test_a_wrong_configuration_is_one_clear_error(
    tmp_path: Path, changed: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, **changed)
    with pytest.raises(OptionError, match=named) as raised:
        config.load(path)
    assert "\n" not in str(raised.value)
    assert command.main(["train", str(path), "--runs", str(tmp_path / "runs")]) == 2
    assert str(raised.value) in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"nowhere\.yaml cannot be read"):
        config.load(tmp_path / "nowhere.yaml")
    broken = tmp_path / "broken.yaml"
    for content, complaint in (
        ("game: [", "is not YAML"),
        ("- game", "must hold a mapping"),
        ("", "must hold a mapping"),
        ("a: !!python/object/apply:os.system [true]", "is not YAML"),
    ):
        broken.write_text(content)
        with pytest.raises(OptionError, match=complaint):
            config.load(broken)
    broken.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OptionError, match="no text in UTF-8"):
        config.load(broken)


def test_values_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    loaded = config.load(
        write(tmp_path),
        [
            "decisions=5_000",
            "evaluation.deals=7",
            "options.reward=margin",
            "opponents={random: 3}",
            "past=null",
            "learning_rate=3e-4",
            "evaluation.every=1e6",
            "hidden=[4, 4]",
            "critic=[5]",
        ],
    )
    assert loaded.decisions == 5000
    assert loaded.evaluation.every == 1_000_000
    assert loaded.critic == [5]
    assert (loaded.evaluation.deals, loaded.evaluation.final_deals) == (7, 10)
    assert loaded.options == {"reward": "margin"}
    assert (loaded.opponents, loaded.past) == ({"random": 3}, None)
    assert loaded.learning_rate == 0.0003
    assert loaded.hidden == [4, 4]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("decisions", "'decisions' is not KEY=VALUE"),
        ("=5", "'=5' is not KEY=VALUE"),
        ("decisions=[", r"'\[' is not YAML"),
        ("decisions.much=5", "decisions is a value, it has no keys"),
        ("evaluation.delas=5", "unknown key evaluation.delas"),
        ("decisions=", "decisions must be a whole number, not None"),
    ],
)
def test_a_wrong_value_on_the_command_line_is_one_clear_error(
    tmp_path: Path, change: str, complaint: str
) -> None:
    with pytest.raises(OptionError, match=complaint):
        config.load(write(tmp_path), [change])


def test_a_configuration_is_written_as_it_is_read(tmp_path: Path) -> None:
    loaded = config.load(write(tmp_path, game="hovercrafts", options={"ships": [2, 2]}))
    copy = tmp_path / "copy.yaml"
    copy.write_text(loaded.text())
    assert config.load(copy) == loaded


def test_every_game_has_a_configuration() -> None:
    for game in GAMES:
        assert config.load(config.find(game)).game == game


def test_a_name_stands_for_the_packaged_configuration() -> None:
    assert config.find("hackthegrid").name == "hackthegrid.yaml"
    with pytest.raises(OptionError, match=r"no configuration 'chess': give a file.*hackthegrid"):
        config.find("chess")
