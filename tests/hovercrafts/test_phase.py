"""One phase of Hovercrafts, rule by rule, with prescribed dice.

Every expected result is worked out by hand from the rules: half a die, rounded up, is 1 for 1 and
2, 2 for 3 and 4, 3 for 5 and 6. Ships have the text's stats (hull 3, all others 1) unless a scene
says otherwise. Most scenes are played by ships of Zion alone, who ram each other just the same,
with one ship of the Machines that stays out of it.

The hexes around 4,4, from north clockwise, and who faces it from there: 4,3S 5,3SW 5,4NW 4,5N 3,4NE
3,3SE.
"""

from __future__ import annotations

import itertools

import pytest

from tests.hovercrafts.facade import Hover, Scene, scenes

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


FOLLOWING = {
    # Again and again: a snake across the map; the first seat is its tail.
    "V5 c: a chain of nine follows its head around corners": Scene(
        "0,6N 0,5NE 1,4NE 2,4SE 3,4S 3,5SE 4,6NE 5,5N 5,4N",
        "0,5N 1,4NE 2,4NE 3,4SE 3,5S 4,6SE 5,5NE 5,4N 5,3N",
        size=(9, 9),
    ),
    # The head crashes into the wall and stays, so the next ones ram, from the front.
    # Head (seat 0): wall, 3 -> 2. Seat 1 rams it: 5 -> 3+3 = 6 against 5 -> 3+2 = 5: 2 -> 1.
    # Seat 2 rams seat 1: 1 -> 1+3 = 4 against 2 -> 1+3 = 4, a tie: both lose one.
    "V5 c: who follows a ship that stays rams it": Scene(
        "4,1N 4,2N 4,3N", "4,1N1 4,2N2 4,3N2", [5, 5, 1, 2], rammed=[-1, 0, 1], walls=[(4, 0)]
    ),
    # The same with the head in seat 2, and another pair with the tail in seat 0: seat 1 waits for
    # seat 2, and seat 0 for nobody, its target being a ship that lands.
    # Seat 0 rams seat 3: 6 -> 6 against 1 -> 4: 3 loses one. Then seat 2 crashes already done
    # (3 -> 2), seat 1 rams it: 1 -> 4 against 6 -> 3+2 = 5: seat 1 loses one.
    "V5 c: the lowest seat that waits for nobody comes first": Scene(
        "1,4N 4,2N 4,1N 1,3N",
        "1,4N 4,2N2 4,1N2 1,3N2",
        [6, 1, 1, 6],
        plans="move, move, move",
        walls=[(4, 0)],
    ),
    # Ramming occurs when a ship wants to move in a hex where there is already a ship.
    # 1 -> 4 against 6 -> 6: the rammer loses one.
    "a ship that turns does not leave its hex": Scene(
        "4,5N 4,4N", "4,5N2 4,4NE", [1, 6], "move, right"
    ),
}

