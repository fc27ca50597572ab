"""A game for two in sequence form: what pairs of sequences are paid.

How a game pays is one number for each pair of sequences, one of each seat, chance included, so that
what a strategy is worth is a sum over pairs (Koller, Megiddo and von Stengel 1996). Of a game with
few courses these numbers are kept; the courses of a large one are gone through each time, without
those that the other's strategy leaves out.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress, further
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.pieces import backward, forward
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.recall import too_often
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.enumeration.beliefs import Sets
from cyberdeck.enumeration.information import InformationPartition, ranges
from cyberdeck.enumeration.positions import Positions, in_parts
from cyberdeck.errors import OptionError
from cyberdeck.exact.courses import PLACE, Courses, Space
from cyberdeck.exact.strategies import BestResponses, Questions
from cyberdeck.players.beliefs import refuse_memory
from cyberdeck.players.solved import Solved

#: About how many courses a core goes through in a second.
_COURSES: Final = 60_000_000

#: How many parts of the courses are gone through separately, for each thread.
_PARTS: Final = 64


def _count(start: Any, stop: Any, moves: Any, many: Any) -> None:
    """many, (P,): how many courses there are from each position on, itself among them."""
    for i in range(stop - 1, start - 1, -1):
        many[i] = 1.0
        for e in range(moves.into[moves.first[i]], moves.into[moves.first[i + 1]]):
            if moves.after[e] >= 0:
                many[i] += many[moves.after[e]]


def _likely(
    start: Any, stop: Any, set_before: Any, set_first: Any, strategy: Any, reach: Any
) -> None:
    """reach, (Q,): how likely each sequence is, as far as its seat decides."""
    for i in range(start, stop):
        for q in range(set_first[i], set_first[i + 1]):
            reach[q] = reach[set_before[i]] * strategy[q]


def _gather(
    begin: Any, end: Any, seat: Any, start: Any, starts: Any, others: Any, pays: Any, likely: Any,
    got: Any,
) -> None:  # fmt: skip
    """got, (Q,): what each sequence of *seat* is paid at once, if the other's are so likely."""
    for row in range(begin, end):
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += pays[k] * likely[others[k]]
        got[start + row - 1 if row else seat] = total


def _best(start: Any, stop: Any, set_before: Any, set_first: Any, got: Any) -> None:
    """got, (Q,): what is paid from each sequence on, if the seat of these sets answers best."""
    for i in range(stop - 1, start - 1, -1):
        most = got[set_first[i]]
        for q in range(set_first[i] + 1, set_first[i + 1]):
            most = max(most, got[q])
        got[set_before[i]] += most


class _Paid(NamedTuple):
    """What the sequences of a seat are paid, its first before the others, by those of the other."""

    starts: NDArray[np.int64]  # (own + 2,)
    others: NDArray[np.int32]  # (K,)
    pays: NDArray[np.float64]  # (K,)


