"""What plays a game: its rules and its players, wherever these run.

A game in progress knows no NumPy and no compiled loops: it asks an ``Engine``. There are two: in
Python ``play.compiled``, in the browser ``playing.web`` over WebAssembly.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from cyberdeck.common.text import nearest, quoted
from cyberdeck.engine import option_text
from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.engine.seats import checked_seat
from cyberdeck.errors import OptionError
from cyberdeck.views.kept import Kept
from cyberdeck.views.record import Record
from cyberdeck.views.view import View


class Position(Protocol):
    """A game that stands somewhere, and can go on."""

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""

    @property
    def mask(self) -> Sequence[int]:
        """1 for each action that is legal for the mover."""

    @property
    def record(self) -> Record:
        """The record as it is now, with its rules."""

    @property
    def hidden_from(self) -> Sequence[int]:
        """The seats that do not see what the mover decides now."""

    @property
    def returns(self) -> Sequence[float]:
        """What each seat has got, when the game is over."""

    @property
    def reason(self) -> str:
        """Why the game is over, in the game's word."""

    def check(self, action: int) -> None:
        """``ActionError`` if the mover cannot decide that; it may be ``RESIGNS``."""

    def step(self, action: int) -> None:
        """Decide for the mover."""

    def twin(self) -> Self:
        """The same, with all that players remember, to go its own way."""

    def ask(self, player: Any, watch: Callable[[float], bool] | None = None) -> int:
        """What a player decides for the mover, and notes for later; ``watch`` hears how much of its
        thinking is done, and says whether it is to go on.
        """

    def metrics(self, seat: int) -> list[tuple[str, int]]:
        """What the game counts, from a seat's view."""


class Hint(NamedTuple):
    """A move, who would choose it, and what that one thinks of moves, the best first."""

    player: str
    action: int
    worth: dict[int, str]
    believed: str = ""
    """What the seat may believe that the others see, where something is hidden."""


class Worth(NamedTuple):
    """What a position is worth to the one who decides, and who says so."""

    share: float
    """From 0, everything is lost, to 1."""
    words: str
    player: str


class Adviser(ABC):
    """Who is asked for advice, and is shown what the mover may know: a search, as long as nobody
    knows better.

    Args:
        name: the search's, with its settings.
        bound: the most that the game pays.
        alone: whether the game has one seat, which loses nothing.
    """

    def __init__(self, name: str, bound: float, alone: bool) -> None:
        self._name, self._bound, self._least = name, bound, 0.0 if alone else -bound

    @abstractmethod
    def examine(self, position: Any) -> tuple[Sequence[int], Sequence[float]]:
        """How often the search has looked at each action there, and what it expects of it."""

    def hint(self, position: Any) -> Hint:
        """What whoever decides there should do."""
        visits, values = self.examine(position)
        order = _best_first(visits, values)
        worth = {action: _signed(values[action]) for action in order if visits[action]}
        return Hint(self._name, order[0], worth)

    def worth(self, position: Any) -> Worth:
        """What a position is worth to whoever decides there."""
        visits, values = self.examine(position)
        return self._worth(values[_best_first(visits, values)[0]], self._name)

    def _worth(self, value: float, player: str) -> Worth:
        share = (value - self._least) / (self._bound - self._least)
        return Worth(min(max(share, 0.0), 1.0), _signed(value), player)


def _best_first(visits: Sequence[int], values: Sequence[float]) -> list[int]:
    return sorted(range(len(visits)), key=lambda action: (-visits[action], -values[action]))


def _signed(value: float) -> str:
    """A value with its sign. Rounded first: there is no "-0.00"."""
    return f"{round(value, 2) + 0.0:+.2f}"


