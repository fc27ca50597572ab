"""WebAssembly of strangers: what no game has is not run, and the page stops what never returns."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.building.description import FORMAT
from cyberdeck.building.webassembly import MODULES, with_section
from cyberdeck.playing import server as playing
from cyberdeck.views.notation import key

PROGRAMS = Path(__file__).with_name("javascript")
STATIC = Path(playing.__file__).parent / "static"
ABOUT = {"format": FORMAT, "saved": "", "row": {"blank": ""}, "settings": {"blank": ""}}
TOLD = json.dumps({**ABOUT, "name": "own", "record": {"fields": {}}, "metrics": [], "options": []})
DIGEST = with_section(b"", TOLD.encode())[-16:]

#: A game that does nothing but to say its digest, and, where it is asked, to run for ever.
PARTS = {
    1: b"\2\x60\3\x7f\x7f\x7f\0\x60\0\0",
    3: b"\2\0\1",
    5: b"\1\0\1",
    6: b"\1\x7f\0\x41\x80\x08\x0b",
    7: b"\4\6memory\2\0\x0b__heap_base\3\0\6digest\0\0\4loop\0\1",
    10: b"\2\x0c\0\x20\2\x41\0\x41\x10\xfc\x0a\0\0\x0b\7\0\3\x40\x0c\0\x0b\x0b",
    11: b"\1\0\x41\0\x0b\x10" + DIGEST,
}


def game(changes: dict[int, bytes]) -> bytes:
    parts = sorted({**PARTS, **changes}.items())
    code = b"".join(bytes([number, len(part)]) + part for number, part in parts)
    return with_section(b"\0asm\1\0\0\0" + code, TOLD.encode())


def node(program: str, *arguments: str, cwd: Path | None = None) -> Any:
    """What a program of ``tests/javascript`` says as JSON."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("JavaScript is tried in Node: put it on the PATH")
    run = [found, str((cwd or PROGRAMS) / program), *arguments]
    return json.loads(subprocess.run(run, cwd=cwd, timeout=120, check=True, stdout=-1).stdout)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "own"),
        ({8: b"\1"}, "runs as soon as it is loaded"),
        ({2: b"\1\3env\1t\1\x70\0\0"}, "asks for something from outside"),
        ({3: b"\x91\x4e"}, "has more than 10000 functions"),
        ({5: b"\1\0\x80\x80\4"}, "begins with 65536 pages of memory, more than 1024"),
        ({5: b"\1\3\1\x80\x80\4"}, "has pages of memory of another kind"),
        ({4: b"\1\x70\0\x80\xad\xe2\4"}, "begins with 10000000 entries of a table"),
        ({1: b"\3" + PARTS[1][1:] + b"\x5e\x78\1"}, "has types of data"),
        ({13: b"\0"}, "has a section of kind 13"),
    ],
)
def test_what_no_game_has_is_refused_before_it_runs(
    changes: dict[int, bytes], expected: str
) -> None:
    content = base64.b64encode(game(changes)).decode()
    said, milliseconds, memory = node("load.mjs", MODULES[0].as_uri(), content)
    assert expected in said
    assert said == "own" or said.startswith("GameError: th")
    assert milliseconds < 1000
    assert memory < 200e6


@pytest.mark.parametrize("kept", ["kept", "bad"])
def test_the_page_stops_a_game_that_never_returns(kept: str, tmp_path: Path) -> None:
    """And goes back to the one that was kept; where that is what never returns, it asks."""
    statics = (STATIC / "static.js", STATIC / "worker.mjs")
    for path in (*MODULES, *statics, *PROGRAMS.iterdir()):
        shutil.copy(path, tmp_path)
    (tmp_path / "own.wasm").write_bytes(game({}))
    messages = [{"do": "look"}, {"do": "choose"}, {"do": "look"}]
    sent = json.dumps(messages[kept == "bad" :])
    said, asked, running = node("page.mjs", sent, kept, cwd=tmp_path)
    *before, stopped, after = said
    assert stopped["error"].startswith("The game did not answer for 30 seconds, and was stopped.")
    assert before == ([{"kept": "kept"}] if kept == "kept" else [])
    assert after == ({"kept": "kept"} if kept == "kept" else {})
    assert len(asked) == (kept == "bad")
    assert running == 1


def test_the_page_reads_notations_as_python_does_and_arrows_choose_directions() -> None:
    said = node("keys.mjs", str(Path(playing.__file__).with_name("page.html")))
    texts = ("K♥ to pile 2", "12♥♦ 3", "9♠ 2", "w4 × B4+")
    assert said["keys"] == [key(text) for text in texts]
    assert said["joined"] == ["kinghearts2", "red123", "9spades2", "w4b4"]
    assert said["directions"] == [0, None, 1, 2]
    assert said["others"] == [None] * 4
