"""Parts of some work in several threads, each with a space of its own to work in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TypeVar

from cyberdeck.engine.threads import together

Space = TypeVar("Space")


def in_parts(
    work: Callable[[Space, int], None],
    parts: Sequence[int],
    spaces: Sequence[Space],
    tell: Callable[[int], None],
) -> None:
    """Do ``work(space, part)`` for each of the parts, with a thread for each space.

    *tell* is called with how many are done, after each. What it or the work raises ends all.
    """
    free: SimpleQueue[Space] = SimpleQueue()
    for space in spaces:
        free.put(space)
    finished = itertools.count(1)

    def do(at: int) -> None:
        space = free.get()
        try:
            work(space, parts[at])
        finally:  # or the next would wait for it for ever
            free.put(space)
        tell(next(finished))

    together(do, len(parts), len(spaces))
