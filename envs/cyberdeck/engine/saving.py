"""Saved states: bytes that say whose they are, and that are checked before a bit of them is used.

magic, version | game, layout of its record and of the bookkeeping | bookkeeping | record | digest
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


@functools.cache
def _layout(game: Game, row: np.dtype[Any]) -> bytes:
    described = f"{game.name} {game.dtype.descr} {row.descr}".encode()
    return hashlib.blake2b(described, digest_size=_DIGEST).digest()


def _label(game: Game) -> bytes:
    return game.name.encode() + b"\n"


def heading(game: Game, row: np.dtype[Any]) -> bytes:
    """What stands before the bookkeeping and the record of a saved state."""
    return _MAGIC + _label(game) + _layout(game, row)


def pack(game: Game, row: NDArray[Any], record: NDArray[Any]) -> bytes:
    """Bytes of one game and its row of bookkeeping (arrays of one)."""
    body = heading(game, row.dtype) + row.tobytes() + record.tobytes()
    return body + hashlib.blake2b(body, digest_size=_DIGEST).digest()


def unpack(game: Game, row: np.dtype[Any], saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bookkeeping and the record in *saved*; raises ``StateError`` and touches nothing else.

    The caller still has to check that the record is a possible position (``Kernels.sound``).
    """
    if not isinstance(saved, (bytes, bytearray, memoryview)):
        raise StateError(
            f"a saved state is bytes, as get_state() gives, not {type(saved).__name__}"
        )
    saved = bytes(saved)
    if not saved.startswith(_MAGIC):
        raise StateError("these bytes are no state of this version of cyberdeck")
    label = saved[len(_MAGIC) : saved.find(b"\n", len(_MAGIC)) + 1]
    if label != _label(game):
        other = label.decode(errors="replace").strip()
        raise StateError(f"this is a state of {other!r}, not of {game.name!r}")
    body, digest = saved[:-_DIGEST], saved[-_DIGEST:]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
        raise StateError("the saved state is damaged: its digest does not fit its content")
    at = len(_MAGIC) + len(label)
    content = body[at + _DIGEST :]
    known = body[at : at + _DIGEST] == _layout(game, row)
    if not known or len(content) != row.itemsize + game.dtype.itemsize:
        raise StateError(
            f"this state of {game.title} was saved by a version with another record layout"
        )
    return (
        np.frombuffer(content[: row.itemsize], row).copy(),
        np.frombuffer(content[row.itemsize :], game.dtype).copy(),
    )
