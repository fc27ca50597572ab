"""Memory limits: what does not fit is refused, instead of the process being killed."""

from __future__ import annotations

import contextlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Final

from cyberdeck.errors import OptionError

#: Bytes of a machine that does not say: more than any has.
_UNKNOWN: Final = 1 << 46

_GIB: Final = 1 << 30


@cache
def memory() -> int:
    """Bytes of memory of this machine, with swap where that is known."""
    with contextlib.suppress(OSError):
        told = Path("/proc/meminfo").read_text("utf-8")
        if found := re.findall(r"^(?:MemTotal|SwapTotal): +(\d+) kB$", told, re.MULTILINE):
            return 1024 * sum(map(int, found))
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _UNKNOWN


def need_room(count: int, size: int, things: str, there: int | None = None) -> None:
    """``OptionError`` if so many *things* of *size* bytes are more than *there* is of memory.

    >>> need_room(10**9, 200, "games", there=2**34)
    Traceback (most recent call last):
    cyberdeck.errors.OptionError: 1,000,000,000 games take 186.3 GiB of memory, and there are \
16.0: choose 85,899,345 or fewer
    """
    there = memory() if there is None else there
    if count * size > there:
        raise OptionError(
            f"{count:,} {things} take {count * size / _GIB:,.1f} GiB of memory, and there are "
            f"{there / _GIB:,.1f}: choose {there // size:,} or fewer"
        )
