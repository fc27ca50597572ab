"""What a policy sees beside the present: its last observations, or what it may believe."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cyberdeck.engine.constants import EVERY
from cyberdeck.errors import OptionError
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

    Around envs with ``history=True``. Of a game that a limit has cut, the last observation has what
    the seat believed at its last decision.
    """

    def __init__(self, envs: VecEnv, believe: Filter) -> None:
        self._core: Any = envs.get_attr("core")[0]
        self._believe = believe
        variant = self._core.variant
        if self._core.logs is None or len(variant.observation_shape) > 1:
            raise OptionError(
                "beliefs are made of the course of a game, and stand after its vector: give "
                "history=True, and no planes"
            )
        low, high = (np.tile(bound, variant.seats) for bound in variant.bounds())
        space = gym.spaces.Box(low.astype(np.float32), high.astype(np.float32))
        means = np.ones((variant.seats - 1) * variant.observation_size, np.bool_)
        vars(space)["fractions"] = np.concatenate([variant.fractions, means])
        super().__init__(envs, space)
        #: (N, S, (S - 1) x D): what each seat believed last, zeros before its first decision.
        self.views = np.zeros((envs.num_envs, variant.seats, len(means)), np.float32)

    def reset(self) -> Any:
        """Begin all games."""
        self.views[:] = 0
        return self._shown(self.venv.reset())

    def step_wait(self) -> Any:
        """Apply the actions."""
        seen, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            if "terminal_observation" not in infos[row]:
                continue
            info, seat = infos[row], infos[row]["seat"]
            before = self.views[row, slice(None) if seat == EVERY else seat]
            shown = np.concatenate([info["terminal_observation"], before], -1, dtype=np.float32)
            info["terminal_observation"] = shown
        self.views[dones] = 0
        return self._shown(seen), rewards, dones, infos

    def _shown(self, seen: Any) -> NDArray[np.float32]:
        at = np.arange(self.num_envs), self._core.playing()
        found = [self._believe(self._core.history_of(row)).views for row in at[0]]
        self.views[at] = np.reshape(found, (self.num_envs, -1))
        return np.concatenate([seen, self.views[at]], axis=1, dtype=np.float32)
