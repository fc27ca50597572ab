"""Games in words, played by those who answer by number."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cyberdeck import TextGame, variant
from cyberdeck.api.registration import load_file
from cyberdeck.engine.constants import VOID
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.variant import Variant
from tests.text.redrawn import EXAMPLES, FOLDER

#: One game of each kind, as quick to play as it can be: for one, in turns, with secrets, of teams
#: who decide at the same time, and two of one file.
KINDS = {
    "matrix_overload": {"max_steps": 30},
    "hackthegrid": {},
    "stacktrices": {"max_turns": 6, "reward": "material"},
    "hovercrafts": {"ships": (2, 2), "max_turns": 3},
    "liars_dice": {},
    "goofspiel": {},
}


class First(Policy):
    """Takes the first legal action, and notes for whom."""

    def __init__(self, name: str = "first") -> None:
        self.name = name
        self.seats: set[int] = set()
        #: How many decisions it has made, and in how many it had a choice.
        self.decisions, self.choices = 0, 0

    def decide(self, seen: PolicyInput) -> Any:
        self.seats |= {*seen.seats.tolist()}
        self.decisions += len(seen)
        self.choices += int((seen.masks.sum(axis=1) > 1).sum())
        return seen.masks.argmax(axis=1)


class Machine(Policy):
    """Answers the same, whatever is asked: by itself, that its machine has failed; or raises it."""

    may_give_up = True
    name = "the machine"

    def __init__(self, answer: int | Exception = VOID) -> None:
        self.answer = answer

    def decide(self, seen: PolicyInput) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return np.full(len(seen), self.answer)


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


def from_its_seed_alone(course: Callable[[int], Any]) -> None:
    """Hold a course to come of its seed: it neither draws from the process's generators nor sets
    them, and is another with another seed.
    """
    courses = []
    for number in (1, 2):
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002
        before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
        courses.append(course(5))
        assert before == (random.getstate(), str(np.random.get_state()))  # noqa: NPY002
    assert courses[0] == courses[1] != course(6)
