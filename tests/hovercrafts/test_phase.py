"""One phase of Hovercrafts, rule by rule, with prescribed dice.

Every expected result is worked out by hand from the rules: half a die, rounded up, is 1 for 1 and
2, 2 for 3 and 4, 3 for 5 and 6. Ships have the text's stats (hull 3, all others 1) unless a test
says otherwise. Most scenes are played by ships of Zion alone, who ram each other just the same,
with one ship of the Machines that stays out of it.

The hexes around (4, 4), from north clockwise: (4, 3), (5, 3), (5, 4), (4, 5), (3, 4), (3, 3).
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.hovercrafts.facade import NE, NW, SE, SW, Hover, N, Place, S

FAR = (8, 7, N)

#: Around (4, 4), facing it.
NORTH, NORTHEAST, SOUTHEAST = (4, 3, S), (5, 3, SW), (5, 4, NW)
SOUTH, SOUTHWEST, NORTHWEST = (4, 5, N), (3, 4, NE), (3, 3, SE)


def scene(*zion: Place, plans: list[str] | None = None, dice: Any = (), **options: Any) -> Hover:
    """A turn in which Zion's ships do what is planned, by default all move, far from an enemy."""
    game = Hover(zion, [FAR], **options)
    return game.turn(*(plans or ["move"] * len(zion)), "landing", dice=dice)


def duel(zion: Place, machine: Place, *plans: str, dice: Any = (), **options: Any) -> Hover:
    return Hover([zion], [machine], **options).turn(*plans, dice=dice)


# --- following ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_ships_in_a_row_all_advance(order: tuple[int, ...]) -> None:
    """V5 c: each waits until the one before it has left; whatever their seats, and no dice."""
    column = [(4, 3, N), (4, 4, N), (4, 5, N)]
    game = scene(*(column[at] for at in order))
    assert game.ships[:3] == [(4, [2, 3, 4][at], N, 3) for at in order]


def test_a_chain_of_nine_follows_its_head_around_corners() -> None:
    """V5 c, again and again: a snake across the map; the first seat is its tail."""
    snake = [
        *[(0, 6, N), (0, 5, NE), (1, 4, NE), (2, 4, SE), (3, 4, S), (3, 5, SE)],
        *[(4, 6, NE), (5, 5, N), (5, 4, N)],
    ]
    game = Hover(snake, [(8, 0, S)], size=(9, 9)).turn(*["move"] * 9, "landing")
    heads = [(column, row) for column, row, _ in snake[1:]] + [(5, 3)]
    assert game.ships[:9] == [
        (*place, ship[2], 3) for place, ship in zip(heads, snake, strict=True)
    ]


def test_who_follows_a_ship_that_stays_rams_it() -> None:
    """V5 c: the head crashes into the wall and stays, so the next ones ram, from the front.

    Head (seat 0): wall, 3 -> 2. Seat 1 rams it: 5 -> 3+3 = 6 against 5 -> 3+2 = 5: 2 -> 1.
    Seat 2 rams seat 1: 1 -> 1+3 = 4 against 2 -> 1+3 = 4, a tie: both lose one.
    """
    game = scene((4, 1, N), (4, 2, N), (4, 3, N), walls=[(4, 0)], dice=[5, 5, 1, 2])
    assert game.ships[:3] == [(4, 1, N, 1), (4, 2, N, 2), (4, 3, N, 2)]
    assert game.state["rammed"][:4].tolist() == [-1, 0, 1, -1]


def test_the_lowest_seat_that_waits_for_nobody_comes_first() -> None:
    """V5 c: the same with the head in seat 2, and another pair with the tail in seat 0: seat 1
    waits for seat 2, and seat 0 for nobody, its target being a ship that lands.

    Seat 0 rams seat 3: 6 -> 6 against 1 -> 4: 3 loses one. Then seat 2 crashes already done
    (3 -> 2), seat 1 rams it: 1 -> 4 against 6 -> 3+2 = 5: seat 1 loses one.
    """
    game = scene(
        *[(1, 4, N), (4, 2, N), (4, 1, N), (1, 3, N)],
        plans=["move", "move", "move", "landing"],
        walls=[(4, 0)],
        dice=[6, 1, 1, 6],
    )
    assert game.ships[:4] == [(1, 4, N, 3), (4, 2, N, 2), (4, 1, N, 2), (1, 3, N, 2)]


def test_a_ship_that_turns_does_not_leave_its_hex() -> None:
    """Ramming occurs when a ship wants to move in a hex where there is already a ship."""
    game = scene((4, 5, N), (4, 4, N), plans=["move", "right"], dice=[1, 6])
    # 1 -> 4 against 6 -> 6: the rammer loses one.
    assert game.ships[:2] == [(4, 5, N, 2), (4, 4, NE, 3)]


# --- rings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_a_cycle_of_three_advances(order: tuple[int, ...]) -> None:
    """V5 d: (4, 4) to the south-east, (5, 4) to the north, (5, 3) to the south-west."""
    ring = [(4, 4, SE), (5, 4, N), (5, 3, SW)]
    after = [(5, 4, SE, 3), (5, 3, N, 3), (4, 4, SW, 3)]
    assert scene(*(ring[at] for at in order)).ships[:3] == [after[at] for at in order]


