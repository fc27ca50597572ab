"""Stacktrices as people see it."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.stacktrices import page, rules
from cyberdeck.views.stacktrices.drawing import draw
from cyberdeck.views.stacktrices.sight import side_name
from cyberdeck.views.stacktrices.story import story
from cyberdeck.views.texts import lessons_in
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=page.action_name,
    notation=page.notation,
    how_to_write=page.how_to_write,
    seat_name=side_name,
    ending=page.ending,
    page=page.page,
    story=story,
    draw=draw,
    public=page.public,
    turn=page.turn,
    how_to_play=rules.how_to_play,
    inks=page.INKS,
    lessons=lessons_in(__package__),
)
