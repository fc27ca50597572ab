"""The public moves of a game in words, in order, as each seat may know them."""

from __future__ import annotations

from dataclasses import dataclass, field

from cyberdeck import showing
from cyberdeck.engine.history import Log
from cyberdeck.engine.variant import Variant
from cyberdeck.play.compiled import decisions
from cyberdeck.play.narrator import SPECTATOR, Decision, Onlooker, seated
from cyberdeck.views.words import HIDDEN

#: What is said of who gives up.
_GIVES_UP = "gives up"


@dataclass
class _Lines:
    """What a seat has been told."""

    told: int = 0
    """So many decisions."""
    lines: list[str] = field(default_factory=list)
    last: tuple[str, str] | None = None
    """The turn, and who decided in it, of a line that may go on."""


class Transcript:
    """What has been done in one game, line by line.

    A decision is told by its notation, with what it has brought about; one that was made in secret
    to those who know it.

    Args:
        variant: the game.
        log: its decisions, which become more while it is played; without it they come by
            ``follow``.
        whole: False where the game went on from a position: what led to it is not known.
    """

    def __init__(
        self, variant: Variant, log: list[Decision] | None = None, whole: bool = True
    ) -> None:
        self._variant, self.whole = variant, whole
        self._public = showing.has_spectators(variant)
        self._log = [] if log is None else log
        self._lines: dict[int | None, _Lines] = {}

    @property
    def count(self) -> int:
        """How many decisions have been told."""
        return len(self._log)

    def follow(self, log: Log) -> None:
        """Tell what has been done since: *log* is a later one of the same game."""
        self.whole = log.whole
        last = self._log[-1].after if self._log else None
        self._log += decisions(log, self.count, last)

    def lines(self, seat: int | None) -> list[str]:
        """All that has been done, as far as that seat may know it; or a spectator: None."""
        known = self._lines.setdefault(seat, _Lines())
        self._tell(known, seat)
        return known.lines

    def since(self, seat: int | None, count: int) -> list[str]:
        """The same without the first *count* decisions."""
        known = _Lines(count)
        self._tell(known, seat)
        return known.lines

    def _tell(self, known: _Lines, seat: int | None) -> None:
        onlooker = SPECTATOR if seat is None else seated(seat)
        for decision in self._log[known.told :]:
            self._add(known, decision, onlooker)
        known.told = len(self._log)

    def _add(self, known: _Lines, decision: Decision, onlooker: Onlooker) -> None:
        """Tell a decision to a seat, on the last line, if that is of the same turn."""
        turn, who = decision.turn, decision.who if self._variant.seats > 1 else ""
        head = ", ".join(filter(None, (turn, who)))
        done = _GIVES_UP if decision.resigns else decision.notation
        hidden = decision.is_hidden(onlooker)
        if hidden:
            line = f"{head} {HIDDEN}"
            # Where all decide at the same time it says nothing that somebody has.
            if not self._variant.game.simultaneous and line not in known.lines[-1:]:
                known.lines.append(line)
                known.last = None
        elif turn and known.last == (turn, who):
            known.lines[-1] += f", {done}"
        else:
            known.lines.append(f"{head}: {done}" if head else done)
            known.last = turn, who
        # Where there are spectators, what they are told is told to all.
        for event in decision.consequences(SPECTATOR if self._public else onlooker):
            if event.phase or hidden:
                known.lines.append(f"{turn}, {event.line}" if turn else event.line)
                known.last = None
            else:
                known.lines[-1] += f" [{event.line}]"
