"""A game in progress: where it stands, what has been decided, and who plays which seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from cyberdeck.engine.constants import NOBODY
from cyberdeck.errors import OptionError
from cyberdeck.play.engine import Engine, Position
from cyberdeck.play.narrator import Decision, Onlooker
from cyberdeck.views import notation
from cyberdeck.views.record import Record
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import Ending, View

PERSON: Final = "person"


class Game:
    """A game in progress.

    Args:
        view: what shows it.
        position: where it begins.
        seed: what was dealt.
        players: who plays which seat; others decide elsewhere.
    """

    def __init__(
        self, view: View, position: Position, seed: int, players: Mapping[int, Any] | None = None
    ) -> None:
        self.view, self.seed = view, seed
        self.players = dict(players or {})
        #: Where it stands, with all that players remember.
        self.position = position
        #: The record there.
        self.record: Record = self.position.record
        #: Everybody's decisions so far.
        self.log: list[Decision] = []

    @classmethod
    def played(cls, engine: Engine, seed: int, actions: Iterable[int]) -> Game:
        """A game that is over, by its decisions, or ``CyberdeckError``."""
        game = cls(engine.view, engine.begin(seed, ()), seed)
        for action in actions:
            if game.over:
                raise OptionError("it goes on after the end")
            game.position.check(action)
            game.step(action)
        if not game.over:
            made = len(game.log)
            raise OptionError(f"after decision {made}, the last, the game is not over")
        return game

    @property
    def mover(self) -> int:
        """The seat to decide, -1 at the end."""
        return self.position.mover

    @property
    def over(self) -> bool:
        """Whether nobody has to decide any more."""
        return self.mover == NOBODY

    @property
    def actions(self) -> list[int]:
        """Everybody's decisions so far, by their numbers."""
        return [decision.action for decision in self.log]

    @property
    def legal(self) -> list[int]:
        """What the mover may decide."""
        return [action for action, possible in enumerate(self.position.mask) if possible]

    @property
    def notations(self) -> dict[int, str]:
        """The same in notation."""
        return notation.notations(self.view, self.record, self.position.mask)

    def seat_name(self, seat: int) -> str:
        """What people call a seat."""
        return self.view.seat_name(self.record, seat)

    def player_name(self, seat: int) -> str:
        """Who plays a seat."""
        return str(self.players[seat].name) if seat in self.players else PERSON

    # --- going on --------------------------------------------------------------------------------

    def step(self, action: int) -> Decision:
        """Decide for the mover, what is legal or ``RESIGNS``."""
        mover, hidden_from, before = self.mover, self.position.hidden_from, self.record
        self.position.step(action)
        self.record = self.position.record
        decision = Decision(self.view, mover, action, before, self.record, hidden_from)
        self.log.append(decision)
        return decision

    def ask(self, twin: Position, watch: Callable[[float], bool] | None = None) -> int:
        """What the player decides who has to. It is asked at a *twin* of the position, in which the
        game goes on after that: meanwhile the game can go on otherwise.
        """
        return twin.ask(self.players[twin.mover], watch)

    # --- the end ---------------------------------------------------------------------------------

    def ending_for(self, onlooker: Onlooker) -> Ending:
        """How it ended."""
        return Scene(self.view, self.record, onlooker.viewer).ending
