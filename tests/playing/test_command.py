"""``cyberdeck play --browser`` as a command, without a browser."""

from __future__ import annotations

import json
import os
import re
import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar
from urllib.request import url2pathname

import pytest

from cyberdeck.commands import browser as commands
from cyberdeck.playing.server import Server
from tests.commands import refused, run

from .helpers import EXAMPLES, play_on

GAME = str(EXAMPLES / "tictactoe.py")


class Browser(webbrowser.BaseBrowser):
    """Notes what it is to open, and what stands there."""

    opened: ClassVar[list[tuple[str, str]]] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        path = Path(url2pathname(url.removeprefix("file:")))
        if os.name == "posix":
            assert path.stat().st_mode & 0o077 == 0
        self.opened.append((url, path.read_text()))
        return True


@pytest.fixture
def visits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Server]:
    """The servers that were started: a person plays a little on each, and presses Ctrl-C."""
    seen: list[Server] = []

    def serve_forever(self: Server, poll_interval: float = 0.5) -> None:
        seen.append(self)
        play_on(self.table, 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", serve_forever)
    monkeypatch.setattr(Browser, "opened", [])
    monkeypatch.setattr(webbrowser, "get", Browser)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    return seen


def test_the_same_command_goes_on(
    visits: list[Server], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for goes_on in (False, True):
        said = run(capsys, f"play {GAME} --browser --opponent random")
        assert re.search(r"\n  http://127\.0\.0\.1:\d+/#\w{32}\n", said)
        assert "same command goes on with it" in said
        assert ("goes on where it was left" in said) == goes_on
    # All users of the machine see what a browser is started with, and another one may have listened
    # at the port in the meantime.
    assert visits[1].port == visits[0].port
    assert visits[1].token != visits[0].token
    assert visits[1].key == visits[0].key
    for visit, (url, page) in zip(visits, Browser.opened, strict=True):
        assert f'content="0; url={visit.url}"' in page
        assert visit.token not in url
        assert not list(tmp_path.rglob("*.html"))
    # Other players are another table.
    against_search = run(capsys, f"play {GAME} --browser --opponent search:iterations=2")
    assert "goes on where" not in against_search
    assert visits[2].key != visits[0].key
    assert len(list(tmp_path.rglob("*.json"))) == 2


@pytest.mark.skipif(os.name != "posix", reason="no file can be kept from growing")
@pytest.mark.parametrize("there", ["a file", "a game"])
def test_a_full_disk_at_the_start(
    there: str, visits: list[Server], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import resource

    command = f"play {GAME} --browser"
    if there == "a game":
        run(capsys, command)
    else:  # where the folder should be
        (tmp_path / "cyberdeck").write_text("")
    before, Browser.opened[:] = resource.getrlimit(resource.RLIMIT_FSIZE), []
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        said = run(capsys, command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert visits[-1].url in said
    assert "cannot be kept on the disk" in visits[-1].table.handle({"do": "look"})["unkept"]
    assert "could not be kept on the disk" in said
    assert ("goes on with it" in said) == (there == "a game")  # at the start: that one is kept
    assert visits[-1].table.resumed == (there == "a game")
    assert Browser.opened == []


def test_what_was_kept_and_does_not_fit_is_put_aside(
    visits: list[Server], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, f"play {GAME} --browser")
    path = next(tmp_path.rglob("*.json"))
    kept = json.loads(path.read_text())
    kept["game"]["actions"] = [0, 0]
    path.write_text(json.dumps(kept))
    said = run(capsys, f"play {GAME} --browser")
    aside = path.with_suffix(".old.json")
    assert str(aside) in said
    assert json.loads(aside.read_text()) == kept
    assert visits[0].port == visits[1].port
    assert not visits[1].table.resumed


@pytest.mark.skipif(sys.platform != "linux", reason="it has another address of this machine's own")
def test_for_the_network_it_says_what_is_open(
    visits: list[Server], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes: list[str] = []

    def make(link: str, error: str) -> SimpleNamespace:
        codes.append(link)
        return SimpleNamespace(terminal=lambda compact: print("code"))

    monkeypatch.setattr(commands, "address_in_network", lambda: "127.0.0.2")
    monkeypatch.setitem(sys.modules, "segno", SimpleNamespace(make=make))
    said = run(capsys, f"play {GAME} --browser --lan")
    assert visits[0].url.startswith("http://127.0.0.2:")
    assert visits[0].url in said
    assert "Whoever in your network has this link" in said
    assert "code" in said
    assert codes == [visits[0].url]
    monkeypatch.setitem(sys.modules, "segno", None)
    said = run(capsys, f"play {GAME} --browser --lan")
    assert 'pip install "segno' in said
    # Without --lan the same game goes on, for this machine alone.
    run(capsys, f"play {GAME} --browser")
    assert visits[2].url.startswith("http://127.0.0.1:")
    assert visits[2].table.resumed
    # Its pages go on after starts for the network, none of which has a key of before.
    run(capsys, f"play {GAME} --browser --lan")
    run(capsys, f"play {GAME} --browser")
    assert visits[4].key == visits[2].key
    assert len({visit.key for visit in visits}) == 4
    monkeypatch.setattr(commands, "address_in_network", lambda: None)
    assert "in no network" in refused(capsys, f"play {GAME} --browser --lan", at_once=False)
    assert "add --browser" in refused(capsys, f"play {GAME} --lan", at_once=False)
