"""HACKtheGRID as people see it."""

from __future__ import annotations

from typing import Final

from cyberdeck.views.hackthegrid import drawing, page, rules, story
from cyberdeck.views.texts import lessons_in
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=page.action_name,
    notation=page.notation,
    how_to_write=page.HOW_TO_WRITE,
    seat_name=page.seat_name,
    ending=page.ending,
    page=page.page,
    story=story.story,
    draw=drawing.draw,
    how_to_play=rules.how_to_play,
    inks=page.INKS,
    lessons=lessons_in(__package__),
)
