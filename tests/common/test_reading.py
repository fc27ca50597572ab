"""Files, JSON, texts, numbers and archives of others are bounded before they are used."""

from __future__ import annotations

import io
import math
import os
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck.common import archives, reading
from cyberdeck.common.text import printable, quoted


def test_what_is_no_file_or_too_long_is_not_read(tmp_path: Path) -> None:
    """Room is made for what is there alone; a pipe is not waited for."""
    path, pipe = tmp_path / "file", tmp_path / "pipe"
    path.write_bytes(bytes(100))
    tracemalloc.start()
    assert reading.read_bytes(path, 2**28) == reading.read_bytes(path, 100) == bytes(100)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**20
    with pytest.raises(OSError, match="100 bytes, and at most 99 are read"):
        reading.read_bytes(path, 99)
    with pytest.raises(OSError, match=r"regular|directory|denied"):
        reading.read_bytes(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
        with pytest.raises(OSError, match="not a regular file"):
            reading.read_bytes(pipe)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"[" * 100_000, "more than 32 lists"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "more than 32 lists"),
        (b'"\\ud800"', "surrogates not allowed"),
        (b'"\xed\xa0\x80"', "can't decode"),
        (b"1" * 5000, "4300"),
        (b'{"a": [-1' + b"0" * 100 + b"]}", "more than 100 digits"),
    ],
)
def test_json_that_is_refused(content: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        reading.from_json(content)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"[" * 32 + b"]" * 32, None),
        (b'"\\ud83c\\udfb2"', "\N{GAME DIE}"),
        ('{"Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}": 1}', {"Zo\xeb": 1}),
        ("\ufeff[1]".encode(), [1]),
        (f'["{"1" * 101}", 1e{"0" * 101}, {"9" * 100}]', ["1" * 101, 1.0, 10**100 - 1]),
        ("[1]".encode("utf-16"), [1]),
    ],
)
def test_json_that_is_read(content: bytes | str, value: Any) -> None:
    found = reading.from_json(content)
    assert value is None or found == value


@pytest.mark.parametrize("text", ["\x1b]0;x\x07", "\u202eabc", "\ud800", "a\nb"])
def test_texts_that_would_rule_the_terminal(text: str) -> None:
    fault = reading.fault_of_text(text)
    assert fault.isprintable()
    assert "cannot be shown" in fault
    assert printable(text).isprintable()
    assert quoted(text).isprintable()


def test_a_text_of_several_lines_may_have_them() -> None:
    assert not reading.fault_of_text("a\r\n\tb", lines=True)
    assert reading.fault_of_text("a\n\x1b", lines=True)
    assert reading.fault_of_text("a" * 1001).startswith("it has 1,001 characters")


@pytest.mark.parametrize("value", [10**400, math.nan, "1", True])
def test_what_is_no_finite_number(value: Any) -> None:
    with pytest.raises(ValueError, match="number"):
        reading.finite(value)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, -1, 2**53 + 1, 10**4298])
def test_what_nobody_has_counted(value: Any) -> None:
    with pytest.raises(ValueError, match="a whole number from 0 to 9007199254740992"):
        reading.whole(value)


def zipped(parts: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", kind) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return written.getvalue()


def npy(header: str, content: bytes = b"") -> bytes:
    words = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(words).to_bytes(2, "little") + words + content


def shaped(shape: str, kind: str = "<f4") -> str:
    return f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"PK", "not a zip file"),
        (zipped({"a.npy": bytes(10**6)}, zipfile.ZIP_DEFLATED), "compressed"),
        (zipped({"a.npy": b"x"}), "no array of numbers"),
        (zipped({"a.npy": npy(shaped(f"({10**12},)"))}), "not as long as it says"),
        (zipped({"a.npy": npy(shaped("(-1, -4)"), bytes(16))}), "."),
        (zipped({"a.npy": npy(shaped("(1,)", "|O"), b"cos\nsystem\n.")}), "no array of numbers"),
    ],
)
def test_archives_that_are_refused(content: bytes, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=complaint):
        archives.arrays(path, 2**20)


def test_arrays_are_read_as_they_were_written(tmp_path: Path) -> None:
    written: dict[str, Any] = {
        "a": np.arange(6).reshape(2, 3),
        "b": np.array([True, False]),
        "c": np.zeros((0, 2)),
    }
    np.savez(tmp_path / "a.npz", **written)
    found = archives.arrays(tmp_path / "a.npz", 2**20)
    assert list(found) == list(written)
    for name, array in written.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    found["a"][0, 0] = 7


BOMBS: list[Any] = [
    pytest.param(lambda: b"[" + b"[]," * 333_000 + b"1]", marks=pytest.mark.slow),
    lambda: b"[" + b'"\\ud83c\\udfb2",' * 70_000 + b"1]",
    lambda: b'"' + b"\\u0041" * 160_000 + b'"',
    lambda: b"[" + (b"9" * 4299 + b",") * 230 + b"1]",
    lambda: b"{" + b",".join(b'"%d":{}' % at for at in range(90_000)) + b"}",
]


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_megabyte_takes_no_second_and_no_200_megabytes(bomb: Callable[[], bytes]) -> None:
    content = bomb()
    for _ in range(3):  # not once, as where much else is to be collected as garbage
        began = time.process_time()
        with suppress(ValueError):
            reading.from_json(content)
        if (took := time.process_time() - began) < 1:
            break
    assert took < 1
    tracemalloc.start()
    with suppress(ValueError):
        reading.from_json(content)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 200e6
