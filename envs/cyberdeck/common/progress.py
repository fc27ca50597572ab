"""A progress bar on the terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TypeAlias

TICK = 1.0  # seconds after which a bar shows its time again

#: Called with how much has been done.
Progress: TypeAlias = Callable[[int], None]


def further(progress: Progress | None, done: int) -> Progress | None:
    """*progress* for what comes when so much is done already."""
    return None if progress is None else lambda more: progress(done + more)


@contextmanager
def bar(total: int | None, unit: str, share: bool = False) -> Iterator[Progress | None]:
    """A function to call with how many are done, of *total* if that is known; None where errors do
    not go to a terminal. Its time goes on while nothing is done. With *share*, only the percentage
    is shown.
    """
    if not sys.stderr.isatty() or find_spec("tqdm") is None:
        yield None
        return
    from tqdm import tqdm

    form, delay = None, 0.0
    if share:  # and before something is done, which is soon, there may be something to say
        form, delay = f"{unit} {{percentage:3.0f}}%|{{bar}}| [{{elapsed}}<{{remaining}}]", 1e-9
    with tqdm(total=total, unit=f" {unit}", leave=False, bar_format=form, delay=delay) as shown:
        over = threading.Event()

        def tick() -> None:
            while not over.wait(TICK):
                shown.refresh()

        def advance(done: int) -> None:
            shown.update(done - shown.n)

        threading.Thread(target=tick, daemon=True).start()
        try:
            yield advance
        finally:
            over.set()
