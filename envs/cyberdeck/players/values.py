"""Who knows the exact values of a game: found by name, as players are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import nearest
from cyberdeck.engine.disguise import Disguise
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.players import made
from cyberdeck.players.solvers import OWN_VALUES, VALUES


def find_values(variant: Variant, chosen: str = "exact") -> Values:
    """Who knows the exact values of this game, or ``OptionError``: a name, with settings.

    Those of a game in disguise are of the actions as they are shown.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=0)
    >>> values = find_values(batch.variant, "exact:ties=friendly")
    >>> values.name, values.of(batch.core.states)[0, :5].tolist()
    ('exact:ties=friendly', [-1.0, -1.0, -1.0, -1.0, nan])
    """
    name, _, settings = chosen.partition(":")
    where = {**VALUES, **OWN_VALUES.get(variant.game.name, {})}
    choose = f"choose one of {', '.join(where)}{nearest(name, where)}"
    require(name in where, "values", chosen, choose)
    found: Values = made(where[name], name, settings, variant.undisguised)
    return found if variant.disguise is None else _Shown(found, variant, variant.disguise)


class _Shown(Values):
    """Values of a game in disguise: those of the game itself, by the numbers that are shown."""

    def __init__(self, own: Values, variant: Variant, disguise: Disguise) -> None:
        super().__init__(variant)
        self.name, self.whole = own.name, own.whole
        self._own, self._disguise = own, disguise

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A)."""
        return self._own.of(states)[:, self._disguise.own]
