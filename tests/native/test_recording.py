"""What goes into the library, found out without building it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cyberdeck.building import loops
from cyberdeck.building.extract import NUMBA, check_numba
from cyberdeck.building.library import Takes
from cyberdeck.commands.main import main
from cyberdeck.errors import KernelError


def test_every_loop_of_the_package_is_called_and_has_its_shapes() -> None:
    """One that is added and not called there would be missing in every wheel."""
    found = loops.recorded_suite()
    assert {each.name.partition(".")[2] for each in found} == set(loops.SHAPES)
    for each in found:
        Takes(each, [False] * 300)


def test_a_loop_that_nobody_calls_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops.Search, "decide", lambda search, seen: None)
    with pytest.raises(LookupError, match=r"never called here.*guiding\.py.*searching\.py"):
        loops.recorded_suite()


def test_the_extra_has_the_numba_that_is_taken_apart() -> None:
    extras = tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert f"numba=={NUMBA}" in extras["build"]


def test_another_numba_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.__version__", "0.62.0")
    with pytest.raises(KernelError, match=r"takes numba .*, and here is 0\.62\.0: pip install"):
        check_numba()


def test_what_is_missing_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("cyberdeck.building.zig.find_spec", lambda name: None)
    assert main(["build", "examples/games/tictactoe.py", "--out", str(tmp_path / "new")]) == 2
    caught = capsys.readouterr()
    assert caught.err == "cyberdeck: to link takes ziglang: pip install 'cyberdeck[build]'\n"
    assert not (tmp_path / "new").exists()
