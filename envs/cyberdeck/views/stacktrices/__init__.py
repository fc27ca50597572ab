"""Stacktrices as people see it."""

from __future__ import annotations

from typing import Final

from cyberdeck.common.text import counted
from cyberdeck.views.stacktrices import page
from cyberdeck.views.stacktrices.drawing import draw
from cyberdeck.views.stacktrices.sight import side_name
from cyberdeck.views.stacktrices.story import story
from cyberdeck.views.texts import how_to_write_in, lessons_in, rules_in_short
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=page.action_name,
    notation=lambda record, action: page.action_name(record, action, short=True),
    how_to_write=how_to_write_in(__package__),
    seat_name=side_name,
    ending=page.ending,
    page=page.page,
    story=story,
    draw=draw,
    public=page.public,
    turn=page.turn,
    how_to_play=rules_in_short(
        __package__, lambda options: {"turns": counted(options["max_turns"], "turn")}
    ),
    inks=page.INKS,
    lessons=lessons_in(__package__),
)
