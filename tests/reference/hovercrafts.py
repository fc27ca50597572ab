"""Hovercrafts in plain Python: dictionaries, sets and words, no tables, no speed.

Written from the rules text without looking at the engine. A hex is (x, y, z) in cube coordinates,
x + y + z = 0; a facing is 0 to 5, clockwise from north; an action is its word, None for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Hex = tuple[int, int, int]
Roll = Callable[[], int]

#: The neighbours of a flat-topped hex: north, north-east, south-east, south, and so on.
AROUND: list[Hex] = [(0, 1, -1), (1, 0, -1), (1, -1, 0), (0, -1, 1), (-1, 0, 1), (-1, 1, 0)]

GROUNDED = ("landing", "EMP", "repair")
MOST_TIES = 64


def cube(column: int, row: int) -> Hex:
    """Columns run straight down; the odd ones lie half a hex lower."""
    z = row - column // 2
    return (column, -column - z, z)


def offset(place: Hex) -> tuple[int, int]:
    """(column, row)."""
    return (place[0], place[2] + place[0] // 2)


def ahead(place: Hex, facing: int) -> Hex:
    x, y, z = AROUND[facing % 6]
    return (place[0] + x, place[1] + y, place[2] + z)


def distance(one: Hex, other: Hex) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def row_major(place: Hex) -> tuple[int, int]:
    column, row = offset(place)
    return (row, column)


class OutOfDiceError(Exception):
    """More dice were needed than were given."""


class Faces:
    """Dice from a list, one after the other."""

    def __init__(self, faces: Sequence[int]) -> None:
        self.faces = faces
        self.used = 0

    def __call__(self) -> int:
        if self.used == len(self.faces):
            raise OutOfDiceError
        self.used += 1
        return self.faces[self.used - 1]


@dataclass
class Ship:
    team: str
    place: Hex | None
    facing: int
    left: int
    hull: int = 3
    shield: int = 1
    ballistic: int = 1
    energy: int = 1


@dataclass
class Deed:
    """What everybody saw a ship do in a phase."""

    action: str | None
    hit_by_emp: bool
    rammed: int | None = None
    hits: tuple[int, ...] = ()


class Battle:
    """The ships on a map; `walls` says of each of its hexes whether it is one.

    Ships of the team `escaping`, if there is one, are saved where they leave column 0 westward.
    """

    def __init__(
        self,
        walls: Mapping[Hex, bool],
        ships: list[Ship],
        roll: Roll,
        escaping: str | None = None,
    ) -> None:
        self.walls = walls
        self.ships = ships
        self.roll = roll
        self.escaping = escaping
        self.escaped: set[int] = set()
        self.deeds: list[dict[int, Deed]] = []  # of this turn, phase by phase
        self.jammed: set[int] = set()
        self.lost = {"zion": 0, "machines": 0}  # hull, in this turn
        self.phases = 0  # of this turn
        # What happened, of each kind, for those who want to know how often.
        self.events: Counter[str] = Counter()
        # Of the last phase.
        self.doing: dict[int, str | None] = {}
        self.landed: set[int] = set()
        self.rammed: dict[int, int] = {}
        self.shots: set[tuple[int, int]] = set()
        self.hits: set[tuple[int, int]] = set()

    # --- small questions ---

    def alive(self) -> list[int]:
        return [seat for seat, ship in enumerate(self.ships) if ship.place is not None]

    def occupant(self, place: Hex) -> int | None:
        for seat, ship in enumerate(self.ships):
            if ship.place == place:
                return seat
        return None

    def check(self, stat: int) -> int:
        return {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3}[self.roll()] + stat

    def lose(self, seat: int, hulls: int) -> None:
        ship = self.ships[seat]
        hulls = min(hulls, ship.left)
        ship.left -= hulls
        self.lost[ship.team] += hulls
        if ship.left == 0:
            ship.place = None

    def teams_left(self) -> set[str]:
        return {self.ships[seat].team for seat in self.alive()}

    # --- a turn ---

    def energy_checks(self) -> dict[int, int]:
        """How many actions each living ship has."""
        return {seat: self.check(self.ships[seat].energy) for seat in self.alive()}

    def turn(self, plans: Mapping[int, Sequence[str]]) -> None:
        """All phases of a turn; the plans do not hold a `no action`."""
        self.phases = 0
        self.lost = {"zion": 0, "machines": 0}
        self.jammed = set()
        self.deeds = []
        while True:
            actions = {
                seat: plans[seat][self.phases]
                for seat in self.alive()
                if self.phases < len(plans[seat])
            }
            if not actions:
                break
            self.phase(actions)
        self.jammed = set()

    # --- a phase ---

    def phase(self, actions: Mapping[int, str | None]) -> None:
        self.phases += 1
        self.rammed, self.shots, self.hits = {}, set(), set()
        # 1. Whom an EMP has hit in the phase before lands instead.
        self.doing = {}
        for seat in self.alive():
            action = actions.get(seat)
            if seat in self.jammed:
                self.events["jammed action" if action else "jammed without action"] += 1
                action = "landing" if action else None
            self.doing[seat] = action
        self.jammed = set()
        # 2. Turns, landings, repairs.
        self.landed = {seat for seat, action in self.doing.items() if action in GROUNDED}
        for seat, action in self.doing.items():
            ship = self.ships[seat]
            if action == "right":
                ship.facing = (ship.facing + 1) % 6
            elif action == "left":
                ship.facing = (ship.facing - 1) % 6
            elif action == "repair" and ship.left < ship.hull:
                self.events["repaired"] += 1
                ship.left += 1
        # 3. to 6.
        self._moves()
        self._emps()
        self._shooting()
        self.deeds.append(
            {
                seat: Deed(
                    action,
                    seat in self.jammed,
                    self.rammed.get(seat),
                    tuple(sorted(target for one, target in self.hits if one == seat)),
                )
                for seat, action in self.doing.items()
            }
        )

    def _moves(self) -> None:
        # a. Off the map and into walls.
        aims: dict[int, Hex] = {}
        for seat, action in self.doing.items():
            ship = self.ships[seat]
            if action != "move" or ship.place is None:
                continue
            target = ahead(ship.place, ship.facing)
            west = offset(ship.place)[0] == 0 and ship.facing in (4, 5)
            if west and ship.team == self.escaping:
                self.events["escaped"] += 1
                self.escaped.add(seat)
                ship.place = None
            elif target not in self.walls:
                self.events["left the map"] += 1
                self.lose(seat, ship.left)
            elif self.walls[target]:
                self.events["into a wall"] += 1
                self.lose(seat, 1)
                self.events["destroyed by a wall"] += ship.left == 0
            else:
                aims[seat] = target
        # b. An order for each hex that is aimed at.
        orders = {
            target: self._contest(target, [seat for seat in aims if aims[seat] == target])
            for target in sorted(set(aims.values()), key=row_major)
        }
        # c. Claimants that wait for nobody.
        unsettled = {order[0] for order in orders.values()}
        ahead_of = {seat: self.occupant(aims[seat]) for seat in unsettled}
        self.events["claimant behind a claimant"] += sum(
            other in unsettled for other in ahead_of.values()
        )
        while True:
            ready = [
                seat for seat in sorted(unsettled) if self.occupant(aims[seat]) not in unsettled
            ]
            if not ready:
                break
            unsettled.remove(ready[0])
            self._enter(ready[0], aims[ready[0]])
        # d. Rings.
        while unsettled:
            ring = [min(unsettled)]
            while (following := self.occupant(aims[ring[-1]])) != ring[0]:
                assert following is not None
                ring.append(following)
            unsettled -= set(ring)
            if len(ring) == 2:
                self.events["ring of two"] += 1
                self._ram(ring[0], ring[1])
                for seat in ring:
                    if self.ships[seat].left > 0 and self.occupant(aims[seat]) is None:
                        self.events["moved in after a head-on ramming"] += 1
                        self.ships[seat].place = aims[seat]
            else:
                self.events["longer ring"] += 1
                self.events["ring of more than three"] += len(ring) > 3
                for seat in ring:
                    self.ships[seat].place = aims[seat]
        # e. Those who came second in a contest, and later.
        for target, order in orders.items():
            for seat in order[1:]:
                if self.ships[seat].place is None:
                    self.events["trailer destroyed before its turn"] += 1
                else:
                    free = self.occupant(target) is None
                    self.events["trailer moves in" if free else "trailer rams"] += 1
                    self._enter(seat, target)

    def _contest(self, target: Hex, rivals: list[int]) -> list[int]:
        """The rivals in their order: as they have rolled, the tied as they have rolled again."""
        if len(rivals) > 1:
            self.events[f"contest of {min(len(rivals), 4)}"] += 1
            self.events["contested and occupied"] += self.occupant(target) is not None
        rolled: dict[int, list[int]] = {seat: [] for seat in rivals}
        for time in range(MOST_TIES):
            tied = [seat for seat in rivals if list(rolled.values()).count(rolled[seat]) > 1]
            if not tied:
                break
            self.events["contest rolled again"] += time > 0
            for seat in tied:
                rolled[seat] = [*rolled[seat], self.check(self.ships[seat].energy)]
        return sorted(rivals, key=lambda seat: ([-result for result in rolled[seat]], seat))

    def _enter(self, seat: int, target: Hex) -> None:
        there = self.occupant(target)
        if there is not None:
            self._ram(seat, there)
            self.events["rammer goes on"] += (
                self.ships[there].left == 0 and self.ships[seat].left > 0
            )
        if self.ships[seat].left > 0 and self.occupant(target) is None:
            self.ships[seat].place = target

    def _ram(self, rammer: int, other: int) -> None:
        if other in self.rammed.values():
            self.events["rammed twice"] += 1
        self.rammed[rammer] = other
        first, second = self.ships[rammer], self.ships[other]
        self.events["rammed a friend" if first.team == second.team else "rammed an enemy"] += 1
        one, two = self.check(first.left), self.check(second.left)
        self.events["tie of a ramming"] += one == two
        if one <= two:
            self.lose(rammer, 1)
        if two <= one:
            self.lose(other, 1)
        self.events["both destroyed in a ramming"] += first.left == second.left == 0
        self.events["destroyed by a ramming"] += (first.left == 0) + (second.left == 0)

    def _emps(self) -> None:
        for user, action in self.doing.items():
            here = self.ships[user].place
            if action != "EMP":
                continue
            if here is None:
                self.events["destroyed before its EMP"] += 1
                continue
            strength = self.check(self.ships[user].energy)
            for target in self.alive():
                place = self.ships[target].place
                assert place is not None
                if distance(here, place) != 1:
                    continue
                if target in self.landed:
                    self.events["landed beside an EMP"] += 1
                    continue
                resistance = self.check(self.ships[target].energy)
                if resistance <= strength:
                    friend = self.ships[target].team == self.ships[user].team
                    self.events["EMP hits a friend" if friend else "EMP hits an enemy"] += 1
                    self.events["hit by two EMPs"] += target in self.jammed
                    self.jammed.add(target)

    def _shooting(self) -> None:
        for attacker in self.alive():
            ship = self.ships[attacker]
            assert ship.place is not None
            front = {ahead(ship.place, ship.facing + turn) for turn in (5, 0, 1)}
            for target in self.alive():
                other = self.ships[target]
                if other.place not in front or other.team == ship.team:
                    continue
                if attacker in self.landed:
                    self.events["landed before an enemy"] += 1
                    continue
                self.shots.add((attacker, target))
                if self._hits(attacker, target):
                    self.hits.add((attacker, target))
        self.events["shot and shot at"] += sum((two, one) in self.shots for one, two in self.shots)
        for target in range(len(self.ships)):
            hits = sum(hit[1] == target for hit in self.hits)
            self.events["hit"] += hits > 0
            self.events["hit twice or more"] += hits > 1
            self.lose(target, hits)
            if hits and self.ships[target].left == 0:
                self.events["shot out of the game"] += 1
                self.events["destroyed while it hit"] += any(hit[0] == target for hit in self.hits)

    def _hits(self, attacker: int, target: int) -> bool:
        for _ in range(MOST_TIES):
            attack = self.check(self.ships[attacker].ballistic)
            defence = self.check(self.ships[target].shield)
            if attack != defence:
                return attack > defence
            self.events["shot rolled again"] += 1
        return False
