"""Saved states and files of games that were changed, in JavaScript."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.fuzz.javascript import Opened, Restored
from tests.fuzz.trial import several_changed, tried, withstand


def test_javascript_takes_the_states_that_python_takes(tmp_path: Path) -> None:
    with closing(Restored(tmp_path)) as door:
        assert all(withstand(door, 300))


def test_a_changed_file_is_refused_or_harms_nobody_else(tmp_path: Path) -> None:
    with closing(Opened(tmp_path)) as door:
        right = door.right()
        assert all(tried(door, data) for data in right)
        assert not any(tried(door, data) for data in door.found(right))
        for data in several_changed(door, right, range(100)):
            tried(door, data)
