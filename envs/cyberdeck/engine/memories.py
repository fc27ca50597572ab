"""What policies remember of the games that they play: numbers, beside the records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: One policy's numbers (rows, seats, memory): for each row and seat those of its last decision; and
#: of which game (rows, seats), as ``row.game``; 0: of none.
_Notes: TypeAlias = tuple[NDArray[np.float32], NDArray[np.uint64]]


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
        self._all: list[tuple[Any, _Notes]] = []

    def recall(self, policy: Any, size: int, place: Place) -> NDArray[np.float32]:
        """(N, size): what *policy* noted there last; zeros where it has not decided yet."""
        notes, games = self._of(policy, size)
        numbers = notes[place.rows, place.seats]
        numbers[games[place.rows, place.seats] != place.games] = 0
        return numbers

    def note(self, policy: Any, numbers: NDArray[np.float32], place: Place) -> None:
        """Keep *numbers* until its next decisions there."""
        notes, games = self._of(policy, numbers.shape[1])
        notes[place.rows, place.seats] = numbers
        games[place.rows, place.seats] = place.games

    def forget(self, rows: NDArray[np.int64] | int) -> None:
        """All that was noted there."""
        for _, (_, games) in self._all:
            games[rows] = 0

    def arrays(self, policy: Any) -> _Notes | None:
        """All that *policy* remembers, to be saved; None if it has not been asked."""
        return next((notes for owner, notes in self._all if owner is policy), None)

    def put_back(
        self, policy: Any, numbers: NDArray[np.float32], games: NDArray[np.uint64]
    ) -> None:
        """What ``arrays`` gave, in a batch of the same games."""
        notes = self._of(policy, numbers.shape[-1])
        notes[0][:], notes[1][:] = numbers, games

    def copy(self) -> Memories:
        """The same memories of the same policies, apart from now on."""
        twin = Memories(*self._shape)
        twin._all = [(owner, (notes.copy(), games.copy())) for owner, (notes, games) in self._all]
        return twin

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Unpickled arrays may lie in somebody's shared memory, where nothing can be written.
        self._all = self.copy()._all

    def _of(self, policy: Any, size: int) -> _Notes:
        notes = self.arrays(policy)
        if notes is None:
            notes = np.zeros((*self._shape, size), np.float32), np.zeros(self._shape, np.uint64)
            self._all.append((policy, notes))
        return notes
