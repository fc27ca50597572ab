"""Hovercrafts: what can be exchanged: left and right, in a few of its games.

Not where ships are deployed by choice, or a goal or campaign has sides: the team that begins has
the right edge. Not for more than two ships: contests are rolled hex by hex, from left to right. Nor
up and down, nor the teams: odd columns lie lower, and ships roll in the order of their seats.
"""

from __future__ import annotations

import numpy as np

from cyberdeck.engine.contract import Options, Record, Symmetry
from cyberdeck.games.hovercrafts import constants as c

_FACINGS = np.array([0, 5, 4, 3, 2, 1])
_PLANNED = np.array([c.MOVE, c.LEFT, c.RIGHT, c.LAND, c.EMP, c.REPAIR, c.NO_ACTION, c.NONE])


def symmetries(options: Options) -> list[Symmetry]:
    """The mirror, where it is one."""
    drawn = options["deployment"] == "random" and options["goal"] in ("fleet", "flagship")
    alone = tuple(options["ships"]) == (1, 1) and options["battles"] == 1
    width, height = options["width"], options["height"]
    if not drawn or not alone or options["pick_side"] or width % 2 == 0:
        return []
    cells = np.append(np.arange(c.CELLS), c.NONE)
    for row in range(c.MARGIN, c.MARGIN + height):
        first = c.STRIDE * row + c.MARGIN
        cells[first : first + width] = np.arange(first, first + width)[::-1]

    def mirror(records: Record) -> None:
        records["terrain"] = records["terrain"][:, cells[: c.CELLS]]
        for name in ("cell", "aim", "location"):
            records[name] = cells[records[name]]
        placed = records["cell"] != c.NONE
        records["facing"] = np.where(placed, _FACINGS[records["facing"]], records["facing"])
        for name in ("plan", "revealed", "done"):
            records[name] = _PLANNED[records[name]]
        for record in records:
            size = 3 * int(record["phases"]) + 1
            for ship in range(2):
                deeds = record["deeds"][ship * size :][: int(record["phases"])]
                deeds[:] = np.where(deeds > 0, 1 + _PLANNED[deeds - 1], deeds)

    actions = [c.MOVE, c.LEFT, c.RIGHT, c.LAND, c.EMP, c.REPAIR, c.NO_ACTION]
    return [Symmetry(name="left and right exchanged", apply=mirror, actions=actions)]
