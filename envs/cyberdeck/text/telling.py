"""The public moves of a game in words, in order, as each seat may know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cyberdeck import showing
from cyberdeck.engine.history import Entry, Log
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.variant import Variant
from cyberdeck.views.record import Record
from cyberdeck.views.view import Between
from cyberdeck.views.words import HIDDEN, Happening, consequences


@dataclass(frozen=True)
class _Decision:
    """A decision in words, and what it has brought about."""

    turn: str
    who: str
    notation: str
    hidden_from: tuple[int, ...]
    events: dict[int | None, Sequence[Happening]]
    """To each seat; or to a spectator (None), and so to all, where there is one."""


@dataclass
class _Lines:
    """What a seat has been told."""

    told: int = 0
    """So many decisions."""
    lines: list[str] = field(default_factory=list)
    last: tuple[str, str] | None = None
    """The turn, and who decided in it, of a line that may go on."""


class Told:
    """What has been done in one game, in words.

    A decision is told by its notation, with what it has brought about; one that was made in secret
    to those who know it.
    """

    def __init__(self, variant: Variant) -> None:
        self._variant, self._view = variant, showing.view_of(variant)
        self._public = showing.has_spectators(variant)
        self._decisions: list[_Decision] = []
        self._lines: dict[int | None, _Lines] = {}
        self._seen: Record | None = None
        #: False where the game went on from a position: what led to it is not known.
        self.whole = True

    @property
    def count(self) -> int:
        """How many decisions have been told."""
        return len(self._decisions)

    def follow(self, log: Log) -> None:
        """Tell what has been done since: *log* is a later one of the same game."""
        self.whole = log.whole
        entries = log.entries[self.count :]
        for at, entry in enumerate(entries, start=1):
            after = entries[at].record if at < len(entries) else log.record
            self._decisions.append(self._told(entry, after))

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

    # --- one decision ----------------------------------------------------------------------------

    def _told(self, entry: Entry, after: showing.States) -> _Decision:
        variant, before = self._variant, entry.record
        record = showing.reader(variant, before)
        return _Decision(
            turn=self._view.turn(record),
            who=self._view.seat_name(record, entry.mover) if variant.seats > 1 else "",
            notation=self._notation(record, entry),
            # Who gives up does it in front of all: the game is over.
            hidden_from=entry.hidden_from if entry.action >= 0 else (),
            events=self._events(before, after),
        )

    def _notation(self, record: Record, entry: Entry) -> str:
        if entry.action < 0:
            return "gives up"
        if self._view.notation is not None:
            return self._view.notation(record, entry.action)
        return showing.notations(self._variant, entry.record)[entry.action]

    def _events(
        self, before: showing.States, after: showing.States
    ) -> dict[int | None, Sequence[Happening]]:
        """What a decision brought about and does not say itself."""
        if not self._public:
            seats = range(self._variant.seats)
            told = {seat: showing.story(self._variant, before, after, (seat,)) for seat in seats}
            return {seat: consequences(told[seat]) for seat in seats}
        variant, old = self._variant, self._seen
        if old is None:
            old = showing.reader(variant, showing.public(variant, before))
        new = self._seen = showing.reader(variant, showing.public(variant, after))
        carried_out = [
            showing.reader(variant, each) for each in phases_between(variant.game, before, after)
        ]
        told_to_all = self._view.story(old, new, None, Between(None, carried_out))
        return {None: consequences(told_to_all)}

    # --- as lines --------------------------------------------------------------------------------

    def _tell(self, known: _Lines, seat: int | None) -> None:
        # Where all decide at the same time it says nothing that somebody has.
        at_once = self._variant.game.simultaneous
        for decision in self._decisions[known.told :]:
            _add(known, decision, seat, at_once)
        known.told = len(self._decisions)


def _add(known: _Lines, decision: _Decision, seat: int | None, at_once: bool) -> None:
    """Tell a decision to a seat, on the last line, if that is of the same turn."""
    turn, who = decision.turn, decision.who
    head = ", ".join(filter(None, (turn, who)))
    hidden = seat in decision.hidden_from if seat is not None else bool(decision.hidden_from)
    if hidden:
        line = f"{head} {HIDDEN}"
        if not at_once and line not in known.lines[-1:]:
            known.lines.append(line)
            known.last = None
    elif turn and known.last == (turn, who):
        known.lines[-1] += f", {decision.notation}"
    else:
        known.lines.append(f"{head}: {decision.notation}" if head else decision.notation)
        known.last = turn, who
    for event in decision.events.get(seat, decision.events.get(None, ())):
        if event.phase or hidden:
            known.lines.append(f"{turn}, {event.line}" if turn else event.line)
            known.last = None
        else:
            known.lines[-1] += f" [{event.line}]"
