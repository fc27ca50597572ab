"""Exact values that all sessions share: a game is solved once, and few games are held at a time."""

from __future__ import annotations

import threading
from typing import Any, Final
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.exact.values import find_values

#: So many games, each with its options, are held; exact values count positions up to half a
#: gigabyte for each.
MOST: Final = 4


class _Lent(Values):
    """Values that several borrow: they take turns."""

    def __init__(self, variant: Variant, values: Values) -> None:
        super().__init__(variant)
        self.name, self.whole, self._values = values.name, values.whole, values
        self._turn = threading.Lock()

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A)."""
        with self._turn:
            return self._values.of(states)


class Solvers:
    """Lends exact values: sessions with the same game and options have the same.

    One game is solved at a time. Where *most* are held, one that nobody has borrowed makes room.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        #: By game, options and solver; those asked for last come last.
        self._held: dict[tuple[int, str, str], _Lent] = {}
        self._list, self._solving = threading.Lock(), threading.Lock()

    def lend(self, variant: Variant, chosen: str = "exact") -> Values:
        """The values of a game, known by *chosen*, as of ``find_values``, for one borrower."""
        key = id(variant.game.plain), repr(variant.options), chosen
        if lent := self._found(key):
            return lent
        with self._solving:
            if lent := self._found(key):
                return lent
            with self._list:
                self._make_room()
            lent = _Lent(variant, find_values(variant, chosen))
            with self._list:
                self._held[key] = lent
        return lent

    def _found(self, key: tuple[int, str, str]) -> Values | None:
        with self._list:
            if key in self._held:
                self._held[key] = self._held.pop(key)
            return self._held.get(key)

    def _make_room(self) -> None:
        if len(self._held) < self.most:
            return
        for key in [*self._held]:
            borrowed = ref(self._held.pop(key))
            if (lent := borrowed()) is None:  # by nobody any more
                return
            self._held[key] = lent
            del lent
        titles = ", ".join(
            f"{held.variant.game.name} {held.variant.chosen or ''}".strip()
            for held in self._held.values()
        )
        raise OptionError(
            f"the server holds exact values of {self.most} games at most, and all are in use: ask "
            f"for one of these ({titles}), or again when a session is over"
        )
