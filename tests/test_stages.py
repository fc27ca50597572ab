"""What `.ci/run` runs of a release, and what is said of quick tests that have become slow."""

from __future__ import annotations

import runpy
import subprocess
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
