"""Reading archives of arrays that others made: no more comes out of one than lies in it.

What is wrong is an ``OSError`` or a ``ValueError`` in words, as in ``cyberdeck.common.reading``.
"""

from __future__ import annotations

import math
import os
import re
import zipfile
from collections.abc import Mapping
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.reading import opened

#: What reading a damaged archive may raise besides.
_DAMAGED: Final = (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, KeyError)

#: How an array of numbers begins in NumPy's format: its version, and what it is.
_ARRAY: Final = np.lib.format.magic(1, 0)
_HEAD = re.compile(
    rb"\{'descr': '(\|[biu]1|[<>](?:[iu][248]|f[248]))', 'fortran_order': False, "
    rb"'shape': \(([\d, ]*)\), \} *\n"
)
_LENGTH = re.compile(rb"\d{1,18}")

#: The parts of an archive.
_MOST_PARTS: Final = 10_000


def check_stored(file: IO[bytes]) -> None:
    """``ValueError`` unless it is a zip archive whose parts lie in it as they are, each once.

    What is read of it is then no longer than the file, whoever wrote it.
    """
    size = file.seek(0, os.SEEK_END)
    try:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
    except _DAMAGED as error:
        raise ValueError(str(error) or type(error).__name__) from None
    finally:
        file.seek(0)
    if len(parts) > _MOST_PARTS or len({part.filename for part in parts}) < len(parts):
        raise ValueError("it has too many parts, or some twice")
    stored = all(part.compress_type == zipfile.ZIP_STORED for part in parts)
    if not stored or sum(part.file_size for part in parts) > size:
        raise ValueError("a part of it is compressed, or longer than the file")


def arrays(path: str | os.PathLike[str], most: int) -> Mapping[str, NDArray[Any]]:
    """The arrays of an uncompressed ``.npz`` file: numbers alone, and none that is not there."""
    found = {}
    with opened(path, most) as file:
        check_stored(file)
        try:
            with zipfile.ZipFile(file) as archive:
                for part in archive.infolist():
                    name = part.filename.removesuffix(".npy")
                    found[name] = _array(name, archive.open(part))
        except _DAMAGED as error:
            raise ValueError(str(error) or type(error).__name__) from None
    return found


def _array(name: str, part: IO[bytes]) -> NDArray[Any]:
    with part:
        begin = part.read(len(_ARRAY) + 2)
        head = part.read(int.from_bytes(begin[-2:], "little"))
        content = part.read()
    found = _HEAD.fullmatch(head)
    if begin[:-2] != _ARRAY or found is None:
        raise ValueError(f"{name} is no array of numbers as NumPy writes it")
    dtype, shape = np.dtype(found[1].decode()), tuple(map(int, _LENGTH.findall(found[2])))
    if math.prod(shape) * dtype.itemsize != len(content):
        raise ValueError(f"{name} is not as long as it says")
    return np.frombuffer(bytearray(content), dtype).reshape(shape)
