"""Gymnasium's VectorEnv: the batch engine itself, reached by ``gymnasium.make_vec``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cyberdeck.api.adapters import (
    RENDER_MODES,
    Dtype,
    Mask,
    VectorGames,
)
from cyberdeck.common.extras import need
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import NEXT_STEP, SAME_STEP
from cyberdeck.errors import OptionError, require
from cyberdeck.players import Opponent
from cyberdeck.showing import Pasts, text_of


def vector_env(game: str, num_envs: int = 1, *, device: Any = None, **arguments: Any) -> Any:
    """What ``gymnasium.make_vec`` makes: arrays here, or with ``device=`` tensors there."""
    if device is None:
        return CyberdeckVectorEnv(game, num_envs, **arguments)
    need("torch", "games on a device", "cuda")
    from cyberdeck.api.device_env import DeviceVectorEnv

    return DeviceVectorEnv(game, num_envs, device=device, **arguments)


class CyberdeckVectorEnv(VectorGames):
    """N games at once behind Gymnasium's vector interface; see ``CyberdeckEnv`` for arguments.

    It gives what a ``SyncVectorEnv`` of N single envs would, bit for bit, a few hundred times
    faster. ``info["action_mask"]`` is an (N, A) array, as is ``action_masks()``. The mask of a
    game that is over is all ones: the action for it is ignored.

    Args:
        num_envs: how many games.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: "NextStep" (the default),
            "SameStep" or "Disabled".
        threads: play in so many threads, "auto": one on each core. It changes no result.
        max_episode_steps: own decisions after which a game is truncated, as by ``TimeLimit``.

    >>> import gymnasium, cyberdeck
    >>> envs = gymnasium.make_vec("cyberdeck/MatrixOverload-v0", num_envs=64)
    >>> observations, infos = envs.reset(seed=0)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> envs.step(actions)[0].shape
    (64, 361)
    """

    _core: GameBatch
    _renders = RENDER_MODES[1:]

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        illegal: str = "raise",
        threads: int | str = 1,
        max_episode_steps: int | None = None,
        mask: Mask | None = "info",
        dtype: Dtype | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        choose = "choose 'rgb_array' or 'ansi' for many games at once"
        require(render_mode in (None, "rgb_array", "ansi"), "render_mode", render_mode, choose)
        limit = max_episode_steps
        possible = limit is None or (is_whole(limit) and limit > 0)
        require(possible, "max_episode_steps", limit, "a whole number from 1 on is needed")
        play: Any = {"illegal": illegal, "threads": threads, "options": options}
        play |= {"players": (seat, opponent, ally)}
        super().__init__(game, num_envs, autoreset_mode, (mask, dtype), **play)
        self.render_mode = render_mode
        self._every = np.ones(self.num_envs, np.bool_)
        self._limit = limit
        self._taken = np.zeros(self.num_envs, np.int64)  # own decisions in the running games
        self._at = np.arange(self.num_envs)
        self._pasts = Pasts(self._core)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin all games, game i with seed + i; or those that ``options["reset_mask"]`` names."""
        chosen = self._begin(seed, options)
        self._taken[chosen] = 0
        self._pasts.forget(chosen)
        begun = np.zeros(self.num_envs, np.bool_)
        begun[chosen] = True
        return self._observations(), self._infos(begun)

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Apply one action in every game."""
        core = self._core
        over = (core.terminated | core.truncated).astype(np.bool_)
        self._need_running(over)
        actions = core.actions(actions)
        if self._limit is not None and core.autoreset == NEXT_STEP:
            actions[over] = core.masks[over].argmax(axis=1)  # ignored, also where it was cut short
        self._step(actions)
        terminated = core.terminated.astype(np.bool_)
        truncated = core.truncated.astype(np.bool_)
        cut = self._cut_short(terminated, truncated)
        over = terminated | truncated
        finals = self._finals(over, cut) if core.autoreset == SAME_STEP and over.any() else {}
        # In SAME_STEP mode the reward belongs to the finished game, whose seat may be another.
        seats = np.where(over & ~cut, core.rows["final_seat"], core.rows["seat"])
        rewards = core.rewards[self._at, seats].astype(np.float64)
        if core.autoreset == SAME_STEP and cut.any():
            anew = np.flatnonzero(cut)
            core.reset([None] * len(anew), None, anew)
            self._pasts.forget(anew)
        infos = self._infos(self._every, over) | finals
        return self._observations(), rewards, terminated, truncated, infos

    def _cut_short(
        self, terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Mark in *truncated* the games that have reached the limit; which would have gone on?"""
        if self._limit is None:
            return ~self._every
        core = self._core
        self._taken += 1
        reached = self._taken >= self._limit
        cut = reached & ~(terminated | truncated)
        truncated |= reached
        # With NEXT_STEP the next decision only begins the game.
        self._taken[terminated | truncated] = -1 if core.autoreset == NEXT_STEP else 0
        core.truncated[cut] = 1
        core.rows["final_seat"][cut] = core.playing()[cut]
        core.rows["final_metrics"][cut] = core.metrics[cut]
        core.finals[cut, 0] = core.observations[cut]
        return cut

    def _observations(self) -> Any:
        return self._format.observation(self._core.observations, self._core.masks)

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A): True for each legal action."""
        return self._core.masks.astype(np.bool_)

    def _infos(
        self, present: NDArray[np.bool_], over: NDArray[np.bool_] | None = None
    ) -> dict[str, Any]:
        """Infos in the form of Gymnasium's own vector envs: ``_key`` says which rows have them."""
        core = self._core
        reasons = core.reasons
        if over is not None and core.autoreset == SAME_STEP:
            reasons = np.where(over, 0, reasons)  # of the next game, which is running
        return self._filled(present, core.metrics, core.playing(), core.masks, reasons)

    def _finals(self, over: NDArray[np.bool_], cut: NDArray[np.bool_]) -> dict[str, Any]:
        """What was last seen of the games that ended in this step (SAME_STEP mode)."""
        core, rows = self._core, self._core.rows
        masks = np.where(cut[:, None], core.masks, np.int8(1))
        seen = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(over):
            seen[row] = self._format.observation(core.finals[row, 0], masks[row])
        infos = self._filled(over, rows["final_metrics"], rows["final_seat"], masks, core.reasons)
        return {
            "final_obs": seen,
            "_final_obs": over.copy(),
            "final_info": infos,
            "_final_info": over.copy(),
        }

    def _filled(self, present: NDArray[np.bool_], *found: NDArray[Any]) -> dict[str, Any]:
        """The infos of the rows that are *present*, of what was *found* there; zeros for others."""
        infos: dict[str, Any] = {}
        for name, each in self._facts(*found).items():
            infos[name] = each * present.reshape((-1,) + (1,) * (each.ndim - 1))
            infos["_" + name] = present.copy()
        return infos

    def look(self) -> tuple[Any, dict[str, Any]]:
        """Observations and infos as they are now, for example after ``set_state``."""
        return self._observations(), self._infos(self._every)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What a method of every single env answers; or an attribute, see ``get_attr``.

        >>> import gymnasium, cyberdeck
        >>> envs = gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=2)
        >>> _ = envs.reset(seed=0)
        >>> envs.call("action_name", 68)
        ('decline the swap', 'decline the swap')
        """
        if name == "action_masks":
            return tuple(self.action_masks())
        if name == "suggest":
            return tuple(self.choose(*args, **kwargs).tolist())
        if name == "render":
            return self.render() or ()
        if name in ("action_name", "get_state", "set_state"):
            method = getattr(self, name)
            return tuple(method(row, *args, **kwargs) for row in range(self.num_envs))
        return self.get_attr(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Not for single games: they are rows of one array."""
        raise OptionError(f"{name!r} cannot be set: the games are rows of one array; make new envs")

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of every single env, though all but ``seat`` share it."""
        if name == "seat":
            return tuple(self._core.playing().tolist())
        shared = {
            "action_space": self.single_action_space,
            "observation_space": self.single_observation_space,
            "metadata": self.metadata,
            "render_mode": self.render_mode,
            "spec": self.spec,
        }
        if name not in shared:
            raise AttributeError(
                f"these games, rows of one array, have no {name!r}; they have action_masks, "
                f"action_name, get_state, set_state, render, suggest, seat, {', '.join(shared)}"
            )
        return (shared[name],) * self.num_envs

    def set_state(self, row: int, saved: bytes) -> None:
        """Put bytes of ``get_state`` into a row; on any error nothing changes."""
        super().set_state(row, saved)
        if self._limit is not None:
            self._taken[row] = 0

    def render(self) -> tuple[Any, ...] | None:
        """A picture (or text) of every game; pictures mark what the last step has changed."""
        if self.render_mode is None:
            raise OptionError(
                "these envs were made without a render_mode: give render_mode='rgb_array' or "
                "'ansi' when making them"
            )
        if self.render_mode == "rgb_array":
            return tuple(self._pictures())
        seats = enumerate(self._core.playing().tolist())
        return tuple(text_of(self._core, row, seat, self._pasts[row]) for row, seat in seats)
