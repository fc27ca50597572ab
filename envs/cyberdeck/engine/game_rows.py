"""N games side by side: what arrays here, and tensors on a device, have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cyberdeck.common.text import quoted
from cyberdeck.engine.contract import Game, is_whole
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, EpisodeError, OptionError, StateError


class GameRows:
    """Games of one kind, a row for each."""

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
