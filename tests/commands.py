"""How tests give a command."""

from __future__ import annotations

from typing import Any

import pytest

from cyberdeck.commands import main as command

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, line: str, *more: str) -> str:
    """What a command prints, if all is well."""
    status = command.main([*line.split(), *more])
    caught = capsys.readouterr()
    assert (status, caught.err) == (0, "")
    return caught.out


def refused(capsys: Capture, line: str, *more: str, at_once: bool = True) -> str:
    """The one line that a command complains in, *at_once* or when it has printed something."""
    try:
        status: Any = command.main([*line.split(), *more])
    except SystemExit as stopped:  # argparse's
        status = stopped.code
    caught = capsys.readouterr()
    assert status == 2
    assert not (at_once and caught.out)
    assert caught.err.startswith("cyberdeck: ")
    assert caught.err.count("\n") == 1
    return caught.err
