"""The prompts of a chat model, and its answers, on the page of a replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cyberdeck.errors import ReplayError
from cyberdeck.replay import Replay, prompts
from tests.commands import Capture, refused, run
from tests.test_replay import EVIL, brief, tab

assert tab  # a fixture


def note(seat: int, *said: str) -> dict[str, Any]:
    about = {"verdict": "illegal", "prompt_tokens": 100, "completion_tokens": 12, "seconds": 1.25}
    answers = [{"role": "assistant", "content": text, **about} for text in said[1:]]
    return {"seat": seat, "messages": [{"role": "user", "content": said[0]}, *answers]}


def data(page: str) -> Any:
    found = page.partition('<script type="application/json" id="data">')[2].partition("</script>")
    return json.loads(found[0])


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A replay, beside which there are prompts of both seats."""
    replay = brief("hackthegrid")
    replay.save(tmp_path / "game.json")
    movers = [each.mover for each in list(replay.positions())[:2]]
    notes = [note(seat, f"prompt {seat} {EVIL}", f"answer {seat} {EVIL}") for seat in movers]
    prompts.save(tmp_path / "game.prompts.jsonl", notes)
    return tmp_path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = prompts.beside(tmp_path / "game.json")
    prompts.save(file, [None, note(0, "a\nb", "c\u2028"), "a note of somebody else's"])
    [asked] = prompts.load(file)
    assert (asked.decision, asked.seat) == (2, 0)
    assert asked.said == (
        prompts.Said("user", "a\nb", ""),
        prompts.Said("assistant", "c\u2028", "illegal, 100 + 12 tokens, 1.2 s"),
    )


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "7",
        '{"decision": "1", "seat": 0, "messages": []}',
        '{"decision": 1, "seat": 0, "messages": ["a"]}',
        '{"decision": 1, "seat": 0, "messages": [{"role": "user", "content": 7}]}',
        "[" * 100_000,
    ],
)
def test_a_file_that_holds_no_prompts_is_said(kept: Path, line: str, capsys: Capture) -> None:
    (kept / "game.prompts.jsonl").write_text(line + "\n")
    with pytest.raises(ReplayError, match="line 1: it is no decision of a model"):
        prompts.load(kept / "game.prompts.jsonl")
    assert "line 1" in refused(capsys, f"replay {kept}/game.json --output {kept}/game.html")


def test_the_page_holds_what_the_seat_was_told_and_runs_nothing(
    kept: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cyberdeck.replay.page.Packed.add", lambda packed, svg: None)
    page = kept / "game.html"
    run(capsys, f"replay {kept}/game.json --output {page}")
    assert "<img" not in page.read_text()
    assert page.read_text().count("<script") == 2
    talks = data(page.read_text())["talks"]
    assert [decision for decision, _ in talks] == [1, 2]
    assert talks[0][1][1][1].endswith(EVIL)
    replay, asked = Replay.load(kept / "game.json"), prompts.load(kept / "game.prompts.jsonl")
    replay.write_html(page, 1, asked=asked)
    assert [at for at in (0, 1) if f"prompt {at}" in page.read_text()] == [1]
    replay.write_html(page, "all", asked=asked)
    views = data(page.read_text())["views"]
    assert [len(view["talks"]) for view in views] == [2, 0, 1, 1]  # all, a spectator, the seats


def test_the_page_shows_them_at_the_move(tab: Any, kept: Path) -> None:
    replay = Replay.load(kept / "game.json")
    first = next(replay.positions()).mover
    replay.write_html(kept / "g.html", asked=prompts.load(kept / "game.prompts.jsonl"))
    tab.goto((kept / "g.html").as_uri())
    tab.click("#talk summary")
    assert tab.inner_text("#talk pre") == "No model decided here."
    tab.keyboard.press("ArrowRight")
    said = tab.locator("#talk pre").all_text_contents()
    assert said == [f"prompt {first} {EVIL}", f"answer {first} {EVIL}"]
    heads = tab.locator("#talk h3").all_text_contents()
    assert heads == ["1. user", "1. assistant: illegal, 100 + 12 tokens, 1.2 s"]
    assert tab.locator("#talk img").count() == 0
    tab.keyboard.press("End")
    assert tab.inner_text("#talk pre") == "No model decided here."
