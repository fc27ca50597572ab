"""A game with its options chosen: all that an adapter needs to build arrays and spaces."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import nearest, quoted
from cyberdeck.engine.contract import (
    DTYPES,
    HISTORY,
    OBSERVATION,
    REGRET,
    REWARD,
    VALUED,
    Feature,
    Game,
    Options,
)
from cyberdeck.engine.definitions import check_sides
from cyberdeck.engine.disguise import DISGUISE, OPTION, Disguise
from cyberdeck.engine.features import layout
from cyberdeck.engine.first_use import need_a_careful_game
from cyberdeck.engine.game_loops import Loops, is_careful, loops_of
from cyberdeck.engine.recall import recalling
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import sides
from cyberdeck.engine.symmetry import Exchange
from cyberdeck.errors import OptionError, UnknownOptionError


def checked(game: Game, options: Options) -> dict[str, Any]:
    """All options of a game, each by itself, or ``OptionError``; *options* are known ones."""
    return {
        each.name: each.validated(options.get(each.name, each.default)) for each in game.options
    }


def resolved(game: Game, options: Options) -> dict[str, Any]:
    """The same, checked together and completed."""
    known = checked(game, options)
    completed = game.resolve_options(dict(game.plain_options(known)))
    if game.longest is not None:
        completed = {**completed, OBSERVATION: known[OBSERVATION]}
    seed = OPTION.validated(options.get(DISGUISE, 0))
    return {**completed, DISGUISE: seed} if seed else completed


def _not_taken(
    name: str, title: str, options: list[str], adapter: Callable[..., Any] | None
) -> str:
    """A complaint; of an adapter's argument in Python's words, which some libraries read."""
    known = f"the options {', '.join(options)}" if options else "no options"
    if name == REWARD:
        known += f", and takes {name}={REGRET!r} {VALUED}"
    if adapter is None:
        near = nearest(name, [*options, DISGUISE])
        return f"{title} has no option {quoted(name)}{near}: it has {known}"
    taken = inspect.signature(adapter).parameters.values()
    own = [each.name for each in taken if each.kind is each.KEYWORD_ONLY]
    near = nearest(name, [*own, *options, DISGUISE])
    return (
        f"{adapter.__name__}() got an unexpected keyword argument {name!r}{near}: "
        f"{title} has {known}; besides, it takes {', '.join(own)}"
    )


def _need_longest(game: Game, options: Options) -> None:
    """``OptionError`` for ``history`` in a game that does not say its ``longest``."""
    own = [each for option in game.options if option.name == OBSERVATION for each in option.choices]
    if game.longest is None and options.get(OBSERVATION) == HISTORY and HISTORY not in own:
        raise OptionError(
            f"{OBSERVATION}={HISTORY!r} is not possible: {game.title} does not say how often one "
            "seat decides at most, as Game(longest=...): see docs/write/memory.md"
        )


class Variant:
    """A game with its options chosen: all that an adapter needs to build arrays and spaces.

    >>> from cyberdeck import variant
    >>> chosen = variant("hackthegrid", scramble="at_end")
    >>> chosen.seats, chosen.action_count, chosen.observation_size
    (2, 69, 349)
    """

    def __init__(
        self, game: Game, options: Options, adapter: Callable[..., Any] | None = None
    ) -> None:
        known = [option.name for option in game.options]
        _need_longest(game, options)
        #: Whether each decision is paid by what it gave away: see ``transformed.py``. The options
        #: are those of the game, whose own reward is then that by default.
        self.regret = options.get(REWARD) == REGRET
        if self.regret:
            options = {name: value for name, value in options.items() if name != REWARD}
        for name in options:
            if name not in (*known, DISGUISE):
                raise UnknownOptionError(_not_taken(name, game.title, known, adapter))
        self.options = resolved(game, options)
        game = game.plain
        own = game.plain_options(self.options)
        self.agents: tuple[str, ...] = game.checked("seats", own)
        self.seats = len(self.agents)
        #: The names of the sides, where several seats play together.
        self.teams: tuple[str, ...] = game.checked("teams", own)
        #: What there is to see now, behind which there may be the past.
        self.present: tuple[Feature, ...] = game.checked("features", own)
        self.actions: tuple[tuple[int, str], ...] = game.checked("actions", own)
        self.action_count = sum(count for count, _ in self.actions)
        #: The most decisions that one seat makes in a game, if the game says that.
        self.longest: int | None = game.checked("longest", own)
        #: The most decisions that all seats make together in a game, if the game says that.
        self.most_decisions: int | None = game.checked("most_decisions", own)
        if self.longest and not self.most_decisions:
            self.most_decisions = self.longest * self.seats
        self.game, self.features = game, self.present
        if own is not self.options:
            about = self.longest or 0, self.action_count, self.present
            self.game, self.features = recalling(game, own, *about)
        game = self.game
        if DISGUISE in self.options and (game.recalls or DISGUISE in known):
            why = f"{OBSERVATION}={HISTORY!r} tells actions by their own numbers"
            raise OptionError(
                f"{game.name} cannot be disguised: "
                + (why if game.recalls else "it has an option of that name, which is reserved")
            )
        self.observation_size = sum(feature.size for feature in self.features)
        self.layout = layout(self.features)
        self._check_dtype()
        #: Features that are all stacks of planes make one; any others make a vector.
        self.observation_shape: tuple[int, ...] = (self.observation_size,)
        boards = {feature.shape[1:] for feature in self.features}
        if len(boards) == 1 and len(board := boards.pop()) == 2:
            self.observation_shape = (sum(feature.shape[0] for feature in self.features), *board)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an observation's numbers: the game's."""
        return self.game.observation_dtype

    def _check_dtype(self) -> None:
        """``OptionError`` if with these options a feature is wider than all are by default."""
        for feature in self.features:
            if DTYPES.index(feature.dtype) > DTYPES.index(self.dtype.name):
                raise OptionError(
                    f"{self.game.name}: with these options the feature {feature.name!r} is "
                    f"{feature.dtype}, and by default the observation is {self.dtype}: it has one "
                    "type with all options, so let a feature ask for that by default as well"
                )

    @property
    def fractions(self) -> NDArray[np.bool_]:
        """Which elements of the observation may be no whole numbers."""
        sizes = [feature.size for feature in self.features]
        return np.repeat([feature.dtype == "float32" for feature in self.features], sizes)

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
                same = resolved(self.game, rest) == self.options
            except OptionError:  # the others do not fit without it
                same = False
            kept = rest if same else kept
        return {**kept, REWARD: REGRET} if self.regret else kept

    @property
    def by_outcome(self) -> Variant:
        """The same, with its reward as it is by default: for the outcome of the game alone."""
        paid = {option.name: option.default for option in self.game.options if option.scoring}
        if not self.regret and all(self.options[name] == value for name, value in paid.items()):
            return self
        return Variant(self.game, {**self.options, **paid})

    @property
    def scored(self) -> bool:
        """Whether what is paid is a score, and nobody wins."""
        return bool(self.game.checked("scored", self.game.plain_options(self.options)))

    @property
    def shown_plainly(self) -> Variant:
        """The same without ``observation="history"``: records of it keep no past."""
        game = self.game.plain
        return Variant(game, game.plain_options(self.options)) if self.game.recalls else self

    @functools.cached_property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat: a number for each team, or for each seat that plays for itself."""
        _ = self.loops  # its first use
        found = sides(self.game, self.blank())[: self.seats]
        check_sides(self.game.name, found, self.teams)
        return tuple(found)

    @functools.cached_property
    def disguise(self) -> Disguise | None:
        """How the game is disguised, if it is."""
        seed = self.options.get(DISGUISE, 0)
        if not seed:
            return None
        names = (self.game.title, *(self.game.names or self.agents))
        return Disguise(seed, self.action_count, self.symmetries, names)

    @functools.cached_property
    def undisguised(self) -> Variant:
        """The game itself, if it is disguised."""
        if self.disguise is None:
            return self
        kind, (game, options) = self.__reduce__()
        rest: Variant = kind(game, {k: each for k, each in options.items() if k != DISGUISE})
        return rest

    @property
    def transformed(self) -> bool:
        """Whether it is shown or paid otherwise than it is played: see ``transformed.py``."""
        return self.regret or self.disguise is not None

    def refuse_disguise(self, who: str) -> None:
        """``OptionError`` if the game is disguised: *who* knows it by its own numbers alone."""
        if self.disguise is not None:
            seed = self.options[DISGUISE]
            raise OptionError(f"{who} take no game in disguise: leave out {DISGUISE}={seed}")

    @functools.cached_property
    def symmetries(self) -> tuple[Exchange, ...]:
        """What each of the game's symmetries exchanges."""
        declared = self.game.checked("symmetries", self.options)
        return tuple(Exchange.of(each, self.seats, self.action_count) for each in declared)

    @property
    def loops(self) -> Loops:
        """What plays it; for a game from outside, after a first game with every index checked."""
        return loops_of(self.game) if is_careful(self.game) else self._compiled

    @functools.cached_property
    def _compiled(self) -> Loops:
        need_a_careful_game(self)
        return loops_of(self.game).fitted(**self.lengths, S=self.seats)

    @property
    def lengths(self) -> dict[str, int]:
        """How long arrays are, by the letters of ``engine/game_loops.py``."""
        return {
            "A": self.action_count,
            "D": self.observation_size,
            "M": len(self.game.metrics),
        }

    def look(
        self, record: NDArray[Any], seat: int
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[np.int32]]:
        """A seat's mask (zeros unless it is to move), its observation as a vector, its metrics."""
        mask = np.zeros(self.action_count, np.int8)
        seen = np.zeros(self.observation_size, self.dtype)
        metrics = np.zeros(len(self.game.metrics), np.int32)
        self.loops.look(record, 0, seat, mask, seen, metrics)
        if self.disguise is not None:
            mask = mask[self.disguise.own]
        return mask, seen, metrics

    def blank(self) -> NDArray[Any]:
        """One record with the options written and nothing dealt."""
        record = np.zeros(1, self.game.dtype)
        record["mover"] = NOBODY
        self.game.write(record, self.options)
        return record

    def __reduce__(self) -> tuple[Any, ...]:
        paid = {REWARD: REGRET} if self.regret else {}
        return Variant, (self.game.plain, {**self.options, **paid})

    def bounds(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Lowest and highest value of every element of the observation, as a vector."""
        sizes = [feature.size for feature in self.features]
        low, high = ([getattr(each, end) for each in self.features] for end in ("low", "high"))
        kind = self.dtype
        return np.repeat(np.array(low, kind), sizes), np.repeat(np.array(high, kind), sizes)

    def named(self, observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """An observation (or a batch of them) taken apart into its named pieces."""
        lead = observation.shape[: observation.ndim - len(self.observation_shape)]
        observation = observation.reshape(*lead, self.observation_size)
        return {
            feature.name: observation[..., self.layout[feature.name]].reshape(lead + feature.shape)
            for feature in self.features
        }
