"""Ratings: known answers, intervals that hold, and games that cannot tell."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cyberdeck import OptionError
from cyberdeck.evaluation.ratings import SCALE, rate


def drawn(
    luck: np.random.Generator, ratings: NDArray[np.float64], nu: float, deals: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One game of each pair on each deal, as the model has it, from nothing but its text."""
    count = len(ratings)
    strength = 10 ** (ratings / 400)
    wins = np.zeros((deals, count, count), np.int64)
    ties = np.zeros_like(wins)
    for one, other in itertools.combinations(range(count), 2):
        both = strength[one], strength[other], nu * np.sqrt(strength[one] * strength[other])
        how = luck.choice(3, size=deals, p=np.array(both) / sum(both))
        wins[:, one, other], wins[:, other, one] = how == 0, how == 1
        ties[:, one, other] = ties[:, other, one] = how == 2
    return wins, ties


@pytest.mark.parametrize("ties", [0, 10_000, 5_000_000])
def test_two_players_differ_by_the_odds_of_a_win(ties: int) -> None:
    rated = rate([[0, 750_000], [250_000, 0]], [[0, ties], [ties, 0]], anchor=1)
    assert rated.values == pytest.approx([400 * np.log10(3), 0], abs=0.01)
    # Two players' model is saturated: nu is the ties by the geometric mean of the wins.
    assert rated.ties == pytest.approx(ties / np.sqrt(750_000 * 250_000), abs=1e-4)


@pytest.mark.parametrize("ties", [0, 8000])
def test_the_interval_of_two_players_is_that_of_the_log_odds(ties: int) -> None:
    rated = rate([[0, 7500], [2500, 0]], [[0, ties], [ties, 0]], anchor=1)
    spread = 1.96 * SCALE * np.sqrt(1 / 7500 + 1 / 2500)
    ends = rated.high[0] - rated.values[0], rated.values[0] - rated.low[0]
    assert ends == pytest.approx((spread, spread), rel=1e-3)
    assert rated.low[1] == rated.high[1] == 0


def test_ratings_follow_the_players_not_their_order() -> None:
    luck = np.random.default_rng(1)
    wins, ties = drawn(luck, np.array([0.0, 100, 250, -80]), 0.5, 200)
    rated = rate(wins, ties, anchor=2)
    order = np.array([3, 1, 0, 2])
    moved = rate(wins[:, order][:, :, order], ties[:, order][:, :, order], anchor=3)
    for name in ("values", "low", "high"):
        np.testing.assert_allclose(getattr(moved, name), getattr(rated, name)[order], atol=1e-5)
    difference = rate(wins, ties, anchor=0).values - rated.values
    assert difference == pytest.approx([difference[0]] * 4)


def test_intervals_narrow_by_the_root_of_the_games_but_not_by_repeats_within_a_deal() -> None:
    wins, ties = drawn(np.random.default_rng(3), np.array([0.0, 100, 250]), 0.5, 1000)
    twice = np.concatenate([wins, wins]), np.concatenate([ties, ties])
    summed = [[games.sum(axis=0) for games in both] for both in ((wins, ties), twice)]
    for once, more in (((wins, ties), twice), summed):
        wide, narrow = (rated.high - rated.low for rated in (rate(*once), rate(*more)))
        assert wide[1:] / narrow[1:] == pytest.approx([np.sqrt(2)] * 2, rel=2e-3)
    once, repeated = rate(wins, ties), rate(10 * wins, 10 * ties)
    assert repeated.high - repeated.low == pytest.approx(once.high - once.low, rel=1e-2)


def covered(by_deals: bool, copies: int) -> float:
    """How often intervals hold the true rating, if each game is played *copies* times."""
    luck = np.random.default_rng(5)
    true = np.array([0.0, 60, 200, -150])
    hits = []
    for _ in range(100):
        wins, ties = (copies * games for games in drawn(luck, true, 0.7, 150))
        if not by_deals:
            wins, ties = wins.sum(axis=0), ties.sum(axis=0)
        rated = rate(wins, ties)
        hits += ((rated.low <= true) & (true <= rated.high))[1:].tolist()
    return float(np.mean(hits))


