"""Learning on a game whose value is known: rewards, ends and advantages of each seat are right.

The game is take-away (``take_away.py``): its values are a few lines of dynamic programming. The
learner's values and play must come to them, and must not where its stream of experience is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from cyberdeck.api.sb3 import SB3Policy, SB3VecEnv
from cyberdeck.common.statistics import Mean
from cyberdeck.engine import registry
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.seats import Seat
from cyberdeck.evaluation import evaluate
from cyberdeck_training import rollouts
from cyberdeck_training.labelled import LabelledMaskablePPO
from tests.training.take_away import GAME, LEAST, MOST, PRICE

#: Who takes the last one loses, and every object is paid for by the other: there are rewards at
#: every decision of either seat, and lost and won positions.
RULES = {"last": "loses", "reward": "objects"}


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
    options = {"last": "wins", "reward": "objects"}
    first, second = story_of({6: 1, 3: 2, 4: 1, 1: 1}, {5: 2, 1: 1, 6: 2, 3: 2}, options, heap=6)
    assert first == [
        (shown(6, 0), 0.0, False, False),
        # takes 1 of 6, pays for 2 of 5
        (shown(3, 0), PRICE - 2 * PRICE, False, False),
        # takes 2 of 3; the other takes the last one and wins: the loser is told
        (shown(0, 0, to_move=0), 2 * PRICE - PRICE - 1, True, False),
    ]
    assert second == [
        # the other took 2 of 6 before
        (shown(4, 1, owed=2), 0.0, False, False),
        # pays for these 2, takes 1 of 4, pays for 2 of 3
        (shown(1, 1), -2 * PRICE + PRICE - 2 * PRICE, False, False),
        (shown(0, 1, to_move=0), PRICE + 1, True, False),
    ]


def test_a_game_that_is_cut_off_is_truncated_and_seen_from_the_own_seat() -> None:
    options = {"last": "wins", "reward": "objects", "limit": 3}
    first, second = story_of({8: 1, 6: 1, 7: 2}, {7: 1, 8: 1, 5: 2}, options, heap=8)
    assert first == [
        (shown(8, 0), 0.0, False, False),
        (shown(6, 0), 0.0, False, False),
        (shown(5, 0, to_move=0), PRICE, True, True),
    ]
    assert second == [
        (shown(7, 1, owed=1), 0.0, False, False),
        (shown(3, 1, to_move=0), -PRICE + 2 * PRICE - 2 * PRICE, True, True),
    ]


class Rollout(BaseCallback):
    """Keeps what the env gave during one rollout, and the buffer that came of it."""

    def __init__(self) -> None:
        super().__init__()
        self.rewards: list[NDArray[np.float32]] = []
        self.dones: list[NDArray[np.bool_]] = []
        self.infos: list[list[dict[str, Any]]] = []

    def _on_step(self) -> bool:
        self.rewards.append(self.locals["rewards"].copy())
        self.dones.append(self.locals["dones"].copy())
        self.infos.append(self.locals["infos"])
        return True

    def _on_rollout_end(self) -> None:
        buffer = self.locals["rollout_buffer"]
        self.values, self.advantages = buffer.values.copy(), buffer.advantages.copy()
        self.returns = buffer.returns.copy()
        # What follows each step, by the learner's own values as they are before it learns.
        self.next_values = np.vstack([self.values[1:], self.value(self.locals["new_obs"])])
        for step, infos in enumerate(self.infos):
            for row in np.flatnonzero(self.dones[step]):
                cut = infos[row]["TimeLimit.truncated"]
                last = infos[row]["terminal_observation"][None]
                self.next_values[step, row] = self.value(last)[0] if cut else 0.0

    def value(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        with torch.no_grad():
            values = self.model.policy.predict_values(torch.as_tensor(observations))
        flat: NDArray[np.float32] = values.numpy().flatten()
        return flat


def test_advantages_are_those_worked_out_by_hand() -> None:
    """Of each row by itself, whichever seat it plays: sums to the end of its game, cut or not."""
    discount, decay, steps, rows = 0.9, 0.8, 12, 6
    envs = SB3VecEnv(GAME.name, rows, seed=3, limit=4, **RULES)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=steps,
        batch_size=steps * rows,
        n_epochs=1,
        gamma=discount,
        gae_lambda=decay,
        seed=0,
        device="cpu",
    )
    seen = Rollout()
    model.learn(steps * rows, callback=seen)
    ends = [info for infos in seen.infos for info in infos if "seat" in info]
    assert {(end["seat"], end["TimeLimit.truncated"]) for end in ends} == {
        (seat, cut) for seat in range(2) for cut in (False, True)
    }
    for row in range(rows):
        for step in range(steps):
            advantage = 0.0
            for later in range(step, steps):
                surprise = seen.rewards[later][row] - seen.values[later, row]
                surprise += discount * seen.next_values[later, row]
                advantage += (discount * decay) ** (later - step) * surprise
                if seen.dones[later][row]:
                    break
            assert seen.advantages[step, row] == pytest.approx(advantage, abs=1e-5)
            total = advantage + seen.values[step, row]
            assert seen.returns[step, row] == pytest.approx(total, abs=1e-5)


# --- what the game is worth -----------------------------------------------------------------------


def legal(heap: int) -> range:
    return range(1, min(2, heap) + 1)


def gain(heap: int, taken: int) -> float:
    """The reward of the one who takes; the other gets its negative."""
    return PRICE * taken - (1.0 if taken == heap else 0.0)


def best(perfect: bool) -> tuple[dict[int, float], dict[int, set[int]]]:
    """Of each heap: its value to the one who decides, and the numbers to take that bring it.

    The other one plays perfectly, or at random.
    """
    value, plays = {0: 0.0}, {}
    for heap in range(1, MOST + 1):
        brings = {}
        for taken in legal(heap):
            left = heap - taken
            replies = [value[left - reply] - gain(left, reply) for reply in legal(left)]
            after = -value[left] if perfect else float(np.mean(replies)) if left else 0.0
            brings[taken] = gain(heap, taken) + after
        value[heap] = max(brings.values())
        plays[heap] = {taken for taken in brings if brings[taken] > value[heap] - 1e-9}
    return value, plays


def points_against_random(plays: dict[int, set[int]]) -> float:
    """How often best play wins, over all heaps to start from and both to begin."""
    won = {}
    for heap in range(1, MOST + 1):
        (taken,) = plays[heap]
        left = heap - taken
        ends = [1.0 if reply == left else won[left - reply] for reply in legal(left)]
        won[heap] = float(np.mean(ends)) if left else 0.0
    starts = range(LEAST, MOST + 1)
    second = [np.mean([won[heap - taken] for taken in legal(heap)]) for heap in starts]
    return float(np.mean([won[heap] for heap in starts]) + np.mean(second)) / 2


def test_the_games_value_is_what_its_rules_make_it() -> None:
    """By hand: 1, 4 and 7 are lost; an object is worth a quarter."""
    value, plays = best(perfect=True)
    assert value == {0: 0, 1: -0.75, 2: 1, 3: 1.25, 4: -0.5, 5: 0.75, 6: 1, 7: -0.25, 8: 0.5}
    assert plays == {1: {1}, 2: {1}, 3: {2}, 4: {2}, 5: {1}, 6: {2}, 7: {2}, 8: {1}}
    value, plays = best(perfect=False)
    assert value == {0: 0, 1: -0.75, 2: 1, 3: 1.25, 4: 0.25, 5: 1, 6: 1.25, 7: 0.875, 8: 1}
    assert plays == {1: {1}, 2: {1}, 3: {2}, 4: {2}, 5: {1}, 6: {2}, 7: {2}, 8: {1}}


# --- learning it ----------------------------------------------------------------------------------


@dataclass
class Verdict:
    """How far a learner is from the truth."""

    error: float
    """The largest of its values', which lie between -1.25 and 1.25."""
    mistakes: list[list[int]]
    """Positions in which it does not play what is best."""
    points: Mean
    due: float
    """The points that best play makes."""

    @property
    def right(self) -> tuple[bool, bool, bool]:
        """Values, play, points."""
        fair = self.points.low <= self.due <= self.points.high
        return self.error < 0.1, not self.mistakes, fair


