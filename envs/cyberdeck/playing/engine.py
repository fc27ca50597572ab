"""What plays a game behind a table: its rules and its players, wherever these run.

A table and its sessions know no NumPy and no compiled loops: they ask an ``Engine``. In Python that
is ``playing.compiled``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.engine.seats import Seated, checked_seat
from cyberdeck.errors import OptionError
from cyberdeck.views.record import Record
from cyberdeck.views.view import View


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

    def hidden_from(self, seat: int) -> bool:
        """Whether that seat does not see what the mover decides now."""

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

    def returns(self) -> Sequence[float]:
        """What each seat has got, when the game is over."""

    def metrics(self, seat: int) -> list[tuple[str, int]]:
        """What the game counts, from a seat's view."""


class Adviser(Protocol):
    """Who is asked for advice; it is shown what the person's seat may know."""

    def hint(self, position: Any) -> Hint:
        """What whoever decides there should do."""

    def worth(self, position: Any) -> Worth:
        """What a position is worth to whoever decides there."""


class LookingBack(Protocol):
    """A finished game, position by position."""

    def told(self) -> dict[str, Any]:
        """What it was, every decision in words, and whether it can be ``reviewed`` here."""

    def picture(self, at: int, theme: str, narrow: bool) -> str:
        """The board after *at* decisions."""

    def reviewed(self, progress: Callable[[float], None]) -> dict[str, Any]:
        """What the decisions gave away; *progress* hears how much is done."""

    def __len__(self) -> int:
        """Decisions."""


class Finished(Protocol):
    """A finished game as it can be kept."""

    def file(self, kind: str) -> dict[str, str]:
        """Its name, type and text, as a kind of the engine's ``files``."""

    def link(self) -> str:
        """The letters that hold all of it."""

    def back(self, own: Sequence[int]) -> LookingBack:
        """The same to look at, from these seats."""


class Engine(Seated, Protocol):
    """A game with its options chosen, and who can play it."""

    @property
    def name(self) -> str:
        """The game's name for programs."""

    @property
    def title(self) -> str:
        """And for people."""

    @property
    def chosen(self) -> Mapping[str, Any]:
        """The options that are not as they are by default."""

    @property
    def view(self) -> View:
        """What shows it."""

    @property
    def shown_plainly(self) -> bool:
        """Whether that is the plain view, which does not know who has won."""

    @property
    def scored(self) -> bool:
        """Whether points are counted, and not who wins."""

    @property
    def how_to_play(self) -> str:
        """The rules in short, with these options."""

    @property
    def how_to_write(self) -> str:
        """How actions are written, where people do not read that anyway."""

    @property
    def rules(self) -> str:
        """All rules, as Markdown; or nothing."""

    @property
    def players(self) -> Sequence[str]:
        """The names of all who can play it."""

    @property
    def usual(self) -> str:
        """Who plays where nobody is named."""

    @property
    def levels(self) -> Mapping[str, str]:
        """Players for people, the weakest first."""

    @property
    def adviser(self) -> Adviser:
        """Who is asked for hints."""

    @property
    def files(self) -> Sequence[str]:
        """The kinds of file that a finished game can be kept as."""

    def player(self, name: str) -> Any:
        """A player, which has a ``name``; or ``OptionError``."""

    def begin(self, seed: int, players: Sequence[Any]) -> Position:
        """A new game, for these players besides the person."""

    def offered(self) -> list[dict[str, Any]]:
        """The options that change what is played, what they mean, and how they are chosen now."""

    def games(self) -> list[dict[str, str]]:
        """Name, title and summary of every game that there is."""

    def another(self, name: Any, texts: Any) -> Engine:
        """A game by its name, with options as people write them; or ``OptionError``."""

    def again(self, name: str, options: Mapping[str, Any]) -> Engine:
        """A game by its name, with options as ``chosen`` had them; or ``OptionError``."""

    def finished(self, seed: int, actions: Sequence[int], players: Sequence[str]) -> Finished:
        """A game that is over."""

    def linked(self, letters: str) -> LookingBack:
        """The game in a link, or ``ReplayError``."""


def seat_names(engine: Engine, record: Record) -> list[str]:
    """What people call the seats."""
    return [engine.view.seat_name(record, seat) for seat in range(len(engine.agents))]


def own_seats(engine: Engine, named: str, seed: int) -> list[int]:
    """The seats that *named* names: a seat by number or name, ``random``, or a team."""
    record = engine.begin(seed, ()).record  # who plays white may be drawn
    for seat, (agent, name) in enumerate(
        zip(engine.agents, seat_names(engine, record), strict=True)
    ):
        if named.lower() in (agent, str(seat), name.lower()):
            return [seat]
    chosen = checked_seat(engine, named)
    if chosen.number == EVERY:
        raise OptionError("nobody is left to play against: name one seat, or one team")
    number = chosen.number
    if number == DRAWN:
        number = random.Random(seed).randrange(len(engine.agents))
    if not chosen.team:
        return [number]
    return [seat for seat, side in enumerate(engine.sides) if side == engine.sides[number]]