def test_a_cycle_of_six_advances_around_a_ship() -> None:
    """V5 d: clockwise around (4, 4), whose ship stays in the middle."""
    ring = [(4, 3, SE), (5, 3, S), (5, 4, SW), (4, 5, NW), (3, 4, N), (3, 3, NE)]
    game = scene(*ring, (4, 4, N), plans=[*["move"] * 6, "landing"])
    places = [(column, row) for column, row, _ in ring]
    for seat in range(6):
        assert game.ship(seat) == (*places[(seat + 1) % 6], ring[seat][2], 3)


def test_two_cycles_at_once() -> None:
    """V5 d: each for itself; the seats are mixed."""
    game = scene((1, 1, S), (4, 4, SE), (1, 2, NE), (5, 4, N), (2, 2, NW), (5, 3, SW))
    # (1, 1) is above (1, 2); north-east of (1, 2) is (2, 2); north-west of (2, 2) is (1, 1).
    assert [ship and ship[:2] for ship in game.ships[:6]] == [
        *[(1, 2), (5, 4), (2, 2), (5, 3), (1, 1), (4, 4)]
    ]


def test_head_on_both_stay_and_ram_once() -> None:
    """V5 d: each into the other's hex: the lower seat is the rammer.

    6 -> 3+3 = 6 against 1 -> 1+3 = 4: seat 1 loses one. Both are still there.
    """
    game = scene((4, 4, N), (4, 3, S), dice=[6, 1])
    assert game.ships[:2] == [(4, 4, N, 3), (4, 3, S, 2)]
    assert game.state["rammed"][:2].tolist() == [1, -1]


def test_head_on_tie_costs_both() -> None:
    """3 -> 5 against 4 -> 5."""
    assert scene((4, 4, N), (4, 3, S), dice=[3, 4]).hulls[:2] == [2, 2]


@pytest.mark.parametrize("survivor", [0, 1])
def test_head_on_a_survivor_moves_in(survivor: int) -> None:
    """V5 d: the other has hull 1 and rolls 1 -> 2 against 6 -> 6."""
    ships: list[Place] = [(4, 4, N, 1), (4, 3, S, 1)]
    ships[survivor] = ships[survivor][:3]
    dice = [1, 1]
    dice[survivor] = 6
    game = scene(*ships, dice=dice)
    assert game.ship(1 - survivor) is None
    assert game.ship(survivor) == [(4, 3, N, 3), (4, 4, S, 3)][survivor]


def test_head_on_both_are_destroyed() -> None:
    """Hull 1 each, 1 -> 2 against 2 -> 2."""
    assert scene((4, 4, N, 1), (4, 3, S, 1), (0, 0, S), dice=[1, 2]).ships[:2] == [None, None]


def test_head_on_enemies_shoot_afterwards() -> None:
    """6 -> 6 against 1 -> 4: Locust 2. Then both shoot: 1 -> 2 against 6 -> 4, no hit;
    5 -> 4 against 1 -> 2, a hit.
    """
    game = duel((4, 4, N), (4, 3, S), "move", "move", dice=[6, 1, 1, 6, 5, 1])
    assert game.ships == [(4, 4, N, 2), (4, 3, S, 2)]
    assert game.pairs("shot") == {(0, 1), (1, 0)}
    assert game.pairs("hit") == {(1, 0)}


def test_a_third_ship_aims_into_a_head_on_ramming() -> None:
    """V5 b: seats 1 and 2 contest (4, 4): 1 -> 2 against 6 -> 4: seat 2 is the claimant, seat 1
    trails. So seat 0, who wants (4, 3) where seat 1 stays for now, is in no ring: its target holds
    no unsettled claimant. c: seat 0 rams seat 1: 3 -> 5 against 1 -> 4: seat 1 loses one. Then
    seat 2, whose target (4, 4) holds seat 0: 1 -> 4 against 4 -> 5: seat 2 loses one.
    e: seat 1 rams seat 0: 1 -> 1+2 = 3 against 1 -> 4: seat 1 loses one.
    """
    game = scene((4, 4, N), (4, 3, S), (3, 4, NE), dice=[1, 6, 3, 1, 1, 4, 1, 1])
    assert game.ships[:3] == [(4, 4, N, 3), (4, 3, S, 1), (3, 4, NE, 2)]
    assert game.state["rammed"][:3].tolist() == [1, 0, 0]


def test_a_ring_that_is_broken_by_a_contest() -> None:
    """V5 b: the cycle of three, and a fourth ship that wins the contest for (5, 4).

    Contest of seats 0 and 3: 1 -> 2 against 5 -> 4: seat 3 claims, seat 0 trails.
    c: seat 2 wants (4, 4), which holds seat 0, no claimant: it rams it at once.
       6 -> 6 against 1 -> 4: seat 0 loses one, both stay. Then seat 1 wants (5, 3), which holds
       seat 2, settled: 1 -> 4 against 1 -> 4: both lose one. Then seat 3 rams seat 1 in (5, 4):
       1 -> 4 against 6 -> 3+2 = 5: seat 3 loses one.
    e: seat 0 rams seat 1: 6 -> 3+2 = 5 against 1 -> 1+2 = 3: seat 1 loses one.
    """
    game = scene(
        *[(4, 4, SE), (5, 4, N), (5, 3, SW), (5, 5, N)],
        dice=[1, 5, 6, 1, 1, 1, 1, 6, 6, 1],
    )
    assert game.ships[:4] == [(4, 4, SE, 2), (5, 4, N, 1), (5, 3, SW, 2), (5, 5, N, 2)]


# --- contests -------------------------------------------------------------------------------------


