"""The one contract that every game keeps, and every adapter builds on.

A game is a sequence of single decisions over one fixed-size record. Its rules are a handful of
kernels over that record; everything else here describes the game to people and to libraries.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.whole import is_whole, listed, whole_numbers
from cyberdeck.engine import defaults
from cyberdeck.engine.defaults import Kernels, completed
from cyberdeck.engine.definitions import (
    check_actions,
    check_bounds,
    check_different,
    check_dtype,
    check_features,
    check_fields,
    check_kernel,
    check_labels,
    check_longest,
    check_name,
    check_pair,
    check_reward_bound,
    check_scored,
    check_seats,
    check_shape,
    check_text,
    check_texts,
    check_things,
    checks_arguments,
    own_reasons,
    said,
)
from cyberdeck.engine.naming import named_action
from cyberdeck.engine.record import COMMON_REASONS, Bounds, Field, header, record_dtype
from cyberdeck.engine.symmetry import Symmetry
from cyberdeck.errors import OptionError

__all__ = [
    "Columns",
    "Feature",
    "Game",
    "Metric",
    "Option",
    "Options",
    "Recall",
    "Record",
    "Symmetry",
    "is_whole",
    "whole_numbers",
]

Options = Mapping[str, Any]
Record = NDArray[Any]  # (1,): one record, as an array

#: The option that says how a game is shown; what it is where a game has none of its own; and what
#: the engine adds to it: see ``engine/recall.py``.
OBSERVATION, PRESENT, HISTORY = "observation", "present", "history"

#: What may take the place of a game's own reward, in every game with exact values.
REWARD, REGRET = "reward", "regret"
VALUED: Final = "where positions have exact values"


#: What the numbers of an observation may be, each wider than the one before.
DTYPES: Final = ("int8", "int16", "float32")


@dataclass(frozen=True)
class Feature:
    """A named stretch of the observation, whose numbers are int8, from -128 to 127, by default.

    Args:
        name: what it is called in tables, and in plain text and pictures.
        shape: a tuple: ``(9,)`` for nine numbers in a row, ``(3, 3)`` for a grid, ``(2, 6, 7)`` for
            two planes. ``observe`` writes them one after the other, the last index fastest.
        low: the lowest of its numbers.
        high: the highest of them.
        meaning: what they say, for tables.
        labels: what people call its numbers, where they are shown plainly: a list of texts along
            the last axis, as ``["jack", "queen", "king"]``, or such a list for each axis. Of
            numbers that are 0 or 1, those of the ones are shown; of others each, with its number.
        dtype: "int16" for numbers from -32768 to 32767, "float32" for fractions and larger ones. An
            observation has one type, the widest that its features ask for.
    """

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    meaning: str = ""
    labels: Sequence[Any] = ()
    dtype: str = DTYPES[0]

    def __post_init__(self) -> None:
        check_text("the name of a feature", self.name)
        what = f"the feature {self.name!r}"
        check_shape(what, self.shape, 0)
        check_dtype(what, self.dtype, DTYPES, self.low, self.high)
        if len(self.labels):
            found = check_labels(f"{what}: labels", self.labels, self.shape)
            object.__setattr__(self, "labels", found)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def widest(features: Sequence[Feature]) -> np.dtype[Any]:
    """The type of an observation with these features."""
    return np.dtype(max((each.dtype for each in features), key=DTYPES.index))


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
        renamed: what values used to be called: old -> new.
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
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
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
        if isinstance(value, str) and value in self.renamed:
            raise OptionError(f"{self.name}={value!r} is now called {self.renamed[value]!r}")
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
                    f"{self.name}={value!r} is not possible: it must be a "
                    f"{'number' if self.digits else 'whole number'} from {low} to {high}"
                    + (", or None" if self.default is None else "")
                )
            return round(float(value), self.digits) if self.digits else int(value)
        same = (value == choice and type(value) is type(choice) for choice in self.choices)
        if self.choices and not any(same):
            raise OptionError(
                f"{self.name}={value!r} is not possible: choose one of "
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


@dataclass(frozen=True)
class Metric:
    """A number that ``info`` reports beside the observation.

    Args:
        name: its key in ``info``.
        meaning: what it says, for tables.
    """

    name: str
    meaning: str = ""

    def __post_init__(self) -> None:
        check_text("the name of a metric", self.name)


@checks_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """Everything that the suite knows about one game.

    What makes it a game, its author says; all else has a default. ``state`` is one record: its
    fields are attributes, arrays among them are NumPy's. Functions of a state are kernels, marked
    with ``@kernel``: they write in place, make no arrays, raise nothing and use no Python objects.
    Seats, teams, features and actions may depend on the options: each is a list, or a function
    from the options to one.

    What makes it a game:
        name: its name in the package, and in ids of PettingZoo: ``connect_four``.
        seats: the names of those who play, in order. Seat 0 begins, unless ``start`` says another.
        fields: what the record holds besides the fields of every record and the options: a list of
            ``Field``.
        start: (state): begin with what lies in the record. The fields of every record are fresh,
            and seat 0 is to move.
        legal: (state, mask): write 1 for what the mover may do. The mask comes as zeros. It may
            return how many it has marked: with many actions that is faster than to have them
            counted.
        act: (state, action): apply a legal decision, and say who moves next or that it is over.
            Rewards come as zeros, the decision is counted already.
        observe: (state, seat, out): what that seat may see, at any time. ``out`` comes as zeros.
        features: the layout of ``out``, one ``Feature`` after the other.
        actions: what the actions mean, from 0 on: (how many, meaning) of each group.

    In every record, before the game's own fields, which must have other names:
        dice: the random numbers' counter; ``dice.below`` and the others advance it.
        decisions: how many decisions have been made since the start.
        reward: what the last decision has brought each seat: ``state.reward[seat]``. ``win`` writes
            it, or ``act`` itself, in a game with scores.
        mover: the seat to decide; ``NOBODY`` (-1) when the game is over.
        terminated: 1 when the game has ended by its rules: ``win`` and ``end`` say so.
        truncated: 1 when a limit has ended it: ``act`` writes that, the reason, and that the mover
            is ``NOBODY``.
        reason: why it ended, as an index into the ``reasons``; 0 while it runs.

    Chance and secrets:
        shuffle: (state): draw what chance decides before the game; ``start`` comes next. Without
            it nothing is drawn.
        resample: (state, seat): redraw what that seat cannot know. What comes out depends on
            ``state.dice`` and on what the seat knows alone. Without it nothing is hidden.
        acts_simultaneously: (state, seat): whether a seat decides now without knowing what the
            mover does: in secret at the same time. True of the mover, by default of it alone.
        withdraw_secret_actions: (state, seat): take back what others have decided in secret and
            that seat does not know, so that they are asked again, and then the seat: for a search
            that lets them decide as they would.
        secret: (state, seat): whether a seat other than the mover does not see what the mover
            decides now. By default nobody sees any decision in a game that has
            ``acts_simultaneously``, and all see all in any other.

    How it ends, and what that is worth:
        reasons: why a game is over: the names of the game's own reasons, which are 2, 3 and so on.
            (1 is an illegal action.)
        rewards: what is rewarded, in one sentence or two, for the docs.
        scored: whether what is paid is a score, or money, and nobody wins: then players are
            measured by their mean reward, and no table says "win". Or a function of the options.
        reward_bound: no decision brings a seat more than this, or less than its negative. Where
            everything is open and a search proves results, nor do all rewards of a game together.
        longest: the most decisions that one seat makes in a game: a whole number, or a function
            from the options to one. With it there is ``observation="history"``.

    What a disguise exchanges:
        symmetries: a list of ``Symmetry``, or a function from the options to one.
        names: its own words: of pieces, suits, moves, seats. By default its seats' names. Its title
            is one anyway.

    Options, and beginnings that are prescribed:
        options: a list of ``Option``.
        resolve_options: from options that were checked one by one to the same, checked together and
            completed.
        derive: (record, options), no kernel: write what follows from the options, such as a count,
            into a record, a new one or another.
        starts: what ``reset(options=...)`` understands besides ``state``: a list of ``Metric``.
        prescribe: (record, options), no kernel: write what ``reset(options=...)`` prescribes into a
            shuffled record. False: it was a beginning, and the game starts from it. True: it was a
            whole position, which stands.

    Seats and teams:
        most_seats: how many seats there are at most, if options change it; else as many as
            ``seats`` names.
        seat_count: (state): how many seats there are, if not always as many.
        side: (state, seat): the team of a seat, from 0, where there are teams.
        teams: the names of the sides, where several seats play together; none with options with
            which everybody plays for itself.

    Turns that are carried out in phases, to be told and drawn phase by phase:
        retrace: (state, after): make of *state* the beginning of the turn that was carried out
            between it and *after*, a later record. Returns how many of its phases are left: 0 if
            none lies between, or more than one. What ``next_phase`` has made of it may come again:
            -1 if it has led elsewhere than to *after*.
        next_phase: (state): carry out the next phase of such a turn.

    What it does better than the default:
        heuristic: (state, mask, random_bits): a sensible decision for the mover. It looks at
            nothing that the mover may not see; *random_bits* are 64. Without it there is no player
            ``heuristic``.
        metrics: the numbers that ``report`` writes: a list of ``Metric``.
        report: (state, seat, out): the ``metrics`` as whole numbers, from that seat's view.
        invariants: what holds of every state, in words.
        check_state: (state): 0, or 1 + the index of the one of the ``invariants`` that fails. Every
            field is within its bounds, and those of every record agree with each other.

    What it is called:
        title: as on the box: ``Connect Four``.
        summary: one sentence about it.
        version: raised where rules, rewards, default observations or actions change.
        changes: what each version has changed, for whoever asks for an older one:
            ``{1: "a draw is worth 0"}``.
        gym_id: the id in Gymnasium's registry. The version is put to it: ``cyberdeck/TicTacToe``.
            What stands before the slash is before the name in PettingZoo's registry, too.
        older: (record), no kernel: what fields that were not there hold in a state of an earlier
            version; fields of options hold their defaults otherwise.

    Made of it:
        kernels: what the loops call: these kernels, and what is the same in every game around them.
        dtype: NumPy's type of the record.
        bounds: the fields' bounds, as something that checks records.
        plain: the game itself; of the one that is played for ``observation="history"``, the one
            that it was made of.
    """

    name: str
    seats: Sequence[str] | Callable[[Options], Sequence[str]]
    fields: Sequence[Field]
    start: Callable[..., Any]
    legal: Callable[..., Any]
    act: Callable[..., Any]
    observe: Callable[..., Any]
    features: Sequence[Feature] | Callable[[Options], Sequence[Feature]]
    actions: Sequence[tuple[int, str]] | Callable[[Options], Sequence[tuple[int, str]]]

    shuffle: Callable[..., Any] = defaults.draw_nothing
    resample: Callable[..., Any] = defaults.hide_nothing
    acts_simultaneously: Callable[..., Any] = defaults.only_the_mover
    withdraw_secret_actions: Callable[..., Any] = defaults.nothing_in_secret
    secret: Callable[..., Any] | None = None

    reasons: Sequence[str] = ()
    rewards: str = "A win is 1, a loss -1, anything else 0."
    scored: bool | Callable[[Options], bool] = False
    reward_bound: float = 1.0
    longest: int | Callable[[Options], int] | None = None

    symmetries: Sequence[Symmetry] | Callable[[Options], Sequence[Symmetry]] = ()
    names: Sequence[str] = ()

    options: Sequence[Option] = ()
    resolve_options: Callable[[dict[str, Any]], dict[str, Any]] = dict
    derive: Callable[[Record, Options], None] = lambda record, options: None
    starts: Sequence[Metric] = ()
    prescribe: Callable[[Record, Options], bool] = lambda record, options: False

    most_seats: int = 0
    seat_count: Callable[..., Any] = defaults.every_seat
    side: Callable[..., Any] = defaults.on_its_own
    teams: Sequence[str] | Callable[[Options], Sequence[str]] = ()

    retrace: Callable[..., Any] = defaults.nothing_to_retrace
    next_phase: Callable[..., Any] = defaults.no_phase

    heuristic: Callable[..., Any] = defaults.any_legal
    metrics: Sequence[Metric] = ()
    report: Callable[..., Any] = defaults.report_nothing
    invariants: Sequence[str] = ()
    check_state: Callable[..., Any] = defaults.all_is_well

    title: str = ""
    summary: str = ""
    version: int = 0
    changes: Mapping[int, str] = dataclasses.field(default_factory=dict)
    gym_id: str = ""
    older: Callable[[np.void], Mapping[str, Any]] = lambda record: {}

    kernels: Kernels = dataclasses.field(init=False)
    dtype: np.dtype[Any] = dataclasses.field(init=False)
    bounds: Bounds = dataclasses.field(init=False)
    plain: Game = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise OptionError(
                f"a game cannot be called {self.name!r}: choose a name like connect_four"
            )
        words = self.name.replace("_", " ").title()
        if callable(self.seats) and not self.most_seats:
            raise OptionError(f"{self.name}: seats depend on options: say most_seats as well")
        usual = f"cyberdeck/{words.replace(' ', '')}"
        stem = self.gym_id.removesuffix(f"-v{self.version}") or usual
        if re.search(r"-v\d+$", stem):
            raise OptionError(
                f"{self.name}: gym_id={stem!r} is not of version={self.version}: leave out its end"
            )
        own = Kernels(
            **{name: getattr(self, name) for name in Kernels.__annotations__ if name != "secret"},
            secret=self.secret
            or (defaults.unseen if self.simultaneous else defaults.only_the_mover),
        )
        self._check(own)
        most = self.most_seats or len(self.given(self.seats, {}))
        declared = {field_.name for field_ in self.fields}
        object.__setattr__(self, "options", self._with_recall())
        stored = [field_ for option in self.options for field_ in option.fields]
        check_fields(self.name, [name for name, *_ in header(most)], self.fields, self.options)
        fields = [*(each for each in stored if each.name not in declared), *self.fields]
        dtype = record_dtype([*header(most), *((f.name, f.kind, f.shape) for f in fields)])
        reasons = (*COMMON_REASONS, *own_reasons(self.name, self.reasons, COMMON_REASONS))
        for name, value in {
            "title": self.title or words,
            "gym_id": f"{stem}-v{self.version}",
            "most_seats": most,
            "reasons": reasons,
            "kernels": completed(self.name, own),
            "dtype": dtype,
            "bounds": Bounds(dtype, fields, len(reasons)),
            "plain": self,
        }.items():
            object.__setattr__(self, name, value)

    def _check(self, own: Kernels) -> None:
        """``OptionError`` unless each part is what it must be, as far as no option says it."""
        for name, function in vars(own).items():
            check_kernel(self.name, name, function)
        if not is_whole(self.most_seats) or not 0 <= self.most_seats <= 125:
            raise OptionError(f"{self.name}: most_seats={self.most_seats!r}: give 1 to 125")
        if not callable(self.seats):
            check_seats(self.name, self.seats, self.most_seats)
        if not callable(self.actions):
            check_actions(self.name, self.actions)
        if not callable(self.features):
            check_features(self.name, self.features, Feature)
        if not callable(self.symmetries):
            check_things(f"{self.name}: symmetries", self.symmetries, Symmetry)
        for parts, kind in (("fields", Field), ("options", Option), ("metrics", Metric)):
            check_things(f"{self.name}: {parts}", getattr(self, parts), kind)
        for parts in ("invariants", "names", *(() if callable(self.teams) else ("teams",))):
            check_texts(f"{self.name}: {parts}", getattr(self, parts))
        for kernel_, nothing, parts in (
            ("report", defaults.report_nothing, "metrics"),
            ("check_state", defaults.all_is_well, "invariants"),
            ("side", defaults.on_its_own, "teams"),
        ):
            has = getattr(self, kernel_) is not nothing
            check_pair(self.name, kernel_, has, parts, getattr(self, parts))
        phased = self.next_phase is not defaults.no_phase
        retraces = self.retrace is not defaults.nothing_to_retrace
        check_pair(self.name, "retrace", retraces, "next_phase", phased)
        check_reward_bound(self.name, self.reward_bound)
        if not callable(self.scored):
            check_scored(self.name, self.scored)
        if self.longest is not None and not callable(self.longest):
            check_longest(self.name, self.longest)

    def _with_recall(self) -> Sequence[Option]:
        """The options, with the choice ``history`` if the game says its ``longest``."""
        options = self.own_options
        if self.longest is None:
            return options
        shown = [each for each in options if each.name == OBSERVATION]
        recall = Recall.of(shown[0] if shown else None)
        return [recall if each in shown else each for each in options] + [recall] * (not shown)

    @functools.cached_property
    def observation_dtype(self) -> np.dtype[Any]:
        """NumPy's type of an observation's numbers, the same with all options: the widest that the
        features ask for by default.
        """
        usual = {each.name: each.validated(each.default) for each in self.own_options}
        options = self.resolve_options(usual) if callable(self.features) else usual
        return widest(check_features(self.name, said(self.features, options), Feature))

    @property
    def zoo_id(self) -> str:
        """The id in PettingZoo's registry."""
        space, slash, _ = self.gym_id.rpartition("/")
        return f"{space}{slash}{self.name}-v{self.version}"

    def plain_options(self, options: Options) -> Options:
        """*options* as the game itself knows them: shown by default instead of with the past."""
        if self.longest is None or options[OBSERVATION] != HISTORY:
            return options
        shown = {option.name: option.default for option in self.options}
        return {**options, OBSERVATION: shown[OBSERVATION]}

    @staticmethod
    def given(value: Any, options: Options) -> tuple[Any, ...]:
        """What the game says of its seats, actions or features, with these options."""
        return tuple(said(value, options))

    @property
    def own_options(self) -> list[Option]:
        """The options that the game itself knows: without what its ``longest`` adds."""
        own = [each.own if isinstance(each, Recall) else each for each in self.options]
        return [each for each in own if each is not None]

    @property
    def has_heuristic(self) -> bool:
        """Whether the game has a heuristic of its own."""
        return self.heuristic is not defaults.any_legal

    @property
    def simultaneous(self) -> bool:
        """Whether seats decide in secret at the same time: then there is a parallel env."""
        return self.acts_simultaneously is not defaults.only_the_mover

    @property
    def recalls(self) -> bool:
        """Whether it is the game that is played for ``observation="history"``."""
        return self.plain is not self

    @property
    def label(self) -> str:
        """What its loops are called."""
        return f"{self.name}-{HISTORY}" if self.recalls else self.name

    @property
    def open(self) -> bool:
        """Whether no seat has a secret from another."""
        secretless = self.resample is defaults.hide_nothing and not self.simultaneous
        return self.most_seats == 1 or secretless

    def write(self, record: Record, options: Options) -> None:
        """Write all *options* into records."""
        for option in self.options:
            option.write(record, options[option.name])
        self.derive(record, options)

    def read(self, record: Record) -> dict[str, Any]:
        """The options that a record carries."""
        return {option.name: option.read(record[0]) for option in self.options}

    def named_action(self, record: Record, action: int) -> str:
        """An action by the meaning of its group; the view of a game may have better words."""
        return named_action(self.given(self.actions, self.read(record)), action)
