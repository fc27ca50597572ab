"""What a strategy is worth in a game for two, and the best response to it: exactly.

The strategy looks at the present observation only. Whoever answers it remembers all that it has
seen and done, and so knows how likely each position is. This belief follows the responder's own
observations and actions; courses of the game that lead to the same position are one in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import registry
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.loops import RANDOM
from cyberdeck.engine.pieces import Pieces, backward
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.evaluation.asking import Asked
from cyberdeck.evaluation.best_response import BestResponses, Strategy
from cyberdeck.evaluation.exact.beliefs import STEPS, group, in_room, waits
from cyberdeck.evaluation.exact.spaces import in_spaces
from cyberdeck.players.chances import must_look_at_the_present
from cyberdeck.players.solvers.positions import Positions, Progress, enumerated, further, longer

#: Why loops stop: they are done, no room is left, they have taken so many steps that somebody may
#: interrupt, or there are too many tasks. They can go on where they were, but for the last.
_DONE, _FULL, _LONG, _CROWDED = 0, 1, 2, 3

#: What ``_respond`` does with beliefs at the depth *cut*: it notes them, takes their values from a
#: list, or goes through to the end of the game.
_NOTE, _TAKE, _THROUGH = 0, 1, 2

#: How many beliefs are worked on separately, for each thread; and how deep they are looked for.
_TASKS, _DEEPEST = 200, 8

#: The part of its time after which a best response is judged: the first tasks take longest, as
#: little is known yet. And the seconds of tasks that say beforehand how long it takes.
_SOON: Final = 0.01
_TRIED: Final = 0.3


def _worth(  # type: ignore[no-untyped-def]
    start, stop, first, into, after, chance, reward, table, values
):
    """values, (P, 2): what each seat gets from each position on, if both play the strategy."""
    for i in range(stop - 1, start - 1, -1):
        for seat in range(2):
            total = 0.0
            for c in range(first[i], first[i + 1]):
                if table[c] > 0:
                    for e in range(into[c], into[c + 1]):
                        value = np.float64(reward[e, seat])
                        if after[e] >= 0:
                            value += values[after[e], seat]
                        total += table[c] * chance[e] * value
            values[i, seat] = total


def _respond(  # type: ignore[no-untyped-def]
    at, seat, how, cut, most, mover, seen, first, into, after, chance, reward, begin, end, ids,
    odds, gain, stamp, place, sight_stamp, sight_place, held, weights, order, held_too, weights_too,
    frames, sums, known, tasks, task_ids, task_odds, task_values,
):  # fmt: skip
    """The most that *seat* can get from the belief held[:at[0]], in sums[0, 1].

    A belief is positions that *seat* cannot tell apart, with a weight for each. Positions side by
    side belong to one belief if *seat* sees the same in them. at: entries of the belief, tick,
    tasks, their entries, steps, depth: -1 to begin with. For each depth, frames (D, 5): where its
    belief begins and ends, its action, where the beliefs that follow begin and end; sums (D, 2): of
    the best action so far, of this one.
    """
    if at[5] < 0:
        at[5], frames[0, 3], frames[0, 4], sums[0, 1] = 0, 0, at[0], 0.0
    d = at[5]
    while True:
        at[5] = d
        if at[4] > most:
            return _LONG
        k, last = frames[d, 3], frames[d, 4]
        if k < last:  # the next belief that follows
            what, n = seen[held[k]], k + 1
            while n < last and seen[held[n]] == what:
                n += 1
            frames[d, 3] = n
            if how == _THROUGH and n == k + 1 and known[held[k]] == known[held[k]]:
                sums[d, 1] += weights[k] * known[held[k]]
            elif how == _TAKE and d == cut:
                sums[d, 1] += task_values[at[2]]
                at[2] += 1
            elif how == _NOTE and d == cut:
                if at[2] + 1 == len(tasks) or at[3] + n - k > len(task_ids):
                    return _CROWDED
                while k < n:
                    task_ids[at[3]], task_odds[at[3]] = held[k], weights[k]
                    at[3] += 1
                    k += 1
                at[2] += 1
                tasks[at[2]] = at[3]
            else:
                d += 1
                frames[d, 0], frames[d, 1], frames[d, 2] = k, n, -1
                frames[d, 3], frames[d, 4] = 0, 0
                sums[d, 0], sums[d, 1] = -np.inf, -np.inf
            continue
        if d == 0:
            return _DONE
        sums[d, 0] = max(sums[d, 0], sums[d, 1])
        b0, b1, action = frames[d, 0], frames[d, 1], frames[d, 2] + 1
        if action == first[held[b0] + 1] - first[held[b0]]:
            if how == _THROUGH and b1 == b0 + 1:
                known[held[b0]] = sums[d, 0] / weights[b0]
            d -= 1
            sums[d, 1] += sums[d + 1, 0]
            continue
        # What the action leads to is put behind all that is still needed.
        top = frames[d - 1, 4]
        at[1] += 1
        tick, n, total, sights = at[1], top, 0.0, 0
        for b in range(b0, b1):
            c = first[held[b]] + action
            for e in range(into[c], into[c + 1]):
                p, j = weights[b] * chance[e], after[e]
                total += p * reward[e, seat]
                if j < 0:
                    continue
                own = mover[j] == seat
                k, last = begin[j], end[j]
                if own:
                    k, last = 0, 1
                else:
                    total += p * gain[j]
                at[4] += last - k
                while k < last:
                    to, q = j, p
                    if not own:
                        to, q = ids[k], p * odds[k]
                    k += 1
                    if stamp[to] == tick:
                        weights[place[to]] += q
                        continue
                    if n == len(held):
                        return _FULL
                    stamp[to], place[to] = tick, n
                    held[n], weights[n] = to, q
                    n += 1
                    what = seen[to]
                    if sight_stamp[what] != tick:
                        sight_stamp[what], sight_place[what] = tick, 0
                        sights += 1
                    sight_place[what] += 1
        if sights > 1:
            group(top, n, seen, sight_place, held, order, held_too)
            for k in range(top, n):
                weights_too[order[k - top]] = weights[k]
            for k in range(top, n):
                weights[k] = weights_too[k - top]
        frames[d, 2], frames[d, 3], frames[d, 4], sums[d, 1] = action, top, n, total


@dataclass
class _Space:
    """What one thread works with."""

    positions: Positions
    depth: int
    most: int = 1 << 20

    def __post_init__(self) -> None:
        count, sights = len(self.positions), len(self.positions.example)
        self.at, self.known = np.zeros(6, np.int64), np.full(count, np.nan)
        self.marks = [np.zeros(each, np.int64) for each in (count, count, sights, sights)]
        self.sorted = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count)
        self.frames, self.sums = np.zeros((self.depth, 5), np.int64), np.zeros((self.depth, 2))
        self.held, self.weights = np.empty(self.most, np.int32), np.empty(self.most)
        self.steps = Pieces(STEPS)

    @property
    def bytes(self) -> int:
        """How much it takes."""
        return _bytes((self.known, *self.marks, *self.sorted, self.held, self.weights))

    def grow(self) -> None:
        self.most *= 2
        self.held, self.weights = longer(self.held, self.most), longer(self.weights, self.most)


@dataclass
class _Tasks:
    """Beliefs that are worked on separately, and what each is worth."""

    most: int
    entries: int

    def __post_init__(self) -> None:
        self.ends, self.values = np.zeros(self.most + 1, np.int64), np.zeros(self.most)
        self.ids, self.odds = np.empty(self.entries, np.int32), np.empty(self.entries)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.ends, self.ids, self.odds, self.values


class Bench:
    """All positions of a game for two, and what strategies are worth in it.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        memory: how many gigabytes the positions may take; and beliefs, for each thread.
        minutes: how many a best response, or asking a policy, may take.
        threads: how many cores it works on; "auto" is all.
        progress: is told how many positions have been looked at.
        options: the game's own options.

    >>> from cyberdeck.api.registration import load_file
    >>> bench = Bench(load_file("examples/games/kuhn_poker.py").name)
    >>> len(bench.positions), round(bench.best_responses(bench.uniform()).exploitability, 4)
    (24, 0.4583)
    """

    def __init__(
        self,
        game: str | Variant,
        *,
        memory: float = 3.0,
        minutes: float = 30.0,
        threads: int | str = "auto",
        progress: Progress | None = None,
        **options: Any,
    ) -> None:
        self.variant = registry.variant(game, Bench, **options)
        title, seats = self.variant.game.title, self.variant.seats
        require(
            seats == 2, "game", self.variant.game.name, f"it is for two, {title} is for {seats}"
        )
        self.memory, self.minutes, self.threads = memory, minutes, count_of(threads)
        self.positions = enumerated(self.variant, memory, progress)
        made: list[Callable[..., Any]] = [_worth, _respond]
        self._worth, self._respond = compile_loops(made, "the exact bench")

    # --- strategies ------------------------------------------------------------------------------

    def uniform(self) -> NDArray[np.float64]:
        """(C,): every legal action is equally likely."""
        legal = np.diff(self.positions.first)
        return np.repeat(1.0 / legal, legal)

    def table(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """(C,): a strategy, from the chance of each action in each situation, (I, A)."""
        held = self.positions
        seen = np.repeat(held.seen, np.diff(held.first))
        found: NDArray[np.float64] = chances[seen, held.actions]
        return found

    def asked(self, strategy: Strategy) -> NDArray[np.float64]:
        """(C,): what *strategy* does in every position."""
        held = self.positions
        return self.table(np.array([*map(strategy, held.observations, held.masks)]))

    def of(
        self, policy: Policy, draws: int, seed: int = 0, progress: Progress | None = None
    ) -> tuple[NDArray[np.float64], bool]:
        """(C,): how often *policy* takes each action, asked *draws* times in each situation; and
        whether that is exact: random bits never made a difference.
        """
        must_look_at_the_present(policy)
        if policy.code == RANDOM:
            return self.uniform(), True
        held = self.positions
        count, found = len(held.example), np.zeros(held.masks.shape)
        asked = Asked(policy, draws, seed, count, self.minutes, progress)
        sights = np.arange(count, dtype=np.int32)
        for part in asked.parts(count):
            found[part] = asked(held.seen_as(sights[part]))
        return self.table(found), asked.exact

    # --- what they are worth ---------------------------------------------------------------------

    def value(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2,): what each seat gets on average if both play this strategy."""
        self.check(table)
        held = self.positions
        values = np.zeros((len(held), 2))
        parts = (held.first, held.into, held.after, held.chance, held.reward)
        backward(self._worth, 0, len(held), *parts, table, values)
        total: NDArray[np.float64] = held.root_reward + held.root_chance @ values[held.roots]
        return total

    def check(self, table: NDArray[np.float64]) -> None:
        """``OptionError`` for what is no strategy here: compiled code would not notice."""
        legal = np.diff(self.positions.first)
        shape, actions = np.shape(table), len(self.positions.actions)
        if shape != (actions,):
            raise OptionError(
                f"a strategy of the shape {shape} is not possible: {self.variant.game.title} has "
                f"{actions:,} actions, so it is ({actions},), as of uniform(), asked() and of()"
            )
        at = np.repeat(np.arange(len(legal)), legal)
        sums = np.bincount(at, table, len(legal))
        wrong = ~((table >= 0) & (np.abs(sums - 1) < 1e-4)[at])
        if wrong.any():
            i = at[wrong.argmax()]
            chances = table[self.positions.first[i] : self.positions.first[i + 1]].tolist()
            raise OptionError(
                f"a strategy with the chances {chances} in position {i} is not possible: none may "
                "be below 0, and they add up to 1"
            )

    def in_time(self, seconds: float, more: bool) -> None:
        """``OptionError`` if all of it takes longer than it may, and there is *more* to do."""
        if more and seconds > 60 * self.minutes:
            raise OptionError(
                f"a best response in {self.variant.game.title} takes about {seconds / 60:,.0f} "
                f"minutes, more than minutes={self.minutes:g} allows"
            )

    def best_response(
        self, table: NDArray[np.float64], seat: int, progress: Progress | None = None
    ) -> float:
        """What *seat* gets by a best response. *progress* is told what is done, in thousandths."""
        require(seat in (0, 1), "seat", seat, "choose 0 or 1")
        self.check(table)
        return _Answer(self, table, seat).best(progress)

    def best_responses(
        self,
        table: NDArray[np.float64],
        progress: Progress | None = None,
        told: Callable[[float, float], None] | None = None,
    ) -> BestResponses:
        """Both seats' best responses; *progress* is told what is done, in thousandths of one.

        *told* is called before they begin, with about how many seconds they take, by small parts of
        them, and how many gigabytes.
        """
        self.check(table)
        first, second = answers = [_Answer(self, table, seat) for seat in range(2)]
        if told:
            held = _bytes(vars(self.positions).values()) + sum(each.bytes for each in answers)
            told(sum(each.tried() for each in answers), held / 2**30)
        best = first.best(progress), second.best(further(progress, 1000))
        return BestResponses(tuple(self.value(table).tolist()), best)


