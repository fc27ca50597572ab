"""``reward="regret"`` in every interface: what a seat gets is what its decisions gave away.

What that is is worked out from a replay of the same seed and decisions, by the solver's own words.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, OptionError, TextEnv, TextGame, hackthegrid_v0, hovercrafts_v2
from cyberdeck.api.registration import load_file
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.seats import Seat
from cyberdeck.evaluation.match import judged
from cyberdeck.players.solvers.hackthegrid.solver import NAMES, Solver
from cyberdeck.replay import Replay
from cyberdeck.text.trl import environment_factory

GAME = "hackthegrid"
PAID = {"reward": "regret"}
#: What each result is worth to who moves.
WORTH = {"win": 1.0, "draw": 0.0, "loss": -1.0, "both lose": -1.0}
SEEDS = (3, 11)


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
    batch = Batch(GAME, 1, seed=seed, autoreset="disabled")
    mine, theirs, actions = iter(own), iter(others), []
    while (mover := int(batch.mover[0])) >= 0:
        actions.append(next(mine if mover == seat else theirs))
        batch.step(actions[-1:])
    assert next(mine, None) is None
    return actions


def choice(mask: NDArray[Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


# --- one learner ----------------------------------------------------------------------------------

#: Plays one game of a seed from a seat against that opponent: the learner's decisions, and the sum
#: of what it got.
Driver = Callable[[int, int, Recorded, np.random.Generator], tuple[list[int], float]]


def by_gymnasium(
    seed: int, seat: int, other: Recorded, rng: np.random.Generator
) -> tuple[list[int], float]:
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=seat, opponent=other, **PAID)
    _, info = env.reset(seed=seed)
    own, got, over = [], 0.0, False
    while not over:
        own.append(choice(info["action_mask"], rng))
        _, reward, over, _, info = env.step(own[-1])
        got += float(reward)
    return own, got


def of_many(
    step: Callable[[NDArray[np.int64]], tuple[float, bool]],
    mask: Callable[[], NDArray[Any]],
    rng: np.random.Generator,
) -> tuple[list[int], float]:
    """The first game of one row."""
    own, got, over = [], 0.0, False
    while not over:
        own.append(choice(mask(), rng))
        reward, over = step(np.array(own[-1:]))
        got += reward
    return own, got


def by_vector(mode: str) -> Driver:
    def drive(
        seed: int, seat: int, other: Recorded, rng: np.random.Generator
    ) -> tuple[list[int], float]:
        envs = gymnasium.make_vec(
            "cyberdeck/HackTheGrid-v0", 1, seat=seat, opponent=other, autoreset_mode=mode, **PAID
        )
        envs.reset(seed=seed)

        def step(action: NDArray[np.int64]) -> tuple[float, bool]:
            _, rewards, over, _, _ = envs.step(action)
            return float(rewards[0]), bool(over[0])

        return of_many(step, lambda: envs.unwrapped.action_masks()[0], rng)  # type: ignore[attr-defined]

    return drive


def by_batch(mode: str) -> Driver:
    def drive(
        seed: int, seat: int, other: Recorded, rng: np.random.Generator
    ) -> tuple[list[int], float]:
        batch = Batch(GAME, 1, seed=seed, seat=seat, opponent=other, autoreset=mode, **PAID)

        def step(action: NDArray[np.int64]) -> tuple[float, bool]:
            batch.step(action)
            assert batch.reward[0, 1 - seat] == 0  # whoever plays inside is not looked at
            return float(batch.reward[0, seat]), bool(batch.terminated[0])

        own, got = of_many(step, lambda: batch.mask[0], rng)
        assert batch.final_return[0, seat] == pytest.approx(got)
        return own, got

    return drive


def by_sb3(
    seed: int, seat: int, other: Recorded, rng: np.random.Generator
) -> tuple[list[int], float]:
    envs = SB3VecEnv(GAME, 1, seed=seed, seat=seat, opponent=other, **PAID)
    envs.reset()
    infos: list[dict[str, Any]] = []

    def step(action: NDArray[np.int64]) -> tuple[float, bool]:
        _, rewards, dones, infos[:] = envs.step(action)
        return float(rewards[0]), bool(dones[0])

    own, got = of_many(step, lambda: envs.action_masks()[0], rng)
    assert infos[0]["episode"]["r"] == pytest.approx(got)
    return own, got


def answer(env: TextEnv, rng: np.random.Generator) -> int:
    return choice(env.game.core.one_mask, rng)


def by_text(
    seed: int, seat: int, other: Recorded, rng: np.random.Generator
) -> tuple[list[int], float]:
    env = TextEnv(GAME, seat=seat, opponent=other, **PAID)
    env.reset(seed)
    own, got, over = [], 0.0, False
    while not over:
        own.append(answer(env, rng))
        _, reward, over, _, _ = env.step(json.dumps({"move": own[-1]}))
        got += reward
    assert env.game.returns[seat] == pytest.approx(got)
    return own, got


def by_trl(
    seed: int, seat: int, other: Recorded, rng: np.random.Generator
) -> tuple[list[int], float]:
    env = environment_factory(GAME, seat=seat, opponent=other, **PAID)()
    env.reset(seed=seed)
    own = []
    while not env.text.game.over:
        own.append(answer(env.text, rng))
        env.move(env.text.game.legal(seat)[own[-1]])
    got = env.get_reward()
    assert got is not None
    return own, got


DRIVERS: dict[str, Driver] = {
    "gymnasium": by_gymnasium,
    **{f"vector {mode}": by_vector(mode) for mode in ("NextStep", "SameStep", "Disabled")},
    **{f"batch {mode}": by_batch(mode) for mode in ("next_step", "same_step", "disabled")},
    "sb3": by_sb3,
    "text": by_text,
    "trl": by_trl,
}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", DRIVERS)
def test_a_learner_gets_what_its_decisions_gave_away(name: str, seat: int) -> None:
    sums = []
    for seed in SEEDS:
        other = Recorded()
        own, got = DRIVERS[name](seed, seat, other, np.random.default_rng(seed))
        actions = together(seed, seat, own, other.decided)
        assert got == pytest.approx(-given_away(seed, actions)[seat], abs=1e-6)
        sums.append(got)
    assert min(sums) < 0  # somebody gave something away


# --- all seats ------------------------------------------------------------------------------------


def all_by_batch(mode: str) -> Callable[[int], tuple[list[int], list[float]]]:
    def drive(seed: int) -> tuple[list[int], list[float]]:
        batch, actions, got = Batch(GAME, 1, seed=seed, autoreset=mode, **PAID), [], np.zeros(2)
        while not batch.terminated[0]:
            actions.append(int(batch.choose("random")[0]))
            batch.step(actions[-1:])
            got += batch.reward[0]
        assert batch.final_return[0].tolist() == pytest.approx(got.tolist())
        return actions, got.tolist()

    return drive


def all_by_pettingzoo(made: Callable[..., Any]) -> Callable[[int], tuple[list[int], list[float]]]:
    def drive(seed: int) -> tuple[list[int], list[float]]:
        env, rng = made(**PAID), np.random.default_rng(seed)
        env.reset(seed=seed)
        actions, got = [], dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, over, *_ = env.last()
            got[agent] += reward
            action = None if over else choice(seen["action_mask"], rng)
            env.step(action)
            actions += [] if action is None else [action]
        return actions, list(got.values())

    return drive


def all_by_text(seed: int) -> tuple[list[int], list[float]]:
    game, rng, got = TextGame(GAME, **PAID), np.random.default_rng(seed), [0.0, 0.0]
    game.reset(seed)
    while not game.over:
        game.answer(game.deciding[0], json.dumps({"move": choice(game.core.one_mask, rng)}))
        for seat in (0, 1):
            got[seat] += game.gained(seat)
    assert list(game.returns) == pytest.approx(got)
    return game.actions, got


ALL: dict[str, Callable[[int], tuple[list[int], list[float]]]] = {
    **{f"batch {mode}": all_by_batch(mode) for mode in ("next_step", "same_step", "disabled")},
    "pettingzoo": all_by_pettingzoo(hackthegrid_v0.env),
    "pettingzoo, raw": all_by_pettingzoo(hackthegrid_v0.raw_env),
    "text": all_by_text,
}


@pytest.mark.parametrize("name", ALL)
def test_all_seats_get_what_their_decisions_gave_away(name: str) -> None:
    for seed in SEEDS:
        actions, got = ALL[name](seed)
        lost = given_away(seed, actions)
        assert got == pytest.approx([-each for each in lost], abs=1e-6)
        assert min(got) < 0


def test_many_games_in_one_compiled_loop_pay_as_step_by_step() -> None:
    for mode in ("same_step", "next_step"):
        one, two = (Batch(GAME, 2, seed=5, autoreset=mode, **PAID) for _ in range(2))
        one.play("random", 20)
        for _ in range(20):
            two.step(two.choose("random"))
        assert one.core.rows.tobytes() == two.core.rows.tobytes()
        assert one.final_return.min() < 0


def test_nothing_else_in_the_game_is_another() -> None:
    for seat in ("every", "random"):
        paid, plain = (Batch(GAME, 2, seed=5, seat=seat, **given) for given in (PAID, {}))
        for _ in range(20):
            for name in ("observation", "mask", "mover", "terminated", "reason", "final_metrics"):
                assert (getattr(paid, name) == getattr(plain, name)).all()
            assert paid.core.states.tobytes() == plain.core.states.tobytes()
            actions = plain.choose("random")
            paid.step(actions)
            plain.step(actions)


def test_copies_and_saved_games_are_paid_alike() -> None:
    batch = Batch(GAME, 3, seed=5, seat="random", opponent="heuristic", **PAID)
    batch.play("random", 3)
    twins = [batch.clone(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    saved = [batch.get_state(row) for row in range(3)]
    twins.append(Batch(GAME, 3, seed=9, seat="random", opponent="heuristic", **PAID))
    for row, state in enumerate(saved):
        twins[-1].set_state(row, state)
    lost = 0.0
    for _ in range(6):
        actions = batch.choose("random")
        for each in (batch, *twins):
            each.step(actions)
        for each in twins:
            assert (each.reward == batch.reward).all()
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
    batch = Batch(game, 1, autoreset="disabled", **PAID)
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
        batch = Batch(GAME, 1, seed=seed, autoreset="disabled", illegal="lose", **PAID)
        batch.play("random", 4)
        outcomes = Solver().values(batch.core.states[0])
        best.append(max(WORTH[NAMES[each]] for each in outcomes if each >= 0))
        mover, action = int(batch.mover[0]), int(batch.mask[0].argmin())
        batch.step([action])
        wanted = [0.0, 0.0]
        wanted[mover] = -1.0 - max(best[-1], 0.0)
        assert batch.terminated[0]
        assert batch.reward[0].tolist() == wanted
    assert len({*best}) > 1


def test_a_speaker_who_gives_up_is_paid_so_too() -> None:
    env = TextEnv(GAME, seat=0, retries=0, **PAID)
    env.reset(SEEDS[0])
    _, reward, over, _, info = env.step("no move")
    assert over
    assert info["gave_up"]
    assert reward <= -1


# --- where there is nothing to measure by ---------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda **options: gymnasium.make("cyberdeck/Hovercrafts-v2", **options),
        lambda **options: gymnasium.make_vec("cyberdeck/Hovercrafts-v2", 2, **options),
        lambda **options: Batch("hovercrafts", 2, **options),
        lambda **options: SB3VecEnv("hovercrafts", 2, **options),
        lambda **options: TextEnv("hovercrafts", **options),
        lambda **options: TextGame("hovercrafts", **options),
        hovercrafts_v2.env,
        hovercrafts_v2.parallel_env,
    ],
)
def test_a_game_without_exact_values_says_so_at_once(make: Callable[..., Any]) -> None:
    with pytest.raises(OptionError, match=r"reward='regret' is not possible: .*Hovercrafts"):
        make(**PAID)


def test_what_is_chosen_beside_it_stays() -> None:
    chosen = cyberdeck.variant(GAME, scramble="at_end", **PAID)
    assert chosen.regret
    assert chosen.options["reward"] == "outcome"
    assert chosen.chosen == {"scramble": "at_end", "reward": "regret"}
    again = pickle.loads(pickle.dumps(chosen))
    assert (again.regret, again.options) == (True, chosen.options)
    with pytest.raises(OptionError, match="'regrets' is not possible"):
        cyberdeck.variant(GAME, reward="regrets")


def test_matches_count_who_wins() -> None:
    counted = judged(GAME, PAID)
    assert not counted.regret
    assert GameBatch(counted, 1, seat=Seat(0), autoreset=DISABLED).values is None
