"""Consent: what is named by a text may do more than decide, and needs the user's yes for that.

A player, or a game's file, declares its *effects*: what it does besides. Whoever names things
without being the user, such as a configuration or a web page, is a *source*: what the text in it
names is refused if it has effects, unless the user has named it too, or says yes. What the user's
own commands and programs name needs no yes.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from cyberdeck.common.folders import own_folder
from cyberdeck.common.reading import read_bytes
from cyberdeck.common.text import tell
from cyberdeck.errors import ConsentError, OptionError


class Effect(StrEnum):
    """A side effect of a player or game; the value is how the user is told."""

    CODE = "runs code"
    NETWORK = "opens connections"
    ENVIRONMENT = "reads environment variables"
    WRITES = "writes files"


#: Where what the user has agreed to is noted.
_FOLDER: Final = "agreed"


@dataclass(frozen=True)
class _Source:
    by: str
    instead: Mapping[str, str]
    named: Collection[str]
    asks: bool


_source: ContextVar[_Source | None] = ContextVar("source", default=None)


@contextmanager
def named_by(
    by: str, instead: Mapping[str, str], named: Collection[str] = (), *, asks: bool = False
) -> Iterator[None]:
    """Inside, whatever is looked up by a text counts as named by *by*, not by the user.

    Args:
        by: as an error calls it, such as the name of a file.
        instead: for each kind (``game``, ``player``), what the user can do about a refusal.
        named: texts that the user has named too.
        asks: whether the user can be asked in a terminal, and what was agreed to is remembered.
    """
    with _set(_Source(by, instead, named, asks)):
        yield


def agreed() -> AbstractContextManager[None]:
    """Inside, what is looked up counts as the user's: who has agreed to what names it."""
    return _set(None)


@contextmanager
def _set(source: _Source | None) -> Iterator[None]:
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


def need(kind: str, text: str, effects: Collection[Effect], files: Collection[Path] = ()) -> None:
    """``ConsentError`` if what is named *text* has effects that the user has not agreed to.

    *files* are what it is made of: if one changes, it has to be agreed to again.

    >>> need("player", "chat:url=http://localhost,model=m", [Effect.NETWORK])
    >>> with named_by("c.yaml", {"player": "name it yourself"}):
    ...     need("player", "chat:url=http://localhost,model=m", [Effect.NETWORK])
    Traceback (most recent call last):
    cyberdeck.errors.ConsentError: c.yaml names the player 'chat:url=http://localhost,model=m', \
which opens connections; you have not agreed to it as it is now: if you trust it, name it yourself
    """
    source = _source.get()
    if source is None or not effects:
        return
    note = None
    if source.asks and (folder := own_folder(_FOLDER)) is not None:
        note = folder / _digest(kind, text, *sorted(effects), *(_content(each) for each in files))
    if note is not None and note.exists():
        return
    told = f"{source.by} names the {kind} {text!r}, which {_listed([*effects])}"
    if text in source.named or (source.asks and _says_yes(told)):
        if note is not None:
            with suppress(OSError):  # then it is asked again
                note.touch()
        return
    raise ConsentError(
        f"{told}; you have not agreed to it as it is now: if you trust it, {source.instead[kind]}"
    )


def _digest(*parts: str | bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode()
        found.update(b"%d %b" % (len(content), content))
    return found.hexdigest()


def _content(file: Path) -> bytes:
    try:
        return read_bytes(file) if file.is_file() else b""
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {error.strerror}") from None


def _listed(effects: list[Effect]) -> str:
    *first, last = effects
    return f"{', '.join(first)} and {last}" if first else last


def _says_yes(told: str) -> bool:
    """True if the user is there and agrees."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    tell(f"{told}. Allow that? [y/N] ", sys.stderr, end="")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
