"""A progress bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def bar(total: int | None, unit: str) -> Iterator[Callable[[int], None] | None]:
    """What to call with how many are done, of *total* if that is known; None where errors do not go
    to a terminal.
    """
    if not sys.stderr.isatty() or find_spec("tqdm") is None:
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", leave=False) as shown:

        def advance(done: int) -> None:
            shown.update(done - shown.n)

        yield advance
