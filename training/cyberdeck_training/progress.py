"""What a run shows on the terminal while it goes on, or in the file that its output goes to."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from tqdm import tqdm

from cyberdeck.common.statistics import shown
from cyberdeck.common.text import printable, tell
from cyberdeck.evaluation import Evaluation
from cyberdeck_training.words import duration

#: Seconds between two lines where nobody watches a bar.
PAUSE: Final = 10.0


class Progress:
    """Decisions a second and the current rates, and a line each evaluation.

    On a terminal that is a bar with the evaluations above it, elsewhere a line now and then.
    """

    def __init__(self, decisions: int, done: int) -> None:
        self._total = decisions
        self._watched = sys.stdout.isatty() and sys.stderr.isatty()
        self._bar = tqdm(
            total=decisions,
            initial=done,
            unit=" decisions",
            unit_scale=True,
            smoothing=0.05,
            disable=not self._watched,
        )
        self._done = self._first = done
        self._began = self._when = time.monotonic()
        self._games: deque[Mapping[str, Any]] = deque(maxlen=20)
        self._rates = ""

    def update(self, decisions: int, games: Mapping[str, Any]) -> None:
        """So far *decisions*; *games*: what ``GameCounts`` gave."""
        if games.get("games"):
            self._games.append(games)
        if self._games:
            self._rates = self._said()
            self._bar.set_postfix_str(self._rates, refresh=False)
        self.advance(decisions)

    def advance(self, decisions: int) -> None:
        """So far *decisions*; nothing new is known of the games."""
        self._bar.update(decisions - self._done)
        self._done = decisions
        if self._due() and decisions < self._total:
            speed = (decisions - self._first) / (time.monotonic() - self._began)
            left = (self._total - decisions) / speed
            parts = [f"{speed:,.0f} a second", self._rates, f"{duration(left)} left"]
            self._tell(f"of {self._total:,}, {', '.join(filter(None, parts))}")

    def measuring(self, games: int) -> None:
        """An evaluation goes on, and has played so many games."""
        if self._due():
            self._tell(f"evaluation, {games:,} games so far")

    def _due(self) -> bool:
        return not self._watched and time.monotonic() - self._when >= PAUSE

    def _said(self) -> str:
        """Means over the games of the latest updates."""
        count = sum(each["games"] for each in self._games)

        def mean(name: str) -> float:
            return float(sum(each[name] * each["games"] for each in self._games) / count)

        parts = [f"return {mean('mean_return'):+.2f}"]
        if "win" in self._games[-1]:
            parts += [f"{name} {100 * mean(name):.0f}%" for name in ("win", "draw", "loss")]
        return ", ".join(parts)

    def evaluated(self, result: Evaluation, best: bool = False, who: str = "") -> None:
        """An evaluation in one line: a star marks the best so far. *who*: the name of another
        player, on the same deals.
        """
        reached = ", ".join(f"{what} {mean}" for what, mean in measured(result).items())
        self._tell(f"{reached}{' *' if best else ''}", who)

    def _tell(self, words: str, who: str = "") -> None:
        line = printable(f"{who or format(self._done, ','):>13}: {words}", most=None)
        if self._watched:
            self._bar.write(line)
        else:
            tell(line)
        self._when = time.monotonic()
        if self._done == self._first:  # nothing is learned yet
            self._began = self._when

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()


def measured(result: Evaluation) -> dict[str, str]:
    """What a player reached, in words: against whom, or in a game for one of what, and how much."""
    alone = "won" if result.measure == "points" else "score"
    return {
        **{
            alone if each.side == "-" else f"against {each.opponent}": shown(
                getattr(each, result.measure)
            )
            for each in result.overall
        },
        **{name: shown(mean) for name, mean in result.metrics.items()},
    }
