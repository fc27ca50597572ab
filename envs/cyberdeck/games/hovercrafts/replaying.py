"""Hovercrafts: the last turn once more, phase by phase."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.plain import as_python
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hovercrafts.constants import NONE, PLAN
from cyberdeck.games.hovercrafts.phase import carry_out_phase
from cyberdeck.games.hovercrafts.turn import phases_left

Record = NDArray[Any]  # (1,)


@functools.cache
def _carry_out_phase() -> Callable[..., None]:
    """Plain code will do for one turn: to compile it takes many seconds, in every process."""
    return as_python(carry_out_phase)


def begun(record: Record) -> Record | None:
    """The last turn before its first phase.

    A redrawn game has forgotten the dice of its last turn: there is none to be shown.
    """
    state = record[0]
    if not (state["passed"] and state["before_dice"]):
        return None
    past = record.copy()
    then = past[0]
    then["dice"], then["scripted"] = then["before_dice"], then["before_scripted"]
    then["cell"], then["facing"] = then["before_cell"], then["before_facing"]
    then["hull_left"], then["actions"] = then["before_hull"], then["before_actions"]
    then["escaped"][then["before_cell"] != NONE] = 0
    then["phase"] = PLAN  # in a campaign upgrades may have come after it
    then["mover"], then["plan"] = NOBODY, NONE
    # And what has changed since, so that all records after a turn have begun it with the same one.
    for name in ("passed", "deeds", "jammed", "lost", "reason", "slot", "decisions", "reward"):
        then[name] = 0
    return past


def frames(record: Record) -> list[Record]:
    """The last turn as it stood after each of its phases, and the record as it is."""
    past = begun(record)
    if past is None:
        return [record]
    phases = np.frombuffer(_carried_out(past.tobytes(), past.dtype), past.dtype).copy()
    return [*(phases[at : at + 1] for at in range(len(phases))), record]


@functools.lru_cache(maxsize=64)
def _carried_out(past: bytes, dtype: np.dtype[Any]) -> bytes:
    """A turn from its beginning, after each of its phases: pictures ask for it at every slot."""
    record = np.frombuffer(past, dtype).copy()
    phases = []
    while phases_left(record[0]):
        _carry_out_phase()(record[0])
        phases.append(record.tobytes())
    return b"".join(phases)
