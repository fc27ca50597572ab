"""Exact values: what every legal action of a position is worth. The protocol of who knows them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: Values no further apart are the same.
_EQUAL: Final = 1e-6


class Values:
    """Who knows exact values of a game: a subclass gives ``of``.

    A subclass's ``__init__`` takes the game, then its settings, and raises ``OptionError`` where
    the game with these options has no values.
    """

    #: How tables of results call it.
    name: str = "exact"
    #: Whether it knows every position of the game. If not, it knows late ones.
    whole: bool = True

    def __init__(self, variant: Variant) -> None:
        self.variant = variant

    @property
    def assumption(self) -> str:
        """How the game goes on after an action, by what its value takes for granted: players are
        told so, after an "if".
        """
        if self.variant.seats == 1:
            return "you play on as well as you can"
        return "all play on as well as they can"

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): what each legal action of the one to move is worth, in records of the game.

        That is all that this seat still gets, on average, if both go on as well as they can: in
        rewards of the game. Illegal actions are NaN, and so are all where the game is over or the
        values are not known.
        """
        raise NotImplementedError

    def best(self, states: NDArray[Any]) -> NDArray[np.bool_]:
        """(N, A): which legal actions are worth the most."""
        values = self.of(states)
        found: NDArray[np.bool_] = given_away(values) == 0
        return found

    def need_all(self) -> None:
        """``OptionError`` unless it knows every position."""
        if not self.whole:
            raise OptionError(
                f"exact values of {self.variant.game.title} with these options are known of late "
                "positions only: `cyberdeck tasks` has these; for whole games choose a game that "
                "is solved, such as hackthegrid, or one whose positions can be counted"
            )


def given_away(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much less each action is worth than the best one, row by row. NaN stays NaN.

    >>> given_away(np.array([[1.0, 0.5, -1.0, np.nan]])).tolist()
    [[0.0, 0.5, 2.0, nan]]
    """
    lost: NDArray[np.float64] = np.fmax.reduce(values, axis=-1, keepdims=True) - values
    return np.where(lost < _EQUAL, 0.0, lost)  # rewards are of single precision


def graded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the best actions, 0 for the worst, and between them by what is lost: for each row.

    That is 1 - (best - value) / (best - worst), over the legal actions, and 1 where all are worth
    the same. NaN stays NaN.

    >>> graded(np.array([[1.0, 0.5, -1.0, np.nan], [2.0, 2.0, np.nan, np.nan]])).tolist()
    [[1.0, 0.75, 0.0, nan], [1.0, 1.0, nan, nan]]
    """
    lost = given_away(values)
    spread = np.fmax.reduce(lost, axis=-1, keepdims=True)
    found: NDArray[np.float64] = 1.0 - lost / np.where(spread > 0, spread, 1.0)
    return found
