"""``reward="regret"`` in every interface: what a seat gets is what its decisions gave away.

What that is is worked out from a replay of the same seed and decisions, by the solver's own words.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, OptionError, TextEnv, TextGame, hackthegrid_v0
from cyberdeck.api.registration import load_file
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, Solver
from cyberdeck.replay import Replay
from cyberdeck.sb3 import make_vec_env
from cyberdeck.text.trl import environment_factory
from tests.api.helpers import pick

GAME = "hackthegrid"
PAID = {"reward": "regret"}
#: What each result is worth to who moves.
WORTH = {"win": 1.0, "draw": 0.0, "loss": -1.0, "both lose": -1.0}


class Recorded:
    """An opponent that notes what it decides, of the legal actions the last but one."""

    def __init__(self) -> None:
        self.decided: list[int] = []

    def __call__(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        actions = [np.flatnonzero(mask)[-2:][0] for mask in masks]
        self.decided += [int(action) for action in actions]
        return np.array(actions, np.int64)


def given_away(seed: int, actions: Sequence[int]) -> list[float]:
    """What each seat gave away in a game, from its replay."""
    lost, solver = [0.0, 0.0], Solver()
    for position in Replay(GAME, seed, actions).positions():
        if position.action is not None:
            outcomes = solver.values(position.record[0])
            worth = [WORTH[NAMES[each]] for each in outcomes if each >= 0]
            lost[position.mover] += max(worth) - WORTH[NAMES[outcomes[position.action]]]
    return lost


def together(seed: int, seat: int, own: Sequence[int], others: Sequence[int]) -> list[int]:
    """The decisions of both in their order; the other may have begun the next game."""
    batch = Batch(GAME, 1, seed=seed, autoreset="Disabled")
    mine, theirs, actions = iter(own), iter(others), []
    while (mover := int(batch.mover[0])) >= 0:
        actions.append(next(mine if mover == seat else theirs))
        batch.step(actions[-1:])
    assert next(mine, None) is None
    return actions


# --- one learner ----------------------------------------------------------------------------------


def learned(seed: int, seat: int, mode: str) -> tuple[list[int], float]:
    """A learner's random decisions, and what they brought; held to what they gave away."""
    other, rng, own, got = Recorded(), np.random.default_rng(seed), list[int](), 0.0
    batch = Batch(GAME, 1, seed=seed, seat=seat, opponent=other, autoreset=mode, **PAID)
    while not batch.terminated[0]:
        own.append(pick(batch.mask[0], rng))
        batch.step(own[-1:])
        assert batch.reward[0, 1 - seat] == 0  # whoever plays inside is not looked at
        got += float(batch.reward[0, seat])
    assert batch.final_return[0, seat] == pytest.approx(got)
    actions = together(seed, seat, own, other.decided)
    assert got == pytest.approx(-given_away(seed, actions)[seat], abs=1e-6)
    return own, got


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_a_learner_gets_what_its_decisions_gave_away(mode: str) -> None:
    games = [learned(seed, seat, mode) for seed, seat in ((3, 0), (11, 0), (3, 1))]
    assert min(got for _, got in games) < 0  # somebody gave something away


@pytest.mark.parametrize("seat", [0, 1])
def test_every_interface_hands_it_on(seat: int) -> None:
    own, got = learned(3, seat, "Disabled")
    given = {"seat": seat, "opponent": Recorded(), **PAID}
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", **given)
    envs = CyberdeckVectorEnv(GAME, 1, **given)
    text = TextEnv(GAME, **given)
    for each in (env, envs, text):
        each.reset(seed=3)
    sb3 = make_vec_env(GAME, 1, seed=3, **given)
    sb3.reset()
    trl = environment_factory(GAME, **given)()
    trl.reset(seed=3)
    brought = np.zeros(4)
    for action in own:
        paid = 0.0
        if env.unwrapped.action_masks().sum() > 1:  # in words nobody is asked else
            paid = text.step(json.dumps({"move": action}))[1]
            trl.move(trl.text.game.legal(seat)[action])
        many, dones = envs.step([action])[1], sb3.step(np.array([action]))
        brought += (env.step(action)[1], many[0], dones[1][0], paid)
    assert [*brought, trl.get_reward(), text.game.returns[seat]] == pytest.approx([got] * 6)
    assert dones[3][0]["episode"]["r"] == pytest.approx(got)


