"""For all tests of training: what takes long and is not what is tested is left out."""

from __future__ import annotations

import os

import pytest

from tests.training.runs import be_quick


@pytest.fixture
def drawn() -> None:
    """For tests that need the plots and replays themselves."""


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "drawn" in request.fixturenames:
        monkeypatch.setattr(os, "fsync", lambda file: None)
    else:
        be_quick(monkeypatch)
