"""What a strategy is worth in a game for two, and the best response to it: exactly.

The strategy looks at the present observation only. Whoever answers it remembers all that it has
seen and done, and so knows how likely each position is. This belief follows the responder's own
observations and actions; courses of the game that lead to the same position are one in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress, further
from cyberdeck.engine import registry
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.enumeration.beliefs import CROWDED, NOTE, TAKE, THROUGH, Tasks, Walk
from cyberdeck.enumeration.exploring import Enumeration
from cyberdeck.enumeration.waits import waits
from cyberdeck.errors import OptionError, require
from cyberdeck.exact.asking import table_of
from cyberdeck.exact.parts import in_parts
from cyberdeck.exact.results import BestResponses, Strategy

#: How many beliefs are worked on separately, for each thread; and how deep they are looked for.
_TASKS, _DEEPEST = 200, 8

#: The part of its time after which a best response is judged: the first tasks take longest, as
#: little is known yet. And the seconds of tasks that say beforehand how long it takes.
_SOON: Final = 0.01
_TRIED: Final = 0.3


class Bench:
    """All positions of a game for two, and what strategies are worth in it.

    Args:
        game: its name, or a ``Variant``: the game with its options.
        memory: how many gigabytes the positions may take; and beliefs, for each thread.
        minutes: how many a best response, or asking a policy, may take.
        threads: how many cores it works on; "auto" is all.
        progress: is called with how many positions have been looked at.
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
        kind, seats = self.variant.game, self.variant.seats
        require(seats == 2, "game", kind.name, f"it is for two, {kind.title} is for {seats}")
        self.memory, self.minutes, self.threads = memory, minutes, count_of(threads)
        self.positions = Enumeration(self.variant).all(memory, progress)

    # --- strategies ------------------------------------------------------------------------------

    def uniform(self) -> NDArray[np.float64]:
        """(C,): every legal action is equally likely."""
        return self.positions.uniform()

    def table_of(
        self,
        player: Policy | Strategy,
        draws: int = 30,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> tuple[NDArray[np.float64], bool]:
        """(C,): how often *player* takes each action; a policy is asked *draws* times in each
        situation. And whether that is exact: random bits never made a difference.
        """
        positions = self.positions
        if isinstance(player, Policy):
            return table_of(positions, player, draws, seed, self.minutes, progress)
        situations = zip(positions.observations, positions.masks, strict=True)
        return positions.table(np.array([player(*each) for each in situations])), True

    # --- what they are worth ---------------------------------------------------------------------

    def value(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2,): what each seat gets on average if both play this strategy."""
        self.check(table)
        values, _ = self.positions.evaluate(table)
        total: NDArray[np.float64] = (
            self.positions.root_reward + self.positions.root_chance @ values[self.positions.roots]
        )
        return total

    def check(self, table: NDArray[np.float64]) -> None:
        """``OptionError`` for what is no strategy here: compiled code would not notice."""
        legal = self.positions.legal
        shape, actions = np.shape(table), len(self.positions.actions)
        if shape != (actions,):
            raise OptionError(
                f"a strategy of the shape {shape} is not possible: {self.variant.game.title} has "
                f"{actions:,} actions, so it is ({actions},), as of uniform() and table_of()"
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

    def check_time(self, seconds: float, more: bool) -> None:
        """``OptionError`` if all of it takes longer than it may, and there is *more* to do."""
        if more and seconds > 60 * self.minutes:
            raise OptionError(
                f"a best response in {self.variant.game.title} takes about {seconds / 60:,.0f} "
                f"minutes, more than minutes={self.minutes:g} allows"
            )

    def best_response(
        self, table: NDArray[np.float64], seat: int, progress: Progress | None = None
    ) -> float:
        """What *seat* gets by a best response. *progress* is called with what is done, in
        thousandths.
        """
        require(seat in (0, 1), "seat", seat, "choose 0 or 1")
        self.check(table)
        return _Answer(self, table, seat).best(progress)

    def best_responses(
        self,
        table: NDArray[np.float64],
        progress: Progress | None = None,
        announce: Callable[[float, float], None] | None = None,
    ) -> BestResponses:
        """Both seats' best responses; *progress* is called with what is done, in thousandths of
        one.

        *announce* is called before they begin, with about how many seconds they take, by small
        parts of them, and how many gigabytes.
        """
        self.check(table)
        first, second = answers = [_Answer(self, table, seat) for seat in range(2)]
        if announce:
            size = _bytes(vars(self.positions).values()) + sum(each.bytes for each in answers)
            announce(sum(each.try_some() for each in answers), size / 2**30)
        best = first.best(progress), second.best(further(progress, 1000))
        return BestResponses(tuple(self.value(table).tolist()), best)


class _Answer:
    """The best response of one seat to one strategy."""

    def __init__(self, bench: Bench, table: NDArray[np.float64], seat: int) -> None:
        self.bench, self.seat, positions = bench, seat, bench.positions
        self.waits = waits(positions, seat, table, bench.memory)
        ids, odds, self.sure = self.waits.beginning(positions, seat)
        self.begins = ids, odds
        self.begun = time.monotonic()
        self.walk = self._walk(_tasks_of(0, 0))
        self.tasks, self.cut, count = self._find_tasks()
        self.walk.tasks = self.tasks
        # In random order, so that the first ones tell how long all will take.
        self.order = np.random.default_rng(0).permutation(count).tolist()

    def _walk(self, tasks: Tasks) -> Walk:
        bench = self.bench
        return Walk(bench.positions, self.seat, self.waits, bench.memory, tasks=tasks)

    @property
    def bytes(self) -> int:
        """How much it takes, but for the positions."""
        return _bytes((*self.waits, *self.tasks)) + self.bench.threads * _bytes(self.walk.arrays)

    def try_some(self) -> float:
        """About how many seconds it takes, by the first tasks, which are done then."""
        done, spent, begun, count = 0, 0.0, time.monotonic(), len(self.order)
        while self.order and spent <= _TRIED:
            self._work(self.walk, self.order.pop())
            done, spent = done + 1, time.monotonic() - begun
        return spent / max(done, 1) * count / self.bench.threads

    def best(self, progress: Progress | None) -> float:
        """What the seat gets."""
        bench, count = self.bench, len(self.order)
        others = [self._walk(self.tasks) for _ in range(1, bench.threads)]
        self.begun = time.monotonic()

        def tell(done: int) -> None:
            spent = time.monotonic() - self.begun
            if spent > _SOON * 60 * bench.minutes:
                bench.check_time(spent / done * count, done < count)
            if progress:
                progress(1000 * done // count)

        in_parts(self._work, self.order, [self.walk, *others], tell)
        return self.sure + self.walk.run(TAKE, self.cut, *self.begins, self._between)

    def _work(self, walk: Walk, task: int) -> None:
        """Find out what one task is worth."""
        part = slice(self.tasks.ends[task], self.tasks.ends[task + 1])
        ids, odds = self.tasks.ids[part], self.tasks.odds[part]
        self.tasks.values[task] = walk.run(THROUGH, 0, ids, odds, self._between)

    def _find_tasks(self) -> tuple[Tasks, int, int]:
        """Beliefs to be worked on separately, at which depth they are, and how many."""
        first = len(self.begins[0])  # there is room for those that it begins with
        most = max(first, 1 << 16), max(first, 1 << 22)
        found = _tasks_of(*most), 0, 0
        for cut in range(_DEEPEST + 1):
            if found[2] >= _TASKS * self.bench.threads:
                break
            self.walk.tasks = tasks = _tasks_of(*most)
            try:
                self.walk.run(NOTE, cut, *self.begins, self._between)
            except BufferError:  # there are more tasks at that depth than there is room for
                break
            count = int(self.walk.courses["tasks"][0])
            if count < found[2]:  # games end before that depth
                break
            found = tasks, cut, count
        return found

    def _between(self, stopped: int) -> None:
        self.bench.check_time(time.monotonic() - self.begun, more=True)
        if stopped == CROWDED:
            raise BufferError


def _tasks_of(most: int, entries: int) -> Tasks:
    """Room for so many tasks."""
    return Tasks(
        np.zeros(most + 1, np.int64), np.empty(entries, np.int32), np.empty(entries), np.zeros(most)
    )


def _bytes(arrays: Iterable[Any]) -> int:
    """How much these arrays take, with what they are parts of."""
    whole = [each if each.base is None else each.base for each in arrays if hasattr(each, "base")]
    return sum({id(each): each.nbytes for each in whole}.values())
