"""A first game in a few steps, each with its picture: what a view's lessons say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cyberdeck import showing
from cyberdeck.engine import registry
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.variant import Variant


class Step(NamedTuple):
    """What is said, and the picture that it is about."""

    words: str
    picture: str
    """As SVG."""


def lessons(game: str, theme: str = "dark", narrow: bool = False) -> list[Step]:
    """The steps of a game's lessons, with its usual options; none, if it has no lessons.

    >>> [step.words.split()[0] for step in lessons("hackthegrid")]
    ['Two', 'You', 'The', 'Four', 'You', 'Your']
    """
    variant = Variant(registry.game(game), {})
    told = showing.view_of(variant).lessons
    if told is None:
        return []
    core = GameBatch(variant, 1, autoreset=DISABLED)
    core.reset([told.seed])
    past, before, viewer, drawn = showing.Past(), None, (told.seat,), []
    moves, made = told.moves.split(", "), 0
    for after, words in told.steps:
        for move in moves[made:after]:
            now = core.states.copy()
            core.step(np.array([showing.action_called(variant, now, move)]))
            before = showing.shown_to(variant, now, viewer)
            past.went_on(variant, before, showing.shown_to(variant, core.states, viewer))
        made, own = after, core.movers[0] == told.seat
        choices = np.flatnonzero(core.masks[0]).tolist() if own else None
        look = variant, showing.shown_to(variant, core.states, viewer), viewer, choices, before
        picture = showing.picture(*look, theme, narrow=narrow, turn=past.turn, bare=True)
        drawn.append(Step(words, picture))
    return drawn