class Engine(ABC):
    """A game with its options chosen, and who can play it."""

    #: The kinds of file that a finished game can be kept as.
    files: ClassVar[Sequence[str]] = ("json",)
    #: Whether it finds out what decisions gave away.
    reviews: ClassVar[bool] = False
    #: What is said of the place where its games are, if there are others elsewhere.
    here: ClassVar[str] = ""

    #: The game's name for programs.
    name: str
    #: And for people.
    title: str
    #: The seats by their names.
    agents: Sequence[str]
    #: The side of each.
    sides: Sequence[int]
    #: The names of the sides, where several seats play together.
    teams: Sequence[str]
    options: Mapping[str, Any]
    #: The options that are not as they are by default.
    chosen: Mapping[str, Any]
    #: Whether nothing is hidden from anybody.
    open: bool
    #: Whether points are counted, and not who wins.
    scored: bool
    #: What shows it.
    view: View
    #: Whether that is the plain view, which does not know who has won.
    plainly: bool
    #: All rules, as Markdown; or nothing.
    rules: str
    #: The names of all who can play it.
    players: Sequence[str]
    #: Who plays where nobody is named.
    usual: str
    #: Who is asked for hints.
    adviser: Adviser

    @property
    @abstractmethod
    def levels(self) -> Mapping[str, str]:
        """Players for people, the weakest first."""

    @property
    def how_to_play(self) -> str:
        """The rules in short, with these options."""
        return self._said(self.view.how_to_play)

    @property
    def how_to_write(self) -> str:
        """How actions are written, where people do not read that anyway."""
        return "" if self.plainly else self._said(self.view.how_to_write)

    def _said(self, told: Any) -> str:
        return str(told(self.options) if callable(told) else told)

    @abstractmethod
    def player(self, name: str) -> Any:
        """A player, which has a ``name``; or ``OptionError``."""

    @abstractmethod
    def begin(self, seed: int, players: Sequence[Any]) -> Position:
        """A new game, for these players besides the person."""

    def linked(self, letters: str) -> Any:
        """The ``FinishedGame`` in a link, or ``ReplayError``, where links can be opened."""
        raise NotImplementedError

    def page(self, kept: Kept) -> str:
        """A finished game as a page to step through, if that is one of the ``files``."""
        raise NotImplementedError

    def review(self, kept: Kept, progress: Callable[[float], None]) -> Any:
        """What the decisions of a finished game gave away, as ``Review`` of ``replay.review`` has
        it; *progress* hears how much is done.
        """
        raise OptionError(
            "What the decisions gave away is found out in Python: save the game, and give its file "
            "to cyberdeck review."
        )

    @abstractmethod
    def offered(self) -> list[dict[str, Any]]:
        """The options that change what is played, what they mean, and how they are chosen now."""

    @abstractmethod
    def choices(self) -> Mapping[str, Sequence[Any]]:
        """What each option that people may give can be, where that is listed."""

    @abstractmethod
    def games(self) -> list[dict[str, str]]:
        """Name, title and summary of every game that there is."""

    @abstractmethod
    def again(self, name: str, options: Mapping[str, Any]) -> Self:
        """A game by its name, with options as ``chosen`` had them; or ``OptionError``."""

    def another(self, name: Any, texts: Any) -> Self:
        """A game by its name, with options as people write them; or ``OptionError``."""
        self.check_name(name)
        choices, found = self.again(name, {}).choices(), {}
        for key, text in texts.items() if isinstance(texts, Mapping) else ():
            if not isinstance(text, str):
                raise OptionError(f"{quoted(key)}={quoted(text)}: an option's value is a text")
            if text.strip():  # of what is unknown the game itself complains
                known = key in choices
                found[key] = option_text.read(choices[key], text.strip()) if known else text
        return self.again(name, found)

    def check_name(self, name: Any) -> None:
        """``OptionError`` if no game is called that."""
        known = [each["name"] for each in self.games()]
        if not isinstance(name, str) or name not in known:
            near = nearest(name, known) if isinstance(name, str) else ""
            listed = ", ".join(known)
            raise OptionError(f"there is no game {quoted(name)}{self.here}{near}: choose {listed}")

    def seat_names(self, record: Record) -> list[str]:
        """What people call the seats."""
        return [self.view.seat_name(record, seat) for seat in range(len(self.agents))]

    def own_seats(self, named: str, seed: int) -> list[int]:
        """The seats that *named* names: a seat by number or name, ``random``, or a team."""
        record = self.begin(seed, ()).record  # who plays white may be drawn
        for seat, (agent, name) in enumerate(
            zip(self.agents, self.seat_names(record), strict=True)
        ):
            if named.lower() in (agent, str(seat), name.lower()):
                return [seat]
        chosen = checked_seat(self, named)
        if chosen.number == EVERY:
            raise OptionError("nobody is left to play against: name one seat, or one team")
        number = chosen.number
        if number == DRAWN:
            number = random.Random(seed).randrange(len(self.agents))
        if not chosen.team:
            return [number]
        return [seat for seat, side in enumerate(self.sides) if side == self.sides[number]]