def test_intervals_hold_the_true_ratings_95_times_of_100() -> None:
    """300 intervals each: the standard error is below 0.022 even if those of a run go together."""
    assert 0.92 < covered(by_deals=True, copies=1) < 0.98
    assert 0.92 < covered(by_deals=False, copies=1) < 0.98
    assert 0.92 < covered(by_deals=True, copies=4) < 0.98
    # Why deals are needed: four games that are one are taken for four.
    assert covered(by_deals=False, copies=4) < 0.8


def test_a_player_who_won_or_lost_everything_has_no_limit_there() -> None:
    none = np.zeros((3, 3))
    rated = rate([[0, 50, 50], [0, 0, 30], [0, 20, 0]], none, anchor=2)
    assert np.isfinite(rated.values).all()
    assert rated.values[0] > 400
    assert rated.high[0] == np.inf
    assert 0 < rated.low[0] < rated.values[0]
    assert rated.bounded.tolist() == [False, True, True]
    # Among the others the perfect player changes next to nothing.
    alone = rate([[0, 30], [20, 0]], none[:2, :2], anchor=1)
    assert rated.values[1] == pytest.approx(alone.values[0], abs=3)
    # Who lost everything has no lower one.
    rated = rate([[0, 50], [0, 0]], none[:2, :2])
    assert rated.low[1] == -np.inf
    assert -np.inf < rated.values[1] < rated.high[1] < 0


def test_perfect_play_by_deals_is_no_certainty() -> None:
    """All deals agree: that must not pass for an interval without width."""
    wins = np.zeros((40, 2, 2))
    wins[:, 0, 1] = 2
    rated = rate(wins, np.zeros_like(wins), anchor=1)
    assert rated.values[0] - rated.low[0] > 100
    values = [rate([[0, n], [0, 0]], np.zeros((2, 2)), 1).values[0] for n in (10, 100, 1000)]
    assert values[0] + 100 < values[1] < values[2] - 100  # more games won raise it


def test_ties_alone_make_equals_whose_distance_nothing_limits() -> None:
    rated = rate(np.zeros((2, 2)), [[0, 50], [50, 0]])
    assert rated.values == pytest.approx([0, 0], abs=1e-6)
    assert rated.bounded.tolist() == [True, False]
    # They limit a rating where their share is known.
    wins = [[0, 20, 0], [20, 0, 0], [0, 0, 0]]
    ties = [[0, 10, 20], [10, 0, 20], [20, 20, 0]]
    assert rate(wins, ties).bounded.all()


def test_a_chain_of_opponents_connects() -> None:
    wins = [[0, 75, 0], [25, 0, 75], [0, 25, 0]]
    assert rate(wins, np.zeros((3, 3)), anchor=2).values == pytest.approx(
        [2 * 400 * np.log10(3), 400 * np.log10(3), 0], rel=0.01
    )


@pytest.mark.parametrize(
    ("wins", "ties", "anchor", "named"),
    [
        ([[0, 5, 0], [5, 0, 0], [0, 0, 0]], np.zeros((3, 3)), 0, "player 0 with 2"),
        ([[0]], [[0]], 0, "at least two"),
        ([[0, 1]], [[0, 1]], 0, "shapes"),
        ([[0, 1], [1, 0]], [[0]], 0, "shapes"),
        ([[0, 1], [1, 0]], np.zeros((2, 2)), 2, "anchor=2"),
        ([[0, -1], [1, 0]], np.zeros((2, 2)), 0, "wins"),
        ([[0, 1], [1, 0]], [[0, np.nan], [0, 0]], 0, "ties"),
        ([[3, 1], [1, 0]], np.zeros((2, 2)), 0, "against itself"),
        ([[0, 1], [1, 0]], [[0, 1], [2, 0]], 0, "symmetric"),
    ],
)
def test_what_cannot_be_rated_is_refused(wins: Any, ties: Any, anchor: int, named: str) -> None:
    with pytest.raises(OptionError, match=named):
        rate(wins, ties, anchor)
