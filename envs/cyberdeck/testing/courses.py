"""Games played by plain Python, and the same with other dice or decisions, as a seat sees them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Record
from cyberdeck.engine.history import HIDDEN
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hidden_from
from cyberdeck.engine.variant import Variant

DECISIONS: Final = 200  # of a course


@dataclass
class Course:
    """A game that was played, with all that is needed to play it otherwise."""

    seed: int
    throws: list[Any] = field(default_factory=list)  # 64 bits each
    decisions: list[int] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)  # before each decision, and the last
    thrown: list[int] = field(default_factory=list)  # throws until there
    looks: list[list[bytes]] = field(default_factory=list)  # what each seat knew there
    hidden: list[tuple[int, ...]] = field(default_factory=list)  # from whom each decision was

    def told(self, seat: int, at: int) -> int:
        """A decision as that seat is told it."""
        return HIDDEN if seat in self.hidden[at] else self.decisions[at]


class Pair(NamedTuple):
    """Two positions that a seat cannot tell apart."""

    course: Course
    at: int  # decisions until there
    seat: int
    record: Record
    twin: Record
    before: Record  # the twin's last position
    told: list[int]  # the twin's decisions, as the seat is told them
    changed: int | None  # the one decision that is another, if nothing else was changed

    @property
    def ways(self) -> tuple[tuple[Record, Record], tuple[Record, Record]]:
        """Both positions, each with the one before it."""
        old = self.course.records[max(self.at - 1, 0)]
        return (self.record, old), (self.twin, self.before)

    def first_apart(self, name: str) -> tuple[str, list[int]]:
        """The first place where both differ in a field, and the value of each there."""
        held = [np.atleast_1d(each[name][0]) for each in (self.record, self.twin)]
        at = tuple(np.argwhere(held[0] != held[1])[0].tolist())
        where = f"{name}{list(at)}" if self.record[name].ndim > 1 else name
        return where, [int(each[at]) for each in held]


class Courses:
    """Plays one game in plain Python, and plays it otherwise."""

    def __init__(self, variant: Variant, careful: Careful, random: np.random.Generator) -> None:
        self.variant, self.game, self.careful, self.random = variant, variant.game, careful, random
        self.seats = range(variant.seats)
        names = ("shuffle", "start", "act", "withdraw_secret_actions")
        #: Kernels in plain Python.
        self.k = {name: careful.kernel(name) for name in names}
        self.steps = 0  # decisions that were made again

    def played(self, seed: int) -> Course:
        """A game by random decisions."""
        course = Course(seed)
        with self._throwing(course.throws, {}):
            record = self._begun(seed)
            while True:
                course.records.append(record.copy())
                course.thrown.append(len(course.throws))
                course.looks.append([self.known(record, seat) for seat in self.seats])
                mask = self.mask(record)
                if not mask.any() or len(course.decisions) == DECISIONS:
                    return course
                course.hidden.append(hidden_from(self.game, record))
                course.decisions.append(int(self.random.choice(np.flatnonzero(mask))))
                self.k["act"](record[0], course.decisions[-1])

    def _begun(self, seed: int) -> Record:
        """A record in which a game has begun."""
        record = self.variant.blank()
        record["dice"] = dice.seeded(seed)
        self.k["shuffle"](record[0])
        self.k["start"](record[0])
        return record

    def otherwise(self, course: Course, seat: int, secretly: bool) -> Iterator[Pair]:
        """The same game with other dice, or another decision: each position for as long as the seat
        cannot tell it from that of *course*.
        """
        changes = self._other_throws(course)
        decisions = self._other_decisions(course, seat, secretly)
        if decisions and not secretly and self.random.random() < 0.5:
            changes = {}
        if not changes and not decisions:
            return
        changed = None if changes else min(decisions)
        first = min([len(course.decisions), *decisions])
        if changes:  # a throw before the first decision is made in that of number -1
            first = min(first, int(np.searchsorted(course.thrown, min(changes), "right")) - 1)
        made = course.throws[: course.thrown[first] if first >= 0 else 0]
        with self._throwing(made, changes, course.throws):
            if first >= 0:
                record = course.records[first].copy()
            else:
                record = self._begun(course.seed)
                if self.known(record, seat) != course.looks[0][seat]:
                    return
                start = record.copy()
                yield Pair(course, 0, seat, course.records[0], start, start, [], changed)
            told = [course.told(seat, at) for at in range(max(first, 0))]
            for at in range(max(first, 0), len(course.decisions)):
                action = decisions.get(at, course.decisions[at])
                if not self.mask(record)[action]:
                    return
                before = record.copy()
                self.steps += 1
                told.append(HIDDEN if seat in hidden_from(self.game, record) else action)
                self.k["act"](record[0], action)
                if self.known(record, seat) != course.looks[at + 1][seat]:
                    return
                now, then = record.copy(), course.records[at + 1]
                yield Pair(course, at + 1, seat, then, now, before, told[:], changed)

    def _other_throws(self, course: Course) -> dict[int, Any]:
        """Other bits for some throws, by their number."""
        count = len(course.throws)
        if not count:
            return {}
        many = int(self.random.choice([0, 1, 1, 2, 3, count]))
        chosen = self.random.permutation(count)[:many].tolist()
        return {at: np.uint64(self.random.integers(1 << 64, dtype=np.uint64)) for at in chosen}

    def _other_decisions(self, course: Course, seat: int, secretly: bool) -> dict[int, int]:
        """Another decision in place of one that another seat made, by its number; or none.

        *secretly*: in place of one that the seat did not see, or else of one that it saw.
        """
        places = [
            at
            for at in range(len(course.decisions))
            if course.records[at]["mover"][0] != seat and (seat in course.hidden[at]) == secretly
        ]
        if not places or (secretly and self.random.random() < 0.3):
            return {}
        at = int(self.random.choice(places))
        return {at: int(self.random.choice(np.flatnonzero(self.mask(course.records[at]))))}

    @contextlib.contextmanager
    def _throwing(
        self, made: list[Any], changes: Mapping[int, Any], old: Sequence[Any] = ()
    ) -> Iterator[None]:
        """Note all throws in *made*. They are those of *changes*, or else of *old*, that have the
        same number.
        """

        def thrown(bits: Any) -> Any:
            at = len(made)
            made.append(changes.get(at, old[at] if at < len(old) else bits))
            return made[at]

        self.careful.thrown = thrown
        try:
            yield
        finally:
            self.careful.thrown = None

    def mask(self, record: Record) -> NDArray[np.int8]:
        """The mover's mask: all zeros if the game is over."""
        mover = int(record["mover"][0])
        if mover == NOBODY:
            return np.zeros(self.variant.action_count, np.int8)
        return self.variant.look(record, mover)[0]

    def known(self, record: Record, seat: int) -> bytes:
        """All that the seat knows: its observation, mask and last reward, and the mover."""
        mask, seen, _ = self.variant.look(record, seat)
        got = (seen, mask, record["mover"], record["reward"][0, seat])
        return b"".join(each.tobytes() for each in got)
