"""Configurations: all that is wrong with one is told in one clear error, before anything starts."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from cyberdeck import GAMES, OptionError
from cyberdeck_training import config, values
from tests.commands import refused
from tests.training.runs import write

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
PUBLISHED = CONFIGS.parent / "benchmarks" / "published"


def read_again(loaded: Any, folder: Path) -> Any:
    """From a file that holds it."""
    (folder / "copy.yaml").write_text(loaded.text())
    return config.load(folder / "copy.yaml")


def test_the_configurations_of_the_repository_are_right() -> None:
    assert [config.load(game).game for game in GAMES] == list(GAMES)
    for path in CONFIGS.glob("*.yaml"):
        assert path.stem.startswith(config.load(path).game)


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.yaml")), ids=lambda path: path.stem)
def test_published_runs_are_as_long_as_they_were_and_learn_from_all_that_a_seat_knows(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CONFIGS.parent)
    loaded = config.load(path, game=yaml.safe_load(path.read_text())["game"])
    assert 10_000_000 <= loaded.decisions < 10_000_000 + loaded.rollout
    assert loaded.options["observation"] == "history"
    assert loaded.rollout % loaded.batch_size == 0


#: What no configuration may say, and what is said of it.
WRONG: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("wrong.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("told", "changes"), WRONG["values"].items())
def test_a_key_says_what_its_value_must_be(tmp_path: Path, told: str, changes: str) -> None:
    for change in changes.split():
        key = re.escape(change.partition("=")[0])
        with pytest.raises(OptionError, match=rf"^argument '.*': {key}(\[1\])?:? {told}"):
            config.load(write(tmp_path), [change])


@pytest.mark.parametrize(("changed", "named"), WRONG["whole"])
def test_a_wrong_configuration_is_one_clear_error(
    tmp_path: Path, changed: dict[str, Any], named: str
) -> None:
    path = write(tmp_path, **{key: ... if it == "..." else it for key, it in changed.items()})
    with pytest.raises(OptionError, match=named) as raised:
        config.load(path)
    told = re.match(rf"{re.escape(str(path))}(, line (\d+))?: ", str(raised.value))
    assert told
    if told[2] is not None:
        line = path.read_text().splitlines()[int(told[2]) - 1]
        assert line.partition(":")[0].strip() in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_command_makes_no_folder_for_a_wrong_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, f"train {write(tmp_path, gamma=7)} --output-dir {tmp_path / 'runs'}")
    assert "tiny.yaml, line 8: gamma must be less than or equal to 1, not 7" in told
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "line",
    [
        "{0} seed=3 --game {1} gamma=7 --output-dir {2}",
        "--output-dir {2} --game {1} {0} gamma=7",
        "gamma=7 --game {1}",
    ],
)
def test_values_may_stand_before_and_after_other_arguments(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = CONFIGS.parent / "examples" / "games" / "tictactoe.py"
    named = write(tmp_path, game=str(game))
    told = refused(capsys, f"train {line.format(named, game, tmp_path / 'runs')}")
    assert "argument 'gamma=7': gamma must be less than or equal to 1, not 7" in told


@pytest.mark.parametrize(("line", "told"), WRONG["arguments"])
def test_what_is_no_argument_of_the_command(
    line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.search(told, refused(capsys, f"train {line}"))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, r"long\.yaml cannot be read"),
        (
            b"seed: 1\ngame: [",
            r"long\.yaml is not YAML: while parsing a flow node expected the node content, but "
            r"found '<stream end>' in line 2, column 8$",
        ),
        (b"game: \x01", r"is not YAML: .*special characters are not allowed at position 6$"),
        (b"- game", "must hold a mapping"),
        (b"a: !!python/object/apply:os.system [true]", "is not YAML"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b"seed: 1\n" * 10_000, "it has 80,000 bytes, and at most 65,536 are read"),
        (b"seed: " + b"[" * 3000, "or 32 in each other"),
        (b"seed: &a [*a]", r"aliases \(\*name\) are not read"),
        (b"seed: [" + b"1, " * 11_000 + b"]", "more than 10,000 values"),
        (b"seed: !!int ''", "'' is not possible"),
        (b"seed: " + b"9" * 5000, "'9{60}...' is not possible: 'Exceeds the limit"),
        (b'game: "\\e[2J"', r"'\\x1b\[2J' is not possible: it holds '\\x1b'"),
        (b'"\\ud800": 1', "cannot be shown"),
        (b"game: hackthegrid\ntotal_timesteps: 1\noptions: {'a\xe2\x80\xa8b': 1}", "is not YAML"),
        (b"game: hackthegrid\ntotal_timesteps: 1\nseed: 2001-13-45", ", not '2001-13-45'"),
        ("".join(f"k{at}: 1\n" for at in range(3000)).encode(), "unknown key k0"),
        (b"- - - 1\n" * (config.MOST // 8), "long.yaml"),
    ],
)
def test_a_missing_or_broken_file_is_named_and_takes_no_long(
    tmp_path: Path, content: bytes | None, complaint: str
) -> None:
    broken = tmp_path / "long.yaml"
    if content is not None:
        broken.write_bytes(content)
    began = time.process_time()
    with pytest.raises(OptionError, match=complaint) as raised:
        config.load(broken)
    assert time.process_time() - began < 4
    assert len(str(raised.value)) < 5000
    assert str(raised.value).isprintable()


def test_values_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    loaded = config.load(
        write(tmp_path),
        [
            "total_timesteps=5_000",
            "evaluation.deals=7",
            "options.reward=margin",
            "opponents={random: 3}",
            "past=null",
            "learning_rate=3e-4",
            "evaluation.every=1e6",
            "net_arch={pi: [4, 4], vf: [5]}",
        ],
    )
    assert loaded.total_timesteps == 5000
    assert loaded.evaluation.every == 1_000_000
    assert (loaded.evaluation.deals, loaded.evaluation.final_deals) == (7, 10)
    assert loaded.options == {"reward": "margin"}
    assert (loaded.opponents, loaded.past) == ({"random": 3}, None)
    assert loaded.learning_rate == 0.0003
    assert loaded.net_arch == values.Layers(pi=[4, 4], vf=[5])


@pytest.mark.parametrize(("change", "complaint"), WRONG["changes"])
def test_a_wrong_value_on_the_command_line_is_one_clear_error(
    tmp_path: Path, change: str, complaint: str
) -> None:
    with pytest.raises(OptionError, match=complaint):
        config.load(write(tmp_path), [change])


def test_a_configuration_is_written_as_it_is_read(tmp_path: Path) -> None:
    """Also the layers that policy and critic share."""
    given = "net_arch={shared: [8, {residual: 4}], pi: [], vf: [3]}"
    loaded = config.load(write(tmp_path, game="hovercrafts", options={"ships": [2, 2]}), [given])
    again = read_again(loaded, tmp_path)
    assert again == loaded
    assert isinstance(again.net_arch, values.Layers)
    assert again.net_arch.shared == [8, values.Residual(residual=4)]


@pytest.mark.parametrize(("name", "complaint"), WRONG["names"])
def test_what_is_no_configuration_is_told_what_there_is(name: str, complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        config.load(name)


def test_a_game_without_a_configuration_is_trained_by_self_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its file, which is found from anywhere, or by its name once it is registered."""
    monkeypatch.chdir(CONFIGS.parent)
    loaded = config.load("examples/games/tictactoe.py", ["total_timesteps=5000"])
    assert loaded.variant.game.name == "tictactoe"
    assert loaded.opponents == {"self": 1, "past": 2, "random": 1}
    monkeypatch.chdir(tmp_path)
    assert read_again(loaded, tmp_path) == loaded
    assert config.load("tictactoe").variant.game is loaded.variant.game


def test_a_game_without_a_heuristic_is_not_measured_by_one(tmp_path: Path) -> None:
    file = str(Path("examples/games/tictactoe.py").resolve())
    given: dict[str, Any] = {"game": file, "opponents": {"self": 1}, "past": ...}
    loaded = config.load(write(tmp_path, **given, evaluation={"deals": 5}), game=file)
    assert loaded.evaluation.opponents == ["random"]
    assert read_again(loaded, tmp_path) == loaded
    with pytest.raises(OptionError, match=r"dagger.expert: Tictactoe has no heuristic: choose one"):
        config.load(write(tmp_path, **given, algorithm="dagger", evaluation={"deals": 5}))
    with pytest.raises(OptionError, match=r"such as \{self: 1, past: 2, random: 1\}"):
        config.load(write(tmp_path, **{**given, "opponents": ...}))
