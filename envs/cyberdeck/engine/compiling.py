"""While a loop is compiled: who compiles it, and what is said to those who wait.

Of several processes that need the same loop one compiles it; the others wait, and load it.
Whoever waits for more than two seconds reads in a line what for, and about how long. What is found
on the disk is loaded without a word.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from cyberdeck.engine.fingerprint import functions_of

PATIENCE: Final = 2.0  # seconds without a word

#: Seconds that compiling takes on an idle core: for a loop; for each byte of the Python code in it;
#: and for each byte of kernels of a game of which nothing was compiled before.
_FOR_A_LOOP, _FOR_A_BYTE, _FOR_A_NEW_BYTE = 2.0, 1.5e-4, 1.9e-4

_begun: set[str] = set()  # games of which something was compiled
_silence = threading.Event()
_printing = threading.Lock()  # what is compiled along with a loop is in that loop's message


def be_silent() -> None:
    """Print nothing more in this process: somebody else says what goes on."""
    _silence.set()


@contextlib.contextmanager
def announced(label: str, *functions: Callable[..., Any]) -> Iterator[None]:
    """Print for whoever waits longer than ``PATIENCE`` that *functions* of a game are compiled."""
    sizes = [sum(functions_of(each).values()) for each in functions]
    seconds = sum(_FOR_A_LOOP + _FOR_A_BYTE * size for size in sizes)
    part = f": {functions[0].__name__.partition('-')[0]}"
    if label not in _begun:
        _begun.add(label)
        seconds, part = seconds + _FOR_A_NEW_BYTE * sizes[0], ""
    about = round(seconds) if seconds < 10 else 5 * round(seconds / 5)
    with _printed(f"compiling {label}{part} (about {about} s, only once)"):
        yield


@contextlib.contextmanager
def alone(folder: Path, name: str, label: str) -> Iterator[None]:
    """Only one process at a time compiles the loop *name* of a game into *folder*."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / f"{name}.lock")
    # A disk that knows no locks costs time, not the game.
    with contextlib.suppress(OSError, NotImplementedError):
        try:
            lock.acquire(timeout=0)
        except Timeout:
            with _printed(f"waiting for another process, which compiles {label}"):
                lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _printed(line: str) -> Iterator[None]:
    if _silence.is_set() or sys.stderr is None or not _printing.acquire(blocking=False):
        yield
        return
    options = {"file": sys.stderr, "flush": True}
    timer = threading.Timer(PATIENCE, print, [f"cyberdeck: {line}"], options)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _printing.release()