RINGS = {
    # Clockwise around 4,4, whose ship stays in the middle.
    "V5 d: a cycle of six advances around a ship": Scene(
        "4,3SE 5,3S 5,4SW 4,5NW 3,4N 3,3NE 4,4N",
        "5,3SE 5,4S 4,5SW 3,4NW 3,3N 4,3NE 4,4N",
        plans="move, move, move, move, move, move",
    ),
    # Each for itself; the seats are mixed. 1,1 is above 1,2; north-east of 1,2 is 2,2; north-west
    # of 2,2 is 1,1.
    "V5 d: two cycles at once": Scene(
        "1,1S 4,4SE 1,2NE 5,4N 2,2NW 5,3SW", "1,2S 5,4SE 2,2NE 5,3N 1,1NW 4,4SW"
    ),
    # Each into the other's hex: the lower seat is the rammer.
    # 6 -> 3+3 = 6 against 1 -> 1+3 = 4: seat 1 loses one. Both are still there.
    "V5 d, V8: head-on both stay and ram once": Scene(
        "4,4N 4,3S", "4,4N 4,3S2", [6, 1], rammed=[1, -1]
    ),
    # 3 -> 5 against 4 -> 5.
    "head-on tie costs both": Scene("4,4N 4,3S", "4,4N2 4,3S2", [3, 4]),
    # The other has hull 1 and rolls 1 -> 2 against 6 -> 6.
    "V5 d: head-on the rammer survives and moves in": Scene("4,4N 4,3S1", "4,3N -", [6, 1]),
    "V5 d: head-on the rammed survives and moves in": Scene("4,4N1 4,3S", "- 4,4S", [1, 6]),
    # 6 -> 6 against 1 -> 4: Locust 2. Then both shoot: 1 -> 2 against 6 -> 4, no hit;
    # 5 -> 4 against 1 -> 2, a hit.
    "head-on enemies shoot afterwards": Scene(
        "4,4N | 4,3S",
        "4,4N2 | 4,3S2",
        [6, 1, 1, 6, 5, 1],
        "move, move",
        shot={(0, 1), (1, 0)},
        hit={(1, 0)},
    ),
    # b: seats 1 and 2 contest 4,4: 1 -> 2 against 6 -> 4: seat 2 is the claimant, seat 1 trails. So
    # seat 0, who wants 4,3 where seat 1 stays for now, is in no ring: its target holds no unsettled
    # claimant. c: seat 0 rams seat 1: 3 -> 5 against 1 -> 4: seat 1 loses one. Then seat 2, whose
    # target 4,4 holds seat 0: 1 -> 4 against 4 -> 5: seat 2 loses one.
    # e: seat 1 rams seat 0: 1 -> 1+2 = 3 against 1 -> 4: seat 1 loses one.
    "V5 b: a third ship aims into a head-on ramming": Scene(
        "4,4N 4,3S 3,4NE", "4,4N 4,3S1 3,4NE2", [1, 6, 3, 1, 1, 4, 1, 1], rammed=[1, 0, 0]
    ),
    # The cycle of three, and a fourth ship that wins the contest for 5,4.
    # Contest of seats 0 and 3: 1 -> 2 against 5 -> 4: seat 3 claims, seat 0 trails.
    # c: seat 2 wants 4,4, which holds seat 0, no claimant: it rams it at once.
    #    6 -> 6 against 1 -> 4: seat 0 loses one, both stay. Then seat 1 wants 5,3, which holds
    #    seat 2, settled: 1 -> 4 against 1 -> 4: both lose one. Then seat 3 rams seat 1 in 5,4:
    #    1 -> 4 against 6 -> 3+2 = 5: seat 3 loses one.
    # e: seat 0 rams seat 1: 6 -> 3+2 = 5 against 1 -> 1+2 = 3: seat 1 loses one.
    "V5 b: a ring that is broken by a contest": Scene(
        "4,4SE 5,4N 5,3SW 5,5N", "4,4SE2 5,4N1 5,3SW2 5,5N2", [1, 5, 6, 1, 1, 1, 1, 6, 6, 1]
    ),
}

