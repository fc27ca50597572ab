"""What vector envs of arrays and of tensors have in common, and how their games begin.

That is Gymnasium's autoreset, its seeds and its ``reset_mask``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cyberdeck.api.formats import Format
from cyberdeck.api.single import metadata
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import DISABLED, NEXT_STEP, SAME_STEP
from cyberdeck.errors import EpisodeError, OptionError, require
from cyberdeck.players import built_in

#: By what the loops do.
MODES: Final = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}


def chosen_mode(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode of that name, or ``OptionError``."""
    modes = [mode.value for mode in AutoresetMode]
    possible = autoreset_mode in (*modes, *AutoresetMode)
    choose = f"choose one of {', '.join(map(repr, modes))}"
    require(possible, "autoreset_mode", autoreset_mode, choose)
    return AutoresetMode(autoreset_mode)


def chosen_rows(count: int, options: Any) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """The options of a reset without ``reset_mask``, and the rows that it names: else all."""
    if options is not None and not isinstance(options, dict):
        raise OptionError(f"options={options!r} must be a dictionary")
    rest = dict(options or {})
    mask = rest.pop("reset_mask", None)
    if mask is None:
        return rest, np.arange(count)
    right = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
    if not right or mask.shape != (count,) or not mask.any():
        raise OptionError(
            f"options['reset_mask'] must be a boolean array of shape ({count},) with at least one "
            f"True, not {mask!r}"
        )
    return rest, np.flatnonzero(mask)


def chosen_seeds(
    envs: gym.vector.VectorEnv[Any, Any, Any], seed: Any, rows: NDArray[np.int64], started: bool
) -> Sequence[int | None]:
    """What the games in these rows start from: row i from *seed* + i, or what a list says for it.

    None goes on with what a row has; before the first game it is drawn.
    """
    count = envs.num_envs
    seeds: Sequence[int | None]
    if seed is None or is_whole(seed):
        gym.vector.VectorEnv.reset(envs, seed=None if seed is None else int(seed))
        seeds = [None] * count if seed is None else range(int(seed), int(seed) + count)
    else:
        seeds = list(seed) if isinstance(seed, Sequence) and not isinstance(seed, str) else []
    if len(seeds) != count or not all(each is None or is_whole(each) for each in seeds):
        raise OptionError(
            f"seed={seed!r} is not possible for {count} games: give one whole number, or a list of "
            "one for each"
        )
    if not started:
        if len(rows) < count:
            raise EpisodeError("the first reset() must begin all games: leave out reset_mask")
        drawn = envs.np_random.integers(2**63, size=count).tolist()
        seeds = [new if each is None else each for each, new in zip(seeds, drawn, strict=True)]
    return seeds if len(rows) == count else [seeds[row] for row in rows]


class VectorGames(gym.vector.VectorEnv[Any, Any, Any]):
    """N games at once behind Gymnasium's vector interface."""

    single_action_space: gym.spaces.Discrete
    _core: Any

    def _show(self, core: Any, shown: Format, mode: AutoresetMode, modes: list[str]) -> None:
        """Set what Gymnasium asks for: of these games, shown so, in these render modes."""
        self._core, self.num_envs = core, core.count
        self.autoreset_mode = mode  # where TorchRL looks for it
        self.metadata = metadata(core.variant, render_modes=modes, autoreset_mode=mode)
        self.single_observation_space = shown.observation_space
        self.single_action_space = shown.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _need_running(self, ended: Any) -> None:
        """``EpisodeError`` if there is no game yet, or if some have *ended* and stay so."""
        if not self._core.started:
            raise EpisodeError("no game is running: call reset() before step()")
        if self._core.autoreset == DISABLED and len(over := ended.nonzero()[0]):
            raise EpisodeError(
                f"the games {over[:20].tolist()} are over and autoreset is disabled: reset them "
                "with reset(options={'reset_mask': ...}) before the next step"
            )

    def choose(self, player: str = "heuristic") -> Any:
        """What a built-in player would do in every game now."""
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
