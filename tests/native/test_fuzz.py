"""Saved states that were changed: JavaScript takes what Python takes, and refuses the rest."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.chosen import run
from tests.fuzz.javascript import Restored
from tests.fuzz.trial import tried


def test_javascript_takes_the_states_that_python_takes(tmp_path: Path) -> None:
    door = Restored(tmp_path)
    right = door.right()
    try:
        assert all(tried(door, data) for data in right)
        for data in door.found(right):
            tried(door, data)
        run(door, right, lambda data: tried(door, data), 300, seed=0)
    finally:
        door.close()
