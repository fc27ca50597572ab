"""A game for two as its seats remember it: information sets, sequences, and what they pay.

A seat knows the course of its own observations and actions. An *information set* is what it did
last, and what it sees now; a *sequence* is an information set with an action in it. Sequence 0 is
that of the first seat when it has done nothing yet, 1 that of the second; then come those of the
first seat, and those of the second. What follows an information set has a higher number.

How a game pays is one number for each pair of sequences, chance included, so that what a strategy
is worth is a sum over pairs (the sequence form: Koller, Megiddo and von Stengel 1996). Of a game
with few courses these numbers are kept; the courses of a large one are gone through each time,
without those that the other's strategy leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import compile_loops, kernel
from cyberdeck.engine.pieces import Pieces, backward, forward
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.recall import too_often
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation.asking import Asked
from cyberdeck.evaluation.best_response import BestResponses
from cyberdeck.evaluation.exact.beliefs import STEPS, group, in_room, waits
from cyberdeck.evaluation.exact.spaces import in_spaces
from cyberdeck.players.chances import must_look_at_the_present
from cyberdeck.players.solved import Solved
from cyberdeck.players.solvers.positions import Positions, Progress, further, longer

#: Why loops stop: they are done, there is no room for more courses or beliefs, they have taken so
#: many steps that somebody may interrupt, there is no room for more information sets.
_DONE, _FULL, _LONG, _CROWDED = 0, 1, 2, 3

#: About how many courses a core goes through in a second.
_COURSES: Final = 60_000_000

#: How many parts of the courses are gone through separately, for each thread.
_PARTS: Final = 64


@kernel
def _open(
    sequence: Any, top: Any, n: Any, held: Any, seen: Any, first: Any, at: Any, set_before: Any,
    set_seen: Any, set_first: Any, below: Any,
) -> None:  # fmt: skip
    """Number the information sets that follow a sequence: one for each group in held[top:n]."""
    below[sequence], what = at[0], -1
    for k in range(top, n):
        if seen[held[k]] != what:
            what, i = seen[held[k]], at[0]
            set_before[i], set_seen[i] = sequence, what
            set_first[i + 1] = set_first[i] + first[held[k] + 1] - first[held[k]]
            at[0] += 1


def _remember(  # type: ignore[no-untyped-def]
    at, seat, most, actions, mover, seen, first, into, after, begin, end, ids, stamp, sight_stamp,
    places, held, order, spare, frames, set_before, set_seen, set_first, below,
):  # fmt: skip
    """Number the information sets of *seat*, which begins in one of the positions held[:at[1]].

    at: information sets, positions to begin with, tick, steps, depth: -1 to begin with. frames
    (D, 7), for each depth: where its positions begin and end, the action, where those that follow
    begin and end, its information set, the next that follows. below (Q,): the first information
    set that follows a sequence.
    """
    if at[4] < 0:
        if at[0] + at[1] >= len(set_seen) or set_first[at[0]] + at[1] * actions > len(below):
            return _CROWDED
        at[4], frames[0, 3], frames[0, 4], frames[0, 6] = 0, 0, at[1], at[0]
        _open(seat, 0, at[1], held, seen, first, at, set_before, set_seen, set_first, below)
    d = at[4]
    while True:
        at[4] = d
        if at[3] > most:
            return _LONG
        k, last = frames[d, 3], frames[d, 4]
        if k < last:  # the next information set that follows
            what, n = seen[held[k]], k + 1
            while n < last and seen[held[n]] == what:
                n += 1
            i = frames[d, 6]
            frames[d, 3], frames[d, 6] = n, i + 1
            d += 1
            frames[d, 0], frames[d, 1], frames[d, 2] = k, n, -1
            frames[d, 3], frames[d, 4], frames[d, 5] = 0, 0, i
            continue
        if d == 0:
            return _DONE
        b0, b1, action, i = frames[d, 0], frames[d, 1], frames[d, 2] + 1, frames[d, 5]
        if action == set_first[i + 1] - set_first[i]:
            d -= 1
            continue
        # The positions to which the action leads are put behind all that are still needed.
        top = frames[d - 1, 4]
        at[2] += 1
        tick, n, sights = at[2], top, 0
        for b in range(b0, b1):
            c = first[held[b]] + action
            for e in range(into[c], into[c + 1]):
                j = after[e]
                if j < 0:
                    continue
                own = mover[j] == seat
                k, last = begin[j], end[j]
                if own:
                    k, last = 0, 1
                at[3] += last - k
                while k < last:
                    to = j if own else ids[k]
                    k += 1
                    if stamp[to] == tick:
                        continue
                    if n == len(held):
                        return _FULL
                    stamp[to], held[n] = tick, to
                    n += 1
                    what = seen[to]
                    if sight_stamp[what] != tick:
                        sight_stamp[what], places[what] = tick, 0
                        sights += 1
                    places[what] += 1
        if at[0] + sights >= len(set_seen) or set_first[at[0]] + sights * actions > len(below):
            return _CROWDED
        if sights > 1:
            group(top, n, seen, places, held, order, spare)
        frames[d, 2], frames[d, 3], frames[d, 4], frames[d, 6] = action, top, n, at[0]
        sequence = set_first[i] + action
        _open(sequence, top, n, held, seen, first, at, set_before, set_seen, set_first, below)


@kernel
def _set_of(sequence: Any, what: Any, below: Any, set_seen: Any) -> Any:
    """The information set in which *what* is seen after a sequence."""
    i = below[sequence]
    while set_seen[i] != what:
        i += 1
    return i


def _follow(  # type: ignore[no-untyped-def]
    at, most, mover, seen, first, into, after, chance, reward, below, set_seen, set_first, places,
    reach, pairs, pays,
):  # fmt: skip
    """List what all courses pay, from places[:at[0]] on. at: courses that wait, pairs, courses gone
    through.

    places (N, 3), reach (N,): of each course its position, the last sequence of each seat, and how
    likely chance makes it. pairs (K, 2), pays (K, 2): the sequences, and what they pay.
    """
    while at[0] > 0:
        if at[2] > most:
            return _LONG
        i, p = places[at[0] - 1, 0], reach[at[0] - 1]
        last = first[i + 1]
        more = into[last] - into[first[i]]
        if at[0] + more > len(places) or at[1] + more > len(pairs):
            return _FULL
        at[0], at[2] = at[0] - 1, at[2] + 1
        one, two, seat = places[at[0], 1], places[at[0], 2], mover[i]
        q = set_first[_set_of(two if seat else one, seen[i], below, set_seen)]
        for c in range(first[i], last):
            if seat == 0:
                one = q
            else:
                two = q
            q += 1
            for e in range(into[c], into[c + 1]):
                if reward[e, 0] != 0 or reward[e, 1] != 0:
                    k = at[1]
                    pairs[k, 0], pairs[k, 1] = one, two
                    pays[k, 0] = p * chance[e] * reward[e, 0]
                    pays[k, 1] = p * chance[e] * reward[e, 1]
                    at[1] += 1
                if after[e] >= 0:
                    n = at[0]
                    places[n, 0], places[n, 1], places[n, 2] = after[e], one, two
                    reach[n] = p * chance[e]
                    at[0] += 1
    return _DONE


def _walk(  # type: ignore[no-untyped-def]
    at, most, seat, mover, seen, first, into, after, chance, reward, below, set_seen,
    set_first, likely, got, places, reach, cut_places, cut_reach,
):  # fmt: skip
    """Add to *got* what the sequences of *seat* are paid, from places[:at[0]] on.

    places (N, 4), reach (N,): of each course its position, the last sequence of *seat* and of the
    other, how many decisions of *seat* are left before it is put aside, and how likely chance makes
    it. at: courses that wait, courses put aside, courses gone through.
    """
    while at[0] > 0:
        if at[2] > most:
            return _LONG
        n = at[0] - 1
        i, own, other, left, p = places[n, 0], places[n, 1], places[n, 2], places[n, 3], reach[n]
        last = first[i + 1]
        if at[0] + into[last] - into[first[i]] > len(places):
            return _FULL
        at[0], at[2] = n, at[2] + 1
        if mover[i] == seat:
            if left == 0:
                if at[1] == len(cut_places):
                    at[0] += 1
                    return _FULL
                k = at[1]
                cut_places[k, 0], cut_places[k, 1], cut_places[k, 2] = i, own, other
                cut_reach[k] = p
                at[1] += 1
                continue
            q, pay = set_first[_set_of(own, seen[i], below, set_seen)], p * likely[other]
            for c in range(first[i], last):
                for e in range(into[c], into[c + 1]):
                    if reward[e, seat] != 0:
                        got[q] += pay * chance[e] * reward[e, seat]
                    if after[e] >= 0:
                        places[n, 0], places[n, 1], places[n, 2] = after[e], q, other
                        places[n, 3], reach[n] = left - 1, p * chance[e]
                        n += 1
                q += 1
        else:
            q, total = set_first[_set_of(other, seen[i], below, set_seen)], 0.0
            for c in range(first[i], last):
                pay = p * likely[q]
                if pay > 0:
                    for e in range(into[c], into[c + 1]):
                        if reward[e, seat] != 0:
                            total += pay * chance[e] * reward[e, seat]
                        if after[e] >= 0:
                            places[n, 0], places[n, 1], places[n, 2] = after[e], own, q
                            places[n, 3], reach[n] = left, p * chance[e]
                            n += 1
                q += 1
            if total != 0:
                got[own] += total
        at[0] = n
    return _DONE


def _count(start, stop, first, into, after, many):  # type: ignore[no-untyped-def]
    """many, (P,): how many courses there are from each position on, itself among them."""
    for i in range(stop - 1, start - 1, -1):
        many[i] = 1.0
        for e in range(into[first[i]], into[first[i + 1]]):
            if after[e] >= 0:
                many[i] += many[after[e]]


def _spread(  # type: ignore[no-untyped-def]
    start, stop, first, example, set_seen, set_first, table, found
):
    """found, (Q,): a strategy that looks at the present observation, from its *table*, (C,)."""
    for i in range(start, stop):
        c = first[example[set_seen[i]]]
        for q in range(set_first[i], set_first[i + 1]):
            found[q] = table[c]
            c += 1


def _likely(start, stop, set_before, set_first, strategy, found):  # type: ignore[no-untyped-def]
    """found, (Q,): how likely each sequence is, as far as its seat decides."""
    for i in range(start, stop):
        for q in range(set_first[i], set_first[i + 1]):
            found[q] = found[set_before[i]] * strategy[q]


def _gather(  # type: ignore[no-untyped-def]
    begin, end, seat, start, starts, others, pays, likely, got
):
    """got, (Q,): what each sequence of *seat* is paid at once, if the other's are so likely."""
    for row in range(begin, end):
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += pays[k] * likely[others[k]]
        got[start + row - 1 if row else seat] = total


