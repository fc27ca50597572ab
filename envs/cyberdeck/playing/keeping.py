"""Where a table is kept on disk: a small file of the user's own, for each way to start one."""

from __future__ import annotations

import contextlib
import hashlib
import html
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from cyberdeck.common.files import make_folder, put, write_whole
from cyberdeck.common.reading import fault_of_text, from_json, read_bytes
from cyberdeck.engine.contract import is_whole
from cyberdeck.errors import OptionError

#: What such a file begins with: the version of its format.
_MARK: Final = "cyberdeck table"
_FORMAT: Final = 1


def state_folder() -> Path:
    """The user's folder for what programs keep from one start to the next."""
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA")
        return Path(home or Path.home() / "AppData" / "Local") / "cyberdeck"
    home = os.environ.get("XDG_STATE_HOME")
    return Path(home or Path.home() / ".local" / "state") / "cyberdeck"


class Keeper:
    """The file of one table, locked against another process that plays there.

    Args:
        game: its name.
        started: what the table was started with, options and players: whoever starts it
            in the same way finds the same file.
    """

    def __init__(self, game: str, started: Mapping[str, Any]) -> None:
        written = json.dumps(started, sort_keys=True, default=str)
        name = f"{game}-{hashlib.sha256(written.encode()).hexdigest()[:12]}"
        self.path = state_folder() / "tables" / f"{name}.json"
        self._lock = FileLock(self.path.with_suffix(".lock"), mode=0o600, thread_local=False)
        #: Where the table was found last: the same place again is found by a page left open.
        self.address: dict[str, Any] = {}
        #: The game that was kept last.
        self.game: dict[str, Any] | None = None

    def open(self) -> None:
        """Take the file, and read it; ``OptionError`` if another process has it.

        It need not be there, and there need not be room for it: that is told when something is to
        be kept.
        """
        try:
            self._take()
        except Timeout:
            where = self._read().get("address", {}).get("url", "an address of its own")
            raise OptionError(
                f"this game is open already, at {where}: go on there, or stop it with Ctrl-C in "
                "the terminal where it was started"
            ) from None
        except OSError:
            pass
        read = self._read()
        self.address, self.game = read.get("address", {}), read.get("game")

    def _take(self) -> None:
        """Have the file for oneself."""
        make_folder(self.path.parent, mode=0o700)
        if not self._lock.is_locked:
            self._lock.acquire(timeout=0)

    def close(self) -> None:
        """Leave it to others."""
        self._lock.release()

    def keep_address(self, address: dict[str, Any]) -> None:
        """Keep where the table is found."""
        self.address = address
        self._write()

    def keep_game(self, game: dict[str, Any]) -> None:
        """Keep a game: it is on the disk when this returns."""
        self.game = game
        self._write()

    def put_aside(self) -> Path:
        """Keep what cannot be gone on with under another name, which is returned."""
        aside = self.path.with_suffix(".old.json")
        put(self.path, aside)
        self.game = None
        return aside

    @contextlib.contextmanager
    def leading_to(self, url: str) -> Iterator[Path]:
        """A page that leads to *url*, while it is needed: what a browser is started with, all users
        of the machine can see; what is in this file, its owner alone.
        """
        page = self.path.with_suffix(".html")
        to = html.escape(f"0; url={url}")
        try:
            self._write_own(page, f'<!doctype html><meta http-equiv="refresh" content="{to}">')
            yield page
        finally:
            page.unlink(missing_ok=True)

    def _write(self) -> None:
        content = {_MARK: _FORMAT, "address": self.address, "game": self.game}
        self._write_own(self.path, json.dumps(content))

    def _write_own(self, path: Path, content: str) -> None:
        """A file that the user alone can read."""
        self._take()
        old = os.umask(0o077) if os.name == "posix" else None
        try:
            write_whole(path, content)
        finally:
            if old is not None:
                os.umask(old)

    def _read(self) -> dict[str, Any]:
        """What stands in the file; nothing if there is none, or none of this kind."""
        try:
            read = from_json(read_bytes(self.path))
        except (OSError, ValueError):
            return {}
        if not isinstance(read, dict) or read.get(_MARK) != _FORMAT:
            return {}
        address, game = read.get("address"), read.get("game")
        return {
            "address": address if _is_address(address) else {},
            "game": game if isinstance(game, dict) else None,
        }


def _is_address(read: Any) -> bool:
    """Whether that is what ``keep_address`` was given: all of it, or nothing."""
    if not isinstance(read, dict) or not is_whole(read.get("port", 0)):
        return False
    words = (read.get(name, "") for name in ("key", "url"))
    if not all(isinstance(each, str) and not fault_of_text(each) for each in words):
        return False
    return 0 <= read.get("port", 0) < 2**16 and set(read) <= {"port", "key", "url"}
