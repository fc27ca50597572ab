"""Tasks in several threads, each with a space of its own to work in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import TypeVar

Space = TypeVar("Space")
Task = TypeVar("Task")


def in_spaces(
    work: Callable[[Space, Task], None],
    spaces: Sequence[Space],
    tasks: Sequence[Task],
    told: Callable[[int], None],
    interrupt: Callable[[], None],
) -> None:
    """Work on each of *tasks* in one of *spaces* that is free, with a thread for each space.

    *told* is told how many are done, after each. If one fails, or somebody stops all,
    *interrupt* is to end those that are under way.
    """
    free: SimpleQueue[Space] = SimpleQueue()
    for space in spaces:
        free.put(space)

    def take(task: Task) -> None:
        space = free.get()
        try:
            work(space, task)
        finally:  # or the next would wait for it for ever
            free.put(space)

    with ThreadPoolExecutor(len(spaces)) as pool:
        try:
            running = [pool.submit(take, task) for task in tasks]
            for done, each in enumerate(as_completed(running), 1):
                each.result()
                told(done)
        except BaseException:
            interrupt()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
