"""The colours of Stacktrices are alike, over daring play from random positions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.stacktrices.positions import write
from tests.stacktrices.test_reference import somewhere
from tests.stacktrices.words import Stacks, daring, flipped

RULES: list[dict[str, Any]] = [
    {"max_turns": 20},
    {"steal_on_attack": True, "reward": "material", "observation": "planes"},
    {"stacked_movement": True, "observation": "prior"},
    {"steal_on_attack": True, "stacked_movement": True, "reward": "material"},
]


def positions(options: dict[str, Any]) -> list[tuple[dict[str, str], np.random.Generator]]:
    """Both sides as they are written, and luck for what follows."""
    luck = random.Random(str(options))
    found = []
    for number in range(14):
        lines = dict(line.split(": ") for line in write(somewhere(luck, options)[0].record))
        sides = {colour: lines[colour] for colour in ("white", "black")}
        found.append((sides, np.random.default_rng(number)))
    return found


def choice(game: Stacks, luck: np.random.Generator) -> int:
    return int(daring(game.record, game.mask[None], luck)[0])


def same(one: dict[str, np.ndarray], two: dict[str, np.ndarray], but: str = "") -> bool:
    return all((one[name] == two[name]).all() for name in one if name != but)


@pytest.mark.parametrize("options", RULES, ids=str)
def test_the_colours_may_be_exchanged(options: dict[str, Any]) -> None:
    """With the board turned round and black to move it is the same game for both."""
    for sides, luck in positions(options):
        turned = {"white": flipped(sides["black"]), "black": flipped(sides["white"])}
        rules = {**options, "max_turns": 1000, "observation": "vector"}  # a prior counts turns
        one = Stacks(**sides, turn="1 white", first=0, **rules)
        two = Stacks(**turned, turn="2 black", first=1, **rules)
        for _ in range(40):
            for seat in (0, 1):
                assert same(one.seen(seat), two.seen(seat), but="white")
            assert one.legal() == two.legal()
            assert one.reward == two.reward
            assert (one.mover, one.reason) == (two.mover, two.reason)
            if one.over:
                break
            action = choice(one, luck)
            one.act(action)
            two.act(action)