CONTESTS = {
    # Energy 1 -> 2 against 3 -> 3: seat 1 moves in. Seat 0 rams: 6 -> 6 against 1 -> 4.
    "two want one hex, the winner moves in and the other rams": Scene(
        "4,3S 4,5N", "4,3S 4,4N2", [1, 3, 6, 1], rammed=[1, -1]
    ),
    # The winner has hull 1 and is destroyed: 6 -> 6 against 1 -> 2; the rammer goes on.
    "the loser of a contest may get the hex in the end": Scene(
        "4,3S 4,5N1", "4,4S -", [1, 3, 6, 1]
    ),
    # Energy 3: 1 -> 1+3 = 4 against 3 -> 2+1 = 3. Then 1 -> 4 against 1 -> 4: both lose one.
    "the stat counts in a contest": Scene(
        "4,3S 4,5N", "4,4S2 4,5N2", [1, 3, 1, 1], stats=[{"energy": 3}, None, None]
    ),
    # 3 -> 3 and 4 -> 3; 5 -> 4 and 6 -> 4; 3 -> 3 and 1 -> 2. Then 1 -> 4 against 3 -> 5.
    "ties of a contest are rolled again": Scene(
        "4,3S 4,5N", "4,4S 4,5N2", [3, 4, 5, 6, 3, 1, 1, 3]
    ),
    # 5 -> 4, 1 -> 2, 3 -> 3: seat 0 moves in, then seat 2 rams, then seat 1.
    # Seat 2: 1 -> 4 against 1 -> 4: both lose one. Seat 1: 1 -> 4 against 3 -> 2+2 = 4: both.
    "three want one hex": Scene("4,3S 4,5N 3,3SE", "4,4S1 4,5N2 3,3SE2", [5, 1, 3, 1, 1, 1, 3]),
    # 5, 3, 5, 1, 3: seats 0 and 2 are tied at 4, seats 1 and 4 at 3; seat 3 is last.
    # They roll again, seats 0, 1, 2, 4: 1, 5, 3, 6: 2 before 0; 1 and 4 are tied at 4 once more.
    # Again, 1 and 4: 2, 4: 4 before 1. The order is 2, 0, 4, 1, 3.
    # Seat 2 moves in. 0 rams: 1 -> 4 against 1 -> 4: both have 2.
    # 4 rams: 3 -> 5 against 3 -> 2+2 = 4: 2 has 1. 1 rams: 5 -> 6 against 6 -> 3+1 = 4: 2 is out,
    # and seat 1 moves in. 3 rams seat 1: 1 -> 4 against 2 -> 4: both have 2.
    "five want one hex": Scene(
        "4,3S 5,3SW 5,4NW 4,5N 3,4NE",
        "4,3S2 4,4SW2 - 4,5N2 3,4NE",
        [5, 3, 5, 1, 3, 1, 5, 3, 6, 2, 4, 1, 1, 3, 3, 5, 6, 1, 2],
        options={"seed": 8207899941953708313},  # soon so many dice come like this
    ),
    # Rows first: 6,2, then 1,4, then 4,4; the seats do not matter for that.
    # 6,2 between seats 2 and 3: 5, 1: seat 2. 1,4 between seats 4 and 5: 1, 5: seat 5.
    # 4,4 between seats 0 and 1: 3, 1: seat 0. Then the losers ram hex by hex in the same order:
    # seat 3 rams 2: 1 -> 4, 3 -> 5. Seat 4 rams 5: 3 -> 5, 1 -> 4. Seat 1 rams 0: 5 -> 6, 3 -> 5.
    "V7: contests are rolled hex by hex in row-major order": Scene(
        "4,3S 4,5N 6,1S 6,3N 1,3S 1,5N",
        "4,4S2 4,5N 6,2S 6,3N2 1,3S 1,4N2",
        [5, 1, 1, 5, 3, 1, 1, 3, 3, 1, 5, 3],
    ),
    # Seat 0 (hull 1) loses the contest 1, 5 with seat 1. Seat 2, behind it, wants 4,3, where seat 0
    # stays for now: 6 -> 6 against 1 -> 2: seat 0 is out and seat 2 moves in. No more dice.
    "a trailer that is destroyed before its turn does not ram": Scene(
        "4,3S1 4,5N 4,2S", "- 4,4N 4,3S", [1, 5, 6, 1]
    ),
    # Trailers stay where they are for now. Seat 0 trails (1, 5). Seat 2 rams it: 1 -> 4 against
    # 3 -> 5: loses one. e: seat 0 rams seat 1 (hull 1): 6 -> 6 against 1 -> 2, moves in.
    "V5 b: who follows a trailer rams it though it might get away": Scene(
        "4,3S 4,5N1 4,2S", "4,4S - 4,2S2", [1, 5, 1, 3, 6, 1]
    ),
    # Contest 5, 1: seat 0 first: 6 -> 6 against 1 -> 4. Then seat 1: 6 -> 6 against 1 -> 3.
    "contested and occupied: both ram the ship there": Scene(
        "4,3S 4,5N 4,4N", "4,3S 4,5N 4,4N1", [5, 1, 6, 1, 6, 1], "move, move"
    ),
    # Hull 1: seat 0 (5, 1 in the contest) destroys it, 6 -> 6 against 1 -> 2, and moves in; so
    # seat 1 rams seat 0: 1 -> 4 against 1 -> 4.
    "a ship that the first of two rammers destroys": Scene(
        "4,3S 4,5N 4,4N1", "4,4S2 4,5N2 -", [5, 1, 6, 1, 1, 1], "move, move", rammed=[2, 0, -1]
    ),
    # Seat 2 moves on to the north-east; seat 1 (1, 5) takes its place, seat 0 rams it: a tie.
    "contested and occupied by a ship that leaves": Scene(
        "4,3S 4,5N 4,4NE", "4,3S2 4,4N2 5,3NE", [1, 5, 1, 1]
    ),
    # Seat 2 rams the wall first (3 -> 2). Contest 1, 5: seat 1: 3 -> 5 against 1 -> 1+2 = 3;
    # then seat 0: 5 -> 6 against 1 -> 1+1 = 2: seat 2 is out and seat 0 moves in.
    "contested and occupied by a ship that cannot leave": Scene(
        "4,3S 4,5N 4,4NE", "4,4S 4,5N -", [1, 5, 3, 1, 5, 1], walls=[(5, 3)]
    ),
}

