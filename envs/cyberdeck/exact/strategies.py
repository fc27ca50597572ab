"""Strategies, those that policies play among them, and how good the best responses to them are."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.engine.loops import RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.enumeration.positions import Positions
from cyberdeck.errors import OptionError
from cyberdeck.players.beliefs import ask_often, refuse_memory

#: (observation, mask) -> the probability of each action
Strategy: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[np.float64]]

#: In how many situations a policy is asked at once; and at first, to see how long they take.
_ASKED, _FEW = 8192, 16

#: After so many seconds it is known how long all takes: the first are asked about a few at a time.
_KNOWN = 5.0


def uniform(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.float64]:
    """Every legal action alike."""
    return np.asarray(mask / mask.sum(), np.float64)


@dataclass(frozen=True)
class BestResponses:
    """For each seat: what it gets if all play a strategy, and if it alone answers best to that."""

    values: tuple[float, ...]
    best: tuple[float, ...]

    @property
    def gains(self) -> tuple[float, ...]:
        """What answering best brings each seat more."""
        return tuple(best - value for best, value in zip(self.best, self.values, strict=True))

    @property
    def exploitability(self) -> float:
        """The mean of the gains."""
        return sum(self.gains) / len(self.gains)


@dataclass
class Questions:
    """Asks a policy in *count* situations, so many *times* in each.

    minutes   how many that may take
    progress  is called with in how many it has been asked
    exact     whether random bits never made a difference
    """

    policy: Policy
    times: int
    count: int
    minutes: float
    progress: Progress | None
    exact: bool = True

    def __post_init__(self) -> None:
        self._rng, self._done, self._size = np.random.default_rng(0), 0, _FEW

    def ask(self, count: int, look: Callable[[slice], PolicyInput]) -> NDArray[np.float64]:
        """(N, A): how often it takes each action in the next *count* situations, of which *look*
        gives a part. What it remembers is changed in place.
        """
        answers, end = [], 0
        while end < count:
            part = slice(end, min(end + self._size, count))
            seen, end = look(part), part.stop
            chances, same = ask_often(seen.variant, self.policy, seen, self.times, self._rng)
            answers.append(chances)
            self.exact, self._done = self.exact and same, self._done + len(seen)
            if self.progress:
                self.progress(self._done)
            if self._size == _FEW:  # in these something may have been compiled
                self._begun, self._first = time.monotonic(), self._done
            else:
                self._check_time()
            self._size = min(2 * self._size, _ASKED)
        return np.concatenate(answers) if answers else np.zeros((0, 0))

    def _check_time(self) -> None:
        """``OptionError`` if all of it takes longer than it may."""
        spent = time.monotonic() - self._begun
        minutes = spent / (self._done - self._first) * self.count / 60
        known = spent > min(_KNOWN, 60 * self.minutes)
        if known and self._done < self.count and minutes > self.minutes:
            times = "once" if self.policy.tells_chances else f"{self.times} times"
            raise OptionError(
                f"to ask {self.policy.name} {times} in each of {self.count:,} situations takes "
                f"about {minutes:,.0f} minutes, more than minutes={self.minutes:g} allows"
            )


def table_of(
    positions: Positions,
    policy: Policy,
    times: int,
    minutes: float = math.inf,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], bool]:
    """(C,): how often *policy*, which must not remember, takes each action in each position, asked
    so many *times* in each situation; and whether that is exact: random bits never made a
    difference.
    """
    refuse_memory(policy)
    count = len(positions.example)
    if policy.code == RANDOM:
        return positions.uniform(), True
    questions = Questions(policy, times, count, minutes, progress)
    return positions.table(questions.ask(count, positions.as_input)), questions.exact
