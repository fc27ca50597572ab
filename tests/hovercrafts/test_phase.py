"""Turns of Hovercrafts with prescribed dice, mostly scenes that ``scenes.toml`` tells; and one
phase, rule by rule.
"""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.hovercrafts.facade import Hover, Scene

SCENES = tomllib.loads((Path(__file__).parent / "scenes.toml").read_text("utf-8"))
CASES = {f"{group}: {name}": scene for group in SCENES for name, scene in SCENES[group].items()}


@pytest.mark.parametrize("scene", CASES.values(), ids=CASES)
def test_what_comes_of_a_turn(scene: dict[str, Any]) -> None:
    pairs = {name: set(map(tuple, scene[name])) for name in ("shot", "hit") if name in scene}
    walls = {"walls": list(map(tuple, scene.get("walls", ())))}
    Scene(**scene | pairs | walls).play()


# --- moves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize(
    ("before", "after"),
    [("4,3N 4,4N 4,5N", "4,2N 4,3N 4,4N"), ("4,4SE 5,4N 5,3SW", "5,4SE 5,3N 4,4SW")],
    ids=["V5 c: each waits until the one before it has left", "V5 d: a cycle of three advances"],
)
def test_ships_that_follow_each_other_advance(
    before: str, after: str, order: tuple[int, ...]
) -> None:
    """Whatever their seats, and no dice."""
    Scene(*(" ".join(each.split()[at] for at in order) for each in (before, after))).play()


@pytest.mark.parametrize(
    ("ship", "after"),
    [
        *[(out, "-") for out in ("4,0N", "3,0N", "8,3NE", "8,3SE", "4,0NE", "4,0NW", "4,7S")],
        *[(out, "-") for out in ("3,7SE", "3,7S", "3,7SW", "0,4SW", "0,4NW", "0,0NW", "0,7S")],
        *(("3,0NE", "4,0NE"), ("3,0NW", "2,0NW"), ("4,7SE", "5,7SE")),
        *(("4,7SW", "3,7SW"), ("0,4NE", "1,3NE"), ("7,4SE", "8,5SE")),
    ],
)
def test_a_ship_that_moves_out_of_the_map_is_out_and_along_an_edge_it_stays(
    ship: str, after: str
) -> None:
    """Even columns touch the top edge on three sides, odd columns the bottom edge."""
    game = Scene(f"{ship} 4,4N", f"{after} 4,4N", plans="move").play()
    assert game.hulls[0] == (0 if after == "-" else 3)


# --- EMP ------------------------------------------------------------------------------------------


def test_an_emp_does_not_carry_on_into_the_next_turn() -> None:
    """In the last phase of a turn it has no effect: seat 1 moves in the next turn's first."""
    game = Scene("4,5N 4,4N", "4,5N 4,4NW", [5, 1], "EMP, left").play()
    assert game.turn("landing", "right", "landing").ship(1) == (4, 4, "N", 3)


# --- shooting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("facing", range(6))
@pytest.mark.parametrize("place", [(4, 4), (3, 3)])
def test_a_ship_sees_its_three_front_hexes_only_which_turn_with_it(
    place: tuple[int, int], facing: int
) -> None:
    """Straight ahead and the two next to it, for every facing, from even and odd columns.

    The ship turns right and left again, next to an enemy that has landed; no shot (1 -> 2 against
    3 -> 3) hits. Turned right it sees the hexes from its facing on, to two further clockwise.
    """
    even = [(0, -1), (1, -1), (1, 0), (0, 1), (-1, 0), (-1, -1)]
    odd = [(0, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)]
    steps = odd if place[0] % 2 else even
    for way, (right, down) in enumerate(steps):
        game = Hover([(*place, facing)], [(place[0] + right, place[1] + down, facing)])
        seen = (way - facing) % 6 in (5, 0, 1)
        seen_before = (way - facing) % 6 in (0, 1, 2)
        dice = [1, 3] * seen_before + [1, 3] * seen
        game.turn("right left", "landing landing", dice=dice)
        assert game.pairs("shot") == ({(0, 1)} if seen else set())
