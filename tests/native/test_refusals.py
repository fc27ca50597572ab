"""Arguments that a loop was not compiled for are refused, and never reach it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck.building import loops
from cyberdeck.engine import native
from cyberdeck.engine.arguments import Array, dtypes

LISTS = 20_000

#: What is neither an array, a tuple nor a number.
JUNK = (None, "text", b"bytes", [1, 2], {}, object(), np.int8, 1j, memoryview(b"12"))


class Wrong:
    """Makes arguments wrong in one place each."""

    def __init__(self, seed: int) -> None:
        self.luck = np.random.default_rng(seed)
        self.tried: Counter[str] = Counter()

    def one_of(self, choices: Any) -> Any:
        return choices[self.luck.integers(len(choices))]

    def arguments(self, given: tuple[Any, ...], shapes: tuple[Any, ...]) -> tuple[Any, ...]:
        """*given* with one thing wrong."""
        if self.luck.random() < 0.05:
            self.tried["count"] += 1
            return self.one_of([given[:-1], (*given, given[-1]), ()])
        at = int(self.luck.integers(len(given)))
        letters = Counter(letters_of(shapes))
        return (*given[:at], self.wrong(given[at], shapes[at], letters), *given[at + 1 :])

    def wrong(self, value: Any, shape: Any, letters: Counter[str]) -> Any:
        if isinstance(value, tuple):
            at = int(self.luck.integers(len(value)))
            part = self.wrong(value[at], shape[at], letters)
            self.tried["tuple"] += 1
            others = [value[:-1], (*value, 1), list(value), self.one_of(JUNK)]
            others += [(*value[:at], part, *value[at + 1 :])] * 8
            return self.one_of(others)
        if isinstance(value, np.ndarray):
            kind, array = self.one_of(list(self.wrong_arrays(value, shape, letters)))
            self.tried[kind] += 1
            return array
        self.tried["number"] += 1
        numbers = [2**64, -(2**63) - 1, -1 if isinstance(value, np.uint64) else 1.5, *JUNK]
        return self.one_of([None, "1.5", 1j, [1.0]] if isinstance(value, float) else numbers)

    def wrong_arrays(
        self, array: np.ndarray, shape: Array, letters: Counter[str]
    ) -> Iterator[tuple[str, Any]]:
        yield "junk", self.one_of((*JUNK, 7, array.tolist(), (array,)))
        size = array.dtype.itemsize
        others = {1: "?bBSV", 2: "hH", 4: "iIfU", 8: "qQdmM"}.get(size, "") + "V"
        kinds = [np.dtype(f"V{size}") if each == "V" else np.dtype(each) for each in others]
        kinds = [each for each in kinds if each.itemsize == size and each != array.dtype]
        yield "dtype", np.zeros(array.shape, self.one_of(kinds))
        if size > 1 and array.dtype.names is None:
            yield "byte order", array.astype(array.dtype.newbyteorder())
        yield "dimensions", array[None]
        if array.size:
            yield "dimensions", array[0]
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)[..., ::2]
        for other in (wide, np.asfortranarray(array)):
            if not other.flags.c_contiguous:
                yield "layout", other
        if array.dtype.alignment > 1 and array.size:
            memory = np.zeros(array.nbytes + 1, np.int8)[1:].view(array.dtype)
            yield "alignment", memory.reshape(array.shape)
        for axis, letter in enumerate(shape.lengths):
            if letter.isdigit() or letters[letter] > 1:
                longer = list(array.shape)
                longer[axis] += int(self.luck.integers(1, 4))
                yield "length", np.zeros(longer, array.dtype)


def letters_of(taken: Any) -> str:
    if isinstance(taken, tuple):
        return "".join(map(letters_of, taken))
    return taken.lengths if isinstance(taken, Array) else ""


def sample(taken: Any) -> Any:
    """Something that a loop takes."""
    if isinstance(taken, tuple):
        return tuple(map(sample, taken))
    if isinstance(taken, Array):
        lengths = [int(each) if each.isdigit() else 2 + ord(each) % 3 for each in taken.lengths]
        return np.zeros(lengths, taken.dtype)
    return taken(3)


@pytest.fixture(scope="module")
def called() -> dict[str, tuple[loops.Loop, tuple[Any, ...]]]:
    """Each loop, and arguments that it takes."""
    found = [each for name in cyberdeck.GAMES for each in loops.loops_of(name)]
    return {each.name: (each, sample(each.takes)) for each in found}


def bound(name: str) -> Any:
    library = native.library()
    loop = next(each for each in loops.loops_of(name.partition(".")[0]) if each.name == name)
    return library.bind(name, dtypes(loop.function), library.level)


def test_wrong_arguments_are_refused(called: dict[str, tuple[loops.Loop, tuple[Any, ...]]]) -> None:
    wrong = Wrong(1)
    functions = {name: bound(name) for name in called}
    assert set(functions) == set(native.library().loops)
    names = sorted(called)
    for _ in range(LISTS):
        loop, given = called[wrong.one_of(names)]
        arguments = wrong.arguments(given, loop.takes)
        with pytest.raises(TypeError, match=loop.name):
            functions[loop.name](*arguments)
    assert min(wrong.tried.values()) > 50, wrong.tried


def test_what_is_written_to_must_be_writable() -> None:
    fill = bound("hackthegrid.find_emptiable")
    table = np.zeros((1 << 16, 2, 4), np.int8)
    fill(table)
    assert table.any()
    table.flags.writeable = False
    with pytest.raises(TypeError, match="argument 1: an aligned, C-contiguous, writable"):
        fill(table)


def test_what_is_only_read_need_not_be() -> None:
    core = cyberdeck.Batch("hackthegrid", 3, seed=0).core
    actions = core.choose(0)
    for array in (core.all_rows, actions, core.pool):
        array.flags.writeable = False
    bound("hackthegrid.advance")(
        core.all_rows, actions, core.states, core.rows, core.pool, core.ally_pool, 0,
        core.masks, core._arrays.vectors, core._games[-1],
    )  # fmt: skip


def test_arguments_have_no_names() -> None:
    with pytest.raises(TypeError):
        bound("hackthegrid.find_emptiable")(emptiable=np.zeros((1 << 16, 2, 4), np.int8))


def test_nothing_is_kept_of_what_was_refused() -> None:
    """An array that is held for longer than the call could never be resized again."""
    fill = bound("hackthegrid.find_emptiable")
    table = np.zeros(12, np.int8)
    for _ in range(100):
        with pytest.raises(TypeError):
            fill(table)
    table.resize(24, refcheck=True)
