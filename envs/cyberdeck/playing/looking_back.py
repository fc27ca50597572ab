"""A finished game, position by position, with what its decisions gave away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from cyberdeck import showing
from cyberdeck.replay import Replay
from cyberdeck.replay.frames import Judged, Move, Onlooker, story
from cyberdeck.replay.review import Review, review


class LookingBack:
    """A finished game as its player may know it, or all of it where nobody of it is here.

    Args:
        replay: the game.
        own: the seats whose view is shown; none: everything is.
    """

    def __init__(self, replay: Replay, own: Sequence[int] = ()) -> None:
        self.replay, self.variant = replay, replay.variant.shown_plainly
        name = "own" if own else "everything"
        self._onlooker = Onlooker(name, own[0] if own else None, tuple(own) or None)
        self._positions = list(replay.positions())
        self._names = replay.names()
        self._reviewing = threading.Lock()
        self._review: Review | None = None

    def told(self) -> dict[str, Any]:
        """What it was, and every decision in words."""
        replay = self.replay
        moves = [
            {"who": self._names[each.mover], "words": each.words, "short": each.short}
            for each in story(replay.variant, self._positions, self._onlooker)
            if isinstance(each, Move)
        ]
        return {
            "title": replay.variant.game.title,
            "headline": replay.headline(),
            "options": [f"{name}={value}" for name, value in replay.variant.chosen.items()],
            "alone": replay.variant.seats < 2,
            "moves": moves,
        }

    def picture(self, at: int, theme: str, narrow: bool) -> str:
        """The board after *at* decisions, with what the last of them has changed."""
        variant, onlooker = self.variant, self._onlooker
        record = onlooker.record(variant, self._positions[at].record)
        before = onlooker.record(variant, self._positions[at - 1].record) if at else None
        shown = variant, record, onlooker.viewer, self._moves(at), before, theme, narrow
        return showing.picture(*shown, bare=True)

    def _moves(self, at: int) -> list[int] | None:
        """What was done there and what would have been better, where that is known."""
        known = {each["at"]: [each["action"], each["bestAction"]] for each in self._points()}
        return known.get(at)

    def __len__(self) -> int:
        """Decisions."""
        return len(self._positions) - 1

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
        every = self.variant.game.open
        return [self._point(each) for each in judged if every or self._onlooker.knows_of(each.seat)]

    def _point(self, judged: Judged) -> dict[str, Any]:
        own = self._onlooker.knows
        return {
            "at": judged.decision - 1,
            "who": self._names[judged.seat],
            "own": own is not None and judged.seat in own,
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
