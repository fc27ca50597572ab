"""What `.ci/run` runs of a release, and what is said of quick tests that have become slow."""

from __future__ import annotations

import runpy
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
STAGES = runpy.run_path(str(ROOT / ".ci" / "stages.py"))
PARTS = STAGES["PARTS"]


@pytest.mark.parametrize("day", range(len(PARTS)))
def test_parts_of_a_release_are_todays_and_what_differs_in_eight_minutes(
    day: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    differing: list[str] = []
    monkeypatch.setattr(subprocess, "check_output", lambda *_, **__: "\n".join(differing))
    monkeypatch.setattr(time, "localtime", lambda: SimpleNamespace(tm_yday=day))
    assert STAGES["chosen_parts"]() == [PARTS[day]]
    differing += [path for part in PARTS for path in part.paths]
    chosen = STAGES["chosen_parts"]()
    minutes = sum(part.minutes for part in chosen)
    assert chosen[0] is PARTS[day]
    assert minutes <= 8 < minutes + min(part.minutes for part in PARTS if part not in chosen)


@pytest.mark.slow
def test_tests_that_have_become_slow_are_listed_and_fail_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_two.py").write_text(
        "import pytest, time\n"
        "def work(seconds):\n"
        "    until = time.process_time() + seconds\n"
        "    while time.process_time() < until: pass\n"
        "def test_quick(): work(0.1)\n"
        "def test_long(): work(1.2)\n"
        "def test_longest(): work(1.5)\n"
        "@pytest.mark.slow\n"
        "def test_known_as_slow(): work(1.2)\n"
    )
    python = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", "pyproject.toml"]
    done = subprocess.run([*python, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = done.stdout.partition("no longer quick: CPU seconds")[2].split()
    assert [word.partition("::")[2] for word in listed if "::" in word] == [
        "test_longest",
        "test_long",
    ]
