"""Where in the files of a game an error comes from."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from typing import Final

import numpy as np

_PACKAGE: Final = Path(__file__).parents[1]
_VIEWS: Final = _PACKAGE / "views"
_LIBRARIES: Final = (str(Path(np.__file__).parent), "<")


def _is_of_a_game(file: str) -> bool:
    if file.startswith(str(_PACKAGE)):
        # The suite's own games; of the views, those that have a folder.
        return _PACKAGE / "games" in Path(file).parents or _VIEWS in Path(file).parent.parents
    if file.startswith(_LIBRARIES):
        return False
    return not file.startswith(sysconfig.get_path("stdlib")) or "site-packages" in file


def place(error: BaseException) -> str:
    """The line of a game that led to an error, and a colon; or nothing, if none has."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_of_a_game(frame.filename):
            return f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}: "
    return ""


def in_words(error: BaseException) -> str:
    """What an error of Python means, in a line."""
    if isinstance(error, ZeroDivisionError):
        return "it divides by zero, and compiled code goes on with any number"
    if isinstance(error, AssertionError):
        return f"assert fails{f': {error}' if str(error) else ''}: kernels raise nothing"
    if isinstance(error, RecursionError):
        return "it calls itself without an end"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
