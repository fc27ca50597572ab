"""A little of ``make fuzz``: what was found so far, and some of what it tries, always the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import games
from tests.fuzz.doors import DOORS
from tests.fuzz.trial import withstand

#: How many are tried, by how long one takes.
TRIES = {
    **{"state": 70, "replay": 30, "link": 15, "answer": 150, "policy": 200, "solved": 200},
    **{"journal": 200, "prompts": 25, "note": 100, "config": 40, "run": 40, "checkpoint": 200},
    **{"weights": 50, "kept": 30, "message": 30, "results": 60},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIES)
def test_what_strangers_send_is_withstood(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "")  # one puts it into its folder
    monkeypatch.setattr(games, "CAREFUL", 10)
    accepted = withstand(DOORS[name](tmp_path), TRIES[name])
    assert sum(accepted) > len(accepted) / 4  # prose names no move
