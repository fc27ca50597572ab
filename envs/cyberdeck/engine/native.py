"""The loops that were compiled ahead: in a library that wheels carry, or beside a game's file.

A library is an extension module, ``_native``. It says which sources it was made from, and for each
loop which functions went into it. Where these are not the ones that are installed and loaded, it is
as good as not there. A checkout has none for the suite's games; `cyberdeck build` makes one for a
game of one's own.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import platform
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from cyberdeck.engine.arguments import dtypes
from cyberdeck.engine.fingerprint import identity, outside

#: The rooms that loops are made from.
_ROOMS: Final = ("engine", "games", "players")


def stamp() -> str:
    """Letters for all sources that loops are made from."""
    package = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=16)
    for room in _ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            text = path.read_bytes()
            digest.update(f"{path.relative_to(package).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def host() -> str:
    """What this machine is called as a target of libraries: linux-x86_64."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{system}-{machine}"


def file_name(label: str) -> str:
    """What the library of a game of one's own is called, beside its file."""
    return f"{label}.{host()}.{'pyd' if sys.platform == 'win32' else 'so'}"


@functools.cache
def _installed() -> Any:
    """The library, whatever it was made from, or None."""
    try:
        return importlib.import_module("cyberdeck.engine._native")
    except ImportError:
        return None


@functools.cache
def library() -> Any:
    """The library, if it was made from the sources that are installed, or None."""
    found = _installed()
    return found if found is not None and found.stamp == stamp() else None


#: Libraries that were found beside a game's file, and are of other sources.
_stale: Final[dict[str, Path]] = {}


def why_not(label: str) -> str:
    """What to add to an error about a game that has to be compiled."""
    if label in _stale:
        return f" ({_stale[label]} was built from other sources: `cyberdeck build` it anew)"
    if _installed() is None or library() is not None:
        return ""
    return " (what was compiled with this package is of other sources than those installed)"


def made_of(functions: Sequence[Callable[..., Any]]) -> str:
    """Letters for what goes into loops: their functions, and layouts that these do not say."""
    layouts = repr([each.descr for loop in functions for each in dtypes(loop)]).encode()
    return identity(functions) + hashlib.blake2b(layouts, digest_size=8).hexdigest()


def loops(functions: Sequence[Callable[..., Any]], label: str) -> list[Callable[..., Any]] | None:
    """*functions* as compiled code, if a library has them all, or None."""
    found = library()
    if found is not None and (bound := _bound(found, functions, label)) is not None:
        return bound
    for folder in _folders(functions):
        path = folder / file_name(label)
        if not path.is_file():
            continue
        with contextlib.suppress(ImportError):  # none of this Python's: as good as an old one
            own = _loaded(path, path.stat().st_mtime_ns)
            bound = _bound(own, functions, label) if own.stamp == stamp() else None
            if bound is not None:
                return bound
        _stale[label] = path
    return None


def _bound(
    found: Any, functions: Sequence[Callable[..., Any]], label: str
) -> list[Callable[..., Any]] | None:
    names = [f"{label}.{function.__name__}" for function in functions]
    if not all(name in found.loops for name in names):
        return None
    made = made_of(functions)
    if any(found.loops[name] != made for name in names):
        return None
    # It has code for older and for newer processors, and knows the level of this one.
    bound = [
        found.bind(name, dtypes(function), found.level)
        for name, function in zip(names, functions, strict=True)
    ]
    _came_from.update(dict.fromkeys(bound, found))
    return bound


@functools.cache
def _loaded(path: Path, changed: int) -> Any:
    """The library in a file, as it was *changed* last."""
    spec = importlib.util.spec_from_file_location(f"{path.name.partition('.')[0]}._native", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _folders(functions: Sequence[Callable[..., Any]]) -> list[Path]:
    """Where the files outside the package lie whose kernels these loops are made of."""
    waiting: list[Any] = list(functions)
    met: set[types.FunctionType] = set()
    while waiting:
        each = waiting.pop()
        function = getattr(each, "py_func", each)
        if isinstance(function, types.FunctionType) and function not in met:
            met.add(function)
            waiting += [cell.cell_contents for cell in function.__closure__ or ()]
    files = [
        getattr(sys.modules.get(module), "__file__", None)
        for module in {each.__module__ for each in met}
        if outside(module)
    ]
    return sorted({Path(file).resolve().parent for file in files if file})


#: The library of each loop that was taken from one.
_came_from: Final[dict[Callable[..., Any], Any]] = {}


def split(loop: Callable[..., Any], rows: Sequence[int], threads: int) -> Callable[..., Any]:
    """A loop of a library with its rows shared among threads: see ``threads.split``."""
    shared: Callable[..., Any] = _came_from[loop].split(loop, tuple(rows), threads)
    return shared
