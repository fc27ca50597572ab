"""A game as a seat sees it, as text and as a picture: its own drawing, or the plain one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing import plain
from cyberdeck.engine.contract import whole_numbers
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, OptionError


def text(variant: Variant, record: NDArray[Any], seat: int, actions: bool = True) -> str:
    """A record (an array of one) as plain text; the plain view names the legal actions, or not."""
    own = variant.game.text
    return plain.text(variant, record, seat, actions) if own is None else own(record, seat)


def screen(variant: Variant, record: NDArray[Any], seats: Sequence[int]) -> str:
    """A record (an array of one) for a terminal, as whoever plays all these *seats* sees it."""
    own = variant.game.screen
    return text(variant, record, seats[0], False) if own is None else own(record, seats)


def svg(
    variant: Variant, record: NDArray[Any], seat: int, mask: NDArray[np.int8] | None = None
) -> str:
    """A record (an array of one) as a picture; the actions of *mask* are highlighted."""
    own = variant.game.svg
    return plain.svg(variant, record, seat, mask) if own is None else own(record, seat, mask)


def seen_by(core: GameBatch, row: int, seat: int | None) -> tuple[NDArray[Any], int]:
    """A row's record, and the seat from whose side it is shown; None for a spectator's view."""
    core.check_view(row, 0 if seat is None else seat)
    record = core.states[row : row + 1]
    if seat is not None:
        return record, seat
    if core.game.public is None and not core.game.open:
        raise OptionError(
            f"{core.game.title} has no spectator's view: say by seat=, or by render_seat= when "
            f"making the env, from whose view it is shown: {', '.join(core.variant.agents)}"
        )
    return record if core.game.public is None else core.game.public(record.copy()), 0


def told(core: GameBatch, row: int, seat: int | None) -> str:
    """A row of games as plain text from a seat's view, or a spectator's."""
    return text(core.variant, *seen_by(core, row, seat))


def picture(core: GameBatch, row: int, seat: int | None, highlight: bool | Iterable[int]) -> str:
    """Picture of a row of games from a seat's view, or a spectator's.

    If the seat is to move, its legal actions are highlighted, or those of them that *highlight*
    names: the reach of one stack, say.
    """
    record, side = seen_by(core, row, seat)
    mask = None
    if highlight is not False and core.movers[row] == seat:
        mask = core.masks[row]
        if highlight is not True:
            chosen = np.zeros_like(mask)
            chosen[_actions(core.variant, highlight)] = 1
            mask = mask & chosen
    return svg(core.variant, record, side, mask)


def phases(core: GameBatch, row: int, seat: int | None) -> list[str]:
    """What has happened in a row since the decision before it, as pictures."""
    record, side = seen_by(core, row, seat)
    return [svg(core.variant, each, side, None) for each in core.game.frames(record)]


def _actions(variant: Variant, highlight: Any) -> list[int]:
    """The actions to highlight as a list, or ``ActionError``."""
    listed = whole_numbers(highlight)
    if listed is None or not all(0 <= at < variant.action_count for at in listed):
        raise ActionError(
            f"highlight={highlight!r} is not possible: give True, False, or actions from 0 to "
            f"{variant.action_count - 1}"
        )
    return listed
