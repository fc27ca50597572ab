"""What several of the engine's tests take."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from cyberdeck import Variant
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.loops import carefully


@pytest.fixture
def plainly() -> Iterator[Callable[[Variant], Variant]]:
    """Have games played as plain Python for the rest of a test: nothing is compiled for them."""
    with contextlib.ExitStack() as blocks:

        def played(variant: Variant) -> Variant:
            blocks.enter_context(carefully(Careful(variant.game)))
            return variant

        yield played
