"""Copies of functions that read other values in the place of some: dice that are chosen, say."""

from __future__ import annotations

import types
from typing import Any


class Copies:
    """A copy of each function that is asked for, and of all functions that it calls."""

    def __init__(self) -> None:
        self._made: dict[types.FunctionType, Any] = {}

    def copy(self, original: Any) -> Any:
        """The copy of a function or of a kernel: one for all that call it."""
        function = getattr(original, "py_func", original)
        if function in self._made:
            return self._made[function]
        code = function.__code__
        read = {"__builtins__": self.builtins(), "__name__": function.__module__}
        cells = tuple(types.CellType() for _ in code.co_freevars)
        defaults = function.__defaults__
        copied = types.FunctionType(code, read, function.__name__, defaults, cells)
        made = self._made[function] = self.wrap(copied, original)  # before what calls it
        for name, cell, held in zip(
            code.co_freevars, cells, function.__closure__ or (), strict=True
        ):
            cell.cell_contents = self.value(held.cell_contents, name, code)
        for name in code.co_names:
            if name in function.__globals__:
                read[name] = self.value(function.__globals__[name], name, code)
        return made

    def hook(self, original: Any, instead: Any) -> None:
        """Have *instead* called in the place of a function or a kernel, by copies made later."""
        self._made[getattr(original, "py_func", original)] = instead

    def builtins(self) -> Any:
        """What copies have of Python's own names."""
        return __builtins__

    def wrap(self, copied: types.FunctionType, original: Any) -> Any:
        """What stands for the copy of an original."""
        return copied

    def value(self, value: Any, name: str, code: types.CodeType) -> Any:
        """What a copy of *code* has for a value that the original reads by that *name*."""
        raise NotImplementedError
