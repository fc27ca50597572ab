"""Symmetries of games: what can be exchanged without changing the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.whole import listed, whole_numbers
from cyberdeck.engine.constants import NOBODY
from cyberdeck.engine.definitions import check_text
from cyberdeck.errors import OptionError


@dataclass(frozen=True, kw_only=True)
class Symmetry:
    """A symmetry of a game's rules: a mirror, a turn of the board, sides that are exchanged.

    The image of a beginning is a beginning as well. Played on by the images of the same decisions,
    it has the same masks, rewards and end. ``cyberdeck check`` tests that.

    Args:
        name: what it does: "mirrored".
        apply: (records): change an array of records into their images, in place: the game's own
            fields; ``records["board"] = records["board"][:, [2, 1, 0]]``. No kernel.
        actions: [action]: what it becomes; or [seat][action], if that depends on who decides.
            Without it every action stays what it is.
        seats: [seat]: which it becomes. Who moves, and rewards, go with it. Without it every seat
            stays what it is.
    """

    name: str
    apply: Callable[[NDArray[Any]], None]
    actions: Sequence[int] | Sequence[Sequence[int]] = ()
    seats: Sequence[int] = ()

    def __post_init__(self) -> None:
        check_text("the name of a symmetry", self.name)
        if not callable(self.apply):
            raise OptionError(
                f"the symmetry {self.name!r}: apply={self.apply!r} is not possible: give a "
                "function of an array of records"
            )


@dataclass(frozen=True)
class Exchange:
    """What one symmetry does, or several one after the other."""

    symmetries: tuple[Symmetry, ...]
    actions: NDArray[np.int64]
    """[seat that decides, action]: what the action becomes."""
    seats: NDArray[np.int64]
    """[seat]: which it becomes."""

    @classmethod
    def of(cls, symmetry: Symmetry, seats: int, actions: int) -> Exchange:
        """That of one symmetry of a game with so many seats and actions, or ``OptionError``."""
        rows = listed(symmetry.actions) or list(range(actions))
        each = [rows] * seats if whole_numbers(rows) is not None else rows
        what = f"the symmetry {symmetry.name!r}"
        if len(each) != seats:
            raise OptionError(f"{what}: actions are of {len(each)} seats, and there are {seats}")
        become = [_permutation(f"{what}: actions", row, actions) for row in each]
        where = _permutation(f"{what}: seats", listed(symmetry.seats) or range(seats), seats)
        return cls((symmetry,), np.array(become), where)

    def then(self, other: Exchange) -> Exchange:
        """What another does after it."""
        actions = np.array(
            [other.actions[to][row] for to, row in zip(self.seats, self.actions, strict=True)]
        )
        return Exchange((*self.symmetries, *other.symmetries), actions, other.seats[self.seats])

    def image(self, records: NDArray[Any]) -> NDArray[Any]:
        """What records become."""
        records = records.copy()
        for symmetry in self.symmetries:
            symmetry.apply(records)
        seats, movers = self.seats, records["mover"]
        records["mover"] = np.where(movers == NOBODY, NOBODY, seats[movers])
        before = records["reward"].copy()
        records["reward"][:, seats] = before[:, : len(seats)]
        return records


def _permutation(what: str, values: Any, count: int) -> NDArray[np.int64]:
    numbers = whole_numbers(values)
    if numbers is None or sorted(numbers) != list(range(count)):
        raise OptionError(f"{what}: {values!r} must hold each number from 0 to {count - 1} once")
    return np.array(numbers, np.int64)
