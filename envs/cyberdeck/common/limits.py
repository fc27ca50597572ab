"""A time limit for plain Python, wherever it hangs."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from typing import Final

#: Steps within which an error that was raised from another thread arrives.
_SOON: Final = 1_000


class OutOfTime(BaseException):
    """Raised wherever plain Python is when its *seconds* are over.

    No ``except Exception`` catches it.
    """

    seconds = 0.0


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise ``OutOfTime`` in the block if it takes longer; compiled code in it first finishes.

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
                raised = ctypes.c_ulong(here), ctypes.py_object(error)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(*raised)

    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), stop)
    timer.daemon = True
    try:
        timer.start()  # which may be interrupted when the timer runs already
        yield
    finally:
        timer.cancel()
        with lock:
            over.set()
        # One that was raised at the last moment comes here: to take it back would slow all down.
        with contextlib.suppress(error):
            for _ in range(_SOON):
                pass
