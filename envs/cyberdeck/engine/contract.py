"""The one contract that every game keeps, and every adapter builds on.

A game is a sequence of single decisions over one fixed-size record. Its rules are a handful of
kernels over that record; everything else here describes the game to people and to libraries.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import kernel
from cyberdeck.errors import OptionError

#: ``state.mover`` when nobody is to move: the game is over.
NOBODY: Final = -1

#: The first values of ``state.reason`` are the same in every game; its own begin at 2.
RUNNING: Final = 0
FORFEIT: Final = 1
COMMON_REASONS: Final = ("", "illegal_action")

Options = Mapping[str, Any]


def header(seats: int) -> list[tuple[Any, ...]]:
    """The fields that every game's record starts with.

    dice        the generator's counter
    decisions   decisions made since the deal
    reward      what the last decision brought each seat
    mover       the seat to decide, NOBODY when the game is over
    terminated  1 when the game has ended by its rules
    truncated   1 when a limit has ended it
    reason      why it ended: an index into the game's ``reasons``
    """
    return [
        ("dice", np.uint64),
        ("decisions", np.int32),
        ("reward", np.float32, (seats,)),
        ("mover", np.int8),
        ("terminated", np.int8),
        ("truncated", np.int8),
        ("reason", np.int8),
    ]


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """An aligned record without holes: NumPy copies fields, not the bytes between them.

    With every byte a field's, equal states are equal bytes, and saved ones hold nothing else.
    """
    filled: list[tuple[Any, ...]] = []
    at = 0
    aligned = np.dtype(list(fields), align=True)
    for field_ in fields:
        kind, offset = aligned.fields[field_[0]][:2]  # type: ignore[index]  # it has fields
        if offset > at:
            filled.append((f"_{at}", np.int8, (offset - at,)))
        filled.append(field_)
        at = offset + kind.itemsize
    if aligned.itemsize > at:
        filled.append((f"_{at}", np.int8, (aligned.itemsize - at,)))
    return np.dtype(filled, align=True)


def is_whole(value: Any) -> bool:
    """Whether *value* is a whole number: not a float, not a truth value, not an array."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole_numbers(values: Any) -> list[int] | None:
    """*values* as a list, or None if it is not a sequence of whole numbers."""
    try:
        listed = list(values)
    except TypeError:
        return None
    return [int(value) for value in listed] if all(map(is_whole, listed)) else None


def lazy(module: str, name: str) -> Callable[..., Any]:
    """The function *name* of a module that is imported when it is first called: a drawing's."""

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*arguments)

    return call


@dataclass(frozen=True)
class Feature:
    """A named stretch of the observation vector."""

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


def layout(features: Sequence[Feature]) -> dict[str, slice]:
    """Where each piece lies in the vector: one after the other."""
    places, at = {}, 0
    for feature in features:
        places[feature.name] = slice(at, at + feature.size)
        at += feature.size
    return places


@dataclass(frozen=True)
class Option:
    """A constructor argument of a game.

    ``choices`` lists the values allowed; a whole-number option has ``bounds`` instead; any other
    has a ``check`` that returns the value in its canonical form or raises ``OptionError``. An
    option that is only a ``view`` changes what is shown and not the game: a saved state fits
    whatever it is. One that is ``scoring`` changes only what is rewarded, and its default rewards
    the outcome of the game alone: matches are played with that.
    """

    name: str
    default: Any
    meaning: str
    choices: tuple[Any, ...] = ()
    bounds: tuple[int, int] | None = None
    check: Callable[[Any], Any] | None = None
    view: bool = False
    scoring: bool = False

    def validated(self, value: Any) -> Any:
        if self.check is not None:
            return self.check(value)
        if self.bounds is not None:
            low, high = self.bounds
            if not is_whole(value) or not low <= value <= high:
                raise OptionError(
                    f"{self.name}={value!r} is not possible: "
                    f"it must be a whole number from {low} to {high}"
                )
            return int(value)
        if not any(value == choice and type(value) is type(choice) for choice in self.choices):
            raise OptionError(
                f"{self.name}={value!r} is not possible: choose one of "
                + ", ".join(repr(choice) for choice in self.choices)
            )
        return value

    @property
    def allowed(self) -> str:
        """The values allowed, as a short text for tables."""
        if self.choices:
            return ", ".join(repr(choice) for choice in self.choices)
        if self.bounds is not None:
            return f"{self.bounds[0]} to {self.bounds[1]}"
        return "see the meaning"


@dataclass(frozen=True)
class Metric:
    """A number that ``info`` reports beside the observation."""

    name: str
    meaning: str


@kernel
def every_seat(state: Any) -> Any:
    """The number of seats of a game that always has as many."""
    return len(state.reward)


