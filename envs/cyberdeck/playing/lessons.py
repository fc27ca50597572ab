"""A first game in a few steps, each with its picture: what a view's lessons say."""

from __future__ import annotations

from typing import NamedTuple

from cyberdeck.playing.engine import Engine
from cyberdeck.views import shown


class Step(NamedTuple):
    """What is said, and the picture that it is about."""

    words: str
    picture: str
    """As SVG."""


def lessons(engine: Engine, theme: str = "dark", narrow: bool = False) -> list[Step]:
    """The steps of a game's lessons, with its usual options; none, if it has no lessons.

    >>> from cyberdeck import variant
    >>> from cyberdeck.playing.compiled import Compiled
    >>> [step.words.split()[0] for step in lessons(Compiled(variant("hackthegrid")))]
    ['Two', 'You', 'The', 'Four', 'You', 'Your']
    """
    view = engine.view
    told = view.lessons
    if told is None:
        return []
    position = engine.again(engine.name, {}).begin(told.seed, ())
    now, before, turn, viewer, drawn = position.record, None, None, (told.seat,), []
    moves, made = told.moves.split(", "), 0
    for after, words in told.steps:
        for move in moves[made:after]:
            names = shown.notations(view, now, position.mask)
            position.step(shown.action_called(names, move))
            before, now = now, position.record
            turn = before if now.rules.phases(before) else turn
        made, own = after, position.mover == told.seat
        mask = enumerate(position.mask)
        choices = [action for action, legal in mask if legal] if own else None
        look = view, now, viewer, choices, before, theme, narrow, turn
        drawn.append(Step(words, shown.picture(*look, bare=True)))
    return drawn