def test_two_want_one_hex_the_winner_moves_in_and_the_other_rams() -> None:
    """Energy 1 -> 2 against 3 -> 3: seat 1 moves in. Seat 0 rams: 6 -> 6 against 1 -> 4."""
    game = scene(NORTH, SOUTH, dice=[1, 3, 6, 1])
    assert game.ships[:2] == [(4, 3, S, 3), (4, 4, N, 2)]
    assert game.state["rammed"][:2].tolist() == [1, -1]


def test_the_loser_of_a_contest_may_get_the_hex_in_the_end() -> None:
    """The winner has hull 1 and is destroyed: 6 -> 6 against 1 -> 2; the rammer goes on."""
    assert scene(NORTH, (*SOUTH, 1), dice=[1, 3, 6, 1]).ships[:2] == [(4, 4, S, 3), None]


def test_the_stat_counts_in_a_contest() -> None:
    """Energy 3: 1 -> 1+3 = 4 against 3 -> 2+1 = 3. Then 1 -> 4 against 1 -> 4: both lose one."""
    stats = [{"energy": 3}, None, None]
    game = scene(NORTH, SOUTH, dice=[1, 3, 1, 1], stats=stats)
    assert game.ships[:2] == [(4, 4, S, 2), (4, 5, N, 2)]


def test_ties_of_a_contest_are_rolled_again() -> None:
    """3 -> 3 and 4 -> 3; 5 -> 4 and 6 -> 4; 3 -> 3 and 1 -> 2. Then 1 -> 4 against 3 -> 5."""
    game = scene(NORTH, SOUTH, dice=[3, 4, 5, 6, 3, 1, 1, 3])
    assert game.ships[:2] == [(4, 4, S, 3), (4, 5, N, 2)]


def test_three_want_one_hex() -> None:
    """5 -> 4, 1 -> 2, 3 -> 3: seat 0 moves in, then seat 2 rams, then seat 1.

    Seat 2: 1 -> 4 against 1 -> 4: both lose one. Seat 1: 1 -> 4 against 3 -> 2+2 = 4: both.
    """
    game = scene(NORTH, SOUTH, NORTHWEST, dice=[5, 1, 3, 1, 1, 1, 3])
    assert game.ships[:3] == [(4, 4, S, 1), (4, 5, N, 2), (3, 3, SE, 2)]


def test_four_want_one_hex_and_each_pair_is_tied() -> None:
    """6, 1, 6, 2: seats 0 and 2 are tied, and 1 and 3. All four roll again, in the order of the
    seats: 1, 1, 3, 5: seat 2 is before 0, and 3 before 1.

    Seat 2 moves in. Seat 0 rams it: 1 -> 4 against 3 -> 5: 0 loses one.
    Seat 3 rams it: 6 -> 6 against 1 -> 4: 2 has 2. Seat 1 rams it: 6 -> 6 against 1 -> 3: 1 left.
    """
    game = scene(
        *[NORTH, SOUTH, NORTHWEST, SOUTHEAST],
        dice=[6, 1, 6, 2, 1, 1, 3, 5, 1, 3, 6, 1, 6, 1],
    )
    assert game.hulls[:4] == [2, 3, 1, 3]
    assert game.ship(2) == (4, 4, SE, 1)


def test_five_want_one_hex() -> None:
    """5, 3, 5, 1, 3: seats 0 and 2 are tied at 4, seats 1 and 4 at 3; seat 3 is last.
    They roll again, seats 0, 1, 2, 4: 1, 5, 3, 6: 2 before 0; 1 and 4 are tied at 4 once more.
    Again, 1 and 4: 2, 4: 4 before 1. The order is 2, 0, 4, 1, 3.

    Seat 2 moves in. 0 rams: 1 -> 4 against 1 -> 4: both have 2.
    4 rams: 3 -> 5 against 3 -> 2+2 = 4: 2 has 1. 1 rams: 5 -> 6 against 6 -> 3+1 = 4: 2 is out,
    and seat 1 moves in. 3 rams seat 1: 1 -> 4 against 2 -> 4: both have 2.
    """
    game = scene(
        *[NORTH, NORTHEAST, SOUTHEAST, SOUTH, SOUTHWEST],
        dice=[5, 3, 5, 1, 3, 1, 5, 3, 6, 2, 4, 1, 1, 3, 3, 5, 6, 1, 2],
        seed=8207899941953708313,  # soon so many dice come like this
    )
    assert game.ships[:5] == [(4, 3, S, 2), (4, 4, SW, 2), None, (4, 5, N, 2), (3, 4, NE, 3)]


def test_contests_are_rolled_hex_by_hex_in_row_major_order() -> None:
    """Rows first: (6, 2), then (1, 4), then (4, 4); the seats do not matter for that.

    (6, 2) between seats 2 and 3: 5, 1: seat 2. (1, 4) between seats 4 and 5: 1, 5: seat 5.
    (4, 4) between seats 0 and 1: 3, 1: seat 0. Then the losers ram hex by hex in the same order:
    seat 3 rams 2: 1 -> 4, 3 -> 5. Seat 4 rams 5: 3 -> 5, 1 -> 4. Seat 1 rams 0: 5 -> 6, 3 -> 5.
    """
    game = scene(
        *[NORTH, SOUTH, (6, 1, S), (6, 3, N), (1, 3, S), (1, 5, N)],
        dice=[5, 1, 1, 5, 3, 1, 1, 3, 3, 1, 5, 3],
    )
    assert [ship and ship[:2] for ship in game.ships[:6]] == [
        *[(4, 4), (4, 5), (6, 2), (6, 3), (1, 3), (1, 4)]
    ]
    assert game.hulls[:6] == [2, 3, 3, 2, 3, 2]


