"""Search and beliefs as plain Python: where little is searched, nothing is compiled for it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cyberdeck.engine import jit
from cyberdeck.engine.plain import as_called
from cyberdeck.engine.registry import GAMES
from cyberdeck.engine.watched import Lenient, read, written
from cyberdeck.players import beliefs, guided, search
from cyberdeck.players.trees import guiding, searching

#: Who asks for loops of a game, and by what.
_ASKED = [
    (search, "search_loop"),
    (search, "believing_loop"),
    (guided, "guide_loop"),
    (beliefs, "_loops"),
]
_MADE_IN = {each.__name__ for each in (searching, guiding, beliefs)}


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    called, watch = as_called(SimpleNamespace(py_func=function), watch=Lenient()), Lenient()

    def given(each: Any) -> Any:
        return type(each)(*map(given, each)) if hasattr(each, "_fields") else read(each, watch)

    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return written(called(*map(given, arguments)))

    return call


@pytest.fixture(autouse=True)
def in_python(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """For quick tests of the modules that import this: of games from files."""
    if any(map(request.node.get_closest_marker, ("slow", "compiled"))):
        return
    compile_loop = jit.compile_loop

    def loop(function: Callable[..., Any], label: str, options: dict[str, Any]) -> Any:
        own = label in GAMES or function.__module__ not in _MADE_IN
        return compile_loop(function, label, options) if own else plain(function)

    monkeypatch.setattr(jit, "compile_loop", loop)
    for module, name in _ASKED:
        made = getattr(module, name).__wrapped__
        monkeypatch.setattr(module, name, functools.cache(made))
