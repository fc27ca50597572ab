"""Compiled loops under valgrind: no word is read or written that is not an array's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cyberdeck.engine import native

PLAYED = Path(__file__).with_name("played.py")


def started(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """What is played under valgrind, which writes what it finds into the folder."""
    library = Path(native.library().__file__)
    told = ["--xml=yes", f"--xml-file={folder / 'found.xml'}", "--num-callers=8"]
    command = ["valgrind", *told, sys.executable, str(PLAYED), str(library.parent), *more]
    folder.mkdir()
    # Python's own memory in one piece would hide where an array ends.
    environment = {**os.environ, "PYTHONMALLOC": "malloc"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def found(folder: Path) -> list[str | None]:
    """What was wrong in the library: Python and NumPy have errors of their own."""
    errors = ElementTree.parse(folder / "found.xml").iter("error")
    return [
        error.findtext("kind")
        for error in errors
        if any("_native" in (frame.findtext("obj") or "") for frame in error.iter("frame"))
    ]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind on the PATH")
def test_valgrind_finds_nothing_in_the_loops(tmp_path: Path) -> None:
    """But it does where a row is asked for that is not there."""
    runs = [started(tmp_path / "right"), started(tmp_path / "wrong", "wrong")]
    for run in runs:
        assert run.communicate()[0] == b"played\n"
        assert run.returncode == 0
    assert found(tmp_path / "right") == []
    assert "InvalidRead" in found(tmp_path / "wrong")
