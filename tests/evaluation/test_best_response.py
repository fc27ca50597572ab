"""Known truths of small games: Kuhn poker's equilibrium, tic-tac-toe that is never lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck.api.registration import load_file
from cyberdeck.engine import dice
from cyberdeck.engine.chance import Chance, in_plain_python
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.best_response import Tree, exploitability, uniform
from cyberdeck.players.search import Search

GAMES = Path(__file__).parents[2] / "examples" / "games"


@pytest.fixture(scope="module")
def kuhn() -> cyberdeck.Variant:
    return cyberdeck.Variant(load_file(GAMES / "kuhn_poker.py"), {})


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


def test_too_much_bluffing_is_exploited(kuhn: cyberdeck.Variant) -> None:
    def bluffing(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float64]:
        jack, begins = observation[0] == 1, observation[5] == 0
        return np.array([0.1, 0.9]) if jack and begins else equilibrium(0.2)(observation, mask)

    assert exploitability(kuhn, bluffing) > 0.05


def test_uniform_play_of_kuhn_poker_is_exploited_by_eleven_twenty_fourths(
    kuhn: cyberdeck.Variant,
) -> None:
    assert exploitability(kuhn, uniform) == pytest.approx(11 / 24)


def test_small_numbers_are_added_as_compiled_code_does() -> None:
    """In 64 bits: a sum of two that fit into 8 need not."""
    table = np.array([100, 27], np.int8)

    @cyberdeck.kernel
    def add(state):  # type: ignore[no-untyped-def]
        state.sum = state.one + state.one + table[0] * 2 + dice.below(state, 2)

    record = np.zeros(1, [("dice", np.uint64), ("one", np.int8), ("sum", np.int16)])
    record["one"] = 100
    in_plain_python(add, Chance())(record)
    assert record["sum"] == 400
    add(record[0])
    assert record["sum"] in (400, 401)


def test_too_large_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cyberdeck.evaluation.best_response._MOST", 1000)
    with pytest.raises(OptionError, match="too many to enumerate"):
        Tree(cyberdeck.Variant(load_file(GAMES / "goofspiel.py"), {}))


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
def test_search_never_loses_tic_tac_toe(seat: int) -> None:
    """With 1,000 iterations, against every sequence of replies, with 20 seeds."""
    variant = cyberdeck.Variant(load_file(GAMES / "tictactoe.py"), {})
    player = Search(iterations=1000)
    core = GameBatch(variant, 1, autoreset=DISABLED)
    core.reset([0])
    seeds = np.arange(20, dtype=np.uint64)
    states = np.repeat(core.states, len(seeds))
    ended = 0
    while len(states):
        mover = int(states["mover"][0])
        masks = (states["board"] == -1).astype(np.int8)
        if mover == seat:
            seen = np.zeros((len(states), variant.observation_size), np.int8)
            bits = (seeds + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(len(states))
            movers = np.full(len(states), mover, np.int8)
            actions = player.decide(PolicyInput(variant, seen, masks, movers, bits, states))
            rows = np.arange(len(states))
        else:
            rows, actions = masks.nonzero()
        batch = GameBatch(variant, len(rows), autoreset=DISABLED)
        batch.reset([0] * len(rows))
        batch.states[:] = states[rows]
        batch.masks[:] = masks[rows]
        batch._advance(batch.all_rows, actions.astype(np.int64))
        over = batch.states["mover"] == NOBODY
        assert (batch.states["reward"][over, seat] >= 0).all(), "the search has lost"
        ended += int(over.sum())
        states, seeds = batch.states[~over], seeds[rows][~over]
    assert ended > 20 * 40