def _best(start, stop, set_before, set_first, got):  # type: ignore[no-untyped-def]
    """got, (Q,): what is paid from each sequence on, if the seat of these sets answers best."""
    for i in range(stop - 1, start - 1, -1):
        most = got[set_first[i]]
        for q in range(set_first[i] + 1, set_first[i + 1]):
            most = max(most, got[q])
        got[set_before[i]] += most


@dataclass(frozen=True)
class _Paid:
    """What the sequences of a seat are paid, its first before the others, by those of the other."""

    starts: NDArray[np.int64]  # (own + 2,)
    others: NDArray[np.int32]  # (K,)
    pays: NDArray[np.float64]  # (K,)


@dataclass
class _Space:
    """Courses that one thread goes through."""

    size: int = 1 << 14

    def __post_init__(self) -> None:
        self.at, self.steps = np.zeros(3, np.int64), Pieces(STEPS)
        self.places, self.reach = np.empty((self.size, 4), np.int32), np.empty(self.size)
        self.aside, self.aside_reach = np.empty((self.size, 3), np.int32), np.empty(self.size)

    def begin(
        self, places: NDArray[np.int32], reach: NDArray[np.float64], decisions: int = 1 << 30
    ) -> None:
        """These courses wait now."""
        count = len(places)
        while count > len(self.places):
            self._grow_waiting()
        self.places[:count, :3], self.places[:count, 3] = places[:, :3], decisions
        self.reach[:count], self.at[0], self.at[1] = reach, count, 0

    def grow(self) -> None:
        """Twice as much of what there is no room in."""
        waiting, aside = _short((self.at[0], len(self.places)), (self.at[1], len(self.aside)))
        if waiting:
            self._grow_waiting()
        if aside:
            size = 2 * len(self.aside)
            self.aside, self.aside_reach = longer(self.aside, size), longer(self.aside_reach, size)

    def _grow_waiting(self) -> None:
        size = 2 * len(self.places)
        self.places, self.reach = longer(self.places, size), longer(self.reach, size)