# --- all seats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_all_seats_get_what_their_decisions_gave_away(mode: str) -> None:
    """Of a batch, of PettingZoo's env and of a game in words."""
    for seed in (3, 11):
        batch = Batch(GAME, 1, seed=seed, autoreset=mode, **PAID)
        actions, got = list[int](), np.zeros((3, 2))
        table, game = hackthegrid_v0.raw_env(**PAID), TextGame(GAME, **PAID)
        table.reset(seed=seed)
        game.reset(seed)
        while not batch.terminated[0]:
            actions.append(int(batch.choose("random")[0]))
            if batch.mask[0].sum() > 1:  # in words nobody is asked else
                game.answer(game.deciding[0], json.dumps({"move": actions[-1]}))
            batch.step(actions[-1:])
            table.step(actions[-1])
            told = [game.gained(seat) for seat in (0, 1)]
            got += [batch.reward[0], [*table.rewards.values()], told]
        wanted = pytest.approx([-each for each in given_away(seed, actions)], abs=1e-6)
        for each in (*got.tolist(), batch.final_return[0].tolist(), [*game.returns]):
            assert each == wanted
        assert min(got[0]) < 0


def test_nothing_else_in_the_game_is_another() -> None:
    for seat in ("every", "random"):
        paid, plain = (Batch(GAME, 2, seed=5, seat=seat, **given) for given in (PAID, {}))
        for _ in range(20):
            for name in ("observation", "mask", "mover", "terminated", "reason", "final_metrics"):
                assert (getattr(paid, name) == getattr(plain, name)).all()
            assert paid._core.states.tobytes() == plain._core.states.tobytes()
            actions = plain.choose("random")
            paid.step(actions)
            plain.step(actions)


def test_saved_games_are_paid_alike() -> None:
    batch, twin = (
        Batch(GAME, 3, seed=seed, seat="random", opponent="heuristic", **PAID) for seed in (5, 9)
    )
    batch.play("random", 3)
    for row in range(3):
        twin.set_state(row, batch.get_state(row))
    lost = 0.0
    for _ in range(6):
        actions = batch.choose("random")
        for each in (batch, twin):
            each.step(actions)
        assert (twin.reward == batch.reward).all()
        lost += batch.reward.sum()
    assert lost < 0


def test_a_saved_game_of_all_seats_goes_on() -> None:
    """What a seat got since its last decision may be more than any decision brings otherwise."""
    env = hackthegrid_v0.raw_env(**PAID)
    for seed in range(20):
        env.reset(seed=seed)
        while env.agents and not any(env.terminations.values()):
            env.set_state(env.get_state())
            env.step(env.suggest("random"))
            if min(env.rewards.values()) < -1:
                env.set_state(env.get_state())
                return
    pytest.fail("nobody gave away more than a win")


def test_a_game_in_one_file_without_a_choice_of_rewards_is_paid_so_too() -> None:
    """Tic-tac-toe: an edge is no answer to a corner; and then the win is given away."""
    game = load_file(Path(__file__).parents[2] / "examples" / "games" / "tictactoe.py").name
    batch = Batch(game, 1, autoreset="Disabled", **PAID)
    got = []
    for action in (0, 1, 4, 8, 2):
        batch.step([action])
        got.append(batch.reward[0].tolist())
    assert got == [[0, 0], [0, -1], [0, 0], [0, 0], [-1, 0]]
    assert batch.variant.chosen == {"reward": "regret"}


# --- what is no legal action ----------------------------------------------------------------------


def test_an_illegal_action_costs_at_least_one() -> None:
    best = []
    for seed in range(6):
        batch = Batch(GAME, 1, seed=seed, autoreset="Disabled", illegal="lose", **PAID)
        batch.play("random", 4)
        outcomes = Solver().values(batch._core.states[0])
        best.append(max(WORTH[NAMES[each]] for each in outcomes if each >= 0))
        mover, action = int(batch.mover[0]), int(batch.mask[0].argmin())
        batch.step([action])
        wanted = [0.0, 0.0]
        wanted[mover] = -1.0 - max(best[-1], 0.0)
        assert batch.terminated[0]
        assert batch.reward[0].tolist() == wanted
    assert len({*best}) > 1
    env = TextEnv(GAME, seat=0, retries=0, **PAID)  # a speaker who gives up is paid so too
    env.reset(3)
    _, reward, over, _, info = env.step("no move")
    assert over
    assert info["gave_up"]
    assert reward <= -1


# --- where there is nothing to measure by ---------------------------------------------------------


def test_what_is_chosen_beside_it_stays() -> None:
    chosen = cyberdeck.variant(GAME, scramble="at_end", **PAID)
    assert chosen.regret
    assert chosen.options["reward"] == "outcome"
    assert chosen.chosen == {"scramble": "at_end", "reward": "regret"}
    again = pickle.loads(pickle.dumps(chosen))
    assert (again.regret, again.options) == (True, chosen.options)
    for game in (GAME, "tictactoe"):  # which has no other reward
        with pytest.raises(OptionError, match="'regret' where positions have exact values"):
            cyberdeck.variant(game, reward="regrets")
    with pytest.raises(OptionError, match="is played as it is here"):
        GameBatch(chosen, 1)
    # Matches count who wins.
    counted = cyberdeck.variant(GAME, **PAID).by_outcome
    assert not counted.regret
