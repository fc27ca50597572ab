"""HACKtheGRID: what can be exchanged: rows, columns, and the hackers with them.

A hacker goes to any position along the own edge, so the order of rows and columns means nothing.
Colours cannot be exchanged: the kinds of cards have different ones.
"""

from __future__ import annotations

import numpy as np

from cyberdeck.engine.contract import Record, Symmetry
from cyberdeck.games.hackthegrid import constants as c

TURNED = [1, 2, 3, 0]
SWAPPED = [1, 0, 2, 3]
_AS_IT_IS = list(range(c.ACTIONS))


def _lines(name: str, become: list[int], seat: int) -> Symmetry:
    """The positions along the edge of *seat*, each of which becomes another."""
    axis, order = 2 - seat, np.argsort(become)

    def apply(records: Record) -> None:
        grid = records["grid"].reshape(-1, c.SIDE, c.SIDE)
        records["grid"] = grid.take(order, axis).reshape(-1, c.CARDS)
        records["avatar"][:, seat] = np.array(become)[records["avatar"][:, seat]]

    goes = [*become, *_AS_IT_IS[c.SIDE :]]
    return Symmetry(
        name=name, apply=apply, actions=[goes if each == seat else _AS_IT_IS for each in range(2)]
    )


def _exchange(records: Record) -> None:
    grid = records["grid"].reshape(-1, c.SIDE, c.SIDE)
    records["grid"] = grid.transpose(0, 2, 1).reshape(-1, c.CARDS)
    for name in ("avatar", "run", "length", "points"):
        records[name] = records[name][:, ::-1].copy()
    records["first"] = 1 - records["first"]
    taken = np.arange(c.CARDS) < records["taken"][:, None]
    records["takers"] = np.where(taken, 1 - records["takers"], records["takers"])


SYMMETRIES = (
    _lines("columns exchanged", SWAPPED, 0),
    _lines("columns turned", TURNED, 0),
    Symmetry(name="hackers exchanged", apply=_exchange, seats=(1, 0)),
)
