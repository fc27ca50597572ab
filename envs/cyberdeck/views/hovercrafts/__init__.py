"""Hovercrafts as people see it: its story, its page, its pictures."""

from __future__ import annotations

from typing import Final

from cyberdeck.games.hovercrafts.constants import NONE
from cyberdeck.views.hovercrafts import drawing, page, rules, story
from cyberdeck.views.hovercrafts.fields import Battle
from cyberdeck.views.texts import lessons_in
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=lambda record, action: Battle.seen(record, None).action_name(action),
    notation=lambda record, action: Battle.seen(record, None).notation(action),
    how_to_write=page.how_to_write,
    seat_name=lambda record, seat: Battle.seen(record, None).label(seat),
    ending=page.ending,
    page=page.page,
    story=story.story,
    draw=drawing.draw,
    # Spectators are shown plans and upgrades when they are carried out.
    public=lambda record: {"plan": NONE, "upgrade": NONE},
    turn=page.turn,
    how_to_play=rules.how_to_play,
    inks=page.INKS,
    lessons=lessons_in(__package__),
)
