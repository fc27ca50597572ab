"""MATR1X 0VERL0AD as people see it."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.matrix_overload.drawing import draw
from cyberdeck.views.matrix_overload.page import (
    HOW_TO_PLAY,
    INKS,
    action_name,
    ending,
    page,
    seat_name,
)
from cyberdeck.views.matrix_overload.story import story
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=action_name,
    seat_name=seat_name,
    ending=ending,
    page=page,
    story=story,
    draw=draw,
    how_to_play=HOW_TO_PLAY,
    inks=INKS,
)
