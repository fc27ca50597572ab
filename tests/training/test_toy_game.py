"""Learning on a game whose value is known: rewards, ends and advantages of each seat are right.

The game is take-away (``take_away.py``): its values are a few lines of dynamic programming. The
learner's values and play must come to them, and must not where its stream of experience is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.engine import registry
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.seats import Seat
from cyberdeck_training import rollouts
from cyberdeck_training.labelled import LabelledMaskablePPO
from tests.training.take_away import GAME, LEAST, MOST, PRICE


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """What is learned is the same everywhere. The game is there for these tests alone."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    registry.add(GAME)
    yield
    torch.set_num_threads(threads)


# --- the stream of one seat's experience ----------------------------------------------------------


def takes(numbers: dict[int, int]) -> Callable[..., NDArray[np.int64]]:
    """A player that takes numbers[heap], or one of any other heap."""

    def decide(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        return np.array([numbers.get(heap, 1) - 1 for heap in heaps(observations)])

    return decide


def heaps(observations: NDArray[np.int8]) -> list[int]:
    return [int(heap) for heap in observations[:, : MOST + 1].argmax(axis=1)]


def shown(heap: int, seat: int, *, to_move: int = 1, owed: int = 0) -> list[int]:
    """The observation of a position."""
    return [*(int(objects == heap) for objects in range(MOST + 1)), to_move, seat, owed]


def story_of(
    learner: dict[int, int], opponent: dict[int, int], options: dict[str, Any], heap: int
) -> list[list[tuple[list[int], float, bool, bool]]]:
    """(observation, reward, done, truncated) of each step of one game on each seat, side by side.

    The observation is the one that the step leads to: of a finished game its last.
    """
    envs = SB3VecEnv(GAME.name, 8, seed=0, opponent=takes(opponent), **options)
    envs.set_options({"heap": heap, "first": 0})
    observations = envs.reset()
    assert len(set(envs.core.seats.tolist())) == 2, "both seats are played in this batch"
    stories: list[list[tuple[list[int], float, bool, bool]]] = [
        [(observation.tolist(), 0.0, False, False)] for observation in observations
    ]
    seats = envs.core.seats.tolist()
    own = takes(learner)
    running = np.ones(8, np.bool_)
    while running.any():
        observations, rewards, dones, infos = envs.step(own(observations, envs.action_masks()))
        for row in np.flatnonzero(running):
            info = infos[row]
            seen = info["terminal_observation"] if dones[row] else observations[row]
            cut = bool(info.get("TimeLimit.truncated", False))
            stories[row].append((seen.tolist(), float(rewards[row]), bool(dones[row]), cut))
        running &= ~dones
    for seat in range(2):
        same = [story for story, own_seat in zip(stories, seats, strict=True) if own_seat == seat]
        assert all(story == same[0] for story in same)
    return [stories[seats.index(seat)] for seat in range(2)]


def test_rewards_between_two_decisions_add_up_and_the_last_one_arrives() -> None:
    first, second = story_of({6: 1, 3: 2, 4: 1, 1: 1}, {5: 2, 1: 1, 6: 2, 3: 2}, {}, heap=6)
    assert first == [
        (shown(6, 0), 0.0, False, False),
        # takes 1 of 6, pays for 2 of 5
        (shown(3, 0), PRICE - 2 * PRICE, False, False),
        # takes 2 of 3; the other has to take the last one: the winner is told
        (shown(0, 0, to_move=0), 2 * PRICE - PRICE + 1, True, False),
    ]
    assert second == [
        # the other took 2 of 6 before
        (shown(4, 1, owed=2), 0.0, False, False),
        # pays for these 2, takes 1 of 4, pays for 2 of 3
        (shown(1, 1), -2 * PRICE + PRICE - 2 * PRICE, False, False),
        (shown(0, 1, to_move=0), PRICE - 1, True, False),
    ]


def test_a_game_that_is_cut_off_is_truncated_and_seen_from_the_own_seat() -> None:
    first, second = story_of({8: 1, 6: 1, 7: 2}, {7: 1, 8: 1, 5: 2}, {"limit": 3}, heap=8)
    assert first == [
        (shown(8, 0), 0.0, False, False),
        (shown(6, 0), 0.0, False, False),
        (shown(5, 0, to_move=0), PRICE, True, True),
    ]
    assert second == [
        (shown(7, 1, owed=1), 0.0, False, False),
        (shown(3, 1, to_move=0), -PRICE + 2 * PRICE - 2 * PRICE, True, True),
    ]


# --- what the game is worth -----------------------------------------------------------------------


def gain(heap: int, taken: int) -> float:
    """The reward of the one who takes; the other gets its negative."""
    return PRICE * taken - (1.0 if taken == heap else 0.0)


def best() -> tuple[dict[int, float], dict[int, set[int]]]:
    """Of each heap: its value to the one who decides, and the numbers to take that bring it."""
    value, plays = {0: 0.0}, {}
    for heap in range(1, MOST + 1):
        can = range(1, min(2, heap) + 1)
        brings = {taken: gain(heap, taken) - value[heap - taken] for taken in can}
        value[heap] = max(brings.values())
        plays[heap] = {taken for taken in brings if brings[taken] > value[heap] - 1e-9}
    return value, plays


def test_the_games_value_is_what_its_rules_make_it() -> None:
    """By hand: 1, 4 and 7 are lost; an object is worth a quarter."""
    value, plays = best()
    assert value == {0: 0, 1: -0.75, 2: 1, 3: 1.25, 4: -0.5, 5: 0.75, 6: 1, 7: -0.25, 8: 0.5}
    assert plays == {1: {1}, 2: {1}, 3: {2}, 4: {2}, 5: {1}, 6: {2}, 7: {2}, 8: {1}}


# --- learning it ----------------------------------------------------------------------------------


def judged(model: MaskablePPO) -> tuple[float, list[tuple[int, int, int]]]:
    """At every position that can come up: the largest error of the learner's values, which lie
    between -1.25 and 1.25, and where it does not play what is best.
    """
    value, plays = best()
    positions = [
        (heap, seat, owed)
        for heap in range(1, MOST + 1)
        for seat in range(2)
        for owed in range(3)
        if owed == 0 or LEAST <= heap + owed <= MOST
    ]
    observations = np.array([shown(heap, seat, owed=owed) for heap, seat, owed in positions])
    observations = observations.astype(np.int8)
    masks = np.array([[True, heap > 1] for heap, _, _ in positions])
    with torch.no_grad():
        learned = model.policy.predict_values(torch.as_tensor(observations)).numpy().flatten()
    # The first reward of a game holds what the seat paid before it decided for the first time.
    truth = [value[heap] - PRICE * owed for heap, _, owed in positions]
    actions, _ = model.predict(observations, action_masks=masks, deterministic=True)
    taken = zip(positions, actions.tolist(), strict=True)
    mistakes = [at for at, action in taken if 1 + action not in plays[at[0]]]
    return float(np.abs(learned - truth).max()), mistakes


def learner(envs: SB3VecEnv, kind: type[MaskablePPO] = MaskablePPO, **more: Any) -> MaskablePPO:
    return kind(
        "MlpPolicy",
        envs,
        n_steps=16,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        learning_rate=lambda left: 0.005 * left,
        policy_kwargs={"net_arch": [64]},
        seed=1,
        device="cpu",
        **more,
    )


def trained(model: MaskablePPO, updates: int) -> MaskablePPO:
    return model.learn(updates * model.n_steps * model.n_envs)


@pytest.mark.slow
def test_on_both_sides_each_with_its_own_stream_it_comes_to_the_same() -> None:
    envs = SB3VecEnv(GAME.name, 128, seed=1, opponent=ITSELF)
    kept = {"sides": (0, 1), "left_open": 1}
    given = {"rollout_buffer_class": rollouts.Rollout, "rollout_buffer_kwargs": kept}
    error, mistakes = judged(trained(learner(envs, LabelledMaskablePPO, **given), 80))
    assert (error < 0.1, mistakes) == (True, []), error


class OneStream(SB3VecEnv):
    """The common mistake: the decisions of both seats as if they were one player's.

    Each decision gets its mover's reward, and is followed by what the next mover sees.
    """

    def __init__(self, n_envs: int) -> None:
        super().__init__(GAME.name, n_envs, seed=1)
        self.core = GameBatch(self.core.variant, n_envs, seat=Seat(EVERY))

    def step_wait(self) -> Any:
        assert self._actions is not None
        core, movers = self.core, self.core.movers.copy()
        core.step(self._actions)
        dones = (core.terminated | core.truncated).astype(np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in dones]
        return core.observations.copy(), core.rewards[self._at, movers], dones, infos


@pytest.mark.slow
def test_both_seats_in_one_stream_learn_neither_values_nor_play() -> None:
    error, mistakes = judged(trained(learner(OneStream(128)), 60))
    assert error > 1
    assert mistakes
