"""A small handle on the real engine for tests: one game, one record, plain Python values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import cyberdeck
from cyberdeck.games.matrix_overload.rules import VALUE


class Play:
    """One game of the engine, dealt from a prescribed table or from a seed."""

    def __init__(
        self,
        name: str,
        table: Mapping[str, Any] | None = None,
        seed: int = 0,
        **options: Any,
    ) -> None:
        self.variant = cyberdeck.variant(name, **options)
        self.game = self.variant.game
        self.kernels = self.game.kernels
        self.record = self.variant.blank()
        self.record["dice"] = seed
        self._mask = np.zeros(self.variant.action_count, np.int8)
        self.kernels.shuffle(self.record[0])
        if not (table and self.game.start(self.record, table)):
            self.kernels.deal(self.record[0])

    @property
    def state(self) -> np.void:
        state: np.void = self.record[0]
        return state

    def legal(self) -> list[int]:
        count = self.kernels.legal(self.record[0], self._mask)
        actions: list[int] = np.flatnonzero(self._mask).tolist()
        assert count == len(actions), "legal() must return how many actions it has marked"
        return actions

    def act(self, action: int) -> float | tuple[float, ...]:
        """Play a legal action; the reward, one number or one for each seat."""
        assert action in self.legal(), f"{action} is not among {self.legal()}"
        self.kernels.act(self.record[0], action)
        return self.reward

    @property
    def mover(self) -> int | None:
        mover = int(self.record["mover"][0])
        return None if mover < 0 else mover

    @property
    def reward(self) -> float | tuple[float, ...]:
        rewards = self.record["reward"][0].tolist()
        return rewards[0] if len(rewards) == 1 else tuple(rewards)

    @property
    def reason(self) -> str:
        return self.game.reasons[int(self.record["reason"][0])]

    @property
    def terminated(self) -> bool:
        return bool(self.record["terminated"][0])

    @property
    def truncated(self) -> bool:
        return bool(self.record["truncated"][0])

    @property
    def over(self) -> bool:
        return self.terminated or self.truncated

    def seen(self, seat: int = 0) -> dict[str, np.ndarray]:
        """What a seat sees, by the names of its pieces."""
        out = np.full(self.variant.observation_size, 99, np.int8)
        self.kernels.observe(self.record[0], seat, out)
        return self.variant.named(out)

    def facts(self, seat: int = 0) -> dict[str, int]:
        """What `info` reports."""
        out = np.zeros(len(self.game.facts), np.int64)
        self.kernels.report(self.record[0], seat, out)
        return {fact.name: int(out[at]) for at, fact in enumerate(self.game.facts)}

    def trouble(self) -> str:
        """Empty, or which of the game's invariants does not hold."""
        broken = int(self.kernels.sound(self.record[0]))
        return self.game.invariants[broken - 1] if broken else ""


# --- MATR1X 0VERL0AD in words ---------------------------------------------------------------------

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
    matrix: str = "- - - / - - - / - - -",
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
            ids, unless they are buried at the bottom of inner pile `bury` (court cards never).
    """
    piles = [
        [] if pile == "-" else cards(pile.replace("+", " "))
        for pile in matrix.replace("/", " ").split()
    ]
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
    for taken in outer:
        if taken is not None:
            used |= {*taken.ice, taken.royal}
    rest = [one for one in range(52 + jokers) if one not in used]
    court = [one for one in rest if one < 52 and one % 13 >= 10]
    for action in dead:
        outer[action - 9] = Spot(royal=court.pop(0), dead=True)
    placed = {spot.royal for spot in outer if spot is not None}
    rest = [one for one in rest if one not in placed]
    if bury is not None:
        piles[bury] = [one for one in rest if one not in court] + piles[bury]
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
    for at, spot in enumerate(position.outer):
        if spot is None:
            continue
        state["dead"][at] = spot.dead
        if spot.royal is not None:
            state["royal"][at] = spot.royal
            state["place"][spot.royal] = 10 + at
        for one in spot.ice:
            state["place"][one] = 10 + at
            state["ice"][at] += one % 13 + 1
    state["killed"] = sum(1 for spot in position.outer if spot is not None and spot.dead)
    state["draw"][: len(position.draw)] = position.draw
    state["head"] = 0
    state["left"] = len(position.draw)
    state["known_first"] = position.known_first
    state["known_last"] = position.known_last
    for one in position.draw[position.known_first : len(position.draw) - position.known_last]:
        state["unseen"][one] = 1
    state["decisions"] = 0
    state["mover"] = 0
    for name in ("reward", "terminated", "truncated", "reason"):
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
