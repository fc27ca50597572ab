"""A game as a seat sees it, as text and as a picture: its own drawing, or the plain one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing import plain
from cyberdeck.engine.contract import whole_numbers
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError


def text(variant: Variant, record: NDArray[Any], seat: int) -> str:
    """A record (an array of one) as plain text."""
    own = variant.game.text
    return plain.text(variant, record, seat) if own is None else own(record, seat)


def svg(
    variant: Variant, record: NDArray[Any], seat: int, mask: NDArray[np.int8] | None = None
) -> str:
    """A record (an array of one) as a picture; the actions of *mask* are highlighted."""
    own = variant.game.svg
    return plain.svg(variant, record, seat, mask) if own is None else own(record, seat, mask)


def picture(core: GameBatch, row: int, seat: int, highlight: bool | Iterable[int]) -> str:
    """Picture of a row of games from a seat's view.

    If the seat is to move, its legal actions are highlighted, or those of them that *highlight*
    names: the reach of one stack, say.
    """
    core.check_view(row, seat)
    mask = None
    if highlight is not False and core.movers[row] == seat:
        mask = core.masks[row]
        if highlight is not True:
            chosen = np.zeros_like(mask)
            chosen[_actions(core.variant, highlight)] = 1
            mask = mask & chosen
    return svg(core.variant, core.states[row : row + 1], seat, mask)


def phases(core: GameBatch, row: int, seat: int) -> list[str]:
    """What has happened in a row since the decision before it, as pictures."""
    core.check_view(row, seat)
    shown = core.game.frames(core.states[row : row + 1])
    return [svg(core.variant, record, seat, None) for record in shown]


def _actions(variant: Variant, highlight: Any) -> list[int]:
    """The actions to highlight as a list, or ``ActionError``."""
    listed = whole_numbers(highlight)
    if listed is None or not all(0 <= at < variant.action_count for at in listed):
        raise ActionError(
            f"highlight={highlight!r} is not possible: give True, False, or actions from 0 to "
            f"{variant.action_count - 1}"
        )
    return listed
