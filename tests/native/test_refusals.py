"""Arguments that a loop was not compiled for are refused, and never reach it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck.building import loops
from cyberdeck.engine import native
from cyberdeck.engine.arguments import Array, Index, dtypes, zeros

#: What is neither an array, a tuple nor a number.
JUNK = (None, "text", b"bytes", [1, 2], {}, object(), np.int8, 1j, memoryview(b"12"))


def letters_of(taken: Any) -> str:
    if isinstance(taken, tuple):
        return "".join(map(letters_of, taken))
    return taken.lengths if isinstance(taken, Array) else ""


def sample(taken: Any, lengths: Mapping[str, int]) -> Any:
    """Something that a loop takes."""
    if isinstance(taken, tuple):
        return tuple(sample(each, lengths) for each in taken)
    if isinstance(taken, Array):
        return zeros([taken], **lengths)[0]
    return 0 if isinstance(taken, Index) else taken(3)


@pytest.fixture(scope="module")
def called() -> dict[str, tuple[loops.Loop, tuple[Any, ...]]]:
    """Each loop, and arguments that it takes."""
    found = [each for name in cyberdeck.GAMES for each in loops.loops_of(name)]
    return {each.name: (each, sample(each.takes, some_lengths(each))) for each in found}


#: What may be as long as it likes: games side by side, those of them that are meant, players to
#: draw from, positions to redraw, words to hash, a line of moves; and rooms that their loops use as
#: far as they go.
FREE = "NWPQKELT"


def known_of(loop: loops.Loop) -> dict[str, int]:
    """The lengths that a loop is bound with, where it is used."""
    own = vars(loop.function)["lengths"]
    if own:
        return {letter: own[letter] for letter in own if letter in letters_of(loop.takes)}
    chosen = cyberdeck.variant(loop.label)
    lengths = {**chosen.lengths, "S": chosen.seats, "V": chosen.seats, "H": 16, "R": 7}
    return {letter: each for letter, each in lengths.items() if letter in letters_of(loop.takes)}


def some_lengths(loop: loops.Loop) -> dict[str, int]:
    """A length for each letter."""
    return {letter: 2 + ord(letter) % 3 for letter in letters_of(loop.takes) if letter.isalpha()}


def bound(name: str) -> Any:
    library = native.library()
    loop = next(each for each in loops.loops_of(name.partition(".")[0]) if each.name == name)
    return library.bind(name, dtypes(loop.function), library.level)


def fitted(loop: loops.Loop) -> Any:
    """As the package binds it, for the game with its default options."""
    library = native.library()
    made = library.bind(loop.name, dtypes(loop.function), library.level)
    native._came_from[made] = library
    return native.fitted(made, **known_of(loop))


class Lying(np.ndarray):
    """Of a class that says another dtype than that of its memory."""

    told: Any

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        return self.told


class Equal:
    """Equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def lying(array: np.ndarray, told: Any) -> Lying:
    made = array.view(Lying)
    made.told = told
    return made


def each_wrong(array: np.ndarray, shape: Array, known: str) -> Iterator[tuple[str, Any]]:
    """*array* with each of its properties wrong once."""
    dtype = array.dtype
    for junk in (*JUNK, 7, array.tolist(), (array,)):
        yield "junk", junk
    other = np.dtype(np.float64 if dtype == np.int64 else np.int64)
    yield "type", np.zeros(array.shape, other)
    same_size = np.zeros(array.shape, f"V{dtype.itemsize}")
    yield "type of the same size", same_size
    for told in (dtype, Equal()):
        yield "type that lies", lying(same_size, told)
        yield "type that lies of another size", lying(np.zeros(array.shape, other), told)
    if dtype.itemsize > 1 and dtype.names is None:
        yield "byte order", array.astype(dtype.newbyteorder())
    for axis, letter in enumerate(shape.lengths):
        if letter.isdigit() or letter in known:
            for more in (-1, 1):
                lengths = list(array.shape)
                lengths[axis] += more
                if lengths[axis] >= 0:
                    yield f"length {letter}", np.zeros(lengths, dtype)
        if array.shape[axis] > 1 and array.size:
            twice = np.zeros(
                [2 * n if at == axis else n for at, n in enumerate(array.shape)], dtype
            )
            yield "stride", np.moveaxis(np.moveaxis(twice, axis, 0)[::2], 0, axis)
            yield "negative stride", np.flip(array, axis)
    if shape.some:
        yield "length 0", array[:0]
    yield "dimensions", array[None]
    yield "dimensions", array.reshape(-1) if array.ndim > 1 else array.reshape(1, -1, 1)
    if dtype.alignment > 1 and array.size:
        memory = np.zeros(array.nbytes + 1, np.int8)[1:].view(dtype)
        yield "alignment", memory.reshape(array.shape)


