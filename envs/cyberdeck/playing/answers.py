"""What a page is told of a game in progress, as values of JSON.

It holds nothing that the person's seats may not know.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

from cyberdeck.engine.constants import NOBODY
from cyberdeck.play.engine import Engine, Position
from cyberdeck.play.game import Game
from cyberdeck.play.session import GameSession, Phase
from cyberdeck.views.notation import action_called
from cyberdeck.views.scene import Scene

#: What an answer to a page is.
Answer = dict[str, Any]


class Look(NamedTuple):
    """How a page wants the picture."""

    theme: str
    narrow: bool


def choice_of_game(engine: Engine) -> Answer:
    """What people choose from for a game."""
    teams = engine.teams if len(engine.agents) > len(set(engine.sides)) else ()
    return {
        "game": engine.name,
        "teams": list(teams),  # where one has several seats
        "players": list(engine.players),
        "levels": dict(engine.levels),
    }


def offers(engine: Engine) -> Answer:
    """What a new game can be."""
    names = engine.seat_names(engine.begin(0, ()).record)
    seats = names if len(names) > 1 else []
    return {**choice_of_game(engine), "options": engine.offered(), "seats": seats}


def about(engine: Engine) -> Answer:
    """What does not change: rules, options, and who can play."""
    return {
        **choice_of_game(engine),
        "title": engine.title,
        "options": [f"{name}={value}" for name, value in engine.chosen.items()],
        "how to play": engine.how_to_play,
        "how to write": engine.how_to_write,
        "rules": engine.rules,
        "lessons": engine.view.lessons is not None,
        "seats": list(engine.agents) if len(engine.agents) > 1 else [],
        "files": list(engine.files),
        "games": engine.games(),
        "offered": engine.offered(),
    }


def state(session: GameSession, film: list[Phase], look: Look) -> Answer:
    """How a game stands, and what was to be seen on the way there."""
    sides = session.engine.sides
    decides = not (session.over or session.waiting)
    choices, end = session.choices() if decides else [], None
    if session.over:
        metrics = [f"{name}: {value}" for name, value in session.metrics()]
        ending = {"outcome": session.ending().headline, "reason": session.ending().why}
        end = {**ending, "metrics": metrics, "seed": session.seed}
    return {
        "picture": session.svg(*look, bare=True),
        "status": list(session.scene.page.status),
        "signs": session.scene.signs(look.theme),
        "film": [
            {"picture": session.svg_of(each, *look), "turn": each.turn, "words": each.lines}
            for each in film
        ],
        "setup": asdict(session.setup),
        "seats": [
            {
                "name": session.seat_name(seat),
                "player": session.player_name(seat),
                "own": seat in session.own,
                "ally": side == sides[session.own[0]],
            }
            for seat, side in enumerate(sides)
        ],
        "turn": session.turn(),
        "mover": "" if session.over else session.seat_name(session.mover),
        "waiting": session.waiting,
        "choices": [{**choice._asdict(), "short": choice.short} for choice in choices],
        "heard": [
            {
                "who": "" if news.seat == NOBODY else session.seat_name(news.seat),
                "own": news.seat in session.own,
                "words": news.words,
                "short": news.short,
                "turn": news.turn,
            }
            for news in session.news
        ],
        "undo": session.can_undo,
        "end": end,
    }


def hint(engine: Engine, position: Position) -> Answer:
    """What the best player there is would do there."""
    advice = engine.hint(position)
    worth = [{"action": action, "worth": word} for action, word in advice.worth.items()]
    words = engine.view.action_name(position.record, advice.action)
    return {"hint": {**advice._asdict(), "worth": worth, "words": words}}


def worth(engine: Engine, position: Position) -> Answer:
    """What a position is worth to whoever decides there."""
    return {"worth": engine.worth(position)._asdict()}


# --- lessons --------------------------------------------------------------------------------------


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
