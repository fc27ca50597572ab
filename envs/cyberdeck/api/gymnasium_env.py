"""Gymnasium: one seat of a game as a single-agent environment, the other seats played inside."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from cyberdeck import registry
from cyberdeck.api.single import RENDER_MODES, SingleGame
from cyberdeck.engine.contract import Variant
from cyberdeck.engine.loops import DISABLED, EVERY
from cyberdeck.engine.tables import Opponent, Seat, Tables, checked_seat
from cyberdeck.errors import EpisodeError, OptionError


def spaces_of(variant: Variant) -> tuple[Any, gym.spaces.Discrete]:
    """Observation and action space of a game."""
    low, high = (bound.reshape(variant.observation_shape) for bound in variant.bounds())
    return gym.spaces.Box(low, high, dtype=np.int8), gym.spaces.Discrete(variant.action_count)


def learner_seat(
    variant: Variant, seat: int | str | None, opponent: Opponent | None, ally: Opponent | None
) -> Seat:
    """The seat that the learner plays, checked; one-player games have none of these options."""
    if variant.seats == 1:
        if seat not in (None, 0) or opponent is not None:
            raise OptionError(
                f"{variant.game.title} is a game for one: leave out seat= and opponent="
            )
        return Seat(0)
    if ally is not None and not variant.game.teams:
        raise OptionError(f"{variant.game.title} has no teams: leave out ally=")
    chosen = checked_seat(variant, "random" if seat is None else seat)
    if ally is not None and chosen.team:
        raise OptionError(f"seat={seat!r} plays the whole team: there is no ally, leave out ally=")
    if chosen.number == EVERY:
        raise OptionError(
            "seat='every' is for cyberdeck.Batch and PettingZoo; here choose a seat or 'random'"
        )
    return chosen


class CyberdeckEnv(SingleGame, gym.Env[NDArray[np.int8], np.int64]):
    """One seat of a game; only its decisions are asked for, and every reward of it is delivered.

    Args:
        game: name of the game, see ``cyberdeck list``.
        seat: the seat to play, or "random" (the default) to draw it for each game. In games of
            teams also a team's name, or "team" to draw one: then all its seats are played.
        opponent: who plays the other seats: "random" (the default), "heuristic", a policy
            ``(observations, action_masks) -> actions`` over batches, or a list of these to draw
            one from for each game.
        ally: in games of teams, who plays the seats beside the own one; likewise.
        illegal: "raise" an error for an illegal action, or "lose" the game with reward -1.
        render_mode: "rgb_array", "human", "ansi" or None.
        options: the game's own options, see ``cyberdeck describe GAME``.

    ``info["action_mask"]`` and ``action_masks()`` say which actions are legal.

    >>> import gymnasium, cyberdeck
    >>> env = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0, opponent="heuristic")
    >>> observation, info = env.reset(seed=1)
    >>> over = False
    >>> while not over:
    ...     action = env.action_space.sample(info["action_mask"])
    ...     observation, reward, terminated, truncated, info = env.step(action)
    ...     over = terminated or truncated
    >>> info["reason"] in ("grid_emptied", "cards_remain")
    True
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # an instance's in Gymnasium's base class
        "render_modes": RENDER_MODES,
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str,
        *,
        seat: int | str | None = None,
        opponent: Opponent | None = None,
        ally: Opponent | None = None,
        illegal: str = "raise",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        variant = registry.variant(game, **options)
        self._tables = Tables(
            variant,
            1,
            seat=learner_seat(variant, seat, opponent, ally),
            opponent="random" if opponent is None else opponent,
            ally="random" if ally is None else ally,
            autoreset=DISABLED,
            illegal=illegal,
        )
        self.observation_space, self.action_space = spaces_of(variant)
        self.render_mode = self._check_render_mode(render_mode)
        self._fact_names = [fact.name for fact in variant.game.facts]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin a game. ``options`` may prescribe the table, or hold a saved ``state``."""
        super().reset(seed=seed)
        if seed is None and not self._tables.started:
            seed = int(self.np_random.integers(2**63))
        self._tables.reset([seed], options)
        if self.render_mode == "human":
            self.render()
        return self._tables.one_observation.copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play *action* and go on to the next own decision or the end of the game."""
        tables = self._tables
        if not tables.started or tables.terminated.item(0) or tables.truncated.item(0):
            raise EpisodeError("no game is running: call reset() before step()")
        self._apply(self._whole(action))
        if self.render_mode == "human":
            self.render()
        return (
            tables.one_observation.copy(),
            tables.rewards.item(max(tables.seats.item(0), 0)),
            tables.terminated.item(0) == 1,
            tables.truncated.item(0) == 1,
            self._info(),
        )

    def look(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Observation and info as they are now, for example after ``set_state``."""
        self._need_game()
        return self._tables.one_observation.copy(), self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """True for each legal action; all true once the game is over and nothing is asked."""
        self._need_game()
        masks: NDArray[np.bool_] = self._tables.one_mask.astype(np.bool_)
        return masks

    @property
    def seat(self) -> int:
        """The seat that is played in the running game; with a team, the one that decides."""
        return int(self._tables.playing()[0])

    def _viewer(self) -> int:
        return self.seat

    def _info(self) -> dict[str, Any]:
        tables = self._tables
        info: dict[str, Any] = dict(zip(self._fact_names, tables.one_facts.tolist(), strict=True))
        info["action_mask"] = tables.one_mask.copy()
        if tables.variant.seats > 1:
            info["seat"] = tables.playing().item(0)
        reason = tables.reasons.item(0)
        if reason:
            info["reason"] = tables.reason_name(reason)
        return info
