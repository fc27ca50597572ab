"""Stacktrices in words: positions, decisions, and a handle on a game."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cyberdeck.games.stacktrices.constants import PHASES
from cyberdeck.games.stacktrices.names import PIECES, square_called, square_name
from cyberdeck.games.stacktrices.names import pieces_called as letters
from tests.play import Play

COLOURS = ("white", "black")


def side(stacks: str) -> str:
    """A side's stacks in words, filled up with captured ones: `a1*:P | b2` has two."""
    drones, _, queens = stacks.partition("|")
    words = [drones.split(), queens.split()]
    full = [group + ["-"] * (size - len(group)) for group, size in zip(words, (4, 3), strict=True)]
    return " | ".join(" ".join(group) for group in full)


def flipped(words: str) -> str:
    """The same seen from the other side of the board: a1 is a7, and a7 is a1."""
    return re.sub("([a-g])([1-7])", lambda found: f"{found[1]}{8 - int(found[2])}", words)


class Stacks(Play):
    """Stacktrices, with squares, pieces and decisions in words.

    Without *white* and *black* the set-up begins. Decisions are written:

    d2-a6           move the stack on d2 to a6
    hide c1         hide the thief under the drone on c1
    Q>d2            put a movement queen on the own stack on d2
    give Q d2       pick the own movement queen on d2, to give or to raise (`raise Q d2`)
    take q d6       pick the opponent's skill queen on d6
    steal q         pick the skill queen of the captured stack
    claim, end, call off, expose
    """

    def __init__(
        self,
        white: str = "",
        black: str = "",
        turn: str = "white",
        stalled: int = 0,
        seed: int = 0,
        **options: Any,
    ) -> None:
        position = (
            f"white: {side(white)}\nblack: {side(black)}\nturn: {turn}\nstalled: {stalled}"
            if white
            else ""
        )
        options = {"first": 0, **options}
        super().__init__("stacktrices", {"position": position} if white else None, seed, **options)
        self.picks = 6 if self.variant.options["stacked_movement"] else 4
        self.claim = 389 + 2 * 7 * self.picks
        assert self.trouble() == "", f"no possible position: {self.trouble()}"

    # --- what stands where ---

    def seat(self, colour: str) -> int:
        first = int(self.state["first"])
        return first if colour == "white" else 1 - first

    @property
    def colour(self) -> str | None:
        """Who is to decide."""
        return None if self.mover is None else COLOURS[self.mover != int(self.state["first"])]

    @property
    def phase(self) -> str:
        return PHASES[int(self.state["phase"])]

    def stack(self, name: str) -> int:
        """Who stands on a square, as the record has it."""
        return int(self.state["board"][square_called(int(self.state["first"]), name)])

    def name(self, square: int) -> str:
        return square_name(int(self.state["first"]), square)

    def on(self, name: str) -> str | None:
        """The pieces of the stack on a square, None if there is no stack."""
        who = self.stack(name)
        return None if who < 0 else letters(self.state["pieces"][who // 7, who % 7])

    def squares(self, colour: str) -> str:
        """Where a side's stacks stand."""
        found = self.state["square"][self.seat(colour)]
        return " ".join(sorted(self.name(int(square)) for square in found if square >= 0))

    def thief(self, colour: str) -> str | None:
        """Where a side's thief stands."""
        seat = self.seat(colour)
        drone = int(self.state["thief"][seat])
        return None if drone < 0 else self.name(int(self.state["square"][seat, drone]))

    def marked(self, colour: str) -> str:
        """Where the drones stand that have raided and not been home since."""
        seat = self.seat(colour)
        drones = np.flatnonzero(self.state["raided"][seat])
        return " ".join(sorted(self.name(int(self.state["square"][seat, at])) for at in drones))

    @property
    def store(self) -> str:
        return letters(self.state["store"])

    # --- decisions ---

    def action(self, word: str) -> int:
        """The number of a legal decision of the mover's."""
        numbers = {self.word(action): action for action in self.legal()}
        assert word in numbers, f"{word!r} is not among {sorted(numbers)}"
        return numbers[word]

    def word(self, action: int) -> str:
        """A legal decision of the mover's in words."""
        seat = self.mover
        assert seat is not None, "nobody is to decide"
        if action >= self.claim:
            return ("claim", "end", "call off", "expose")[action - self.claim]
        squares = [self.name(int(at)) if at >= 0 else "-" for at in self.state["square"][seat]]
        if action < 343:
            return f"{squares[action // 49]}-{self.name(squares_of(action, seat))}"
        if action < 347:
            return f"hide {squares[action - 343]}"
        if action < 389:
            return f"{PIECES[(action - 347) % 6]}>{squares[(action - 347) // 6]}"
        theirs, choice = divmod(action - 389, 7 * self.picks)
        stack, kind = divmod(choice, self.picks)
        owner = 1 - seat if theirs else seat
        stealing = self.phase == "steal"
        heap = self.state["loot"] if stealing else self.state["pieces"][owner, stack]
        if self.picks == 4:
            kind = kind + 2 if kind else int(np.flatnonzero(heap[:3])[0])
        assert heap[kind] > 0, f"action {action} picks a piece that is not there"
        if stealing:
            assert theirs
            assert stack == int(self.state["captured"])
            return f"steal {PIECES[kind]}"
        doing = "take" if theirs else "raise" if self.phase == "raid" else "give"
        at = int(self.state["square"][owner, stack])
        return f"{doing} {PIECES[kind]} {self.name(at)}"

    def options(self) -> set[str]:
        """All legal decisions in words."""
        words = {self.word(action) for action in self.legal()}
        assert len(words) == len(self.legal()), "two legal actions mean the same"
        return words

    def moves(self, name: str) -> str:
        """Where the stack on a square may move to."""
        assert self.stack(name) // 7 == self.mover, "no own stack"
        return " ".join(sorted(word[3:] for word in self.options() if word.startswith(f"{name}-")))

    def do(self, *words: str) -> Stacks:
        """Make decisions, one after the other."""
        for word in words:
            self.act(self.action(word))
            assert self.trouble() == "", f"after {word!r}: {self.trouble()}"
        return self


def daring(states: np.ndarray, masks: np.ndarray, luck: np.random.Generator) -> np.ndarray:
    """Legal decisions for rows of Stacktrices that lead to the rarer parts of its rules."""
    actions = np.zeros(len(states), np.int64)
    for row, (state, mask) in enumerate(zip(states, masks, strict=True)):
        legal = np.flatnonzero(mask)
        first = len(mask) - 4 if state["steal_on_attack"] else len(mask) - 3
        liked = legal[(legal == first) | (legal == first + 3)]  # claim, expose
        if PHASES[state["phase"]] == "move":
            captures = state["board"][squares_of(legal, int(state["mover"]))] >= 0
            liked = legal[captures | (legal % 49 >= 42)]  # or onto the opponent's home row
        elif PHASES[state["phase"]] == "trade":
            liked = legal[(legal >= 347) & (legal < 389)]
        elif len(liked) == 0 and luck.random() < 0.5:
            liked = legal[legal == first + 1]  # end the turn
        chosen = liked if len(liked) and luck.random() < 0.7 else legal
        actions[row] = luck.choice(chosen)
    return actions


def squares_of(moves: Any, mover: int) -> Any:
    """The record's squares that moves lead to."""
    seen = moves % 49
    return seen if mover == 0 else 7 * (6 - seen // 7) + seen % 7
