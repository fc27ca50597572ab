"""The loops that were compiled ahead: in a library that wheels carry, or that was built here.

A library is an extension module, ``_native``. It says which sources it was made from, and for each
loop which functions went into it. Where these are not the ones that are installed and loaded, it is
as good as not there. A checkout comes with none: `cyberdeck build --suite` makes one of the suite's
games in the user's cache folder, and `cyberdeck build GAME` one beside a game's file. Each has a
note beside it of what it should be: a damaged library would end the process without a word, so it
is looked at before it is loaded.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import stat
import sys
import types
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from cyberdeck.common.files import write_whole
from cyberdeck.common.folders import own_folder
from cyberdeck.common.reading import read_bytes
from cyberdeck.common.text import tell
from cyberdeck.engine.arguments import dtypes
from cyberdeck.engine.fingerprint import identity, outside

#: The rooms that loops are made from.
_ROOMS: Final = ("engine", "games", "players")


def stamp() -> str:
    """A digest of all sources that loops are made from."""
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


def suite_file() -> Path | None:
    """Where the suite's library lies that was built here from these sources; None if no place is
    safe. Other sources have another file, as other code has in the cache.
    """
    folder = own_folder("libraries")
    return None if folder is None else folder / file_name(f"suite-{stamp()}")


def note_of(path: Path) -> Path:
    """The file beside a library that says what it should be."""
    return path.with_name(f"{path.name}.sum")


def noted(content: bytes) -> str:
    """The note for a library: its length, its digest, and that of the sources it was made from."""
    return f"{len(content)} sha256:{hashlib.sha256(content).hexdigest()} {stamp()}\n"


def write(path: Path, content: bytes) -> None:
    """Put a library in its place, and then the note; what is loaded by now is not disturbed."""
    note_of(path).unlink(missing_ok=True)
    write_whole(path, content)
    write_whole(note_of(path), noted(content))


#: No library is longer, in bytes.
_MOST: Final = 1 << 30

_OLD: Final = "was built from other sources"


def _fault(path: Path) -> str | None:
    """Why the library of a game of one's own is not to be loaded, or None. It is read, not run."""
    try:
        if {each.stat().st_uid for each in (path, note_of(path))} - _trusted(path.parent):
            return "is another user's"
        note = read_bytes(note_of(path), 1000).decode("ascii")
        length, _, made_from = note.split()
        if made_from != stamp():
            return _OLD
        whole = length == str(path.stat().st_size) and note == noted(read_bytes(path, _MOST))
        return None if whole else "is damaged"
    except FileNotFoundError:
        return f"has no {note_of(path).name} beside it"
    except ValueError:
        return "is damaged"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _trusted(folder: Path) -> set[int]:
    """Whose code is run: the user's own, root's, and that of who alone may write into *folder*."""
    if not hasattr(os, "geteuid"):  # Windows knows no such numbers
        return {folder.stat().st_uid}
    about = folder.stat()
    alone = {about.st_uid} if not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else set()
    return {os.geteuid(), 0, *alone}


@functools.cache
def _installed() -> Any:
    """The library, whatever it was made from, or None."""
    try:
        return importlib.import_module("cyberdeck.engine._native")
    except ImportError:
        return None


@functools.cache
def library() -> Any:
    """The suite's library, if one was made from the sources that are installed, or None."""
    installed = _installed()
    if installed is not None and installed.stamp == stamp():
        return installed
    path = suite_file()
    if path is None or not path.is_file():
        return None
    built, why = _loaded(path, path.stat().st_mtime_ns)
    if built is None:
        _leave("suite", f"{path} {why}: `cyberdeck build --suite` makes it anew", said=True)
    return built


#: Libraries that were found beside a game's file and are not used, and why.
_unused: Final[dict[str, str]] = {}


def why_not(label: str) -> str:
    """What to add to an error about a game that has to be compiled."""
    if label in _unused:
        return f" ({_unused[label]})"
    if _installed() is None or library() is not None:
        return ""
    return " (what was compiled with this package is of other sources than those installed)"


def made_of(functions: Sequence[Callable[..., Any]]) -> str:
    """A digest of what goes into loops: their functions, and layouts that these do not say."""
    layouts = repr([each.descr for loop in functions for each in dtypes(loop)]).encode()
    return identity(functions) + hashlib.blake2b(layouts, digest_size=8).hexdigest()


def loops(functions: Sequence[Callable[..., Any]], label: str) -> list[Callable[..., Any]] | None:
    """*functions* as compiled code, if a library has them all, or None."""
    installed = library()
    if installed is not None and (bound := _bound(installed, functions, label)) is not None:
        return bound
    for folder in _folders(functions):
        path = folder / file_name(label)
        if not path.is_file():
            continue
        own, why = _loaded(path, path.stat().st_mtime_ns)
        if own is not None and (bound := _bound(own, functions, label)) is not None:
            return bound
        _leave(label, f"{path} {why}: `cyberdeck build` it anew", said=why != _OLD)
    return None


def _leave(label: str, why: str, said: bool) -> None:
    """A library is not used. That a game was edited since is no news; all else is *said*, once."""
    if said and _unused.get(label) != why and sys.stderr is not None:
        tell(f"cyberdeck: {why}", sys.stderr)
    _unused[label] = why


def _bound(
    module: Any, functions: Sequence[Callable[..., Any]], label: str
) -> list[Callable[..., Any]] | None:
    """The loops of a library's *module*, if it has them all, made of the same functions."""
    names = [f"{label}.{function.__name__}" for function in functions]
    if not all(name in module.loops for name in names):
        return None
    made = made_of(functions)
    if any(module.loops[name] != made for name in names):
        return None
    # It has code for older and for newer processors, and knows the level of this one.
    bound = [
        module.bind(name, dtypes(function), module.level)
        for name, function in zip(names, functions, strict=True)
    ]
    _came_from.update(dict.fromkeys(bound, module))
    return [
        fitted(each, **vars(function).get("lengths", {}))
        for each, function in zip(bound, functions, strict=True)
    ]


@functools.cache
def _loaded(path: Path, changed: int) -> tuple[Any, str]:
    """The library in a file, as it was *changed* last, or None; and why it is of no use."""
    if (fault := _fault(path)) is not None:
        return None, fault
    spec = importlib.util.spec_from_file_location(f"{path.name.partition('.')[0]}._native", path)
    assert spec is not None
    assert spec.loader is not None
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:  # none of this Python's
        return None, f"cannot be loaded: {error}"
    return module, _OLD


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
_came_from: Final[weakref.WeakKeyDictionary[Callable[..., Any], Any]] = weakref.WeakKeyDictionary()


def fitted(loop: Callable[..., Any], **lengths: int) -> Callable[..., Any]:
    """A loop of a library that refuses arrays whose lengths, by their letters, are others.

    Without that, a letter that stands only once may be any length. Other loops stay as they are.
    """
    if not lengths or not isinstance(loop, types.BuiltinFunctionType):
        return loop
    module = _came_from[loop]
    known = tuple(lengths.get(chr(ord("A") + at), -1) for at in range(26))
    made: Callable[..., Any] = module.fit(loop, known)
    _came_from[made] = module
    return made


def split(loop: Callable[..., Any], rows: Sequence[int], threads: int) -> Callable[..., Any]:
    """A loop of a library with its rows shared among threads: see ``threads.split``."""
    module = _came_from[loop]
    shared: Callable[..., Any] = module.split(loop, tuple(rows), threads)
    _came_from[shared] = module
    return shared
