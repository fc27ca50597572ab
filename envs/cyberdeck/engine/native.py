"""The loops that were compiled when the package was built, in a library that wheels carry.

The library is an extension module, ``_native``. It says which sources it was made from, and for
each loop which functions went into it. Where these are not the ones that are installed and loaded,
it is as good as not there. A checkout has none.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cyberdeck.engine.fingerprint import identity

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


def why_not(label: str) -> str:
    """What to add to an error about a game that has to be compiled."""
    if _installed() is None or library() is not None:
        return ""
    return " (what was compiled with this package is of other sources than those installed)"


def made_of(functions: Sequence[Callable[..., Any]], records: Sequence[np.dtype[Any]]) -> str:
    """Letters for what goes into loops: their functions, and layouts that these do not say."""
    layouts = repr([record.descr for record in records]).encode()
    return identity(functions) + hashlib.blake2b(layouts, digest_size=8).hexdigest()


def loops(
    functions: Sequence[Callable[..., Any]], label: str, records: Sequence[np.dtype[Any]]
) -> list[Callable[..., Any]] | None:
    """*functions* as compiled code, if all of them are in the library, or None."""
    found = library()
    names = [f"{label}.{function.__name__}" for function in functions]
    if found is None or not all(name in found.loops for name in names):
        return None
    # For each loop: what it was made of, and the dtypes of the arrays that it is given.
    about = [ast.literal_eval(found.loops[name]) for name in names]
    made = made_of(functions, records)
    if any(made_then != made for made_then, _ in about):
        return None
    # It has code for older and for newer processors, and knows the level of this one.
    bound = [
        found.bind(name, tuple(map(np.lib.format.descr_to_dtype, arrays)), found.level)
        for name, (_, arrays) in zip(names, about, strict=True)
    ]
    _came_from.update(dict.fromkeys(bound, found))
    return bound


#: The library of each loop that was taken from one.
_came_from: Final[dict[Callable[..., Any], Any]] = {}


def split(loop: Callable[..., Any], rows: Sequence[int], threads: int) -> Callable[..., Any]:
    """A loop of a library with its rows shared among threads: see ``threads.split``."""
    shared: Callable[..., Any] = _came_from[loop].split(loop, tuple(rows), threads)
    return shared
