"""Positions of long play, and whether what is legal there can be told apart by its notation."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import cyberdeck
from cyberdeck import Batch, showing
from cyberdeck.api.registration import load_file
from cyberdeck.engine.variant import Variant
from cyberdeck.players import built_in_names
from cyberdeck.views.notation import found, key, notations
from tests.cases import EACH, Case

#: The files of the examples, by the games' names.
FILES = {path.stem: path for path in (Path(__file__).parents[1] / "examples/games").glob("*.py")}

EXAMPLES: list[Case] = [(name, {}) for name in sorted(FILES)]
CASES = [*EACH, *EXAMPLES]

#: Games side by side: half of them by the heuristic, where there is one.
ROWS = 16

_MARKS = " -+!?.,_'\"`*:;()[]#/×·…"


def variant_of(case: Case) -> Variant:
    """A game of a file is loaded first."""
    name, options = case
    if name in FILES:
        load_file(FILES[name])
    return cyberdeck.variant(name, **options)


def legal(variant: Variant, positions: int, seed: int) -> Iterator[dict[int, str]]:
    """The notation of what is legal, in so many positions."""
    batch = Batch(variant, ROWS, seed=seed)
    while positions > 0:
        for row in range(min(ROWS, positions)):
            record = showing.reader(variant, batch._core.states[row : row + 1])
            yield notations(showing.view_of(variant), record, batch.mask[row].tolist())
        positions -= ROWS
        actions = batch.choose("random")
        actions[::2] = batch.choose(built_in_names(variant.game)[-1])[::2]
        batch.step(actions)


def disguised(name: str, luck: random.Random) -> str:
    """The same with other marks, spaces and capitals."""
    if luck.random() < 0.3:  # a capture
        name = re.sub(r"(?<=\d)-(?=\w)", luck.choice(["x", " x ", "×", "X"]), name)
    parts = []
    for letter in name:
        if not letter.isalnum():
            parts.append(letter if luck.random() < 0.5 else "")
        elif luck.random() < 0.1 and letter.isascii():
            parts.append(chr(ord(letter) - ord("!") + ord("\uff01")))  # as wide as it is high
        else:
            parts.append(luck.choice([letter, letter.upper(), letter.lower()]))
    for _ in range(luck.randrange(4)):
        parts.insert(luck.randrange(len(parts) + 1), luck.choice(_MARKS))
    return "".join(parts)


def misread(
    names: Mapping[int, str], elsewhere: Mapping[int, str], luck: random.Random
) -> list[str]:
    """What is wrong with the notation of actions that are legal together: each must be read as
    itself, and what is legal *elsewhere* alone as nothing.
    """
    keys = Counter(map(key, names.values()))
    wrong = [f"{name!r} is not the only one" for name in names.values() if keys[key(name)] > 1]
    for action, name in names.items():
        for text in (name, disguised(name, luck)):
            if found(text, names) != [action]:
                wrong.append(f"{text!r} is read as {found(text, names)}, and is {name!r}")
    for name in elsewhere.values():
        text = disguised(name, luck)
        if not keys[key(name)] and found(text, names):
            wrong.append(f"{text!r} is read as {found(text, names)}, and is {name!r} elsewhere")
    return wrong


def misread_in(case: Case, positions: int, seed: int = 0) -> list[str]:
    """The same in so many positions of a case."""
    luck, elsewhere = random.Random(seed), dict[int, str]()
    wrong: list[str] = []
    for names in legal(variant_of(case), positions, seed):
        wrong += misread(names, elsewhere, luck)
        elsewhere = names
    return wrong
