"""Exact values of open games by counting all positions, chance included, back from their ends."""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.defaults import hide_nothing
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.pieces import backward
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.players.solvers.positions import Course, Positions, TooManyPositions

#: Where no rounding makes rewards of two unequal.
_CLOSE: Final = 1e-6


def _back(  # type: ignore[no-untyped-def]
    start, stop, first, into, after, chance, reward, mover, worth, found
):
    """found, (C,): what each action is worth to who takes it, if both go on as well as they can;
    worth, (P, S): what each seat gets from each position on.
    """
    for i in range(stop - 1, start - 1, -1):
        best, most = -1, -np.inf
        for c in range(first[i], first[i + 1]):
            found[c] = 0.0
            for e in range(into[c], into[c + 1]):
                value = np.float64(reward[e, mover[i]])
                if after[e] >= 0:
                    value += worth[after[e], mover[i]]
                found[c] += chance[e] * value
            if found[c] > most:
                best, most = c, found[c]
        for seat in range(worth.shape[1]):
            worth[i, seat] = 0.0
            for e in range(into[best], into[best + 1]):
                value = np.float64(reward[e, seat])
                if after[e] >= 0:
                    value += worth[after[e], seat]
                worth[i, seat] += chance[e] * value


@functools.cache
def _loop() -> Any:
    return compile_loops([_back], "exact values")[0]


class Enumerated(Values):
    """Values of a game for one or two in which nothing is hidden from who is to move.

    All positions are counted once, if they fit into so many gigabytes. Otherwise values are known
    where few positions can still be reached, and where something is hidden earlier, but not then.

    Args:
        variant: the game with its options.
        memory: how many gigabytes all positions may take.
        reach: from how many positions on a position is not solved, where they do not fit.

    >>> from cyberdeck import Batch
    >>> from cyberdeck.api.registration import load_file
    >>> batch = Batch(load_file("examples/games/tictactoe.py").name, 1, seed=0)
    >>> for action in (0, 8, 2):
    ...     batch.step([action])
    >>> Enumerated(batch.variant).of(batch.core.states)[0].tolist()
    [nan, -1.0, nan, -1.0, -1.0, -1.0, -1.0, -1.0, nan]
    """

    def __init__(self, variant: Variant, memory: float = 0.5, reach: int = 5_000) -> None:
        super().__init__(variant)
        game, title = variant.game, variant.game.title
        require(memory > 0, "memory", memory, "a number above 0 is needed")
        possible = is_whole(reach) and reach >= 1
        require(possible, "reach", reach, "a whole number from 1 on is needed")
        if not game.open:
            raise OptionError(
                f"{title} has no exact values: something in it is hidden from a seat, and what a "
                "move is worth depends on what the other does there; choose response:to=random, "
                "against a strategy that is known, or an open game"
            )
        if variant.seats > 2:
            raise OptionError(
                f"{title} has no exact values: it is for {variant.seats}, and they are for one or "
                "two"
            )
        self._memory, self._reach = memory, reach
        self._course, self._back = Course(variant), _loop()
        self._all: tuple[Positions, NDArray[np.float64]] | None = None
        self._hides = game.resample is not hide_nothing
        if not self._hides:
            with contextlib.suppress(TooManyPositions):
                held = self._course.all(memory)
                self._all = held, self._solved(held)
        self.whole = self._all is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.variant, self._memory, self._reach)

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): the value of each legal action of the one to move; NaN where it is not known."""
        found = np.full((len(states), self.variant.action_count), np.nan)
        going_on = np.flatnonzero(states["mover"] != NOBODY)
        if self._all is not None:
            numbers = self._course.numbers(states[going_on])
            for row, number in zip(going_on, numbers, strict=True):
                _fill(found[row], *self._all, number)
            return found
        if self._hides:
            going_on = going_on[self._course.open_to_mover(states[going_on])]
        for row in going_on:
            with contextlib.suppress(OptionError):  # chance without end, or sums that are not 0
                held = self._course.from_here(states[row : row + 1], self._reach)
                if held is not None and not (
                    self._hides and not self._course.open_to_mover(held.states).all()
                ):
                    _fill(found[row], held, self._solved(held), 0)
        return found

    def _solved(self, held: Positions) -> NDArray[np.float64]:
        """(C,): the value of each action in all these positions."""
        reward = held.reward
        if self.variant.seats == 2 and (np.abs(reward.sum(axis=1)) > _CLOSE).any():
            raise OptionError(
                f"{self.variant.game.title} has no exact values: what one seat gains the other "
                "does not always lose, and then it is open what is best"
            )
        found, worth = np.zeros(len(held.actions)), np.zeros((len(held), self.variant.seats))
        parts = (held.first, held.into, held.after, held.chance, reward, held.mover)
        backward(self._back, 0, len(held), *parts, worth, found)
        return found


def _fill(row: NDArray[np.float64], held: Positions, values: NDArray[np.float64], at: int) -> None:
    """Write the values of a position; of number -1: nothing."""
    if at >= 0:
        part = slice(held.first[at], held.first[at + 1])
        row[held.actions[part]] = values[part]