def test_a_trailer_that_is_destroyed_before_its_turn_does_not_ram() -> None:
    """Seat 0 (hull 1) loses the contest 1, 5 with seat 1. Seat 2, behind it, wants (4, 3), where
    seat 0 stays for now: 6 -> 6 against 1 -> 2: seat 0 is out and seat 2 moves in. No more dice.
    """
    game = scene((*NORTH, 1), SOUTH, (4, 2, S), dice=[1, 5, 6, 1])
    assert game.ships[:3] == [None, (4, 4, N, 3), (4, 3, S, 3)]


def test_who_follows_a_trailer_rams_it_though_it_might_get_away() -> None:
    """V5 b: trailers stay where they are for now. Seat 0 trails (1, 5). Seat 2 rams it: 1 -> 4
    against 3 -> 5: loses one. e: seat 0 rams seat 1 (hull 1): 6 -> 6 against 1 -> 2, moves in.
    """
    game = scene(NORTH, (*SOUTH, 1), (4, 2, S), dice=[1, 5, 1, 3, 6, 1])
    assert game.ships[:3] == [(4, 4, S, 3), None, (4, 2, S, 2)]


# --- contested and occupied -----------------------------------------------------------------------


def test_contested_and_occupied_both_ram_the_ship_there() -> None:
    """Contest 5, 1: seat 0 first: 6 -> 6 against 1 -> 4. Then seat 1: 6 -> 6 against 1 -> 3."""
    game = scene(
        NORTH, SOUTH, (4, 4, N), plans=["move", "move", "landing"], dice=[5, 1, 6, 1, 6, 1]
    )
    assert game.ships[:3] == [(4, 3, S, 3), (4, 5, N, 3), (4, 4, N, 1)]


def test_a_ship_that_the_first_of_two_rammers_destroys() -> None:
    """Hull 1: seat 0 (5, 1 in the contest) destroys it, 6 -> 6 against 1 -> 2, and moves in; so
    seat 1 rams seat 0: 1 -> 4 against 1 -> 4.
    """
    game = scene(
        *[NORTH, SOUTH, (4, 4, N, 1)],
        plans=["move", "move", "landing"],
        dice=[5, 1, 6, 1, 1, 1],
    )
    assert game.ships[:3] == [(4, 4, S, 2), (4, 5, N, 2), None]
    assert game.state["rammed"][:3].tolist() == [2, 0, -1]


def test_the_first_of_two_rammers_and_its_victim_destroy_each_other() -> None:
    """Hull 1 both, 1 -> 2 each: the hex is empty, and seat 1 moves in without any dice."""
    game = scene(
        *[(*NORTH, 1), SOUTH, (4, 4, N, 1)],
        plans=["move", "move", "landing"],
        dice=[5, 1, 1, 2],
    )
    assert game.ships[:3] == [None, (4, 4, N, 3), None]


def test_contested_and_occupied_by_a_ship_that_leaves() -> None:
    """Seat 2 moves on to the north-east; seat 1 (1, 5) takes its place, seat 0 rams it: a tie."""
    game = scene(NORTH, SOUTH, (4, 4, NE), dice=[1, 5, 1, 1])
    assert game.ships[:3] == [(4, 3, S, 2), (4, 4, N, 2), (5, 3, NE, 3)]


def test_contested_and_occupied_by_a_ship_that_cannot_leave() -> None:
    """Seat 2 rams the wall first (3 -> 2). Contest 1, 5: seat 1: 3 -> 5 against 1 -> 1+2 = 3;
    then seat 0: 5 -> 6 against 1 -> 1+1 = 2: seat 2 is out and seat 0 moves in.
    """
    game = scene(NORTH, SOUTH, (4, 4, NE), walls=[(5, 3)], dice=[1, 5, 3, 1, 5, 1])
    assert game.ships[:3] == [(4, 4, S, 3), (4, 5, N, 3), None]


# --- walls and edges ------------------------------------------------------------------------------


def test_a_wall_costs_one_and_the_ship_stays() -> None:
    """Ramming into a wall results in an automatic hit: no dice."""
    assert scene((4, 4, N), walls=[(4, 3)]).ship(0) == (4, 4, N, 2)


def test_a_wall_destroys_a_ship_with_hull_1_and_its_hex_is_free() -> None:
    """V6 and V5 a: walls settle first, so that the follower (seat 0) finds the hex empty."""
    assert scene((4, 5, N), (4, 4, N, 1), walls=[(4, 3)]).ships[:2] == [(4, 4, N, 3), None]


@pytest.mark.parametrize(
    "ship",
    [
        *[(4, 0, N), (3, 0, N), (8, 3, NE), (8, 3, SE), (4, 0, NE), (4, 0, NW), (4, 7, S)],
        *[(3, 7, SE), (3, 7, S), (3, 7, SW), (0, 4, SW), (0, 4, NW), (0, 0, NW), (0, 7, S)],
    ],
    ids=str,
)
def test_a_ship_that_moves_out_of_the_map_is_out_of_the_game(ship: Place) -> None:
    """Even columns touch the top edge on three sides, odd columns the bottom edge."""
    game = scene(ship, (4, 4, N), plans=["move", "landing"])
    assert game.ship(0) is None
    assert game.hulls[0] == 0