def with_each_wrong(given: Any, taken: Any, known: str) -> Iterator[tuple[str, Any]]:
    """What a loop takes, with one thing of it wrong."""
    for at, (value, shape) in enumerate(zip(given, taken, strict=True)):
        wrong: Iterable[tuple[str, Any]]
        if isinstance(shape, tuple):
            others = [value[:-1], (*value, 1), list(value), *JUNK]
            wrong = [*(("tuple", each) for each in others), *with_each_wrong(value, shape, known)]
        elif isinstance(shape, Array):
            wrong = each_wrong(value, shape, known)
        elif isinstance(value, float):
            wrong = [("number", each) for each in (None, "1.5", 1j, [1.0])]
        else:
            least = -1 if isinstance(value, np.uint64 | int) else -(2**63) - 1
            beyond = len(given[0]) if isinstance(shape, Index) else 2**64
            wrong = [("number", each) for each in (beyond, 2**64, least, 1.5, *JUNK)]
        for kind, each in wrong:
            yield f"{at}: {kind}", (*given[:at], each, *given[at + 1 :])


def test_every_length_is_known_or_said_to_be_free(
    called: dict[str, tuple[loops.Loop, tuple[Any, ...]]],
) -> None:
    assert set(called) == set(native.library().loops)
    for loop, _ in called.values():
        letters = Counter(letters_of(loop.takes))
        once = {each for each, count in letters.items() if count == 1 and each.isalpha()}
        assert once - set(known_of(loop)) <= set(FREE), loop.name


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_each_property_of_each_argument_is_looked_at(
    game: str, called: dict[str, tuple[loops.Loop, tuple[Any, ...]]]
) -> None:
    """In each loop, each wrong once: letters that occur once included."""
    tried: Counter[str] = Counter()
    for loop, _ in called.values():
        if loop.label != game:
            continue
        function, given = fitted(loop), sample(loop.takes, some_lengths(loop) | known_of(loop))
        twice = [n for n, count in Counter(letters_of(loop.takes)).items() if count > 1]
        known = "".join({*known_of(loop), *twice})
        for count in (given[:-1], (*given, given[-1]), ()):
            with pytest.raises(TypeError, match=loop.name):
                function(*count)
        for kind, arguments in with_each_wrong(given, loop.takes, known):
            with pytest.raises(TypeError, match=f"{loop.name}: argument"):
                print(kind, function(*arguments))  # where it is taken, that is seen
            tried[kind.partition(": ")[2].partition(" ")[0]] += 1
    assert set(tried) >= {"junk", "tuple", "number", "type", "length", "stride", "alignment"}, tried
    assert sum(tried.values()) > 500


def test_games_are_played_by_loops_that_know_their_lengths() -> None:
    core = cyberdeck.Batch("hackthegrid", 64, seed=0)._core
    which, pool = core.all_rows, core.pool
    for masks, observations in (
        (np.zeros((64, 0), np.int8), core.observations),
        (core.masks, np.zeros((64, 348), np.int8)),
    ):
        with pytest.raises(TypeError, match="argument"):
            core.loops.begin(which, core.states, core.rows, pool, pool, 0, masks, observations)
    finals = np.zeros((64, 1, 349), np.int8)
    with pytest.raises(TypeError, match="argument"):
        core.loops.advance(which, which, *core._games[:-1], finals)


def test_a_class_of_arrays_that_is_honest_is_taken(tmp_path: Path) -> None:
    """One that lies in a file, for example."""
    core = cyberdeck.Batch("hackthegrid", 3, seed=0)._core
    chosen = np.memmap(tmp_path / "chosen", np.int64, "w+", shape=3)
    core.loops.choose(0, core.states, core.rows, core.masks, chosen)
    assert np.asarray(chosen).tolist() == core.choose(0).tolist()


def test_what_is_written_to_must_be_writable_and_nothing_is_kept_of_what_was_refused() -> None:
    """An array that is held for longer than the call could never be resized again."""
    fill = bound("hackthegrid.count_ways")
    table, short = np.zeros((1 << 16, 2, 4), np.int16), np.zeros(12, np.int16)
    fill(table)
    assert table.any()
    with pytest.raises(TypeError):  # arguments have no names
        fill(ways=table)
    table.flags.writeable = False
    with pytest.raises(TypeError, match="argument 1: an aligned, C-contiguous, writable"):
        fill(table)
    for _ in range(100):
        with pytest.raises(TypeError):
            fill(short)
    short.resize(24, refcheck=True)


def test_what_is_only_read_need_not_be() -> None:
    core = cyberdeck.Batch("hackthegrid", 3, seed=0)._core
    actions = core.choose(0)
    for array in (core.all_rows, actions, core.pool):
        array.flags.writeable = False
    bound("hackthegrid.advance")(
        core.all_rows, actions, core.states, core.rows, core.pool, core.ally_pool, 0,
        core.masks, core._arrays.vectors, core._games[-1],
    )  # fmt: skip
