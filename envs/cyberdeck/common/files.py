"""Files that are there whole or not at all, whatever happens while they are written.

Neither a process that is killed, nor a full disk, nor a power cut leaves half of one. All that the
suite writes goes through here, but for files that grow by lines.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

#: What the name of a file ends with while it is being written. The suite's own: what it finds of
#: that name, it may remove.
PARTLY: Final = ".cyberdeck-part"


#: What a disk says that has no such thing for folders, or for this user.
_NO_FOLDERS: Final = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file beside its place, and put it there when it is whole; text as UTF-8.

    When this returns, the file is on the disk. If it fails, the place holds what it held before,
    and the ``OSError`` names the file. A pipe or a device such as ``/dev/stdout`` is no file that
    another could take the place of: it is written to.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/note.txt", "hello")
    ...     Path(folder, "note.txt").read_text()
    'hello'
    """
    path = Path(path)
    content = content.encode() if isinstance(content, str) else content
    partly = path.with_name(path.name + PARTLY)
    with naming(path):
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        try:
            with partly.open("wb") as file:
                file.write(content)
                sync(file)
            put(partly, path)
        except BaseException:
            with contextlib.suppress(OSError):
                partly.unlink(missing_ok=True)
            raise


def put(made: Path, place: Path) -> None:
    """Give a file or folder that is on the disk the name *place*, also after a power cut."""
    os.replace(made, place)
    sync_folder(place.parent)


def sync(file: IO[Any]) -> None:
    """Have all that was written to a file on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Have on the disk which files are in a folder."""
    if os.name != "posix":
        return  # Windows opens no folders, and keeps their entries by itself
    try:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError as error:
        if error.errno not in _NO_FOLDERS:
            raise


def make_folder(folder: Path, mode: int = 0o777, exist_ok: bool = True) -> None:
    """Make a folder, and those above it, so that what is put there is found after a power cut."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(mode, parents=True, exist_ok=exist_ok)
    with naming(folder):
        for each in reversed(new):
            sync_folder(each.parent)


def remove_leftovers(folder: Path) -> None:
    """Remove what a process that was killed has left half written in a folder or below it.

    Nobody may be writing there now.
    """
    for path in list(folder.rglob(f"*{PARTLY}")):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """An ``OSError`` says that it was this file: that of a full disk does not by itself."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:  # or it is told by its own words alone
            error.filename = os.fspath(path)
        raise


def write_csv(
    path: str | os.PathLike[str], head: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Write a table as a file of comma-separated values."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(head)
    writer.writerows(rows)
    write_whole(path, written.getvalue())