@pytest.mark.parametrize(
    ("ship", "after"),
    [
        ((3, 0, NE), (4, 0)),
        ((3, 0, NW), (2, 0)),
        ((4, 7, SE), (5, 7)),
        ((4, 7, SW), (3, 7)),
        ((0, 4, NE), (1, 3)),
        ((7, 4, SE), (8, 5)),
    ],
    ids=str,
)
def test_along_an_edge_a_ship_stays_on_the_map(ship: Place, after: tuple[int, int]) -> None:
    game = scene(ship, (4, 4, N), plans=["move", "landing"])
    assert game.ship(0) == (*after, ship[2], 3)


def test_the_hex_of_a_ship_that_leaves_the_map_is_free() -> None:
    """V5 a: leaving settles first; the follower takes its place."""
    assert scene((4, 1, N), (4, 0, N)).ships[:2] == [(4, 0, N, 3), None]


def test_a_ship_that_has_left_the_map_rolls_in_no_contest() -> None:
    """Only seats 0 and 1 contest: 1, 5, and 1 -> 4 against 1 -> 4."""
    assert scene(NORTH, SOUTH, (0, 0, N), dice=[1, 5, 1, 1]).ships[:3] == [
        *[(4, 3, S, 2), (4, 4, N, 2), None]
    ]


# --- ramming --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "rammer", "other"),
    [
        ([1, 1], 2, 2),
        ([2, 1], 2, 2),
        ([3, 1], 3, 2),
        ([1, 3], 2, 3),
        ([5, 6], 2, 2),
        ([6, 4], 3, 2),
    ],
)
def test_the_lowest_hull_check_takes_one_damage_and_a_tie_damages_both(
    dice: list[int], rammer: int, other: int
) -> None:
    """Both have hull 3: 1 and 2 make 4, 3 and 4 make 5, 5 and 6 make 6."""
    game = scene((4, 5, N), (4, 4, S), plans=["move", "landing"], dice=dice)
    assert game.ships[:2] == [(4, 5, N, rammer), (4, 4, S, other)]


def test_friends_and_enemies_are_rammed_the_same_way() -> None:
    """An enemy: 3 -> 5 against 1 -> 4. It has landed and is not ahead of anyone's guns but the
    rammer's, who shoots: 1 -> 2 against 3 -> 3.
    """
    assert duel((4, 5, N), (4, 4, S), "move", "landing", dice=[3, 1, 1, 3]).hulls == [3, 2]
    assert scene((4, 5, N), (4, 4, S), plans=["move", "landing"], dice=[3, 1]).hulls[:2] == [3, 2]


def test_a_hull_check_counts_the_hull_that_is_left() -> None:
    """Hull 9 of which 5 are left: 1 -> 1+5 = 6; 6 of 6: 1 -> 1+6 = 7: the rammer loses one."""
    stats = [{"hull": 9}, {"hull": 6}, None]
    game = scene((4, 5, N, 5), (4, 4, S, 6), plans=["move", "landing"], dice=[1, 1], stats=stats)
    assert game.hulls[:2] == [4, 6]


def test_the_ramming_ship_goes_on_if_it_destroys_the_other() -> None:
    """Hull 1: 3 -> 5 against 6 -> 3+1 = 4."""
    game = scene((4, 5, N), (4, 4, S, 1), plans=["move", "landing"], dice=[3, 6])
    assert game.ships[:2] == [(4, 4, N, 3), None]


def test_the_ramming_ship_does_not_go_on_if_it_is_destroyed() -> None:
    """Hull 1 both, a tie: both are out."""
    game = scene(
        (4, 5, N, 1), (4, 4, S, 1), (0, 0, N), plans=["move", "landing", "landing"], dice=[1, 1]
    )
    assert game.ships[:2] == [None, None]


def test_a_repair_of_the_same_phase_counts_in_a_ramming() -> None:
    """Sequence: repairs (2.) come before moves (3.): 1 -> 1+3 = 4 against 1 -> 1+3 = 4."""
    game = scene((4, 5, N), (4, 4, S, 2), plans=["move", "repair"], dice=[1, 1])
    assert game.hulls[:2] == [2, 2]


def test_a_mover_whose_target_is_freed_by_a_ramming() -> None:
    """Seat 1 destroys seat 2 (hull 1; 6 -> 6 against 1 -> 2) and moves in. Seat 0, behind it, has
    waited for it, an unsettled claimant, and follows without any dice.
    """
    game = scene((4, 6, N), (4, 5, N), (4, 4, N, 1), plans=["move", "move", "landing"], dice=[6, 1])
    assert game.ships[:3] == [(4, 5, N, 3), (4, 4, N, 3), None]


def test_a_mover_whose_target_is_freed_because_its_ship_is_destroyed_in_ramming() -> None:
    """Seat 1 (hull 1) rams seat 2 and is destroyed, 1 -> 2 against 1 -> 4; seat 0 moves in."""
    game = scene((4, 6, N), (4, 5, N, 1), (4, 4, N), plans=["move", "move", "landing"], dice=[1, 1])
    assert game.ships[:3] == [(4, 5, N, 3), None, (4, 4, N, 3)]


# --- V6: out at once ------------------------------------------------------------------------------


