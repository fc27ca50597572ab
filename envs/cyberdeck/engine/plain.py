"""Kernels as plain Python: slow, exact, and for what needs no speed.

They are handed watched records and arrays, in which what compiled code would not notice, such as an
index past the end, is an error.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from cyberdeck.engine.watched import Lenient, Watch, read, written

_STRICT: Final = Watch()
_TABLES: Final = Lenient()  # of a table, -1 may well be meant: the last place, for no card


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


class _NumPy:
    """NumPy, as kernels know it."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return _converting(found) if _is_whole(found) else found


def _is_whole(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, np.integer)


def as_python(
    kernel: Any, instead: Mapping[int, Any] | None = None, watch: Watch = _STRICT
) -> Callable[..., Any]:
    """*kernel*, and all that it calls, as a Python function that takes NumPy's records and arrays.

    *instead*: what is called in place of some kernels, by their ``id``. *watch* is told of harmless
    misuse.
    """
    return from_outside(as_called(kernel, instead, watch), watch)


def from_outside(function: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """A function made by ``as_called`` that takes NumPy's records, arrays, and named tuples."""

    def watched(value: Any) -> Any:
        if hasattr(value, "_fields"):
            return type(value)(*map(watched, value))
        return read(value, watch)

    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return written(function(*map(watched, arguments)))

    return call


def as_called(
    kernel: Any, instead: Mapping[int, Any] | None = None, watch: Watch = _STRICT
) -> Callable[..., Any]:
    """``as_python`` for other plain kernels to call, with records and arrays that are watched."""
    twins = dict(instead or {})

    def twin(value: Any, names: Iterable[str], name: str = "the table") -> Any:
        if id(value) in twins:
            return twins[id(value)]
        if hasattr(value, "py_func"):
            return plain(value)
        if _is_whole(value):
            return _converting(value)
        if value is np:
            return _NumPy()
        if isinstance(value, types.ModuleType):
            found = {name: getattr(value, name) for name in names if hasattr(value, name)}
            return types.SimpleNamespace(**{n: twin(each, names, n) for n, each in found.items()})
        if isinstance(value, tuple):
            parts = [twin(each, names, name) for each in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if isinstance(value, np.ndarray):
            value = value.view()
            value.flags.writeable = False
        return read(value, _TABLES, name)

    def plain(compiled: Any) -> Callable[..., Any]:
        function = compiled.py_func
        code, outside = function.__code__, function.__globals__
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        names: dict[str, Any] = {"__builtins__": __builtins__}
        closure = tuple(types.CellType(twin(each, code.co_names)) for each in cells)
        made = types.FunctionType(code, names, argdefs=function.__defaults__, closure=closure)
        twins[id(compiled)] = made
        for name in code.co_names:
            if name in outside:
                names[name] = twin(outside[name], code.co_names, name)
        return made

    return plain(kernel)
