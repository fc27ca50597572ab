"""All loops of a game, found where they say what they are given (``engine/arguments.py``)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numba.core import types

from cyberdeck.building.targets import PREFIX
from cyberdeck.engine import jit, kernels, native, registry
from cyberdeck.players import EVERYWHERE
from cyberdeck.players.solvers import PLAYERS


@dataclass(frozen=True)
class Loop:
    """A loop of a game, and a digest of what it is made from."""

    label: str
    function: Callable[..., Any]
    made_of: str

    @property
    def name(self) -> str:
        return f"{self.label}.{self.function.__name__}"

    @property
    def symbol(self) -> str:
        return PREFIX + self.name.replace(".", "_")

    @property
    def takes(self) -> tuple[Any, ...]:
        given: tuple[Any, ...] = vars(self.function)["takes"]
        return given

    @property
    def types(self) -> tuple[types.Type, ...]:
        """numba's, of all that it takes."""
        return tuple(map(jit.typed, self.takes))


def loops_of(name: str) -> list[Loop]:
    """All loops of the game *name*: what every game has, and what its own players have."""
    for where in (EVERYWHERE | PLAYERS.get(name, {})).values():
        importlib.import_module(where.partition(":")[0])
    made = [make(registry.game(name)) for make in kernels.OF_EVERY_GAME]
    made += [[each.function] for each in kernels.OF_ONE_GAME if each.label == name]
    return [
        Loop(name, function, native.made_of(functions))
        for functions in made
        for function in functions
    ]
