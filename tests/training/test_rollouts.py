"""Rollouts in which the learner plays all sides: each side's decisions are its own stream."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger

from cyberdeck.engine.constants import EVERY
from cyberdeck_training import algorithms, config
from cyberdeck_training.rollouts import Rollout
from cyberdeck_training.selfplay import Pool
from tests.training.runs import write
from tests.training.test_expert_iteration import GAMES

#: Games for two and for three, one with rewards before a seat's first decision, and teams.
GAMES_OF_MANY: dict[str, dict[str, Any]] = {
    "two": {"game": str(GAMES / "leduc_poker.py")},
    "three": {"game": str(GAMES / "kuhn_for_many.py"), "options": {"players": 3}},
    "margins": {"game": "hackthegrid", "options": {"reward": "margin"}},
    "teams": {"game": "hovercrafts", "options": {"ships": [2, 2], "reward": "damage"}},
}


class Played:
    """A learner that plays and learns nothing, and a log of its games in plain Python."""

    def __init__(self, folder: Path, **changed: Any) -> None:
        given = {
            "past": ...,
            "opponents": {"self": 2, "random": 1},
            "n_steps": 5,
            "batch_size": 20,
            **changed,
        }
        given["evaluation"] = {"opponents": ["random"]}
        game = given["game"] if given["game"].endswith(".py") else None
        self.config = config.load(write(folder, **given), game=game)
        self.recipe = algorithms.recipe_of(self.config)
        self.envs: Any = self.recipe.envs(Pool(self.config, folder))
        self.model = self.recipe.make_learner(self.envs)
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.model.train = self.keep
        self.sides = self.config.variant.sides
        #: What each decision is and has brought, by row and side: [key, brought], the last open.
        self.open: dict[tuple[int, int], list[Any]] = {}
        self.owed: Counter[tuple[int, int]] = Counter()
        self.done: list[tuple[Any, ...]] = []
        self.learned: list[tuple[Any, ...]] = []
        step = self.envs.unwrapped.step_wait
        self.envs.unwrapped.step_wait = lambda: self.log(step)

    def log(self, step: Any) -> Any:
        core = self.envs.unwrapped.core
        seats, movers = core.seats.copy(), core.movers.copy()
        seen, actions = core.observations.copy(), self.envs.unwrapped._actions.copy()
        answer = step()
        for row, over in enumerate(answer[2].tolist()):
            own = range(1 + max(self.sides)) if seats[row] == EVERY else [self.sides[seats[row]]]
            at = row, self.sides[movers[row]]
            self.close(at, seen[row], False)
            self.open[at] = [(row, seen[row].tobytes(), int(actions[row])), self.owed.pop(at, 0.0)]
            for side in own:
                seat = self.sides.index(side)
                got = float(core.rewards[row, seat])
                if (row, side) in self.open:
                    self.open[row, side][1] += got
                else:
                    self.owed[row, side] += got
                if over:
                    self.close((row, side), core.finals[row, seat if len(own) > 1 else 0], True)
                    self.owed.pop((row, side), None)
        return answer

    def close(self, at: tuple[int, int], seen: Any, ended: bool) -> None:
        """A decision's side decides again, or its game is over: it has *seen* that."""
        if at in self.open:
            self.done.append(tuple(self.open.pop(at)))

    def keep(self) -> None:
        """In the place of learning."""
        buffer = self.model.rollout_buffer
        for step, row in np.argwhere(buffer.known).tolist():
            key = row, buffer.observations[step, row].tobytes(), int(buffer.actions[step, row])
            self.learned.append((key, float(buffer.brought[step, row])))


@pytest.mark.parametrize("game", GAMES_OF_MANY.values(), ids=GAMES_OF_MANY)
def test_every_decision_is_learned_from_once_with_all_that_it_brought(
    tmp_path: Path, game: dict[str, Any]
) -> None:
    played = Played(tmp_path, **game)
    rollouts, size = 12, played.config.rollout
    played.model.learn(rollouts * size)
    assert len(played.done) > (rollouts - 5) * size
    # Those who are to move where the last rollout stops have theirs as well.
    movers = {
        (row, played.sides[seat])
        for row, seat in enumerate(played.envs.unwrapped.core.playing().tolist())
    }
    finished = [tuple(each) for at, each in played.open.items() if at in movers]

    def counted(decisions: list[tuple[Any, ...]]) -> Counter[Any]:
        return Counter((key, round(brought, 3)) for key, brought in decisions)

    assert counted(played.learned) == counted(played.done + finished)
    assert any(brought for _, brought in played.done)


