"""PettingZoo: every seat of a game as an agent of an AEC environment."""

from __future__ import annotations

import contextlib
import copy
from typing import Any, TypedDict

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from cyberdeck.api.adapters import Dtype, Format, Mask, RenderMode, metadata
from cyberdeck.api.single import SingleGame
from cyberdeck.engine import registry
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import EVERY_SEAT
from cyberdeck.errors import ActionError, EpisodeError, OptionError
from cyberdeck.transformed import new_games


class Arguments(TypedDict, total=False):
    """What every env of PettingZoo takes beside its game's own options; see ``CyberdeckAECEnv``."""

    mask: Mask | None
    dtype: Dtype | None
    render_mode: RenderMode | None
    render_seat: int | str | None
    render_theme: str
    disguise: int


class _AllSeats(SingleGame):
    """What both kinds of env have in common: every seat is an agent."""

    _parallel: bool
    _illegal: str  # what becomes of illegal actions by default

    def __init__(
        self,
        game: str,
        *,
        illegal: str | None = None,
        mask: Mask | None = "both",
        dtype: Dtype | None = None,
        render_mode: str | None = None,
        render_seat: int | str | None = None,
        render_theme: str = "dark",
        **options: Any,
    ) -> None:
        super().__init__()
        variant = registry.variant(game, type(self), **options)
        illegal = self._illegal if illegal is None else illegal
        core = new_games(variant, 1, seat=EVERY_SEAT, autoreset=DISABLED, illegal=illegal)
        shown = Format(variant, mask, dtype)
        self._show_as(core, shown, render_mode, render_theme)
        name = f"{variant.game.name}_v{variant.game.version}"
        self.metadata = metadata(variant, name=name, is_parallelizable=self._parallel)
        self._render_seat = self._check_render_seat(render_seat)
        self.possible_agents = list(variant.agents)
        self.agents: list[str] = []
        self.observation_spaces = dict.fromkeys(variant.agents, shown.observation_space)
        self.action_spaces = {agent: copy.copy(shown.action_space) for agent in variant.agents}
        low, high = (np.concatenate([at] * variant.seats) for at in (shown.box.low, shown.box.high))
        self.state_space = gym.spaces.Box(low, high, dtype=shown.box.dtype.type)
        self._metrics = np.zeros((variant.seats, len(self._metric_names)), np.int32)
        self._seat = {agent: seat for seat, agent in enumerate(variant.agents)}
        self._masks = np.zeros((variant.seats, variant.action_count), np.int8)
        self._seen = np.zeros((variant.seats, *variant.observation_shape), variant.dtype)
        self._deciding = np.zeros(variant.seats, np.int8)

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """What the agent sees: a Dict that holds the mask, or without it a Box."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """All that the agent can ever do."""
        return self.action_spaces[agent]

    def state(self) -> NDArray[Any]:
        """Every seat's observation, one after the other: all that the seats know together."""
        self._core.need_game()
        seats = range(self._core.variant.seats)
        together = np.concatenate([self._core.look(seat)[0] for seat in seats])
        return together.astype(self._format.dtype)

    def _begin(self, seed: int | None, options: Any, rng: Any = None) -> None:
        if isinstance(options, dict):  # PettingZoo's tests hand in a key of this name
            options = {name: value for name, value in options.items() if name != "options"}
        super()._begin(seed, options, rng)

    def _need_running(self) -> None:
        self._core.need_game()
        if not self.agents:
            raise EpisodeError("no game is running: call reset() before step()")


