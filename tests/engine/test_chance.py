"""Chosen dice: the interpreter and compiled code go through the same outcomes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from cyberdeck import dice, kernel, variant
from cyberdeck.engine.chance import Chance, Outcomes
from cyberdeck.engine.plain import Interpreter
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.scripted import TOO_MANY, left, scripted, take, ways
from cyberdeck.errors import OptionError
from tests.engine import games


def listed(outcomes: Any) -> dict[bytes, float]:
    """How probable each record is, apart from the dice."""
    found: dict[bytes, float] = defaultdict(float)
    for probability, record in outcomes:
        held = record.copy()
        held["dice"] = 0
        found[held.tobytes()] += probability
    return found


def by_number(record: np.ndarray, *run: Callable[[Any], Any]) -> Iterator[tuple[float, Any]]:
    """The outcomes of scripted kernels, one number after the other."""
    which, read = 0, Interpreter()
    while True:
        changed = record.copy()
        read.function(take)(changed[0], which)
        for each in run:
            each(changed[0])
        if read.function(left)(changed[0]):
            return
        yield 1 / read.function(ways)(changed[0]), changed
        which += 1


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "coin_bets"])
def test_both_go_through_the_same_outcomes(name: str) -> None:
    """Of the beginning, and of decisions in a few random games."""
    chosen, luck = variant(games.example(name).name), np.random.default_rng(4)
    outcomes, k, interpreter = Outcomes(chosen), scripted(chosen.game.kernels), Interpreter()
    shuffle, start, act = map(interpreter.function, (k.shuffle, k.start, k.act))
    begun = outcomes.beginnings()
    compare = listed(by_number(chosen.blank(), shuffle, start))
    assert listed(begun) == pytest.approx(compare)
    for _ in range(3):
        record = begun[luck.integers(len(begun))][1]
        for _ in range(6):
            mover = int(record["mover"][0])
            if mover == NOBODY:
                break
            mask = chosen.look(record, mover)[0]
            action = int(luck.choice(np.flatnonzero(mask)))
            after = outcomes.after(record, action)
            same = by_number(record, lambda state, action=action: act(state, action))
            assert listed(after) == pytest.approx(listed(same))
            record = after[luck.integers(len(after))][1]


def test_throws_are_shown_one_by_one() -> None:
    """Where only some are known, what comes next; a throw with one outcome is none."""
    outcomes = Outcomes(variant(games.example("liars_dice").name, dice=1, sides=3))
    blank = variant("liars_dice", dice=1, sides=3).blank()
    assert [outcomes.reach(blank, None, [2] * throws)[1] for throws in range(3)] == [3, 3, 0]
    record, _ = outcomes.reach(blank, None, [2, 0])
    assert record.tobytes() in [each.tobytes() for _, each in outcomes.beginnings()]


@kernel
def draws(state: Any) -> None:
    state.left = dice.draw(state) >> np.uint64(62)


def test_raw_bits_are_refused_or_many_throws() -> None:
    game = games.made(shuffle=draws)
    record, refused = np.zeros(1, game.dtype), r"the game draws raw bits, not dice\.below"
    with pytest.raises(OptionError, match=refused):
        Chance().in_plain_python(draws)(record)
    with pytest.raises(OptionError, match=refused):
        scripted(game.kernels)
    chance = Chance(raw=True, beyond=lambda outcomes: outcomes - 1)
    chance.in_plain_python(draws)(record)
    assert (chance.sizes, int(record["left"][0])) == ([2**16] * 4, 3)
    run = Interpreter().function
    run(take)(record[0], 0)
    run(scripted(game.kernels, raw=True).shuffle)(record[0])
    assert run(ways)(record[0]) == TOO_MANY
