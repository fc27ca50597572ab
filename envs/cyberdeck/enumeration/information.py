"""What a seat knows: beliefs over positions, and information sets.

A *belief* is positions that a seat cannot tell apart, with how likely each is. Between two
decisions of a seat others decide, perhaps several times: ``Waits`` says where the game may be when
the seat decides next. ``Walk`` goes through all beliefs of a seat, each followed by those to which
its actions may lead: it finds the best response to a strategy of the others, what each single
action is worth then, or numbers the information sets.

An *information set* is what a seat did last, and what it sees now; a *sequence* is an information
set with an action in it. Sequence 0 is that of the first seat when it has done nothing yet, 1 that
of the second; then come those of the first seat, and those of the second. What follows an
information set has a higher number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.engine.pieces import Pieces
from cyberdeck.enumeration.positions import Positions, Progress, longer
from cyberdeck.errors import OptionError

#: Why loops stop: they are done; no room is left for beliefs; they have taken so many steps that
#: somebody may interrupt; no room is left for tasks or information sets; or the same was seen after
#: different decisions. They can go on where they were after ``FULL`` and ``LONG``, and after
#: ``CROWDED`` if there is more room for information sets.
DONE, FULL, LONG, CROWDED, TWICE = 0, 1, 2, 3, 4

#: What ``Walk`` does with beliefs at the depth *cut*: it notes them, takes their values from a
#: list, or goes through to the end of the game.
NOTE, TAKE, THROUGH = 0, 1, 2

#: Entries of beliefs between two looks at whether somebody has interrupted, at first.
STEPS: Final = 1 << 20


class Waits(NamedTuple):
    """Where the game is when a seat decides next, from each position in which others decide."""

    begin: NDArray[np.int64]  # (P,) where its entries begin
    end: NDArray[np.int64]  # (P,) and end
    ids: NDArray[np.int32]  # (E,) positions
    odds: NDArray[np.float64]  # (E,) how likely each
    gain: NDArray[np.float64]  # (P,) what the seat has got by then

    def beginning(
        self, positions: Positions, seat: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        """The positions in which *seat* decides first, how likely each; and what it has got."""
        belief: dict[int, float] = {}
        got = float(positions.root_reward[seat])
        for root, chance in zip(
            positions.roots.tolist(), positions.root_chance.tolist(), strict=True
        ):
            part = slice(self.begin[root], self.end[root])
            there = zip(self.ids[part].tolist(), self.odds[part].tolist(), strict=True)
            got += chance * float(self.gain[root])
            for position, p in [(root, 1.0)] if positions.mover[root] == seat else there:
                belief[position] = belief.get(position, 0.0) + chance * p
        ids = sorted(belief, key=lambda each: (positions.seen[each], each))
        return np.array(ids, np.int32), np.array([belief[each] for each in ids], np.float64), got


#: The next position, entries, marks that were used, steps.
_WAIT: Final = np.dtype([(name, np.int64) for name in ("position", "entries", "tick", "steps")])


def _wait(
    courses: Any, most: Any, seat: Any, moves: Any, table: Any, waits: Any, stamp: Any, place: Any
) -> Any:
    """Write ``Waits``, from the last position back; the others play by *table*, (C,)."""
    course = courses[0]
    begin, end, ids, odds, gain = waits.begin, waits.end, waits.ids, waits.odds, waits.gain
    first, into, after, chance = moves.first, moves.into, moves.after, moves.chance
    while course.position >= 0:
        if course.steps > most:
            return LONG
        i, n = course.position, course.entries
        begin[i], end[i], gain[i] = n, n, 0.0
        if moves.mover[i] != seat:
            course.tick += 1
            for c in range(first[i], first[i + 1]):
                if table[c] <= 0:
                    continue
                for e in range(into[c], into[c + 1]):
                    p, j = table[c] * chance[e], after[e]
                    gain[i] += p * moves.reward[e, seat]
                    if j < 0:
                        continue
                    own = moves.mover[j] == seat
                    k, last = begin[j], end[j]
                    if own:
                        k, last = 0, 1
                    else:
                        gain[i] += p * gain[j]
                    course.steps += last - k
                    while k < last:
                        to, q = j, p
                        if not own:
                            to, q = ids[k], p * odds[k]
                        k += 1
                        if stamp[to] == course.tick:
                            odds[place[to]] += q
                            continue
                        if n == len(ids):
                            return FULL
                        stamp[to], place[to] = course.tick, n
                        ids[n], odds[n] = to, q
                        n += 1
        end[i], course.entries, course.position = n, n, i - 1
    return DONE


def waits(positions: Positions, seat: int, table: NDArray[np.float64], memory: float) -> Waits:
    """How *seat* waits if the others play by *table*, (C,), in at most so many gigabytes."""
    (wait,) = compile_loops([_wait], "beliefs")
    count = len(positions)
    found = Waits(
        np.zeros(count, np.int64), np.zeros(count, np.int64),
        np.empty(4096, np.int32), np.empty(4096), np.zeros(count),
    )  # fmt: skip
    marks = np.zeros(count, np.int64), np.zeros(count, np.int64)
    courses, some, stopped = np.zeros(1, _WAIT), Pieces(STEPS), LONG
    courses["position"] = count - 1
    while stopped != DONE:
        with some.until(courses["steps"]) as most:
            stopped = wait(courses, most, seat, positions.moves, table, found, *marks)
        if stopped == FULL:
            size = 2 * len(found.ids)
            _need_room(positions, size, memory)
            found = found._replace(ids=longer(found.ids, size), odds=longer(found.odds, size))
    return found


def _need_room(positions: Positions, entries: int, memory: float) -> None:
    """``OptionError`` if so many entries of beliefs, a number and its odds, do not fit."""
    if 12 * entries > memory * 2**30:
        raise OptionError(
            f"beliefs in {positions.variant.game.title} need more GB than memory={memory:g} allows"
        )


# --- the walk through a seat's beliefs -----------------------------------------------------------


class Belief(NamedTuple):
    """Beliefs one behind the other. Positions side by side, in which the seat sees the same, belong
    to one belief.
    """

    ids: NDArray[np.int32]  # (N,) positions
    odds: NDArray[np.float64]  # (N,) how likely each


class Marks(NamedTuple):
    """What tells whether a position is in a belief already, and what orders one."""

    stamp: NDArray[np.int64]  # (P,) when it was put there,
    place: NDArray[np.int64]  # (P,) and where
    sight_stamp: NDArray[np.int64]  # (I,) the same of situations:
    sight_place: NDArray[np.int64]  # (I,) how many positions look so
    order: NDArray[np.int32]  # (P,)
    ids: NDArray[np.int32]  # (P,)
    odds: NDArray[np.float64]  # (P,)


class Tasks(NamedTuple):
    """Beliefs that are worked on separately."""

    ends: NDArray[np.int64]  # (T + 1,) where the positions of each end: the first is 0
    ids: NDArray[np.int32]  # (N,)
    odds: NDArray[np.float64]  # (N,)
    values: NDArray[np.float64]  # (T,) what each is worth


class Sets(NamedTuple):
    """I information sets, Q sequences."""

    before: NDArray[np.int32]  # (I,) the sequence that leads there,
    seen: NDArray[np.int32]  # (I,) the situation,
    first: NDArray[np.int32]  # (I + 1,) where its sequences begin
    below: NDArray[np.int32]  # (Q,) the first information set that follows each


#: How many entries the first belief has; marks that were used, tasks and their entries, steps, the
#: depth (-1 to begin with), information sets.
_WALK: Final = np.dtype(
    [
        (name, np.int64)
        for name in ("entries", "tick", "tasks", "task_entries", "steps", "depth", "sets")
    ]
)

#: Of each depth: where its belief begins and ends, its action, where beliefs that follow begin and
#: end, its information set and the next that follows; what the best action so far is worth, and
#: this one.
_FRAME: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in ("begin", "end", "action", "next", "stop", "set", "next_set")
        ),
        ("best", np.float64),
        ("total", np.float64),
    ]
)


@kernel
def _group(top: Any, n: Any, seen: Any, belief: Any, marks: Any) -> None:
    """Put the entries from *top* to *n* in groups: positions in which the same is seen, by its
    first appearance. How many look so is used up.
    """
    ids, odds, places, order = belief.ids, belief.odds, marks.sight_place, marks.order
    where = 0
    for k in range(top, n):
        what = seen[ids[k]]
        if places[what] > 0:  # from their number to minus the place of the next
            where, places[what] = where + places[what], -where
        to = -places[what]
        places[what] -= 1
        order[k - top], marks.ids[to], marks.odds[to] = to, ids[k], odds[k]
    for k in range(top, n):
        ids[k], odds[k] = marks.ids[k - top], marks.odds[k - top]


@kernel
def _open(sequence: Any, top: Any, n: Any, ids: Any, moves: Any, course: Any, sets: Any) -> Any:
    """Number the information sets that follow a sequence, one for each group in ids[top:n]; False
    if there is no room.
    """
    seen, first, i, what = moves.seen, moves.first, course.sets, -1
    for k in range(top, n):
        if seen[ids[k]] != what:
            what = seen[ids[k]]
            stop = sets.first[i] + first[ids[k] + 1] - first[ids[k]]
            if i + 1 == len(sets.seen) or stop > len(sets.below):
                return False
            sets.before[i], sets.seen[i], sets.first[i + 1] = sequence, what, stop
            i += 1
    sets.below[sequence], course.sets = course.sets, i
    return True


@kernel
def _put_behind(
    top: Any, action: Any, frame: Any, course: Any, seat: Any, moves: Any, waits: Any, belief: Any,
    marks: Any,
) -> Any:  # fmt: skip
    """Put what an action of the frame's belief leads to behind the entries before *top*, in groups:
    where these end, or -1 if there is no room. What is got by then is in the frame's total.
    """
    ids, odds, stamp, place = belief.ids, belief.odds, marks.stamp, marks.place
    mover, seen, into, after = moves.mover, moves.seen, moves.into, moves.after
    course.tick += 1
    tick, n, total, sights = course.tick, top, 0.0, 0
    for b in range(frame.begin, frame.end):
        c = moves.first[ids[b]] + action
        for e in range(into[c], into[c + 1]):
            p, j = odds[b] * moves.chance[e], after[e]
            total += p * moves.reward[e, seat]
            if j < 0:
                continue
            own = mover[j] == seat
            k, last = waits.begin[j], waits.end[j]
            if own:
                k, last = 0, 1
            else:
                total += p * waits.gain[j]
            course.steps += last - k
            while k < last:
                to, q = j, p
                if not own:
                    to, q = waits.ids[k], p * waits.odds[k]
                k += 1
                if stamp[to] == tick:
                    odds[place[to]] += q
                    continue
                if n == len(ids):
                    return -1
                stamp[to], place[to] = tick, n
                ids[n], odds[n] = to, q
                n += 1
                what = seen[to]
                if marks.sight_stamp[what] != tick:
                    marks.sight_stamp[what], marks.sight_place[what] = tick, 0
                    sights += 1
                marks.sight_place[what] += 1
    if sights > 1:
        _group(top, n, seen, belief, marks)
    frame.total = total
    return n


def _walk(
    courses: Any, seat: Any, how: Any, cut: Any, most: Any, moves: Any, waits: Any, belief: Any,
    marks: Any, frames: Any, known: Any, tasks: Any, sets: Any, values: Any,
) -> Any:  # fmt: skip
    """Go through all that may follow the beliefs before course.entries: what *seat* can get from
    them at most is the total of the first frame then.

    known: (P,), what each belief of a single position is worth, NaN at first. Of *tasks*, *sets*
    and *values* two are None: code is made for one of them.
    """
    course = courses[0]
    ids, odds, seen, first = belief.ids, belief.odds, moves.seen, moves.first
    if course.depth < 0:
        frames[0].next, frames[0].stop, frames[0].total = 0, course.entries, 0.0
        if sets is not None:
            frames[0].next_set = course.sets
            if not _open(seat, 0, course.entries, ids, moves, course, sets):
                return CROWDED
        course.depth = 0
    d = course.depth
    while True:
        course.depth = d
        if course.steps > most:
            return LONG
        frame = frames[d]
        k, last = frame.next, frame.stop
        if k < last:  # the next belief that follows
            what, n, through = seen[ids[k]], k + 1, True
            while n < last and seen[ids[n]] == what:
                n += 1
            if tasks is not None:
                if how == THROUGH and n == k + 1 and known[ids[k]] == known[ids[k]]:
                    frame.total += odds[k] * known[ids[k]]
                    through = False
                elif how == TAKE and d == cut:
                    frame.total += tasks.values[course.tasks]
                    course.tasks += 1
                    through = False
                elif how == NOTE and d == cut:
                    if course.tasks + 1 == len(tasks.ends) or course.task_entries + n - k > len(
                        tasks.ids
                    ):
                        return CROWDED
                    for entry in range(k, n):
                        tasks.ids[course.task_entries] = ids[entry]
                        tasks.odds[course.task_entries] = odds[entry]
                        course.task_entries += 1
                    course.tasks += 1
                    tasks.ends[course.tasks] = course.task_entries
                    through = False
            frame.next = n
            if through:
                below = frames[d + 1]
                below.begin, below.end, below.action = k, n, -1
                below.next, below.stop = 0, 0
                below.best, below.total = -np.inf, -np.inf
                if sets is not None:
                    below.set = frame.next_set
                    frame.next_set += 1
                d += 1
            continue
        if d == 0:
            return DONE
        at = ids[frame.begin]
        # An action that is gone through, and not noted yet.
        if values is not None and frame.total > -np.inf:
            mass = 0.0
            for entry in range(frame.begin, frame.end):
                mass += odds[entry]
            taken = moves.actions[first[at] + frame.action]
            if values[seen[at], taken] == values[seen[at], taken]:
                return TWICE
            values[seen[at], taken] = frame.total / mass
        frame.best, frame.total = max(frame.best, frame.total), -np.inf
        action = frame.action + 1
        if action == first[at + 1] - first[at]:
            if tasks is not None and how == THROUGH and frame.end == frame.begin + 1:
                known[at] = frame.best / odds[frame.begin]
            d -= 1
            frames[d].total += frame.best
            continue
        top = frames[d - 1].stop
        n = _put_behind(top, action, frame, course, seat, moves, waits, belief, marks)
        if n < 0:
            return FULL
        if sets is not None:
            frame.next_set = course.sets
            if not _open(sets.first[frame.set] + action, top, n, ids, moves, course, sets):
                return CROWDED
        frame.action, frame.next, frame.stop = action, top, n


class Walk:
    """A walk through all beliefs of a seat, and what one thread needs for it.

    Args:
        positions: all of the game's.
        seat: whose beliefs.
        waits: how it waits, which depends on what the others play.
        memory: how many gigabytes beliefs may take.
        tasks, sets, values: what is written or read on the way, one of them. values: (I, A), what
            each action is worth, if the seat goes on as well as it can; NaN to begin with.
    """

    def __init__(
        self,
        positions: Positions,
        seat: int,
        waits: Waits,
        memory: float,
        *,
        tasks: Tasks | None = None,
        sets: Sets | None = None,
        values: NDArray[np.float64] | None = None,
    ) -> None:
        self.positions, self.seat, self.waits, self.memory = positions, seat, waits, memory
        self.tasks, self.sets, self.values = tasks, sets, values
        # Each combination is code of its own, and so has a label of its own.
        label = "best responses" if tasks else "information sets" if sets else "values of actions"
        (self._loop,) = compile_loops([_walk], label)
        count, sights = len(positions), len(positions.example)
        self.courses, self.steps = np.zeros(1, _WALK), Pieces(STEPS)
        self.frames = np.zeros(positions.depth, _FRAME)
        self.known = np.full(count, np.nan)
        self.belief = Belief(np.empty(1 << 20, np.int32), np.empty(1 << 20))
        self.marks = Marks(
            np.zeros(count, np.int64), np.zeros(count, np.int64),
            np.zeros(sights, np.int64), np.zeros(sights, np.int64),
            np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count),
        )  # fmt: skip

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What it works in."""
        return (self.known, *self.marks, *self.belief)

    def run(
        self,
        how: int,
        cut: int,
        ids: NDArray[np.int32],
        odds: NDArray[np.float64],
        between: Callable[[int], None],
    ) -> float:
        """What beliefs are worth. *between* is called with why the loop stopped, again and again;
        it raises what ends the walk.
        """
        course = self.courses[0]
        while len(ids) > len(self.belief.ids):
            self._grow()
        self.belief.ids[: len(ids)], self.belief.odds[: len(ids)] = ids, odds
        course["entries"], course["depth"] = len(ids), -1
        course["tasks"] = course["task_entries"] = 0
        stopped = LONG
        while stopped != DONE:
            with self.steps.until(self.courses["steps"]) as most:
                stopped = self._loop(
                    self.courses, self.seat, how, cut, most, self.positions.moves, self.waits,
                    self.belief, self.marks, self.frames, self.known, self.tasks, self.sets,
                    self.values,
                )  # fmt: skip
            if stopped != DONE:
                between(stopped)
            if stopped == FULL:
                _need_room(self.positions, 2 * len(self.belief.ids), self.memory)
                self._grow()
        return float(self.frames["total"][0])

    def _grow(self) -> None:
        self.belief = Belief(*(longer(each, 2 * len(each)) for each in self.belief))