class CyberdeckAECEnv(_AllSeats, AECEnv[str, Any, Any]):  # type: ignore[misc]  # untyped base
    """All seats of a game, one decision after the other.

    ``observe(agent)`` is a dictionary of ``observation`` and ``action_mask`` and may be asked for
    any agent at any time; the mask of an agent that is not to move is all zeros.

    Args:
        game: name of the game, see ``cyberdeck list``.
        illegal: "raise" an error for an illegal action (the default, and ``raw_env``), or "lose":
            the offender gets -1 and the others 1 (``env``).
        mask: where the action mask lies: in the "observation", which then is a dictionary of
            ``observation`` and ``action_mask``, in the "info", or in "both" (the default).
        dtype: of the observation's numbers: the game's own (the default; "int8", if it does not
            ask for more) or "float32".
        render_mode: "rgb_array", "human", "ansi" or None.
        render_seat: the agent, by name or number, whose view is drawn. None (the default) draws a
            spectator's, who sees only what everybody knows.
        render_theme: "dark" (the default) or "light".
        options: the game's own options, see ``cyberdeck describe GAME``.

    >>> from cyberdeck import hackthegrid_v0
    >>> env = hackthegrid_v0.env()
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     over = terminated or truncated
    ...     mask = info["action_mask"]
    ...     env.step(None if over else env.action_space(agent).sample(mask))
    """

    _parallel, _illegal = False, "raise"

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. ``options`` may prescribe how it begins, or hold a saved ``state``."""
        self._begin(seed, options)
        self._read_position()
        self._show()

    def step(self, action: Any) -> None:
        """The selected agent's decision; None for an agent whose game is over."""
        self._need_running()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._apply(self._whole(action))
        self._read_position()
        self._show()

    def observe(self, agent: str) -> Any:
        """What the agent sees now, and its mask."""
        core, seat = self._core, self._seat[agent]
        self._core.need_game()
        if seat == core.movers.item(0):
            return self._format.observation(core.one_observation, core.one_mask)
        observation, mask, _ = core.look(seat)
        return self._format.observation(observation, mask)

    def action_masks(self) -> NDArray[np.bool_]:
        """True for each legal action of the selected agent."""
        self._core.need_game()
        return np.array(self._core.one_mask, np.bool_)

    def set_state(self, saved: bytes) -> None:
        """Go on from bytes of ``get_state``; on any error nothing changes."""
        super().set_state(saved)
        self._read_position()

    def _read_position(self) -> None:
        """PettingZoo's bookkeeping, from the game's: it is all there."""
        core, names = self._core, self.possible_agents
        mover = core.movers.item(0)
        terminated, truncated = core.terminated.item(0) == 1, core.truncated.item(0) == 1
        # Every step of every game passes here: plain loops take half as long as dict(zip()).
        rewards, owed, infos = dict[str, float](), dict[str, float](), dict[str, Any]()
        got, pending = core.rewards.tolist()[0], core.pending.tolist()[0]
        core.loops.report_all(core.states, 0, self._metrics)
        metrics, metric_names = self._metrics.tolist(), self._metric_names
        reason, with_mask = core.reasons.item(0), self._format.in_info
        for seat, agent in enumerate(names):
            rewards[agent] = got[seat]
            owed[agent] = pending[seat]
            infos[agent] = info = {"reason": reason}
            for at, name in enumerate(metric_names):
                info[name] = metrics[seat][at]
            if with_mask:
                mask = core.one_mask if seat == mover else self._masks[seat]  # all zeros
                info["action_mask"] = mask.copy()
        self.rewards, self._cumulative_rewards, self.infos = rewards, owed, infos
        self.agents = names.copy()
        self.terminations = dict.fromkeys(names, terminated)
        self.truncations = dict.fromkeys(names, truncated)
        self.agent_selection = names[mover] if mover != NOBODY else names[0]
        self._skip_agent_selection = None


