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

from cyberdeck.common.whole import is_whole, whole_numbers
from cyberdeck.engine import defaults
from cyberdeck.engine.defaults import Kernels, completed
from cyberdeck.engine.definitions import (
    GIVEN,
    check_actions,
    check_fields,
    check_kernel,
    check_seats,
    check_texts,
    check_things,
    checks_arguments,
    is_real,
    own_reasons,
    said,
)
from cyberdeck.engine.features import DTYPES, Feature, Metric, widest
from cyberdeck.engine.naming import named_action, usual_id
from cyberdeck.engine.options import (
    HISTORY,
    OBSERVATION,
    REGRET,
    REWARD,
    VALUED,
    Columns,
    Option,
    Recall,
)
from cyberdeck.engine.record import COMMON_REASONS, Bounds, Field, header, record_dtype
from cyberdeck.engine.symmetry import Symmetry
from cyberdeck.errors import OptionError, require

#: What those who write, or look at, a game need of it: also what stands in files of its own.
__all__ = [
    "DTYPES",
    "HISTORY",
    "OBSERVATION",
    "REGRET",
    "REWARD",
    "VALUED",
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

#: The parts of a game that may depend on its options.
_SAID: Final = (
    *("seats", "teams", "actions", "features", "symmetries", "scored"),
    *("longest", "most_decisions"),
)

Options = Mapping[str, Any]
Record = NDArray[Any]  # (1,): one record, as an array


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
        most_decisions: the most decisions that all seats together make in a game, likewise; by
            default as many as ``longest`` says of each. ``max_episode_steps`` of a spec of
            Gymnasium is one more.

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
    most_decisions: int | Callable[[Options], int] | None = None

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
        stem = self.gym_id.removesuffix(f"-v{self.version}") or usual_id(self.name)
        if re.search(r"-v\d+$", stem):
            raise OptionError(
                f"{self.name}: gym_id={stem!r} is not of version={self.version}: leave out its end"
            )
        own = Kernels(
            **{name: getattr(self, name) for name in GIVEN if name != "secret"},
            secret=self.secret
            or (defaults.unseen if self.simultaneous else defaults.only_the_mover),
        )
        self._check(own)
        most = self.most_seats or len(self.checked("seats", {}))
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
        for part in _SAID:
            if not callable(getattr(self, part)):
                self.checked(part, {})
        for parts, kind in (("fields", Field), ("options", Option), ("metrics", Metric)):
            check_things(f"{self.name}: {parts}", getattr(self, parts), kind)
        for parts in ("invariants", "names"):
            check_texts(f"{self.name}: {parts}", getattr(self, parts))
        phased = self.next_phase is not defaults.no_phase
        for first, has, second, has_too in (
            ("report", self.report is not defaults.report_nothing, "metrics", self.metrics),
            (
                "check_state",
                self.check_state is not defaults.all_is_well,
                "invariants",
                self.invariants,
            ),
            ("side", self.side is not defaults.on_its_own, "teams", self.teams),
            ("retrace", self.retrace is not defaults.nothing_to_retrace, "next_phase", phased),
        ):
            if bool(has) != bool(has_too):
                there, missing = (first, second) if has else (second, first)
                raise OptionError(f"{self.name}: {there} without {missing}: give both, or neither")
        bound = self.reward_bound
        possible = is_real(bound) and 0 < bound < math.inf
        wanted = "give the most that a decision may bring"
        require(possible, f"{self.name}: reward_bound", bound, wanted)

    def checked(self, part: str, options: Options) -> Any:
        """What the game says with these *options* of one of the parts that may depend on them, such
        as its seats; ``OptionError`` if that is not possible.
        """
        value, what = said(getattr(self, part), options), f"{self.name}: {part}"
        if part == "seats":
            return check_seats(self.name, value, self.most_seats)
        if part == "actions":
            return check_actions(self.name, value)
        if part == "features":
            features = tuple(check_things(what, value, Feature))
            if not sum(feature.size for feature in features):
                raise OptionError(
                    f"{self.name}: there are no features: say what observe writes into out"
                )
            return features
        if part == "symmetries":
            return check_things(what, value, Symmetry)
        if part == "teams":
            return tuple(check_texts(what, value))
        if part == "scored":
            require(isinstance(value, bool), what, value, "it is True or False")
        elif value is not None:
            who = "one seat decides" if part == "longest" else "all seats together decide"
            wanted = f"give how often {who} at most"
            require(is_whole(value) and value >= 1, what, value, wanted)
        return value

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
        return widest(self.checked("features", options))

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
        return named_action(self.checked("actions", self.read(record)), action)
