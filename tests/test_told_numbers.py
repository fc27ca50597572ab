"""Where the rules' numbers are told in words: ``told_numbers.txt`` has them.

When a number changes, its test fails and names every page, sheet and picture that tells it.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import cyberdeck

ROOT: Final = Path(__file__).parents[1]
TABLE: Final = Path(__file__).with_name("told_numbers.txt").read_text(encoding="utf-8")
WORDS: Final = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
WORDS += ["ten", "eleven", "twelve"]
PLACES: Final = {
    "README": "README.md",
    "rules": "envs/cyberdeck/games/{}/RULES.md",
    "game": "envs/cyberdeck/games/{}/game.py",
    "options": "envs/cyberdeck/games/{}/options.py",
    "view": "envs/cyberdeck/views/{}/page.py",
    "short": "envs/cyberdeck/views/{}/how_to_play.txt",
    "picture": "envs/cyberdeck/views/{}/drawing.py",  # and so docs/images
    "page": "docs/games/{}.md",
    "scenarios": "docs/games/{}_scenarios.md",
    "sheet": "docs/play/rules/{}.md",
}


def value(game: str, name: str) -> Any:
    """A constant of one of a game's modules, or the default of one of its options."""
    module, _, what = name.partition(".")
    if module == "default":
        return next(each.default for each in cyberdeck.game(game).options if each.name == what)
    return getattr(importlib.import_module(f"cyberdeck.games.{game}.{module}"), what)


def in_words(number: Any) -> Any:
    if isinstance(number, (list, tuple, np.ndarray)):
        return [in_words(each) for each in number]
    return WORDS[number] if number in range(len(WORDS)) else number


def plain(text: str) -> str:
    return " ".join(text.split()).casefold()


@pytest.mark.parametrize("told", re.split(r"\n+(?=\w)", TABLE)[1:], ids=lambda t: t.split("\n")[0])
def test_what_is_told_of_a_number_is_true(told: str) -> None:
    number, *lines = told.splitlines()
    game, *names = number.split()
    found = [value(game, name) for name in names]
    n = found if len(found) > 1 else found[0]
    said, wrong = [], 0
    for line in lines:
        places, _, words = line.strip().partition(": ")
        for place in places.split(", "):
            path = PLACES[place].format(game)
            text = plain((ROOT / path).read_text(encoding="utf-8"))
            for each in words.format(n=n, w=in_words(n)).split(" // "):
                right = plain(each) in text
                wrong += not right
                said.append(f"{'  ' if right else '->'} {path}: {each}")
    assert not wrong, "\n".join([f"{number} is {n}, which is told in these places:", *said])
