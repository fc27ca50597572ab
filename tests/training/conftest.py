"""For all tests of training: what takes long and is not what is tested is left out."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from cyberdeck_training import values
from tests.training.runs import be_quick


@pytest.fixture(scope="module", autouse=True)
def _files_are_forgotten() -> Iterator[None]:
    """Games of files are registered for a module's own tests: others have to load them anew."""
    values.game_of_file.cache_clear()
    yield
    values.game_of_file.cache_clear()


@pytest.fixture
def drawn() -> None:
    """For tests that need the plots and replays themselves."""


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "drawn" in request.fixturenames:
        monkeypatch.setattr(os, "fsync", lambda file: None)
    else:
        be_quick(monkeypatch)