@pytest.mark.parametrize("net_arch", [[8], {"shared": [8], "pi": [4], "vf": []}])
def test_the_critic_judges_every_decision(tmp_path: Path, net_arch: Any) -> None:
    """Those left open by the last rollout as well, whether or not it shares layers with them."""
    played = Played(tmp_path, **GAMES_OF_MANY["two"], net_arch=net_arch)
    played.model.learn(3 * played.config.rollout)
    buffer, policy = played.model.rollout_buffer, played.model.policy
    assert buffer.there[: buffer.left_open].any()
    seen, actions = buffer.observations[buffer.there], buffer.actions[buffer.there]
    masks = buffer.action_masks[buffer.there]
    with torch.inference_mode():
        values, logs, _ = policy.evaluate_actions(
            torch.from_numpy(seen), torch.from_numpy(actions), masks
        )
    for kept, known in ((buffer.values, values[:, 0]), (buffer.log_probs, logs)):
        np.testing.assert_allclose(kept[buffer.there], known.numpy(), rtol=1e-4, atol=1e-5)
    assert (buffer.expected == buffer.values).all()


def plain(buffer: Rollout, last: Any, streams: Any, cut: Any) -> dict[tuple[int, int], float]:
    """The returns of what is known, one stream after the other, from its beginning."""
    found = {}
    for row in range(buffer.n_envs):
        for stream in range(len(buffer.first_seats)):
            parts: list[list[int]] = [[]]
            brought: dict[int, float] = {}
            ended = {}
            for step in range(len(buffer.known)):
                if buffer.there[step, row] and buffer.streams[step, row] == stream:
                    parts[-1].append(step)
                    brought[step] = 0.0
                if parts[-1]:
                    brought[parts[-1][-1]] += buffer.rewards[step, row, stream]
                if buffer.ends[step, row]:
                    if parts[-1]:
                        ended[parts[-1][-1]] = cut[step, row, stream]
                    parts.append([])
            for part in parts:
                more = None
                for at, step in reversed(list(enumerate(part))):
                    if at + 1 < len(part):
                        after = buffer.expected[part[at + 1], row]
                    elif step in ended:
                        after = ended[step]
                    elif stream == streams[row]:
                        after = last[row]
                    else:
                        continue
                    error = brought[step] + 0.9 * after - buffer.values[step, row]
                    more = error + 0.9 * 0.7 * (more or 0.0)
                    found[step, row] = buffer.values[step, row] + more
    return found


@pytest.mark.parametrize("sides", [(0, 1), (0, 1, 2), (0, 0, 1, 1)])
def test_returns_are_those_of_each_stream_by_itself(sides: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    rows, count = 40, 1 + max(sides)
    box = spaces.Box(-1, 1, (3,), np.float32)
    given = {"n_envs": rows, "gamma": 0.9, "gae_lambda": 0.7, "sides": sides}
    buffer = Rollout(7, box, spaces.Discrete(4), "cpu", left_open=count - 1, **given)

    def drawn(*shape: int) -> NDArray[np.float32]:
        return rng.normal(size=shape).astype(np.float32)

    for _ in range(5):
        buffer.reset()
        fresh = slice(buffer.left_open, None)
        buffer.streams[fresh] = rng.integers(count, size=(7, rows))
        buffer.rewards[fresh], buffer.ends[fresh] = drawn(7, rows, count), drawn(7, rows) > 1
        shape = buffer.ends.shape
        buffer.values[:], buffer.expected[:] = drawn(*shape), drawn(*shape)
        last, streams, cut = drawn(rows), rng.integers(count, size=rows), drawn(*shape, count)
        buffer.trace_back(last, streams, cut)
        expected = plain(buffer, last, streams, cut)
        assert {tuple(at) for at in np.argwhere(buffer.known).tolist()} == set(expected)
        for at, value in expected.items():
            assert buffer.returns[at] == pytest.approx(value, abs=1e-4)
        batches = [batch.observations for batch in buffer.get(32)]
        assert sum(map(len, batches)) == len(expected)
        assert min(map(len, batches)) > 16
