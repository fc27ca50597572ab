"""What was found so far, made from what is right: every format's corpus begins with it.

Among it is a megabyte of whatever might take a reader long. A function that has the name of a door
gives what becomes of the first that is right there.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cyberdeck.replay.checks import MOST
from tests.fuzz.changes import unzipped, zipped

#: A field of a record, its new value, and where it goes in an array.
_Change = tuple[str, Any]

#: Fields of positions that were accepted, and could not be drawn or played on.
STATES: Final[Mapping[str, Sequence[Sequence[_Change]]]] = {
    "hackthegrid": [[("decisions", number)] for number in (20, 31, 32)],
    "stacktrices": [[("last_from", start), ("last_to", 9 - start)] for start in (0, 9)],
    "hovercrafts": [[("lost", 127)]],
}


#: The same of the bookkeeping beside them, in any game: JavaScript took the first and the last.
BESIDE: Final[Sequence[Sequence[_Change]]] = (
    *([("pending", number)] for number in (1e226, float("nan"), -1e9)),
    *([(name, 9)] for name in ("seat", "opponent", "waiting", "opening", "game")),
    [("opening", 1), ("reward", 1)],  # saved again, it was another
)


def lines(line: str, first: str = "") -> bytes:
    """As many as fit into a megabyte, with their numbers in place of %."""
    count = 10**6 // (len(line) + 4)
    return (first + "".join(f"{line}\n".replace("%", str(at)) for at in range(count))).encode()


def replay(right: bytes) -> Iterator[bytes]:
    """A number that is too large, and half a character; as many entries as there is room for."""
    read = json.loads(right)
    long: dict[str, Any] = {"options": {"max_steps": 10**6}}
    for changed in (
        {"result": {**read["result"], "returns": [10**400, 1]}},
        {"title": "\ud800"},
        {**long, "actions": [0] * 480_000},
        {**long, "actions": [0] * MOST},
        {**long, "actions": ["13 of clubs to pile 8"] * 40_000},
        {"game": "a" * 70_000},
        {"players": ["a"] * 240_000},
        {"options": {f"o{at}": 1 for at in range(90_000)}},
        {"result": {"returns": [1] * 400_000, "reason": "x"}},
        {"start": {"state": "A" * 900_000}},
    ):
        yield json.dumps({**read, **changed}, separators=(",", ":")).encode()


def prompts(right: bytes) -> Iterator[bytes]:
    """Many lines, with and without anything in them."""
    yield lines('{"decision":1,"seat":0,"messages":[]}')
    yield b"\n" * 10**6


def journal(right: bytes) -> Iterator[bytes]:
    """Many answers, each under a key of its own."""
    reply = '"text":"","cut_off":false,"prompt_tokens":1,"completion_tokens":1,"seconds":1'
    yield lines(f'{{"key":"%","reply":{{{reply}}}}}')


def policy(right: bytes) -> Iterator[bytes]:
    """Many tensors, axes, features or groups of actions."""
    (length,) = struct.unpack("<Q", right[:8])
    head, weights = json.loads(right[8 : 8 + length]), right[8 + length :]
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [len(weights)] * 2}
    more: dict[str, Any] = {str(at): empty for at in range(12_000)}
    deep = {"0": {**empty, "shape": [0] * 100}}
    features, actions = [["a", [1], 0, 1]] * 50_000, [1] * 300_000
    wide: list[dict[str, Any]] = [{"features": features}, {"actions": actions}]
    for words, tensors in (({}, more), ({}, deep), *((each, {}) for each in wide)):
        told = {name: json.dumps(value) for name, value in words.items()}
        made = {**head, "__metadata__": {**head["__metadata__"], **told}, **tensors}
        text = json.dumps(made).encode()
        yield struct.pack("<Q", len(text)) + text + weights


def checkpoint(right: bytes) -> Iterator[bytes]:
    """Objects in each other."""
    yield b'{"pool":{' * 10**5


def kept(right: bytes) -> Iterator[bytes]:
    """Many decisions."""
    read = json.loads(right[1:])
    read["game"]["actions"] = [0] * 300_000
    yield right[:1] + json.dumps(read).encode()


def config(right: bytes) -> Iterator[bytes]:
    """What names no key, and what PyYAML's constructors raise."""
    for more in (
        *(b"seed: !!float x", b'options: {"\\e[2J": 1}', b'seed: "\\ud800"'),
        *(b"evaluation: {a.b: 1}", b"a[0].b: 1", b"<<: [&m {seed: 1}, *m]"),
        *(b"a: [" + b"b," * 32_000 + b"]", b"a: &a [1]\nb: [" + b"*a," * 20_000 + b"]"),
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


def solved(right: bytes) -> Iterator[bytes]:
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
    yield zipped([(f"{at}.npy", content) for at in range(4_000)])
    for chance in (b"\xff\xff\xff\xff", b"\xff\xff\x7f\x7f", b"\x00\x00\x80\x7f"):
        yield zipped([*others, (name, content[:-8] + 2 * chance)])


def run(right: bytes) -> Iterator[bytes]:
    """Tables without a column that is needed; and files that are long."""
    records = json.dumps({"records": [{}] * 240_000}).encode()
    points = "opponent,player,points,points_low,points_high\n"
    for name, long in (
        *(("run.json", b"[" * 10**6), ("evaluation.json", records), ("untrained.json", records)),
        *(("curves.csv", lines("%", "decisions\n")), ("curves.csv", b"a," * 480_000 + b"\n")),
        ("evaluations.csv", lines("%,a,1,1,1", points)),
    ):
        yield zipped([*{**dict(unzipped(right)), name: long}.items()])
    for column in (b"decisions", b"games", b"points", b"points_low", b"points_high", b"opponent"):
        for old, new in ((b"," + column + b",", b",more,"), (column + b",", b"more,")):
            yield zipped([(name, part.replace(old, new)) for name, part in unzipped(right)])


def note(right: bytes) -> Iterator[bytes]:
    """Libraries that were cut off, and notes that are too long."""
    for length in (0, 1, 80, 120, len(right) - 1):
        yield right[:length]
    yield b"9" * 100_000 + right
    yield b"1 " * 500_000


def wasm(right: bytes) -> Iterator[bytes]:
    """The error repeated what stood there."""
    yield right.replace(b'{"format"', b'{"\x1b[2J\x05format"')


def answer(right: bytes) -> Iterator[bytes]:
    """Words, spaces and suits that are long, beside a letter that is not of ASCII."""
    for long in ("a", "é", " ", "♥", "a ", "a♥", "9 ♥ ", "x", '{"'):
        yield right[:1] + ("é" + long * (100_000 // len(long.encode()))).encode()
