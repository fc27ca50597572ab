"""Records that look harmless one field at a time, and are no possible positions."""

from __future__ import annotations

import numpy as np
import pytest

from cyberdeck import Batch, StateError, showing
from cyberdeck.engine import saving

LAST_MOVE, END = "board and the last move say", "the end of the game agrees"


def changed(start: str, end: str, more: int) -> tuple[Batch, bytes]:
    """A game some turns old, and its state after a last move between such squares and with so many
    decisions more than there can have been.
    """
    batch = Batch("stacktrices", 1, seed=1, setup="random", autoreset="Disabled")
    batch.play("random", 40)
    core = batch._core
    row, records = saving.unpack(core.game, core.rows.dtype, batch.get_state(0))
    record = records[0]
    stands, empty = (
        np.flatnonzero(there)[-1] for there in (record["board"] >= 0, record["board"] < 0)
    )
    squares = {"stands": stands, "empty": empty, "none": -1}
    record["last_from"], record["last_to"] = squares[start], squares[end]
    record["decisions"] = min(22 + 17 * (int(record["turns"]) + 1) + 1 + more, 2**31 - 1)
    return batch, saving.pack(core.game, row, records)


@pytest.mark.parametrize(
    ("start", "end", "more", "message"),
    [
        ("stands", "stands", 0, LAST_MOVE),
        ("empty", "empty", 0, LAST_MOVE),
        ("stands", "empty", 0, LAST_MOVE),
        ("empty", "none", 0, LAST_MOVE),
        ("empty", "stands", 1, END),
        ("empty", "stands", 2**31, END),
    ],
)
def test_a_state_that_cannot_be_is_refused(start: str, end: str, more: int, message: str) -> None:
    batch, state = changed(start, end, more)
    with pytest.raises(StateError, match=message):
        batch.set_state(0, state)


@pytest.mark.parametrize("squares", [("empty", "stands"), ("none", "none")])
def test_a_state_that_can_be_is_drawn_and_its_game_goes_on(squares: tuple[str, str]) -> None:
    batch, state = changed(*squares, 0)
    batch.set_state(0, state)
    assert "<svg" in showing.scene(batch.variant, batch._core.states, None).picture()
    batch.play("random", 1)
    batch.set_state(0, batch.get_state(0))
