"""What holds for all tests: a game that one of them registers is gone for the next."""

from __future__ import annotations

import os
from collections.abc import Iterator

import gymnasium
import pytest

from cyberdeck.api.registration import ENVIRONMENT
from cyberdeck.engine import registry


@pytest.fixture(autouse=True, scope="module")
def _only_the_suites_own_games() -> Iterator[None]:
    found, ids, noted = dict(registry._found), set(gymnasium.registry), os.environ.get(ENVIRONMENT)
    yield
    registry._found.clear()
    registry._found.update(found)
    for new in set(gymnasium.registry) - ids:
        del gymnasium.registry[new]
    os.environ.pop(ENVIRONMENT, None)
    if noted is not None:
        os.environ[ENVIRONMENT] = noted
