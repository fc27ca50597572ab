"""stable-baselines3: the batch engine as a VecEnv, with native masks and opponents inside.

Needs the extra ``sb3``. ``MaskablePPO`` finds the masks by itself:

>>> from sb3_contrib import MaskablePPO
>>> from cyberdeck.sb3 import make_vec_env
>>> envs = make_vec_env("hackthegrid", 8, opponent="heuristic", seed=0)
>>> model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=128).learn(128)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from cyberdeck.api.adapters import Dtype, Format, Mask, Rows, learner_games
from cyberdeck.api.export import network
from cyberdeck.api.extractors import OneHot, Scaled, Standardized, Trunk
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import SAME_STEP
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError, require
from cyberdeck.players import Opponent
from cyberdeck.players.sb3 import SB3Policy
from cyberdeck.showing import Pasts

__all__ = [
    "OneHot",
    "SB3Policy",
    "SB3VecEnv",
    "Scaled",
    "Standardized",
    "Trunk",
    "make_vec_env",
    "network",
]


class SB3VecEnv(Rows, VecEnv):
    """N games at once, as ``make_vec_env`` makes them.

    In games against ``cyberdeck.engine.others.ITSELF`` the caller decides for all seats, one
    decision after the other: ``core.playing()`` says for whom, the reward is that one's, ``seat``
    is -1 and ``terminal_observation`` has what each seat sees, (S, ...).

    Finished games are replaced at once, as stable-baselines3 expects. Only their infos are
    filled: ``terminal_observation``, ``TimeLimit.truncated``, ``reason``, ``seat``, ``opponent``
    (its index in the pool) and the game's metrics; and ``episode`` with the return, the game's
    length in everybody's decisions and the time, as ``VecMonitor`` would add it: for
    ``rollout/ep_rew_mean`` no wrapper is needed.
    """

    def __init__(
        self,
        core: GameBatch,
        *,
        seed: int | None = None,
        mask: Mask | None = None,
        dtype: Dtype | None = None,
        render_mode: str | None = None,
    ) -> None:
        choices = (None, "rgb_array")
        require(render_mode in choices, "render_mode", render_mode, "choose 'rgb_array'")
        self.core = core
        self._core, variant = self.core, self.core.variant
        # The base class asks every row for its render_mode.
        self.render_mode = render_mode
        self._at = np.arange(self.core.count)
        self._began = time.perf_counter()
        self._format = shown = Format(variant, mask, dtype)
        super().__init__(self.core.count, shown.observation_space, shown.action_space)
        # What the numbers of infos' "reason" are called, as of the other envs.
        self.metadata = {**self.metadata, "reasons": list(variant.game.reasons)}
        self._metric_names = [metric.name for metric in variant.game.metrics]
        self._actions: NDArray[np.int64] | None = None
        self._pasts = Pasts(self.core)
        self.seed(seed)

    def reset(self) -> Any:
        """Begin all games: from the seeds of ``seed()`` the first time, then going on."""
        seeds = list(self._seeds)
        if not self.core.started:
            drawn = np.random.default_rng().integers(2**62, size=self.num_envs)
            seeds = [int(d) if s is None else s for s, d in zip(seeds, drawn, strict=True)]
        options = self._options[0]
        if any(other != options for other in self._options):
            raise OptionError("set_options() must give every game the same options here")
        self.core.reset(seeds, options)
        self._pasts.forget(self._at)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._infos()
        return self._format.observation(self.core.observations, self.core.masks)

    def step_async(self, actions: Any) -> None:
        """Check and keep the actions that ``step_wait`` is to apply."""
        if not self.core.started:
            raise EpisodeError("no game is running: call reset() before step()")
        self._actions = self.core.actions(actions)

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the actions."""
        if self._actions is None:
            raise EpisodeError("step_wait() without step_async()")
        core = self.core
        actions, self._actions = self._actions, None
        seats = np.where(core.seats == EVERY, core.movers, core.seats)  # whose rewards are told
        self._step(actions)
        dones = (core.terminated | core.truncated).astype(np.bool_)
        infos = self._infos()
        over = np.flatnonzero(dones)
        for row, last in zip(over, self._last_infos(over), strict=True):
            infos[row] |= last
        seen = self._format.observation(core.observations, core.masks)
        return seen, core.rewards[self._at, seats], dones, infos

    def _infos(self) -> list[dict[str, Any]]:
        if not self._format.in_info:
            return [{} for _ in self._at]
        return [{"action_mask": mask} for mask in self.core.masks.copy()]

    def _last_infos(self, over: NDArray[np.int64]) -> list[dict[str, Any]]:
        """The infos of the games that ended in the rows *over*."""
        core, kept = self.core, self.core.rows[over]
        at, seats = np.arange(len(over)), kept["final_seat"]
        numbers = {
            "reason": kept["reason"],
            "seat": seats,
            "opponent": kept["final_opponent"],
            **({"ally": kept["final_ally"]} if core.variant.teams else {}),
            **{name: kept["final_metrics"][:, at] for at, name in enumerate(self._metric_names)},
        }
        columns = [column.tolist() for column in numbers.values()]
        infos = [dict(zip(numbers, row, strict=True)) for row in zip(*columns, strict=True)]
        returns = kept["final_returns"][at, seats.clip(0)].tolist()
        lengths = kept["final_length"].tolist()
        cut = ((kept["truncated"] == 1) & (kept["terminated"] == 0)).tolist()
        now = round(time.perf_counter() - self._began, 6)
        free = np.ones((len(over), core.variant.action_count), np.int8)  # nothing is left to choose
        for place, info in enumerate(infos):
            info["episode"] = {"r": returns[place], "l": lengths[place], "t": now}
            info["TimeLimit.truncated"] = cut[place]
            seen = slice(None) if seats[place] == EVERY else 0
            info["terminal_observation"] = self._format.observation(
                core.finals[over[place], seen], free[place]
            )
        return infos

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A): True for each legal action."""
        return self.core.masks.astype(np.bool_)

    def close(self) -> None:
        """Nothing is held open."""

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Pictures of all games, for ``render()``."""
        if self.render_mode is None:
            raise OptionError("these envs were made without render_mode='rgb_array'")
        return self._pictures()

    # --- what wrappers and callbacks ask of single envs ------------------------------------------

    def _rows(self, indices: int | Iterable[int] | None) -> NDArray[np.int64]:
        if indices is None:
            return self._at
        return np.atleast_1d(np.asarray(indices, np.int64))

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The attribute, once for each row asked for: all games share it."""
        return [getattr(self, attr_name)] * len(self._rows(indices))

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Not for single games: they are rows of one array."""
        raise OptionError(
            f"{attr_name!r} cannot be set: the games are rows of one array; make new envs"
        )

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """``action_masks``, ``get_state``, ``set_state`` of the rows asked for."""
        rows = self._rows(indices)
        if method_name == "action_masks":
            return list(self.action_masks()[rows])
        if method_name in ("get_state", "set_state"):
            method = getattr(self, method_name)
            return [method(int(row), *method_args, **method_kwargs) for row in rows]
        raise AttributeError(
            f"single games have no method {method_name!r}; they have action_masks, get_state, "
            "set_state"
        )

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """No: there are no single envs to wrap; wrap the whole (``VecMonitor``)."""
        return [False] * len(self._rows(indices))


