"""``cyberdeck new``: what it writes works as it is, whatever parts are asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from cyberdeck import Game
from cyberdeck.api.registration import load_file
from cyberdeck.commands.main import main
from cyberdeck.testing import check
from tests.commands import refused
from tests.refusals import refusals

#: The parts of a game, and the names that only games with them have.
PARTS = {
    "--hidden": "resample",
    "--simultaneous": "acts_simultaneously",
    "--teams": "teams",
}


def made(folder: Path, name: str, *parts: str) -> Game:
    assert main(["new", name, *parts, "--output-dir", str(folder)]) == 0
    return load_file(folder / f"{name}.py")


@pytest.mark.parametrize("wanted", list(product([False, True], repeat=3)))
def test_every_game_that_can_be_asked_for_is_one(wanted: tuple[bool, ...], tmp_path: Path) -> None:
    """It can be made, and has what was asked for and no more; its words are whole."""
    parts = [part for part, there in zip(PARTS, wanted, strict=True) if there]
    seats = ["--seats", "4"] if "--teams" in parts else []
    name = "new_" + "".join("ny"[each] for each in wanted)
    game = made(tmp_path, name, *parts, *seats)
    source = (tmp_path / f"{name}.py").read_text()
    for part, called in PARTS.items():
        there = part in parts or (called == "resample" and "--simultaneous" in parts)
        assert (f" {called}=" in source) == there
    assert not re.search(r"\{|\}|@(?!kernel)", source)
    assert max(map(len, source.splitlines())) <= 100
    assert game.title == name.replace("_", " ").capitalize()


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        ("--solo",),
        ("--seats", "4", "--teams", "--hidden"),
    ],
)
def test_it_keeps_the_contract(parts: tuple[str, ...], tmp_path: Path) -> None:
    name = "checked_" + "".join(letter for letter in "".join(parts) if letter.isalnum())
    game = made(tmp_path, name, *parts)
    report = check(game.name, decisions=100, seconds=600)
    assert str(report).startswith(f"{game.name} keeps the contract"), str(report)
    assert not report.warnings


@pytest.mark.slow
def test_its_tests_pass(tmp_path: Path) -> None:
    made(tmp_path, "tested_anew", "--seats", "3", "--hidden", "--simultaneous")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tested_anew.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize(("words", "told"), refusals("new"))
def test_what_cannot_be_asked_for(
    words: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refused(capsys, f"new {words} --output-dir {tmp_path}")
    assert not list(tmp_path.iterdir())


def test_a_folder_is_made_and_no_file_is_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "games" / "new"
    assert made(folder, "placed").name == "placed"
    (folder / "test_mine.py").write_text("kept")
    capsys.readouterr()
    assert "exists already" in refused(capsys, f"new mine --output-dir {folder}")
    names = ["placed.py", "test_mine.py", "test_placed.py"]
    assert sorted(path.name for path in folder.glob("*.py")) == names
    assert (folder / "test_mine.py").read_text() == "kept"
