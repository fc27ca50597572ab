"""What plays a game: its rules and its players, wherever these run.

A game in progress knows no NumPy and no compiled loops: it asks an ``Engine``. There are two: in
Python ``play.compiled``, in the browser ``playing.web`` over WebAssembly.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Protocol, Self

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


class Judgment(NamedTuple):
    """What moves bring whoever decides from here on, and who says so."""

    player: str
    """As a sentence begins."""
    values: dict[int, float]
    """By action, the best first: of those that were tried often enough to say."""
    exact: bool = False


class Hint(NamedTuple):
    """A move, and who would choose it."""

    player: str
    action: int
    worth: dict[int, str]
    """What that one thinks of moves, the best first."""
    outlook: str = ""
    """What the position is worth, as ``Worth`` says it."""
    believed: str = ""
    """What the seat may believe that the others see, where something is hidden."""


class Worth(NamedTuple):
    """What a position is worth to the one who decides, and who says so."""

    share: float | None
    """From 0, a loss, to 1, a win; or of the range of a score. None if that has none."""
    words: str
    player: str


#: A move's number is shown if it was tried at least this share of how often any was.
ENOUGH: Final = 0.25

#: Where no rounding makes two values unequal.
_CLOSE: Final = 1e-6

#: How somebody stands, from so many percent on; below the first one is losing.
_OUTLOOKS: Final = (
    (25, "you are behind"),
    (45, "about even"),
    (55, "you are ahead"),
    (75, "you are winning"),
)


def outlook(share: float) -> str:
    """How somebody stands who has that chance to win, a draw counting half.

    >>> outlook(0.78), outlook(0.5)
    ('you are winning, 78%', 'about even, 50%')
    """
    percent, words = round(100 * share), "you are losing"
    for least, said in _OUTLOOKS:
        words = said if percent >= least else words
    return f"{words}, {percent}%"


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
    #: Players for people, the weakest first.
    levels: Mapping[str, str]
    #: Who plays where nobody is named.
    usual: str
    #: The most that a decision is paid, and the least with a minus.
    bound: float

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

    # --- advice ----------------------------------------------------------------------------------

    @abstractmethod
    def examine(self, position: Any) -> tuple[Sequence[int], Sequence[float]]:
        """How often the search has looked at each action there, and what it expects of it: it is
        shown what the mover may know.
        """

    def judge(self, position: Any) -> Judgment:
        """What the moves there are worth, as hints and evaluation have it."""
        visits, values = self.examine(position)
        enough = ENOUGH * max(visits)
        tried = [action for action, count in enumerate(visits) if count >= enough]
        tried.sort(key=lambda action: (-values[action], -visits[action]))
        return Judgment("Search", {action: values[action] for action in tried})

    def hint(self, position: Any) -> Hint:
        """What whoever decides there should do."""
        return self._advice(self.judge(position))

    def _advice(self, judgment: Judgment, liked: int = -1) -> Hint:
        """The best move; of equals the *liked* one."""
        _, values, exact = judgment
        best = next(iter(values))
        worth = {action: self._number(value, exact) for action, value in values.items()}
        action = liked if values.get(liked) == values[best] else best
        return Hint(judgment.player, action, worth, self._rated(judgment).words)

    def worth(self, position: Any) -> Worth:
        """What a position is worth to whoever decides there: what the best move brings."""
        return self._rated(self.judge(position))

    def _rated(self, judgment: Judgment) -> Worth:
        value, exact = next(iter(judgment.values.values())), judgment.exact
        about = "" if exact else "about "
        share = self._share(value)
        if share is None:
            words = f"{about}{_signed(value).removeprefix('+')} more points"
        elif self.scored:
            words = f"worth {about}{_signed(value)}"
        else:
            words = (exact and self._result(value)) or outlook(share)
        return Worth(share, words, judgment.player)

    def _share(self, value: float) -> float | None:
        """A value as a share of what can be; the score of a game for one has no range."""
        alone = len(self.agents) == 1
        if self.scored and alone:
            return None
        most = self.bound if self.scored else 1.0
        least = 0.0 if alone else -most
        return min(max((value - least) / (most - least), 0.0), 1.0)

    def _result(self, value: float) -> str:
        """The result that has this value; "" if it lies between."""
        results = {1.0: "a win", 0.0: "a draw", -1.0: "a loss"}
        if len(self.agents) == 1:
            results[0.0] = results[-1.0]
        near = round(value) + 0.0
        return results.get(near, "") if abs(value - near) < _CLOSE else ""

    def _number(self, value: float, exact: bool) -> str:
        """What a move is worth, in a list of moves."""
        share = self._share(value)
        if self.scored or share is None:
            return _signed(value)
        return (exact and self._result(value)) or _percent(share)

    # --- games that are over ---------------------------------------------------------------------

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

    # --- other games -----------------------------------------------------------------------------

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


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _signed(value: float) -> str:
    """A value with its sign. Rounded first: there is no "-0.00"."""
    digits = 2 if abs(value) < 100 else 0
    return f"{round(value, digits) + 0.0:+.{digits}f}"
