"""``cyberdeck check`` refuses no game that keeps the contract, in whatever way it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cyberdeck.api.registration import load_file
from cyberdeck.evaluation.check import check

FOLDER = Path(__file__).parent / "games"

#: Files and the main options of each.
RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("hands", {}),
    ("hands", {"redraw": "as they lie"}),
    ("secret_setup", {}),
    ("secret_setup", {"cells": 9}),
    ("solo", {}),
    ("teams", {}),
    ("three", {}),
    ("told", {}),
]


def test_the_files_are_all_there() -> None:
    named = {name for name, _ in RIGHT}
    assert {path.stem for path in FOLDER.glob("*.py")} == named


#: What is tried in the quick tests: the others take long to compile.
QUICK = ("secret_setup", "teams")
CASES = [
    pytest.param(*case, marks=() if case[0] in QUICK else (pytest.mark.slow,)) for case in RIGHT
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_right_game_keeps_the_contract(name: str, options: dict[str, Any]) -> None:
    game = load_file(FOLDER / f"{name}.py")
    report = check(game.name, decisions=60, **options)
    assert report.faults == []
