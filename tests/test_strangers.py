"""What others named or wrote does not rule the terminal, and runs only where the user says so.

What their files may hold is tried by ``tests/fuzz``.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from cyberdeck import OptionError
from cyberdeck.api.registration import load_file
from cyberdeck.commands import main as command
from tests.test_policies import network
from tests.test_replay import recorded

PAGE = Path(__file__).parents[1] / "docs" / "use" / "strangers.md"


#: Clears the screen, begins a line, turns the text around, and is no Unicode.
EVIL = "a\x1b[2J\x9b1m\nforged \u202ek|\x7f\udcff"


@pytest.mark.parametrize(
    "line",
    [
        "evaluate hackthegrid P --against P random --deals 1 --replays OUT",
        *("tournament hackthegrid P random --deals 1", "play hackthegrid --against P"),
        *("evaluate hackthegrid random --deals 1 --json OUT", "export hackthegrid P OUT.onnx"),
        *("replay R", "replay R --html OUT", "review R", "compare OUT", "train --resume OUT"),
        *("describe OUT.py", "tasks hackthegrid --count 1 --save OUT.jsonl", "replay OUT"),
        *("evaluate hackthegrid OUT.safetensors", "evaluate hackthegrid solved:file=OUT"),
        *("train hackthegrid OUT=1", "describe hackthegrid OUT", "play hackthegrid --save OUT"),
        *("evaluate hackthegrid random --option OUT", "evaluate hackthegrid R --deals OUT", "OUT"),
    ],
)
def test_names_of_files_do_not_rule_the_terminal(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, game = tmp_path / f"{EVIL}.safetensors", tmp_path / f"{EVIL}.json"
    network("hackthegrid", {}).save(policy)
    recorded("hackthegrid", {}).save(game)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda _: "q")
    named = {"P": policy.name, "R": game.name}
    words = [named.get(word, word.replace("OUT", f"{EVIL}2")) for word in line.split()]
    with suppress(SystemExit):
        command.main(words)
    caught = capsys.readouterr()
    shown = (caught.out + caught.err).split("\n")
    assert any(shown)
    assert [each for each in shown if not each.isprintable() or each.startswith("forged")] == []


def test_a_game_file_whose_name_is_not_unicode_is_refused(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"game\xff.py")
    try:
        file.write_text("raise SystemExit")
    except (OSError, UnicodeError):
        pytest.skip("such names are not possible here")
    with pytest.raises(OptionError, match=r"game\\udcff.py: a name that is not Unicode"):
        load_file(file)


def test_the_page_names_every_command_that_runs_a_games_file() -> None:
    told = PAGE.read_text("utf-8").partition("## Game files")[2].partition("`load_file`")[0]
    for name, made in command.parser().commands.items():
        takes = {each.dest for each in made._actions} & {"game", "games"}
        assert (f"`{name}`" in told) == bool(takes), name
