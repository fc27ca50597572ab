"""A game as a seat sees it, as text and as a picture: its own drawing, or the plain one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.drawing import plain
from cyberdeck.drawing.svg import themed
from cyberdeck.engine.contract import Game, Look, whole_numbers
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import ActionError, OptionError


def text(variant: Variant, record: NDArray[Any], seat: int | None, actions: bool = True) -> str:
    """A record (an array of one) as plain text; the plain view names the legal actions, or not."""
    own = variant.game.text
    return plain.text(variant, record, seat, actions) if own is None else own(record, seat)


def screen(variant: Variant, record: NDArray[Any], seats: Sequence[int]) -> str:
    """A record (an array of one) for a terminal, as whoever plays all these *seats* sees it."""
    own = variant.game.screen
    return text(variant, record, seats[0], False) if own is None else own(record, seats)


def svg(variant: Variant, record: NDArray[Any], look: Look, theme: str = "dark") -> str:
    """A record (an array of one) as a picture."""
    own = variant.game.svg
    drawn = plain.svg(variant, record, look) if own is None else own(record, look)
    return themed(drawn, theme)


def shown_to(game: Game, record: NDArray[Any], seat: int | None) -> NDArray[Any]:
    """The record that is drawn for a seat, or for a spectator."""
    return record if seat is not None or game.public is None else game.public(record.copy())


def seen_by(core: GameBatch, row: int, seat: int | None) -> NDArray[Any]:
    """A row's record as it is drawn for a seat, or for a spectator: None."""
    core.check_view(row, 0 if seat is None else seat)
    if seat is None and core.game.public is None and not core.game.open:
        raise OptionError(
            f"{core.game.title} has no spectator's view: say by seat=, or by render_seat= when "
            f"making the env, from whose view it is shown: {', '.join(core.variant.agents)}"
        )
    return shown_to(core.game, core.states[row : row + 1], seat)


def told(core: GameBatch, row: int, seat: int | None) -> str:
    """A row of games as plain text from a seat's view, or a spectator's."""
    return text(core.variant, seen_by(core, row, seat), seat)


def picture(
    core: GameBatch,
    row: int,
    seat: int | None,
    highlight: bool | Iterable[int],
    before: NDArray[Any] | None = None,
    theme: str = "dark",
    narrow: bool = False,
    allies: tuple[int, ...] = (),
) -> str:
    """Picture of a row of games from a seat's view, or a spectator's.

    If the seat is to move, its legal actions are highlighted, or those of them that *highlight*
    names: the reach of one stack, say. Spectators see them too where nothing is hidden. What has
    changed since the record *before* is marked.
    """
    record = seen_by(core, row, seat)
    mask, mover = None, int(core.movers[row])
    shows = mover == seat or (seat is None and core.game.open and mover != NOBODY)
    if highlight is not False and shows:
        mask = core.masks[row]
        if highlight is not True:
            chosen = np.zeros_like(mask)
            chosen[_actions(core.variant, highlight)] = 1
            mask = mask & chosen
    if before is not None:
        before = shown_to(core.game, before, seat)
    return svg(core.variant, record, Look(seat, mask, before, narrow, allies), theme)


def phases(
    core: GameBatch, row: int, seat: int | None, before: NDArray[Any] | None = None
) -> list[str]:
    """What has happened in a row since the record *before*, as pictures.

    A phase marks what it has changed; the last picture, of the row as it is, what ``picture`` does.
    """
    if before is not None:
        before = shown_to(core.game, before, seat)
    *passed, now = core.game.frames(seen_by(core, row, seat))
    steps = [*zip(passed, [before, *passed], strict=False), (now, before)]
    return [svg(core.variant, record, Look(seat, before=old)) for record, old in steps]


def _actions(variant: Variant, highlight: Any) -> list[int]:
    """The actions to highlight as a list, or ``ActionError``."""
    listed = whole_numbers(highlight)
    if listed is None or not all(0 <= at < variant.action_count for at in listed):
        raise ActionError(
            f"highlight={highlight!r} is not possible: give True, False, or actions from 0 to "
            f"{variant.action_count - 1}"
        )
    return listed
