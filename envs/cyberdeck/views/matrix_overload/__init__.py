"""MATR1X 0VERL0AD as people see it."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.matrix_overload import drawing, page
from cyberdeck.views.texts import how_to_write_in, lessons_in, rules_in_short
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=page.action_name,
    notation=page.notation,
    how_to_write=how_to_write_in(__package__),
    seat_name=lambda record, seat: "player",
    ending=page.ending,
    page=page.page,
    story=page.story,
    draw=drawing.draw,
    how_to_play=rules_in_short(__package__, page.facts),
    inks=page.INKS,
    lessons=lessons_in(__package__),
)