class InformationSets(InformationPartition):
    """A game for two as its seats remember it, and what it pays. I information sets, Q sequences.

    Args:
        positions: all of the game's.
        memory: how many gigabytes the information sets may take.
        threads: how many cores go through the courses of a large game; "auto" is all.
        keep: what they pay is kept in a game of so many courses at most.
        progress: is called with how many information sets have been found.

    >>> from cyberdeck import load_file
    >>> from cyberdeck.exact import PositionSolver
    >>> positions = PositionSolver(load_file("examples/games/kuhn_poker.py").name).positions
    >>> game = InformationSets(positions)
    >>> [len(sets) for sets in game.sets], game.courses
    ([6, 6], 24)
    >>> round(game.best_responses(game.uniform()).exploitability, 4)
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
        super().__init__(positions, memory, progress)
        self.threads = count_of(threads)
        count, self._likely, self._gather, self._best = compile_loops(
            [_count, _likely, _gather, _best], "sequences"
        )
        self.as_sets = Sets(self.set_before, self.set_seen, self.set_first, self.set_below)
        many = np.zeros(len(positions))
        backward(count, 0, len(positions), positions.moves, many)
        #: How many courses of the game lead to a decision.
        self.courses = int(many[positions.roots].sum())
        self._paid = [self._list(seat) for seat in range(2)] if self.courses <= keep else []
        if not self._paid:
            self._cuts = [self._cut(seat) for seat in range(2)]

    @property
    def seconds(self) -> float:
        """About how long ``best_responses`` takes, if the strategy leaves nothing out."""
        return 0.0 if self._paid else 2 * self.courses / (_COURSES * self.threads)

    @property
    def bytes(self) -> int:
        """How much the information sets take, and the two numbers that each sequence has then."""
        return sum(each.nbytes for each in self.as_sets) + 16 * self.count

    # --- what is paid ----------------------------------------------------------------------------

    def _begin(self, seat: int) -> Courses:
        """The courses with which games begin."""
        roots = self.positions.roots
        places = np.zeros(len(roots), PLACE)
        places["position"], places["own"], places["other"] = roots, seat, 1 - seat
        return Courses(places, self.positions.root_chance)

    def _list(self, seat: int) -> _Paid:
        """What the sequences of a seat are paid."""
        space = Space(self.positions.moves, self.as_sets, pairs=True)
        space.go_through(seat, self._begin(seat), np.ones(self.count))
        count = space.counters["pairs"][0]
        own, others, pays = (each[:count] for each in space.lists["pairs"])
        start, stop = self._own(seat)
        unique, which = np.unique(own.astype(np.int64) * self.count + others, return_inverse=True)
        total = np.asarray(np.bincount(which, pays, len(unique)), np.float64)
        own, others = np.divmod(unique, self.count)
        rows = np.searchsorted(own, np.concatenate([[seat], np.arange(start, stop + 1)]))
        return _Paid(rows.astype(np.int64), others.astype(np.int32), total)

    @property
    def largest(self) -> float:
        """The most that a pair of sequences is paid, chance included; of a large game, a bound."""
        if self._paid:
            return max(float(np.abs(each.pays).max(initial=0.0)) for each in self._paid)
        positions = self.positions
        begins = np.bincount(positions.moves.seen[positions.roots], positions.root_chance)
        return float(np.abs(positions.moves.reward).max(initial=0.0) * begins.max(initial=0.0))

    def _own(self, seat: int) -> tuple[int, int]:
        """Where the sequences of a seat begin and end, but for its first."""
        sets = self.sets[seat]
        return int(self.set_first[sets.start]), int(self.set_first[sets.stop])

    # --- strategies ------------------------------------------------------------------------------

    def table_of(
        self,
        policy: Policy,
        draws: int,
        minutes: float = 30.0,
        progress: Progress | None = None,
        shown: Variant | None = None,
    ) -> tuple[NDArray[np.float64], bool]:
        """(Q,): how often *policy* takes each action, asked *draws* times in each information set;
        and whether that is exact: random bits never made a difference.

        What it remembers is what it has seen at its own decisions. *progress* is called with in how
        many information sets it has been asked; asking may take so many *minutes*. *shown*: the
        same game with ``observation="history"``, if that is what it looks at.
        """
        if isinstance(policy, Solved):
            return policy.over(self), True
        refuse_memory(policy, memory=True)
        if shown is not None and policy.needs_states:
            raise OptionError(f"{policy.name} plays on by itself: it is not shown the history")
        count = len(self.set_seen)
        strategy, place = np.ones(self.count), np.empty(count, np.int32)
        questions = Questions(policy, draws, count, minutes, progress)
        remembered = np.zeros((1, policy.memory), np.float32)
        for decisions, sets in enumerate(self.by_decisions()):
            memory = remembered[place[self.parents[sets]] if decisions else np.zeros_like(sets)]

            def look(
                part: slice, sets: Any = sets, memory: Any = memory, decisions: int = decisions
            ) -> PolicyInput:
                seen = self.positions.as_input(self.set_seen[sets[part]])
                seen = replace(seen, memory=memory[part])  # a view, which is written to
                if shown is None:
                    return seen
                history = self._history(shown, sets[part], decisions)
                return replace(seen, variant=shown, observations=history)

            legal = self.positions.masks[self.set_seen[sets]] > 0
            to = ranges(self.set_first[sets], legal.sum(axis=1))
            strategy[to] = questions.ask(len(sets), look)[legal]
            place[sets], remembered = np.arange(len(sets)), memory
        return strategy, questions.exact

    def _history(self, shown: Variant, sets: NDArray[np.int64], decisions: int) -> NDArray[Any]:
        """(N, D): what *shown* shows in *sets*, to which so many own decisions have led."""
        positions, moves, rows = self.positions, self.positions.moves, np.arange(len(sets))
        if decisions > (shown.longest or 0):
            seat = int(moves.mover[positions.example[self.set_seen[sets[0]]]])
            raise too_often(shown.game, seat, shown.longest or 0)
        vector = np.zeros((len(sets), shown.observation_size), shown.dtype)
        vector[:, -positions.variant.observation_size :] = positions.observations[
            self.set_seen[sets]
        ]
        past, now = shown.named(vector), sets  # views
        for decision in range(decisions - 1, -1, -1):
            sequence, now = self.set_before[now], self.parents[now]
            which = (
                moves.first[positions.example[self.set_seen[now]]] + sequence - self.set_first[now]
            )
            past["past_observations"][:, decision] = positions.observations[self.set_seen[now]]
            past["past_actions"][rows, decision, moves.actions[which]] = 1
        return vector

    def likely(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q,): how likely each sequence is, as far as its seat decides."""
        reach = np.empty(self.count)
        reach[:2] = 1.0
        sets = self.set_before, self.set_first
        forward(self._likely, 0, len(self.set_before), *sets, strategy, reach)
        return reach

    # --- what they are worth ---------------------------------------------------------------------

    def gather(
        self,
        seat: int,
        likely: NDArray[np.float64],
        got: NDArray[np.float64],
        progress: Progress | None = None,
    ) -> None:
        """got, (Q,): what each sequence of *seat* is paid at once, if the other's are so likely.

        *progress* is called with what is done, in thousandths.
        """
        start, stop = self._own(seat)
        if self._paid:
            paid = self._paid[seat]
            forward(self._gather, 0, len(paid.starts) - 1, seat, start, *paid, likely, got)
            return
        got[seat], got[start:stop] = 0.0, 0.0
        courses = self._put_aside(seat, self._cuts[seat], likely, got)
        # Whatever follows from one sequence of the seat is paid to what follows from it: no two
        # parts write to the same place.
        order = np.argsort(courses.places["own"], kind="stable")
        courses = Courses(courses.places[order], courses.reach[order])
        ends = np.flatnonzero(np.diff(courses.places["own"], append=-1)) + 1
        parts = [slice(*each) for each in itertools.pairwise([0, *ends.tolist()])]

        def work(space: Space, part: int) -> None:
            own = Courses(courses.places[parts[part]], courses.reach[parts[part]])
            space.go_through(seat, own, likely, got)

        def report(done: int) -> None:
            if progress:
                progress(1000 * done // len(parts))

        spaces = [Space(self.positions.moves, self.as_sets) for _ in range(self.threads)]
        in_parts(work, len(parts), spaces, report)

    def _put_aside(
        self, seat: int, decisions: int, likely: NDArray[np.float64], got: NDArray[np.float64]
    ) -> Courses:
        """The courses to where *seat* has made so many decisions; what comes before is paid."""
        space = Space(self.positions.moves, self.as_sets)
        space.go_through(seat, self._begin(seat), likely, got, decisions)
        count = int(space.counters["aside"][0])
        return Courses(*(each[:count] for each in space.lists["aside"]))

    def _cut(self, seat: int) -> int:
        """After how many of a seat's decisions there are parts enough to go through separately."""
        likely, got = np.ones(self.count), np.zeros(self.count)
        most = decisions = 0
        while most < _PARTS * self.threads:
            parts = len(np.unique(self._put_aside(seat, decisions + 1, likely, got).places["own"]))
            if parts <= most:  # games are over before there are more
                break
            most, decisions = parts, decisions + 1
        return decisions

    def best_responses(
        self, strategy: NDArray[np.float64], progress: Progress | None = None
    ) -> BestResponses:
        """What a strategy is worth, and what each seat gets by a best response to it.

        *progress* is called with what is done, in thousandths of one seat's.
        """
        likely, got = self.likely(strategy), np.empty(self.count)
        values, most = [], []
        for seat, sets in enumerate(self.sets):
            self.gather(seat, likely, got, further(progress, 1000 * seat))
            begun, (start, stop) = float(self.positions.root_reward[seat]), self._own(seat)
            values.append(begun + float(got[seat] + got[start:stop] @ likely[start:stop]))
            backward(self._best, sets.start, sets.stop, self.set_before, self.set_first, got)
            most.append(begun + float(got[seat]))
        return BestResponses(tuple(values), tuple(most))