OUT_AND_WALLS = {
    # Ramming into a wall results in an automatic hit: no dice.
    "a wall costs one and the ship stays": Scene("4,4N", "4,4N2", walls=[(4, 3)]),
    # Walls settle first, so that the follower (seat 0) finds the hex empty.
    "V6, V5 a: a wall destroys a ship with hull 1 and its hex is free": Scene(
        "4,5N 4,4N1", "4,4N -", walls=[(4, 3)]
    ),
    # Leaving settles first; the follower takes its place.
    "V5 a: the hex of a ship that leaves the map is free": Scene("4,1N 4,0N", "4,0N -"),
    # Only seats 0 and 1 contest: 1, 5, and 1 -> 4 against 1 -> 4.
    "a ship that has left the map rolls in no contest": Scene(
        "4,3S 4,5N 0,0N", "4,3S2 4,4N2 -", [1, 5, 1, 1]
    ),
}

RAMMING = {
    # Both have hull 3: 1 and 2 make 4, 3 and 4 make 5, 5 and 6 make 6.
    **{
        f"the lowest hull check takes one damage and a tie damages both: {dice}": Scene(
            "4,5N 4,4S", f"4,5N{rammer} 4,4S{other}", dice, "move"
        )
        for dice, rammer, other in (
            *(((1, 1), 2, 2), ((2, 1), 2, 2), ((3, 1), 3, 2)),
            *(((1, 3), 2, 3), ((5, 6), 2, 2), ((6, 4), 3, 2)),
        )
    },
    # 3 -> 5 against 1 -> 4. It has landed and is not ahead of anyone's guns but the rammer's, who
    # shoots: 1 -> 2 against 3 -> 3.
    "enemies are rammed as friends are": Scene("4,5N | 4,4S", "4,5N | 4,4S2", [3, 1, 1, 3], "move"),
    # Hull 9 of which 5 are left: 1 -> 1+5 = 6; 6 of 6: 1 -> 1+6 = 7: the rammer loses one.
    "a hull check counts the hull that is left": Scene(
        "4,5N5 4,4S6", "4,5N4 4,4S6", [1, 1], "move", stats=[{"hull": 9}, {"hull": 6}, None]
    ),
    # Hull 1: 3 -> 5 against 6 -> 3+1 = 4.
    "the ramming ship goes on if it destroys the other": Scene(
        "4,5N 4,4S1", "4,4N -", [3, 6], "move"
    ),
    # Hull 1 both, a tie: both are out.
    "the ramming ship does not go on if it is destroyed": Scene(
        "4,5N1 4,4S1 0,0N", "- - 0,0N", [1, 1], "move"
    ),
    # Sequence: repairs (2.) come before moves (3.): 1 -> 1+3 = 4 against 1 -> 1+3 = 4.
    "a repair of the same phase counts in a ramming": Scene(
        "4,5N 4,4S2", "4,5N2 4,4S2", [1, 1], "move, repair"
    ),
    # Seat 1 destroys seat 2 (hull 1; 6 -> 6 against 1 -> 2) and moves in. Seat 0, behind it, has
    # waited for it, an unsettled claimant, and follows without any dice.
    "a mover whose target is freed by a ramming": Scene(
        "4,6N 4,5N 4,4N1", "4,5N 4,4N -", [6, 1], "move, move"
    ),
}

