"""Positions of Stacktrices as text, and what is shown of them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import showing
from cyberdeck.engine.variant import Variant
from cyberdeck.views.record import Record
from cyberdeck.views.stacktrices import page
from cyberdeck.views.view import Event, Viewer


@functools.cache
def _variant(**options: Any) -> Variant:
    return cyberdeck.variant("stacktrices", **options)


def variant_of(record: NDArray[Any]) -> Variant:
    """The game that a record is of."""
    return _variant(**cyberdeck.game("stacktrices").read(record))


def viewer_of(seat: int | None) -> Viewer:
    return None if seat is None else (seat,)


def write(record: NDArray[Any], seat: int | None = None) -> list[str]:
    """A position's lines as *seat* knows it, or with all that is hidden if seat is None."""
    return page.position(Record.of(record), viewer_of(seat))


def begins_turn(record: NDArray[Any]) -> bool:
    return page.begins_turn(Record.of(record))


def words(record: NDArray[Any], seat: int | None) -> str:
    return showing.scene(variant_of(record), record, viewer_of(seat)).text()


def story(record: NDArray[Any], before: NDArray[Any], seat: int | None) -> list[Event]:
    return showing.scene(variant_of(record), record, viewer_of(seat), before).events


def svg(
    record: NDArray[Any],
    seat: int | None = None,
    mask: NDArray[Any] | None = None,
    before: NDArray[Any] | None = None,
    narrow: bool = False,
) -> str:
    choices = None if mask is None else np.flatnonzero(mask).tolist()
    variant, viewer = variant_of(record), viewer_of(seat)
    return showing.scene(variant, record, viewer, before).picture(choices, narrow=narrow)
