"""Gymnasium: one seat of a game as a single-agent environment, the other seats played inside."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from cyberdeck.api.adapters import (
    FPS,
    RENDER_MODES,
    Dtype,
    Format,
    Mask,
    Specified,
    learner_games,
    metadata,
)
from cyberdeck.api.single import SingleGame
from cyberdeck.engine.loops import DISABLED
from cyberdeck.errors import EpisodeError
from cyberdeck.players import Opponent


class CyberdeckEnv(SingleGame, Specified, gym.Env[Any, np.int64]):
    """One seat of a game; only its decisions are asked for, and every reward of it is delivered.

    Args:
        game: name of the game, see ``cyberdeck list``.
        seat: the seat to play, or "random" (the default) to draw it for each game. In games of
            teams also a team's name, or "team" to draw one: then all its seats are played.
        opponent: who plays the other seats: "random" (the default), "heuristic" if the game has
            one, a policy ``(observations, action_masks) -> actions`` over batches, or a list of
            these to draw one from for each game.
        ally: in games of teams, who plays the seats beside the own one; likewise.
        illegal: "raise" an error for an illegal action, or "lose" the game with reward -1, also
            where a lost game costs less: a learner without masks needs the signal.
        mask: where the action mask lies: in "info" (the default), in the "observation", which then
            is a dictionary of ``observation`` and ``action_mask``, or in "both".
        dtype: of the observation's numbers: the game's own (the default; "int8", if it does not
            ask for more) or "float32".
        render_mode: "rgb_array", "human", "ansi" or None.
        render_theme: "dark" (the default) or "light".
        options: the game's own options, see ``cyberdeck describe GAME``.

    ``info["action_mask"]`` and ``action_masks()`` say which actions are legal, ``info["reason"]``
    why the game is over: the number of its name in ``metadata["reasons"]``, 0 while it runs.

    >>> import gymnasium, cyberdeck
    >>> env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0, opponent="heuristic")
    >>> observation, info = env.reset(seed=1)
    >>> over = False
    >>> while not over:
    ...     action = env.action_space.sample(info["action_mask"])
    ...     observation, reward, terminated, truncated, info = env.step(action)
    ...     over = terminated or truncated
    >>> env.metadata["reasons"][info["reason"]] in ("grid_emptied", "cards_remain")
    True
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": FPS}  # noqa: RUF012
    observation_space: gym.Space[Any]
    action_space: gym.spaces.Discrete

    def __init__(
        self,
        game: str,
        *,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        illegal: str = "raise",
        mask: Mask | None = "info",
        dtype: Dtype | None = None,
        render_mode: str | None = None,
        render_theme: str = "dark",
        **options: Any,
    ) -> None:
        players = (seat, opponent, ally)
        play: Any = {"autoreset": DISABLED, "illegal": illegal}
        core = learner_games(type(self), game, 1, options, players, **play)
        most = core.variant.most_decisions
        self._show_as(core, Format(core.variant, mask, dtype), render_mode, render_theme)
        self.observation_space = self._format.observation_space
        self.action_space = self._format.action_space
        self.metadata = metadata(core.variant)
        self._several = core.variant.seats > 1
        # One more, because ``TimeLimit`` truncates the last step.
        self._most_steps = most and most + 1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a game. ``options`` may prescribe how it begins, or hold a saved ``state``."""
        super().reset(seed=seed)
        self._begin(seed, options, None if self._core.started else self.np_random)
        self._show()
        return self.look()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play *action* and go on to the next own decision or the end of the game."""
        core = self._core
        if not core.started or core.terminated.item(0) or core.truncated.item(0):
            raise EpisodeError("no game is running: call reset() before step()")
        self._apply(self._whole(action))
        if self.render_mode == "human":
            self.render()
        return (
            self._format.observation(core.one_observation, core.one_mask),
            core.rewards.item(max(core.seats.item(0), 0)),
            core.terminated.item(0) == 1,
            core.truncated.item(0) == 1,
            self._info(),
        )

    def look(self) -> tuple[Any, dict[str, Any]]:
        """Observation and info as they are now, for example after ``set_state``."""
        core = self._core
        core.need_game()
        return self._format.observation(core.one_observation, core.one_mask), self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """True for each legal action; all true once the game is over and nothing is asked."""
        self._core.need_game()
        return np.array(self._core.one_mask, np.bool_)

    @property
    def seat(self) -> int:
        """The seat that is played in the running game; with a team, the one that decides."""
        return int(self._core.playing()[0])

    def _viewer(self) -> int:
        return self.seat

    def _info(self) -> dict[str, Any]:
        """The same keys at every step, and NumPy's numbers: libraries make arrays of them."""
        core = self._core
        metrics = core.one_metrics.flat
        info: dict[str, Any] = {"reason": core.reasons[0]}
        for name in self._metric_names:
            info[name] = next(metrics)
        if self._format.in_info:
            info["action_mask"] = core.one_mask.copy()
        if self._several:
            info["seat"] = core.playing()[0]
        return info
