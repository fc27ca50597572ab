"""Every command that writes: killed at any moment, or on a full disk, it leaves no half files.

Given again, it does all of its work. What trains goes on: see ``training/test_runs.py`` as well.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cyberdeck.commands import main as command
from tests.commands import Capture
from tests.faults import full_from, killed_at, leftovers, moments
from tests.training.processes import PROCESSES, as_written

KUHN = Path(__file__).parents[1] / "examples" / "games" / "kuhn_poker.py"
MATCH = "--deals 2 --json {out}/all.json --csv {out}/all.csv --save-replays {out}/games --keep 2"

#: What each is given: {out} is a folder for what it writes, {given} one with what it needs.
COMMANDS = {
    "evaluate": f"evaluate hackthegrid random --opponent random {MATCH}",
    "tournament": f"tournament hackthegrid random heuristic {MATCH} --save-plots {{out}}/plots",
    "solve": f"solve {KUHN} --iterations 2 --output {{out}}/kuhn.npz",
    "play": "play hackthegrid --opponent random --seed 1 --output {out}/game.json",
    "replay": "replay {given}/game.json --width 90 --output {out}/a.html --output {out}/a.gif",
    "pictures": "replay {given}/game.json --output-dir {out}/pictures",
    "review": "review {given}/game.json --json {out}/review.json",
    "tasks": "tasks hackthegrid --player random --count 2 --output {out}/tasks.npz",
    "new": "new my_game --output-dir {out}",
    "build": f"build {KUHN} --output-dir {{out}}/built",
}

#: Of each file: before and after it is synced, renamed, and its folder synced.
MOMENTS = 6


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a replay."""
    folder = tmp_path_factory.mktemp("given")
    with pytest.MonkeyPatch.context() as patch:
        as_written(patch)
        assert command.main(COMMANDS["play"].format(out=folder).split()) == 0
    return folder


@pytest.fixture(autouse=True)
def _as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    as_written(monkeypatch)


def made(folder: Path) -> dict[str, bytes]:
    """All that is in a folder."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def whole(line: str, folder: Path) -> dict[str, bytes]:
    """All that a command makes when nothing happens."""
    folder.mkdir()
    assert command.main(line.format(out=folder).split()) == 0
    return made(folder)


def again(line: str, folder: Path, expected: dict[str, bytes], capsys: Capture) -> None:
    """The command once more, in a folder where it was stopped: it does all of its work."""
    had = made(folder)
    status = command.main(line.format(out=folder, given="{given}").split())
    said = capsys.readouterr().err
    if status == 2:  # some files of several are there, each of them whole
        why = "is not empty: name a new folder|exists already: give another name"
        assert re.match(rf"cyberdeck: {folder}.* ({why})", said)
        ready = {name: content for name, content in had.items() if "cyberdeck-part" not in name}
        assert ready.items() <= expected.items()
        shutil.rmtree(folder)
        whole(line, folder)
    assert made(folder) == expected
    assert not leftovers(folder)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("evaluate", "play", "new") else pytest.mark.slow)
        for name in COMMANDS
    ],
)
def test_a_full_disk_is_told_by_the_file_and_nothing_half_is_left(
    name: str, given: Path, tmp_path: Path, capsys: Capture
) -> None:
    line = COMMANDS[name].replace("{given}", str(given))
    folder = tmp_path / "full"
    folder.mkdir()
    expected = whole(line, tmp_path / "whole")
    capsys.readouterr()
    at = random.Random(os.urandom(8)).randrange(MOMENTS * len(expected))
    with moments(full_from(at)):
        status = command.main(line.format(out=folder).split())
    said = capsys.readouterr()
    # Who plays is asked for another file.
    told = f"{folder}.* cannot be written: No space" if name == "play" else f"{folder}.*: No space"
    assert re.search(told, said.out if name == "play" else said.err), (at, said)
    assert status == (0 if name == "play" else 2)
    assert not leftovers(folder)
    again(line, folder, expected, capsys)


def test_standard_output_on_a_full_disk_is_told() -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "cyberdeck", "list"],
            stdout=full,
            stderr=-1,
            text=True,
            check=False,
        )
    told = "cyberdeck: the output cannot be written: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, told)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["evaluate", "solve", "pictures", "build"])
def test_a_command_that_is_killed_while_it_writes_begins_anew(
    name: str, given: Path, tmp_path: Path, capsys: Capture, pytestconfig: pytest.Config
) -> None:
    line = COMMANDS[name].replace("{given}", str(given))
    expected, luck = whole(line, tmp_path / "whole"), random.Random(os.urandom(8))
    for number in range(pytestconfig.getoption("--moments")):
        folder, at = tmp_path / str(number), luck.randrange(MOMENTS * len(expected))
        folder.mkdir()
        child = PROCESSES.Process(target=written, args=(line.format(out=folder).split(), at))
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        again(line, folder, expected, capsys)


def written(arguments: list[str], moment: int) -> None:
    """A command in a process of its own, which is killed at that moment."""
    patch = pytest.MonkeyPatch()
    as_written(patch)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with moments(killed_at(moment)):
        os._exit(command.main(arguments))
