"""What code does besides computing and reading files, as Python itself tells."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

from cyberdeck.common.consent import Effect
from cyberdeck.common.folders import own_folder

_STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn")
_CONNECTED = ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo")
_CHANGED = (
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.truncate",
    "os.link",
    "os.symlink",
)
_EVENTS: Final = {
    **dict.fromkeys(_STARTED, Effect.CODE),
    **dict.fromkeys(_CONNECTED, Effect.NETWORK),
    **dict.fromkeys(_CHANGED, Effect.WRITES),
}
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Where code lies that is trusted: Python's, its packages' and this repository's.
_OWN: Final = ("<", sys.prefix, sys.base_prefix, str(Path(__file__).parents[1]))

#: Variables that configure the suite and what it is built on.
_SET_BY: Final = ("CYBERDECK_", "NUMBA_", "XDG_", "PYTHON", "HOME", "TMPDIR", "LC_", "LANG", "OMP_")

_here = threading.local()


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    found: list[tuple[Effect, str]] | None = getattr(_here, "found", None)
    if found is None:
        return
    effect, told = _EVENTS.get(event), repr(arguments)
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING:
        effect = Effect.WRITES
    foreign = event == "exec" and not arguments[0].co_filename.startswith(_OWN)
    if foreign or (event == "pickle.find_class" and not _loads_compiled_code()):
        effect = Effect.CODE
    if effect is Effect.WRITES and _may_change(str(arguments[0])):
        return
    if effect is not None:
        found.append((effect, f"{event} {told}"))


def _may_change(path: str) -> bool:
    """Whether it lies in one of the folders; a whole one is removed by names relative to it."""
    return path.startswith(_here.writes) or not os.path.isabs(path)


def _loads_compiled_code() -> bool:
    frame = sys._getframe(1)
    while frame is not None and "numba/core/caching" not in frame.f_code.co_filename:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


sys.addaudithook(_listen)


class _Environment(dict[str, str]):
    """The environment's variables; which of them are read is noted."""

    def __getitem__(self, name: str) -> str:
        if not name.startswith(_SET_BY):
            _here.found.append((Effect.ENVIRONMENT, name))
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401  # it is that


@contextmanager
def reached(*folders: Path) -> Iterator[list[tuple[Effect, str]]]:
    """What this thread does in here; it may write into *folders*, and keep compiled code."""
    kept = own_folder(".")
    _here.writes = tuple(map(str, filter(None, (*folders, kept))))
    _here.found = found = []
    try:
        with mock.patch.object(os, "environ", _Environment(os.environ)):
            yield found
    finally:
        del _here.found
