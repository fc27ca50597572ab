"""Hovercrafts as people see it: its story, its page, its pictures."""

from __future__ import annotations

from typing import Final

from cyberdeck.games.hovercrafts.constants import NONE
from cyberdeck.views.hovercrafts import drawing, page, story
from cyberdeck.views.hovercrafts.fields import Battle
from cyberdeck.views.texts import lessons_in, rules_in_short
from cyberdeck.views.view import View

VIEW: Final = View(
    action_name=lambda record, action: Battle.seen(record, None).action_name(action),
    notation=lambda record, action: Battle.seen(record, None).action_name(action, True),
    how_to_write=rules_in_short(__package__, page.facts, "how_to_write.txt"),
    seat_name=lambda record, seat: Battle.seen(record, None).label(seat),
    ending=page.ending,
    page=page.page,
    story=story.story,
    draw=drawing.draw,
    # Spectators are shown plans and upgrades when they are carried out.
    public=lambda record: {"plan": NONE, "upgrade": NONE},
    turn=page.turn,
    how_to_play=rules_in_short(__package__, page.facts),
    inks=page.INKS,
    lessons=lessons_in(__package__),
)
