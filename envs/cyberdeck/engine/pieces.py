"""Compiled work a piece at a time: Ctrl-C is heard between two calls of it, and not during one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Seconds: a piece that takes longer is followed by half as much, any other by up to twice as much.
PIECE: Final = 0.1
#: Rows of which something is done at once, where it is not known how long that takes.
ROWS: Final = 256
#: Rows that are gone on with until they have made all steps: enough for some threads.
_BLOCK: Final = 64
#: How much of a table is gone through at first.
_FIRST: Final = 1 << 16


class _Here(threading.local):
    """Of this thread: whether what it helps with is given up. Only the main one hears Ctrl-C."""

    given_up: Callable[[], bool] = bool


here: Final = _Here()


class Pieces:
    """How much is done at once, so that it takes 0.1 to 0.2 s; that is learned.

    some: how much at first, where nothing is known.
    few: how much is done at once in any case, without a look at the clock.

    >>> list(Pieces().of(10))
    [(0, 1), (1, 3), (3, 7), (7, 10)]
    """

    def __init__(self, some: int = 1, few: int = 0) -> None:
        self.some, self._few = some, few

    def run(self, loop: Callable[..., Any], rows: Sequence[Any], *rest: Any) -> None:
        """``loop(*rows, *rest)``, where *rows* have something for each row: at once, if these are
        few, or piece by piece.
        """
        count = len(rows[0])
        if count <= self._few:
            loop(*rows, *rest)
            return
        for first, end in self.of(count):
            loop(*(each[first:end] for each in rows), *rest)

    def of(self, count: int, each: int = 1) -> Iterator[tuple[int, int]]:
        """Where pieces of *count* begin and end; each of the *count* is so much work."""
        done = 0
        while done < count:
            end = min(count, done + max(1, self.some // each))
            began = time.perf_counter()
            yield done, end
            self.learn((end - done) * each, began)
            done = end

    def of_steps(self, steps: int, rows: int) -> Iterator[tuple[int, slice | None]]:
        """How many steps to make next, and in which rows (None: all).

        Of many rows, one block makes all its steps before the next: so it stays in the cache.
        """
        if steps * rows <= min(self.some, self._few):
            yield steps, None
            return
        first = 0
        while first < rows:
            many, left = min(rows - first, max(_BLOCK, self.some // max(steps, 1))), steps
            while left:
                now = min(left, max(1, self.some // many))
                for begin, end in self.of(many, now):
                    yield now, None if end - begin == rows else slice(first + begin, first + end)
                left -= now
            first += many

    @contextmanager
    def until(self, counter: NDArray[np.int64]) -> Iterator[int]:
        """The value of ``counter[0]`` at which to stop; the work in here advances it."""
        before, began = int(counter[0]), time.perf_counter()
        yield before + self.some
        self.learn(int(counter[0]) - before, began)

    def learn(self, work: int, began: float) -> None:
        """So much was done since *began*, by ``time.perf_counter``."""
        if here.given_up():
            raise KeyboardInterrupt
        if time.perf_counter() - began > PIECE:
            self.some = max(1, work // 2)
        elif 2 * work > self.some:
            self.some = 2 * work


def forward(loop: Callable[..., Any], start: int, stop: int, *given: Any) -> None:
    """``loop(start, stop, *given)``, which goes from the first to the last, a piece at a time."""
    if stop - start <= _FIRST:
        loop(start, stop, *given)
        return
    for begin, end in Pieces(_FIRST).of(stop - start):
        loop(start + begin, start + end, *given)


def backward(loop: Callable[..., Any], start: int, stop: int, *given: Any) -> None:
    """The same of a loop that goes from the last to the first."""
    forward(lambda begin, end: loop(start + stop - end, start + stop - begin, *given), start, stop)
