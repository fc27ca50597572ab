"""Known truths of small games: Kuhn poker's equilibrium, tic-tac-toe that is never lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck.enumeration.exploring import Enumeration
from cyberdeck.errors import OptionError
from cyberdeck.exact import Tree, exploitability, uniform
from cyberdeck.exact.values import find_values
from cyberdeck.players.search import Search
from tests.evaluation.test_exact import of


@pytest.fixture(scope="module")
def kuhn() -> cyberdeck.Variant:
    return of("kuhn_poker")


def equilibrium(alpha: float):  # type: ignore[no-untyped-def]
    """Kuhn's own: the first player bluffs with the jack with probability *alpha*, at most 1/3."""
    first = {0: alpha, 1: 0.0, 2: 3 * alpha}
    after_pass = {0: 1 / 3, 1: 0.0, 2: 1.0}
    after_bet = {0: 0.0, 1: 1 / 3, 2: 1.0}
    met = {0: 0.0, 1: alpha + 1 / 3, 2: 1.0}

    def strategy(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float64]:
        card, theirs, decisions = int(observation[:3].argmax()), observation[4], observation[5]
        second = after_bet if theirs == 2 else after_pass
        bet = (first, second, met)[decisions][card]
        return np.array([1 - bet, bet])

    return strategy


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_kuhn_poker_is_worth_minus_an_eighteenth_to_the_first_player(
    kuhn: cyberdeck.Variant, alpha: float
) -> None:
    tree = Tree(kuhn)
    assert tree.value(equilibrium(alpha)) == pytest.approx([-1 / 18, 1 / 18])
    assert exploitability(kuhn, equilibrium(alpha)) == pytest.approx(0.0, abs=1e-12)
    # Neither seat can do better, whatever it does.
    assert tree.best_response(equilibrium(alpha), 0) == pytest.approx(-1 / 18)
    assert tree.best_response(equilibrium(alpha), 1) == pytest.approx(1 / 18)


def test_too_large_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Too many are known before they are gone through.
    with pytest.raises(
        OptionError, match="Hovercrafts has more than 1,000,000 positions: too many"
    ):
        exploitability("hovercrafts", uniform)
    monkeypatch.setattr("cyberdeck.exact.tree.MOST", 1000)
    with pytest.raises(OptionError, match="too many to enumerate"):
        Tree(of("goofspiel"))


@pytest.mark.slow
def test_search_gives_nothing_away_in_tic_tac_toe() -> None:
    """In no position does it choose what loses, if something else does not."""
    variant = of("tictactoe")
    seen = Enumeration(variant).all(1.0).as_input()
    worth = find_values(variant).of(seen.states)
    assert len(seen) > 4000
    bits = np.arange(len(seen), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    actions = Search(iterations=1000).decide(replace(seen, random_bits=bits))
    got, best = worth[np.arange(len(seen)), actions], np.nanmax(worth, axis=1)
    assert (got >= np.minimum(best, 0)).all(), "the search has lost"
