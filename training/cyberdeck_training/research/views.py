"""Envs that show more than what a seat sees now: to its policy, or to its critic alone."""

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


class _Wider(VecEnvWrapper):
    """Shows more with what a seat sees; where the learner plays several sides, each has its own."""

    #: (N, K, ...): what each side was shown besides at its last decision, zeros before its first.
    frames: NDArray[Any]

    def __init__(
        self, envs: VecEnv, space: gym.spaces.Box, fractions: NDArray[np.bool_], *shape: int
    ) -> None:
        """*shape*: of what a side is shown besides."""
        self._core: Any = envs.get_attr("core")[0]
        self._sides = np.array(self._core.variant.sides)
        vars(space)["fractions"] = fractions
        super().__init__(envs, space)
        self.frames = np.zeros((self.num_envs, 1 + self._sides.max(), *shape), space.dtype)

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
                before = self.frames[row, self._sides[slice(None) if seat == EVERY else seat]]
                info["terminal_observation"] = self._last(info["terminal_observation"], before)
        self.frames[dones] = 0
        return self._shown(seen), rewards, dones, infos

    def _deciding(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All games, and the side that decides in each."""
        return np.arange(self.num_envs), self._sides[self._core.playing()]

    @abstractmethod
    def _shown(self, seen: Any) -> NDArray[Any]:
        """(N, ...): with what is seen now, and kept in ``frames``."""

    def _last(self, seen: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
        """With what is seen, (..., D), where a limit has cut a game: of one seat, or of all. The
        next game is already there: what stands beside is of the last decision.
        """
        return np.concatenate([seen, before], axis=-1, dtype=self.frames.dtype)


class LastObservations(_Wider):
    """Shows with what a seat sees what it saw at its own decisions before, the present last.

    As SB3's VecFrameStack; but where the learner plays several seats, each has its own.
    """

    def __init__(self, envs: VecEnv, history: int) -> None:
        variant = envs.get_attr("core")[0].variant
        low, high = (np.tile(bound, history) for bound in variant.bounds())
        space = gym.spaces.Box(low, high, dtype=low.dtype.type)
        fractions = np.tile(variant.fractions, history)
        super().__init__(envs, space, fractions, history, variant.observation_size)

    def _shown(self, seen: Any) -> NDArray[Any]:
        at = self._deciding()
        frames = np.concatenate([self.frames[at][:, 1:], seen[:, None]], axis=1)
        self.frames[at] = frames
        shown: NDArray[Any] = frames.reshape(self.num_envs, -1)
        return shown

    def _last(self, seen: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
        shown = np.concatenate([before[..., 1:, :], seen[..., None, :]], axis=-2)
        return shown.reshape(*shown.shape[:-2], -1)


class BelievedViews(_Wider):
    """Shows after what a seat sees what it may believe that those after it see: ``Beliefs.views``.

    Around envs with ``history=True``.
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
        super().__init__(envs, space, np.concatenate([variant.fractions, means]), len(means))

    def _shown(self, seen: Any) -> NDArray[Any]:
        at = self._deciding()
        believed = [self._believe(self._core.history_of(row)).views for row in at[0]]
        self.frames[at] = np.reshape(believed, (self.num_envs, -1))
        return self._last(seen, self.frames[at])


class AllSeats(_Wider):
    """Shows after what the learner sees what the seats after it see, and which actions are legal:
    for a critic, see ``learners.py``.
    """

    def __init__(self, envs: VecEnv) -> None:
        variant = envs.get_attr("core")[0].variant
        others, actions = variant.seats - 1, variant.action_count
        low, high = (
            np.concatenate([np.tile(bound.reshape(-1), 1 + others), np.full(actions, mask)])
            for mask, bound in enumerate(variant.bounds())
        )
        dtype = variant.bounds()[0].dtype
        space = gym.spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype.type)
        fractions = [*np.tile(variant.fractions, 1 + others), *np.zeros(actions, np.bool_)]
        more = others * variant.observation_size + actions
        super().__init__(envs, space, np.array(fractions), more)

    def _shown(self, seen: Any) -> NDArray[Any]:
        core, at = self._core, self._deciding()
        variant, seats = core.variant, core.playing().astype(np.int64)
        others = np.empty((self.num_envs, variant.seats - 1, variant.observation_size), seen.dtype)
        mask, metrics = core.one_mask.copy(), core.one_metrics.copy()
        for after in range(variant.seats - 1):
            for row, seat in enumerate(((seats + after + 1) % variant.seats).tolist()):
                core.loops.look(core.states, row, seat, mask, others[row, after], metrics)
        self.frames[at] = np.concatenate([others.reshape(self.num_envs, -1), core.masks], axis=1)
        return self._last(seen.reshape(self.num_envs, -1), self.frames[at])

    def _last(self, seen: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
        return super()._last(seen.reshape(*before.shape[:-1], -1), before)
