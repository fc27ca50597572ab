"""Options: the arguments of a game's constructor, and the fields of its record that hold them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import quoted
from cyberdeck.common.whole import is_whole, listed
from cyberdeck.engine.definitions import check_bounds, check_different, check_name
from cyberdeck.engine.record import Field
from cyberdeck.errors import OptionError

#: The option that says how a game is shown; what it is where a game has none of its own; and what
#: the engine adds to it: see ``engine/recall.py``.
OBSERVATION, PRESENT, HISTORY = "observation", "present", "history"

#: What may take the place of a game's own reward, in every game with exact values.
REWARD, REGRET = "reward", "regret"
VALUED: Final = "where positions have exact values"


@dataclass(frozen=True)
class Option:
    """A constructor argument of a game.

    It is a field of the record, and no game declares it unless it wants to choose where it lies.
    Kernels read a whole number there as it is, and True as 1. Of choices that are not all whole
    numbers they read the place in the list, from 0. What is more than one number is of a class of
    its own, as ``Columns``: it says which fields hold it.

    Args:
        name: what callers, and kernels by ``state.<name>``, call it.
        default: its value if none is given. None is filled in by the game's ``resolve_options``,
            by the other options.
        meaning: what it changes, for tables.
        choices: all values allowed; or there are ``bounds``.
        bounds: the lowest and the highest number allowed.
        check: puts a value into its canonical form before anything else, or raises ``OptionError``.
        view: whether it changes only what is shown and not the game: a saved state fits whatever
            it is.
        scoring: whether it changes only what is rewarded. Its default rewards the outcome of the
            game alone: matches are played with that.
        field: the name of the field, if that is another than the option's.
        digits: a number with ``bounds`` has so many digits after the point, and kernels read so
            many units of the last one: with 2, 0.25 is 25.
        indexed: whether kernels read the place in the list of choices in any case.
    """

    name: str
    default: Any
    meaning: str = ""
    choices: tuple[Any, ...] = ()
    bounds: tuple[float, float] | None = None
    check: Callable[[Any], Any] | None = None
    view: bool = False
    scoring: bool = False
    field: str = ""
    digits: int = 0
    indexed: bool = False

    def __post_init__(self) -> None:
        check_name("the name of an option", self.name)
        if type(self) is Option:
            self._check()

    def _check(self) -> None:
        """``OptionError`` unless the parts of a plain option fit together."""
        what = f"the option {self.name!r}"
        choices, bounds = listed(self.choices), None if self.bounds is None else listed(self.bounds)
        if choices is None:
            raise OptionError(f"{what} has the choices {self.choices!r}: give a tuple of them")
        if bool(choices) == (self.bounds is not None):
            raise OptionError(f"{what} needs choices or bounds, and not both")
        check_different(f"the choices of {what}", choices)
        if self.bounds is not None:
            if bounds is None or len(bounds) != 2:
                raise OptionError(f"{what} has the bounds {self.bounds!r}: give (lowest, highest)")
            if self.digits == 0:
                check_bounds(what, *bounds)
        try:
            self.validated(self.default)
        except OptionError as error:
            raise OptionError(f"the default of {what}: {error}") from None

    def validated(self, value: Any) -> Any:
        """*value* in its canonical form, or ``OptionError``."""
        if value is None and self.default is None:
            return None
        return self.allow(self.check(value) if self.check else value)

    def allow(self, value: Any) -> Any:
        """The same of what has passed ``check``."""
        if self.bounds is not None:
            low, high = self.bounds
            number = is_whole(value) or (self.digits and isinstance(value, (float, np.floating)))
            if not number or not low <= value <= high:
                raise OptionError(
                    f"{self.name}={quoted(value)} is not possible: it must be a "
                    f"{'number' if self.digits else 'whole number'} from {low} to {high}"
                    + (", or None" if self.default is None else "")
                )
            return round(float(value), self.digits) if self.digits else int(value)
        same = (value == choice and type(value) is type(choice) for choice in self.choices)
        if self.choices and not any(same):
            raise OptionError(
                f"{self.name}={quoted(value)} is not possible: choose one of "
                + ", ".join(repr(choice) for choice in self.choices)
                + (f", or {REGRET!r} {VALUED}" if self.name == REWARD else "")
            )
        return value

    @property
    def allowed(self) -> str:
        """The values allowed, as a short text for tables."""
        if self.bounds is not None:
            return f"{self.bounds[0]} to {self.bounds[1]}"
        return ", ".join(repr(choice) for choice in self.choices) or "see the meaning"

    @property
    def place(self) -> str:
        """The field that it is."""
        return self.field or self.name

    @functools.cached_property
    def held(self) -> tuple[int, ...]:
        """What the field holds for each of the ``choices``."""
        if all(isinstance(choice, int) for choice in self.choices) and not self.indexed:
            return tuple(map(int, self.choices))
        return tuple(range(len(self.choices)))

    @property
    def fields(self) -> list[Field]:
        """The fields of the record that hold it, unless the game has to declare them."""
        numbers = self.held or [self.number(end) for end in self.bounds or ()]
        return [Field(self.place, min(numbers), max(numbers))] if numbers else []

    def number(self, value: Any) -> int:
        """What the field holds for *value*."""
        if self.bounds is None:
            return self.held[self.choices.index(value)]
        held: int = round(value * 10**self.digits)
        return held

    def value(self, number: int) -> Any:
        """What it means that the field holds this number."""
        if self.bounds is None:
            return dict(zip(self.held, self.choices, strict=True)).get(number, number)
        return number / 10**self.digits if self.digits else number

    def encoded(self, value: Any) -> dict[str, Any]:
        """Field -> the number in it that stands for *value*, or the first numbers of an array."""
        return {self.place: self.number(value)}

    def write(self, records: NDArray[Any], value: Any) -> None:
        """Write *value* into records, new ones or others."""
        for name, numbers in self.encoded(value).items():
            held = records[name]
            held[(..., slice(len(numbers))) if held.ndim > 1 else ...] = numbers

    def read(self, state: np.void) -> Any:
        """The value that a record holds."""
        return self.value(int(state[self.place]))


@dataclass(frozen=True)
class Columns(Option):
    """An option of several numbers, each a field by itself.

    A row may be given as a dictionary of what differs from the columns' defaults, or as None.

    Args:
        columns: options, one for each number.
        rows: it is a list of so many such rows, and each column an array; 0: it is one row. Or the
            name of a field that says how many rows there are, and then the game declares the
            arrays.
        over: (column, another field, where in it): the column's numbers lie on top of those.

    >>> suit, rank = Option("suit", "A", choices=("A", "B")), Option("rank", 1, bounds=(1, 9))
    >>> Columns("deck", [("A", 1)] * 3, columns=(suit, rank), rows=3).encoded(
    ...     [("A", 7), ("B", 1), ("B", 9)])
    {'suit': [0, 1, 1], 'rank': [7, 1, 9]}
    """

    columns: tuple[Option, ...] = ()
    rows: int | str = 0
    over: Sequence[tuple[Any, ...]] = ()

    @property
    def allowed(self) -> str:
        row = "(" + "; ".join(f"{each.name} {each.allowed}" for each in self.columns) + ")"
        return f"{self.rows} of {row}" if isinstance(self.rows, int) and self.rows else row

    @property
    def fields(self) -> list[Field]:
        if isinstance(self.rows, str):
            return []
        shape = (self.rows,) if self.rows else ()
        own = [field_ for column in self.columns for field_ in column.fields]
        return [Field(each.name, each.low, each.high, shape) for each in own]

    def allow(self, value: Any) -> Any:
        if not self.rows:
            return self._row(self.name, value)
        rows = listed(value)
        if rows is None or self.rows not in (len(rows), str(self.rows)):
            wanted = f"{self.rows} rows" if isinstance(self.rows, int) else "a list of rows"
            found = repr(value) if rows is None else f"a list of {len(rows)}"
            raise OptionError(f"{self.name}: give {wanted}, each ({self._names}), not {found}")
        return tuple(self._row(f"{self.name}[{at}]", row) for at, row in enumerate(rows))

    @property
    def _names(self) -> str:
        return ", ".join(column.name for column in self.columns)

    def _row(self, where: str, row: Any) -> tuple[Any, ...]:
        if row is None or isinstance(row, Mapping):
            row = self._completed(where, row or {})
        values = listed(row)
        if values is None or len(values) != len(self.columns):
            raise OptionError(f"{where}={row!r} is not possible: give ({self._names})")
        try:
            return tuple(
                each.validated(one) for each, one in zip(self.columns, values, strict=True)
            )
        except OptionError as error:
            raise OptionError(f"{where}: {error}") from None

    def _completed(self, where: str, row: Mapping[str, Any]) -> list[Any]:
        usual = {column.name: column.default for column in self.columns}
        for name in row.keys() - usual.keys():
            raise OptionError(f"{where}: there is no {name!r}; there are: {self._names}")
        return list({**usual, **row}.values())

    def encoded(self, value: Any) -> dict[str, Any]:
        rows = value if self.rows else (value,)
        parts = zip(self.columns, zip(*rows, strict=True), strict=True)
        return {column.place: [column.number(one) for one in part] for column, part in parts}

    def write(self, records: NDArray[Any], value: Any) -> None:
        super().write(records, value)
        for name, other, *at in self.over:
            records[name] += records[other][(..., *at)]

    def read(self, state: np.void) -> Any:
        count = int(state[self.rows]) if isinstance(self.rows, str) else self.rows or 1
        below = {name: state[other][(..., *at)] for name, other, *at in self.over}
        parts = []
        for column in self.columns:
            held = np.atleast_1d(state[column.place] - below.get(column.place, 0))
            parts.append([column.value(number) for number in held[:count].tolist()])
        rows = tuple(zip(*parts, strict=True))
        return rows if self.rows else rows[0]


@dataclass(frozen=True)
class Recall(Option):
    """The option ``observation`` of a game that says its ``longest``: the game's own, if it has
    one, and the choice ``history``.

    Args:
        own: the game's own.
        recalled: whether it belongs to the game that keeps the past: that is played for ``history``
            alone.
    """

    own: Option | None = None
    recalled: bool = False

    @classmethod
    def of(cls, own: Option | None) -> Recall:
        """That of a game whose own it is, or which has none."""
        about = "or `history`: also what the seat has seen and decided so far"
        if own is None:
            choices = (PRESENT, HISTORY)
            return cls(OBSERVATION, PRESENT, f"`{PRESENT}`, {about}", choices, view=True)
        if type(own) is not Option or own.default not in own.choices:
            raise OptionError(
                f"longest needs an option {OBSERVATION!r} with choices, one of them its default"
            )
        parts = {each.name: getattr(own, each.name) for each in dataclasses.fields(own)}
        parts |= {"choices": (*own.choices, HISTORY), "meaning": f"{own.meaning}; {about}"}
        return cls(**parts, own=own)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check()

    @property
    def fields(self) -> list[Field]:
        return [] if self.own is None else self.own.fields

    def encoded(self, value: Any) -> dict[str, Any]:
        """What the game's own kernels read: for ``history`` the default."""
        if self.own is None:
            return {}
        return self.own.encoded(self.default if value == HISTORY else value)

    def read(self, state: np.void) -> Any:
        if self.recalled:
            return HISTORY
        return self.default if self.own is None else self.own.read(state)
