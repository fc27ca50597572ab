"""A game's record as a view reads it: whole numbers and lists of them, by the fields' names."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Self

_CODES: Final = {
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
}

#: (type, offset in bytes, shape) of each field, by its name.
Layout = Mapping[str, tuple[str, int, Sequence[int]]]


class Rules(NamedTuple):
    """What the rules say of a record, for whoever shows it."""

    observe: Callable[[int], Sequence[float]]
    """What a seat observes, as one vector: of the features that the game declares."""
    deciding: Callable[[], Sequence[int]]
    """The seats that decide now: several, where they do it in secret at the same time."""
    mask: Callable[[tuple[int, ...] | None], Sequence[int] | None]
    """The mover's mask, if the viewer may know it."""
    phases: Callable[[Record], Sequence[Record]]
    """Where turns have phases, the records after each one of the turn that was carried out since
    an earlier record of the same kind."""


class Record:
    """A record: ``record.mover`` is a number, ``record.board`` a list, or a list of lists.

    *read* gives a field's value by its name.

    >>> record = Record({"mover": 1, "board": [0, -1]}.__getitem__)
    >>> record.mover, record.board[1]
    (1, -1)
    """

    def __init__(
        self, read: Callable[[str], Any], rules: Rules | None = None, made_of: Any = None
    ) -> None:
        self._read = read
        self._rules, self._made_of = rules, made_of
        self._public: Record | None = None

    @classmethod
    def of(cls, array: Any, rules: Rules | None = None) -> Record:
        """The record in NumPy's array of one, as it is when a field is first asked for."""
        return cls(partial(_read, array[0]), rules, array)

    @classmethod
    def from_bytes(
        cls, data: bytes, layout: Layout, rules: Rules | None = None, made_of: Any = None
    ) -> Record:
        """The record in plain bytes, which may be those of something."""

        def read(name: str) -> Any:
            kind, offset, shape = layout[name]
            letters = f"<{math.prod(shape)}{_CODES[kind]}"
            numbers: Any = list(struct.unpack_from(letters, data, offset))
            for size in reversed(shape[1:]):
                numbers = [numbers[at : at + size] for at in range(0, len(numbers), size)]
            return numbers if shape else numbers[0]

        return cls(read, rules, data if made_of is None else made_of)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            value = self._read(name)
        except (KeyError, ValueError):
            raise AttributeError(f"the record has no field {name!r}") from None
        self.__dict__[name] = value
        return value

    def forget(self) -> None:
        """Free what has been read: it is read anew when it is asked for."""
        self._public = None
        self.__dict__ = {name: value for name, value in vars(self).items() if name[0] == "_"}

    def __deepcopy__(self, memo: object) -> Self:
        """Nothing in a record changes."""
        return self

    def public(self, taken_out: Callable[[Record], Mapping[str, Any]] | None) -> Record:
        """The record that spectators are shown: without what is *taken out*, as of ``View``."""
        if taken_out is None:
            return self
        if self._public is None:
            read = partial(_read_public, self, taken_out(self))
            self._public = Record(read, self._rules, self._made_of)
        return self._public

    @property
    def made_of(self) -> Any:
        """The array or the bytes that it reads, or what these are of."""
        return self._made_of

    @property
    def rules(self) -> Rules:
        """What the rules say of it."""
        if self._rules is None:
            raise ValueError("this record was made without rules: only its fields can be read")
        return self._rules


def _read(row: Any, name: str) -> Any:
    return row[name].tolist()


def _read_public(record: Record, fields: Mapping[str, Any], name: str) -> Any:
    value = getattr(record, name)
    return _like(value, fields[name]) if name in fields else value


def _like(value: Any, other: Any) -> Any:
    """Another value of a field: a list of its shape, or one number for all of it."""
    if isinstance(value, list) and not isinstance(other, list):
        return [_like(each, other) for each in value]
    return other
