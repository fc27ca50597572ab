"""A whole game in the letters of a link."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.errors import ReplayError
from cyberdeck.playing.compiled import Compiled
from cyberdeck.playing.table import Setup, Table
from cyberdeck.replay import Replay
from cyberdeck.replay.link import packed, unpacked
from cyberdeck.views.kept import MARK

from .commands import Capture, refused, run
from .playing.helpers import GAMES, ask, play_on, variant


def letters(held: Any) -> str:
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    squeezed = packer.compress(json.dumps(held).encode()) + packer.flush()
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


@pytest.mark.parametrize(
    ("game", "options"), [each for each in GAMES if each[0] in ("hovercrafts", "tictactoe.py")]
)
def test_a_link_holds_a_game(game: str, options: dict[str, Any]) -> None:
    playing = Table(Compiled(variant(game, **options)), Setup(against="random"), 7)
    play_on(playing)
    link = ask(playing, "replay", kind="link")["link"]
    assert len(link) < 700
    kept = json.loads(ask(playing, "replay", kind="json")["file"]["text"])
    found = unpacked(f"https://example.org/play/#{MARK}{link}")
    assert (found.seed, packed(found)) == (7, link)
    for name in ("actions", "players", "options", "result"):
        held = found.played()._asdict() if name == "result" else getattr(found, name)
        assert json.loads(json.dumps(held)) == kept[name]


WHOLE = [1, "hackthegrid", 7, [3, 2, 1, 0, 2, 3, 3, 14, 1, 1, 3, 30, 0, 0], {}, []]
NO_GAME = "this link holds no game: copy all of it"


@pytest.mark.parametrize(
    ("link", "said"),
    [
        (None, NO_GAME),
        ("é", NO_GAME),
        ("x" * 50_000, NO_GAME),
        (letters(WHOLE)[:-4], NO_GAME),
        (letters([]), NO_GAME),
        (letters([1, ["hackthegrid"], *WHOLE[2:]]), NO_GAME),
        (letters([2, *WHOLE[1:]]), "another version"),
        (letters([1, "other", *WHOLE[2:]]), "there is no game 'other'"),
        (letters([*WHOLE[:3], WHOLE[3][:-1], {}, []]), "it ends early"),  # type: ignore[index]
        (letters([*WHOLE[:5], ["\x1b[2J", ""]]), r"\\x1b"),
        (letters([*WHOLE[:4], {"\x1b" * 4_000: 1}, []]), "has no option"),
        (letters([*WHOLE[:4], {"scramble": "\x1b" * 4_000}, []]), "is not possible"),
        (letters([*WHOLE[:3], [0] * 300_000, {}, []]), NO_GAME),
        (letters([*WHOLE[:3], [0] * 5_001, {}, []]), "5,001 decisions, and a link holds at most 5"),
        (letters([*WHOLE[:3], [0] * 5_000, {}, []]), "decision 2: "),
        (letters([*WHOLE[:3], ["C3"], {}, []]), NO_GAME),
    ],
)
def test_a_bad_link_gives_one_clear_line(link: Any, said: str) -> None:
    with pytest.raises(ReplayError, match=said) as caught:
        unpacked(link)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1_100


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (Replay("hackthegrid", 7, [0], start={"first": 0}), "save this one as a file"),
        (Replay("hackthegrid", 7, [0] * 5_001), "5,001 decisions, .*: save it as a file"),
    ],
)
def test_what_is_no_link(game: Replay, said: str) -> None:
    with pytest.raises(ReplayError, match=said):
        packed(game)


@pytest.mark.parametrize("mark", ["#game=", "#0a1b&game="])
def test_the_command_shows_the_game_of_a_link(mark: str, capsys: Capture, tmp_path: Path) -> None:
    link = f"http://127.0.0.1:8000/{mark}{letters(WHOLE)}"
    shown = run(capsys, "replay", link)
    Replay("hackthegrid", 7, WHOLE[3]).save(tmp_path / "game.json")  # type: ignore[arg-type]
    assert shown == run(capsys, "replay", str(tmp_path / "game.json"))
    run(capsys, f"replay --output {tmp_path}/game.html", link)
    assert "HACKtheGRID" in (tmp_path / "game.html").read_text()
    assert NO_GAME in refused(capsys, "replay", link[:-4])
