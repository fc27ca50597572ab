"""Exact values that all sessions share: a game is solved once, and few games are held at a time."""

from __future__ import annotations

import threading
from typing import Any, Final
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.exact.values import find_values

#: So many games, each with its options, are held; exact values count positions up to half a
#: gigabyte for each.
MOST: Final = 4


class _Held:
    """The values of a game, and who has borrowed them."""

    def __init__(self, variant: Variant, chosen: str, values: Values) -> None:
        self.variant, self.chosen, self.values = variant, chosen, values
        self.turn = threading.Lock()
        self.borrowed: WeakSet[_Lent] = WeakSet()

    def is_of(self, variant: Variant, chosen: str) -> bool:
        """Whether they are those of this game with these options, found by the same solver."""
        same = self.variant.game.plain is variant.game.plain
        return same and (self.variant.options, self.chosen) == (variant.options, chosen)

    def lend(self) -> Values:
        """What one borrower has of them, as long as it lives."""
        lent = _Lent(self)
        self.borrowed.add(lent)
        return lent


class _Lent(Values):
    """Values that others have as well: they take turns."""

    def __init__(self, held: _Held) -> None:
        super().__init__(held.variant)
        self.name, self.whole, self._held = held.values.name, held.values.whole, held

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A)."""
        with self._held.turn:
            return self._held.values.of(states)


class Solvers:
    """Lends exact values: sessions with the same game and options have the same.

    One game is solved at a time. Where *most* are held, one that nobody has borrowed makes room.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._held: list[_Held] = []  # the one asked for last comes last
        self._list, self._solving = threading.Lock(), threading.Lock()

    def lend(self, variant: Variant, chosen: str = "exact") -> Values:
        """The values of a game, known by *chosen*, as of ``find_values``, for one borrower."""
        if lent := self._found(variant, chosen):
            return lent
        with self._solving:
            if lent := self._found(variant, chosen):
                return lent
            self._make_room()
            held = _Held(variant, chosen, find_values(variant, chosen))
            lent = held.lend()
            with self._list:
                self._held.append(held)
            return lent

    def _found(self, variant: Variant, chosen: str) -> Values | None:
        with self._list:
            for held in self._held:
                if held.is_of(variant, chosen):
                    self._held.remove(held)
                    self._held.append(held)
                    return held.lend()
        return None

    def _make_room(self) -> None:
        with self._list:
            if len(self._held) < self.most:
                return
            for held in self._held:
                if not held.borrowed:
                    self._held.remove(held)
                    return
            titles = ", ".join(
                f"{held.variant.game.name} {held.variant.chosen or ''}".strip()
                for held in self._held
            )
        raise OptionError(
            f"the server holds exact values of {self.most} games at most, and all are in use: ask "
            f"for one of these ({titles}), or again when a session is over"
        )
