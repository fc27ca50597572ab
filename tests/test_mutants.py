"""``make mutants``: what it changes, where it finds that again, and who found it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
from tools import mutants
from tools.mutations import places


@pytest.mark.parametrize(
    ("operator", "line", "changed"),
    [
        ("change_comparison", "a = b < c", "a = (b <= c)"),
        ("change_calculation", "a = b // c", "a = (b * c)"),
        ("change_number", "a = 2", "a = (3)"),
        ("change_truth", "a = not b", "a = (b)"),
        ("change_condition", "if a: b = c", "if (False): b = c"),
        ("leave_out", "a[b] = c", "pass"),
        ("change_loop", "while a: break", "while a: continue"),
        ("change_argument", "a(b, c)", "(a(c, b))"),
    ],
)
def test_a_mutant_is_found_again_where_its_lines_lie_now(
    operator: str, line: str, changed: str
) -> None:
    text = f"zero = one\n{line}\n"
    found = next(each for each in places("", "x.py", text) if each.operator == operator)
    assert found.apply(text) == f"zero = one\n{changed}\n"
    moved = found.moved(text, f"# once more\n{text}")
    assert moved is not None
    assert moved.name == found.name
    assert moved.apply(f"# once more\n{text}") == f"# once more\nzero = one\n{changed}\n"
    assert found.moved(text, "zero = one\n") is None


def test_of_faults_put_in_at_once_each_is_told_by_what_fails_with_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a = b < c\nd = e > f\ng = h == i\n"
    file = tmp_path / "x.py"
    file.write_text(text)
    found = [each for each in places("", "x.py", text) if each.operator == "change_comparison"]
    for test in "abc":
        (tmp_path / test).touch()

    def run(root: Path, python: Path, arguments: list[str], limit: float) -> Any:
        now = file.read_text()
        failed = [
            *"c",
            *(test for test, is_there in zip("ab", "<>", strict=True) if f"{is_there}=" in now),
        ]
        if "-n" in arguments and ">=" in now:
            failed.remove("a")  # not reached while there is another fault
        return [test for test in failed if test in arguments or "-n" in arguments], 0.0

    monkeypatch.setattr(mutants, "run", run)
    chosen = argparse.Namespace(here="here", elsewhere=[])
    killed = mutants.try_together(tmp_path, found, "all", chosen)
    assert killed == {found[0].name: "a", found[1].name: "b"}
    assert file.read_text() == text
