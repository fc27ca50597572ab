"""OpenSpiel takes every game: the same rules, honest information, its algorithms' exact values.

These tests run where OpenSpiel is installed: ``make example-test``.
"""

from __future__ import annotations

import copy
import doctest
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck.api.registration import load_file
from cyberdeck.engine import dice
from cyberdeck.engine.chance import Chance, in_plain_python
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import ActionError, EpisodeError, OptionError
from cyberdeck.evaluation.best_response import Tree, uniform
from cyberdeck.evaluation.best_response import exploitability as our_exploitability
from tests.api.helpers import CASES, FEW, Case, label
from tests.test_docs import blocks

pyspiel = pytest.importorskip("pyspiel")

ROOT = Path(__file__).resolve().parents[2]
GAMES = ROOT / "examples" / "games"
OWN: list[Case] = [
    (name, {}) for name in ("kuhn_poker", "goofspiel", "tictactoe", "connect_four")
]


@pytest.fixture(scope="module", autouse=True)
def _own_games(_games_are_forgotten: None) -> None:
    for name, _ in OWN:
        load_file(GAMES / f"{name}.py")


def made(case: Case) -> Any:
    from cyberdeck.api.openspiel import game

    name, options = case
    return game(name, **options)


class Recorded(Chance):
    """A game's own dice, and what they have shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[int] = []

    def below(self, record: Any, n: Any) -> int:
        counter = np.zeros(1, [("dice", np.uint64)])
        counter["dice"] = record.dice
        outcome = int(dice.below(counter[0], n))
        record.dice = counter["dice"][0]
        if n > 1:
            self.shown.append(outcome)
        return outcome


def same_but_for_dice(one: NDArray[Any], other: NDArray[Any]) -> None:
    """Where the generator stands now, or stood when the last turn began, is of no use there."""
    for name in one.dtype.names or ():
        if name not in ("dice", "before_dice"):
            assert np.array_equal(one[name], other[name]), name


def throw(state: Any, outcomes: list[int]) -> None:
    for outcome in outcomes:
        assert state.is_chance_node()
        assert outcome in state.legal_actions()
        state.apply_action(outcome)
    assert not state.is_chance_node()


@pytest.mark.parametrize("case", [*CASES, *OWN], ids=label)
def test_a_game_takes_the_course_that_it_takes_in_a_batch(case: Case) -> None:
    """With the same throws and the same actions: records, masks, views and rewards."""
    game = made(case)
    core = GameBatch(cyberdeck.variant(case[0], **case[1]), 1, autoreset=DISABLED)
    recorded = Recorded()
    kernels = core.game.kernels
    shuffle, start, act = (
        in_plain_python(kernel, recorded) for kernel in (kernels.shuffle, kernels.start, kernels.act)
    )
    rng = np.random.default_rng(5)
    for seed in range(2):
        core.reset([seed])
        state = game.new_initial_state()
        record = core.variant.blank()
        record["dice"] = dice.seeded(seed)
        recorded.shown = []
        shuffle(record)
        start(record)
        throw(state, recorded.shown)
        returns = np.zeros(core.variant.seats)
        while True:
            same_but_for_dice(state.at.record, core.states)
            mover = int(core.movers[0])
            assert state.is_terminal() == (mover == NOBODY)
            for seat in range(core.variant.seats):
                seen = core.look(seat)[0]
                assert state.observation_tensor(seat) == seen.reshape(-1).tolist()
            if mover == NOBODY:
                break
            assert state.current_player() == mover
            legal = np.flatnonzero(core.masks[0])
            assert state.legal_actions() == legal.tolist()
            action = int(rng.choice(legal))
            named = core.game.named_action(core.states, action)
            assert state.action_to_string(action) == named
            before, recorded.shown = core.states.copy(), []
            core.step(np.array([action]))
            if before["dice"] != core.states["dice"]:
                act(before, action)
            state.apply_action(action)
            throw(state, recorded.shown)
            returns += core.rewards[0]
            if game.get_type().reward_model == pyspiel.GameType.RewardModel.REWARDS:
                assert state.rewards() == core.rewards[0].tolist()
                assert state.returns() == returns.tolist()
        assert state.returns() == returns.tolist()
        assert sum(state.rewards()) == pytest.approx(float(core.rewards[0].sum()))
