"""Saved states: bytes that say whose they are and what lies where, and that are checked first.

magic | game | digest of the layouts of bookkeeping and record   (a line of text each)
the bookkeeping | the record | a digest of it all

A state is read where the layouts are the same to the byte: by the same version of a game, or by one
whose record has not changed.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game
from cyberdeck.errors import StateError

_MAGIC = b"cyberdeck 1\n"
_DIGEST = 16

#: No name of a game is longer, in bytes.
_LONGEST_NAME = 2**8


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def layout(dtype: np.dtype[Any]) -> str:
    """A record's layout as a line of text.

    >>> layout(np.dtype([("dice", np.uint64), ("board", np.int8, (7, 7))]))
    'dice:u8 board:i1:7,7'
    """
    fields = []
    for name in dtype.names or ():
        kind, shape = dtype[name].base.str[1:], ",".join(map(str, dtype[name].shape))
        fields.append(f"{name}:{kind}:{shape}" if shape else f"{name}:{kind}")
    return " ".join(fields)


@functools.cache
def heading(game: Game, row: np.dtype[Any]) -> bytes:
    """What stands before the bookkeeping and the record of a saved state."""
    layouts = _hash(f"{layout(row)}\n{layout(game.dtype)}".encode()).hex()
    return _MAGIC + f"{game.name}\n{layouts}\n".encode()


def pack(game: Game, row: NDArray[Any], record: NDArray[Any]) -> bytes:
    """Bytes of one game and its row of bookkeeping (arrays of one)."""
    body = heading(game, row.dtype) + row.tobytes() + record.tobytes()
    return body + _hash(body)


def unpack(game: Game, row: np.dtype[Any], saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bookkeeping and the record in *saved*; raises ``StateError`` and touches nothing else.

    The caller still has to check that the record is a possible position (``checked_position``).
    """
    if not isinstance(saved, (bytes, bytearray, memoryview)):
        raise StateError(
            f"a saved state is bytes, as get_state() gives, not {type(saved).__name__}"
        )
    saved = bytes(saved)
    body, digest = saved[:-_DIGEST], saved[-_DIGEST:]
    own = heading(game, row)
    if not body.startswith(own):
        _refuse(game, body)
    if _hash(body) != digest:
        raise StateError("the saved state is damaged: its digest does not fit its content")
    content = body[len(own) :]
    if len(content) != row.itemsize + game.dtype.itemsize:
        raise StateError("the saved state is damaged: it is not as long as its layout says")
    bookkeeping = np.frombuffer(content[: row.itemsize], row)
    return bookkeeping.copy(), np.frombuffer(content[row.itemsize :], game.dtype).copy()


def _refuse(game: Game, body: bytes) -> None:
    """``StateError`` for bytes that do not begin as states of the game do."""
    if not body.startswith(_MAGIC):
        raise StateError("these bytes are no state that this version of cyberdeck can read")
    name = body[len(_MAGIC) :][:_LONGEST_NAME].partition(b"\n")[0]
    if name != game.name.encode():
        other = name[:40].decode(errors="replace")
        raise StateError(f"this is a state of {other!r}, not of {game.name!r}")
    raise StateError(
        f"this state of {game.title} was saved with another record: by another version of the "
        "game, or where observation='history' keeps the past in it and here it does not, or the "
        "other way round: read it with what it was saved with"
    )
