"""Games in words, played by those who answer by number."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from cyberdeck import TextGame, variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine.variant import Variant
from tests.text.redrawn import EXAMPLES, FOLDER

#: One game of each kind, as quick to play as it can be: for one, in turns, with secrets, of teams
#: who decide at the same time, and two of one file.
KINDS = {
    "matrix_overload": {},
    "hackthegrid": {},
    "stacktrices": {"max_turns": 8, "reward": "material"},
    "hovercrafts": {"ships": (2, 2), "max_turns": 4},
    "liars_dice": {},
    "goofspiel": {},
}


def of_kind(name: str) -> Variant:
    if name in EXAMPLES:
        return variant(load_file(FOLDER / f"{name}.py").name)
    return variant(name, **KINDS[name])


def move(action: int | str) -> str:
    """An answer by an action's number, or its notation."""
    return json.dumps({"move": action})


def legal(game: TextGame, seat: int) -> list[int]:
    """The legal actions of a seat that owes an answer."""
    states = game.core.states.copy()
    states["mover"] = seat
    mask = game.variant.look(states, seat)[0]
    return [action for action, possible in enumerate(mask.tolist()) if possible]


def rounds(game: TextGame, luck: random.Random) -> Iterator[list[tuple[int, int]]]:
    """Play a game to its end: in each round what those who owe an answer will decide, by seat,
    unless they have answered otherwise.
    """
    while not game.over:
        chosen = [(seat, luck.choice(legal(game, seat))) for seat in game.deciding]
        done = len(game.actions)
        yield chosen
        for seat, action in chosen:
            if len(game.actions) == done and seat in game.deciding:
                assert game.answer(seat, move(action)).kind == "move"


def played(game: TextGame, seed: int, told: list[tuple[int, str]] | None = None) -> TextGame:
    """A game played by chance from its beginning; all prompts, and whose, go to *told*."""
    game.reset(seed)
    for chosen in rounds(game, random.Random(seed)):
        if told is not None:
            told += [(seat, game.prompt(seat)) for seat, _ in chosen]
    return game
