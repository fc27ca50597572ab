"""A little of ``make fuzz``: what was found so far, and some of what it tries, always the same."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import games
from tests.fuzz.chosen import run
from tests.fuzz.doors import DOORS
from tests.fuzz.trial import LONGEST_ERROR, Door, Failure, tried

#: How many are tried, by how long one takes.
TRIES = {
    **{"state": 150, "replay": 30, "link": 25, "answer": 250, "policy": 200, "solved": 200},
    **{"journal": 200, "prompts": 25, "note": 200, "config": 40, "run": 40, "checkpoint": 200},
    **{"weights": 50, "kept": 30, "request": 30},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIES)
def test_what_strangers_send_is_withstood(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "")  # one puts it into its folder
    monkeypatch.setattr(games, "CAREFUL", 10)
    door = DOORS[name](tmp_path)
    right = door.right()
    assert sum(tried(door, data) for data in right) > len(right) / 4  # prose names no move
    for data in door.found(right):
        tried(door, data)
    run(door, right, lambda data: tried(door, data), TRIES[name], seed=0)


# --- what is a failure ---------------------------------------------------------------------------


class Open(Door):
    """Takes what it is told to, and says something."""

    name = "open"
    refusals = (ValueError,)

    def enter(self, data: bytes) -> str:
        text = data.decode()
        until = time.thread_time() + 0.2 * (text == "slow")
        while time.thread_time() < until:
            pass
        if text == "large":
            return str(len(b"x" * (300 << 20)))
        if text.startswith("no"):
            raise ValueError(text)
        return text

    def use(self, found: str, luck: Random) -> Iterator[str]:
        yield found


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ("slow", r"reading 4 bytes took 0\.2 s"),
        ("large", r"reading 5 bytes took \d+ MB"),
        ("shown\x1b[2J", "control character"),
        ("no\x9b", "control character"),
        ("no" + "o" * LONGEST_ERROR, "an error has 5,002 characters"),
    ],
)
def test_what_is_a_failure_and_what_is_none(data: str, error: str, tmp_path: Path) -> None:
    door = Open(tmp_path)
    with pytest.raises(Failure, match=error):
        tried(door, data.encode(), slow=0.15 if data == "slow" else 1.0)
    assert tried(door, "Zoë\n\t".encode())
    assert not tried(door, b"no")