class _Answer:
    """The best response of one seat to one strategy."""

    def __init__(self, bench: Bench, table: NDArray[np.float64], seat: int) -> None:
        self.bench, self.seat = bench, seat
        held, wait = bench.positions, waits(bench.positions, seat, table, bench.memory)
        game = (held.mover, held.seen, held.first, held.into, held.after, held.chance, held.reward)
        self.waits = (wait.begin, wait.end, wait.ids, wait.odds, wait.gain)
        self.game = (*game, *self.waits)
        belief, self.sure = wait.beginning(held, seat)
        self.begins = np.array([*belief], np.int32), np.array([*belief.values()])
        self.depth = int(held.states["decisions"].max(initial=0)) + 3
        self.interrupted, self.begun = False, time.monotonic()
        self.space = _Space(held, self.depth)
        self.tasks, self.cut, count = self._tasks(self.space)
        # In random order, so that the first ones tell how long all will take.
        self.order = np.random.default_rng(0).permutation(count).tolist()

    @property
    def bytes(self) -> int:
        """How much it takes, but for the positions."""
        return _bytes((*self.waits, *self.tasks.arrays())) + self.bench.threads * self.space.bytes

    def tried(self) -> float:
        """About how many seconds it takes, by the first tasks, which are done then."""
        done, spent, begun, count = 0, 0.0, time.monotonic(), len(self.order)
        while done < count and spent <= _TRIED:
            self._work(self.space, self.order[done])
            done, spent = done + 1, time.monotonic() - begun
        self.order = self.order[done:]
        return spent / max(done, 1) * count / self.bench.threads

    def best(self, progress: Progress | None) -> float:
        """What the seat gets."""
        bench, count = self.bench, len(self.order)
        others = [_Space(bench.positions, self.depth) for _ in range(1, bench.threads)]
        self.begun = time.monotonic()

        def told(done: int) -> None:
            spent = time.monotonic() - self.begun
            if spent > _SOON * 60 * bench.minutes:
                bench.in_time(spent / done * count, done < count)
            if progress:
                progress(1000 * done // count)

        in_spaces(self._work, [self.space, *others], self.order, told, self._interrupt)
        return self.sure + self._run(self.space, _TAKE, self.cut, *self.begins, self.tasks)

    def _interrupt(self) -> None:
        self.interrupted = True

    def _work(self, space: _Space, task: int) -> None:
        """Find out what one task is worth."""
        part = slice(self.tasks.ends[task], self.tasks.ends[task + 1])
        ids, odds = self.tasks.ids[part], self.tasks.odds[part]
        self.tasks.values[task] = self._run(space, _THROUGH, 0, ids, odds)

    def _tasks(self, space: _Space) -> tuple[_Tasks, int, int]:
        """Beliefs to be worked on separately, at which depth they are, and how many."""
        first = len(self.begins[0])  # there is room for those that it begins with
        most = max(first, 1 << 16), max(first, 1 << 22)
        found = tasks, cut, count = _Tasks(*most), 0, 0
        while cut <= _DEEPEST and count < _TASKS * self.bench.threads:
            value = self._run(space, _NOTE, cut, *self.begins, tasks)
            if np.isnan(value) or space.at[2] < count:  # no room, or games end before that depth
                break
            count = int(space.at[2])
            found = tasks, cut, count
            tasks, cut = _Tasks(*most), cut + 1
        return found

    def _run(
        self,
        space: _Space,
        how: int,
        cut: int,
        ids: NDArray[np.int32],
        odds: NDArray[np.float64],
        tasks: _Tasks | None = None,
    ) -> float:
        """What a belief is worth; NaN if there is no room for its tasks."""
        while len(ids) > space.most:
            space.grow()
        space.held[: len(ids)], space.weights[: len(ids)] = ids, odds
        space.at[0], space.at[2], space.at[3], space.at[5] = len(ids), 0, 0, -1
        while not self.interrupted:
            with space.steps.until(space.at[4:]) as most:
                stopped = self.bench._respond(
                    space.at, self.seat, how, cut, most, *self.game, *space.marks, space.held,
                    space.weights, *space.sorted, space.frames, space.sums, space.known,
                    *(tasks or _NO_TASKS).arrays(),
                )  # fmt: skip
            if stopped == _DONE:
                break
            self.bench.in_time(time.monotonic() - self.begun, more=True)
            if stopped == _CROWDED:
                return np.nan
            if stopped == _FULL:
                in_room(self.bench.positions, 2 * space.most, self.bench.memory)
                space.grow()
        return float(space.sums[0, 1])


_NO_TASKS: Final = _Tasks(0, 0)


def _bytes(held: Iterable[Any]) -> int:
    """How much these arrays take, with what they are parts of."""
    whole = [each if each.base is None else each.base for each in held if hasattr(each, "base")]
    return sum({id(each): each.nbytes for each in whole}.values())