@kernel
def on_its_own(state: Any, seat: Any) -> Any:
    """The side of a seat that plays for itself."""
    return seat


@kernel
def only_the_mover(state: Any, seat: Any) -> Any:
    return seat == state.mover


@kernel
def nothing_in_secret(state: Any, seat: Any) -> None:
    """Every decision is seen by all."""


@dataclass(frozen=True)
class Kernels:
    """The rules. ``state`` is one record; all arrays are the caller's; nothing is allocated.

    A game that was shuffled and dealt asks every seat at least once before it can end.

    shuffle(state)                    draw the table (deck, grid, who starts) from state.dice
    deal(state)                       lay out the table that is in the record; the game begins
    legal(state, mask)                fill the mover's 0/1 mask, return how many are legal
    act(state, action)                apply one legal decision; writes reward for every seat
    observe(state, seat, out)         what that seat may see, at any time; pure
    report(state, seat, out)          the game's ``facts`` as numbers, from that seat's view
    resample(state, seat)             redraw what that seat cannot know, from state.dice; what comes
                                      out depends on those and on what the seat knows alone
    heuristic(state, mask, luck)      a sensible decision for the mover; luck: 64 random bits;
                                      it looks at nothing that the mover may not see
    seats(state)                      how many seats there are, if not always as many
    side(state, seat)                 the team of a seat, from 0, where there are teams
    asked(state, seat)                whether a seat decides now without knowing what the mover
                                      does: in secret at the same time; true of the mover
    rewind(state, seat)               take back what others have decided in secret and that seat
                                      does not know, so that they are asked again, and then the
                                      seat: for a search that lets them decide as they would
    sound(state)                      0, or 1 + the index of the game's ``invariants`` that fails;
                                      safe on any bytes at all
    """

    shuffle: Callable[..., Any]
    deal: Callable[..., Any]
    legal: Callable[..., Any]
    act: Callable[..., Any]
    observe: Callable[..., Any]
    report: Callable[..., Any]
    resample: Callable[..., Any]
    heuristic: Callable[..., Any]
    check_state: Callable[..., Any]
    seats: Callable[..., Any] = every_seat
    side: Callable[..., Any] = on_its_own
    acts_simultaneously: Callable[..., Any] = only_the_mover
    withdraw_secret_actions: Callable[..., Any] = nothing_in_secret


@dataclass(frozen=True, eq=False)
class Game:
    """Everything the suite knows about one game."""

    name: str
    """Name in the package and in ids of PettingZoo: ``hackthegrid``."""
    title: str
    """As on the box: ``HACKtheGRID``."""
    gym_id: str
    """The id in Gymnasium's registry."""
    summary: str
    agents: Callable[[Options], tuple[str, ...]]
    """Names of the seats, in order."""
    options: tuple[Option, ...]
    starts: tuple[Metric, ...]
    """What ``reset(options=...)`` understands besides ``state``."""
    reasons: tuple[str, ...]
    """Why a game is over, by ``state.reason``; begins with ``COMMON_REASONS``."""
    metrics: tuple[Metric, ...]
    invariants: tuple[str, ...]
    rewards: str
    """What is rewarded, in one sentence or two, for the docs."""
    reward_bound: float
    """No seat's rewards of one game ever add up to more than this, or less than its negative."""
    kernels: Kernels
    dtype: np.dtype[Any]
    actions: Callable[[Options], tuple[tuple[int, str], ...]]
    """What the actions mean, from 0 on: (how many, meaning) of each group."""
    features: Callable[[Options], tuple[Feature, ...]]
    """The layout of the observation vector."""
    write_options: Callable[[NDArray[Any], Options], None]
    """Write the options into a blank record (an array of one)."""
    read_options: Callable[[NDArray[Any]], dict[str, Any]]
    """The options that a record carries."""
    start: Callable[[NDArray[Any], Options], bool]
    """Write what ``reset(options=...)`` prescribes into a shuffled record (an array of one).

    False: it was a table, which is to be dealt. True: it was a whole position, which stands.
    """
    action_name: Callable[[NDArray[Any], int], str]
    """An action in words, as the mover of that record would say it."""
    svg: Callable[[NDArray[Any], int, NDArray[np.int8] | None], str]
    """Picture of a record (an array of one) as a seat sees it; a mask highlights legal moves."""
    text: Callable[[NDArray[Any], int], str]
    """The same as plain text."""
    teams: tuple[str, ...] = ()
    """Names of the sides, where several seats play together."""
    resolve_options: Callable[[dict[str, Any]], dict[str, Any]] = dict
    """Options that were checked one by one, checked together and completed."""
    events: Callable[[NDArray[Any], NDArray[Any]], list[str]] = lambda before, after: []
    """What the decision between two records has brought about, in words for all seats, where the
    decision does not say it itself: a line for each event."""
    solver: str = ""
    """The module that solves deals of this game, if there is one. It has ``deals(variant, count,
    seed, progress)``, the figures of many deals as text (*progress* is told how many are done), and
    ``deal(variant, seed)``, what it finds out about one."""
    frames: Callable[[NDArray[Any]], list[NDArray[Any]]] = lambda record: [record]
    """What the last decision has brought about, as records to draw one after the other: of each
    phase where it had several, and the record as it is."""
    players: Mapping[str, str] = field(default_factory=dict)
    """Policies for this game alone: name -> where the class is, as ``module:class``."""
    secret: Callable[[NDArray[Any], int], bool] = lambda record, seat: False
    """Whether a seat other than the mover is not told what the mover decides now."""

    @property
    def simultaneous(self) -> bool:
        """Whether seats decide in secret at the same time: then there is a parallel env."""
        return self.kernels.acts_simultaneously is not only_the_mover

    @property
    def most_seats(self) -> int:
        seats: int = self.dtype["reward"].shape[0]
        return seats


