"""Kernels as plain Python: slow, exact, and for what needs no speed.

Compiled code widens every whole number that it reads to 64 bits, and NumPy does not. So what plain
kernels read are Python's numbers, and what these cannot hold is an error, not another number.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _Record:
    """A record, or a row of an array of them, with its fields as attributes."""

    def __init__(self, record: np.void) -> None:
        object.__setattr__(self, "record", record)

    def __getattr__(self, name: str) -> Any:
        return _read(self.record[name])

    def __setattr__(self, name: str, value: Any) -> None:
        self.record[name] = _written(value)


class _Array:
    """An array whose elements are read as Python's numbers."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __getitem__(self, at: Any) -> Any:
        return _read(self.array[at])

    def __setitem__(self, at: Any, value: Any) -> None:
        self.array[at] = _written(value)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return map(_read, self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


def _read(value: Any) -> Any:
    if isinstance(value, np.void):
        return _Record(value)
    if isinstance(value, np.ndarray):
        return _Array(value)
    # 64 random bits stay what they are: they are multiplied and run over.
    return value.item() if isinstance(value, np.generic) and value.dtype != np.uint64 else value


def _written(value: Any) -> Any:
    if isinstance(value, _Record):
        return value.record
    return value.array if isinstance(value, _Array) else value


def _converting(kind: type[np.integer[Any]]) -> Callable[[Any], Any]:
    """``np.int64(number)`` and its like: what does not fit runs over."""
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


def as_python(kernel: Any, instead: Mapping[int, Any] | None = None) -> Callable[..., Any]:
    """*kernel*, and all that it calls, as a Python function.

    *instead*: what to call in the place of kernels, by their ``id``.
    """
    twins = dict(instead or {})

    def twin(value: Any, names: Iterable[str]) -> Any:
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
            return types.SimpleNamespace(**{n: twin(each, names) for n, each in found.items()})
        return _read(value) if isinstance(value, np.ndarray) else value

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
                names[name] = twin(outside[name], code.co_names)
        return made

    function = plain(kernel)

    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return _written(function(*map(_read, arguments)))

    return call
