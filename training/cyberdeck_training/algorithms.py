"""The door by which ways of learning come in: recipes by name, those of others too."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator
from functools import cache
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from cyberdeck.common import consent
from cyberdeck.common.text import nearest
from cyberdeck.errors import OptionError
from cyberdeck_training import recipes
from cyberdeck_training.settings import RunSettings

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
    """The recipe of that name, or ``module:Name``.

    A module is run only if the user has named it too, or agrees: see ``common/consent.py``. What is
    installed as an entry point was agreed to by installing it.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    points = metadata.entry_points(group=ENTRY_POINTS)
    module, colon, attribute = name.partition(":")
    if name in points.names:
        module, _, attribute = points[name].value.partition(":")
    elif not colon:
        known = [*BUILT_IN, *sorted(points.names)]
        raise OptionError(
            f"there is no {name!r}{nearest(name, known)}; choose {', '.join(known)}, or give "
            "module:Name of a recipe of your own"
        )
    elif module.partition(".")[0] != __package__:
        consent.need("algorithm", name, [consent.Effect.CODE], [*_files_of(module)])
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise OptionError(
            f"{name} cannot be loaded: {type(error).__name__}: {' '.join(str(error).split())}"
        ) from error
    if not (isinstance(found, type) and issubclass(found, recipes.Recipe)):
        raise OptionError(f"{name} is no recipe: it must be a class that builds on recipes.Recipe")
    return found


def recipe_of(config: RunSettings) -> recipes.Recipe:
    """The recipe that a run learns by."""
    return find(config.algorithm)(config)


@cache
def settings() -> dict[str, Collection[str]]:
    """The settings that each algorithm here has, by its name."""
    return {name: find(name).Settings.model_fields for name in (*BUILT_IN, *RESEARCH)}


def _files_of(module: str) -> Iterator[Path]:
    """The files that importing a module runs, found without running any."""
    path: list[str] | None = None
    parts = module.split(".")
    for at in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:at]), path)
        if spec is None:
            return
        if spec.origin is not None:
            yield Path(spec.origin)
        path = [*(spec.submodule_search_locations or ())]
