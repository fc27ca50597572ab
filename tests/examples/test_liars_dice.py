"""Liar's dice by its rules once more, as a plain loop over lists; and figures that are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cyberdeck import Batch, Variant
from cyberdeck.api.registration import load_file
from cyberdeck.evaluation.best_response import Tree, uniform

FILE = Path(__file__).parents[2] / "examples" / "games" / "liars_dice.py"


@pytest.fixture(scope="module", autouse=True)
def _registered(_games_are_forgotten: None) -> None:
    load_file(FILE)


def higher(bids: list[tuple[int, int]], dice: int, sides: int) -> Iterator[str]:
    """What may be said after these bids, in words, the lowest first."""
    for quantity in range(1, 2 * dice + 1):
        for face in range(1, sides + 1):
            if not bids or (quantity, face) > bids[-1]:
                yield f"bid {quantity} x {face}"
    if bids:
        yield "liar"


def is_true(bid: tuple[int, int], shown: list[int], sides: int) -> bool:
    quantity, face = bid
    return len([die for die in shown if die in (face, sides)]) >= quantity


@pytest.mark.parametrize(("dice", "sides"), [(1, 6), (1, 2), (2, 3), (3, 4), (5, 6)])
def test_it_goes_by_the_rules(dice: int, sides: int) -> None:
    """What may be said, who says it, what both see at any time, and who wins for what reason."""
    rng = np.random.default_rng(dice * 10 + sides)
    ends = set()
    for seed in range(200):
        batch = Batch("liars_dice", 1, seed=seed, dice=dice, sides=sides, autoreset="disabled")
        cups = [
            [face + 1 for face, count in enumerate(counts) for _ in range(count)]
            for counts in batch.core.states["cup"][0].tolist()
        ]
        assert [len(cup) for cup in cups] == [dice, dice]
        bids: list[tuple[int, int]] = []
        called = False
        while True:
            for seat in range(2):
                counts = [cups[seat].count(face) for face in range(1, sides + 1)]
                rows = [
                    [int((quantity, face) in bids) for face in range(1, sides + 1)]
                    for quantity in range(1, 2 * dice + 1)
                ]
                seen = batch.look(0, seat)[0].tolist()
                assert seen == [*counts, *np.concatenate(rows), int(called)]
            if called:
                break
            mover = len(bids) % 2
            assert batch.mover[0] == mover
            legal = np.flatnonzero(batch.mask[0]).tolist()
            names = [batch.action_name(0, action) for action in legal]
            assert names == list(higher(bids, dice, sides))
            # Mostly low bids, so that some are true.
            at = int(rng.integers(len(legal)) * rng.random() ** 2) if rng.random() < 0.8 else -1
            batch.step([legal[at]])
            called = names[at] == "liar"
            if not called:
                _, quantity, _, face = names[at].split()
                bids.append((int(quantity), int(face)))
        true = is_true(bids[-1], cups[0] + cups[1], sides)
        winner = 1 - mover if true else mover
        assert batch.final_return[0].tolist() == [1 - 2 * winner, 2 * winner - 1]
        assert batch.terminated[0]
        ends.add((batch.variant.game.reasons[batch.core.reasons[0]], winner))
    assert ends == {(reason, winner) for reason in ("true_bid", "lie") for winner in range(2)}


def test_every_throw_is_as_likely() -> None:
    """Two dice of three sides: pairs one time in nine, others two."""
    core = Batch("liars_dice", 9_000, seed=1, dice=2, sides=3).core
    for seat in range(2):
        throws, counts = np.unique(core.states["cup"][:, seat], axis=0, return_counts=True)
        assert len(throws) == 6
        expected = np.where(throws.max(axis=1) == 2, 1_000, 2_000)
        assert (abs(counts - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.parametrize(
    ("sides", "expected"),
    [(2, 0.5625), (3, 5 / 9), pytest.param(6, 0.780744, marks=pytest.mark.slow)],
)
def test_uniform_play_is_exploited_by_what_openspiel_says(sides: int, expected: float) -> None:
    tree = Tree(Variant(load_file(FILE), {"sides": sides}))
    value = tree.value(uniform)
    gains = [tree.best_response(uniform, seat) - value[seat] for seat in range(2)]
    assert sum(gains) / 2 == pytest.approx(expected, abs=1e-6)