class Variant:
    """A game with its options chosen: all that an adapter needs to build arrays and spaces.

    >>> from cyberdeck import variant
    >>> chosen = variant("hackthegrid", scramble="at_end")
    >>> chosen.seats, chosen.action_count, chosen.observation_size
    (2, 69, 349)
    """

    def __init__(self, game: Game, options: Options) -> None:
        known = {option.name: option for option in game.options}
        for name in options:
            if name not in known:
                raise OptionError(
                    f"{game.title} has no option {name!r}; it has: " + ", ".join(known)
                )
        self.game = game
        self.options = game.resolve_options(
            {
                name: option.validated(options.get(name, option.default))
                for name, option in known.items()
            }
        )
        self.agents = game.agents(self.options)
        self.seats = len(self.agents)
        self.actions = game.actions(self.options)
        self.action_count = sum(count for count, _ in self.actions)
        self.features = game.features(self.options)
        self.observation_size = sum(feature.size for feature in self.features)
        self.layout = layout(self.features)
        #: Pieces that are all stacks of planes make one; any others make a vector.
        self.observation_shape: tuple[int, ...] = (self.observation_size,)
        boards = {feature.shape[1:] for feature in self.features}
        if len(boards) == 1 and len(board := boards.pop()) == 2:
            self.observation_shape = (sum(feature.shape[0] for feature in self.features), *board)

    @functools.cached_property
    def chosen(self) -> dict[str, Any]:
        """The options without those that follow from the others, or are the game's own anyway.

        >>> from cyberdeck import variant
        >>> variant("hovercrafts", ships=(2, 2), width=9).chosen
        {'ships': (2, 2)}
        """
        kept = dict(self.options)
        for name in self.options:
            rest = {other: value for other, value in kept.items() if other != name}
            try:
                same = Variant(self.game, rest).options == self.options
            except OptionError:  # the others do not fit without it
                same = False
            kept = rest if same else kept
        return kept

    @functools.cached_property
    def layout_digest(self) -> str:
        """A short text that is another one for another layout of the observation or the actions.

        It goes by the names, shapes and bounds of the pieces and by the sizes of the groups of
        actions, not by the words that explain them.

        >>> from cyberdeck import variant
        >>> margin = variant("hackthegrid", reward="margin")
        >>> margin.layout_digest == variant("hackthegrid").layout_digest
        True
        """
        features = [
            (feature.name, feature.shape, feature.low, feature.high) for feature in self.features
        ]
        described = json.dumps([features, [count for count, _ in self.actions]])
        return hashlib.sha256(described.encode()).hexdigest()[:12]

    @functools.cached_property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat: a number for each team, or for each seat that plays for itself."""
        record = self.blank()[0]
        return tuple(int(self.game.kernels.side(record, seat)) for seat in range(self.seats))

    def blank(self) -> NDArray[Any]:
        """One record with the options written and nothing dealt."""
        record = np.zeros(1, self.game.dtype)
        record["mover"] = NOBODY
        self.game.write_options(record, self.options)
        return record

    def bounds(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Lowest and highest value of every element of the observation, as a vector."""
        low = np.empty(self.observation_size, np.int8)
        high = np.empty(self.observation_size, np.int8)
        for feature in self.features:
            low[self.layout[feature.name]] = feature.low
            high[self.layout[feature.name]] = feature.high
        return low, high

    def named(self, observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """An observation (or a batch of them) taken apart into its named pieces."""
        lead = observation.shape[: observation.ndim - len(self.observation_shape)]
        observation = observation.reshape(*lead, self.observation_size)
        return {
            feature.name: observation[..., self.layout[feature.name]].reshape(lead + feature.shape)
            for feature in self.features
        }
