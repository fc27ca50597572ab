"""A finished game: to look at, position by position, to keep, and to learn from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from cyberdeck.play.engine import Engine
from cyberdeck.play.game import Game
from cyberdeck.play.narrator import EVERYTHING, seated
from cyberdeck.views import kept
from cyberdeck.views.kept import Kept
from cyberdeck.views.scene import Scene

#: Who judges, for each kind of judgement, as people call it.
_CALLED: Final = {"exact": "the solver", "search": "search"}


class Judged(NamedTuple):
    """A decision that left a choice, and what it gave away: in rewards of the game's outcome."""

    decision: int
    """Its number, from 1."""
    seat: int
    action: int
    move: str
    """The action in notation."""
    best: int
    """The best action; the one that was taken, if none is better."""
    best_move: str
    lost: float
    """How much more the best one brings, on average."""
    noise: float
    """The standard error of that. 0 where it is exact, or a search takes the same action."""
    by: str
    """Who says so: "exact" or "search", with its settings."""

    @property
    def kind(self) -> str:
        """Exact, or by search."""
        return self.by.partition(":")[0]

    @property
    def told(self) -> str:
        """What was given away, and plus or minus what."""
        return with_noise(self.lost, self.noise)

    @property
    def words(self) -> str:
        """All of it in a line."""
        better = "" if self.best == self.action else f"; best: {self.best_move}"
        return f"{self.move} gave away {self.told}{better} ({self.kind})"


def with_noise(lost: float, noise: float) -> str:
    """A number, and plus or minus what.

    >>> with_noise(0.5, 0.0), with_noise(0.25, 0.031)
    ('0.50', '0.25 ± 0.03')
    """
    return f"{round(lost, 2) + 0.0:.2f}" + (f" ± {noise:.2f}" if noise else "")


class FinishedGame:
    """A finished game as its player may know it, or all of it where nobody of it is here.

    Args:
        engine: has played it.
        game: a game that is over; it may be taken back after that.
        players: who played each seat; or nobody, if nobody says it.
        own: the seats whose view is shown; none: everything is.
    """

    def __init__(
        self, engine: Engine, game: Game, players: Sequence[str], own: Sequence[int] = ()
    ) -> None:
        self.engine, self.seed, self.own = engine, game.seed, tuple(own)
        self.players = list(players)
        self.log, self._position = tuple(game.log), game.position
        self._onlooker = seated(*own) if own else EVERYTHING
        self._records = [*(each.record for each in self.log), game.record]
        self.names = self.engine.seat_names(self._records[0])
        self._ending = game.ending_for(EVERYTHING)
        if self.log and self.log[-1].resigns:
            why = f"{self.names[self.log[-1].mover]} resigned"
            self._ending = self._ending._replace(why=why)
        self._reviewing = threading.Lock()
        self._review: Any = None

    @property
    def kept(self) -> Kept:
        """All that its course comes from."""
        engine, actions = self.engine, [decision.action for decision in self.log]
        return Kept(engine.name, self.seed, actions, engine.chosen, self.players)

    def __len__(self) -> int:
        """Decisions."""
        return len(self.log)

    # --- to look at ------------------------------------------------------------------------------

    def summary(self) -> dict[str, Any]:
        """What it was, and every decision in words."""
        engine, players = self.engine, self.players or [""] * len(self.engine.agents)
        course = self.names, players, engine.sides, engine.teams, self._position.returns
        return {
            "title": engine.title,
            "headline": kept.headline(*course, self._ending.words),
            "options": [f"{name}={value}" for name, value in engine.chosen.items()],
            "alone": len(engine.agents) < 2,
            "reviews": engine.reviews,
            "moves": [
                {
                    "who": self.names[each.mover],
                    "words": each.words_for(self._onlooker),
                    "short": "" if each.resigns or each.is_hidden(self._onlooker) else each.short,
                }
                for each in self.log
            ],
        }

    def picture(self, at: int, theme: str, narrow: bool) -> str:
        """The board after *at* decisions, with what the last of them has changed; and what was done
        there and what would have been better, where that is known.
        """
        judged = {each["at"]: [each["action"], each["bestAction"]] for each in self._points()}
        before = self._records[at - 1] if at else None
        scene = Scene(self.engine.view, self._records[at], self._onlooker.viewer, before)
        return scene.picture(judged.get(at), theme, narrow, bare=True)

    # --- to keep ---------------------------------------------------------------------------------

    def file(self, kind: str) -> dict[str, str]:
        """Its name, type and text, as a kind of the engine's ``files``."""
        name = f"{self.engine.name}-{self.seed}.{kind}"
        if kind == "html":
            return {"name": name, "type": "text/html", "text": self.engine.page(self.kept)}
        returns = [round(float(gain), 5) + 0.0 for gain in self._position.returns]
        entries = {
            **{"game": self.engine.name, "options": self.engine.options, "seed": self.seed},
            **{"start": None, "players": self.players, "title": "", "notes": ""},
            "result": {"returns": returns, "reason": self._position.reason},
            "actions": self.kept.actions,
        }
        return {"name": name, "type": "application/json", "text": kept.lines(entries)}

    def link(self) -> str:
        """The letters that hold all of it."""
        return kept.packed(self.kept)

    # --- to learn from ---------------------------------------------------------------------------

    def review(self, progress: Callable[[float], None]) -> dict[str, Any]:
        """What the decisions gave away, as far as who looks may know them; it takes its time.

        *progress* hears how much is done, from 0 to 1.
        """
        with self._reviewing:
            if self._review is None:
                self._review = self.engine.review(self.kept, progress)
        kinds = dict.fromkeys(each.kind for each in self._review.judged)
        return {"points": self._points(), "by": [_CALLED[kind] for kind in kinds]}

    def _points(self) -> list[dict[str, Any]]:
        judged: Sequence[Judged] = () if self._review is None else self._review.judged
        every = self.engine.open or not self.own
        return [
            {
                "at": each.decision - 1,
                "who": self.names[each.seat],
                "own": each.seat in self.own,
                "action": each.action,
                "bestAction": each.best,
                "move": each.move,
                "best": "" if each.best == each.action else each.best_move,
                "lost": each.lost,
                "told": each.told,
                # What may as well be nothing is not called a mistake.
                "sure": each.lost > 2 * each.noise,
                "by": each.kind,
            }
            for each in judged
            if every or each.seat in self.own
        ]