OUT_AT_ONCE = {
    # Hull 1, it turns towards the rammer, is destroyed (6 -> 6 against 1 -> 2): no more dice.
    "V6: a ship destroyed in a ramming does not shoot": Scene(
        "4,5N | 4,4SW1", "4,4N | -", [6, 1], "move, left"
    ),
    # With hull 2: Zion 1 -> 2 against 3 -> 3; the Machines 6 -> 4 against 1 -> 2.
    "V6: one that is not destroyed stays and shoots": Scene(
        "4,5N | 4,4SW2", "4,5N2 | 4,4S1", [6, 1, 1, 3, 6, 1], "move, left"
    ),
    # Seat 1 (hull 1) is rammed, 6 -> 6 against 1 -> 2, so that there is no EMP, no die, and seat 0
    # does what it had planned next.
    "V6: a ship destroyed in a ramming does not use its EMP": Scene(
        "4,5N 4,4S1", "4,4NE -", [6, 1], "move right, EMP left"
    ),
    # Seat 1 would shoot at the ship that seat 0 destroys (6 -> 6 against 1 -> 2).
    "V6: a ship destroyed in a ramming is not shot at either": Scene(
        "4,5N 5,3SW | 4,4N1 8,7N", "4,4N 5,3NW -", [6, 1], "move, right"
    ),
    # Seat 0 loses 1 -> 2 against 1 -> 4; seat 1's EMP would reach it, and only its user rolls.
    "V6: no EMP reaches a ship destroyed in a ramming": Scene(
        "4,5N1 3,3SW | 4,4N 8,7N", "- 3,3SW 4,4N", [1, 1, 5], "move, EMP"
    ),
}


@scenes(FOLLOWING | RINGS | CONTESTS | OUT_AND_WALLS | RAMMING | OUT_AT_ONCE)
def test_moves(scene: Scene) -> None:
    scene.play()


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

