"""Games side by side in several threads: the same results, bit for bit, whatever their number.

Rows know nothing of each other, and compiled code lets go of Python's lock. Work is cut into pieces
that whoever is free takes next. The caller takes them too and waits for nobody who has not begun:
at worst it does everything itself. A pool of the standard library would wake a thread for every
piece and wait for all of them, which takes longer than a step of many games.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Final

from cyberdeck.engine import native, pieces
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import require

#: Pieces for each thread: many leave less to wait for at the end, few cost less.
_PIECES: Final = 4
#: Seconds of work that are worth a piece, where Python hands it on: a thread that sleeps takes a
#: tenth of a millisecond to wake.
_WORTH: Final = 0.0005


def count_of(threads: Any) -> int:
    """How many threads *threads* means: a number, or "auto" for one on each core there is."""
    if threads == "auto":
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    choose = "choose a number from 1 on, or 'auto' for one on each core"
    require(is_whole(threads) and 1 <= threads <= 1024, "threads", threads, choose)
    return int(threads)


class _Work:
    """Pieces of work, each done once by whoever asks for the next."""

    def __init__(self, do: Callable[[int], Any], pieces: int) -> None:
        self._do, self._pieces = do, pieces
        self._next = itertools.count()
        self._done: list[tuple[int, Any]] = []
        self._failed: list[BaseException] = []
        self._came: list[None] = []
        self._went: list[None] = []

    def help(self) -> None:
        """Do pieces until none is left, or somebody has failed."""
        try:
            for piece in self._next:
                if piece >= self._pieces or self._failed:
                    return
                self._done.append((piece, self._do(piece)))
        except BaseException as error:
            self._failed.append(error)

    def assist(self) -> None:
        """``help`` in another thread than the caller's."""
        self._came.append(None)
        pieces.here.given_up = lambda: bool(self._failed)
        self.help()
        self._went.append(None)

    def give_up(self, error: BaseException) -> None:
        """Nothing more is begun."""
        self._failed.append(error)

    def results(self) -> list[Any]:
        """What came of each piece, when those are done that others have begun."""
        try:
            while len(self._done) < self._pieces and not self._failed:
                time.sleep(0)  # a lock would wake this thread later than the last piece takes
        except BaseException as error:  # Ctrl-C
            self.give_up(error)
        if self._failed:
            while len(self._went) < len(self._came):  # they still write
                time.sleep(0)
            raise self._failed[0]
        return [result for _, result in sorted(self._done, key=lambda each: each[0])]


@functools.cache
def _helpers(count: int) -> SimpleQueue[_Work]:
    """So many threads that wait for work, for as long as the process lives."""
    waiting: SimpleQueue[_Work] = SimpleQueue()

    def work() -> None:
        while True:
            waiting.get().assist()

    for _ in range(count):
        threading.Thread(target=work, name="cyberdeck", daemon=True).start()
    return waiting


if hasattr(os, "register_at_fork"):  # threads do not come along
    os.register_at_fork(after_in_child=_helpers.cache_clear)


def together(do: Callable[[int], Any], count: int, threads: int) -> list[Any]:
    """What ``do(piece)`` returns for each of so many pieces, done by so many threads.

    When one fails, or at Ctrl-C, the error comes once no thread works on any.
    """
    work = _Work(do, count)
    try:
        if threads > 1 and count > 1:
            waiting = _helpers(threads - 1)
            for _ in range(min(threads, count) - 1):
                waiting.put(work)
        work.help()
    except BaseException as error:  # Ctrl-C: the others would go on without the caller
        work.give_up(error)
    return work.results()


def split(loop: Callable[..., Any], rows: Sequence[int], threads: int) -> Callable[..., Any]:
    """*loop*, which treats each row by itself, with its rows shared among *threads*.

    *rows* says which of its arguments are arrays with something for each row.
    """
    if not hasattr(loop, "py_func"):
        return native.split(loop, rows, threads)

    def part(arguments: Sequence[Any], start: int, stop: int) -> None:
        own = list(arguments)
        for at in rows:
            own[at] = own[at][start:stop]
        loop(*own)

    compiled, row_seconds = False, 0.0  # what a row took at the last call

    def call(*arguments: Any) -> None:
        nonlocal compiled, row_seconds
        count, began = len(arguments[rows[0]]), time.perf_counter()
        parts = min(threads * _PIECES, int(count * row_seconds / _WORTH))
        if parts < 2:
            loop(*arguments)
            workers = 1
        else:
            ends = [count * piece // parts for piece in range(parts + 1)]
            together(lambda at: part(arguments, ends[at], ends[at + 1]), parts, threads)
            workers = min(threads, parts)
        if compiled:  # the first call was to wait for the compiler
            row_seconds = workers * (time.perf_counter() - began) / max(count, 1)
        compiled = True

    return call
