"""What is wrong with actions that cannot be applied, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import quoted
from cyberdeck.engine import registry
from cyberdeck.engine.contract import Record, is_whole
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError


def complaint(
    variant: Variant, record: Record, action: int, seat: int, mask: NDArray[np.int8]
) -> str:
    """Why *seat* cannot do *action* in this position: its meaning, and what is legal."""

    def name(each: int) -> str:
        return registry.named_action(variant, record, each)

    legal = np.flatnonzero(mask)
    listed = "; ".join(f"{a} ({name(int(a))})" for a in legal[:12])
    more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
    return (
        f"action {action} ({name(action)}) is not legal for {variant.agents[seat]}; "
        f"legal are {listed}{more}. The action mask says which are; with illegal='lose' an "
        "illegal action loses the game instead"
    )


def checked_number(variant: Variant, action: Any) -> int:
    """*action*, or ``ActionError`` if there is none of that number."""
    if not is_whole(action) or not 0 <= int(action) < variant.action_count:
        last = variant.action_count - 1
        raise ActionError(f"action {action!r} does not exist: actions are 0 to {last}")
    return int(action)


def as_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """*actions* as an array of *count* whole numbers, one for each row, or ``ActionError``."""
    try:
        array = np.asarray(actions)
    except (ValueError, TypeError, RuntimeError):  # the last two: tensors that are no array
        raise ActionError(
            f"actions {quoted(actions)} are not an array: one whole number for each row is needed; "
            "nothing was applied"
        ) from None
    if array.shape != (count,):
        raise ActionError(
            f"actions have the shape {array.shape}: one for each row is needed, "
            f"({count},); nothing was applied"
        )
    if array.dtype.kind not in "iu":
        raise ActionError(
            f"actions are of type {array.dtype}: whole numbers are needed; nothing was applied"
        )
    # A fresh, contiguous array: another layout would have the loops compiled once more.
    return np.array(array, np.int64)
