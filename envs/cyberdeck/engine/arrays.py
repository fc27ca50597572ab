"""The arrays of games side by side: what compiled loops write and everybody else reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import quoted
from cyberdeck.engine.contract import Game, is_whole
from cyberdeck.engine.loops import row_dtype
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError, StateError


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
        return sum(each.nbytes for each in Arrays.of(variant, 1, views)._all())

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
        names = ("states", "rows", "masks", "observations", "finals")
        return self._replace(**{name: getattr(self, name)[rows] for name in names})


class GameRows:
    """Games of one kind, a row for each: what arrays and tensors on a device have in common."""

    variant: Variant
    game: Game
    count: int
    started: bool

    def _name_fields(self, of_row: Callable[[str], Any]) -> None:
        """Attributes for what the bookkeeping holds; *of_row*: a field of it, for all rows."""
        seats = self.variant.seats
        self.movers, self.metrics = of_row("mover"), of_row("metrics")
        self.rewards, self.pending = of_row("reward")[:, :seats], of_row("pending")[:, :seats]
        self.final_returns = of_row("final_returns")[:, :seats]
        self.terminated, self.truncated = of_row("terminated"), of_row("truncated")
        self.reasons, self.seats = of_row("reason"), of_row("seat")
        self.final_metrics, self.final_length = of_row("final_metrics"), of_row("final_length")
        self.final_seat = of_row("final_seat")

    def check_row(self, row: int) -> None:
        """Raise ``OptionError`` for a row that there is not: compiled code does not look."""
        if not is_whole(row) or not 0 <= row < self.count:
            raise OptionError(f"there is no row {row!r}: rows are 0 to {self.count - 1}")

    def need_game(self) -> None:
        """Raise ``EpisodeError`` before the first ``reset``."""
        if not self.started:
            raise EpisodeError("there is no game yet: call reset() first")

    def actions(self, actions: Any) -> Any:
        """*actions* as an array of whole numbers, one for each row, or ``ActionError``."""
        try:
            array = np.asarray(actions)
        except (ValueError, TypeError, RuntimeError):  # the last two: tensors that are no array
            raise ActionError(
                f"actions {quoted(actions)} are not an array: one whole number for each row is "
                "needed; nothing was applied"
            ) from None
        if array.shape != (self.count,) or array.dtype.kind not in "iu":
            self._check_form(array.shape, array.dtype, whole=array.dtype.kind in "iu")
        # A fresh, contiguous array: another layout would have the loops compiled once more.
        return np.array(array, np.int64)

    def _check_form(self, shape: tuple[int, ...], dtype: Any, whole: bool) -> None:
        """``ActionError`` unless actions are one *whole* number for each row."""
        if shape != (self.count,):
            raise ActionError(
                f"actions have the shape {shape}: one for each row is needed, "
                f"({self.count},); nothing was applied"
            )
        if not whole:
            raise ActionError(
                f"actions are of type {dtype}: whole numbers are needed; nothing was applied"
            )

    def _checked_steps(self, steps: int) -> int:
        """How many steps ``play`` is to make, or an error."""
        if not is_whole(steps) or steps < 0:
            raise OptionError(f"{steps!r} steps are not possible: a whole number is needed")
        self.need_game()
        return int(steps)

    def _refuse_illegal(self, rows: Sequence[int], actions: Any, count: int) -> None:
        """``ActionError`` for the actions of these *rows*, the first of so many."""
        named = "; ".join(self.complaint(row, int(actions[row])) for row in rows[:3])
        more = f"; and {count - 3} more rows: {list(rows[3:20])}" if count > 3 else ""
        raise ActionError(f"nothing was applied. {named}{more}")

    def complaint(self, row: int, action: int) -> str:
        """What is wrong with *action* in *row*: its meaning, who acts, and what is legal."""
        raise NotImplementedError

    def _check_version(self, same: bool) -> None:
        """``StateError`` unless unpickled games have *same* records and observations as here."""
        if not same:
            raise StateError(
                f"these games of {self.variant.game.title} were pickled by a version with another "
                "record or observation: pickles are for the version that made them; bytes of "
                "get_state() can be read by later ones"
            )
