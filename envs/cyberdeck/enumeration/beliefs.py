"""What a seat knows: beliefs over positions, and a walk through all of them.

A *belief* is positions that a seat cannot tell apart, with how likely each is. ``Walk`` goes
through all beliefs of a seat, each followed by those to which its actions may lead: it finds the
best response to a strategy of the others, what each single action is worth then, or numbers the
information sets.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.engine.pieces import Pieces
from cyberdeck.enumeration.positions import Positions, counters, longer
from cyberdeck.enumeration.waits import DONE, FULL, LONG, STEPS, Waits, need_room

#: More reasons why loops stop, with those of ``waits``: no room is left for tasks or information
#: sets; the same was seen after different decisions. A loop can go on where it was after ``FULL``
#: and ``LONG``, and after ``CROWDED`` if there is more room for information sets.
CROWDED, TWICE = 3, 4

#: What ``Walk`` does with beliefs at the depth *cut*: it notes them, takes their values from a
#: list, or goes through to the end of the game.
NOTE, TAKE, THROUGH = 0, 1, 2


class Marks(NamedTuple):
    """What tells whether a position is in a belief already, and room to order one in."""

    stamp: NDArray[np.int64]  # (P,) when it was put there,
    place: NDArray[np.int64]  # (P,) and where
    sight_stamp: NDArray[np.int64]  # (I,) the same of situations:
    sight_place: NDArray[np.int64]  # (I,) how many positions look so
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
_WALK: Final = counters("entries tick tasks task_entries steps depth sets")

#: Of each depth: where its belief begins and ends, its action, where beliefs that follow begin and
#: end, its information set and the next that follows; what the best action so far is worth, and
#: this one.
_FRAME: Final = np.dtype(
    [
        *counters("begin end action next stop set next_set").descr,
        ("best", np.float64),
        ("total", np.float64),
    ]
)


@kernel
def _group(top: Any, n: Any, seen: Any, ids: Any, odds: Any, marks: Any) -> None:
    """Put the entries from *top* to *n* in groups: positions in which the same is seen, by its
    first appearance. How many look so is used up.
    """
    places, where = marks.sight_place, 0
    for k in range(top, n):
        what = seen[ids[k]]
        if places[what] > 0:  # from their number to minus the place of the next
            where, places[what] = where + places[what], -where
        to = -places[what]
        places[what] -= 1
        marks.ids[to] = ids[k]
        if odds is not None:
            marks.odds[to] = odds[k]
    for k in range(top, n):
        ids[k] = marks.ids[k - top]
        if odds is not None:
            odds[k] = marks.odds[k - top]


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
    top: Any, action: Any, frame: Any, course: Any, seat: Any, moves: Any, waits: Any, ids: Any,
    odds: Any, marks: Any,
) -> Any:  # fmt: skip
    """Put what an action of the frame's belief leads to behind the entries before *top*, in groups:
    where these end, or -1 if there is no room. What is got by then is in the frame's total.

    *odds* may be None: then nobody asks how likely positions are.
    """
    stamp, place, seen, into, after = marks.stamp, marks.place, moves.seen, moves.into, moves.after
    course.tick += 1
    tick, n, total, sights = course.tick, top, 0.0, 0
    for b in range(frame.begin, frame.end):
        c = moves.first[ids[b]] + action
        for e in range(into[c], into[c + 1]):
            p, j = moves.chance[e], after[e]
            if odds is not None:
                p *= odds[b]
                total += p * moves.reward[e, seat]
            if j < 0:
                continue
            own = moves.mover[j] == seat
            k, last = waits.begin[j], waits.end[j]
            if own:
                k, last = 0, 1
            elif odds is not None:
                total += p * waits.gain[j]
            course.steps += last - k
            while k < last:
                to, q = j, p
                if not own:
                    to, q = waits.ids[k], p * waits.odds[k]
                k += 1
                if stamp[to] == tick:
                    if odds is not None:
                        odds[place[to]] += q
                    continue
                if n == len(ids):
                    return -1
                stamp[to], ids[n] = tick, to
                if odds is not None:
                    place[to], odds[n] = n, q
                n += 1
                what = seen[to]
                if marks.sight_stamp[what] != tick:
                    marks.sight_stamp[what], marks.sight_place[what] = tick, 0
                    sights += 1
                marks.sight_place[what] += 1
    if sights > 1:
        _group(top, n, seen, ids, odds, marks)
    frame.total = total
    return n


@kernel
def _note(begin: Any, end: Any, course: Any, ids: Any, odds: Any, tasks: Any) -> Any:
    """Note the belief from *begin* to *end* as a task; False if there is no room."""
    at = course.task_entries
    if course.tasks + 1 == len(tasks.ends) or at + end - begin > len(tasks.ids):
        return False
    for entry in range(begin, end):
        tasks.ids[at], tasks.odds[at] = ids[entry], odds[entry]
        at += 1
    course.tasks, course.task_entries = course.tasks + 1, at
    tasks.ends[course.tasks] = at
    return True


def _walk(
    courses: Any, seat: Any, how: Any, cut: Any, most: Any, moves: Any, waits: Any, ids: Any,
    odds: Any, marks: Any, frames: Any, known: Any, tasks: Any, sets: Any, values: Any,
) -> Any:  # fmt: skip
    """Go through all that may follow the beliefs before course.entries: what *seat* can get from
    them at most is the total of the first frame then.

    ids, odds: beliefs, positions with how likely each is; known: (P,), what each belief of a single
    position is worth, NaN at first. Of *tasks*, *sets* and *values* two are None: code is made for
    one of them.
    """
    course = courses[0]
    seen, first = moves.seen, moves.first
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
                    if not _note(k, n, course, ids, odds, tasks):
                        return CROWDED
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
        n = _put_behind(top, action, frame, course, seat, moves, waits, ids, odds, marks)
        if n < 0:
            return FULL
        if sets is not None:
            frame.next_set = course.sets
            if not _open(sets.first[frame.set] + action, top, n, ids, moves, course, sets):
                return CROWDED
        frame.action, frame.next, frame.stop = action, top, n


@functools.cache
def _loop(label: str) -> Any:
    return compile_loops([_walk], label)[0]


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
        self.tasks: Any = tasks
        self.sets: Any = sets
        self.values = values
        # Each combination is code of its own, and so has a label of its own.
        label = "best responses" if tasks else "information sets" if sets else "values of actions"
        self._loop = _loop(label)
        count, sights = len(positions), len(positions.example)
        self.courses, self.steps = np.zeros(1, _WALK), Pieces(STEPS)
        self.frames = np.zeros(positions.depth, _FRAME)
        self.known = np.full(count, np.nan)
        #: Beliefs one behind the other. Positions side by side, in which the seat sees the same,
        #: belong to one. How likely each is does not matter to what is remembered.
        self.ids = np.empty(1 << 20, np.int32)
        self.odds = None if sets else np.empty(1 << 20)
        self.marks = Marks(
            np.zeros(count, np.int64), np.zeros(count, np.int64),
            np.zeros(sights, np.int64), np.zeros(sights, np.int64),
            np.empty(count, np.int32), np.empty(count),
        )  # fmt: skip

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
        while len(ids) > len(self.ids):
            self._grow()
        self.ids[: len(ids)] = ids
        if self.odds is not None:
            self.odds[: len(ids)] = odds
        course["entries"], course["depth"] = len(ids), -1
        course["tasks"] = course["task_entries"] = 0
        stopped = LONG
        while stopped != DONE:
            with self.steps.until(self.courses["steps"]) as most:
                stopped = self._loop(
                    self.courses, self.seat, how, cut, most, self.positions.moves, self.waits,
                    self.ids, self.odds, self.marks, self.frames, self.known, self.tasks, self.sets,
                    self.values,
                )  # fmt: skip
            if stopped != DONE:
                between(stopped)
            if stopped == FULL:
                need_room(self.positions, 2 * len(self.ids), self.memory)
                self._grow()
        return float(self.frames["total"][0])

    def _grow(self) -> None:
        size = 2 * len(self.ids)
        self.ids, odds = longer(self.ids, size), self.odds
        self.odds = None if odds is None else longer(odds, size)
