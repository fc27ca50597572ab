"""A limit of time for plain Python, wherever it hangs."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from typing import Any


class OutOfTime(BaseException):
    """Raised where plain Python is when its *seconds* are over."""

    seconds = 0.0


def _raise_in(thread: int, error: Any) -> None:
    """Have *error* raised in a thread before its next step; None: what has not come yet, never."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise ``OutOfTime`` here if the block takes longer; compiled code goes on until it is done.

    >>> try:
    ...     with at_most(0.05):
    ...         while True:
    ...             pass
    ... except OutOfTime as limit:
    ...     limit.seconds
    0.05
    """
    error = type("OutOfTime", (OutOfTime,), {"seconds": seconds})
    here, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def stop() -> None:
        with lock:
            if not over.is_set():
                _raise_in(here, error)

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over.set()
            _raise_in(here, None)
