"""Asks a policy what it does in many situations, and refuses where that takes too long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.loops import RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.variant import Variant
from cyberdeck.enumeration.exploring import enumerate_positions
from cyberdeck.enumeration.positions import Progress
from cyberdeck.errors import OptionError
from cyberdeck.exact.results import Strategy, uniform
from cyberdeck.players.chances import drawn, refuse_memory

#: In how many situations a policy is asked at once; and at first, to see how long they take.
_ASKED, _FEW = 8192, 16

#: How many gigabytes the positions of a game may take whose situations are asked about.
_MEMORY: Final = 3.0

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


def strategy_of(variant: Variant, policy: Policy, times: int, seed: int = 0) -> Strategy:
    """What *policy*, which must not remember, does how often in each situation.

    It decides so many *times* in each, by other random bits. Of a policy that draws its action, the
    probabilities are taken that it draws by.

    >>> from cyberdeck import variant
    >>> from cyberdeck.api.registration import load_file
    >>> from cyberdeck.exact import exploitability
    >>> from cyberdeck.players.search import Search
    >>> kuhn = variant(load_file("examples/games/kuhn_poker.py").name)
    >>> round(exploitability(kuhn, strategy_of(kuhn, Search(iterations=1, prior=0), 1000)), 1)
    0.5
    """
    refuse_memory(policy)
    if policy.code == RANDOM:
        return uniform
    seen = enumerate_positions(variant, _MEMORY).as_input()
    found, _ = drawn(variant, policy, seen, times, np.random.default_rng(seed))
    chances: dict[tuple[bytes, bytes], NDArray[np.float64]] = {}
    for observation, mask, row in zip(seen.observations, seen.masks, found, strict=True):
        if (chances.setdefault((observation.tobytes(), mask.tobytes()), row) != row).any():
            raise OptionError(
                f"{variant.game.title}: several seats may see the same, and {policy.name} does not "
                "play the same for each of them: ask it by Tree(variant, history=True).asked"
            )
    return lambda observation, mask: chances[observation.tobytes(), mask.tobytes()]
