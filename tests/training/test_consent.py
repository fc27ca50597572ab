"""What a configuration names that does more than decide is used only if the user says so: a game's
file, which is a program, and players that open connections, read the environment or write files.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from cyberdeck import OptionError
from cyberdeck_training import config, runs, values
from tests.commands import refused
from tests.training.runs import TINY, write

TICTACTOE = (Path(__file__).parents[2] / "examples" / "games" / "tictactoe.py").read_text()
FAST: dict[str, Any] = {
    **{"opponents": {"self": 1, "random": 1}, "past": ...},
    "evaluation": {"deals": 2, "final_deals": 2, "opponents": ["random"]},
}

Capture = pytest.CaptureFixture[str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is noted yet."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    values.game_of_file.cache_clear()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game's file that leaves a mark where it is run."""
    file = tmp_path / "tictactoe.py"
    mark = f"from pathlib import Path\nPath({str(tmp_path / 'mark')!r}).touch()\n"
    first, rest = TICTACTOE.split("import numpy as np\n", 1)
    file.write_text(f"{first}import numpy as np\n{mark}{rest}")
    return file


def was_run(game: Path) -> bool:
    """Whether it has been run since this was asked last."""
    mark = game.with_name("mark")
    found = mark.exists()
    mark.unlink(missing_ok=True)
    values.game_of_file.cache_clear()
    return found


@pytest.fixture
def stranger(tmp_path: Path, game: Path) -> Path:
    """A run's folder that somebody else has sent, and that names this game."""
    folder = tmp_path / "stranger"
    write(folder, game=str(game), **FAST).rename(folder / "config.yaml")
    return folder


@pytest.mark.parametrize("line", ["compare {0}", "train --resume {0}", "train {0}/config.yaml"])
def test_what_a_strangers_folder_names_is_not_run(
    line: str, stranger: Path, game: Path, capsys: Capture
) -> None:
    told = refused(capsys, line.format(stranger))
    assert told.startswith(f"cyberdeck: {stranger}/config.yaml names the game {str(game)!r}, which")
    assert told.endswith("if you trust it, name it too, by --game FILE (in Python: game=)\n")
    assert not was_run(game)


@pytest.mark.parametrize("answer", ["y\n", "", "\n"])
def test_in_a_terminal_it_is_asked_once(
    answer: str, stranger: Path, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", shown)
    if answer == "y\n":
        assert runs.config_of(stranger).variant.game.name == "tictactoe"
        assert was_run(game)
        monkeypatch.setattr("sys.stdin", io.StringIO())
        runs.config_of(stranger)
        assert was_run(game)
    else:
        with pytest.raises(OptionError, match="you have not agreed to it as it is now"):
            runs.config_of(stranger)
        assert not was_run(game)
    assert shown.getvalue().count("Allow that? [y/N]") == 1


def test_who_names_it_has_it_run_wherever_it_lies(stranger: Path, game: Path) -> None:
    runs.config_of(stranger, game=str(game))
    assert was_run(game)
    game.write_text(game.read_text() + "\n# edited\n")
    with pytest.raises(OptionError, match="as it is now"):
        runs.config_of(stranger)
    assert config.load(stranger / "config.yaml", [f"game={game}"])
    assert was_run(game)
    here = game.with_name("here.py")
    game.rename(here)
    with pytest.raises(OptionError, match="does not exist"):
        runs.config_of(stranger)
    assert runs.config_of(stranger, game=str(here)).game == str(here)


def test_what_is_named_wrongly_is_refused_in_printable_words(tmp_path: Path, game: Path) -> None:
    with pytest.raises(OptionError, match=r"is of 'hackthegrid', which is no file: leave out"):
        config.load(write(tmp_path, game=TINY["game"]), game=str(game))
    assert not was_run(game)
    evil = tmp_path / "a\x1b[2Jb.py"
    evil.write_text("")
    with pytest.raises(OptionError) as caught:
        config.load(write(tmp_path, game=str(evil), **FAST))
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"opponents": {"self": 1, "past": 1, "{}": 1}},
        {"evaluation": {"deals": 2, "final_deals": 2, "opponents": ["{}"]}},
        {"algorithm": "dagger", "dagger": {"expert": "{}", "timesteps": 128}},
    ],
    ids=str,
)
def test_a_strangers_players_reach_nothing_and_nobody(
    changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before the user has agreed, and not then by what only reads the configuration."""
    monkeypatch.setenv("SECRET", "sk-secret-0123456789")
    kept = tmp_path / "kept"
    chat = f"chat:url=http://127.0.0.1:9/v1,model=m,key_env=SECRET,keep={kept}"
    texts = json.loads(json.dumps(changed).replace("{}", chat))
    folder = tmp_path / "stranger"
    write(folder, **texts).rename(folder / "config.yaml")
    asked = "opens connections, reads environment variables and writes files; you have not agreed"
    with pytest.raises(OptionError, match=asked):
        runs.config_of(folder)
    key, value = next(iter(texts.items()))
    if key != "algorithm":  # which takes nobody who decides by a game's course, whoever agrees
        runs.config_of(folder, [f"{key}={json.dumps(value)}"])
        runs.config_of(folder)  # what was agreed to once stays so
        text = (folder / "config.yaml").read_text()
        (folder / "config.yaml").write_text(text.replace("127.0.0.1:9", "127.0.0.2:9"))
        with pytest.raises(OptionError, match=asked):
            runs.config_of(folder)
    assert not kept.exists()
