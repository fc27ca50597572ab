"""Hovercrafts as people see it: its story, its page, its pictures."""

from __future__ import annotations

from cyberdeck.views.hovercrafts.drawing import draw
from cyberdeck.views.hovercrafts.fields import label
from cyberdeck.views.hovercrafts.page import (
    HOW_TO_PLAY,
    INKS,
    action_name,
    ending,
    page,
    public,
    turn,
)
from cyberdeck.views.hovercrafts.story import story
from cyberdeck.views.view import View

VIEW = View(
    action_name=action_name,
    seat_name=label,
    ending=ending,
    page=page,
    story=story,
    draw=draw,
    public=public,
    turn=turn,
    how_to_play=HOW_TO_PLAY,
    inks=INKS,
)
