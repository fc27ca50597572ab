"""What a policy sees beside the present: its last observations, or what it may believe."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cyberdeck.engine.constants import EVERY
from cyberdeck.errors import OptionError
from cyberdeck.players.beliefs import Filter


class _OfEachSeat(VecEnvWrapper):
    """Shows more with what a seat sees; where the learner plays several seats, each has its own."""

    #: (N, S, ...): what each seat has at its last decision, zeros before its first.
    frames: NDArray[Any]

    def __init__(self, envs: VecEnv, space: gym.spaces.Box, fractions: NDArray[np.bool_]) -> None:
        self._core: Any = envs.get_attr("core")[0]
        vars(space)["fractions"] = fractions
        super().__init__(envs, space)

    def reset(self) -> Any:
        """Begin all games."""
        self.frames[:] = 0
        return self._shown(self.venv.reset())

    def step_wait(self) -> Any:
        """Apply the actions."""
        seen, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            if "terminal_observation" in infos[row]:
                info, seat = infos[row], infos[row]["seat"]
                before = self.frames[row, slice(None) if seat == EVERY else seat]
                info["terminal_observation"] = self._last(info["terminal_observation"], before)
        self.frames[dones] = 0
        return self._shown(seen), rewards, dones, infos

    @abstractmethod
    def _shown(self, seen: Any) -> NDArray[Any]:
        """(N, ...): with what is seen now, and kept in ``frames``."""

    @abstractmethod
    def _last(self, seen: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
        """With what is seen, (..., D), where a limit has cut a game: of one seat, or of all."""


class LastObservations(_OfEachSeat):
    """Shows with what a seat sees what it saw at its own decisions before, the present last.

    As SB3's VecFrameStack; but where the learner plays several seats, each has its own.
    """

    def __init__(self, envs: VecEnv, history: int) -> None:
        variant = envs.get_attr("core")[0].variant
        low, high = (np.tile(bound, history) for bound in variant.bounds())
        space = gym.spaces.Box(low, high, dtype=low.dtype.type)
        super().__init__(envs, space, np.tile(variant.fractions, history))
        self.frames = np.zeros(
            (envs.num_envs, variant.seats, history, variant.observation_size), low.dtype
        )

    def _shown(self, seen: Any) -> NDArray[Any]:
        at = np.arange(self.num_envs), self._core.playing()
        frames = np.concatenate([self.frames[at][:, 1:], seen[:, None]], axis=1)
        self.frames[at] = frames
        shown: NDArray[Any] = frames.reshape(self.num_envs, -1)
        return shown

    def _last(self, seen: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
        shown = np.concatenate([before[..., 1:, :], seen[..., None, :]], axis=-2)
        return shown.reshape(*shown.shape[:-2], -1)


class BelievedViews(_OfEachSeat):
    """Shows after what a seat sees what it may believe that those after it see: ``Beliefs.views``.

    Around envs with ``history=True``. Of a game that a limit has cut, the last observation has what
    the seat believed at its last decision.
    """

    def __init__(self, envs: VecEnv, believe: Filter) -> None:
        core: Any = envs.get_attr("core")[0]
        variant = core.variant
        if core.logs is None or len(variant.observation_shape) > 1:
            raise OptionError(
                "beliefs are made of the course of a game, and stand after its vector: give "
                "history=True, and no planes"
            )
        self._believe = believe
        low, high = (np.tile(bound, variant.seats) for bound in variant.bounds())
        space = gym.spaces.Box(low.astype(np.float32), high.astype(np.float32))
        means = np.ones((variant.seats - 1) * variant.observation_size, np.bool_)
        super().__init__(envs, space, np.concatenate([variant.fractions, means]))
        self.frames = np.zeros((envs.num_envs, variant.seats, len(means)), np.float32)

    def _shown(self, seen: Any) -> NDArray[Any]:
        at = np.arange(self.num_envs), self._core.playing()
        found = [self._believe(self._core.history_of(row)).views for row in at[0]]
        self.frames[at] = np.reshape(found, (self.num_envs, -1))
        return self._last(seen, self.frames[at])

    def _last(self, seen: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([seen, before], axis=-1, dtype=np.float32)