# --- information sets ----------------------------------------------------------------------------


class InformationSets:
    """All that the seats of a game for two may remember. I information sets, Q sequences.

    Args:
        positions: all of the game's.
        memory: how many gigabytes the information sets may take.
        progress: is called with how many information sets have been found.
    """

    def __init__(
        self, positions: Positions, memory: float = 3.0, progress: Progress | None = None
    ) -> None:
        self.positions, self.memory = positions, memory
        found = Sets(
            np.zeros(1024, np.int32), np.zeros(1024, np.int32),
            np.full(1025, 2, np.int32), np.full(4096, -1, np.int32),
        )  # fmt: skip
        found, half = self._numbered(found, 0, 0, progress)
        found, count = self._numbered(found, 1, half, progress)
        #: The information sets of each seat.
        self.sets = range(half), range(half, count)
        self.set_before, self.set_seen = found.before[:count], found.seen[:count]
        self.set_first = found.first[: count + 1]
        self.count = int(self.set_first[-1])
        self.set_below = found.below[: self.count]

    def _numbered(
        self, sets: Sets, seat: int, count: int, progress: Progress | None
    ) -> tuple[Sets, int]:
        """With the information sets of a seat behind the first *count*; how many there are then."""
        positions = self.positions
        wait = waits(positions, seat, np.ones(len(positions.actions)), self.memory)
        walk = Walk(positions, seat, wait, self.memory, sets=sets)
        walk.courses["sets"] = count

        def between(stopped: int) -> None:
            if stopped == CROWDED:
                assert walk.sets is not None
                walk.sets = self._longer(walk.sets, int(walk.courses["sets"][0]))
            if progress:
                progress(int(walk.courses["sets"][0]))

        ids, odds, _ = wait.beginning(positions, seat)
        walk.run(THROUGH, 0, ids, odds, between)
        assert walk.sets is not None
        return walk.sets, int(walk.courses["sets"][0])

    def _longer(self, sets: Sets, count: int) -> Sets:
        """Room for more than *count* information sets."""
        more, sequences = 2 * len(sets.seen), 2 * len(sets.below)
        if 12 * more + 4 * sequences > self.memory * 2**30:
            raise OptionError(
                f"{self.positions.variant.game.title} has more than {count:,} information sets: "
                f"they need more GB than memory={self.memory:g} allows"
            )
        full = short((sets.first[count], len(sets.below)), (count, len(sets.seen)))
        if full[0]:
            sets = sets._replace(below=longer(sets.below, sequences))
        if full[1]:
            sets = sets._replace(
                before=longer(sets.before, more),
                seen=longer(sets.seen, more),
                first=longer(sets.first, more + 1),
            )
        return sets

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """(I,): the information set in which the seat has decided last; -1: it has not yet."""
        return np.searchsorted(self.set_first, self.set_before, "right") - 1

    def by_decisions(self) -> Iterator[NDArray[np.int64]]:
        """Information sets after 0, 1, 2 and so on decisions of their seats."""
        sets = np.flatnonzero(self.parents < 0)
        while len(sets):
            yield sets
            chosen = np.zeros(len(self.set_seen) + 1, bool)
            chosen[sets] = True
            sets = np.flatnonzero(chosen[self.parents])

    def of(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): a strategy that looks at the present observation, from its table, (C,)."""
        starts = self.positions.first[self.positions.example[self.set_seen]]
        return np.concatenate([[1.0, 1.0], table[ranges(starts, np.diff(self.set_first))]])

    def uniform(self) -> NDArray[np.float64]:
        """(Q,): every legal action is equally likely."""
        return self.of(self.positions.uniform())


def ranges(starts: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each of *starts* on, so many.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    found: NDArray[np.int64] = np.repeat(starts, counts) + within
    return found


def short(first: tuple[int, int], second: tuple[int, int]) -> tuple[bool, bool]:
    """Which of two has no room for a step, by how much of it is used, and how much there is.

    What is more than half full; if neither is, both, as a step may need any number.
    """
    full = 2 * first[0] > first[1], 2 * second[0] > second[1]
    return full if any(full) else (True, True)
