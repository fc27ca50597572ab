"""The pages show what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cyberdeck.commands import main as command

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "reference" / "command.md"

_CONSOLE = re.compile(r"^```text\n\$ cyberdeck ([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("reference/command", 5),
        pytest.param("evaluate/matches", 3, marks=pytest.mark.slow),
        pytest.param("evaluate/tournaments", 1, marks=pytest.mark.slow),
    ],
)
def test_the_page_shows_what_is_printed(
    page: str,
    least: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One after the other in one folder: later commands read what earlier ones have written."""
    monkeypatch.chdir(tmp_path)
    examples = _CONSOLE.findall((DOCS / f"{page}.md").read_text("utf-8"))
    assert len(examples) >= least
    for line, shown in examples:
        command.main(shlex.split(line))
        caught = capsys.readouterr()
        assert caught.out + caught.err == shown, line


@pytest.mark.parametrize(
    "name",
    ["describe", "play", "evaluate", "match", "tournament", "solve", "replay", "check", "build"],
)
def test_the_page_tells_every_argument_and_help_has_examples_that_can_be_read(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main([name, "--help"])
    assert stopped.value.code == 0
    shown, told = capsys.readouterr().out, PAGE.read_text("utf-8")
    for argument in set(re.findall(r"--\w+", shown)) - {"--help", "--no"}:
        assert argument in told
    examples = re.findall(rf"^  cyberdeck ({name} .*)", shown, re.MULTILINE)
    assert len(examples) >= 2
    for example in examples:
        assert command.parser().parse_args(example.split()).command == name