EMPS = {
    # Phase 1: seat 0's EMP 1 -> 2 against 1 -> 2, not beaten. Phase 2: seat 1 does not move.
    # Phase 3: it turns right as planned.
    "an EMP replaces the next action by a landing and no other": Scene(
        "4,5N 4,4NE", "4,5N 4,4NE", [1, 1], "EMP, left move right", energy=[1, 3, 1]
    ),
    # 1 against 3 -> 3 beats 2; 3 against 3 does not; nor 3 against 4.
    **{
        f"only who beats the EMP is not affected: {dice}": Scene(
            "4,5N 4,4N", f"4,5N 4,4{facing}", dice, "EMP, left right"
        )
        for dice, facing in (((1, 3), "N"), ((4, 3), "NW"), ((5, 4), "NW"))
    },
    # User 6 -> 3+0 = 3 against 1 -> 1+3 = 4: beaten.
    "the energy stat counts against an EMP": Scene(
        "4,5N 4,4N",
        "4,5N 4,4N",
        [6, 1],
        "EMP, left right",
        stats=[{"energy": 0}, {"energy": 3}, None],
    ),
    # The user is seat 0 and rolls first (5 -> 4), then its targets in seat order. Seat 3 is two
    # hexes away and seat 5 has landed: they do not roll. The others get 6 -> 4, which does not beat
    # 4: they turn right, and not left again.
    "an EMP reaches the six hexes around and no further": Scene(
        "4,4N 4,3N 5,3N 4,2N 5,4N 4,5N 3,4N 3,3N",
        "4,4N 4,3NE 5,3NE 4,2N 5,4NE 4,5NW 3,4NE 3,3NE",
        [5, 6, 6, 6, 6, 6],
        f"EMP {', right left' * 4}, landing left {', right left' * 2}",
    ),
    # User 5 -> 4, friend 6 -> 4, enemy 1 -> 2; the enemy looks away.
    "an EMP hits friends and enemies": Scene(
        "4,4N 4,3N | 4,5SE", "4,4N 4,3NE | 4,5S", [5, 6, 1], "EMP, right left, right left"
    ),
    "V7: the user rolls even when nobody is around": Scene("4,4N", "4,4N", [3], "EMP"),
    # It does not even roll: the dice are the user's, and that of the second EMP's user.
    **{
        f"a landed ship is immune: {safe}": Scene(
            "4,5N 4,4N", "4,5N 4,4NW", dice, f"EMP, {safe} left"
        )
        for safe, dice in (("landing", [5]), ("EMP", [5, 1]), ("repair", [5]))
    },
    # Both have landed, so neither is affected; each user rolls, and seat 2 between them twice.
    # Seat 0: 1 -> 2, seat 2: 3 -> 3, beaten. Seat 1: 5 -> 4, seat 2: 6 -> 4, not beaten.
    "two EMPs at once on each other": Scene(
        "4,5N 4,4N 5,4N", "4,5NW 4,4NE 5,4NW", [1, 3, 5, 6], "EMP left, EMP right, left left"
    ),
    # The first hits (5 -> 4 against 1 -> 2), the second does not (1 -> 2 against 5 -> 4).
    "an EMP that is beaten does not undo another one": Scene(
        "4,5N 4,4N 5,4N", "4,5N 4,4N 5,4NW", [5, 1, 1, 5], "EMP, EMP, left left"
    ),
    # Phase 1: seat 0 hits seat 1, 5 -> 4 against 1 -> 2. Phase 2: seat 1's EMP is a landing: no die
    # is rolled for it.
    "an EMP that is hit is replaced too": Scene(
        "4,5N 4,4N", "4,5N 4,4NW", [5, 1], "EMP, left EMP", landed=[0, 1]
    ),
    # Phase 1: seat 0 hits seat 2, 5 -> 4 against 1 -> 2. Phase 2: seat 2 lands, so that seat 1's
    # EMP does not reach it: the user's die is the only one. Phase 3: it turns as planned.
    "a landing that replaces an action makes immune too": Scene(
        "4,5N 4,3N 4,4N",
        "4,5N 4,3NE 4,4SW",
        [5, 1, 6],
        "EMP, right EMP, left left left",
        energy=[1, 1, 3, 1],
    ),
    # Seat 0's EMP of phase 1 hits seat 1 of the Machines, whose plan ends there; in phase 2 it is
    # not landed: it shoots at seat 0, who is ahead. Phase 1 has no shots of seat 0, who has landed.
    # Phase 1: EMP 5, 1; shot of seat 1: 1 -> 2 against 3 -> 3. Phase 2: seat 0 turns left, N is
    # still in front of NW: 1 -> 2 against 3 -> 3; seat 1: 3 -> 3 against 1 -> 2, a hit.
    "an EMP on a ship without a next action has no effect": Scene(
        "4,5N | 4,4SW", "4,5NW2 | 4,4S", [5, 1, 1, 3, 1, 3, 3, 1], "EMP left, left", landed=[0, 0]
    ),
    # Seat 1 moves away and does not roll; seat 2 comes near, rolls 5 -> 4 against 5 -> 4, and does
    # not turn.
    "an EMP comes after the moves of its phase": Scene(
        "4,4N 4,3N 6,3SW", "4,4N 4,2NE 5,3SW", [5, 5], "EMP, move right, move left"
    ),
    # The sample game's third turn. EMP 5 -> 4 against 1 -> 2; shot 5 -> 4 against 1 -> 2: a hit.
    # In phase 2 it has landed and does not shoot; seat 0 turns away.
    "a ship hit by an EMP still shoots in that phase": Scene(
        "4,5SE | 4,4SW", "4,5S2 | 4,4S", [5, 1, 5, 1], "EMP right, left left"
    ),
}


@scenes(EMPS)
def test_emps(scene: Scene) -> None:
    scene.play()


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


