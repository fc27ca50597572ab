"""What policies remember of the games that they play: numbers, beside the records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class _Kept:
    """One policy's numbers: for each row and seat those of its last decision, and of which game."""

    policy: Any
    numbers: NDArray[np.float32]  # (rows, seats, memory)
    games: NDArray[np.uint64]  # (rows, seats), as ``row.game``; 0: of none

    def copy(self) -> _Kept:
        return _Kept(self.policy, self.numbers.copy(), self.games.copy())


@dataclass(frozen=True)
class Place:
    """Where decisions are made: rows, who decides there, and which game of the row it is."""

    rows: NDArray[np.int64]
    seats: NDArray[np.int8]
    games: NDArray[np.uint64]


class Memories:
    """The memories of all policies that are asked in one batch of games.

    A game has a number that no game has had before in its row, so that compiled loops may replace
    games without a word: what was noted in another game counts as never noted. A game that the
    caller begins or puts into a row may have any number: then the row has to be forgotten.
    """

    def __init__(self, rows: int, seats: int) -> None:
        self._shape = (rows, seats)
        self._all: list[_Kept] = []
        #: What has been overwritten, while it may have to come back.
        self._changes: list[tuple[NDArray[Any], Any, NDArray[Any]]] | None = None

    def recall(self, policy: Any, size: int, place: Place) -> NDArray[np.float32]:
        """(N, size): what *policy* noted there last; zeros where it has not decided yet."""
        kept = self._of(policy, size)
        numbers = kept.numbers[place.rows, place.seats]
        numbers[kept.games[place.rows, place.seats] != place.games] = 0
        return numbers

    def note(self, policy: Any, numbers: NDArray[np.float32], place: Place) -> None:
        """Keep *numbers* until its next decisions there."""
        kept = self._of(policy, numbers.shape[1])
        at = place.rows, place.seats
        self._write(kept.numbers, at, numbers)
        self._write(kept.games, at, place.games)

    def forget(self, rows: NDArray[np.int64] | int) -> None:
        """All that was noted there."""
        for kept in self._all:
            self._write(kept.games, rows, 0)

    def arrays(self, policy: Any) -> tuple[NDArray[np.float32], NDArray[np.uint64]] | None:
        """All that *policy* remembers, to be saved; None if it has not been asked."""
        found = [each for each in self._all if each.policy is policy]
        return (found[0].numbers, found[0].games) if found else None

    def put_back(
        self, policy: Any, numbers: NDArray[np.float32], games: NDArray[np.uint64]
    ) -> None:
        """What ``arrays`` gave, in a batch of the same games."""
        kept = self._of(policy, numbers.shape[-1])
        kept.numbers[:], kept.games[:] = numbers, games

    def record_changes(self) -> None:
        """From now on what is noted can be taken back."""
        self._changes = []

    def settle(self, take_back: bool) -> None:
        """What was noted since ``record_changes`` stands, or is taken back."""
        for array, at, before in reversed(self._changes or ()):
            if take_back:
                array[at] = before
        self._changes = None

    def copy(self) -> Memories:
        """The same memories of the same policies, apart from now on."""
        twin = Memories(*self._shape)
        twin._all = [each.copy() for each in self._all]
        return twin

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        # Unpickled arrays may lie in somebody's shared memory, where nothing can be written.
        self._all = [each.copy() for each in self._all]

    def _of(self, policy: Any, size: int) -> _Kept:
        for kept in self._all:
            if kept.policy is policy:
                return kept
        numbers = np.zeros((*self._shape, size), np.float32)
        self._all.append(_Kept(policy, numbers, np.zeros(self._shape, np.uint64)))
        return self._all[-1]

    def _write(self, array: NDArray[Any], at: Any, values: Any) -> None:
        if self._changes is not None:
            self._changes.append((array, at, array[at].copy()))
        array[at] = values
