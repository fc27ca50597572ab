"""TorchRL: the PettingZoo environments, as its wrapper can take them. Needs the extra ``torchrl``.

>>> from cyberdeck.api.torchrl import wrapped
>>> env = wrapped("hackthegrid", seed=1)
>>> env.group_map
{'column': ['column'], 'row': ['row']}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import BaseParallelWrapper, BaseWrapper
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

from cyberdeck.api.pettingzoo_env import env, parallel_env
from cyberdeck.engine import registry
from cyberdeck.errors import OptionError


def wrapped(
    game: str,
    *,
    group_map: Mapping[str, list[str]] | None = None,
    seed: int | None = None,
    **options: Any,
) -> Any:
    """A ``PettingZooWrapper`` of a game for two or more.

    Where seats decide in secret at the same time it is of the parallel env, in the other games of
    the AEC env.

    Args:
        game: name of the game.
        group_map: group -> its agents, whose tensors are stacked; by default each team, or each
            seat in games without teams.
        seed: the games follow from it.
        options: the game's own options.
    """
    variant = registry.variant(game, **options)
    if variant.seats == 1:
        raise OptionError(f"{variant.game.title} is a game for one: use TorchRL's GymEnv")
    if group_map is None:
        names = variant.game.teams or variant.agents
        group_map = {
            name: [
                agent for agent, at in zip(variant.agents, variant.sides, strict=True) if at == side
            ]
            for side, name in enumerate(names)
        }
    together = variant.game.simultaneous
    agents = _Parallel(parallel_env(game, **options)) if together else _AEC(env(game, **options))
    return PettingZooWrapper(
        agents,
        group_map=dict(group_map),
        use_mask=not together,
        done_on_any=False,
        seed=seed,
    )


def _numbers(infos: Mapping[str, Any]) -> dict[str, Any]:
    """Infos as TorchRL takes them: the same numbers each time; masks it reads from observations."""
    left_out = ("action_mask", "reason")
    return {
        agent: {key: value for key, value in info.items() if key not in left_out}
        for agent, info in infos.items()
    }


class _Parallel(BaseParallelWrapper):  # type: ignore[misc]  # untyped base
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observations, infos = super().reset(seed, options)
        return observations, _numbers(infos)

    def step(self, actions: dict[str, Any]) -> Any:
        *seen, infos = super().step(actions)
        return (*seen, _numbers(infos))


class _AEC(BaseWrapper):  # type: ignore[misc]  # untyped base
    @property
    def infos(self) -> dict[str, Any]:
        return _numbers(self.env.infos)
