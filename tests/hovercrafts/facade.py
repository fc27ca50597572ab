"""Hovercrafts in words: ships as (column, row, facing[, hull left]), plans as "move left EMP"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cyberdeck.engine import dice as engine_dice
from cyberdeck.engine.plain import Interpreter
from cyberdeck.games.hovercrafts import ships as ships_
from cyberdeck.games.hovercrafts.constants import ACTIONS, FACINGS, MARGIN, NONE, STRIDE
from cyberdeck.games.hovercrafts.starts import stream_with
from cyberdeck.games.hovercrafts.turn import begin_turn
from tests.play import Play

Place = tuple[Any, ...]
Pairs = set[tuple[int, int]]

N, NE, SE, S, SW, NW = FACINGS


def fleet(words: str) -> list[Place | None]:
    """Ships in one line: `4,3NE 5,3S2 -` are two, one with two hulls left, and one that is out."""
    found = [re.fullmatch(r"(\d+),(\d+)([NSEW]+)(\d*)", word) for word in words.split()]
    return [ship and (int(ship[1]), int(ship[2]), ship[3], *map(int, ship[4])) for ship in found]


class Hover(Play):
    """A game from a position. Everybody's energy check shows a 1, which is two actions for a ship
    of the text, unless *energy* gives the faces of the first dice.
    """

    #: As it was before the last turn, with its dice.
    began: np.ndarray

    def __init__(
        self,
        zion: Sequence[Place | None],
        machines: Sequence[Place | None],
        walls: Sequence[tuple[int, int]] = (),
        size: tuple[int, int] = (9, 8),
        energy: Sequence[int] | None = None,
        **options: Any,
    ) -> None:
        ships = [*zion, *machines]
        columns, rows = size
        board = [
            "".join("#" if (column, row) in walls else "." for column in range(columns))
            for row in range(rows)
        ]
        table = {"starting": "zion", "ships": ships}
        options = {"ships": (len(zion), len(machines)), "scenario": board, **options}
        super().__init__("hovercrafts", table, **options)
        self.check_energy(energy)
        assert self.trouble() == ""

    def check_energy(self, faces: Sequence[int] | None = None) -> None:
        """The turn's energy checks once more: with these dice, or a 1 for each ship."""
        coming = iter([1] * len(self.ships) if faces is None else faces)
        Interpreter({ships_.die: lambda state: next(coming)}).function(begin_turn)(self.state)
        assert faces is None or not list(coming), "not all dice were used"

    def prescribe(self, faces: Sequence[int]) -> None:
        """The next dice: these, or others of the same halves."""
        self.state["dice"] = stream_with(self.state["dice"], faces)

    def turn(
        self, *plans: str, dice: Sequence[int] = (), energy: Sequence[int] | None = None
    ) -> Hover:
        """A whole turn, in which exactly these dice must be used; one plan for each seat.

        *energy*: the dice of the next turn's energy checks, if not a 1 for each ship.
        """
        self.prescribe(dice)
        self.began = self.record.copy()
        stream = int(self.state["dice"])
        self.plan(*plans)
        passed = (int(self.state["dice"]) - stream) % 2**64
        used = passed * pow(int(engine_dice.STEP), -1, 2**64) % 2**64
        checks = 0 if self.over else sum(ship is not None for ship in self.ships)
        assert used - checks == len(dice), f"{used - checks} dice were used of {len(dice)}"
        if checks:
            self.check_energy(energy)
        assert self.trouble() == ""
        return self

    def plan(self, *plans: str) -> float | tuple[float, ...]:
        """Everybody's plan of this turn, which is carried out; the reward of the last decision."""
        turn = int(self.state["turns"])
        words = [plan.split() for plan in plans]
        reward: float | tuple[float, ...] = 0.0
        while not self.over and self.state["turns"] == turn:
            seat, slot = self.mover, int(self.state["slot"])
            word = words[seat][slot] if slot < len(words[seat]) else "no action"
            reward = self.act(ACTIONS.index(word))
        return reward

    def plan_next(self, *words: str) -> None:
        """The actions of one slot, for each seat that decides."""
        for word in words:
            self.act(ACTIONS.index(word))

    def ship(self, seat: int) -> Place | None:
        """(column, row, facing, hull left), or None for a ship that is out of the game."""
        return ship_of(self.state, seat)

    @property
    def ships(self) -> list[Place | None]:
        return [self.ship(seat) for seat in range(self.variant.seats)]

    @property
    def hulls(self) -> list[int]:
        hulls: list[int] = self.state["hull_left"][: self.variant.seats].tolist()
        return hulls

    @property
    def rewards(self) -> list[float]:
        return [round(value, 6) for value in self.reward[: self.variant.seats]]

    def pairs(self, name: str) -> Pairs:
        """`shot` or `hit` of the last phase, as (attacker, target)."""
        return {
            (seat, other)
            for seat in range(self.variant.seats)
            for other in range(self.variant.seats)
            if int(self.state[name][seat]) >> other & 1
        }


@dataclass
class Scene:
    """A turn: where the ships are, and what comes of it. No other dice must be used.

    Machines stand behind a `|`; without it there is one far away. Who has no plan lands; where
    there are no plans, Zion's ships move.
    """

    before: str
    after: str = ""
    dice: Sequence[int] = ()
    plans: str = ""  # as in "move left, EMP"
    rammed: list[int] | None = None
    landed: list[int] | None = None  # in the last phase
    shot: Pairs | None = None
    hit: Pairs | None = None
    reason: str | None = None  # empty: it goes on
    rewards: list[float] | None = None
    walls: Sequence[tuple[int, int]] = ()
    size: tuple[int, int] = (9, 8)
    energy: Sequence[int] | None = None
    stats: list[Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def play(self) -> Hover:
        zion, machines = map(fleet, f"{self.before} | 8,7N".split("|")[:2])
        ships = len(zion) + len(machines)
        plans = self.plans.split(",") if self.plans else ["move"] * len(zion)
        game = Hover(
            *(zion, machines, self.walls, self.size, self.energy), stats=self.stats, **self.options
        )
        game.turn(*plans, *["landing"] * (ships - len(plans)), dice=self.dice)
        wanted = [place and (*place, 3)[:4] for place in fleet(self.after.replace("|", ""))]
        assert game.ships[: len(wanted)] == wanted
        for name in ("rammed", "landed"):
            values = getattr(self, name)
            assert values in (None, game.state[name][: len(wanted)].tolist()), name
        for name in ("shot", "hit"):
            assert getattr(self, name) in (None, game.pairs(name)), name
        assert self.reason in (None, game.reason)
        assert self.rewards in (None, game.rewards)
        assert (game.mover is None) == game.terminated == (game.reason != "")
        assert not game.truncated
        return game


def ship_of(state: np.void, seat: int) -> Place | None:
    cell = int(state["cell"][seat])
    if cell == NONE:
        return None
    row, column = divmod(cell, STRIDE)
    facing, hull = int(state["facing"][seat]), int(state["hull_left"][seat])
    return (column - MARGIN, row - MARGIN, FACINGS[facing], hull)


def board(state: np.void) -> list[str]:
    """The map as strings."""
    terrain = np.reshape(state["terrain"], (-1, STRIDE))
    rows = terrain[MARGIN:, MARGIN:].tolist()
    height, width = int(state["height"]), int(state["width"])
    return ["".join(".#"[cell] for cell in row[:width]) for row in rows[:height]]
