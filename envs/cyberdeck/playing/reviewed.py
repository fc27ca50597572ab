"""A finished game, position by position, with what its decisions gave away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from cyberdeck.playing.engine import Engine
from cyberdeck.playing.looking_back import LookingBack
from cyberdeck.replay import Replay
from cyberdeck.replay.frames import Judged
from cyberdeck.replay.review import Review, review


class Reviewed(LookingBack):
    """The same with a review, as far as who looks may know it.

    Args:
        engine: plays the game of the *replay*.
        own: the seats whose view is shown; none: everything is.
    """

    reviews = True

    def __init__(self, engine: Engine, replay: Replay, own: Sequence[int] = ()) -> None:
        super().__init__(engine, replay.seed or 0, replay.actions, replay.players, own)
        self.replay = replay
        self._reviewing = threading.Lock()
        self._review: Review | None = None

    def choices(self, at: int) -> list[int] | None:
        """What was done there and what would have been better, where that is known."""
        known = {each["at"]: [each["action"], each["bestAction"]] for each in self._points()}
        return known.get(at)

    def reviewed(self, progress: Callable[[float], None]) -> dict[str, Any]:
        """What the decisions gave away, as far as who looks may know them; it takes its time.

        *progress* hears how much is done, from 0 to 1.
        """
        with self._reviewing:
            if self._review is None:
                self._review = review(self.replay, progress=lambda row: progress(row / len(self)))
        return {"points": self._points(), "by": self._review.notes()}

    def _points(self) -> list[dict[str, Any]]:
        judged = () if self._review is None else self._review.judged
        every = self.replay.variant.game.open or not self.own
        return [self._point(each) for each in judged if every or each.seat in self.own]

    def _point(self, judged: Judged) -> dict[str, Any]:
        return {
            "at": judged.decision - 1,
            "who": self.names[judged.seat],
            "own": judged.seat in self.own,
            "action": judged.action,
            "bestAction": judged.best,
            "move": judged.move,
            "best": "" if judged.best == judged.action else judged.best_move,
            "lost": judged.lost,
            "told": judged.told,
            # What may as well be nothing is not called a mistake.
            "sure": judged.lost > 2 * judged.noise,
            "by": judged.kind,
        }
