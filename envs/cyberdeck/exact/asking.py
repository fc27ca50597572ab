"""Asks a policy what it does in many situations, and refuses where that takes too long."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.engine.loops import RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.enumeration.positions import Positions
from cyberdeck.errors import OptionError
from cyberdeck.players.chances import drawn, refuse_memory

#: In how many situations a policy is asked at once; and at first, to see how long they take.
_ASKED, _FEW = 8192, 16

#: After so many seconds it is known how long all takes: the first are asked about a few at a time.
_KNOWN = 5.0


class Questions:
    """Asks a policy in *count* situations, so many *times* in each.

    minutes   how many that may take
    progress  is called with in how many it has been asked
    """

    def __init__(
        self,
        policy: Policy,
        times: int,
        seed: int,
        count: int,
        minutes: float,
        progress: Progress | None,
    ) -> None:
        self.policy, self.times, self.count = policy, times, count
        self.minutes, self.progress = minutes, progress
        self._rng = np.random.default_rng(seed)
        self._done, self._first, self._size, self._begun = 0, 0, _FEW, time.monotonic()
        #: Whether random bits never made a difference.
        self.exact = True

    def parts(self, count: int) -> Iterator[slice]:
        """Of so many situations those to be asked about at once."""
        at = 0
        while at < count:
            part = slice(at, min(at + self._size, count))
            yield part
            at = part.stop

    def ask(self, seen: PolicyInput) -> NDArray[np.float64]:
        """(N, A): how often it takes each action. What it remembers is changed in place."""
        found, same = drawn(seen.variant, self.policy, seen, self.times, self._rng)
        self.exact = self.exact and same
        self._done += len(seen)
        if self.progress:
            self.progress(self._done)
        if self._size == _FEW:  # in these something may have been compiled
            self._size, self._begun, self._first = 2 * _FEW, time.monotonic(), self._done
            return found
        self._size = min(2 * self._size, _ASKED)
        taken = time.monotonic() - self._begun
        minutes = taken / (self._done - self._first) * self.count / 60
        known = taken > min(_KNOWN, 60 * self.minutes)
        if known and self._done < self.count and minutes > self.minutes:
            times = "once" if self.policy.tells_chances else f"{self.times} times"
            raise OptionError(
                f"to ask {self.policy.name} {times} in each of {self.count:,} "
                f"situations takes about {minutes:,.0f} minutes, more than "
                f"minutes={self.minutes:g} allows"
            )
        return found


def table_of(
    positions: Positions,
    policy: Policy,
    times: int,
    seed: int = 0,
    minutes: float = math.inf,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], bool]:
    """(C,): how often *policy*, which must not remember, takes each action in each position, asked
    so many *times* in each situation; and whether that is exact: random bits never made a
    difference.
    """
    refuse_memory(policy)
    if policy.code == RANDOM:
        return positions.uniform(), True
    count = len(positions.example)
    questions = Questions(policy, times, seed, count, minutes, progress)
    answers = [questions.ask(positions.as_input(part)) for part in questions.parts(count)]
    return positions.table(np.concatenate([np.zeros((0, positions.masks.shape[1])), *answers])), (
        questions.exact
    )
