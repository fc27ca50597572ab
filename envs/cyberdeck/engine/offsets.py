"""Where a game's features begin in its vector, by their names, for ``observe``."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Feature
from cyberdeck.engine.variant import layout


def offsets(features: Sequence[Feature]) -> Any:
    """Where each feature begins, for a layout that is always the same: a kernel reads ``AT.depth``
    as a constant.

    >>> offsets([Feature("own", (3, 3), 0, 1), Feature("theirs", (3, 3), 0, 1)])
    Offsets(own=0, theirs=9)
    """
    places = layout(features)
    return namedtuple("Offsets", places)(*(place.start for place in places.values()))


def offset_table(layouts: Sequence[Sequence[Feature]]) -> NDArray[Any]:
    """The same for each of some layouts, which have the same names: a kernel chooses a row by the
    record, and reads ``at.depth`` of it.
    """
    rows = [offsets(features) for features in layouts]
    kind = np.dtype([(name, np.int64) for name in rows[0]._fields])
    return np.array([tuple(row) for row in rows], kind)