def judged(model: MaskablePPO, perfect: bool) -> Verdict:
    """The learner at every position that can come up, against the opponent that it is meant for."""
    value, plays = best(perfect)
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
    mistakes = [
        list(position)
        for position, action in zip(positions, actions.tolist(), strict=True)
        if 1 + action not in plays[position[0]]
    ]
    opponent = "heuristic" if perfect else "random"  # its heuristic is perfect
    learner, last = SB3Policy(model), RULES["last"]
    matches = evaluate(GAME.name, learner, [opponent], deals=1000, seed=7, last=last)
    due = 0.5 if perfect else points_against_random(plays)
    return Verdict(float(np.abs(learned - truth).max()), mistakes, matches.records[-1].points, due)


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


def trained(model: MaskablePPO, updates: int, callback: BaseCallback | None = None) -> MaskablePPO:
    return model.learn(updates * model.n_steps * model.n_envs, callback=callback)


class PastSelf(Policy):
    """Plays as the learner did some updates ago."""

    name = "past self"
    player: SB3Policy

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        return self.player.decide(seen)


class Follow(BaseCallback):
    """Replaces the past self every four updates."""

    def __init__(self, past: PastSelf) -> None:
        super().__init__()
        self.past = past
        self.updates = 0

    def _on_rollout_start(self) -> None:
        if self.updates % 4 == 0:
            self.past.player = SB3Policy(self.model, greedy=False)
        self.updates += 1

    def _on_step(self) -> bool:
        return True


@pytest.mark.slow
def test_against_random_values_and_play_become_the_best_answer() -> None:
    model = trained(learner(SB3VecEnv(GAME.name, 128, seed=1, **RULES)), 60)
    verdict = judged(model, perfect=False)
    assert verdict.right == (True, True, True), verdict


def test_self_play_comes_to_the_minimax_values() -> None:
    past = PastSelf()
    envs = SB3VecEnv(GAME.name, 128, seed=1, opponent=past, **RULES)
    model = learner(envs)
    past.player = SB3Policy(model, greedy=False)  # it may open a game before the first rollout
    verdict = judged(trained(model, 80, Follow(past)), perfect=True)
    assert verdict.right == (True, True, True), verdict


@pytest.mark.slow
def test_on_both_sides_each_with_its_own_stream_it_comes_to_the_same() -> None:
    envs = SB3VecEnv(GAME.name, 128, seed=1, opponent=ITSELF, **RULES)
    kept = {"sides": (0, 1), "left_open": 1}
    given = {"rollout_buffer_class": rollouts.Rollout, "rollout_buffer_kwargs": kept}
    verdict = judged(trained(learner(envs, LabelledMaskablePPO, **given), 80), perfect=True)
    assert verdict.right == (True, True, True), verdict


class OneStream(SB3VecEnv):
    """The common mistake: the decisions of both seats as if they were one player's.

    Each decision gets its mover's reward, and is followed by what the next mover sees.
    """

    def __init__(self, n_envs: int) -> None:
        super().__init__(GAME.name, n_envs, seed=1, **RULES)
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
    model = trained(learner(OneStream(128)), 60)
    for perfect in (False, True):
        verdict = judged(model, perfect)
        assert verdict.right == (False, False, False), verdict
        assert verdict.error > 1
