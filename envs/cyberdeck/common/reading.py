"""Reading what others made: no file or text costs more than it should, whatever stands in it.

What is wrong is an ``OSError`` or a ``ValueError`` in words: callers put it into theirs, and show
values by ``cyberdeck.common.text.quoted``. No NumPy is needed.
"""

from __future__ import annotations

import errno
import json
import math
import numbers
import os
import re
import stat
from collections.abc import Iterator
from typing import IO, Any, Final

from cyberdeck.common.whole import is_whole

#: How many bytes of a file are read, unless its kind needs more.
MOST: Final = 1 << 24

#: How deep lists and mappings may lie in each other.
DEEPEST: Final = 32

#: How long a name or title may be, and a text of several lines.
LONGEST_NAME: Final = 1_000
LONGEST_TEXT: Final = 100_000

#: How many digits a whole number of JSON may have: generators' have 39.
MOST_DIGITS: Final = 100

#: The largest of what others have counted: up to here floats hold whole numbers as they are.
MOST_COUNTED: Final = 2**53

#: What may be a number that has too many.
_LONG: Final = re.compile(rf"\d{{{MOST_DIGITS + 1}}}")

#: What writes half of a character in JSON. Most stand beside their other half.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")

#: What a text may not hold: it would rule the terminal, turn the text around, or be no Unicode.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# --- files ---------------------------------------------------------------------------------------


def opened(path: str | os.PathLike[str], most: int = MOST) -> IO[bytes]:
    """A file for reading: ``OSError`` if it is none, such as a pipe, or longer than *most*."""
    # Without O_NONBLOCK a pipe would be waited for.
    file = open(path, "rb", opener=lambda name, how: os.open(name, how | _AT_ONCE))  # noqa: SIM115
    about = os.fstat(file.fileno())
    wrong = ""
    if not stat.S_ISREG(about.st_mode):
        wrong = "it is not a regular file"
    elif about.st_size > most:
        wrong = f"it has {about.st_size:,} bytes, and at most {most:,} are read"
    if wrong:
        file.close()
        raise OSError(errno.EINVAL, wrong, os.fspath(path))
    return file


_AT_ONCE: Final[int] = getattr(os, "O_NONBLOCK", 0)


def read_bytes(path: str | os.PathLike[str], most: int = MOST) -> bytes:
    """The bytes of a file.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "note.txt").write_text("hello")
    ...     read_bytes(f"{folder}/note.txt")
    b'hello'
    """
    with opened(path, most) as file:
        # Room is made for as much as is asked for. What is still written to may have grown.
        return file.read(min(os.fstat(file.fileno()).st_size, most))


# --- JSON ----------------------------------------------------------------------------------------


def from_json(content: bytes | str) -> Any:
    """The values of a JSON text, or ``ValueError``.

    >>> from_json('{"players": ["ada", "ben"]}')
    {'players': ['ada', 'ben']}
    """
    if isinstance(content, bytes):
        content = content.decode(json.detect_encoding(content))
    try:
        value = json.loads(content)
        if _deeper(value, DEEPEST):
            raise RecursionError
    except RecursionError:
        raise ValueError(f"more than {DEEPEST} lists lie in each other") from None
    if _HALF.search(content):
        for text in texts(value):
            text.encode()  # half a character is a ValueError
    if _LONG.search(content) and any(abs(each) >= 10**MOST_DIGITS for each in _wholes(value)):
        raise ValueError(f"a number has more than {MOST_DIGITS} digits")
    return value


def _deeper(value: Any, depth: int) -> bool:
    """True if more than *depth* lists and mappings lie in each other."""
    level = [value]
    for _ in range(depth):
        level = [
            inner
            for outer in level
            if isinstance(outer, (list, dict))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(inner, (list, dict)) for inner in level)


def texts(value: Any) -> Iterator[str]:
    """All texts in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def _wholes(value: Any) -> Iterator[int]:
    """All whole numbers in it."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _wholes(inner)


# --- values --------------------------------------------------------------------------------------


def fault_of_text(text: str, most: int = LONGEST_NAME, lines: bool = False) -> str:
    r"""The reason why a text cannot be shown as it is, or "". *lines*: it may have several.

    >>> fault_of_text("Zoë"), fault_of_text("a\x1b[2J"), fault_of_text("abc", most=2)
    ('', "it holds '\\x1b', which cannot be shown", 'it has 3 characters, and at most 2 are read')
    """
    if len(text) > most:
        return f"it has {len(text):,} characters, and at most {most:,} are read"
    found = _CONTROL.search(text.translate(_SPACES) if lines else text)
    return f"it holds {found[0]!r}, which cannot be shown" if found else ""


_SPACES: Final = {ord(each): " " for each in "\n\r\t"}


def whole(value: Any, least: int = 0, most: int = MOST_COUNTED) -> int:
    """A whole number, also one of NumPy's; ``ValueError`` if it is none, or out of bounds.

    >>> whole(3)
    3
    """
    if not is_whole(value) or not least <= value <= most:
        raise ValueError(f"it must be a whole number from {least} to {most}")
    return int(value)


def finite(value: Any) -> float:
    """A number, also one of NumPy's, as a float; ``ValueError`` if it is none, or not finite.

    >>> finite(3)
    3.0
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"{type(value).__name__} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("the number is not finite")
    return number