SHOTS = {
    "two hexes away is too far": Scene("4,5NW | 4,3SW", "4,5N | 4,3S", plans="right, left"),
    # Hull 1 both: 6 -> 4 against 1 -> 2 both ways.
    "shots are simultaneous and both may die": Scene(
        "4,4NW1 | 4,3SW1", "- | -", [6, 1, 6, 1], "right, left", hit={(0, 1), (1, 0)}
    ),
    # Attacker's die, target's die; equal results are rolled again at once.
    **{
        f"a higher ballistic check hits and ties are rolled again: {dice}": Scene(
            "4,4NW | 4,3SW", f"4,4N | 4,3SW{hull}", dice, "right"
        )
        for dice, hull in (
            *(((3, 1), 2), ((1, 3), 3), ((5, 3), 2)),
            *(((1, 2, 3, 4, 5, 6, 1, 3), 3), ((1, 1, 6, 4), 2)),
        )
    },
    # Ballistic 3: 1 -> 4 against shield 0: 6 -> 3, a hit; the other way 6 -> 3+0 against 1 -> 1+2:
    # a tie, then 5 -> 3 against 3 -> 4: no hit.
    "ballistic and shield stats count": Scene(
        "4,4NW | 4,3SW",
        "4,4N | 4,3S2",
        [1, 6, 6, 1, 5, 3],
        "right, left",
        stats=[{"ballistic": 3, "shield": 2}, {"ballistic": 0, "shield": 0}],
    ),
    # The user of the EMP rolls 1 -> 2, the other 3 -> 3; then the only shot, 1 -> 2, 3 -> 3.
    **{
        f"a landed ship does not shoot but is shot at: {grounded}": Scene(
            "4,4N | 4,3SW", "4,4N | 4,3S", dice, f"{grounded}, left", shot={(1, 0)}
        )
        for grounded, dice in (("landing", [1, 3]), ("EMP", [1, 3, 1, 3]), ("repair", [1, 3]))
    },
    # Zion's plan ends after phase 1, in which 4,2 is two hexes away. In phase 2 the enemy moves to
    # 4,3 and both shoot: 1 -> 2 against 3 -> 3, twice.
    "V3: a ship without an action shoots": Scene(
        "4,4NW | 4,1S", "4,4N | 4,3S", [1, 3, 1, 3], "right, move move", shot={(0, 1), (1, 0)}
    ),
    # Three enemies in front, in seat order; all have landed: hit, miss, hit.
    "a ship fires at each enemy that it sees": Scene(
        "4,4NW | 3,3N 4,3N 5,3N 4,5N",
        "4,4N | 3,3N2 4,3N 5,3N2 4,5N",
        [6, 1, 1, 6, 6, 3],
        "right",
        shot={(0, 1), (0, 2), (0, 3)},
        hit={(0, 1), (0, 3)},
    ),
    "friends are not shot at": Scene("4,4NW 4,3SW", "4,4N 4,3S", plans="right, left"),
    # Seats 0 and 1 on seat 3 (hull 3), seat 3 on both; seat 2 of Zion has landed.
    # Seat 0 turns to NE, seat 1 to NW, seat 3 to S: 3,4 is south-west of it, 5,4 south-east.
    # 0 on 3: 6, 1: hit. 1 on 3: 5, 1: hit. 3 on 0: 1, 6: miss. 3 on 1: 6, 1: hit.
    "hits add up and the dice go by attacker, then target": Scene(
        "3,4N 5,4N 0,0S | 4,4SE",
        "3,4NE 5,4NW2 0,0S | 4,4S1",
        [6, 1, 5, 1, 1, 6, 6, 1],
        "right, left, landing, right",
    ),
    # All shots are worked out before damage is counted: hull 1, hit twice, and it hits as well.
    "a ship that is shot down has been shot at by all": Scene(
        "3,4N 5,4N | 4,4SE1 8,7N",
        "3,4NE2 5,4NW2 | -",
        [6, 1, 5, 1, 6, 1, 6, 1],
        "right, left, right",
    ),
    # Moving to 4,4 with N ahead: 1 -> 2 against 3 -> 3; the other one turns away.
    "a turn comes before the shots and so does a move": Scene(
        "4,5N | 4,3SW", "4,4N | 4,3NW", [1, 3], "move, right"
    ),
}


@scenes(SHOTS)
def test_shots(scene: Scene) -> None:
    scene.play()
