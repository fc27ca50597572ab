"""Hovercrafts in plain Python, continued: goals of a scenario, deployment, the campaign.

Written from the rules text without looking at the engine. A war is a generator: it yields who is to
decide and what that seat may choose, in words, and is sent the choice. What chance decides other
than by a ship's die, it takes from `Chance` and holds against the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from tests.reference.hovercrafts import Battle, Hex, Roll, Ship, ahead, offset

#: A planned action (None: no action), a place and facing, a side, or a stat.
Word = str | tuple[int, int] | None
#: Who is to decide, and among what.
Ask = tuple[int, list[Word]]

PLANNED: list[Word] = ["move", "right", "left", "landing", "EMP", "repair", None]
TEAMS = ("zion", "machines")
LIMITS = {"hull": 9, "shield": 6, "ballistic": 6, "energy": 6}


def enemy(team: str) -> str:
    return "machines" if team == "zion" else "zion"


@dataclass
class Options:
    goal: str = "fleet"
    locations: int = 3
    points: int = 5
    escape_share: Fraction = Fraction(1, 2)
    pick_side: bool = False
    battles: int = 1
    choose: bool = True  # deployment
    emps: int = 1
    damage: bool = False
    max_turns: int = 50


class Chance(Protocol):
    """What the engine has drawn before a battle."""

    def map(self) -> tuple[dict[Hex, bool], list[Hex]]:
        """Of each hex whether it is a wall; and the locations, as they were drawn."""

    def starting(self) -> str:
        """The team that was drawn."""

    def place(self, seat: int) -> tuple[Hex, int]:
        """Where a ship was put with random deployment, and how it faces."""

    def dice(self, ships: int) -> Roll:
        """The dice from a battle's first energy checks on, of so many ships."""


@dataclass
class Result:
    """How a battle ended: the winning team, or None for a draw."""

    winner: str | None
    reason: str
    truncated: bool = False


