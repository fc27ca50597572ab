"""What was decided in running games so far, as plain arrays: to be kept, and gone on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.history import Log
from cyberdeck.engine.positions import checked_position


def courses(logs: Sequence[Log]) -> dict[str, NDArray[Any]]:
    """Logs as plain arrays: (N,) how many decisions each has, and whether it is whole; of one log
    after the other the records before these decisions, as bytes, and the actions.
    """
    entries = [entry for log in logs for entry in log.entries]
    blank = logs[0].record[:0]
    return {
        "decided": np.array([len(log.entries) for log in logs], np.int64),
        "whole": np.array([log.whole for log in logs], np.bool_),
        "positions": np.concatenate([blank, *(entry.record for entry in entries)]).view(np.uint8),
        "actions": np.array([entry.action for entry in entries], np.int64),
    }


def logs_of(logs: Sequence[Log], kept: Mapping[str, NDArray[Any]]) -> list[Log]:
    """What ``courses`` gave of games that stand where these *logs* end, or ``ValueError``: it may
    be a stranger's.
    """
    known = courses(logs)
    if any((kept[name].ndim, kept[name].dtype) != (1, part.dtype) for name, part in known.items()):
        raise ValueError("its courses of games are of the wrong type")
    counts, whole, actions = kept["decided"], kept["whole"], kept["actions"]
    variant, size = logs[0].variant, len(actions)
    records = kept["positions"].view(logs[0].record.dtype)
    within = len(counts) == len(whole) == len(logs) and ((counts >= 0) & (counts <= size)).all()
    if not within or not counts.sum() == size == len(records):
        raise ValueError("its courses of games are not as long as they say")
    checked_position(variant.game, records)
    own = records.copy()
    variant.game.write(own, variant.options)
    movers = records["mover"]
    if own.tobytes() != records.tobytes() or not ((movers >= 0) & (movers < variant.seats)).all():
        raise ValueError("its courses of games are of other games")
    found, at = [], 0
    for log, many, from_beginning in zip(logs, counts.tolist(), whole.tolist(), strict=True):
        steps = [*(records[each : each + 1].copy() for each in range(at, at + many)), log.record]
        built = Log(variant, steps[0], from_beginning)
        for record, action, after in zip(steps, actions[at : at + many], steps[1:], strict=False):
            mask, seen, _ = variant.look(record, int(record[0]["mover"]))
            if not 0 <= action < len(mask) or not mask[action]:
                raise ValueError("its courses of games have decisions that are not legal")
            observation = seen.reshape(variant.observation_shape)
            built = built.after(int(action), observation, after)
        found.append(built)
        at += many
    return found
