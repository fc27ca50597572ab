"""Somebody thinks while a page waits: how far that is, and whether anybody still wants to know."""

from __future__ import annotations

import threading
import time
from typing import Any, Final

#: Seconds for a decision of one who is hurried.
_HURRIED: Final = 1.0


class GivenUp(Exception):
    """Nobody waits for a review any more."""


class Thinking:
    """One of the others decides, or a game is reviewed; *hurried*: in a second."""

    def __init__(self, hurried: bool = False) -> None:
        self._began, self._hurried = time.monotonic(), hurried
        #: How much is done, from 0 to 1, if whoever thinks says that: then it can be hurried.
        self._share: float | None = None
        self.enough = threading.Event()
        self.over = threading.Event()

    def watch(self, share: float) -> bool:
        """Hear how much is done; whether to go on."""
        self._share = share
        late = self._hurried and time.monotonic() - self._began > _HURRIED
        return not (late or self.enough.is_set())

    def hear(self, share: float) -> None:
        """The same for work that is of no use before it is done."""
        if not self.watch(share):
            raise GivenUp

    def shown(self) -> dict[str, Any]:
        """The same for a page."""
        return {"seconds": round(time.monotonic() - self._began, 1), "share": self._share}
