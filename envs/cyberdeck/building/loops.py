"""All loops of a game, found where they say what they take (``engine/arguments.py``); and C that
hands it on to them.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types

from cyberdeck.building.targets import PREFIX
from cyberdeck.engine import jit, kernels, native, registry
from cyberdeck.engine.arguments import Array, Index
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


#: A float64 by its bits.
REAL = (
    "static double real(int64_t bits)\n{\n"
    "    union { int64_t bits; double real; } value = {bits};\n    return value.real;\n}\n"
)


class Takes:
    """What a loop takes: for ``_native.c`` in words, and in C how it is handed on.

    *only_read* says of each argument in C whether the loop provably does not write to it.
    """

    def __init__(self, loop: Loop, only_read: Sequence[bool]) -> None:
        self.words: list[str] = []
        self.declared = ["int64_t *", "void **"]
        self.given = ["result", "&raised"]
        self._only_read = only_read
        self._slot = itertools.count()
        for each in loop.takes:
            self._add(each)
        assert len(self.words) <= 64, "_native.c has room for 64"

    def _add(self, taken: Any, within: int = 0) -> None:
        """Add what is taken, *within* so many tuples."""
        if isinstance(taken, tuple):
            assert within < 4, "_native.c has room for tuples in tuples, four deep"
            self.words.append("(")
            for part in taken:
                self._add(part, within + 1)
            self.words.append(")")
        elif isinstance(taken, Array):
            self._add_array(np.dtype(taken.dtype), taken.lengths)
            self.words[-1] += "+" * taken.some
        elif isinstance(taken, Index):
            self._add(taken.dtype)
            self.words[-1] += taken.length
        else:
            self.words.append({np.int64: "i", np.uint64: "u", np.float64: "f"}[taken])
            slot = f"block[{next(self._slot)}]"
            real = taken is np.float64
            self._hand_on("double" if real else "int64_t", f"real({slot})" if real else slot)

    def _add_array(self, dtype: np.dtype[Any], letters: str) -> None:
        """For numba that is: two owners, count and size of its items, address, lengths, strides."""
        data = f"(void *)(intptr_t)block[{next(self._slot)}]"
        lengths = [f"block[{next(self._slot)}]" for _ in letters]
        strides = [
            " * ".join([str(dtype.itemsize), *lengths[n:]]) for n in range(1, len(letters) + 1)
        ]
        for _ in range(2):
            self._hand_on("void *", "0")
        self._hand_on("int64_t", " * ".join(lengths))
        self._hand_on("int64_t", str(dtype.itemsize))
        access = "r" if self._only_read[len(self.given)] else "w"
        self._hand_on("void *", data)
        for each in (*lengths, *strides):
            self._hand_on("int64_t", each)
        self.words.append(f"{access}{dtype.itemsize}/{dtype.alignment}/{letters}")

    def _hand_on(self, declared: str, given: str) -> None:
        self.declared.append(declared)
        self.given.append(given)

    def function(self, symbol: str, declared: str) -> str:
        """C of a function *declared* that has the arguments for the loop *symbol* in a block."""
        return (
            f"extern int {symbol}({', '.join(self.declared)});\n"
            f"{declared}(const int64_t *block, int64_t *result)\n"
            "{\n    void *raised = 0;\n"
            f"    return {symbol}({', '.join(self.given)});\n}}\n"
        )
