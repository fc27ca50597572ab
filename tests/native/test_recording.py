"""What goes into the library, found out without building it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest

import cyberdeck
from cyberdeck.building import loops
from cyberdeck.building.extract import NUMBA, check_numba
from cyberdeck.building.library import Takes
from cyberdeck.commands.main import main
from cyberdeck.engine.game_loops import compiled_loops
from cyberdeck.errors import KernelError, install


def test_every_loop_says_what_it_is_given() -> None:
    for name in cyberdeck.GAMES:
        for each in loops.loops_of(name):
            words = Takes(each, [False] * 300).words
            assert len(each.types) == each.function.__code__.co_argcount
            assert max(map(len, words)) < 20


def test_every_loop_is_found() -> None:
    """One that only its own file knows would be missing in every wheel."""
    found = [each for name in cyberdeck.GAMES for each in loops.loops_of(name)]
    known = {Path(each.function.__code__.co_filename) for each in found}
    texts = {path: path.read_text() for path in Path(cyberdeck.__file__).parent.rglob("*.py")}
    marks = ("@loop_of(", "@loops_of_every_game", "@loop_of_every_game")
    assert {path for path, text in texts.items() if any(mark in text for mark in marks)} == known
    compiling = {p.name for p, text in texts.items() if "compile_loops(" in text}
    # What goes through a whole game is compiled for it alone, where numba is.
    here = {
        *("positions.py", "exploring.py", "waits.py", "beliefs.py", "courses.py", "sequences.py"),
        "worlds.py",
        "searching.py",  # by worlds
    }
    assert compiling == {"kernels.py", "solvers.py", *here}


def test_a_loop_that_is_given_something_else_is_refused() -> None:
    core = cyberdeck.Batch("hackthegrid", 2, seed=0)._core
    loops_ = compiled_loops.__wrapped__(core.game)
    with pytest.raises(TypeError, match=r"hackthegrid\.choose: argument 5"):
        loops_.choose(0, core.states, core.rows, core.masks, np.zeros(2, np.int32))


def test_no_numba_is_allowed_that_these_tests_have_not_seen() -> None:
    """The engine replaces passes of its compiler, and the extra `build` takes one version apart."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    major, minor, _ = numba.__version__.split(".")
    assert NUMBA.startswith(f"{major}.{minor}.")
    (allowed,) = extras["jit"]
    assert allowed.endswith(f",<{major}.{int(minor) + 1}")
    assert not [each for each in project["dependencies"] if each.startswith("numba")]
    for name in ("build", "cuda"):
        assert f"numba=={NUMBA}" in extras[name]


def test_another_numba_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.__version__", "0.62.0")
    with pytest.raises(KernelError, match=r"takes numba .*, and here is 0\.62\.0: .*pip install"):
        check_numba()


def test_what_is_missing_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("cyberdeck.building.zig.find_spec", lambda name: None)
    game, folder = "examples/games/tictactoe.py", str(tmp_path / "new")
    assert main(["build", game, "--output-dir", folder]) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err == f"cyberdeck: to link takes ziglang: {install('build')}\n"
    assert not (tmp_path / "new").exists()


def test_a_missing_compiler_is_told_before_the_work() -> None:
    """In a process of its own: here it may have been loaded."""
    code = (
        "import sys; sys.modules['llvmlite'] = None; from cyberdeck.commands.main import main; "
        "sys.exit(main(['build', 'examples/games/tictactoe.py']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    said = f"llvmlite is not installed: this needs the extra build: {install('build')}"
    assert done.stderr == f"cyberdeck: {said}\n"