def test_a_ship_destroyed_in_a_ramming_does_not_shoot() -> None:
    """V6: hull 1, it turns towards the rammer, is destroyed (6 -> 6 against 1 -> 2): no more dice.

    With hull 2 it stays and shoots: Zion 1 -> 2 against 3 -> 3; the Machines 6 -> 4 against 1 -> 2.
    """
    gone = duel((4, 5, N), (4, 4, SW, 1), "move", "left", dice=[6, 1])
    assert gone.ships == [(4, 4, N, 3), None]
    stays = duel((4, 5, N), (4, 4, SW, 2), "move", "left", dice=[6, 1, 1, 3, 6, 1])
    assert stays.ships == [(4, 5, N, 2), (4, 4, S, 1)]


def test_a_ship_destroyed_in_a_ramming_does_not_use_its_emp() -> None:
    """V6: seat 1 (hull 1) is rammed, 6 -> 6 against 1 -> 2, so that there is no EMP, no die, and
    seat 0 does what it had planned next.
    """
    game = scene((4, 5, N), (4, 4, S, 1), plans=["move right", "EMP left"], dice=[6, 1])
    assert game.ships[:2] == [(4, 4, NE, 3), None]


def test_a_ship_destroyed_in_a_ramming_is_no_target_either() -> None:
    """V6: seat 1 of Zion would shoot at the ship that seat 0 destroys (6 -> 6 against 1 -> 2); and
    seat 1's EMP would reach it: the user's die is the only one.
    """
    game = Hover([(4, 5, N), (5, 3, SW)], [(4, 4, N, 1), FAR])
    game.turn("move", "right", "landing", "landing", dice=[6, 1])
    assert game.ships[:3] == [(4, 4, N, 3), (5, 3, NW, 3), None]
    game = Hover([(4, 5, N, 1), (3, 3, SW)], [(4, 4, N), FAR])
    # Seat 0 loses 1 -> 2 against 1 -> 4.
    game.turn("move", "EMP", "landing", "landing", dice=[1, 1, 5])
    assert game.ships[:3] == [None, (3, 3, SW, 3), (4, 4, N, 3)]


# --- EMP ------------------------------------------------------------------------------------------


def test_an_emp_replaces_the_next_action_by_a_landing_and_no_other() -> None:
    """Phase 1: seat 0's EMP 1 -> 2 against 1 -> 2, not beaten. Phase 2: seat 1 does not move.
    Phase 3: it turns right as planned.
    """
    game = Hover([(4, 5, N), (4, 4, NE)], [FAR], energy=[1, 3, 1])
    game.turn("EMP", "left move right", "landing", dice=[1, 1])
    assert game.ship(1) == (4, 4, NE, 3), "left, landing, right"


@pytest.mark.parametrize(("dice", "hit"), [([1, 3], False), ([4, 3], True), ([5, 4], True)])
def test_only_who_beats_the_emp_is_not_affected(dice: list[int], hit: bool) -> None:
    """1 against 3 -> 3 beats 2; 3 against 3 does not; nor 3 against 4."""
    game = scene((4, 5, N), (4, 4, N), plans=["EMP", "left right"], dice=dice)
    assert game.ship(1) == (4, 4, NW if hit else N, 3)


def test_the_energy_stat_counts_against_an_emp() -> None:
    """User 6 -> 3+0 = 3 against 1 -> 1+3 = 4: beaten."""
    stats = [{"energy": 0}, {"energy": 3}, None]
    game = scene((4, 5, N), (4, 4, N), plans=["EMP", "left right"], dice=[6, 1], stats=stats)
    assert game.ship(1) == (4, 4, N, 3)


def test_an_emp_reaches_the_six_hexes_around_and_no_further() -> None:
    """The user is seat 0 and rolls first (5 -> 4), then its targets in seat order. Seat 3 is two
    hexes away and seat 5 has landed: they do not roll. The others get 6 -> 4, which does not beat
    4: they turn right, and not left again.
    """
    game = Hover(
        [(4, 4, N), (4, 3, N), (5, 3, N), (4, 2, N), (5, 4, N), (4, 5, N), (3, 4, N), (3, 3, N)],
        [FAR],
    )
    plans = ["right left"] * 8
    plans[0], plans[5] = "EMP", "landing left"
    game.turn(*plans, "landing", dice=[5, *[6] * 5])
    assert [ship and ship[2] for ship in game.ships[:8]] == [N, NE, NE, N, NE, NW, NE, NE]


def test_an_emp_hits_friends_and_enemies() -> None:
    """User 5 -> 4, friend 6 -> 4, enemy 1 -> 2; the enemy looks away."""
    game = Hover([(4, 4, N), (4, 3, N)], [(4, 5, SE)])
    game.turn("EMP", "right left", "right left", dice=[5, 6, 1])
    assert [ship and ship[2] for ship in game.ships] == [N, NE, S]


def test_the_user_rolls_even_when_nobody_is_around() -> None:
    assert scene((4, 4, N), plans=["EMP"], dice=[3]).ship(0) == (4, 4, N, 3)


@pytest.mark.parametrize("safe", ["landing", "EMP", "repair"])
def test_a_landed_ship_is_immune(safe: str) -> None:
    """It does not even roll: the dice are the user's, and that of the second EMP's user."""
    dice = [5, 1] if safe == "EMP" else [5]
    game = scene((4, 5, N), (4, 4, N), plans=["EMP", f"{safe} left"], dice=dice)
    assert game.ship(1) == (4, 4, NW, 3)


