"""Who knows the exact values of a game: found by name, as players are."""

from __future__ import annotations

from cyberdeck.common.text import nearest
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import require
from cyberdeck.players import made
from cyberdeck.players.solvers import OWN_VALUES, VALUES


def find_values(variant: Variant, chosen: str = "exact") -> Values:
    """Who knows the exact values of this game, or ``OptionError``: a name, with settings.

    >>> from cyberdeck import Batch
    >>> batch = Batch("hackthegrid", 1, seed=0)
    >>> values = find_values(batch.variant, "exact:ties=friendly")
    >>> values.name, values.of(batch.core.states)[0, :5].tolist()
    ('exact:ties=friendly', [-1.0, -1.0, -1.0, -1.0, nan])
    """
    variant.refuse_disguise("exact values")
    name, _, settings = chosen.partition(":")
    where = {**VALUES, **OWN_VALUES.get(variant.game.name, {})}
    choose = f"choose one of {', '.join(where)}{nearest(name, where)}"
    require(name in where, "values", chosen, choose)
    found: Values = made(where[name], name, settings, variant)
    return found
