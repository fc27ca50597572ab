"""Properties of scoring, over random Runs of random decks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cyberdeck import variant
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid import rules
from cyberdeck.games.hackthegrid.game import GAME

KIND = st.sampled_from(c.KINDS)
DECKS = st.lists(st.tuples(KIND, st.integers(0, 7)), min_size=16, max_size=16)
RUNS = st.integers(0, 8)


def dealt(deck: list[tuple[str, int]], length: int) -> np.ndarray:
    """A record in which seat 0 holds the first cards of the deck, put there one by one."""
    record = variant("hackthegrid", deck=deck).blank()
    GAME.kernels.start(record[0])
    for card in range(length):
        rules.append(record[0], 0, card)
    return record


@settings(max_examples=300, deadline=None)
@given(DECKS, RUNS)
def test_points_grow_card_by_card_to_the_score_of_the_whole_run(
    deck: list[tuple[str, int]], length: int
) -> None:
    record = dealt(deck, length)
    assert record["points"][0, 0] == rules.score(record[0], 0)
    assert record["points"][0, 1] == 0


@settings(max_examples=300, deadline=None)
@given(DECKS, RUNS)
def test_a_run_read_backwards_is_worth_the_same(deck: list[tuple[str, int]], length: int) -> None:
    """Sets do not care for order, and neighbours are neighbours from both sides."""
    record = dealt(deck, length)
    before = rules.score(record[0], 0)
    record["run"][0, 0, :length] = record["run"][0, 0, :length][::-1].copy()
    assert rules.score(record[0], 0) == before


@settings(max_examples=300, deadline=None)
@given(DECKS, RUNS, st.permutations(range(8)))
def test_only_which_colours_are_equal_counts(
    deck: list[tuple[str, int]], length: int, renamed: list[int]
) -> None:
    other = [(kind, renamed[colour]) for kind, colour in deck]
    assert rules.score(dealt(deck, length)[0], 0) == rules.score(dealt(other, length)[0], 0)


@settings(max_examples=300, deadline=None)
@given(DECKS, RUNS)
def test_kinds_and_arrays_add_up(deck: list[tuple[str, int]], length: int) -> None:
    """With all colours apart only kinds count; the rest is one point for each card in an array."""
    kinds_only = [(kind, at % 2) for at, (kind, _) in enumerate(deck)]
    arrays = 0
    stretch = 0
    for at in range(length):
        stretch = stretch + 1 if at and deck[at][1] == deck[at - 1][1] else 1
        arrays += {1: 0, 2: 2}.get(stretch, 1)
    score = rules.score(dealt(deck, length)[0], 0)
    assert score == rules.score(dealt(kinds_only, length)[0], 0) + arrays


@settings(max_examples=200, deadline=None)
@given(DECKS, st.integers(1, 8), st.data())
def test_a_swap_and_the_same_swap_again_change_nothing(
    deck: list[tuple[str, int]], length: int, data: st.DataObject
) -> None:
    record = dealt(deck, length)
    for card in range(8, 8 + length):
        rules.append(record[0], 1, card)
    before = record.tobytes()
    own, theirs = data.draw(st.integers(0, length - 1)), data.draw(st.integers(0, length - 1))
    rules.swap(record[0], 0, own, theirs)
    assert [rules.score(record[0], seat) for seat in range(2)] == record["points"][0].tolist()
    rules.swap(record[0], 0, own, theirs)
    assert record.tobytes() == before
