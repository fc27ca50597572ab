"""What a run shows while it goes on: a bar on a terminal, lines in a file."""

from __future__ import annotations

import sys

import pytest

from cyberdeck_training import records

GAMES = {"games": 8, "mean_return": 0.5, "win": 0.5, "draw": 0.25, "loss": 0.25}


def test_without_a_terminal_there_is_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(records.time, "monotonic", lambda: now)
    shown = records.Progress(20_000, done=1_000)
    shown.update(1_500, GAMES)
    for now in (4.0, 9.0, 12.0, 15.0, 23.0):
        shown.advance(1_500 + int(100 * now))
    shown.close()
    assert capsys.readouterr() == (
        "        2,700: of 20,000, 142 a second, return +0.50, win 50%, draw 25%, loss 25%, "
        "2 min 2 s left\n"
        "        3,800: of 20,000, 122 a second, return +0.50, win 50%, draw 25%, loss 25%, "
        "2 min 13 s left\n",
        "",
    )


def test_on_a_terminal_there_is_a_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(records, "PAUSE", 0.0)
    shown = records.Progress(20_000, done=0)
    shown.update(20_000, GAMES)
    shown.close()
    printed, bar = capsys.readouterr()
    assert printed == ""
    assert "100%" in bar
    assert "return +0.50, win 50%" in bar