def _short(first: tuple[int, int], second: tuple[int, int]) -> tuple[bool, bool]:
    """Which of two has no room for a step, by how much of it is used, and how much there is.

    What is more than half full; if neither is, both, as a step may need any number.
    """
    full = 2 * first[0] > first[1], 2 * second[0] > second[1]
    return full if any(full) else (True, True)


class Sequences:
    """A game for two as its seats remember it. I information sets, Q sequences.

    Args:
        positions: all of the game's.
        memory: how many gigabytes the information sets may take.
        threads: how many cores go through the courses of a large game; "auto" is all.
        keep: what they pay is kept in a game of so many courses at most.
        progress: is told how many information sets have been found.

    >>> from cyberdeck.api.registration import load_file
    >>> from cyberdeck.evaluation.exact import Bench
    >>> bench = Bench(load_file("examples/games/kuhn_poker.py").name)
    >>> held = Sequences(bench.positions)
    >>> [len(sets) for sets in held.sets], held.courses
    ([6, 6], 24)
    >>> round(held.best_responses(held.uniform()).exploitability, 4)
    0.4583
    """

    def __init__(
        self,
        positions: Positions,
        memory: float = 3.0,
        threads: int | str = "auto",
        keep: int = 3_000_000,
        progress: Progress | None = None,
    ) -> None:
        held = self.positions = positions
        self.memory, self.threads = memory, count_of(threads)
        made: list[Callable[..., Any]] = [
            _remember, _follow, _walk, _count, _spread, _likely, _gather, _best,
        ]  # fmt: skip
        (
            self._remember, self._follow, self._walk, count, self._spread, self._likely,
            self._gather, self._best,
        ) = compile_loops(made, "sequences")  # fmt: skip
        self._game = (
            held.mover, held.seen, held.first, held.into, held.after, held.chance, held.reward,
        )  # fmt: skip
        many = np.zeros(len(held))
        backward(count, 0, len(held), held.first, held.into, held.after, many)
        #: How many courses of the game lead to a decision.
        self.courses = int(many[held.roots].sum())
        self.set_before, self.set_seen = np.zeros(1024, np.int32), np.zeros(1024, np.int32)  # (I,)
        self.set_first = np.full(1025, 2, np.int32)  # (I + 1,): where the sequences of each begin
        self._below = np.full(4096, -1, np.int32)  # (Q,): the first information set after each
        half = self._remembered(0, 0, progress)
        sets = self._remembered(1, half, progress)
        #: The information sets of each seat.
        self.sets = range(half), range(half, sets)
        self.set_before, self.set_seen = self.set_before[:sets], self.set_seen[:sets]
        self.set_first = self.set_first[: sets + 1]
        self.count = int(self.set_first[-1])
        self._below = self._below[: self.count]
        self._paid = self._listed() if self.courses <= keep else []
        self._interrupted = False
        if not self._paid:
            self._cuts = [self._cut(seat) for seat in range(2)]

    @property
    def seconds(self) -> float:
        """About how long ``best_responses`` takes, if the strategy leaves nothing out."""
        return 0.0 if self._paid else 2 * self.courses / (_COURSES * self.threads)

    @property
    def bytes(self) -> int:
        """How much the information sets take, and the two numbers that each sequence has then."""
        held = (self.set_before, self.set_seen, self.set_first, self._below)
        return sum(each.nbytes for each in held) + 16 * self.count

    # --- what is remembered, and what is paid ----------------------------------------------------

    def _remembered(self, seat: int, count: int, progress: Progress | None) -> int:
        """Number the information sets of a seat; how many there are then."""
        held = self.positions
        table = np.ones(len(held.actions))
        wait = waits(held, seat, table, self.memory)
        begins, _ = wait.beginning(held, seat)
        positions, sights, size = len(held), len(held.example), held.variant.action_count
        most = max(1 << 20, len(begins))
        beliefs = np.empty(most, np.int32)
        beliefs[: len(begins)] = [*begins]
        stamp, order, spare = (np.zeros(positions, np.int32) for _ in range(3))
        marks = np.zeros(sights, np.int32), np.zeros(sights, np.int32)
        depth = int(held.states["decisions"].max(initial=0)) + 3
        frames = np.zeros((depth, 7), np.int64)
        at = np.array([count, len(begins), 0, 0, -1])
        stopped, some = _LONG, Pieces(STEPS)
        while stopped != _DONE:
            with some.until(at[3:]) as most:
                stopped = self._remember(
                    at, seat, most, size, *self._game[:5], wait.begin, wait.end, wait.ids, stamp,
                    *marks, beliefs, order, spare, frames, self.set_before, self.set_seen,
                    self.set_first, self._below,
                )  # fmt: skip
            if stopped == _CROWDED:
                self._more(int(at[0]))
            if stopped == _FULL:
                in_room(held, 2 * len(beliefs), self.memory)
                beliefs = longer(beliefs, 2 * len(beliefs))
            if progress:
                progress(int(at[0]))
        return int(at[0])

    def _more(self, count: int) -> None:
        """Room for more than *count* information sets."""
        sets, below = 2 * len(self.set_seen), 2 * len(self._below)
        if 12 * sets + 4 * below > self.memory * 2**30:
            raise OptionError(
                f"{self.positions.variant.game.title} has more than {count:,} information sets: "
                f"they need more GB than memory={self.memory:g} allows"
            )
        used = (self.set_first[count], len(self._below)), (count, len(self.set_seen))
        more_sequences, more_sets = _short(*used)
        if more_sequences:
            self._below = longer(self._below, below)
        if more_sets:
            self.set_before = longer(self.set_before, sets)
            self.set_seen = longer(self.set_seen, sets)
            self.set_first = longer(self.set_first, sets + 1)

    def _listed(self) -> list[_Paid]:
        """What the sequences of each seat are paid."""
        held, roots = self.positions, len(self.positions.roots)
        size = max(4096, 2 * roots)
        places, reach = np.zeros((size, 3), np.int32), np.zeros(size)
        places[:roots, 0], places[:roots, 2], reach[:roots] = held.roots, 1, held.root_chance
        pairs, pays = np.zeros((size, 2), np.int32), np.zeros((size, 2))
        at = np.array([roots, 0, 0])
        sets = self._below, self.set_seen, self.set_first
        stopped, some = _LONG, Pieces(STEPS)
        while stopped != _DONE:
            with some.until(at[2:]) as most:
                stopped = self._follow(
                    at, most, *self._game, *sets, places, reach, pairs, pays
                )  # fmt: skip
            if stopped != _FULL:
                continue
            waiting, paid = _short((at[0], len(places)), (at[1], len(pairs)))
            if waiting:
                places, reach = longer(places, 2 * len(places)), longer(reach, 2 * len(reach))
            if paid:
                pairs, pays = longer(pairs, 2 * len(pairs)), longer(pays, 2 * len(pays))
        found = []
        for seat in range(2):
            start, stop = self._own(seat)
            keys = pairs[: at[1], seat].astype(np.int64) * self.count + pairs[: at[1], 1 - seat]
            unique, which = np.unique(keys, return_inverse=True)
            total = np.asarray(np.bincount(which, pays[: at[1], seat], len(unique)), np.float64)
            own, others = np.divmod(unique, self.count)
            rows = np.searchsorted(own, np.concatenate([[seat], np.arange(start, stop + 1)]))
            found.append(_Paid(rows.astype(np.int64), others.astype(np.int32), total))
        return found

    @property
    def largest(self) -> float:
        """The most that a pair of sequences is paid, chance included; of a large game, a bound."""
        if self._paid:
            return max(float(np.abs(each.pays).max(initial=0.0)) for each in self._paid)
        held = self.positions
        begins = np.bincount(held.seen[held.roots], held.root_chance)
        return float(np.abs(held.reward).max(initial=0.0) * begins.max(initial=0.0))

    def _own(self, seat: int) -> tuple[int, int]:
        """Where the sequences of a seat begin and end, but for its first."""
        sets = self.sets[seat]
        return int(self.set_first[sets.start]), int(self.set_first[sets.stop])

    # --- strategies ------------------------------------------------------------------------------

    def uniform(self) -> NDArray[np.float64]:
        """(Q,): every legal action is equally likely."""
        legal = np.diff(self.positions.first)
        return self.of(np.repeat(1.0 / legal, legal))

    def of(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): a strategy that looks at the present observation, (C,) as of ``Bench``."""
        held, found = self.positions, np.empty(self.count)
        found[:2] = 1.0
        sets = held.example, self.set_seen, self.set_first
        forward(self._spread, 0, len(self.set_seen), held.first, *sets, table, found)
        return found

    def asked(
        self,
        policy: Policy,
        draws: int,
        seed: int = 0,
        minutes: float = 30.0,
        progress: Progress | None = None,
        shown: Variant | None = None,
    ) -> tuple[NDArray[np.float64], bool]:
        """(Q,): how often *policy* takes each action, asked *draws* times in each information set;
        and whether that is exact: random bits never made a difference.

        What it remembers is what it has seen at its own decisions. *progress* is told in how many
        information sets it has been asked; asking may take so many *minutes*. *shown*: the same
        game with ``observation="history"``, if that is what it looks at.
        """
        if isinstance(policy, Solved):
            return policy.over(self), True
        must_look_at_the_present(policy, memory=True)
        if shown is not None and policy.needs_states:
            raise OptionError(f"{policy.name} plays on by itself: it is not shown the history")
        count, legal = len(self.set_seen), np.diff(self.set_first)
        # Where nothing comes before, the set before is -1.
        before = np.searchsorted(self.set_first, self.set_before, "right") - 1
        strategy, place = np.ones(self.count), np.empty(count, np.int32)
        asked = Asked(policy, draws, seed, count, minutes, progress)
        decisions, sets, remembered = (
            0,
            np.flatnonzero(before < 0),
            np.zeros((1, policy.memory), np.float32),
        )
        while len(sets):
            memory = remembered[place[before[sets]] if decisions else np.zeros_like(sets)]
            for part in asked.parts(len(sets)):
                here = sets[part]
                seen = self.positions.seen_as(self.set_seen[here])
                seen = replace(seen, memory=memory[part].copy())
                if shown is not None:
                    history = self._history(shown, here, before, decisions)
                    seen = replace(seen, variant=shown, observations=history)
                chances = asked(seen)
                memory[part] = seen.memory
                many, each = legal[here], seen.masks
                within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
                strategy[np.repeat(self.set_first[here], many) + within] = chances[each > 0]
            place[sets], remembered = np.arange(len(sets)), memory
            at_once = np.zeros(count + 1, bool)
            at_once[sets] = True
            decisions, sets = decisions + 1, np.flatnonzero(at_once[before])
        return strategy, asked.exact

    def _history(
        self, shown: Variant, sets: NDArray[np.int64], before: NDArray[np.int64], decisions: int
    ) -> NDArray[Any]:
        """(N, D): what *shown* shows in *sets*, to which so many own decisions have led."""
        held, rows = self.positions, np.arange(len(sets))
        if decisions > (shown.longest or 0):
            seat = int(held.mover[held.example[self.set_seen[sets[0]]]])
            raise too_often(shown.game, seat, shown.longest or 0)
        vector = np.zeros((len(sets), shown.observation_size), shown.dtype)
        vector[:, -held.variant.observation_size :] = held.observations[self.set_seen[sets]]
        past, now = shown.named(vector), sets  # views
        for decision in range(decisions - 1, -1, -1):
            sequence, now = self.set_before[now], before[now]
            which = held.first[held.example[self.set_seen[now]]] + sequence - self.set_first[now]
            past["past_observations"][:, decision] = held.observations[self.set_seen[now]]
            past["past_actions"][rows, decision, held.actions[which]] = 1
        return vector

    def likely(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): how likely each sequence is, as far as its seat decides."""
        found = np.empty(self.count)
        found[:2] = 1.0
        sets = self.set_before, self.set_first
        forward(self._likely, 0, len(self.set_before), *sets, strategy, found)
        return found

    # --- what they are worth ---------------------------------------------------------------------

    def gather(
        self,
        seat: int,
        likely: NDArray[np.float64],
        got: NDArray[np.float64],
        progress: Progress | None = None,
    ) -> None:
        """got, (Q,): what each sequence of *seat* is paid at once, if the other's are so likely.

        *progress* is told what is done, in thousandths.
        """
        start, stop = self._own(seat)
        if self._paid:
            paid = self._paid[seat]
            given = paid.starts, paid.others, paid.pays, likely, got
            forward(self._gather, 0, len(paid.starts) - 1, seat, start, *given)
            return
        got[seat], got[start:stop] = 0.0, 0.0
        places, reach = self._put_aside(seat, self._cuts[seat], likely, got)
        # Whatever follows from one sequence of the seat is paid to what follows from it: no two
        # parts write to the same place.
        order = np.argsort(places[:, 1], kind="stable")
        places, reach = places[order], reach[order]
        ends = np.flatnonzero(np.diff(places[:, 1], append=-1)) + 1
        self._interrupted = False
        tasks = [*pairwise([0, *ends.tolist()])]

        def work(space: _Space, part: tuple[int, int]) -> None:
            space.begin(places[slice(*part)], reach[slice(*part)])
            self._through(space, seat, likely, got)

        def told(done: int) -> None:
            if progress:
                progress(1000 * done // len(tasks))

        def interrupt() -> None:
            self._interrupted = True

        in_spaces(work, [_Space() for _ in range(self.threads)], tasks, told, interrupt)

    def _through(
        self, space: _Space, seat: int, likely: NDArray[np.float64], got: NDArray[np.float64]
    ) -> None:
        """Go through the courses that wait there."""
        sets, stopped = (self._below, self.set_seen, self.set_first), _LONG
        while stopped != _DONE and not self._interrupted:
            with space.steps.until(space.at[2:]) as most:
                stopped = self._walk(
                    space.at, most, seat, *self._game, *sets, likely, got, space.places,
                    space.reach, space.aside, space.aside_reach,
                )  # fmt: skip
            if stopped == _FULL:
                space.grow()

    def _put_aside(
        self, seat: int, decisions: int, likely: NDArray[np.float64], got: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The courses to where *seat* has made so many decisions; what comes before is paid."""
        held, space = self.positions, _Space()
        roots = np.zeros((len(held.roots), 4), np.int32)
        roots[:, 0], roots[:, 1], roots[:, 2] = held.roots, seat, 1 - seat
        space.begin(roots, held.root_chance, decisions)
        self._through(space, seat, likely, got)
        count = int(space.at[1])
        return space.aside[:count], space.aside_reach[:count]

    def _cut(self, seat: int) -> int:
        """After how many of a seat's decisions there are parts enough to go through separately."""
        likely, got = np.ones(self.count), np.zeros(self.count)
        most = decisions = 0
        while most < _PARTS * self.threads:
            places, _ = self._put_aside(seat, decisions + 1, likely, got)
            parts = len(np.unique(places[:, 1]))
            if parts <= most:  # games are over before there are more
                break
            most, decisions = parts, decisions + 1
        return decisions

    def best_responses(
        self, strategy: NDArray[np.float64], progress: Progress | None = None
    ) -> BestResponses:
        """What a strategy is worth, and what each seat gets by a best response to it.

        *progress* is told what is done, in thousandths of one seat's.
        """
        likely, got = self.likely(strategy), np.empty(self.count)
        values, most = [], []
        for seat, sets in enumerate(self.sets):
            self.gather(seat, likely, got, further(progress, 1000 * seat))
            begun, (start, stop) = float(self.positions.root_reward[seat]), self._own(seat)
            values.append(begun + float(got[seat] + got[start:stop] @ likely[start:stop]))
            given = self.set_before, self.set_first, got
            backward(self._best, sets.start, sets.stop, *given)
            most.append(begun + float(got[seat]))
        return BestResponses((values[0], values[1]), (most[0], most[1]))
