"""Positions of MATR1X 0VERL0AD in words, and a handle on a game from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cyberdeck.games.matrix_overload.rules import VALUE
from tests.play import Play

VALUES = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
SUITS = "chsd"


def card(word: str) -> int:
    """`10c` is the ten of clubs, `Qd` the queen of diamonds, `joker` and `joker2` the jokers."""
    if word.startswith("joker"):
        return 53 if word == "joker2" else 52
    return 13 * SUITS.index(word[-1]) + VALUES.index(word[:-1])


def cards(words: str) -> list[int]:
    return [card(word) for word in words.split()]


def word(number: int) -> str:
    if number >= 52:
        return "joker" if number == 52 else "joker2"
    return VALUES[number % 13] + SUITS[number // 13]


@dataclass
class Spot:
    """An outer pile: a royal or none yet, the cards of ICE on it, and whether it is dead."""

    royal: int | None = None
    ice: list[int] = field(default_factory=list)
    dead: bool = False


@dataclass
class Table:
    """A whole position of MATR1X 0VERL0AD."""

    piles: list[list[int]]
    outer: list[Spot | None]
    draw: list[int]
    known_first: int = 1
    known_last: int = 0


def table(
    matrix: str = "- - - - - - - - -",
    *,
    royals: Mapping[int, str] | None = None,
    dead: Sequence[int] = (),
    draw: str = "",
    bury: int | None = None,
    jokers: int = 1,
) -> Table:
    """A position in words.

    matrix: nine piles in reading order; `-` is empty, `2c+7h` has the 7 of hearts on top.
    royals: by action number; `Jd 3d` is the jack of diamonds with the 3 of diamonds as ICE, `3d`
            alone is preventative ICE, `dead Jd` a beaten jack.
    dead:   action numbers of outer piles with beaten royals, filled with any that are not named.
    draw:   the next cards, the face-up one first. All cards not named follow in order of their
            ids, unless they are buried (court cards never): numbers at the bottom of inner pile
            `bury`, the lowest first; an ace or joker under it and under any others, as they can
            lie.
    """
    piles = [[] if pile == "-" else cards(pile.replace("+", " ")) for pile in matrix.split()]
    outer: list[Spot | None] = [None] * 12
    for action, words in (royals or {}).items():
        spot = Spot()
        for one in words.split():
            if one == "dead":
                spot.dead = True
            elif one[0] in "JQK":
                spot.royal = card(one)
            else:
                spot.ice.append(card(one))
        outer[action - 9] = spot
    front = cards(draw)
    used = {*front, *(one for pile in piles for one in pile)}
    used.update(*({*spot.ice, spot.royal} for spot in outer if spot is not None))
    rest = [one for one in range(52 + jokers) if one not in used]
    court = [one for one in rest if one < 52 and one % 13 >= 10]
    for action in dead:
        outer[action - 9] = Spot(royal=court.pop(0), dead=True)
    placed = {spot.royal for spot in outer if spot is not None}
    rest = [one for one in rest if one not in placed]
    if bury is not None:
        numbers = [one for one in rest if 2 <= VALUE[one] <= 10]
        piles[bury][:0] = sorted(numbers, key=VALUE.__getitem__)
        resting = sorted(piles, key=lambda pile: (pile is not piles[bury], not pile))
        resting = [pile for pile in resting if not pile or VALUE[pile[0]] > 1]
        for one, pile in zip((one for one in rest if VALUE[one] <= 1), resting, strict=False):
            pile.insert(0, one)
        rest = court
    return Table(piles, outer, front + rest)


def lay_out(state: np.void, position: Table) -> None:
    """Write a whole position into an engine record whose options are set."""
    for name in ("place", "height", "unseen", "ice", "dead"):
        state[name][:] = 0
    for name in ("below", "top", "royal"):
        state[name][:] = -1
    for inner, pile in enumerate(position.piles):
        state["depth"][inner] = len(pile)
        state["top_value"][inner] = VALUE[pile[-1]] if pile else -1
        for height, one in enumerate(pile, start=1):
            state["below"][one] = state["top"][inner]
            state["top"][inner] = one
            state["place"][one] = 1 + inner
            state["height"][one] = height
    spots = {at: spot for at, spot in enumerate(position.outer) if spot is not None}
    for at, spot in spots.items():
        state["dead"][at] = spot.dead
        if spot.royal is not None:
            state["royal"][at] = spot.royal
            state["place"][spot.royal] = 10 + at
        for one in spot.ice:
            state["place"][one] = 10 + at
            state["ice"][at] += one % 13 + 1
    state["killed"] = sum(spot.dead for spot in spots.values())
    state["draw"][: len(position.draw)] = position.draw
    state["left"] = len(position.draw)
    state["known_first"] = position.known_first
    state["known_last"] = position.known_last
    for one in position.draw[position.known_first : len(position.draw) - position.known_last]:
        state["unseen"][one] = 1
    for name in ("head", "decisions", "mover", "reward", "terminated", "truncated", "reason"):
        state[name] = 0


class Matrix(Play):
    """MATR1X 0VERL0AD from a position, with its cards in words."""

    def __init__(self, position: Table, **options: Any) -> None:
        super().__init__("matrix_overload", **options)
        lay_out(self.record[0], position)
        assert self.trouble() == "", f"no possible position: {self.trouble()}"

    def draw_pile(self) -> list[int]:
        head, left = int(self.state["head"]), int(self.state["left"])
        ring = self.state["draw"].tolist()
        return [ring[(head + at) % len(ring)] for at in range(left)]

    def pile(self, inner: int) -> list[int]:
        """An inner pile's cards, the bottom one first."""
        found: list[int] = []
        one = int(self.state["top"][inner])
        while one >= 0:
            found.insert(0, one)
            one = int(self.state["below"][one])
        return found

    def tops(self) -> str:
        return " ".join(word(one) if one >= 0 else "-" for one in self.state["top"].tolist())

    def strength(self, action: int) -> int:
        return int(self.state["royal"][action - 9]) % 13 + 1 + int(self.state["ice"][action - 9])

    def is_dead(self, action: int) -> bool:
        return bool(self.state["dead"][action - 9])


class Dealt(Matrix):
    """MATR1X 0VERL0AD from a deck: the cards named first, then all others by their ids."""

    def __init__(self, first: str, **options: Any) -> None:
        count = 54 if options.get("edition") == "rulebook" else 53
        front = cards(first)
        deck = front + [one for one in range(count) if one not in front]
        Play.__init__(self, "matrix_overload", {"deck": deck}, **options)
