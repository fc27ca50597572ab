"""Properties of scoring, over random Runs of random decks."""

from __future__ import annotations

import numpy as np

from cyberdeck import variant
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid import rules
from cyberdeck.games.hackthegrid.game import GAME

Deck = list[tuple[str, int]]


def dealt(deck: Deck, length: int) -> np.ndarray:
    """A record in which each seat holds the first cards of its half, put there one by one."""
    record = variant("hackthegrid", deck=deck).blank()
    GAME.kernels.start(record[0])
    for card in range(length):
        rules.append(record[0], 0, card)
        rules.append(record[0], 1, 8 + card)
    return record


def scores(record: np.ndarray) -> list[int]:
    return [rules.score(record[0], seat) for seat in range(2)]


def test_what_a_run_is_worth() -> None:
    """The points grow card by card to the whole. A Run read backwards is worth the same: sets do
    not care for order, and neighbours are neighbours from both sides. Only which colours are equal
    counts. With all colours apart only kinds count; the rest is one point for each card in an
    array. A swap and the same swap again change nothing.
    """
    luck = np.random.default_rng(1)
    for _ in range(150):
        colours = luck.integers(0, luck.choice([2, 8]), 16).tolist()
        deck = [(str(luck.choice(c.KINDS)), colour) for colour in colours]
        length = int(luck.integers(9))
        record = dealt(deck, length)
        worth = scores(record)
        assert record["points"][0].tolist() == worth
        reversed_ = record.copy()
        reversed_["run"][0, :, :length] = record["run"][0, :, :length][:, ::-1]
        assert scores(reversed_) == worth
        renamed = luck.permutation(8).tolist()
        assert scores(dealt([(kind, renamed[colour]) for kind, colour in deck], length)) == worth
        arrays = [0, 0]
        for seat in range(2):
            stretch = 0
            for at in range(8 * seat, 8 * seat + length):
                same = at > 8 * seat and colours[at] == colours[at - 1]
                stretch = stretch + 1 if same else 1
                arrays[seat] += {1: 0, 2: 2}.get(stretch, 1)
        kinds_only = dealt([(kind, at % 2) for at, (kind, _) in enumerate(deck)], length)
        assert [one + more for one, more in zip(scores(kinds_only), arrays, strict=True)] == worth
        if length:
            before = record.tobytes()
            own, theirs = luck.integers(0, length, 2).tolist()
            rules.swap(record[0], 0, own, theirs)
            assert scores(record) == record["points"][0].tolist()
            rules.swap(record[0], 0, own, theirs)
            assert record.tobytes() == before
