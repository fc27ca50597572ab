"""`cyberdeck build --suite`: the suite's library, built once, beside the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cyberdeck.building import ahead
from cyberdeck.building import library as building
from cyberdeck.commands.main import main
from cyberdeck.engine import native

#: The first step of every game, each timed, in a process without numba.
STEPS = """
import sys, time; sys.modules["numba"] = None
import cyberdeck, gymnasium
for name in cyberdeck.GAMES:
    began = time.process_time()
    env = gymnasium.make(cyberdeck.game(name).gym_id)
    _, info = env.reset(seed=0)
    env.step(env.action_space.sample(info["action_mask"]))
    print(name, time.process_time() - began)
"""


def steps() -> subprocess.CompletedProcess[str]:
    """In a process that finds what was built, and nothing else."""
    command = [sys.executable, "-W", "error", "-c", STEPS]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library that these tests have, as the one that was built."""
    library = Path(native.library().__file__)
    monkeypatch.setenv("CYBERDECK_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(ahead, "check_tools", lambda: None)
    monkeypatch.setattr(building, "build", lambda folder, targets: {targets[0]: library})
    with monkeypatch.context() as patch:
        patch.setattr(native, "library", lambda: None)
        assert main(["build", "--suite"]) == 0
    made = native.suite_file()
    assert made is not None
    return made


def test_every_game_starts_with_it_at_once(built: Path) -> None:
    done = steps()
    taken = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
    assert len(taken) == 4, done.stderr
    assert max(taken.values()) < 1
    assert done.stderr == ""
    assert {path.suffix for path in built.parent.iterdir()} == {".so", ".sum"}


def test_a_damaged_one_is_not_loaded(built: Path) -> None:
    built.write_bytes(built.read_bytes()[:-1])
    said = f"cyberdeck: {built} is damaged: `cyberdeck build --suite` makes it anew"
    told, *_, last = steps().stderr.splitlines()
    assert told == said
    assert "is not installed" in last


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no such rights")
def test_one_that_others_could_have_put_there_is_not_loaded(built: Path) -> None:
    built.parent.chmod(0o777)
    assert "is not used: others can change" in steps().stderr


def test_there_is_nothing_to_do_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--suite"]) == 0
    said = "every game of the package is compiled: there is nothing to do\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("more", ["", "hackthegrid --suite", "--suite --output-dir new"])
def test_it_is_a_game_or_the_suite(more: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", *more.split()]) == 2
    assert capsys.readouterr().err == "cyberdeck: build takes a GAME, or --suite and nothing else\n"


def test_a_machine_that_nothing_is_built_for_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(native, "library", lambda: None)
    monkeypatch.setattr(native, "host", lambda: "linux-riscv64")
    assert main(["build", "--suite"]) == 2
    assert "no library can be built for linux-riscv64" in capsys.readouterr().err
