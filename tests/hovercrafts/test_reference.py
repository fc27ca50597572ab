"""The engine and the slow second version of Hovercrafts, side by side: phases.

Random crowded ones with prescribed dice; whole games are in ``test_wars.py``.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from cyberdeck.engine.kernels import int64, kernel
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import ships as ships_
from cyberdeck.games.hovercrafts.constants import NONE, SHIPS
from cyberdeck.games.hovercrafts.game import GAME
from cyberdeck.games.hovercrafts.phase import carry_out_phase
from cyberdeck.games.hovercrafts.table import cell_of
from tests.reference.hovercrafts import (
    Battle,
    Faces,
    Hex,
    OutOfDiceError,
    Ship,
    ahead,
    cube,
    distance,
)

#: Action numbers by word.
NUMBER = {None if word == "no action" else word: at for at, word in enumerate(c.ACTIONS)}
TEAMS = c.TEAMS

#: How many dice a case prescribes, in a record that has two fields for them.
SCRIPT = 96
SCRIPTED = np.dtype(
    [
        ("script", np.int8, (SCRIPT,)),
        ("scripted", np.int16),  # how many are left, at the end of the script
        *((name, GAME.dtype[name]) for name in GAME.dtype.names or ()),
    ]
)

#: The engine's cells.
CELL = {
    cube(column, row): cell_of(column, row)
    for column in range(c.WIDEST)
    for row in range(c.HIGHEST)
}

# --- random phases --------------------------------------------------------------------------------


@dataclass
class Case:
    """The beginning of a phase."""

    walls: dict[Hex, bool]
    ships: list[Ship]
    actions: dict[int, str | None]
    jammed: set[int]
    faces: list[int]
    slot: int = 0  # the phase's number in its turn


def random_map(luck: random.Random) -> dict[Hex, bool]:
    """A small one, of which two hexes or more are free."""
    while True:
        width, height = luck.randint(2, 7), luck.randint(1, 6)
        density = luck.choice([0.0, 0.0, 0.1, 0.25, 0.4])
        walls = {
            cube(column, row): luck.random() < density
            for column in range(width)
            for row in range(height)
        }
        if list(walls.values()).count(False) >= 2:
            return walls


def towards_ships(place: Hex, places: list[Hex], heart: Hex) -> list[int]:
    return [way for way in range(6) if ahead(place, way) in places]


def towards_heart(place: Hex, places: list[Hex], heart: Hex) -> list[int]:
    return [way for way in range(6) if ahead(place, way) == heart]


def around_heart(place: Hex, places: list[Hex], heart: Hex) -> list[int]:
    """Clockwise."""
    return [(way + 2) % 6 for way in range(6) if ahead(heart, way) == place]


def random_case(luck: random.Random, walls: dict[Hex, bool], faces: list[int]) -> Case:
    """Ships that stand close, mostly look at each other or at the same hex, and mostly move."""
    free = [place for place, wall in walls.items() if not wall]
    count = luck.randint(2, min(10, len(free)))
    places = luck.sample(free, count)
    heart = luck.choice(free)
    if luck.random() < 0.7:  # huddled around one of them
        free.sort(key=lambda place: distance(place, heart))
        places = luck.sample(free[: count + luck.choice([0, 0, count // 2])], count)
    zion = luck.randint(max(1, count - 9), min(9, count - 1))
    eagerness = luck.choice([0.4, 0.7, 0.9, 1.0])
    attraction = luck.choice([0.2, 0.6, 1.0])
    tempted = luck.choice([towards_ships, towards_heart, around_heart, around_heart])
    weak = luck.random() < 0.5
    few: list[str | None] = ["EMP", "landing", "right", "left", None]
    others = luck.choice([list(NUMBER), few, few[:1]])
    ships: list[Ship] = []
    actions: dict[int, str | None] = {}
    jammed: set[int] = set()
    jamming = luck.choice([0.0, 0.0, 0.3])
    for seat, place in enumerate(places):
        facing = luck.randrange(6)
        ways = [way for way in range(6) if ahead(place, way) in walls]
        if luck.random() < attraction:
            ways = tempted(place, places, heart) or ways
        if luck.random() < 0.9:
            facing = luck.choice(ways or [facing])
        hull = luck.randint(1, 3) if weak else luck.randint(1, 9)
        alive = count == 2 or luck.random() > 0.04
        left = luck.randint(1, hull)
        stats = [luck.choice([0, 1, 1, 1, 2, 3, 6]) for _ in range(3)]
        team = TEAMS[seat >= zion]
        ships.append(
            Ship(team, place if alive else None, facing, left if alive else 0, hull, *stats)
        )
        actions[seat] = "move" if luck.random() < eagerness else luck.choice(others)
        if luck.random() < jamming and alive:
            jammed.add(seat)
    return Case(walls, ships, actions, jammed, faces, luck.randrange(c.SLOTS))


def expected(case: Case) -> tuple[tuple[Any, ...], Counter[str]]:
    """What the slow version makes of a phase, as the engine would write it down."""
    faces = Faces(case.faces)
    ships = [replace(ship) for ship in case.ships]
    battle = Battle(case.walls, ships, faces)
    battle.jammed = set(case.jammed)
    battle.phase(case.actions)
    seats = range(len(ships))
    shot, hit = [0] * len(ships), [0] * len(ships)
    for pairs, bits in ((battle.shots, shot), (battle.hits, hit)):
        for attacker, target in pairs:
            bits[attacker] += 2**target
    return (
        [NONE if ship.place is None else CELL[ship.place] for ship in ships],
        [ship.facing for ship in ships],
        [ship.left for ship in ships],
        [NUMBER[battle.doing.get(seat)] for seat in seats],
        [seat in battle.landed for seat in seats],
        [seat in battle.jammed for seat in seats],
        [battle.rammed.get(seat, NONE) for seat in seats],
        shot,
        hit,
        [battle.lost[team] for team in TEAMS],
        SCRIPT - faces.used,
    ), battle.events


FIELDS = (
    *("cell", "facing", "hull_left", "done", "landed", "jammed"),
    *("rammed", "shot", "hit", "lost", "scripted"),
)


@kernel
def carry_out_all(states: Any) -> None:
    for at in range(len(states)):
        carry_out_phase(states[at])


@kernel
def scripted_die(state: Any) -> int:
    state.scripted -= 1
    return int64(state.script[SCRIPT - 1 - state.scripted]) if state.scripted >= 0 else 1


def write(cases: list[Case], noise: np.random.Generator) -> np.ndarray:
    """The engine's records of the cases; what a phase may not look at is noise."""
    records = np.zeros(len(cases), SCRIPTED)
    records["revealed"] = noise.integers(0, 7, records["revealed"].shape)
    records["terrain"] = c.OFF_MAP
    records["cell"] = NONE
    records["script"] = [case.faces for case in cases]
    records["scripted"] = SCRIPT
    actions = np.zeros((len(cases), SHIPS), np.int8)
    for at, case in enumerate(cases):
        row, ships = records[at], case.ships
        seats = slice(len(ships))
        row["cell"][seats] = [NONE if ship.place is None else CELL[ship.place] for ship in ships]
        row["hull_left"][seats] = [ship.left for ship in ships]
        for name in ("facing", "hull", "shield", "ballistic", "energy"):
            row[name][seats] = [getattr(ship, name) for ship in ships]
        row["jammed"][list(case.jammed)] = 1
        row["terrain"][[CELL[place] for place in case.walls]] = [
            c.WALL if wall else c.FREE for wall in case.walls.values()
        ]
        row["passed"], row["seats"] = case.slot, len(ships)
        row["zion"] = sum(ship.team == "zion" for ship in ships)
        actions[at] = [NUMBER[case.actions.get(seat)] for seat in range(SHIPS)]
    never = noise.random(actions.shape) < 0.5  # a plan that ends, or was never this long
    actions[(actions == c.NO_ACTION) & never] = NONE
    records["revealed"][np.arange(len(cases)), :, records["passed"]] = actions
    return records