def test_two_emps_at_once_on_each_other() -> None:
    """Both have landed, so neither is affected; each user rolls, and seat 2 between them twice.

    Seat 0: 1 -> 2, seat 2: 3 -> 3, beaten. Seat 1: 5 -> 4, seat 2: 6 -> 4, not beaten.
    """
    game = scene(
        *[(4, 5, N), (4, 4, N), (5, 4, N)],
        plans=["EMP left", "EMP right", "left left"],
        dice=[1, 3, 5, 6],
    )
    assert [ship and ship[2] for ship in game.ships[:3]] == [NW, NE, NW]


def test_being_hit_twice_is_the_same_as_once() -> None:
    """Both users get 4, seat 2 gets 2 each time; one action is lost, the third is carried out."""
    game = Hover([(4, 5, N), (4, 4, N), (5, 4, N)], [FAR], energy=[1, 1, 3, 1])
    game.turn("EMP", "EMP", "left left left", "landing", dice=[5, 1, 5, 1])
    assert game.ship(2) == (5, 4, SW, 3), "left, landing, left: from N to NW to SW"


def test_an_emp_that_is_beaten_does_not_undo_another_one() -> None:
    """The first hits (5 -> 4 against 1 -> 2), the second does not (1 -> 2 against 5 -> 4)."""
    game = scene(
        *[(4, 5, N), (4, 4, N), (5, 4, N)],
        plans=["EMP", "EMP", "left left"],
        dice=[5, 1, 1, 5],
    )
    assert game.ship(2) == (5, 4, NW, 3)


def test_an_emp_that_is_hit_is_replaced_too() -> None:
    """Phase 1: seat 0 hits seat 1, 5 -> 4 against 1 -> 2. Phase 2: seat 1's EMP is a landing: no
    die is rolled for it.
    """
    game = scene((4, 5, N), (4, 4, N), plans=["EMP", "left EMP"], dice=[5, 1])
    assert game.state["done"][1] == 3
    assert game.state["landed"][1] == 1


def test_a_landing_that_replaces_an_action_makes_immune_too() -> None:
    """Phase 1: seat 0 hits seat 2, 5 -> 4 against 1 -> 2. Phase 2: seat 2 lands, so that seat 1's
    EMP does not reach it: the user's die is the only one. Phase 3: it turns as planned.
    """
    game = Hover([(4, 5, N), (4, 3, N), (4, 4, N)], [FAR], energy=[1, 1, 3, 1])
    game.turn("EMP", "right EMP", "left left left", "landing", dice=[5, 1, 6])
    assert game.ship(2) == (4, 4, SW, 3), "left, landing, left"


def test_an_emp_on_a_ship_without_a_next_action_has_no_effect() -> None:
    """Seat 0's EMP of phase 1 hits seat 1 of the Machines, whose plan ends there; in phase 2 it is
    not landed: it shoots at seat 0, who is ahead. Phase 1 has no shots of seat 0, who has landed.

    Phase 1: EMP 5, 1; shot of seat 1: 1 -> 2 against 3 -> 3. Phase 2: seat 0 turns left, N is
    still in front of NW: 1 -> 2 against 3 -> 3; seat 1: 3 -> 3 against 1 -> 2, a hit.
    """
    game = duel((4, 5, N), (4, 4, SW), "EMP left", "left", dice=[5, 1, 1, 3, 1, 3, 3, 1])
    assert game.ships == [(4, 5, NW, 2), (4, 4, S, 3)]
    assert game.state["landed"][:2].tolist() == [0, 0]


def test_an_emp_does_not_carry_on_into_the_next_turn() -> None:
    """In the last phase of a turn it has no effect: seat 1 moves in the next turn's first."""
    game = scene((4, 5, N), (4, 4, N), plans=["EMP", "left"], dice=[5, 1])
    assert game.turn("landing", "right", "landing").ship(1) == (4, 4, N, 3)


def test_an_emp_comes_after_the_moves_of_its_phase() -> None:
    """Seat 1 moves away and does not roll; seat 2 comes near, rolls 5 -> 4 against 5 -> 4, and
    does not turn.
    """
    game = scene(
        *[(4, 4, N), (4, 3, N), (6, 3, SW)],
        plans=["EMP", "move right", "move left"],
        dice=[5, 5],
    )
    assert game.ships[:3] == [(4, 4, N, 3), (4, 2, NE, 3), (5, 3, SW, 3)]


def test_a_ship_hit_by_an_emp_still_shoots_in_that_phase() -> None:
    """The sample game's third turn. EMP 5 -> 4 against 1 -> 2; shot 5 -> 4 against 1 -> 2: a hit.
    In phase 2 it has landed and does not shoot; seat 0 turns away.
    """
    game = duel((4, 5, SE), (4, 4, SW), "EMP right", "left left", dice=[5, 1, 5, 1])
    assert game.ships == [(4, 5, S, 2), (4, 4, S, 3)]


# --- shooting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", range(6))
def test_a_ship_sees_its_three_front_hexes_only(way: int) -> None:
    """The enemy has landed around (4, 4), north first and clockwise; the ship there turns to N:
    north-west, north and north-east are in front. 6 -> 4 against 1 -> 2: a hit.
    """
    column, row, _ = [NORTH, NORTHEAST, SOUTHEAST, SOUTH, SOUTHWEST, NORTHWEST][way]
    seen = way in (5, 0, 1)
    game = duel((4, 4, NW), (column, row, N), "right", "landing", dice=[6, 1] if seen else [])
    assert game.hulls == [3, 2 if seen else 3]


