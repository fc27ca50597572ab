"""Digests of what compiled code was made from: equal digests, equal code.

A loop closes over the kernels of a game, and they over others, wherever their sources lie: in the
package, in a file of somebody's own, in a notebook. So it is not files that are looked at, but the
functions themselves as they were loaded: their bytecode, and whatever they read from outside, down
to the numbers in the tables. What is not read, such as a comment or a drawing, does not count.
"""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

_DIGEST: Final = 16


def fingerprint(function: Callable[..., Any]) -> str:
    """A digest of *function* and of all that it is compiled with.

    >>> table = np.array([1, 2])
    >>> def first():
    ...     return table[0]
    >>> before = fingerprint(first)
    >>> table[0] = 5
    >>> fingerprint(first) == before
    False
    """
    return _ByCode().of_function(function).hex()


def identity(functions: Iterable[Callable[..., Any]]) -> str:
    """A digest of where functions, and all that they are compiled with, stand in the sources, and
    of the values that they read.

    It is the same in every version of Python and NumPy, as bytecode is not. The sources of the
    package are digested elsewhere (``native.stamp``); files of games from outside go into it here.
    """
    found = _ByPlace()
    for function in functions:
        found.of_function(function)
    return _hashed(*sorted(found.read.values())).hex()


def functions_of(function: Callable[..., Any]) -> dict[types.FunctionType, int]:
    """The bytes of Python's code in *function*, and in each function it is compiled with."""
    found = _ByCode()
    found.of_function(function)
    return {each: sum(len(code.co_code) for code in _codes(each.__code__)) for each in found.known}


def _hashed(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


class _ByCode:
    """Digests of functions by their bytecode and all that they read."""

    def __init__(self) -> None:
        #: Functions that were met before: one that calls itself must come to an end.
        self.known: dict[types.FunctionType, bytes] = {}

    def of_function(self, function: Any) -> bytes:
        known = self.known
        if function not in known:
            known[function] = _hashed(b"one that is being looked at", bytes([len(known) % 256]))
            parts = [_of_code(code) for code in _codes(function.__code__)]
            known[function] = _hashed(*parts, *self.of_what_it_reads(function))
        return known[function]

    def of_what_it_reads(self, function: Any) -> Iterable[bytes]:
        """Its defaults, and what it reads from outside."""
        codes = list(_codes(function.__code__))
        names = sorted({name for code in codes for name in code.co_names})
        yield self.of_value(function.__defaults__, names)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        read = {name: cell.cell_contents for name, cell in cells}
        read |= {n: function.__globals__[n] for n in names if n in function.__globals__}
        for name in sorted(read):
            yield name.encode()
            yield self.of_value(read[name], names)

    def of_value(self, value: Any, names: Iterable[str]) -> bytes:
        """Something that code reads; of a module, what of it the code names: *names*."""
        if hasattr(value, "py_func"):  # a kernel
            options = sorted(value.targetoptions.items())
            return _hashed(b"kernel", repr(options).encode(), self.of_function(value.py_func))
        if isinstance(value, types.FunctionType):
            return _hashed(b"function", self.of_function(value))
        if isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] in ("numpy", "numba", "math"):
                return _hashed(b"library", value.__name__.encode())
            found = [(name, getattr(value, name)) for name in names if hasattr(value, name)]
            parts = [
                part for name, each in found for part in (name.encode(), self.of_value(each, names))
            ]
            return _hashed(b"module", *parts)
        if isinstance(value, np.ndarray):
            kind = f"{value.dtype.descr} {value.shape}".encode()
            return _hashed(b"array", kind, np.ascontiguousarray(value).tobytes())
        if isinstance(value, (tuple, list)):
            fields = getattr(value, "_fields", None)  # of a NamedTuple: code reads it by these
            named = [] if fields is None else [repr(fields).encode()]
            return _hashed(b"several", *named, *(self.of_value(each, names) for each in value))
        return self.of_literal(value)

    def of_literal(self, value: Any) -> bytes:
        if value is None or isinstance(
            value, (bool, int, float, complex, str, bytes, np.generic, np.dtype)
        ):
            return _hashed(type(value).__name__.encode(), repr(value).encode())
        if isinstance(value, type) and issubclass(value, tuple):  # a NamedTuple, by its names
            return _hashed(b"names", repr((value.__name__, vars(value).get("_fields"))).encode())
        if isinstance(value, (type, types.BuiltinFunctionType, np.ufunc)):
            module = getattr(value, "__module__", None) or ""
            return _hashed(b"name", f"{module}.{value.__name__}".encode(), _source(module))
        return _hashed(b"other", repr(type(value)).encode(), _source(type(value).__module__))


class _ByPlace(_ByCode):
    """Digests of functions by their places in the sources and all that they read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: dict[types.FunctionType, bytes] = {}

    def of_function(self, function: Any) -> bytes:
        if function not in self.known:
            place = _place(function)
            self.known[function] = _hashed(place)
            self.read[function] = _hashed(place, *self.of_what_it_reads(function))
        return self.known[function]

    def of_literal(self, value: Any) -> bytes:
        # NumPy writes these differently from version to version.
        if isinstance(value, np.generic):
            return _hashed(value.dtype.str.encode(), value.tobytes())
        scalar = isinstance(value, type) and issubclass(value, np.generic)
        if scalar or isinstance(value, np.dtype):
            return _hashed(b"dtype", repr(np.dtype(value).descr).encode())
        return super().of_literal(value)


def outside(module: str) -> bool:
    """Whether a module is none of the package."""
    return module.partition(".")[0] != "cyberdeck"


def _place(function: types.FunctionType) -> bytes:
    where = function.__module__.encode()
    if outside(function.__module__):
        where = _source(function.__module__) or _hashed(*map(_of_code, _codes(function.__code__)))
    line = function.__code__.co_firstlineno
    return _hashed(where, f"{function.__qualname__} {line}".encode())


def _codes(code: types.CodeType) -> Iterable[types.CodeType]:
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _of_code(code: types.CodeType) -> bytes:
    constants = code.co_consts
    if constants and isinstance(constants[0], str):
        constants = constants[1:]  # what it is about, in words
    plain = [each for each in constants if not isinstance(each, types.CodeType)]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)
    return _hashed(code.co_code, repr(plain).encode(), repr(names).encode())


def _source(module: str) -> bytes:
    """The file of a module outside the libraries: whatever may matter of it is in there."""
    path = getattr(sys.modules.get(module), "__file__", None)
    ours = module.partition(".")[0] not in (*sys.stdlib_module_names, "numpy", "numba")
    return Path(path).read_bytes() if ours and path and Path(path).is_file() else b""
