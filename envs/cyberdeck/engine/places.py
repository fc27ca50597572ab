"""Which line of a game's files an error comes from, and what it means."""

from __future__ import annotations

import sysconfig
import traceback
import types
from pathlib import Path
from typing import Final

import numpy as np

from cyberdeck.common.text import nearest
from cyberdeck.engine.watched import Misuse

_PACKAGE: Final = Path(__file__).parents[1]
_VIEWS: Final = _PACKAGE / "views"
_NUMPY: Final = Path(np.__file__).parent
_STANDARD: Final = Path(sysconfig.get_path("stdlib"))


def _is_of_a_game(file: str) -> bool:
    path = Path(file)
    if path.is_relative_to(_PACKAGE):
        # The suite's own games; of the views, those that have a folder.
        return _PACKAGE / "games" in path.parents or _VIEWS in path.parent.parents
    if file.startswith("<") or path.is_relative_to(_NUMPY):
        return False
    return not path.is_relative_to(_STANDARD) or "site-packages" in file


def place_in(code: types.CodeType, line: int | None = None) -> str:
    """A line of a function, or else its first, as messages about kernels begin."""
    file = Path(code.co_filename).name
    return f"{file}, line {line or code.co_firstlineno}, in {code.co_name}: "


def place(error: BaseException) -> str:
    """The line of a game that led to an error, as messages begin; nothing if none did."""
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if _is_of_a_game(frame.f_code.co_filename):
            found = place_in(frame.f_code, line)
    return found


def in_words(error: BaseException) -> str:
    """What an error that Python raised means, in one line."""
    if isinstance(error, Misuse):
        return str(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType):
        module = error.obj.__name__.rpartition(".")[2]
        return f"there is no {module}.{error.name}{nearest(error.name, dir(error.obj))}"
    if isinstance(error, UnboundLocalError):
        return f"{error}: set it first, in every case"
    if isinstance(error, NameError):
        return f"there is no {error.name!r}: write it at the file's top"
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero, where compiled code goes on with any number"
    if isinstance(error, AssertionError):
        return f"assert fails{f': {error}' if str(error) else ''}: kernels raise nothing"
    if isinstance(error, RecursionError):
        return "it calls itself without end"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