class CyberdeckParallelEnv(_AllSeats, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """All seats of a game whose seats decide at the same time: one step is one such round.

    Not every agent decides in every round: ``info["deciding"]`` says who does. The action of one
    that does not is ignored, may be left out, and its mask is all ones. Ships that are out of the
    game stay among the agents, undecided, until all have got the final reward.

    Its arguments are those of ``CyberdeckAECEnv``, but ``illegal`` is "lose" by default: every side
    of which somebody acts illegally in a round loses, the others win; or "raise" an error, and then
    nothing is applied.

    >>> from cyberdeck import hovercrafts_v0
    >>> env = hovercrafts_v0.parallel_env(ships=(2, 2))
    >>> observations, infos = env.reset(seed=1)
    >>> while env.agents:
    ...     actions = {
    ...         agent: env.action_space(agent).sample(infos[agent]["action_mask"])
    ...         for agent in env.agents
    ...     }
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)
    """

    _parallel, _illegal = True, "lose"

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game. ``options`` may prescribe how it begins, or hold a saved ``state``."""
        self._begin(seed, options)
        self._look_together()
        self._show()
        return self._shown()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """The decisions of all who decide in this round."""
        self._need_running()
        core, names = self._core, self.possible_agents
        decided = self._decisions(actions)
        gained = np.zeros(len(names))
        sides = core.variant.sides
        guilty = {sides[seat] for seat, action in decided.items() if not self._masks[seat, action]}
        with contextlib.nullcontext() if self.render_mode is None else self._noted():
            for _ in decided:
                mover = core.movers.item(0)
                if mover == NOBODY:
                    break  # an illegal action has ended it
                core.advance_one(decided[mover])
                gained += core.rewards[0]
        if len(guilty) > 1:  # the first has ended it, and the others acted at the same time
            gained = np.where(np.isin(sides, list(guilty)), -1.0, 1.0)
        self._look_together()
        self._show()
        observations, infos = self._shown()
        rewards = dict(zip(names, gained.tolist(), strict=True))
        terminated, truncated = (
            dict.fromkeys(names, each.item(0) == 1) for each in (core.terminated, core.truncated)
        )
        return observations, rewards, terminated, truncated, infos

    def _decisions(self, actions: dict[str, Any]) -> dict[int, int]:
        """The actions of this round by seat, checked before any is applied."""
        names = self.possible_agents
        unknown = [name for name in actions if name not in names]
        if unknown:
            raise ActionError(
                f"nothing was applied: there is no agent {unknown[0]!r}; there are: "
                + ", ".join(names)
            )
        decided = {}
        for seat in np.flatnonzero(self._deciding).tolist():
            if names[seat] not in actions:
                raise ActionError(
                    f"nothing was applied: {names[seat]} decides in this step, and has no action"
                )
            action = self._whole(actions[names[seat]])
            mask = self._masks[seat]
            if not self._core.lenient and not mask[action]:
                wrong = self._core.complaint(0, action, seat, mask)
                raise ActionError(f"nothing was applied: {wrong}")
            decided[seat] = action
        return decided

    def _look_together(self) -> None:
        """Read what everybody sees, and who is there."""
        seen = self._seen.reshape(len(self._seen), -1)
        self._core.look_together(self._masks, seen, self._metrics, self._deciding)
        over = self._core.movers.item(0) == NOBODY
        self.agents = [] if over else self.possible_agents.copy()

    def _shown(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Everybody's observation, and info."""
        observations, infos = dict[str, Any](), dict[str, Any]()
        reason, deciding = self._core.reasons.item(0), self._deciding.tolist()
        for seat, metrics in enumerate(self._metrics.tolist()):
            agent, mask = self.possible_agents[seat], self._masks[seat]
            observations[agent] = self._format.observation(self._seen[seat], mask)
            infos[agent] = info = dict(zip(self._metric_names, metrics, strict=True))
            info["deciding"], info["reason"] = deciding[seat], reason
            if self._format.in_info:
                info["action_mask"] = mask.copy()
        return observations, infos

    def set_state(self, saved: bytes) -> None:
        """Go on from bytes of ``get_state``; on any error nothing changes.

        From the middle of a round, the next step asks those who have not decided yet.
        """
        super().set_state(saved)
        self._look_together()


def _after_reset(name: str) -> Any:
    """An attribute of the wrapped env that is there after the first reset."""

    def get(wrapper: OrderedAECEnv) -> Any:
        if not wrapper._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return getattr(wrapper.env, name)

    return property(get)


class OrderedAECEnv(wrappers.OrderEnforcingWrapper[str, Any, Any]):  # type: ignore[misc]  # untyped
    """``env()``: PettingZoo's order enforcement, and copies that keep it.

    Attributes that every step looks at are properties: the wrapper's way of finding them by trial
    costs more than the game.
    """

    @property
    def unwrapped(self) -> CyberdeckAECEnv:
        bare: CyberdeckAECEnv = self.env.unwrapped
        return bare

    def action_space(self, agent: str) -> gym.spaces.Discrete:
        """All that the agent can ever do."""
        return self.unwrapped.action_space(agent)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As of every AEC env, without passing each attribute through the wrapper."""
        if not self._has_reset:
            raise EpisodeError("no game is running: call reset() before last()")
        seen: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return seen

    def set_state(self, saved: bytes) -> None:
        """Go on from bytes of ``get_state``; it takes the place of a reset."""
        self.env.set_state(saved)
        self._has_reset = self._has_updated = True

    def clone(self) -> OrderedAECEnv:
        return copy.deepcopy(self)

    def _repr_svg_(self) -> str | None:
        return self.unwrapped._repr_svg_()  # the wrapper hides names that begin so


for _name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
    setattr(OrderedAECEnv, _name, _after_reset(_name))


def raw_env(game: str, **arguments: Any) -> CyberdeckAECEnv:
    """The bare environment: an illegal action raises an error and changes nothing."""
    return CyberdeckAECEnv(game, **arguments)


def env(game: str, **arguments: Any) -> OrderedAECEnv:
    """The environment as PettingZoo's own: whoever acts illegally loses, calls are in order."""
    if "illegal" in arguments:
        raise OptionError("illegal= is settled: env() lets the offender lose, raw_env() raises")
    return OrderedAECEnv(CyberdeckAECEnv(game, illegal="lose", **arguments))


def parallel_env(game: str, **arguments: Any) -> CyberdeckParallelEnv:
    """The environment for games whose seats decide at the same time."""
    return CyberdeckParallelEnv(game, **arguments)
