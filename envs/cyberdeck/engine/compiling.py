"""While a loop is compiled: who compiles it, and what is said to those who wait.

Of several processes that need the same loop one compiles it; the others wait, and load it.
Whoever waits for more than two seconds reads what for, and about how long: on a terminal beside a
bar that moves, elsewhere in one line. What is found on the disk is loaded without a word.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from cyberdeck.engine.fingerprint import functions_of

PATIENCE: Final = 2.0  # seconds without a word
_WIDTH: Final = 16  # of the bar

#: Seconds that compiling takes on an idle core: for a loop that is not tiny; for each byte of the
#: Python code in it; and for each byte of kernels that this process has not met before.
_FOR_A_LOOP, _FOR_A_BYTE, _FOR_A_NEW_BYTE = 2.0, 1.5e-4, 1.9e-4
_TINY: Final = 2_000  # bytes

#: The work by which a machine is compared with the one that these were measured on, and the seconds
#: that it took there.
_WORK, _WORK_TOOK = 400_000, 0.030

_met: set[Any] = set()  # functions
_begun: set[str] = set()  # games of which something was compiled
_silence = threading.Event()
_printing = threading.Lock()  # what is compiled along with a loop is in that loop's message


def be_silent() -> None:
    """Print nothing more in this process: somebody else says what goes on."""
    _silence.set()


def usual_seconds(function: Callable[..., Any]) -> float:
    """How long compiling usually takes, by the code in it; what was met before is not new again."""
    sizes = functions_of(function)
    new = sum(size for each, size in sizes.items() if each not in _met)
    _met.update(sizes)
    size = sum(sizes.values())
    return _FOR_A_LOOP * (size > _TINY) + _FOR_A_BYTE * size + _FOR_A_NEW_BYTE * new


@functools.cache
def pace() -> float:
    """How many times longer this machine takes, as busy as it is now."""
    began, counts = time.process_time(), dict[int, int]()
    for number in range(_WORK):
        counts[number % 97] = counts.get(number % 97, 0) + number
    took = time.process_time() - began
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return took / _WORK_TOOK * max(1.0, load / (os.cpu_count() or 1))


def _rounded(seconds: float) -> int:
    """A whole number of seconds that claims no more than is known."""
    step = 1 if seconds < 10 else 5 if seconds < 60 else 10
    return max(1, step * round(seconds / step))


@contextlib.contextmanager
def announced(label: str, *functions: Callable[..., Any]) -> Iterator[None]:
    """Print for whoever waits longer than ``PATIENCE`` that *functions* of a game are compiled."""
    about = sum(map(usual_seconds, functions))
    part = f": {functions[0].__name__.partition('-')[0]}" if label in _begun else ""
    _begun.add(label)
    if about > PATIENCE / 4:  # else nobody waits long enough to be told
        about = _rounded(about * pace())
    with _printed(f"compiling {label}{part} (about {about:g} s, only once)", about):
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
            with _printed(f"waiting for another process, which compiles {label}", None):
                lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _printed(line: str, about: float | None) -> Iterator[None]:
    if _silence.is_set() or sys.stderr is None or not _printing.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    printer = threading.Thread(target=_print, args=(line, about, done), daemon=True)
    printer.start()
    try:
        yield
    finally:
        done.set()
        printer.join()
        _printing.release()


def _print(line: str, about: float | None, done: threading.Event) -> None:
    began = time.monotonic()
    if done.wait(PATIENCE):
        return
    if not sys.stderr.isatty():
        print(f"cyberdeck: {line}", file=sys.stderr, flush=True)
        return
    while not done.is_set():
        share = (time.monotonic() - began) / about if about else 0.0
        bar = f"[{'#' * round(_WIDTH * min(1.0, share)):.<{_WIDTH}}]" if about else ""
        print(f"\rcyberdeck: {line} {bar}", end="", file=sys.stderr, flush=True)
        done.wait(0.5)
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)
