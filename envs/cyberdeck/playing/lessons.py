"""A first game in a few steps, each with its picture: what a view's lessons say."""

from __future__ import annotations

from typing import NamedTuple

from cyberdeck.play.engine import Engine
from cyberdeck.play.game import Game
from cyberdeck.views.notation import action_called
from cyberdeck.views.scene import Scene


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
    usual = engine.again(engine.name, {})
    game = Game(usual.view, usual.begin(told.seed, ()), told.seed)
    last_turn, drawn = None, []
    moves = told.moves.split(", ")
    for after, words in told.steps:
        for move in moves[len(game.log) : after]:
            decision = game.step(action_called(game.notations, move))
            last_turn = decision.record if decision.phases else last_turn
        before = game.log[-1].record if game.log else None
        choices = game.legal if game.mover == told.seat else None
        scene = Scene(view, game.record, (told.seat,), before, last_turn)
        drawn.append(Step(words, scene.picture(choices, theme, narrow, bare=True)))
    return drawn
