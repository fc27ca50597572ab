"""Records that look harmless one field at a time, and are no possible positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch, StateError, showing
from cyberdeck.engine import saving

Change = Callable[[Any], None]


def empty(record: Any) -> int:
    """The last square on which nothing stands."""
    return int(np.flatnonzero(record["board"] < 0)[-1])


def went(start: str, end: str) -> Change:
    """The last move went from and to such squares: where one "stands", or it is "empty"."""

    def change(record: Any) -> None:
        stands = int(np.flatnonzero(record["board"] >= 0)[0])
        squares = {"stands": stands, "empty": empty(record), "none": -1}
        record["last_from"], record["last_to"] = squares[start], squares[end]

    return change


def decided(more: int) -> Change:
    def change(record: Any) -> None:
        record["decisions"] = min(22 + 17 * (int(record["turns"]) + 1) + 1 + more, 2**31 - 1)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (went("stands", "stands"), "board and the last move say"),
        (went("empty", "empty"), "board and the last move say"),
        (went("stands", "empty"), "board and the last move say"),
        (went("empty", "none"), "board and the last move say"),
        (decided(1), "the end of the game agrees"),
        (decided(2**31), "the end of the game agrees"),
    ],
)
def test_a_state_that_cannot_be_is_refused(change: Change, message: str) -> None:
    batch = played()
    with pytest.raises(StateError, match=message):
        batch.set_state(0, changed(batch, change))


@pytest.mark.parametrize("change", [went("empty", "stands"), went("none", "none"), decided(0)])
def test_a_state_that_can_be_is_drawn_and_its_game_goes_on(change: Change) -> None:
    batch = played()
    batch.set_state(0, changed(batch, change))
    assert "<svg" in showing.picture(batch.variant, batch.core.states, None)
    batch.play("random", 1)
    batch.set_state(0, batch.get_state(0))


def played() -> Batch:
    """A game some turns old."""
    batch = Batch("stacktrices", 1, seed=1, setup="random", autoreset="disabled")
    batch.play("random", 40)
    assert batch.mover[0] >= 0
    return batch


def changed(batch: Batch, change: Change) -> bytes:
    core = batch.core
    row, record = saving.unpack(core.game, core.rows.dtype, batch.get_state(0))
    change(record[0])
    return saving.pack(core.game, row, record)
