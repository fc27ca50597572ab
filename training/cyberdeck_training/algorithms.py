"""The door by which ways of learning come in: recipes by name, those of others too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from importlib import metadata
from typing import Any, Final

from cyberdeck.common.text import nearest
from cyberdeck.errors import OptionError
from cyberdeck_training import recipes, schedules
from cyberdeck_training.settings import RunSettings
from cyberdeck_training.values import brought

#: Packages name their recipes in this group of entry points: name = "module:Name".
ENTRY_POINTS: Final = "cyberdeck.algorithms"

BUILT_IN: Final[dict[str, type[recipes.Recipe]]] = {
    "maskable_ppo": recipes.MaskablePPO,
    "ppo": recipes.PPO,
    "dagger": recipes.DAgger,
    "expert_iteration": recipes.ExpertIteration,
    "exploit": recipes.Exploit,
    "device_ppo": recipes.DeviceMaskablePPO,
}

#: Recipes for experiments, which come in by the door for everybody's.
RESEARCH: Final = tuple(
    f"cyberdeck_training.research:{name}" for name in ("PPO", "MMD", "LastObservations", "Beliefs")
)


def find(name: str) -> type[recipes.Recipe]:
    """The recipe of that name, or ``module:Name``: see ``brought``."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    points = metadata.entry_points(group=ENTRY_POINTS)
    installed = points[name].value if name in points.names else None
    if installed is None and ":" not in name:
        known = [*BUILT_IN, *sorted(points.names)]
        raise OptionError(
            f"there is no {name!r}{nearest(name, known)}; choose {', '.join(known)}, or give "
            "module:Name of a recipe of your own"
        )
    recipe: type[recipes.Recipe] = brought("algorithm", name, recipes.Recipe, installed)
    return recipe


def recipe_of(config: RunSettings) -> recipes.Recipe:
    """The recipe that a run learns by, with the callbacks that the run calls; what the run brings
    is tried once before, with an ``OptionError`` if it is of no use.
    """
    given = {key: getattr(config, key, 0) for key in ("learning_rate", "clip_range", "ent_coef")}
    given |= {f"opponents.{name}": share for name, share in config.playing.items()}
    for key, value in given.items():
        schedules.check(key, value)
    called: Sequence[Any] = ()
    if config.pays or config.callbacks:
        from cyberdeck_training import callbacks, rewards

        rewards.check(config)
        called = callbacks.callbacks_of(config)
    recipe = find(config.algorithm)(config)
    recipe.callbacks = called
    return recipe


@cache
def settings() -> dict[str, Collection[str]]:
    """The settings that each algorithm here has, by its name."""
    return {name: find(name).Settings.model_fields for name in (*BUILT_IN, *RESEARCH)}
