"""What was found so far, made from what is right: every format's corpus begins with it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tests.fuzz.changes import unzipped, zipped

#: A field of a record, its new value, and where it goes in an array.
_Change = tuple[str, Any]

#: Fields of positions that were accepted, and could not be drawn or played on.
STATES: Final[Mapping[str, Sequence[Sequence[_Change]]]] = {
    "hackthegrid": [[("decisions", number)] for number in (20, 31, 32)],
    "stacktrices": [[("last_from", start), ("last_to", 9 - start)] for start in (0, 9)],
    "hovercrafts": [[("lost", 127)]],
}


#: The same of the bookkeeping beside them, in any game: JavaScript took the first.
BESIDE: Final[Sequence[Sequence[_Change]]] = (
    *([("pending", number)] for number in (1e226, float("nan"), -1e9)),
    *([(name, 9)] for name in ("seat", "opponent", "waiting", "opening", "game")),
)


def replays(right: bytes) -> Iterator[bytes]:
    """A number that is too large, and half a character."""
    read = json.loads(right)
    for changed in (
        {"result": {**read["result"], "returns": [10**400, 1]}},
        {"title": "\ud800"},
    ):
        yield json.dumps({**read, **changed}).encode()


def configurations(right: bytes) -> Iterator[bytes]:
    """What names no key, and what PyYAML's constructors raise."""
    for more in (
        *(b"seed: !!float x", b'options: {"\\e[2J": 1}', b'seed: "\\ud800"'),
        *(b"evaluation: {a.b: 1}", b"a[0].b: 1", b"<<: [&m {seed: 1}, *m]"),
    ):
        yield right + b"\n" + more


def weights(right: bytes) -> Iterator[bytes]:
    """An optimizer's memory that is shorter than its weights, which ended the process; numbers that
    are packed or not finite.
    """
    import numpy as np

    with np.load(io.BytesIO(right)) as file:
        held = {name: file[name] for name in file.files}
    name = next(name for name in held if name.endswith("exp_avg"))
    known = held.pop(name)

    def with_memory(**memory: Any) -> bytes:
        written = io.BytesIO()
        np.savez(written, **held, **memory)
        return written.getvalue()

    for odd in (
        np.zeros(1, known.dtype),
        np.full_like(known, np.inf),
        known.astype(np.float64),
        known[:0],
    ):
        yield with_memory(**{name: odd})
    yield with_memory()
    yield zipped(unzipped(right), zipfile.ZIP_DEFLATED)


def solved_games(right: bytes) -> Iterator[bytes]:
    """Heads of arrays that are no Python, were that of Python 2, or took for ever; odd chances."""
    *others, (name, content) = unzipped(right)
    for old, new in (
        (b"'<f4'", b"]]>"),
        (b",)", b"L,)"),
        (b"False", b"False," + b"(" * 99),
        (b",)", b"," * 9_000 + b"x)"),
        (b",)", b",1" * 9_000 + b"x)"),
    ):
        begin = 10 + int.from_bytes(content[8:10], "little")
        head = content[10:begin].replace(old, new)
        made = content[:8] + len(head).to_bytes(2, "little") + head + content[begin:]
        yield zipped([*others, (name, made)])
    for chance in (b"\xff\xff\xff\xff", b"\xff\xff\x7f\x7f", b"\x00\x00\x80\x7f"):
        yield zipped([*others, (name, content[:-8] + 2 * chance)])


def run_folders(right: bytes) -> Iterator[bytes]:
    """Tables without a column that is needed."""
    for column in (b"decisions", b"games", b"points", b"points_low", b"points_high", b"opponent"):
        for old, new in ((b"," + column + b",", b",more,"), (column + b",", b"more,")):
            yield zipped([(name, part.replace(old, new)) for name, part in unzipped(right)])


def notes(right: bytes) -> Iterator[bytes]:
    """Libraries that were cut off, and notes that are too long."""
    for length in (0, 1, 80, 120, len(right) - 1):
        yield right[:length]
    yield b"9" * 100_000 + right


def wasm(right: bytes) -> Iterator[bytes]:
    """The error repeated what stood there."""
    yield right.replace(b'{"format"', b'{"\x1b[2J\x05format"')


#: For each format, what becomes of the first that is right.
FOUND: Final[Mapping[str, Callable[[bytes], Iterator[bytes]]]] = {
    "replay": replays,
    "config": configurations,
    "weights": weights,
    "solved": solved_games,
    "run": run_folders,
    "note": notes,
    "wasm": wasm,
}
