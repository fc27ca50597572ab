"""The generator: SplitMix64 as published, even numbers, fair shuffles, seeds far apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cyberdeck import variant
from cyberdeck.engine import dice


def generator(counter: int) -> np.ndarray:
    """A game's record, for the generator in it."""
    record = variant("hackthegrid").blank()
    record["dice"] = counter
    return record


#: The first numbers from a counter, as they are published for SplitMix64.
PUBLISHED = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F],
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423],
}


@pytest.mark.parametrize("start", PUBLISHED)
def test_draw_is_splitmix64(start: int) -> None:
    record = generator(start)
    for step, number in enumerate(PUBLISHED[start], start=1):
        assert int(dice.draw(record[0])) == number
        assert int(record["dice"][0]) == (start + step * 0x9E3779B97F4A7C15) % 2**64


@pytest.mark.parametrize("n", [1, 2, 6, 52])
def test_below_is_even_and_in_range(n: int) -> None:
    record = generator(99)
    drawn = np.array([dice.below(record[0], n) for _ in range(6000)])
    counts = np.bincount(drawn, minlength=n)
    assert len(counts) == n
    expected = 6000 / n
    assert (abs(counts - expected) < 5 * np.sqrt(expected)).all()


def test_shuffle_wraps_round_and_keeps_what_lies_outside() -> None:
    record = generator(5)
    cards = np.arange(8, dtype=np.int8)
    seen = set()
    for _ in range(300):
        dice.shuffle(record[0], cards, 6, 4)
        assert cards[2:6].tolist() == [2, 3, 4, 5]
        assert sorted(cards[[6, 7, 0, 1]].tolist()) == [0, 1, 6, 7]
        seen.add(tuple(cards.tolist()))
    assert len(seen) == 24, "not every order of four cards came up"


def test_neighbouring_seeds_start_far_apart() -> None:
    starts = np.array([int(dice.seeded(seed)) for seed in range(1000)], dtype=object)
    assert len(set(starts)) == 1000
    steps = {(b - a) % 2**64 for a, b in itertools.pairwise(starts)}
    assert len(steps) == 999, "seeds differ by a pattern"


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["matrix_overload", "hackthegrid"])
def test_every_card_comes_everywhere(name: str) -> None:
    """A shuffled table is even: every card in every place about equally often."""
    record = variant(name).blank()
    shuffle = variant(name).game.kernels.shuffle
    field, cards = ("grid", 16) if name == "hackthegrid" else ("draw", 53)
    counts = np.zeros((cards, cards))
    games = 200 * cards
    record["dice"] = dice.seeded(3)
    for _ in range(games):
        shuffle(record[0])
        counts[np.arange(cards), record[field][0, :cards]] += 1
    assert (abs(counts - 200) < 5.5 * np.sqrt(200)).all()
