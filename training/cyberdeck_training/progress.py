"""What a run shows on the terminal while it goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from tqdm import tqdm

from cyberdeck.common.statistics import shown
from cyberdeck.evaluation import Evaluation


class Progress:
    """A bar with decisions a second and the current rates; above it a line each evaluation."""

    def __init__(self, decisions: int, done: int) -> None:
        self._total = decisions
        self._bar = tqdm(
            total=decisions,
            initial=done,
            unit=" decisions",
            unit_scale=True,
            smoothing=0.05,
            disable=None,  # where nobody watches
        )
        self._done = done
        self._games: deque[Mapping[str, Any]] = deque(maxlen=20)

    def update(self, decisions: int, games: Mapping[str, Any]) -> None:
        """So far *decisions*; *games*: what ``GameCounts`` gave."""
        now = min(decisions, self._total)
        self._bar.update(now - self._done)
        self._done = now
        if games.get("games"):
            self._games.append(games)
        if not self._games:
            return
        count = sum(each["games"] for each in self._games)

        def mean(name: str) -> float:
            return float(sum(each[name] * each["games"] for each in self._games) / count)

        parts = [f"return {mean('mean_return'):+.2f}"]
        if "win" in self._games[-1]:
            parts += [f"{name} {100 * mean(name):.0f}%" for name in ("win", "draw", "loss")]
        self._bar.set_postfix_str(", ".join(parts))

    def evaluated(self, decisions: int, result: Evaluation, best: bool) -> None:
        """An evaluation in one line above the bar; a star marks the best so far."""
        parts = []
        for record in result.records:
            if record.side == "both":
                parts.append(f"against {record.opponent} {shown(record.points)}")
            elif record.side == "-":
                parts.append(f"won {shown(record.points)}")
        parts += [f"{name} {shown(mean)}" for name, mean in result.metrics.items()]
        mark = " *" if best else ""
        self._bar.write(f"{decisions:>13,}: {', '.join(parts)}{mark}")

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()
