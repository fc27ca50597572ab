"""A library beside a game's file is looked at before it is loaded, and has to be whole."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cyberdeck.api.registration import load_file
from cyberdeck.engine import native
from cyberdeck.engine.game_loops import loops_of

GAME = Path(__file__).parents[2] / "examples" / "games" / "tictactoe.py"
CONTENT = bytes(range(256)) * 16

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A whole one, as far as its note knows, beside the game that is to be loaded."""
    shutil.copy(GAME, tmp_path)
    path = tmp_path / native.file_name(GAME.stem)
    native.write(path, CONTENT)
    return path


def change(content: bytes) -> bytes:
    return content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]


def pipe(library: Path) -> None:
    """It is not waited for."""
    native.note_of(library).unlink()
    os.mkfifo(native.note_of(library))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda path: path.write_bytes(CONTENT[:-1]), "is damaged"),
        (lambda path: path.write_bytes(change(CONTENT)), "is damaged"),
        (lambda path: native.note_of(path).write_bytes(b"\xff" * 900), "is damaged"),
        (
            lambda path: native.note_of(path).write_bytes(b"x" * 5000),
            "cannot be read (it has 5,000 bytes, and at most 1,000 are read)",
        ),
        (
            lambda path: native.note_of(path).unlink(),
            f"has no {native.file_name(GAME.stem)}.sum beside it",
        ),
        (pipe, "cannot be read (it is not a regular file)"),
    ],
)
def test_it_is_not_loaded_and_one_line_says_why(
    damage: Callable[[Path], object],
    told: str,
    library: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    """Numba compiles the game instead."""

    def never(*_: object) -> None:
        raise AssertionError("it was loaded")

    damage(library)
    act = load_file(library.with_name(GAME.name)).kernels.act
    monkeypatch.setattr(importlib.util, "module_from_spec", never)
    for _ in range(2):
        assert native.loops([act], "tictactoe") is None
    said = capsys.readouterr().err
    assert said == f"cyberdeck: {library} {told}: `cyberdeck build` it anew\n"
    assert native.why_not("tictactoe") == f" ({said[len('cyberdeck: ') : -1]})"


def test_one_of_other_sources_is_left_without_a_word(
    library: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """It was useful before the game was edited, or the package."""
    monkeypatch.setattr(native, "stamp", lambda: "other")
    assert native.loops([load_file(library.with_name(GAME.name)).kernels.act], "tictactoe") is None
    assert capsys.readouterr().err == ""
    assert "was built from other sources" in native.why_not("tictactoe")


def test_what_is_whole_and_no_library_is_told_too(library: Path, capsys: Capture) -> None:
    game = load_file(library.with_name(GAME.name))
    assert all(hasattr(loop, "py_func") for loop in vars(loops_of(game)).values())
    assert f"cyberdeck: {library} cannot be loaded: " in capsys.readouterr().err


def test_the_note_is_written_last(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is interrupted leaves a library without one, not with that of another."""
    written: list[str] = []
    monkeypatch.setattr(native, "write_whole", lambda path, _: written.append(path.name))
    native.write(library, b"new")
    assert written == [library.name, f"{library.name}.sum"]
    assert not native.note_of(library).exists()
