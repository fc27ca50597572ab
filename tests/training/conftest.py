"""For all tests of training: what takes long and is not what is tested is left out."""

from __future__ import annotations

import os

import pytest

from cyberdeck_training import report


@pytest.fixture
def drawn() -> None:
    """For tests that need the plots themselves."""


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing, and waiting for the disk, is what takes longest of a tiny run."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(report, "draw", lambda *_: "<svg></svg>")
