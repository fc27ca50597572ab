"""The interpreter: kernels as plain Python, slow and exact, for what needs no speed.

They work on watched records and arrays (``engine/watched.py``), in which what compiled code would
not notice, such as an index past the end, is an error. Hooks take the place of kernels: dice that
are chosen (``engine/chance.py``), and checks of what a kernel does (``engine/careful.py``).
"""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from cyberdeck.engine.watched import Misuse, Watch, lenient, read, strict, written

_UNKNOWN: Final = (
    "is nothing that compiled code knows: kernels use numbers, tuples, NumPy arrays and kernels"
)

#: What Python has and compiled code has not: texts that are made, lists, what is outside.
_MISSING: Final = (
    *("str", "repr", "format", "ascii", "list", "dict", "set", "frozenset", "bytes", "sorted"),
    *("open", "input", "eval", "exec", "vars", "globals", "locals", "dir", "object", "super"),
)


class _Unusable:
    """Something that compiled code cannot use, and what to say where a kernel does."""

    def __init__(self, what: str) -> None:
        self._what = what

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise Misuse(self._what, harmless=True)

    __call__ = __getitem__ = __iter__ = __len__ = __contains__ = _refuse


_BUILTINS: Final = vars(builtins) | {name: _Unusable(f"{name} {_UNKNOWN}") for name in _MISSING}


@functools.cache
def _converting(kind: type[np.integer[Any]]) -> Callable[[Any], Any]:
    """``np.int64(number)`` and its like: a number that does not fit wraps around."""
    bits = 8 * np.dtype(kind).itemsize
    signed = issubclass(kind, np.signedinteger)

    def convert(number: Any) -> Any:
        whole = int(number) & ((1 << bits) - 1)
        if signed and whole >> (bits - 1):
            whole -= 1 << bits
        return np.uint64(whole) if kind is np.uint64 else whole

    return convert


def _is_whole(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, np.integer)


class _NumPy:
    """NumPy, as kernels know it: they make no arrays."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        if _is_whole(value):
            return _converting(value)
        if isinstance(value, type) or not callable(value):
            return value

        def call(*arguments: Any, **more: Any) -> Any:
            made = value(*arguments, **more)
            if isinstance(made, np.ndarray) and made.base is None:
                what = f"np.{name} makes a new array: write into the state's fields"
                raise Misuse(f"{what}, element by element", harmless=True)
            return made

        return call


class _Module(types.SimpleNamespace):
    """What kernels read of a module."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name=name, obj=vars(self)["__wrapped__"])


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


class Interpreter(Copies):
    """Runs kernels, and functions that call kernels, as plain Python.

    Args:
        hooks: of some kernels what is called in their place, with watched records and arrays.
        watch: is told of misuse by which compiled code does not leave its arrays.
    """

    def __init__(
        self, hooks: Mapping[Any, Callable[..., Any]] | None = None, watch: Watch = strict
    ) -> None:
        super().__init__()
        for kernel, hook in (hooks or {}).items():
            self.hook(kernel, hook)
        self.watch = watch

    def function(self, kernel: Any) -> Callable[..., Any]:
        """*kernel* as a function of NumPy's records and arrays; ``copy`` is for other copies."""
        made = self.copy(kernel)

        def call(*arguments: Any) -> Any:
            with np.errstate(over="ignore"):
                return written(made(*map(self._watched, arguments)))

        return call

    def _watched(self, value: Any) -> Any:
        if hasattr(value, "_fields"):
            return type(value)(*map(self._watched, value))
        return read(value, self.watch)

    def builtins(self) -> Any:
        return _BUILTINS

    def value(self, value: Any, name: str, code: types.CodeType) -> Any:
        if hasattr(value, "py_func"):
            return self.copy(value)
        if _is_whole(value):
            return _converting(value)
        if value is np:
            return _NumPy()
        if isinstance(value, types.ModuleType):
            parts = {each: getattr(value, each) for each in code.co_names if hasattr(value, each)}
            known = {each: self.value(part, each, code) for each, part in parts.items()}
            return _Module(**known, __wrapped__=value)
        if isinstance(value, types.FunctionType) and not value.__module__.startswith("numpy"):
            return _Unusable(f"{name} is a Python function and no kernel: write @kernel above it")
        if isinstance(value, (list, set, dict)):
            array = f"make it a NumPy array, {name} = np.array(...), or a tuple"
            return _Unusable(f"{name} is a {type(value).__name__}: {array}")
        if isinstance(value, tuple):
            several = [self.value(each, name, code) for each in value]
            return type(value)(*several) if hasattr(value, "_fields") else tuple(several)
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        return read(value, lenient, name)  # -1 may well be meant: the last place, for no card


def as_python(kernel: Any, watch: Watch = strict) -> Callable[..., Any]:
    """*kernel*, and all that it calls, as a Python function of NumPy's records and arrays."""
    return Interpreter(watch=watch).function(kernel)
