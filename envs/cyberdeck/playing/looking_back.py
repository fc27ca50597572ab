"""A finished game, position by position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cyberdeck.engine.constants import NOBODY, RESIGNED, RESIGNS
from cyberdeck.errors import OptionError
from cyberdeck.playing.engine import Engine, seat_names
from cyberdeck.views import kept, notation, shown
from cyberdeck.views.record import Record
from cyberdeck.views.words import HIDDEN


class Step(NamedTuple):
    """A position and what was decided there; the end of the game has no mover."""

    record: Record
    mover: int
    action: int
    hidden: bool
    """Whether those who look did not see it."""


class LookingBack:
    """A finished game as its player may know it, or all of it where nobody of it is here.

    Args:
        engine: plays it, by its rules: what they do not allow is a ``CyberdeckError``.
        seed, actions, players: the game, and who played each seat.
        own: the seats whose view is shown; none: everything is.
    """

    #: Whether ``reviewed`` finds something out.
    reviews: bool = False

    def __init__(
        self,
        engine: Engine,
        seed: int,
        actions: Sequence[int],
        players: Sequence[str],
        own: Sequence[int] = (),
    ) -> None:
        self.engine, self.own = engine, tuple(own)
        self._viewer = self.own or None
        self._players = list(players) or [""] * len(engine.agents)
        position, self._steps = engine.begin(seed, ()), list[Step]()
        for action in actions:
            if position.mover == NOBODY:
                raise OptionError("it goes on after the end")
            position.check(action)
            seen = not own or position.mover in own or action == RESIGNS
            hidden = not seen and all(map(position.hidden_from, own))
            self._steps.append(Step(position.record, position.mover, action, hidden))
            position.step(action)
        if position.mover != NOBODY:
            raise OptionError(f"after decision {len(actions)}, the last, the game is not over")
        self._steps.append(Step(position.record, NOBODY, RESIGNS, False))
        self._returns = position.returns()
        self.names = seat_names(engine, self._steps[0].record)

    def told(self) -> dict[str, Any]:
        """What it was, and every decision in words."""
        engine = self.engine
        return {
            "title": engine.title,
            "headline": self._headline(),
            "options": [f"{name}={value}" for name, value in engine.chosen.items()],
            "alone": len(engine.agents) < 2,
            "reviews": self.reviews,
            "moves": [
                {"who": self.names[step.mover], **self._decided(step)} for step in self._steps[:-1]
            ],
        }

    def _headline(self) -> str:
        engine, last = self.engine, self._steps[-1]
        ending = shown.ending(engine.view, last.record, None)
        if len(self) and self._steps[-2].action == RESIGNS:
            ending = ending._replace(why=f"{self.names[self._steps[-2].mover]} resigned")
        told = self.names, self._players, engine.sides, engine.teams, self._returns, ending.words
        return kept.headline(*told)

    def _decided(self, step: Step) -> dict[str, str]:
        """A decision in words and in short."""
        if step.hidden or step.action == RESIGNS:
            return {"words": HIDDEN if step.hidden else RESIGNED, "short": ""}
        words = self.engine.view.action_name(step.record, step.action)
        mask = step.record.rules.mask((step.mover,)) or ()
        written = shown.notations(self.engine.view, step.record, mask)[step.action]
        return {"words": words, "short": notation.short(written, words)}

    def picture(self, at: int, theme: str, narrow: bool) -> str:
        """The board after *at* decisions, with what the last of them has changed."""
        record = self._steps[at].record
        before = self._steps[at - 1].record if at else None
        drawn = self.engine.view, record, self._viewer, self.choices(at), before, theme, narrow
        return shown.picture(*drawn, bare=True)

    def choices(self, at: int) -> list[int] | None:
        """The actions that are marked after *at* decisions."""
        return None

    def reviewed(self, progress: Callable[[float], None]) -> dict[str, Any]:
        """What the decisions gave away, where that can be found out."""
        raise OptionError(
            "What the decisions gave away is found out in Python: save the game, and give its file "
            "to cyberdeck review."
        )

    def __len__(self) -> int:
        """Decisions."""
        return len(self._steps) - 1