@dataclass
class War:
    """One battle, or several between the same fleets."""

    options: Options
    ships: list[Ship]
    chance: Chance
    drawn_map: bool = False
    marked_map: bool = False  # a given one that says where the locations are
    won: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TEAMS, 0))
    fought: int = 0
    raised: Counter[tuple[int, str]] = field(default_factory=Counter)
    second: set[int] = field(default_factory=set)  # who may raise twice
    chosen: dict[int, list[str]] = field(default_factory=dict)  # upgrades not yet made
    # Of the battle.
    stage: str = ""
    attacking: str = ""  # the team on the rightmost column
    marks: list[Hex] = field(default_factory=list)
    points: dict[str, int] = field(default_factory=dict)
    turns: int = 0
    battle: Battle | None = None
    last: Result | None = None  # how the last battle ended
    # Since it was last asked.
    reward: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TEAMS, 0.0))
    result: Result | None = None  # of the whole
    rolled: dict[int, int] = field(default_factory=dict)
    plans: dict[int, list[str | None]] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)

    def members(self, team: str) -> list[int]:
        return [seat for seat, ship in enumerate(self.ships) if ship.team == team]

    # --- the campaign ---

    def play(self) -> Generator[Ask, Word]:
        while self.result is None:
            if self.fought > 0:
                for ship in self.ships:
                    ship.left, ship.place = ship.hull, None
                yield from self._upgrades()
            walls, self.marks = self.chance.map()
            self._check_map(walls)
            yield from self._sides()
            for ship in self.ships:
                ship.left, ship.place = ship.hull, None
            yield from self._deployment(walls)
            result = yield from self._fight(walls)
            self.last = result
            self.fought += 1
            self.events[result.reason] += 1
            if self.options.battles == 1:
                self._pay(result)
                self.result = result
            else:
                self._count(result)

    def _count(self, result: Result) -> None:
        """A battle of several is over."""
        self.second = set()
        if result.winner is not None:
            self.won[result.winner] += 1
            assert self.battle is not None
            saved = {*self.battle.alive(), *self.battle.escaped}
            self.second = {seat for seat in self.members(result.winner) if seat in saved}
        lead = abs(self.won["zion"] - self.won["machines"])
        remaining = self.options.battles - self.fought
        if lead > remaining or remaining == 0:
            zion, machines = self.won["zion"], self.won["machines"]
            if zion == machines:
                self.result = Result(None, "war_drawn")
            else:
                self.result = Result("zion" if zion > machines else "machines", "war_won")
            self._pay(self.result)
            self.events[self.result.reason] += 1
            self.events[f"war of {self.fought}"] += 1

    def _pay(self, result: Result) -> None:
        if result.winner is not None:
            self.reward[result.winner] += 1.0
            self.reward[enemy(result.winner)] -= 1.0

    def _upgrades(self) -> Generator[Ask, Word]:
        """First points in seat order, then second points; made when all have chosen."""
        self.stage = "upgrade"
        self.chosen = {seat: [] for seat in range(len(self.ships))}
        for point in (1, 2):
            for seat in range(len(self.ships)):
                if point == 2 and seat not in self.second:
                    continue
                raisable = self.raisable(seat)
                if not raisable:
                    self.events["nothing left to raise"] += 1
                    continue
                choice = yield seat, [*raisable]
                assert isinstance(choice, str)
                self.chosen[seat].append(choice)
                self.events["second point"] += point == 2
        for seat, choices in self.chosen.items():
            ship = self.ships[seat]
            for stat in choices:
                setattr(ship, stat, getattr(ship, stat) + 1)
                self.raised[seat, stat] += 1
            ship.left = ship.hull
        self.chosen = {}
        self.second = set()

    def raisable(self, seat: int) -> list[str]:
        """The stats that are not at their limit, what the seat has chosen already counted."""
        ship = self.ships[seat]
        return [
            stat
            for stat, limit in LIMITS.items()
            if getattr(ship, stat) + self.chosen[seat].count(stat) < limit
        ]

    # --- before a battle ---

    def _sides(self) -> Generator[Ask, Word]:
        drawn = self.chance.starting()
        self.attacking = drawn
        if self.options.pick_side:
            self.stage = "pick"
            side = yield self.members(drawn)[0], ["right", "left"]
            self.attacking = drawn if side == "right" else enemy(drawn)

    def _deployment(self, walls: Mapping[Hex, bool]) -> Generator[Ask, Word]:
        self.stage = "deploy"
        width = 1 + max(offset(place)[0] for place in walls)
        for team in (self.attacking, enemy(self.attacking)):
            right = team == self.attacking
            for seat in self.members(team):
                free = {
                    offset(place)[1]: place
                    for place, wall in walls.items()
                    if offset(place)[0] == (width - 1 if right else 0)
                    and not wall
                    and all(ship.place != place for ship in self.ships)
                }
                ship = self.ships[seat]
                if self.options.choose:
                    choice = yield seat, [(row, way) for row in sorted(free) for way in range(6)]
                    assert isinstance(choice, tuple)
                    ship.place, ship.facing = free[choice[0]], choice[1]
                else:
                    ship.place, ship.facing = self.chance.place(seat)
                    assert ship.place in free.values()
                    assert ship.facing in ((4, 5) if right else (1, 2)), "SW or NW, NE or SE"

    def _check_map(self, walls: Mapping[Hex, bool]) -> None:
        """What the rules say of a map that is drawn, and of its locations."""
        width = 1 + max(offset(place)[0] for place in walls)
        first = {place for place in walls if offset(place)[0] == 0}
        final = {place for place in walls if offset(place)[0] == width - 1}
        from_left, from_right = reached(walls, first), reached(walls, final)
        if self.drawn_map:
            assert not any(walls[place] for place in first | final)
            assert first <= from_right
            assert final <= from_left
        if self.options.goal != "seize":
            assert not self.marks
            return
        if self.marked_map:
            return
        low, high = width // 3, width - 1 - width // 3
        open_to_both = {
            place for place in from_left & from_right if low <= offset(place)[0] <= high
        }
        assert len(set(self.marks)) == len(self.marks) == self.options.locations
        for at, mark in enumerate(self.marks):
            before = self.marks[:at]
            beside = {ahead(place, way) for place in before for way in range(6)}
            assert mark in open_to_both
            if mark in beside:
                self.events["locations side by side"] += 1
                assert open_to_both - set(before) <= beside, "others remained"

    # --- a battle ---

    def _fight(self, walls: Mapping[Hex, bool]) -> Generator[Ask, Word, Result]:
        roll = self.chance.dice(len(self.ships))
        escaping = self.attacking if self.options.goal == "breakthrough" else None
        battle = self.battle = Battle(walls, self.ships, roll, escaping)
        self.points = dict.fromkeys(TEAMS, 0)
        self.turns = 0
        while True:
            self.stage = "plan"
            self.rolled = battle.energy_checks()
            self.plans = {seat: [] for seat in self.rolled}
            for slot in range(max(self.rolled.values())):
                for seat, number in self.rolled.items():
                    if slot < number:
                        choice = yield seat, self._plannable(seat)
                        assert not isinstance(choice, tuple)
                        self.plans[seat].append(choice)
            battle.turn(
                {seat: [a for a in plan if a is not None] for seat, plan in self.plans.items()}
            )
            self.turns += 1
            if self.options.damage:
                zion = 0.1 * (battle.lost["machines"] - battle.lost["zion"])
                self.reward["zion"] += zion
                self.reward["machines"] -= zion
            result = self._end_of_turn(battle)
            if result is not None:
                self.events.update(battle.events)
                self.events["turns"] += self.turns
                return result

    def _plannable(self, seat: int) -> list[Word]:
        plan = self.plans[seat]
        if plan and plan[-1] is None:
            return [None]
        words = list(PLANNED)
        if plan.count("EMP") >= self.options.emps:
            words.remove("EMP")
        if not plan:
            words.remove(None)
        return words

    def _end_of_turn(self, battle: Battle) -> Result | None:
        # (1) Points; escapes are counted as they happen.
        if self.options.goal == "seize":
            for seat in battle.alive():
                if battle.ships[seat].place in self.marks:
                    self.points[battle.ships[seat].team] += 1
                    self.events["point"] += 1
        # (2) The goal.
        if self.options.goal == "flagship":
            flagships = {team: self.members(team)[0] for team in TEAMS}
            out = [team for team in TEAMS if flagships[team] not in battle.alive()]
            if len(out) == 2:
                return Result(None, "flagships_out")
            if out:
                return Result(enemy(out[0]), "flagship_out")
        if self.options.goal == "seize":
            zion, machines = self.points["zion"], self.points["machines"]
            if max(zion, machines) >= self.options.points:
                if zion == machines:
                    return Result(None, "points_equal")
                self.events["both have the points"] += min(zion, machines) >= self.options.points
                return Result("zion" if zion > machines else "machines", "points")
        if self.options.goal == "breakthrough":
            return self._break_through(battle)
        # (3) The fleet.
        left = battle.teams_left()
        if not left:
            return Result(None, "both_out")
        if len(left) == 1:
            return Result(left.pop(), "disabled_all")
        # (4) The limit.
        if self.turns == self.options.max_turns:
            return Result(None, "max_turns", truncated=True)
        return None

    def _break_through(self, battle: Battle) -> Result | None:
        attackers, defenders = self.attacking, enemy(self.attacking)
        fleet = self.members(attackers)
        needed = 0
        while needed < self.options.escape_share * len(fleet):
            needed += 1
        living = [seat for seat in fleet if seat in battle.alive()]
        if len(battle.escaped) >= needed:
            self.events["broke through, none remains"] += not living
            return Result(attackers, "escaped")
        if living and defenders not in battle.teams_left():
            return Result(attackers, "disabled_all")
        if len(living) + len(battle.escaped) < needed or self.turns == self.options.max_turns:
            self.events["held with attackers left"] += len(living) > 0
            return Result(defenders, "held")
        return None


def reached(walls: Mapping[Hex, bool], start: set[Hex]) -> set[Hex]:
    """The free hexes to which ways lead from free ones of *start*."""
    found = {place for place in start if not walls[place]}
    new = found
    while new:
        new = {
            ahead(place, way)
            for place in new
            for way in range(6)
            if walls.get(ahead(place, way)) is False
        } - found
        found = found | new
    return found