def compare(phases: int, seed: int) -> Counter[str]:
    """Carry out so many random phases on both sides; what happened."""
    luck, noise = random.Random(seed), np.random.default_rng(seed)
    cases: list[Case] = []
    for at, faces in enumerate(noise.integers(1, 7, (phases, SCRIPT)).tolist()):
        if at % 20 == 0:
            walls = random_map(luck)
        cases.append(random_case(luck, walls, faces))
    records = write(cases, noise)
    before = records.copy()
    with patch.object(ships_, "die", scripted_die):
        carry_out_all(records)
    for name in ("terrain", "hull", "shield", "ballistic", "energy", "script", "revealed", "turns"):
        assert (records[name] == before[name]).all()
    for name in ("place", "roll", "behind", "advancing", "reward", "terminated"):
        assert not records[name].any()
    assert (records["passed"] == before["passed"] + 1).all()
    got = [records[name].tolist() for name in FIELDS]
    events: Counter[str] = Counter()
    for case, *found in zip(cases, *got, strict=True):
        try:
            wanted, happened = expected(case)
        except OutOfDiceError:
            continue
        for name, one, other in zip(FIELDS, wanted, found, strict=True):
            many = isinstance(other, list) and name != "lost"
            assert one == (other[: len(case.ships)] if many else other), (name, case)
        events += happened
        events["compared"] += 1
    return events


@pytest.mark.slow
def test_random_phases_agree() -> None:
    """Positions, facings, hulls, who landed, was jammed, rammed, shot and hit whom, hull lost,
    and how many dice were used.
    """
    events: Counter[str] = Counter()
    seeds = range(6)
    for seed in seeds:
        events += compare(4000, seed)
    assert events.pop("compared") > 3920 * len(seeds), "too few dice are prescribed"
    assert len(events) == 38, "so many kinds of things can happen in a phase"
    assert min(events.values()) >= 4 * len(seeds), events
