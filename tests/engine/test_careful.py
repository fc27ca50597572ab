"""Plain Python that watches kernels: every mistake is told with its line, and nothing else is."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import kernel, variant
from cyberdeck.api.registration import load_file
from cyberdeck.common import limits
from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.plain import as_python
from cyberdeck.errors import KernelError
from tests.engine.games import edited

RECORD = np.dtype(
    [
        ("dice", np.uint64),
        ("n", np.int8),
        ("board", np.int8, (2, 3)),
        ("frozen", np.int8, (3,)),
        ("other", np.int8, (3,)),
        ("share", np.float32, (3,)),
    ]
)
TABLE = np.array([1, 2, 3])


@kernel
def reads(state, where):
    return state.board[where, 0] + state.board[0, where]


@kernel
def last(state):
    return state.board[-1, -1] + TABLE[state.n]


@kernel
def half(state):
    state.n = 7 / 2


@kernel
def whole(state):
    state.board = 1


@kernel
def writes_a_table(state):
    TABLE[0] = 5


@kernel
def as_numba_knows_it(state):
    row = state.board[1]
    row += 2
    state.board[...] = state.board[1, 2] * 2
    return state["n"] + len(row) + row.shape[0] + state.board.sum()


@kernel
def in_place(state):
    state.board += 3
    row = state.board[0]
    row |= 4
    row %= 5
    row <<= 2
    state.frozen = state.other
    state.frozen[:2] = (5, 6)
    state.board[..., 1] = state.board[1, -2] - state.board[..., -1][1]
    state.share += 0.5


@kernel
def too_much_in_place(state):
    row = state.board[0]
    row += 200


@pytest.fixture
def record() -> np.ndarray:
    return np.zeros(1, RECORD)


WRONG = [
    (reads, 2, "2 is no index of axis 0 of state.board: there are 0 to 1"),
    (reads, -1, "-1 is no index of axis 0 of state.board: there are 0 to 1; it counts from the"),
    (reads, 0.5, "0.5 is no index of state.board: it must be a whole number"),
    (half, None, "3.5 is written to state.n, which holds whole numbers: use //"),
    (whole, None, r"state.board is an array: write state.board\[:\] = ..."),
    (too_much_in_place, None, "200 is written to state.board, which holds -128 to 127"),
    (writes_a_table, None, "TABLE is a table of the file: kernels do not write there"),
]


@pytest.mark.parametrize(("mistaken", "given", "said"), WRONG)
def test_a_mistake_is_told(mistaken: Any, given: Any, said: str, record: np.ndarray) -> None:
    with pytest.raises(KernelError, match=said):
        as_python(mistaken)(record[0], *(() if given is None else (given,)))


def test_what_is_meant_is_let_be(record: np.ndarray) -> None:
    """A place counted from the end that is written as one, and a table's last place for -1.

    Arrays do what numba's do, also in place, and in a field that is called like a part of what
    watches it.
    """
    record["n"] = -1
    record["board"][0, 1, 2] = 7
    assert as_python(last)(record[0]) == 10
    record["board"], record["n"] = 1, 0
    assert as_python(as_numba_knows_it)(record[0]) == 0 + 3 + 3 + 36
    assert record["board"].tolist() == [[[6, 6, 6], [6, 6, 6]]]
    record["other"] = 9
    compiled = record.copy()
    as_python(in_place)(record[0])
    in_place(compiled[0])
    assert record.tobytes() == compiled.tobytes()
    assert record["frozen"].tolist() == [[5, 6, 9]]


def careful_loops(*edits: Any) -> Any:
    game = load_file(edited(*edits))
    return Careful(game), variant(game.name).blank()


def test_a_throw_of_the_dice_can_be_chosen(tmp_path: Path) -> None:
    careful, record = careful_loops(tmp_path, "kuhn_poker")
    careful.thrown = lambda bits: np.uint64(0)
    careful.kernel("shuffle")(record[0])
    assert record["deck"].tolist() == [[1, 2, 0]]


@pytest.mark.parametrize(("field", "change"), [("paid", "[0] = 2"), ("mover", " += 0")])
def test_kernels_that_look_must_not_write(field: str, change: str, tmp_path: Path) -> None:
    at = "    out[AT.decisions] = state.decisions\n"
    careful, record = careful_loops(tmp_path, "kuhn_poker", at, f"{at}    state.{field}{change}\n")
    said = f"line 65, in observe: observe writes to state.{field}: it may"
    with pytest.raises(KernelError, match=said):
        careful.kernel("observe")(record[0], 0, np.zeros(6, np.int8))


def test_a_win_is_one_of_the_whole_side(tmp_path: Path) -> None:
    """Also while ``act`` goes on after it, where the game is over already."""
    careful, record = careful_loops(
        tmp_path,
        "tictactoe",
        *('seats=("x", "o")', 'seats=("a", "b", "c", "d"), side=side, teams=("odd", "even")'),
        *("GAME = Game", "@kernel\ndef side(state, seat):\n    return seat % 2\n\n\nGAME = Game"),
        "            win(state, seat, WON)\n",
        "            win(state, seat, WON)\n            state.board[0] = state.mover\n",
    )
    careful.kernel("start")(record[0])
    record["board"][0, :2] = 0
    careful.kernel("act")(record[0], 2)
    assert record["reward"].tolist() == [[1, -1, 1, -1]]
    assert record["terminated"][0] == 1
    assert record["board"][0, 0] == record["mover"][0] == -1


def test_a_limit_of_time_that_is_interrupted_as_it_begins_comes_no_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = threading.Timer.start

    def interrupted(timer: threading.Timer) -> None:
        start(timer)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Timer, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), at_most(0.05):
        pass
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        pass


def test_a_limit_of_time_that_is_kept_does_not_swallow_the_one_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The outer one's time is up while the inner one waits for an error that does not come.
    monkeypatch.setattr(limits, "_SOON", 10_000_000)

    def both() -> None:
        with at_most(0.02), at_most(10):
            pass

    with pytest.raises(OutOfTime) as told:
        both()
    assert told.value.seconds == 0.02
