"""What all adapters have in common: the games behind them, and how those are handed out."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cyberdeck.common.extras import need
from cyberdeck.common.text import nearest
from cyberdeck.engine import registry
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import CALLER, DISABLED, NEXT_STEP, SAME_STEP
from cyberdeck.engine.seats import Seat, checked_seat
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError, require
from cyberdeck.players import Opponent, built_in, find_pool
from cyberdeck.showing import picture_of
from cyberdeck.transformed import new_games

#: Where the action mask lies: beside the observation in a dictionary, in the infos, or in both.
Mask = Literal["observation", "info", "both"]

#: The type of an observation's numbers: the game's own, or float32; NumPy's types are taken too.
Dtype = Literal["int8", "int16", "float32"] | type[np.generic] | np.dtype[Any]

RenderMode = Literal["human", "rgb_array", "ansi"]

RENDER_MODES = list(get_args(RenderMode))

#: Decisions a second of a film.
FPS = 2


def metadata(variant: Variant, **more: Any) -> dict[str, Any]:
    """An env's metadata; "reasons": the names of the numbers in ``info["reason"]``."""
    return {
        "render_modes": RENDER_MODES,
        "render_fps": FPS,
        "reasons": variant.game.reasons,
        **more,
    }


class Format:
    """A game's spaces, and observations as they are handed out: always copies.

    Args:
        variant: the game with its options.
        mask: where the action mask lies; None: in neither, it is asked for by ``action_masks()``.
        dtype: the type of an observation's numbers; None: the game's own. A mask's are int8 in any
            case.
    """

    def __init__(self, variant: Variant, mask: Mask | None, dtype: Dtype | None) -> None:
        if mask is not None:
            _check("mask", mask, get_args(Mask))
        own = variant.dtype.name
        shown: Any = getattr(dtype, "name", getattr(dtype, "__name__", dtype or own))
        _check("dtype", shown, tuple(dict.fromkeys((own, "float32"))))
        self.in_observation = mask in ("observation", "both")
        self.in_info = mask in ("info", "both")
        shape, actions = variant.observation_shape, variant.action_count
        low, high = (bound.astype(shown).reshape(shape) for bound in variant.bounds())
        self.box = gym.spaces.Box(low, high, dtype=np.dtype(shown).type)
        #: Where there are fractions: what is one-hot of others leaves them as they are.
        vars(self.box)["fractions"] = variant.fractions
        self.observation_space: gym.Space[Any] = self.box
        if self.in_observation:
            masks = gym.spaces.Box(0, 1, (actions,), np.int8)
            parts: dict[str, gym.Space[Any]] = {"observation": self.box, "action_mask": masks}
            self.observation_space = gym.spaces.Dict(parts)
        self.action_space = gym.spaces.Discrete(actions)
        self.dtype = np.dtype(shown)

    def observation(self, numbers: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        """What is seen of one game or of many, from the numbers and the mask."""
        seen = numbers.astype(self.dtype)  # a copy, of whatever type they are
        return {"observation": seen, "action_mask": mask.copy()} if self.in_observation else seen


class Specified:
    """An env with a spec that has a form in JSON, if its arguments have one."""

    _format: Format
    #: More steps than any game has.
    _most_steps: int | None = None
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """What the env was made by, as ``gymnasium.make`` has left it here.

        Its ``max_episode_steps`` is for whoever wants to know, such as ``TimeAwareObservation``:
        the game ends earlier by itself.
        """
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            texts = {"dtype": self._format.dtype.name}
            if (mode := getattr(self, "autoreset_mode", None)) is not None:
                texts["autoreset_mode"] = mode.value
            kwargs = {name: texts.get(name, value) for name, value in spec.kwargs.items()}
            steps = spec.max_episode_steps or self._most_steps
            spec = dataclasses.replace(spec, kwargs=kwargs, max_episode_steps=steps)
        self._spec = spec


def _check(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        choose = " or ".join(map(repr, choices))
        raise OptionError(
            f"{name}={value!r} is not possible{nearest(value, choices)}: choose {choose}"
        )


class Rows:
    """What every adapter of many games does with single ones."""

    _core: Any
    _pasts: Any = None  # ``Pasts``, where they may be rendered
    render_mode: str | None

    def choose(self, player: str = "heuristic") -> Any:
        """What the built-in player "random" or "heuristic" would do in every game now."""
        return self._core.choose(built_in(self._core.game, player).code)

    def action_name(self, row: int, action: int) -> str:
        """What an action would be in one game as it stands, in words."""
        return str(self._core.action_name(row, action))

    def get_state(self, row: int) -> bytes:
        """One of the games as bytes."""
        return bytes(self._core.save(row))

    def set_state(self, row: int, saved: bytes) -> None:
        """Put bytes of ``get_state`` into a row; on any error nothing changes."""
        self._core.load(saved, row)
        if self._pasts is not None:
            self._pasts.forget([row])

    def _step(self, actions: NDArray[np.int64]) -> None:
        """Apply the actions, and remember what pictures are to mark."""
        core = self._core
        if self.render_mode is None:
            core.step(actions)
            return
        before, new = core.states.copy(), core.terminated | core.truncated
        core.step(actions)
        if core.autoreset == SAME_STEP:
            new = core.terminated | core.truncated
        self._pasts.went_on(before, new != 0)

    def _pictures(self) -> list[NDArray[np.uint8]]:
        """Of every game, as who plays there sees it."""
        from cyberdeck.drawing.raster import rgb

        return [
            rgb(picture_of(self._core, row, seat, False, self._pasts[row]))
            for row, seat in enumerate(self._core.playing().tolist())
        ]


def learner_seat(
    variant: Variant, seat: int | str | None, opponent: Opponent | None, ally: Opponent | None
) -> Seat:
    """The seat that the learner plays, checked; one-player games have none of these options."""
    if variant.seats == 1:
        if seat not in (None, 0, "random") or opponent is not None or ally is not None:
            raise OptionError(
                f"{variant.game.title} is a game for one: leave out seat=, opponent= and ally="
            )
        return Seat(0)
    if ally is not None and not variant.teams:
        raise OptionError(f"{variant.game.title} has no teams: leave out ally=")
    chosen = checked_seat(variant, "random" if seat is None else seat)
    if ally is not None and chosen.team:
        raise OptionError(f"seat={seat!r} plays the whole team: there is no ally, leave out ally=")
    if chosen.number == EVERY:
        raise OptionError(
            "seat='every' is for cyberdeck.Batch and PettingZoo; here choose a seat or 'random'"
        )
    return chosen


def games_of(
    variant: Variant,
    count: int,
    seat: Seat,
    opponent: Opponent | None,
    ally: Opponent | None,
    device: Any = None,
    **play: Any,
) -> Any:
    """The games behind an adapter; other seats are played by *opponent* and *ally*, or randomly.

    *play*: see ``GameBatch``. With a *device* that PyTorch knows they are there, as tensors.
    """
    play["seat"] = seat
    play["opponents"] = find_pool(variant, "random" if opponent is None else opponent, "opponent")
    play["allies"] = find_pool(variant, "random" if ally is None else ally, "ally")
    if device is None:
        return new_games(variant, count, **play)
    for name, usual in (("threads", 1), ("history", False)):
        if play.pop(name, usual) != usual:
            raise OptionError(
                f"{name}= is for games on this processor: leave out {name}= or device="
            )
    for library in ("torch", "numba"):
        need(library, "games on a device", "cuda")
    from cyberdeck.device.games import DeviceGames, device_called

    return DeviceGames(variant, count, device=device_called(device), **play)


def learner_games(
    adapter: Any,
    game: str | Variant,
    count: int,
    options: dict[str, Any],
    players: tuple[int | str | None, Opponent | None, Opponent | None],
    itself: bool = False,
    **play: Any,
) -> Any:
    """The games of a single learner, from the arguments of the *adapter* that shows them.

    *players* are its ``seat``, ``opponent`` and ``ally``. *itself*: the opponent may be ``ITSELF``.
    """
    variant = registry.variant(game, adapter, **options)
    seat, *others = players
    core = games_of(variant, count, learner_seat(variant, seat, *others), *others, **play)
    if CALLER in core.pool and not itself:
        raise OptionError(f"{adapter.__name__} shows one seat: its opponent cannot be the caller")
    return core


#: Gymnasium's modes, by what the loops do.
MODES: Final = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}


def checked_mode(argument: str, mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode of that name, or that itself; ``OptionError`` for what is none."""
    modes = [each.value for each in AutoresetMode]
    choose = f"choose one of {', '.join(map(repr, modes))}"
    require(mode in (*modes, *AutoresetMode), argument, mode, choose)
    return AutoresetMode(mode)


class VectorGames(Rows, Specified, gym.vector.VectorEnv[Any, Any, Any]):
    """N games at once behind Gymnasium's vector interface: its autoreset, seeds, ``reset_mask``."""

    single_action_space: gym.spaces.Discrete
    _renders: list[str]

    def __init__(
        self, game: str, num_envs: int, mode: AutoresetMode | str, shown: Any, **given: Any
    ) -> None:
        """*shown*: where masks lie, and the type of numbers; *given*: see ``learner_games``."""
        mode = checked_mode("autoreset_mode", mode)
        self.autoreset_mode = mode  # where TorchRL looks for it
        core = learner_games(type(self), game, num_envs, autoreset=MODES[mode], **given)
        self._core, self.num_envs = core, core.count
        self._format = Format(core.variant, *shown)
        self.metadata = metadata(core.variant, render_modes=self._renders, autoreset_mode=mode)
        self.single_observation_space = self._format.observation_space
        self.single_action_space = self._format.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._metric_names = [metric.name for metric in core.game.metrics]

    def _begin(self, seed: Any, options: Any) -> NDArray[np.int64]:
        """Begin the games that ``reset_mask`` names, else all; which are these?

        Row i begins from *seed* + i, or from what a list says for it. None goes on with what a row
        has; before the first game it is drawn.
        """
        core, count = self._core, self.num_envs
        if options is not None and not isinstance(options, dict):
            raise OptionError(f"options={options!r} must be a dictionary")
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        rows = np.arange(count)
        if mask is not None:
            right = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
            if not right or mask.shape != (count,) or not mask.any():
                raise OptionError(
                    f"options['reset_mask'] must be a boolean array of shape ({count},) with at "
                    f"least one True, not {mask!r}"
                )
            rows = np.flatnonzero(mask)
        seeds: Sequence[int | None]
        if seed is None or is_whole(seed):
            super().reset(seed=None if seed is None else int(seed))
            seeds = [None] * count if seed is None else range(int(seed), int(seed) + count)
        else:
            seeds = list(seed) if isinstance(seed, Sequence) and not isinstance(seed, str) else []
        if len(seeds) != count or not all(each is None or is_whole(each) for each in seeds):
            raise OptionError(
                f"seed={seed!r} is not possible for {count} games: give one whole number, or a "
                "list of one for each"
            )
        if not core.started:
            if len(rows) < count:
                raise EpisodeError("the first reset() must begin all games: leave out reset_mask")
            drawn = self.np_random.integers(2**63, size=count).tolist()
            seeds = [new if each is None else each for each, new in zip(seeds, drawn, strict=True)]
        if len(rows) < count:
            seeds = [seeds[row] for row in rows]
        core.reset(seeds, options, None if len(rows) == count else rows)
        return rows

    def _facts(self, metrics: Any, seats: Any, masks: Any, reasons: Any) -> dict[str, Any]:
        """What infos say of games, each in an array; *masks* only where they belong there."""
        facts = {name: metrics[:, at] for at, name in enumerate(self._metric_names)}
        if self._format.in_info and masks is not None:
            facts["action_mask"] = masks
        if self._core.variant.seats > 1:
            facts["seat"] = seats
        return facts | {"reason": reasons}

    def _need_running(self, ended: Any) -> None:
        """``EpisodeError`` if there is no game yet, or if some have *ended* and stay so."""
        if not self._core.started:
            raise EpisodeError("no game is running: call reset() before step()")
        if self._core.autoreset == DISABLED and len(over := ended.nonzero()[0]):
            raise EpisodeError(
                f"the games {over[:20].tolist()} are over and autoreset is disabled: reset them "
                "with reset(options={'reset_mask': ...}) before the next step"
            )
