"""What others named or wrote does not rule the terminal, and runs only where the user says so.

What their files may hold is tried by ``tests/fuzz``.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest

import cyberdeck_training
from cyberdeck import OptionError, commands
from cyberdeck.api.registration import load_file
from cyberdeck.commands import main as command
from cyberdeck.common import archives, reading
from cyberdeck.engine import native
from cyberdeck.players import networks, solved
from cyberdeck.playing import server
from cyberdeck.replay import checks, prompts
from cyberdeck.text.chat import journal, protocol
from cyberdeck.views.kept import SHOWN
from cyberdeck_training import checkpoints, config, runs
from tests.test_policies import network
from tests.test_replay import recorded

PAGE = Path(__file__).parents[1] / "docs" / "use" / "strangers.md"


def size(count: int) -> str:
    """A number of bytes, as the page writes it."""
    unit = (count.bit_length() - 1) // 10
    assert count % (1 << 10 * unit) == 0
    return f"{count >> 10 * unit} {' KMG'[unit]}B"


#: The rows of the page's last table, and what the code says.
BOUNDS = {
    "replay": [
        size(reading.MOST),
        *(f"{at:,}" for at in (checks.MOST, checks.MOST_WRITTEN, SHOWN)),
    ],
    "link": [f"{SHOWN:,} decisions"],
    "prompts": [size(prompts._MOST)],
    "answers": [size(journal._MOST)],
    "answer of a model's server": [f"{protocol._MOST:,} bytes"],
    "policy": [size(networks.files.MOST_BYTES)],
    "solved game": [size(solved._MOST)],
    "configuration": [size(config.MOST), f"{config.MOST_VALUES:,} values"],
    "run folder": [size(runs.MOST), f"{runs.MOST_WORDS:,}", size(reading.MOST)],
    "checkpoint": [size(checkpoints._LONGEST), size(reading.MOST)],
    "game kept": [size(reading.MOST)],
    "message of the page": [size(server._LONGEST), f"{server._MOST} connections"],
    "library": [size(native._MOST)],
    "JSON": [f"{reading.DEEPEST} "],
    "names, texts": [f"{reading.LONGEST_NAME:,}", f"{reading.LONGEST_TEXT:,}"],
    "archives": [f"{archives._MOST_PARTS:,}"],
}


def test_the_page_tells_the_bounds() -> None:
    table = PAGE.read_text("utf-8").partition("## What bounds")[2]
    for kind, bounds in BOUNDS.items():
        rows = [line for line in table.splitlines() if line.startswith(f"| {kind}")]
        assert len(rows) == 1
        assert [each for each in bounds if each not in rows[0]] == []


#: Clears the screen, begins a line, turns the text around, and is no Unicode.
EVIL = "a\x1b[2J\x9b1m\nforged \u202ek|\x7f\udcff"


@pytest.mark.parametrize(
    "line",
    [
        "evaluate hackthegrid P --opponent P random --deals 1 --save-replays OUT",
        *("tournament hackthegrid P random --deals 1", "play hackthegrid --opponent P"),
        *("evaluate hackthegrid random --deals 1 --json OUT", "export hackthegrid P OUT.onnx"),
        *("replay R", "replay R --output OUT.html", "review R", "compare OUT"),
        *("tasks hackthegrid --count 1 --output OUT.jsonl", "train --resume OUT", "replay OUT"),
        *("evaluate hackthegrid OUT.safetensors", "evaluate hackthegrid solved:file=OUT"),
        "evaluate hackthegrid R --deals OUT",
        *("train hackthegrid OUT=1", "describe hackthegrid OUT", "play hackthegrid --output OUT"),
        *("describe OUT.py", "evaluate hackthegrid random OUT", "OUT"),
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


def test_what_commands_print_goes_through_one_function() -> None:
    """But for lines that get colours when they have gone through it, and lines of JSON."""
    roots = [Path(str(each.__file__)).parent for each in (commands, cyberdeck_training)]
    prints = re.compile(r"^(?! *(>>>|\.\.\.)).*\bprint\(", re.MULTILINE)
    files = (path for root in roots for path in root.glob("*.py"))
    found = {path.name for path in files if prints.search(path.read_text("utf-8"))}
    assert found == {"play.py", "tasks.py"}


def test_what_warns_goes_through_one_function() -> None:
    suite = Path(str(commands.__file__)).parents[1]
    files = [each for each in suite.rglob("*.py") if "warnings.warn(" in each.read_text("utf-8")]
    assert [each.name for each in files] == ["text.py"]


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
