"""Games played by plain Python, and the same with other dice or decisions, as a seat sees them.

Where seats decide at the same time, a round is a sequence to the rules: one seat after the other.
Each is asked as if it were the first, by what it saw when the round began, and a search lets the
others decide anew. What a round must keep to is below.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Record
from cyberdeck.engine.defaults import nothing_in_secret
from cyberdeck.engine.history import HIDDEN
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import deciding, hidden_from
from cyberdeck.engine.variant import Variant
from cyberdeck.testing.alike import fields_apart

DECISIONS: Final = 200  # of a course
_BACK: Final = 60  # decisions that may be taken back at once
_TRIED: Final = 12  # positions of a course in which that is tried
_WITHDRAW: Final = "withdraw_secret_actions"


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

    def move_for(self, seat: int, at: int) -> int:
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
    moves: list[int]  # the twin's decisions, as the seat is told them
    changed: int | None  # the one decision that is another, if nothing else was changed

    @property
    def ways(self) -> tuple[tuple[Record, Record], tuple[Record, Record]]:
        """Both positions, each with the one before it."""
        old = self.course.records[max(self.at - 1, 0)]
        return (self.record, old), (self.twin, self.before)

    def first_apart(self, name: str) -> tuple[str, list[int]]:
        """The first place where both differ in a field, and the value of each there."""
        values = [np.atleast_1d(each[name][0]) for each in (self.record, self.twin)]
        at = tuple(np.argwhere(values[0] != values[1])[0].tolist())
        where = f"{name}{list(at)}" if self.record[name].ndim > 1 else name
        return where, [int(each[at]) for each in values]


class Courses:
    """Plays one game in plain Python, and plays it otherwise."""

    def __init__(self, variant: Variant, careful: Careful, random: np.random.Generator) -> None:
        self.variant, self.game, self.careful, self.random = variant, variant.game, careful, random
        self.seats = range(variant.seats)
        names = ("shuffle", "start", "act", _WITHDRAW)
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
        moves = [course.move_for(seat, at) for at in range(first)]
        record = course.records[max(first, 0)].copy()
        with self._throwing(made, changes, course.throws):
            for at in range(first, len(course.decisions)):
                if at < 0:
                    record = self._begun(course.seed)
                before = record.copy()
                if at >= 0:
                    action = decisions.get(at, course.decisions[at])
                    if not self.mask(record)[action]:
                        return
                    self.steps += 1
                    moves.append(HIDDEN if seat in hidden_from(self.game, record) else action)
                    self.k["act"](record[0], action)
                if self.known(record, seat) != course.looks[at + 1][seat]:
                    return
                now, then = record.copy(), course.records[at + 1]
                yield Pair(course, at + 1, seat, then, now, before, moves[:], changed)

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
        mask, observation, _ = self.variant.look(record, seat)
        parts = (observation, mask, record["mover"], record["reward"][0, seat])
        return b"".join(each.tobytes() for each in parts)


# --- rounds ---------------------------------------------------------------------------------------


def wrong_round(courses: Courses, course: Course) -> tuple[int, str] | None:
    """The first thing that is wrong in the rounds of a course, and the number of its decision."""
    game, records = courses.game, course.records
    rounds = [deciding(game, record) for record in records]
    movers = [int(record["mover"][0]) for record in records]
    for at, mover in enumerate(movers[:-1]):
        before, after = records[at], records[at + 1]
        for seat in rounds[at]:
            still = seat in rounds[at + 1]
            if seat != mover and (what := _meanwhile(courses, before, after, seat, still)):
                return at + 1, what
    if game.withdraw_secret_actions is nothing_in_secret:
        return None
    middle = (
        at
        for at in range(1, len(records))
        if movers[at] not in (NOBODY, movers[at - 1]) and movers[at] in rounds[at - 1]
    )
    for at in itertools.islice(middle, _TRIED):
        if what := _not_taken_back(courses, course, at):
            return at, what
    return None


def _meanwhile(courses: Courses, before: Record, after: Record, seat: int, still: bool) -> str:
    """The fault that something changes for a seat of the round when the mover has decided.

    still: whether the seat is one of the round then.
    """
    variant = courses.variant
    agent, other = (variant.agents[each] for each in (seat, int(before["mover"][0])))
    says = f"acts_simultaneously says that {agent} decides at the same time as {other}"
    if not still:
        return f"{says}, but is no longer true of {agent} once {other} has decided"
    asked = [before.copy(), after.copy()]
    for record in asked:
        record["mover"] = seat
    masks = [variant.look(record, seat)[0] for record in asked]
    if not np.array_equal(masks[0], masks[1]):
        return f"{says}, but {other}'s decision changes what {agent} may do"
    views = [variant.look(record, seat)[1] for record in (before, after)]
    if not np.array_equal(views[0], views[1]):
        return f"{says}, but {other}'s decision changes what {agent} observes"
    return ""


def _not_taken_back(courses: Courses, course: Course, at: int) -> str:
    """The fault of taking back the others' decisions for the mover and making them again."""
    records, decisions, look = course.records, course.decisions, courses.variant.look
    here = records[at]
    seat = int(here["mover"][0])
    taken = here.copy()
    courses.k[_WITHDRAW](taken[0], seat)
    agent = courses.variant.agents[seat]
    if not fields_apart(taken, here):
        is_secret = _is_secret(courses, records[at - 1], here)
        return f"{_WITHDRAW} takes nothing back for {agent}" if is_secret else ""
    if int(here["decisions"][0]) <= int(taken["decisions"][0]):
        return (
            f"{_WITHDRAW} takes decisions back for {agent}, but state.decisions still counts them"
        )
    fewest = list[str]()
    for first in range(at - 1, max(-1, at - _BACK), -1):
        again = taken.copy()
        for then in range(first, at):
            if again["mover"][0] != records[then]["mover"][0]:
                continue  # it was known, and has been left as it was
            if not look(again, int(again["mover"][0]))[0][decisions[then]]:
                break
            courses.k["act"](again[0], decisions[then])
        apart = fields_apart(again, here)
        if not apart:
            return ""
        fewest = min(fewest or apart, apart, key=len)
    what = "the same decisions do not lead back to the same record"
    return f"after {_WITHDRAW} for {agent}, {what}: look at {' and '.join(fewest)}"


def _is_secret(courses: Courses, before: Record, here: Record) -> bool:
    """True if the mover does not see what the one before it has decided."""
    look, seat = courses.variant.look, int(here["mover"][0])
    for action in np.flatnonzero(courses.mask(before)):
        other = before.copy()
        courses.k["act"](other[0], int(action))
        alike = all(map(np.array_equal, look(here, seat)[:2], look(other, seat)[:2]))
        if alike and fields_apart(other, here):
            return True
    return False


def left_in_round(courses: Courses, pair: Pair) -> str:
    """The fault that another seat's decision in this round, once taken back, still shows."""
    game = courses.game
    own = game.withdraw_secret_actions is not nothing_in_secret
    if not own or pair.changed is None or pair.record["mover"][0] != pair.seat:
        return ""
    then = pair.course.records[pair.changed : pair.at]
    if not all(pair.seat in deciding(game, each) for each in then):
        return ""  # of a round before this one
    taken = [pair.record.copy(), pair.twin.copy()]
    for each in taken:
        courses.k[_WITHDRAW](each[0], pair.seat)
    names, agents = fields_apart(*taken), courses.variant.agents
    if not names:
        return ""
    other = agents[int(then[0]["mover"][0])]
    return (
        f"{_WITHDRAW} for {agents[pair.seat]} leaves {' and '.join(names)} as {other} has decided: "
        "take back all that was decided in this round"
    )
