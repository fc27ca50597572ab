"""Which tests of compiled loops need a library."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All but what needs no library are run by `make native-test` alone."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.name != "test_recording.py":
            item.add_marker("native")
