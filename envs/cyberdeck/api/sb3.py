"""stable-baselines3: the batch engine as a VecEnv, with native masks and opponents inside.

Needs the extra ``sb3``. ``MaskablePPO`` finds the masks by itself:

>>> from sb3_contrib import MaskablePPO
>>> from cyberdeck.api.sb3 import SB3VecEnv
>>> envs = SB3VecEnv("hackthegrid", 8, opponent="heuristic", seed=0)
>>> model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=128).learn(128)
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.preprocessing import preprocess_obs
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from cyberdeck.api.export import check_spaces, fault, network
from cyberdeck.api.extractors import OneHot, Scaled, Standardized, Trunk
from cyberdeck.api.formats import Dtype, Format, Mask
from cyberdeck.api.learner import learner_games
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import SAME_STEP
from cyberdeck.engine.policy import Policy, PolicyInput, last_observations, memory_for
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError, PolicyError, require
from cyberdeck.players import Opponent
from cyberdeck.players.networks import chosen
from cyberdeck.showing import Pasts, picture_of

__all__ = ["OneHot", "SB3Policy", "SB3VecEnv", "Scaled", "Standardized", "Trunk", "network"]


class SB3VecEnv(VecEnv):
    """N games at once; see ``CyberdeckEnv`` for the arguments.

    In games against ``cyberdeck.engine.others.ITSELF`` the caller decides for all seats, one
    decision after the other: ``core.playing()`` says for whom, the reward is that one's, ``seat``
    is -1 and ``terminal_observation`` has what each seat sees, (S, ...).

    Finished games are replaced at once, as stable-baselines3 expects. Only their infos are
    filled: ``terminal_observation``, ``TimeLimit.truncated``, ``reason``, ``seat``, ``opponent``
    (its index in the pool) and the game's metrics; and ``episode`` with the return, the game's
    length in everybody's decisions and the time, as ``VecMonitor`` would add it: for
    ``rollout/ep_rew_mean`` no wrapper is needed.

    Args:
        game: name of the game, or a ``Variant``: the game with its options.
        n_envs: how many games: one, if it is not said.
        seed: game i starts from seed + i; None draws one.
        threads: play in so many threads, "auto": one on each core. It changes no result.
        history: whether to keep what was decided in running games, for ``core.history_of``.
        mask: where else than in ``action_masks()`` the masks lie: in the "observation", which then
            is a dictionary for "MultiInputPolicy", in the "info" of every game, or in "both".
    """

    def __init__(
        self,
        game: str | Variant,
        n_envs: int = 1,
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
    ) -> None:
        possible = render_mode in (None, "rgb_array")
        require(possible, "render_mode", render_mode, "choose 'rgb_array'")
        players = (seat, opponent, ally)
        play: Any = {"autoreset": SAME_STEP, "illegal": illegal, "threads": threads}
        play["history"] = history
        self.core: GameBatch = learner_games(
            type(self), game, n_envs, options, players, itself=True, **play
        )
        variant = self.core.variant
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
        before = None if self.render_mode is None else core.states.copy()
        core.step(actions)
        dones = (core.terminated | core.truncated).astype(np.bool_)
        if before is not None:
            self._pasts.went_on(before, dones)
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
        from cyberdeck.drawing.raster import rgb

        seats = self.core.playing().tolist()
        return [
            rgb(picture_of(self.core, row, seat, False, self._pasts[row]))
            for row, seat in enumerate(seats)
        ]

    # --- what wrappers and callbacks ask of single envs ------------------------------------------

    def _rows(self, indices: int | Iterable[int] | None) -> NDArray[np.int64]:
        if indices is None:
            return self._at
        return np.atleast_1d(np.asarray(indices, np.int64))

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The attribute, once for each row asked for: all games share it."""
        return [getattr(self, attr_name)] * len(self._rows(indices))

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Not for single games: they are rows of one array."""
        raise OptionError(
            f"{attr_name!r} cannot be set: the games are rows of one array; make a new SB3VecEnv"
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
        if method_name == "get_state":
            return [self.core.save(int(row)) for row in rows]
        if method_name == "set_state":
            for row in rows:
                self.core.load(method_args[0], int(row))
            self._pasts.forget(rows)
            return [None] * len(rows)
        raise AttributeError(
            f"single games have no method {method_name!r}; they have action_masks, get_state, "
            "set_state"
        )

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """No: there are no single envs to wrap; wrap the whole (``VecMonitor``)."""
        return [False] * len(self._rows(indices))


class SB3Policy(Policy):
    """A model of PPO, MaskablePPO or A2C as a player. Others are refused.

    It is a copy that learns no more, and computes in double precision, so that a decision does not
    depend on what is decided beside it.

    Args:
        model: the model.
        greedy: take the likeliest action, or draw one by the probabilities.
        masked: choose among the legal actions only. A model that was trained without masks may be
            measured as it is with False: then it may decide illegally.
        name: how tables of results call it.
        history: for a model that learned from ``VecFrameStack(envs, history)``.

    >>> from sb3_contrib import MaskablePPO
    >>> from cyberdeck.evaluation import evaluate
    >>> model = MaskablePPO("MlpPolicy", SB3VecEnv("hackthegrid", 8, seed=0))
    >>> _ = evaluate("hackthegrid", SB3Policy(model), ["random"], deals=4)
    """

    def __init__(
        self,
        model: Any,
        *,
        greedy: bool = True,
        masked: bool = True,
        name: str | None = None,
        history: int = 1,
    ) -> None:
        if wrong := fault(model, "SB3Policy"):
            raise PolicyError(f"{type(model).__name__} {wrong}")
        self._space = model.observation_space
        self._actions = int(model.action_space.n)
        parts = (model.policy.pi_features_extractor, model.policy.mlp_extractor)
        self._features, self._hidden, self._logits = (
            copy.deepcopy(part).to("cpu").double().eval()
            for part in (*parts, model.policy.action_net)
        )
        self.greedy, self.masked = greedy, masked
        self.name = name or type(model).__name__
        self.memory = memory_for(math.prod(self._space.shape), history)
        self.history = history

    def check(self, variant: Variant) -> None:
        """The model's observations and actions must be those of the game."""
        check_spaces(self.name, self._space, self._actions, variant, self.history)

    def decide(self, seen: PolicyInput) -> NDArray[np.int64]:
        """The likeliest action, or one drawn by the probabilities."""
        with torch.no_grad():
            stacked = last_observations(seen, self.history)
            shape = (len(seen), *self._space.shape)
            shown = preprocess_obs(torch.as_tensor(stacked.reshape(shape)), self._space)
            assert isinstance(shown, torch.Tensor)
            hidden = self._hidden.forward_actor(self._features(shown.double()))
            logits = self._logits(hidden).numpy()
        if self.masked:
            logits = np.where(seen.masks == 1, logits, -np.inf)
        return chosen(logits, self.greedy, seen.random_bits)
