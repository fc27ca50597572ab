"""Commands take the file of somebody's own game wherever they take a game's name."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from cyberdeck.api.registration import load_file
from cyberdeck.engine import registry
from cyberdeck.replay import Replay
from tests.commands import refused, run

GAMES = Path(__file__).parents[1] / "examples" / "games"

Capture = pytest.CaptureFixture[str]


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """What somebody types, again and again until the game is over."""
    typed = iter(lines * 1000)
    monkeypatch.setattr("builtins.input", lambda prompt: "" if "saves" in prompt else next(typed))


# One with secrets, and the plain one: the others show nothing more here, and compile for long.
@pytest.mark.parametrize("name", [pytest.param("goofspiel", marks=pytest.mark.slow), "tictactoe"])
def test_a_game_of_a_file_in_every_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    path = GAMES / f"{name}.py"
    described = run(capsys, f"describe {path}")
    game = registry.game(path.stem)
    assert described.startswith(game.title)
    assert path.stem in run(capsys, "list")
    table = run(capsys, f"evaluate {path} search:iterations=5 --opponent random --deals 1")
    assert table.startswith(f"{game.title}, 1 deal, seed 0 (for choosing): search:iterations=5\n")
    ranking = run(capsys, f"tournament {path} random search:iterations=5 --deals 1")
    assert "1. " in ranking
    # Somebody who tries the numbers from 0 on until one is legal.
    answers(monkeypatch, *map(str, range(9)))
    saved = tmp_path / "game.json"
    played = run(capsys, f"play {path} --opponent search:iterations=5 --seed 1 --output {saved}")
    assert "legal actions:" not in played, "they are listed to choose from, and not once more"
    assert "person" in Replay.load(saved).players
    answers(monkeypatch, "h", *map(str, range(9)))
    told = run(capsys, f"play {path} --opponent random --seed 1")
    assert re.search(r"(Search|The solver) suggests .*; others: ", told)
    registry._found.pop(path.stem)
    assert f"there is no game '{path.stem}'" in refused(capsys, f"replay {saved}")
    moves = run(capsys, f"replay {saved} --game {path}")
    assert moves.count("\n") > len(json.loads(saved.read_text())["actions"])
    page = tmp_path / "game.html"
    assert run(capsys, f"replay {saved} --game {path} --output {page}")
    assert game.title in page.read_text()


def test_the_name_of_a_file_cannot_rule_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    """It may come out of somebody's archive."""
    evil = tmp_path / "\x1b[2J.py"
    evil.write_text("{")
    for command in ("replay", "review", "compare", "describe"):
        assert r"\x1b[2J.py" in refused(capsys, command, str(evil))


def test_files_that_describe_no_game(tmp_path: Path, capsys: Capture) -> None:
    empty = tmp_path / "empty.py"
    for line in (f"describe {empty}", f"evaluate {empty} random"):
        assert "does not exist: give the file of a game (*.py)" in refused(capsys, line)
    empty.write_text("")
    assert "it must have GAME = cyberdeck.Game(...)" in refused(capsys, f"play {empty}")


def test_an_edit_of_the_same_length_in_the_same_second_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file, text = tmp_path / "edited.py", (GAMES / "tictactoe.py").read_text()
    for name in ("edited_0", "edited_1"):
        file.write_text(text.replace('name="tictactoe"', f'name="{name}"'))
        os.utime(file, (1, 1))
        assert load_file(file).name == name
