"""Code that users bring, named by a text: ``module:Name`` or ``file.py:Name``."""

from __future__ import annotations

import hashlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from cyberdeck.common import consent
from cyberdeck.common.limits import OutOfTime
from cyberdeck.common.text import nearest
from cyberdeck.errors import CyberdeckError, KernelError, OptionError

#: The files that were run, with what stood in them and the modules that they became.
_run: dict[Path, tuple[bytes, ModuleType]] = {}


def load(kind: str, name: str, where: str, agreed: bool = False) -> Any:
    """The object that somebody brings as *name*, a *kind* of thing; or ``OptionError``.

    A module or file is run only if the user has named it too, or agrees: see ``consent.py``.

    Args:
        kind: such as "player".
        name: as the user, or a file, has it.
        where: ``module:Name`` or ``file.py:Name``.
        agreed: the user has agreed already, such as by installing it.

    >>> load("player", "numpy:argmax", "numpy:argmax").__name__
    'argmax'
    """
    source, _, attribute = where.rpartition(":")
    is_file = source.endswith(".py")
    if not agreed:
        files = [Path(source)] if is_file else [*files_of(source)]
        consent.need(kind, name, [consent.Effect.CODE], files)
    try:
        module = run_once(Path(source)) if is_file else importlib.import_module(source)
        if not hasattr(module, attribute):
            close = nearest(attribute, dir(module))
            raise AttributeError(f"module {source!r} has no attribute {attribute!r}{close}")
        return getattr(module, attribute)
    except OptionError:  # which says where in the file
        raise
    except (Exception, SystemExit) as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == source.partition(".")[0]
        raise OptionError(
            f"{name} cannot be loaded: {in_words(error)}"
            + (": put its folder on PYTHONPATH, or give file.py:Name" if missing else "")
        ) from error


def files_of(module: str) -> Iterator[Path]:
    """The files that importing a module runs, found without running any."""
    path: list[str] | None = None
    parts = module.split(".")
    for at in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:at]), path)
        if spec is None:
            return
        if spec.origin is not None:
            yield Path(spec.origin)
        path = [*(spec.submodule_search_locations or ())]


def files_run() -> list[Path]:
    """The files that were run here: another process runs them to know their classes."""
    return [file for file in _run if file.is_file()]


def run_once(file: Path) -> ModuleType:
    """A file as a module: the same as before, if the file is."""
    called, file = str(file), file.resolve()
    if not file.is_file():
        raise OptionError(f"{called} does not exist: give the file of a module (*.py)")
    content, module = _run.get(file, (None, None))
    if module is None or content != file.read_bytes() or module.__name__ not in sys.modules:
        return run_file(file, called)
    return module


def run_file(file: Path, called: str) -> ModuleType:
    """A file as a module, run anew; in errors it is called as the user did."""
    # Called by its place, so that two files of one name are two modules.
    name = f"cyberdeck_file_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    sys.modules[name] = module = ModuleType(name)
    module.__file__ = str(file)
    try:
        content = file.read_bytes()
        # No byte code is kept: an edit of the same length in the same second would not be noticed.
        exec(compile(content, str(file), "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, (KeyboardInterrupt, OutOfTime)):
            raise
        raise OptionError(_in_a_line(error, file, called)) from error
    _run[file] = content, module
    return module


def in_words(error: BaseException) -> str:
    """An error in one line.

    >>> in_words(ValueError("too\\nlong"))
    'ValueError: too long'
    """
    kind = "" if isinstance(error, CyberdeckError) else f"{type(error).__name__}: "
    return kind + " ".join(str(error).split())


def _in_a_line(error: BaseException, file: Path, path: str) -> str:
    """An error in one line, with the last line of *file*, called *path*, that led to it."""
    if isinstance(error, KernelError):
        return str(error)  # which says where
    places = traceback.extract_tb(error.__traceback__)
    lines = [place.lineno for place in places if place.filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    where = f"line {line}: " if line is not None else ""
    if isinstance(error, CyberdeckError):
        return f"{path}: {where}{' '.join(str(error).split())}"
    words = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{path} cannot be run: {where}{type(error).__name__}: {words}"
