"""The arrays of games side by side: what compiled loops write and everybody else reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.loops import row_dtype
from cyberdeck.engine.variant import Variant


@dataclass(eq=False)
class Arrays:
    """N games: all that a step changes, and so all that is copied, pickled and taken back."""

    states: NDArray[Any]  # (N,) records
    rows: NDArray[Any]  # (N,) bookkeeping: see loops.row_dtype
    masks: NDArray[np.int8]  # (N, A)
    observations: NDArray[Any]  # (N, ...), of the game's own type
    finals: NDArray[Any]  # (N, views, ...): what was seen at the end of the last game

    @classmethod
    def of(cls, variant: Variant, count: int, views: int) -> Self:
        """So many games that have not begun, whose ends are seen from so many seats."""
        seen = variant.observation_shape
        row = row_dtype(variant.game.most_seats, len(variant.game.metrics))
        return cls(
            states=np.repeat(variant.blank(), count),
            rows=np.zeros(count, row),
            masks=np.zeros((count, variant.action_count), np.int8),
            observations=np.zeros((count, *seen), variant.dtype),
            finals=np.zeros((count, views, *seen), variant.dtype),
        )

    @staticmethod
    def bytes_of(variant: Variant, views: int) -> int:
        """How much memory each game takes in them."""
        game, seen = variant.game, variant.observation_size * variant.dtype.itemsize
        row = row_dtype(game.most_seats, len(game.metrics))
        return game.dtype.itemsize + row.itemsize + variant.action_count + (1 + views) * seen

    def __len__(self) -> int:
        return len(self.states)

    @property
    def vectors(self) -> NDArray[Any]:
        """(N, D): the observations as the loops take them, whatever their shape."""
        return self.observations.reshape(len(self), -1)

    def copy(self) -> Arrays:
        """All games, apart from now on."""
        return Arrays(*(array.copy() for array in self._all()))

    def taken(self, which: NDArray[np.int64]) -> Arrays:
        """A copy of the games *which*."""
        return Arrays(*(array[which] for array in self._all()))

    def put(self, which: NDArray[np.int64] | slice, games: Arrays) -> None:
        """Write *games* over those."""
        for array, others in zip(self._all(), games._all(), strict=True):
            array[which] = others

    def _all(self) -> tuple[NDArray[Any], ...]:
        return self.states, self.rows, self.masks, self.observations, self.finals

    def __setstate__(self, kept: dict[str, NDArray[Any]]) -> None:
        for name, array in kept.items():  # unpickled ones may lie in somebody's shared memory
            setattr(self, name, array if array.flags.writeable else array.copy())


class LoopGames(NamedTuple):
    """What the loops that play are given of games, in their order; or tensors of a device."""

    states: Any
    rows: Any
    pool: NDArray[np.int8]
    allies: NDArray[np.int8]
    mode: int
    masks: Any
    observations: Any
    """(N, D): vectors, whatever the shape of an observation."""
    finals: Any

    def part(self, rows: slice | None) -> LoopGames:
        """What belongs to some rows; None: to all."""
        if rows is None:
            return self
        return self._replace(
            states=self.states[rows],
            rows=self.rows[rows],
            masks=self.masks[rows],
            observations=self.observations[rows],
            finals=self.finals[rows],
        )
