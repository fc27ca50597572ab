"""What a loop takes: numbers, arrays and tuples of both, and C that hands them on to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba.core import types

from cyberdeck.building.loops import Loop

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
        self.dtypes: list[Any] = []
        self.declared = ["int64_t *", "void **"]
        self.given = ["result", "&raised"]
        self._only_read = only_read
        self._slot = itertools.count()
        self._of_arrays = iter(loop.dtypes)
        shapes = iter(loop.shape.replace("(", "( ").replace(")", " )").split())
        for each in loop.arguments:
            self._add(each, shapes)
        assert len(self.words) <= 64, "_native.c has room for 64"
        if rest := list(shapes):
            raise ValueError(f"SHAPES of {loop.name} has {rest} too much")

    def _add(self, kind: types.Type, shapes: Iterator[str]) -> None:
        shape = next(shapes)
        if isinstance(kind, types.BaseTuple):
            assert shape == "(", shape
            self.words.append("(")
            for part in kind:  # type: ignore[attr-defined]  # of any kind of tuple
                self._add(part, shapes)
            assert next(shapes) == ")"
            self.words.append(")")
        elif isinstance(kind, types.Array):
            self._add_array(kind, shape)
        else:
            assert shape == "-", shape
            letters: dict[Any, str] = {types.int64: "i", types.uint64: "u", types.float64: "f"}
            self.words.append(letters[kind])
            slot = f"block[{next(self._slot)}]"
            real = kind == types.float64
            self._hand_on("double" if real else "int64_t", f"real({slot})" if real else slot)

    def _add_array(self, kind: types.Array, shape: str) -> None:
        """For numba that is: two owners, count and size of its items, address, lengths, strides."""
        assert kind.layout == "C", kind
        assert kind.ndim == len(shape), (kind, shape)
        dtype = next(self._of_arrays)
        data = f"(void *)(intptr_t)block[{next(self._slot)}]"
        lengths = [f"block[{next(self._slot)}]" for _ in shape]
        strides = [" * ".join([str(dtype.itemsize), *lengths[at + 1 :]]) for at in range(kind.ndim)]
        for _ in range(2):
            self._hand_on("void *", "0")
        self._hand_on("int64_t", " * ".join(lengths))
        self._hand_on("int64_t", str(dtype.itemsize))
        access = "r" if self._only_read[len(self.given)] else "w"
        self._hand_on("void *", data)
        for each in (*lengths, *strides):
            self._hand_on("int64_t", each)
        alignment = dtype.alignment if kind.aligned else 1
        self.words.append(f"{access}{dtype.itemsize}/{alignment}/{shape}")
        self.dtypes.append(np.lib.format.dtype_to_descr(dtype))

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
