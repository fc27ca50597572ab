"""TorchRL: the PettingZoo environments, as its wrapper can take them. Needs the extra ``torchrl``.

>>> from cyberdeck.torchrl import make_env
>>> env = make_env("hackthegrid", seed=1)
>>> env.group_map
{'column': ['column'], 'row': ['row']}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchrl.envs.libs.pettingzoo import PettingZooWrapper

from cyberdeck.api.adapters import Dtype
from cyberdeck.api.pettingzoo_env import env, parallel_env
from cyberdeck.engine import registry
from cyberdeck.errors import OptionError


def make_env(
    game: str,
    *,
    group_map: Mapping[str, list[str]] | None = None,
    seed: int | None = None,
    dtype: Dtype | None = None,
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
        dtype: of the observations' numbers: the game's own (the default) or "float32".
        options: the game's own options.
    """
    variant = registry.variant(game, **options)
    if variant.seats == 1:
        raise OptionError(f"{variant.game.title} is a game for one: use TorchRL's GymEnv")
    if group_map is None:
        names = variant.teams or variant.agents
        group_map = {
            name: [
                agent for agent, at in zip(variant.agents, variant.sides, strict=True) if at == side
            ]
            for side, name in enumerate(names)
        }
    together = variant.game.simultaneous
    made = parallel_env if together else env
    return PettingZooWrapper(
        made(game, mask="observation", dtype=dtype, **options),
        group_map=dict(group_map),
        use_mask=not together,
        done_on_any=False,
        seed=seed,
    )