@pytest.mark.parametrize("facing", range(6))
@pytest.mark.parametrize("place", [(4, 4), (3, 3)])
def test_the_front_turns_with_the_ship(place: tuple[int, int], facing: int) -> None:
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


def test_two_hexes_away_is_too_far() -> None:
    """No dice."""
    assert duel((4, 5, NW), (4, 3, SW), "right", "left").hulls == [3, 3]


def test_shots_are_simultaneous_and_both_may_die() -> None:
    """Hull 1 both: 6 -> 4 against 1 -> 2 both ways; nobody is left: a draw."""
    game = duel((4, 4, NW, 1), (4, 3, SW, 1), "right", "left", dice=[6, 1, 6, 1])
    assert game.ships == [None, None]
    assert game.pairs("hit") == {(0, 1), (1, 0)}
    assert game.reason == "both_out"


@pytest.mark.parametrize(
    ("dice", "hit"),
    [
        ([3, 1], True),
        ([1, 3], False),
        ([5, 3], True),
        ([1, 2, 3, 4, 5, 6, 1, 3], False),
        ([1, 1, 6, 4], True),
    ],
)
def test_a_higher_ballistic_check_hits_and_ties_are_rolled_again(
    dice: list[int], hit: bool
) -> None:
    """Attacker's die, target's die; equal results are rolled again at once."""
    game = duel((4, 4, NW), (4, 3, SW), "right", "landing", dice=dice)
    assert game.hulls == [3, 2 if hit else 3]


def test_ballistic_and_shield_stats_count() -> None:
    """Ballistic 3: 1 -> 4 against shield 0: 6 -> 3, a hit; the other way 6 -> 3+0 against 1 -> 1+2:
    a tie, then 5 -> 3 against 3 -> 4: no hit.
    """
    stats = [{"ballistic": 3, "shield": 2}, {"ballistic": 0, "shield": 0}]
    game = duel((4, 4, NW), (4, 3, SW), "right", "left", dice=[1, 6, 6, 1, 5, 3], stats=stats)
    assert game.hulls == [3, 2]


@pytest.mark.parametrize("grounded", ["landing", "EMP", "repair"])
def test_a_landed_ship_does_not_shoot_but_is_shot_at(grounded: str) -> None:
    """The user of the EMP rolls 1 -> 2, the other 3 -> 3; then the only shot, 1 -> 2, 3 -> 3."""
    emp = [1, 3] if grounded == "EMP" else []
    game = duel((4, 4, N), (4, 3, SW), grounded, "left", dice=[*emp, 1, 3])
    assert game.pairs("shot") == {(1, 0)}


def test_a_ship_without_an_action_shoots() -> None:
    """V3: Zion's plan ends after phase 1, in which (4, 2) is two hexes away. In phase 2 the
    enemy moves to (4, 3) and both shoot: 1 -> 2 against 3 -> 3, twice.
    """
    game = duel((4, 4, NW), (4, 1, S), "right", "move move", dice=[1, 3, 1, 3])
    assert game.ships == [(4, 4, N, 3), (4, 3, S, 3)]
    assert game.pairs("shot") == {(0, 1), (1, 0)}


def test_a_ship_fires_at_each_enemy_that_it_sees() -> None:
    """Three enemies in front, in seat order; all have landed: hit, miss, hit."""
    game = Hover([(4, 4, NW)], [(3, 3, N), (4, 3, N), (5, 3, N), (4, 5, N)])
    game.turn("right", *["landing"] * 4, dice=[6, 1, 1, 6, 6, 3])
    assert game.hulls == [3, 2, 3, 2, 3]
    assert game.pairs("shot") == {(0, 1), (0, 2), (0, 3)}
    assert game.pairs("hit") == {(0, 1), (0, 3)}


def test_friends_are_not_shot_at() -> None:
    assert scene((4, 4, NW), (4, 3, SW), plans=["right", "left"]).hulls[:2] == [3, 3]


def test_hits_add_up_and_the_dice_go_by_attacker_then_target() -> None:
    """Seats 0 and 1 on seat 3 (hull 3), seat 3 on both; seat 2 of Zion has landed.

    0 on 3: 6, 1: hit. 1 on 3: 5, 1: hit. 3 on 0: 1, 6: miss. 3 on 1: 6, 1: hit.
    """
    game = Hover([(3, 4, N), (5, 4, N), (0, 0, S)], [(4, 4, SE)])
    # Seat 0 turns to NE, seat 1 to NW, seat 3 to S: (3, 4) is south-west of it, (5, 4) south-east.
    game.turn("right", "left", "landing", "right", dice=[6, 1, 5, 1, 1, 6, 6, 1])
    assert game.hulls == [3, 2, 3, 1]


def test_a_ship_that_is_shot_down_has_been_shot_at_by_all() -> None:
    """All shots are worked out before damage is counted: hull 1, hit twice, and it hits as well."""
    game = Hover([(3, 4, N), (5, 4, N)], [(4, 4, SE, 1), FAR])
    game.turn("right", "left", "right", "landing", dice=[6, 1, 5, 1, 6, 1, 6, 1])
    assert game.ships[:3] == [(3, 4, NE, 2), (5, 4, NW, 2), None]


def test_a_turn_comes_before_the_shots_and_so_does_a_move() -> None:
    """Moving to (4, 4) with N ahead: 1 -> 2 against 3 -> 3; the other one turns away."""
    game = duel((4, 5, N), (4, 3, SW), "move", "right", dice=[1, 3])
    assert game.ships == [(4, 4, N, 3), (4, 3, NW, 3)]