def make_vec_env(
    game: str | Variant,
    num_envs: int = 1,
    *,
    seed: int | None = None,
    seat: int | str | None = None,
    opponent: Opponent | None = None,
    ally: Opponent | None = None,
    illegal: str = "raise",
    threads: int | str = 1,
    history: bool = False,
    mask: Mask | None = None,
    dtype: Dtype | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> SB3VecEnv:
    """N games at once.

    Args:
        game: name of the game, or a ``Variant``: the game with its options.
        num_envs: how many games: one, if it is not said.
        seed: game i starts from seed + i; None draws one.
        seat: the seat to play, see ``CyberdeckEnv``.
        opponent: who plays the other seats, likewise.
        ally: in games of teams, who plays the seats beside the own one, likewise.
        illegal: "raise" an error for an illegal action, or "lose" the game.
        threads: play in so many threads, "auto": one on each core. It changes no result.
        history: whether to keep what was decided in running games, for ``core.history_of``.
        mask: where else than in ``action_masks()`` the masks lie: in the "observation", which then
            is a dictionary for "MultiInputPolicy", in the "info" of every game, or in "both".
        dtype: of the observation's numbers: the game's own (the default) or "float32".
        render_mode: "rgb_array" or None.
        options: the game's own options.
    """
    players = (seat, opponent, ally)
    play: Any = {"illegal": illegal, "threads": threads, "history": history}
    play |= {"autoreset": SAME_STEP, "itself": True}
    core = learner_games(make_vec_env, game, num_envs, options, players, **play)
    return SB3VecEnv(core, seed=seed, mask=mask, dtype=dtype, render_mode=render_mode)
