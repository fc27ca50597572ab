"""What whoever waits for compiled code is told."""

from __future__ import annotations

import io
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from cyberdeck.engine import compiling
from cyberdeck.engine.game_loops import loops_of
from cyberdeck.engine.jit import _CacheFile
from cyberdeck.engine.registry import game
from tests.faults import Disk


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(compiling, "_silence", threading.Event())
    monkeypatch.setattr(compiling, "_begun", set())


def waited(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, times: int = 1) -> str:
    """What is told of compiling one of HACKtheGRID's loops."""
    function: Any = loops_of(game("hackthegrid")).begin
    monkeypatch.setattr("sys.stderr", stream)
    for _ in range(times):
        with compiling.announced("hackthegrid", function.py_func):
            threading.Event().wait(0.2)
    return stream.getvalue()


def test_one_line_says_what_is_compiled_and_for_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    told = waited(monkeypatch, io.StringIO(), times=2)
    assert re.fullmatch(  # by the length of its byte code, which each Python has its own of
        r"cyberdeck: compiling hackthegrid \(about (9|10) s, only once\)\n"
        r"cyberdeck: compiling hackthegrid: begin \(about 5 s, only once\)\n",
        told,
    )


def test_what_is_fast_is_not_told_and_nothing_where_silence_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(compiling, "PATIENCE", 60.0)
        assert waited(patch, io.StringIO()) == ""
    compiling.be_silent()
    assert waited(monkeypatch, io.StringIO()) == ""


def test_who_waits_for_another_process_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    held = threading.Event()

    def hold() -> None:
        with FileLock(tmp_path / "loop.lock"):
            held.set()
            deadline = time.monotonic() + 20
            while not stream.getvalue() and time.monotonic() < deadline:
                threading.Event().wait(0.05)

    threading.Thread(target=hold).start()
    held.wait()
    with compiling.alone(tmp_path, "loop", "chess"):
        assert stream.getvalue() == "cyberdeck: waiting for another process, which compiles chess\n"


def test_compiled_code_is_whole_after_a_power_cut(tmp_path: Path) -> None:
    """It is run as it is found."""
    disk = Disk(tmp_path)
    with disk.until(-1):
        _CacheFile(str(tmp_path), "loop", "stamp").save("key", b"code" * 1000)
    left = disk.left(tmp_path.with_name(f"{tmp_path.name}-left"))
    assert _CacheFile(str(left), "loop", "stamp").load("key") == b"code" * 1000
