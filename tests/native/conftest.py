"""What the tests of compiled loops share: both kinds of loops of a game, side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cyberdeck.engine import native
from cyberdeck.engine.contract import Game
from cyberdeck.engine.loops import Loops, compiled_loops


@pytest.fixture
def compiled_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[Game], Loops]:
    """A game's loops as numba compiles them."""

    def made(game: Game) -> Loops:
        with monkeypatch.context() as patch:
            patch.setattr(native, "library", lambda: None)
            return compiled_loops.__wrapped__(game)

    return made


@pytest.fixture
def shipped() -> Callable[[Game], Loops]:
    """A game's loops from the library."""

    def made(game: Game) -> Loops:
        loops = compiled_loops.__wrapped__(game)
        assert {type(loop).__name__ for loop in vars(loops).values()} == {
            "builtin_function_or_method"
        }
        return loops

    return made


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All but what needs no library are run by `make native-test` alone."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.name != "test_recording.py":
            item.add_marker("native")
