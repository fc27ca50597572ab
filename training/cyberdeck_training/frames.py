"""What a policy sees beside the present: its last observations, or what it may believe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.history import Log
from cyberdeck.engine.positions import checked_position
from cyberdeck.players.beliefs import Filter


class LastObservations(VecEnvWrapper):
    """Shows with what a seat sees what it saw at its own decisions before, the present last.

    As SB3's VecFrameStack; but where the learner plays several seats, each has its own.
    """

    def __init__(self, envs: VecEnv, history: int) -> None:
        self._core: Any = envs.get_attr("core")[0]
        variant = self._core.variant
        low, high = (np.tile(bound, history) for bound in variant.bounds())
        space = gym.spaces.Box(low, high, dtype=low.dtype.type)
        vars(space)["fractions"] = np.tile(variant.fractions, history)
        super().__init__(envs, space)
        #: (N, S, history, D): what each seat has seen, zeros before its first decision.
        self.frames = np.zeros(
            (envs.num_envs, variant.seats, history, variant.observation_size), low.dtype
        )

    def reset(self) -> Any:
        """Begin all games."""
        self.frames[:] = 0
        return self._shown(self.venv.reset())

    def step_wait(self) -> Any:
        """Apply the actions."""
        seen, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            if "terminal_observation" not in infos[row]:
                continue
            info, seat = infos[row], infos[row]["seat"]
            before = self.frames[row, slice(None) if seat == EVERY else seat]
            last = info["terminal_observation"][..., None, :]
            shown = np.concatenate([before[..., 1:, :], last], axis=-2)
            info["terminal_observation"] = shown.reshape(*shown.shape[:-2], -1)
        self.frames[dones] = 0
        return self._shown(seen), rewards, dones, infos

    def _shown(self, seen: Any) -> NDArray[Any]:
        at = np.arange(self.num_envs), self._core.playing()
        frames = np.concatenate([self.frames[at][:, 1:], seen[:, None]], axis=1)
        self.frames[at] = frames
        shown: NDArray[Any] = frames.reshape(self.num_envs, -1)
        return shown


class BelievedViews(VecEnvWrapper):
    """Shows after what a seat sees what it may believe that those after it see: ``Beliefs.views``.

    Of a game that a limit has cut, the last observation has those of the decision before: the next
    game is already there.
    """

    def __init__(self, envs: VecEnv, believe: Filter) -> None:
        self._core: Any = envs.get_attr("core")[0]
        self._believe = believe
        variant = self._core.variant
        low, high = (np.tile(bound, variant.seats) for bound in variant.bounds())
        space = gym.spaces.Box(low.astype(np.float32), high.astype(np.float32))
        means = np.ones((variant.seats - 1) * variant.observation_size, np.bool_)
        vars(space)["fractions"] = np.concatenate([variant.fractions, means])
        super().__init__(envs, space)
        #: (N, (S - 1) x D), now.
        self.views = np.zeros((envs.num_envs, len(means)), np.float32)

    def reset(self) -> Any:
        """Begin all games."""
        return self._shown(self.venv.reset())

    def step_wait(self) -> Any:
        """Apply the actions."""
        seen, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            if "terminal_observation" in infos[row]:
                last = infos[row]["terminal_observation"]
                before = np.broadcast_to(self.views[row], (*last.shape[:-1], self.views.shape[1]))
                shown = np.concatenate([last, before], axis=-1, dtype=np.float32)
                infos[row]["terminal_observation"] = shown
        return self._shown(seen), rewards, dones, infos

    def _shown(self, seen: Any) -> NDArray[np.float32]:
        for row in range(self.num_envs):
            self.views[row] = self._believe(self._core.history_of(row)).views.reshape(-1)
        return np.concatenate([seen, self.views], axis=1, dtype=np.float32)

    def courses(self) -> dict[str, NDArray[Any]]:
        """What was decided in the games so far, to be put back: (N,) how often in each, the
        positions before these decisions, of one game after the other, and the actions.
        """
        entries = [entry for log in self._core.logs for entry in log.entries]
        records = [entry.record for entry in entries]
        positions = np.concatenate([np.zeros(0, self._core.game.dtype), *records])
        return {
            "decided": np.array([len(log.entries) for log in self._core.logs], np.int64),
            "positions": positions.view(np.uint8),
            "actions": np.array([entry.action for entry in entries], np.int64),
        }

    def put_courses(self, courses: Mapping[str, NDArray[Any]]) -> None:
        """What ``courses`` gave, with the same games, or ``ValueError``."""
        core, variant = self._core, self._core.variant
        counts, actions = courses["decided"], courses["actions"]
        positions = courses["positions"].view(core.game.dtype)
        whole = len(counts) == self.num_envs and (counts >= 0).all()
        if not whole or not counts.sum() == len(actions) == len(positions):
            raise ValueError("its courses of games are not as long as they say")
        checked_position(core.game, positions)
        at = 0
        for row, many in enumerate(counts.tolist()):
            now = core.logs[row].record
            records = [*(positions[each : each + 1].copy() for each in range(at, at + many)), now]
            log = Log(variant, records[0])
            for record, after, action in zip(
                records, records[1:], actions[at : at + many].tolist(), strict=False
            ):
                mover = int(record[0]["mover"])
                mask, seen, _ = variant.look(record, mover)
                if not 0 <= action < len(mask) or not mask[action]:
                    raise ValueError("its courses of games have decisions that are not legal")
                log = log.after(action, seen.reshape(variant.observation_shape), after)
            core.logs[row], at = log, at + many
