"""What goes into the library, found out without building it."""

from __future__ import annotations

import pytest
from tools.native import loops
from tools.native.build import Takes


def test_every_loop_of_the_package_is_called_and_has_its_shapes() -> None:
    """One that is added and not called there would be missing in every wheel."""
    found = loops.recorded()
    assert {each.name.partition(".")[2] for each in found} == set(loops.SHAPES)
    for each in found:
        Takes(each, [False] * 200)


def test_a_loop_that_nobody_calls_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops.Search, "decide", lambda search, seen: None)
    with pytest.raises(LookupError, match=r"never called here.*trees\.py"):
        loops.recorded()
