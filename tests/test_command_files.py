"""Commands take the file of somebody's own game wherever they take a game's name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cyberdeck.commands import main as command
from cyberdeck.engine import registry
from cyberdeck.replay import Replay

GAMES = sorted((Path(__file__).parents[1] / "examples" / "games").glob("*.py"))

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *words: str) -> str:
    status = command.main(words)
    caught = capsys.readouterr()
    assert (status, caught.err) == (0, "")
    return caught.out


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """What somebody types, again and again until the game is over."""
    typed = iter(lines * 1000)
    monkeypatch.setattr("builtins.input", lambda prompt: "" if "saves" in prompt else next(typed))


# One with secrets, and the plain one: the others show nothing more here, and compile for long.
@pytest.mark.parametrize(
    "path",
    [pytest.param(GAMES[1], marks=pytest.mark.slow), GAMES[3]],
    ids=["goofspiel", "tictactoe"],
)
def test_a_game_of_a_file_in_every_command(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    described = run(capsys, "describe", str(path))
    game = registry.game(path.stem)
    assert described.startswith(game.title)
    assert path.stem in run(capsys, "list")
    table = run(capsys, "evaluate", str(path), "search", "--against", "random", "--deals", "4")
    assert table.startswith(f"{game.title}, 4 deals, seed 0: search\n")
    ranking = run(capsys, "tournament", str(path), "random", "search:iterations=5", "--deals", "4")
    assert "1. " in ranking
    # Somebody who tries the numbers from 0 on until one is legal.
    answers(monkeypatch, *map(str, range(9)))
    saved = tmp_path / "game.json"
    played = run(
        capsys, *("play", str(path), "--against", "search", "--seed", "1", "--save", str(saved))
    )
    assert "legal actions:" not in played, "they are listed to choose from, and not once more"
    assert "person" in Replay.load(saved).players
    registry._found.pop(path.stem)
    assert command.main(["replay", str(saved)]) == 2
    assert f"there is no game '{path.stem}'" in capsys.readouterr().err
    moves = run(capsys, "replay", str(saved), "--game", str(path))
    assert moves.count("\n") > len(json.loads(saved.read_text())["actions"])
    page = tmp_path / "game.html"
    assert run(capsys, "replay", str(saved), "--game", str(path), "--html", str(page))
    assert game.title in page.read_text()


def test_search_gives_hints_in_any_game(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    answers(monkeypatch, "h", *map(str, range(9)))
    told = run(capsys, "play", str(GAMES[-1]), "--against", "random", "--seed", "1")
    assert re.search(r"search:iterations=200 would choose \d: .* -> \+[01]\.\d\d; others: ", told)


def test_files_that_describe_no_game(tmp_path: Path, capsys: Capture) -> None:
    empty = tmp_path / "empty.py"
    for line, complaint in (
        (["describe", str(empty)], "does not exist: give the file of a game (*.py)"),
        (["evaluate", str(empty), "random"], "does not exist: give the file of a game (*.py)"),
    ):
        assert command.main(line) == 2
        assert complaint in capsys.readouterr().err
    empty.write_text("")
    assert command.main(["play", str(empty)]) == 2
    assert "it must have GAME = cyberdeck.Game(...)" in capsys.readouterr().err
    assert command.main(["solve", str(GAMES[0])]) == 2
    assert (
        "has no solver; there is one for: matrix_overload, hackthegrid" in capsys.readouterr().err
    )
