"""Every rule of Stacktrices, one by one, on the engine.

Positions and decisions are written as in `tests.play.Stacks`: `d2*:Dp` is a thief on d2 with a
movement drone and a skill pawn. Each side's drones stand before the bar, its queens after it. What
is on no stack is in the store. In most of them black does nothing but stand far away.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import cyberdeck
from tests.play import COLOURS, Play, Stacks, flipped, letters

#: Who plays a test that is the same for everybody: the colour, and the seat that plays white.
VIEWS = [(colour, first) for colour in COLOURS for first in (0, 1)]
OTHER = {"white": "black", "black": "white"}


def as_seen(colour: str, words: str) -> str:
    return words if colour == "white" else flipped(words)


def play_as(colour: str, first: int, own: str, theirs: str, **options: Any) -> Stacks:
    """A position in which *colour* moves, told as if it were white."""
    sides = (own, theirs) if colour == "white" else (flipped(theirs), flipped(own))
    return Stacks(*sides, turn=colour, first=first, **options)


def moves(own: str, theirs: str, mover: str, **options: Any) -> str:
    """Where the stack on *mover* may go: the same for both colours and both seats."""
    found = set()
    for colour, first in VIEWS:
        game = play_as(colour, first, own, theirs, **options)
        targets = as_seen(colour, game.moves(as_seen(colour, mover)))
        found.add(" ".join(sorted(targets.split())))
    assert len(found) == 1, f"the colours differ: {found}"
    return found.pop()


def words(*listed: str) -> set[str]:
    """`words("P D > a1 c1")` are all pieces on all stacks; other words stand for themselves."""
    found = set()
    for word in listed:
        pieces, on, stacks = word.partition(" > ")
        if on:
            found |= {f"{piece}>{stack}" for piece in pieces.split() for stack in stacks.split()}
        else:
            found.add(word)
    return found


# --- the table ------------------------------------------------------------------------------------


def test_two_players() -> None:
    """Text: Players: 2."""
    assert Stacks().variant.agents == ("player_0", "player_1")


def test_the_board_has_7_files_and_7_ranks() -> None:
    """Text: 7x7 board. Rules: files a..g, ranks 1..7."""
    corners = "a1*:Q - - g1:Q | - - -", "a7*:D - - g7:D"
    assert Stacks(*corners).moves("a1") == "b2 c3 d4"
    assert Stacks().seen()["own_at"].shape == (7, 7, 7)
    for outside in ("h1", "a8", "a0"):
        with pytest.raises(ValueError, match=f"'{outside}' is no square"):
            Stacks(outside, "g7")


@pytest.mark.parametrize("first", [0, 1])
def test_s3_drones_stand_on_the_home_row_and_queens_before_it(first: int) -> None:
    """Ruling S3: drones on a, c, e, g of the home row, queens on b, d, f of the row before it."""
    game = Stacks(first=first)
    for colour, squares in (("white", "a1 c1 e1 g1 b2 d2 f2"), ("black", "a7 c7 e7 g7 b6 d6 f6")):
        stacks = game.state["square"][game.seat(colour)]
        assert [game.name(square) for square in stacks] == squares.split()


@pytest.mark.parametrize("first", [0, 1])
def test_s20_rank_0_of_the_record_is_the_home_row_of_seat_0(first: int) -> None:
    """Ruling S20: `first` says which seat plays white; seat 0's home row is rank 0 all the same."""
    game = Stacks(first=first)
    assert game.state["square"].tolist() == [
        [0, 2, 4, 6, 8, 10, 12],
        [42, 44, 46, 48, 36, 38, 40],
    ]
    assert game.mover == first
    assert game.seen(first)["white"].tolist() == [1]
    assert game.seen(1 - first)["white"].tolist() == [0]


def test_each_player_has_four_drones_and_three_queens() -> None:
    """Text: a white stash (three queens and four drones) and a black one: seven stacks each."""
    game = Stacks()
    assert game.state["square"].shape == (2, 7)
    assert len(game.squares("white").split()) == len(game.squares("black").split()) == 7
    hides = [action for action in game.legal() if 343 <= action < 347]
    assert len(hides) == 4, "a thief hides under any of the four drones, and under no queen"


def test_there_are_22_pieces() -> None:
    """Text: four pawns, four drones, three queens, clear ones (skill) and of one colour."""
    game = Stacks()
    held = game.state["store"] + game.state["hand"].sum(axis=0)
    assert letters(held) == "PPPPDDDDQQQppppddddqqq"
    assert Stacks("a1", "g7").store == "PPPPDDDDQQQppppddddqqq"


def test_s1_each_player_caps_with_two_pawns_two_drones_and_a_queen_of_each_sort() -> None:
    """Ruling S1: the text says queens twice; the second are pawns. Text: two queens in store."""
    game = Stacks()
    assert [letters(hand) for hand in game.state["hand"]] == ["PPDDQppddq"] * 2
    assert game.store == "Qq"


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("d3", "c2 e4"),  # a pupil: only onto its neighbours
        ("d3:P", "c4 e4"),
        ("d3:Pp", "c2 c4 e2 e4"),
    ],
)
def test_stacks_are_pupils_adults_or_skilled(stack: str, expected: str) -> None:
    """Rules: without pieces a pupil; with a movement piece only, an adult; with skill, skilled."""
    assert moves(stack, "c2 e4", "d3") == expected


# --- set-up ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_s4_white_hides_and_caps_and_then_black(first: int) -> None:
    """Ruling S4: one decision at a time; white completes, then black. S5: white moves first."""
    game = Stacks(first=first)
    asked = []
    while game.phase != "move":
        asked.append((game.colour, game.phase))
        game.act(game.legal()[-1])
    one = ["hide the thief", *["cap the stacks"] * 10]
    assert asked == [(colour, phase) for colour in COLOURS for phase in one]
    assert game.colour == "white"
    assert int(game.state["turns"]) == 0


@pytest.mark.parametrize("first", [0, 1])
def test_each_player_hides_the_thief_under_one_of_the_drones(first: int) -> None:
    """Text: each player places a vulnerability under one of their drones."""
    game = Stacks(first=first)
    assert game.options() == {"hide a1", "hide c1", "hide e1", "hide g1"}
    game.do("hide e1", *CAPPING)
    assert game.thief("white") == "e1"
    assert game.options() == {"hide a7", "hide c7", "hide e7", "hide g7"}
    assert game.do("hide g7").thief("black") == "g7"


ALL_WHITE = "a1 c1 e1 g1 b2 d2 f2"
CAPPING = ["P>a1", "p>a1", "P>c1", "p>c1", "d>c1", "D>e1", "d>e1", "q>e1", "D>b2", "Q>d2"]


def test_capping_is_decided_piece_by_piece_with_movement_before_skill() -> None:
    """Text: cap the opaque pieces without stranding any clear pieces. S4: in any order."""
    game = Stacks().do("hide a1")
    assert game.options() == words(f"P D Q > {ALL_WHITE}")
    game.do("Q>d2")
    assert game.options() == words("P D > a1 c1 e1 g1 b2 f2", "p d q > d2")
    game.do("q>d2", "P>a1")
    assert game.options() == words("P D > c1 e1 g1 b2 f2", "p d > d2 a1")
    game.do("p>a1")
    assert game.options() == words("P D > c1 e1 g1 b2 f2", "p d > d2", "d>a1")
    game.do("p>d2", "d>d2", "d>a1", "P>c1", "D>e1")
    assert game.options() == words("D > g1 b2 f2")


def test_all_ten_pieces_are_used_and_two_stacks_stay_pupils() -> None:
    """Text: using all of the pieces; some opaque pieces may remain uncapped for now."""
    game = Stacks().do("hide a1", *CAPPING)
    assert {name: game.on(name) for name in ALL_WHITE.split()} == {
        "a1": "Pp",
        "c1": "Ppd",
        "e1": "Ddq",
        "g1": "",
        "b2": "D",
        "d2": "Q",
        "f2": "",
    }
    assert game.store == "Qq"
    assert game.state["hand"][0].tolist() == [0] * 6


def test_s2_a_stack_holds_one_movement_piece_and_one_skill_of_each_size() -> None:
    """Ruling S2, and the text: each stack is limited to a single movement piece at any time."""
    game = Stacks("c6*:Ppd a1:P | d2:D", "g7:D").do("c6-d7", "claim")
    assert game.options() == words(
        "q > d7",
        "p d q > a1 d2",
        "raise P d7",
        "raise P a1",
        "raise D d2",
        "raise d d7",
    )


@pytest.mark.parametrize("first", [0, 1])
def test_setup_random_caps_both_sides_at_once(first: int) -> None:
    """Option setup="random": nothing of the set-up is asked."""
    for seed in range(20):
        game = Stacks(seed=seed, setup="random", first=first)
        assert (game.phase, game.colour) == ("move", "white")
        assert game.trouble() == ""
        assert game.store == "Qq"
        for seat in (0, 1):
            assert letters(game.state["pieces"][seat].sum(axis=0)) == "PPDDQppddq"
            assert 0 <= game.state["thief"][seat] < 4


def test_s4_setup_random_is_even_over_the_legal_decisions_step_by_step() -> None:
    """Ruling S4: as if every decision of the set-up were drawn evenly among the legal ones.

    Some stacks have more skill than others; how much, is compared with set-ups that are played.
    """
    luck = random.Random(1)

    def counted(setup: str) -> np.ndarray:
        """How many pieces are on drones and on queens, and under which drone the thieves are."""
        heights, thieves = np.zeros((2, 2, 5), int), np.zeros((2, 4), int)
        for seed in range(2000):
            game = Stacks(seed=seed * 7919, setup=setup)
            while game.phase != "move":
                game.kernels.act(game.record[0], luck.choice(game.legal()))
            for seat in (0, 1):
                for stack, height in enumerate(game.state["pieces"][seat].sum(axis=1)):
                    heights[seat, int(stack > 3), height] += 1
                thieves[seat, game.state["thief"][seat]] += 1
        return np.concatenate([heights.ravel(), thieves.ravel()])

    drawn, played = counted("random"), counted("choose")
    assert (played > 20).all()
    assert ((drawn - played) ** 2 / (drawn + played)).max() < 4**2


def test_s5_first_may_be_drawn() -> None:
    """Option first="random" | 0 | 1: which seat plays white; a coin by default."""
    whites = Counter(Play("stacktrices", seed=seed * 7919).mover for seed in range(400))
    assert min(whites[0], whites[1]) > 150
    for first in (0, 1):
        assert Play("stacktrices", seed=3, first=first).mover == first


def test_options_have_the_first_listed_value_as_default() -> None:
    """Options: the defaults, and nothing else is taken."""
    assert Play("stacktrices").variant.options == {
        "setup": "choose",
        "first": "random",
        "steal_on_attack": False,
        "stacked_movement": False,
        "reward": "outcome",
        "max_turns": 200,
        "observation": "vector",
    }
    for wrong in ({"setup": "none"}, {"first": 2}, {"max_turns": 1}, {"steal_on_attack": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Play("stacktrices", **wrong)


# --- actions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "count", "groups"),
    [
        ({}, 448, [343, 4, 42, 28, 28, 1, 1, 1]),
        ({"steal_on_attack": True}, 449, [343, 4, 42, 28, 28, 1, 1, 1, 1]),
        ({"stacked_movement": True}, 476, [343, 4, 42, 42, 42, 1, 1, 1]),
        (
            {"steal_on_attack": True, "stacked_movement": True},
            477,
            [343, 4, 42, 42, 42, 1, 1, 1, 1],
        ),
    ],
)
def test_how_many_actions_there_are(options: dict[str, Any], count: int, groups: list[int]) -> None:
    """Rules, actions: 448; 449 with steal_on_attack; 476 with stacked_movement; 477 with both."""
    variant = cyberdeck.variant("stacktrices", **options)
    assert [size for size, _ in variant.actions] == groups
    assert variant.action_count == count


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_the_numbers_of_the_actions(colour: str, first: int) -> None:
    """Rules: squares are 7 * rank + file as the mover sees them, the own home row rank 0."""
    game = play_as(colour, first, "- - b6*:D a1 | - d2:Qd", "d6*:Dp - g4:Dp")
    # The adult on b6 is stack 2, the queen on d2 stack 5.
    assert game.legal() == sorted(
        [
            49 * 2 + 7 * 6 + 0,  # b6-a7
            49 * 2 + 7 * 6 + 2,  # b6-c7
            *(49 * 5 + 7 * 1 + file for file in (0, 1, 2, 4, 5, 6)),  # along the rank
            *(49 * 5 + 7 * rank + 3 for rank in (0, 2, 3, 4)),  # along the file
            49 * 5 + 7 * 2 + 2,  # c3 b4 a5
            49 * 5 + 7 * 3 + 1,
            49 * 5 + 7 * 4 + 0,
            49 * 5 + 7 * 2 + 4,  # e3 f4 g5
            49 * 5 + 7 * 3 + 5,
            49 * 5 + 7 * 4 + 6,
        ]
    )
    game.act(49 * 2 + 7 * 6 + 2)
    gives = [389 + 4 * 2 + 0, 389 + 4 * 5 + 0, 389 + 4 * 5 + 2]  # D; Q and the skill drone
    assert game.legal() == [*gives, 445, 446]
    game.act(445)  # claim
    # From the store: P, D, Q on the pupil a1 (stack 3), skill on c7 and d2; from stack 0 and 2
    # of the opponent's, their skill pawns.
    assert game.legal() == [
        *(347 + 6 * 2 + kind for kind in (3, 4, 5)),
        *(347 + 6 * 3 + kind for kind in (0, 1, 2)),
        *(347 + 6 * 5 + kind for kind in (3, 5)),
        417 + 4 * 0 + 1,
        417 + 4 * 2 + 1,
    ]
    game.act(417 + 4 * 2 + 1)
    assert game.legal() == [347 + 6 * 2 + 3, 347 + 6 * 5 + 3]
    game.act(347 + 6 * 5 + 3)
    assert game.legal() == [343 + 2, 343 + 3]
    game.act(343 + 3)
    assert game.legal() == [*gives[:2], 389 + 4 * 5 + 1, 389 + 4 * 5 + 2, 446]
    game.act(389 + 4 * 5 + 1)
    assert 447 in game.legal()  # call off
    game.act(447)
    assert game.colour == OTHER[colour]


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_the_numbers_of_the_actions_with_both_variants(colour: str, first: int) -> None:
    """Rules: piece picks then name sort and size, stack x 6; `expose` comes last."""
    game = play_as(
        colour,
        first,
        "c6*:DPp a1 | d2:Qd",
        "g4*:D - d7:DPq",
        steal_on_attack=True,
        stacked_movement=True,
    )
    game.act(49 * 0 + 7 * 6 + 3)  # takes d7, the opponent's stack 2
    gives = [389, 390, 392, 389 + 6 * 4 + 2, 389 + 6 * 4 + 4]
    assert game.legal() == [*gives, 473, 474, 476]
    game.act(476)
    assert game.legal() == [431 + 6 * 2 + kind for kind in (0, 1, 5)]
    game.act(431 + 6 * 2 + 5)
    assert game.legal() == [347 + 6 * 0 + 5, 347 + 6 * 4 + 5]
    game.act(347 + 5)
    game.act(389)
    assert 475 in game.legal()


def test_a_steal_picks_from_the_index_of_the_captured_stack() -> None:
    """Rules: for a steal the captured stack's own index."""
    game = Stacks("d4:P", "a7 c7 e7 e5*:Dpd").do("d4-e5")
    assert game.legal() == [417 + 4 * 3 + 1, 417 + 4 * 3 + 2]


# --- moves ----------------------------------------------------------------------------------------

FAR = "g7*"  # a pupil in the corner


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("d3:P", "c4 e4"),
        ("d3:D", "c4 b5 e4 f5"),
        ("d3:Q", "c4 b5 a6 e4 f5 g6"),
        ("a3:Q", "b4 c5 d6"),
        ("d6:Q", "c7 e7"),
    ],
)
def test_an_adult_moves_diagonally_forward(stack: str, expected: str) -> None:
    """Text: adults may only move forward diagonally; pawn one space, drone two, queen three.

    Ruling S6: up to that many, and straight.
    """
    for base in (stack, f"| {stack}"):
        assert moves(base, FAR, stack[:2]) == " ".join(sorted(expected.split()))


def test_an_adult_on_the_last_rank_has_no_move_but_the_warp() -> None:
    """Nothing is forward of it."""
    assert moves("d7:Q", FAR, "d7") == "a1 b1 c1 d1 e1 f1 g1"


@pytest.mark.parametrize("base", ["{}", "| {}"])
@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        # Pawn: all four diagonals.
        ("d4:Pp", "c3 c5 e3 e5"),
        ("d4:Dp", "c3 b2 c5 b6 e3 f2 e5 f6"),
        ("d4:Qp", "c3 b2 a1 c5 b6 a7 e3 f2 g1 e5 f6 g7"),
        # Drone: all four orthogonals. S7: and the two forward diagonals of the adult.
        ("d4:Pd", "c4 d3 d5 e4 c5 e5"),
        ("d4:Dd", "c4 b4 d3 d2 d5 d6 e4 f4 c5 b6 e5 f6"),
        ("d4:Qd", "c4 b4 a4 d3 d2 d1 d5 d6 d7 e4 f4 g4 c5 b6 a7 e5 f6 g7"),
        # Queen: all eight.
        ("d4:Pq", "c3 c4 c5 d3 d5 e3 e4 e5"),
        ("d4:Dq", "c3 b2 c4 b4 c5 b6 d3 d2 d5 d6 e3 f2 e4 f4 e5 f6"),
        # A clear pawn and a clear drone: both orthogonal and diagonal.
        ("d4:Ppd", "c3 c4 c5 d3 d5 e3 e4 e5"),
        ("d4:Dpd", "c3 b2 c4 b4 c5 b6 d3 d2 d5 d6 e3 f2 e4 f4 e5 f6"),
        ("d4:Ppdq", "c3 c4 c5 d3 d5 e3 e4 e5"),
    ],
)
def test_s7_skills_add_to_the_moves_of_an_adult(base: str, stack: str, expected: str) -> None:
    """Text: pawn: any diagonal; drone: orthogonal; queen: both; such stacks have added abilities.

    Rulings S6 (up to the reach, straight) and S7 (skills add up, and to what the adult could do).
    """
    assert moves(base.format(stack), "g7* g5", "d4") == " ".join(sorted(expected.split()))


def test_a_pupil_moves_one_square_and_only_to_attack() -> None:
    """Text: pupils may only be moved to attack a stack in any adjacent square."""
    around = ["c3", "c4", "c5", "d3", "d5", "e3", "e4", "e5"]
    for square in around:
        assert moves("d4 a1:P", f"{square} g7", "d4") == square
    assert moves("d4 a1:P", f"{' '.join(around[:4])} | {' '.join(around[4:7])}", "d4") == (
        " ".join(around[:7])
    )
    assert moves("d4 a1:P", "b2 b4 b6 d6 | f6 f4 d2", "d4") == "", "two squares away"


def test_a_pupil_does_not_move_onto_a_friend() -> None:
    """One never ends on a friendly stack."""
    assert moves("d4 c3:P d5:P e4:P | e5:P", "d3 g7", "d4") == "d3"


@pytest.mark.parametrize(
    ("own", "theirs", "expected"),
    [
        # A friend stops it, whatever it is.
        ("d3:Q e4", FAR, "c4 b5 a6"),
        ("d3:Q f5:P", FAR, "c4 b5 a6 e4"),
        ("d3:Q g6:Ppdq", FAR, "c4 b5 a6 e4 f5"),
        # An enemy may be captured, and nothing lies beyond it.
        ("d3:Q", "e4 g7", "c4 b5 a6 e4"),
        ("d3:Q", "f5 b5 g7", "c4 b5 e4 f5"),
        ("d3:Q", "g6 g7", "c4 b5 a6 e4 f5 g6"),
        # Two in a row: the second is out of reach.
        ("d3:Q", "e4 f5 g7", "c4 b5 a6 e4"),
        # Skilled ones pass nobody either, but for the queen skill.
        ("d3:Qpd c4:P d4:Pp e4 | e3:D e2:D d2:P", FAR, "c3 b3 a3 c2 b1"),
        # An adult's movement queen is not the skill.
        ("d3:Q e4:Pp | c4:P", FAR, ""),
    ],
)
def test_no_stack_passes_through_or_beyond_another(own: str, theirs: str, expected: str) -> None:
    """Text: stacks are not allowed to pass through or beyond other stacks."""
    assert moves(own, theirs, "d3") == " ".join(sorted(expected.split()))


def test_an_enemy_stops_the_queen_skill_too() -> None:
    """The queen skill passes friendly stacks only."""
    own = "d3:Qq"
    open_board = moves(own, FAR, "d3").split()
    assert {"d5", "d6"} <= set(open_board)
    assert moves(own, "d4:Pp g7", "d3").split() == [
        at for at in open_board if at not in {"d5", "d6"}
    ]


def test_any_one_stack_may_move_and_there_is_no_passing() -> None:
    """Text: any one stack may move; passing is not allowed."""
    game = Stacks("a1*:P c1:P e1 | g1:D", "d2 g7*")
    assert game.options() == {"a1-b2", "c1-b2", "c1-d2", "e1-d2", "g1-f2", "g1-e3"}
    game.do("a1-b2")
    assert not any("-" in option for option in game.options()), "one move in a turn"


# --- the queen skill ------------------------------------------------------------------------------

ELSEWHERE = "b2 b4 c1 c2 c3 d1 e1 e2 e3 f2 f4"  # from d2, without any friend's help


def from_d2(own: str, theirs: str = "a6 g7") -> set[str]:
    found = set(moves(f"{own} | d2:Dq", theirs, "d2").split())
    assert found >= set(ELSEWHERE.split())
    return found - set(ELSEWHERE.split())


def test_must_replay_the_example_of_queen_play() -> None:
    """Text, Figure 3: d2 goes on through d3 to c4, d4, e4, and through c4 captures on a6."""
    assert from_d2("d3:Pd c4:P") == {"d4", "d5", "e4", "f5", "b5", "a6"}
    game = Stacks("d3:Pd c4:P | d2:Dq", "a6 g7").do("d2-a6")
    assert game.squares("black") == "g7"
    assert game.on("a6") == "Dq"


def test_must_replay_the_example_without_the_adult() -> None:
    """Must replay: without the adult on c4, a6 is out of reach."""
    assert from_d2("d3:Pd") == {"d4", "d5", "e4", "f5", "c4", "b5"}


def test_must_replay_the_example_with_a_pupil_in_place_of_d3() -> None:
    """Text: pupils cannot assist; they end up blocking the skilled stack."""
    assert from_d2("d3 c4:P") == set()


def test_a_pupil_further_on_blocks_too() -> None:
    """Text: pupils block; here the one on c4."""
    assert from_d2("d3:Pd c4") == {"d4", "d5", "e4", "f5"}


def test_an_adult_passes_the_mover_on_straight() -> None:
    """Text: adult stacks pass on the moving stack in the direction it is headed in."""
    assert from_d2("d3:P c4:P") == {"d4", "d5"}


def test_a_skilled_stack_passes_straight_on_too() -> None:
    """Text: otherwise, the moving stack can pass through as with an adult stack."""
    assert {"d4", "d5"} <= from_d2("d3:Pp")


@pytest.mark.parametrize(
    ("friend", "beyond"),
    [
        ("d5", "c6 d6 e6"),
        ("e5", "e6 f6 f5"),
        ("e4", "f5 f4 f3"),
        ("e3", "f3 f2 e2"),
        ("d3", "e2 d2 c2"),
        ("c3", "c2 b2 b3"),
        ("c4", "b3 b4 b5"),
        ("c5", "b5 b6 c6"),
    ],
)
def test_a_skilled_friend_turns_the_mover_by_45_degrees(friend: str, beyond: str) -> None:
    """Text: may be redirected to the left or right one square, or pass straight on.

    From d4 with a reach of one: the seven other neighbours, and three squares beyond the friend.
    """
    around = {"c3", "c4", "c5", "d3", "d5", "e3", "e4", "e5"} - {friend}
    assert set(moves(f"{friend}:Pd d4:Pq", FAR, "d4").split()) == around | set(beyond.split())


def test_passing_a_friend_costs_no_reach() -> None:
    """Text: moving through the friendly stack does not count as a space when counting."""
    line = "a2:P a3:P a4:P | a5:P a1:Dq"
    assert {"a6", "a7"} <= set(moves(line, FAR, "a1").split())
    assert moves("b2:P c3:P d4:D | e5:D f6:Pp a1:Pq", "f5", "a1") == "a2 b1 f7 g6 g7"


def test_a_mover_never_ends_on_a_friend() -> None:
    """Rules: at least one square of reach is spent, on the square where the move ends."""
    assert moves("b2:P c3:P d4:P a2 | b1 a1:Pq", FAR, "a1") == "e5"
    blocked = "b2:P c3:P d4:P a2 | b1 a1:Pq e5"
    assert moves(blocked, FAR, "a1") == ""


def test_s8_the_queen_skill_counts_not_the_movement_queen() -> None:
    """Ruling S8: any queen-skilled mover; the text's "queen movement piece" is not meant."""
    assert "d4" in moves("d2:Pq d3:P", FAR, "d2").split()
    assert "d4" not in moves("d2:Qd d3:P", FAR, "d2").split()


def test_only_friends_pass_a_stack_on() -> None:
    """Text: move through a friendly stack: an enemy's skilled stack is captured, not passed."""
    assert moves("a1:Pq", "a2:Pd b1:P b2:Pp", "a1") == "a2 b1 b2"


RING = "d2:Pp e3:Pp e4:Pp {} | c5:Dd b4:Dd b2:Qq"


def test_must_replay_a_ring_of_friends() -> None:
    """Must replay: a ring that brings the mover back to its own square: it may not end there.

    From b2 east to d2 (one square), north-east, north, north-west, west and south-west to b4; then
    south over b3 (the second) to b2 (the third). West of b4 is a4, which nothing else leads to.
    """
    ring = set(moves(RING.format("d5:Pp"), FAR, "b2").split())
    assert "a4" in ring
    assert "b2" not in ring
    assert "a4" not in moves(RING.format("a1:Pp"), FAR, "b2").split()


# --- warp -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stack", ["c7", "c7:P", "c7:Qp"])
def test_a_stack_on_the_opponents_home_row_may_warp(stack: str) -> None:
    """Text: it may warp to any unoccupied space of their own home row; pupils included."""
    game_moves = set(moves(f"{stack} a1:P | - - g1:D", "e1 g7", "c7").split())
    ordinary = {"b6", "a5", "d6", "e5", "f4"} if stack == "c7:Qp" else set()
    assert game_moves == {"b1", "c1", "d1", "f1"} | ordinary


def test_a_warp_captures_nothing() -> None:
    """Text: any unoccupied space: neither a friend's nor an enemy's."""
    game = Stacks("c7 a1 | b1", "d1:P e1:P f1:P g1:P | g6 g7")
    assert game.moves("c7") == "c1"


def test_warping_is_for_the_opponents_home_row_only() -> None:
    """From the row before it, and from the own home row, there is no warp."""
    assert moves("c6:P", FAR, "c6") == "b7 d7"
    assert moves("c1:P", FAR, "c1") == "b2 d2"


def test_a_warp_is_the_move_of_the_turn() -> None:
    """Text: this constitutes the player's move for that round, on a following turn."""
    game = Stacks("c6:P a1*:P", "g7*:D").do("c6-d7")
    assert game.colour == "white"
    assert not any("-" in option for option in game.options()), "not in the turn that brought it"
    game.do("end", "g7-f6", "end", "d7-d1")
    assert game.phase == "after the move"
    assert game.squares("white") == "a1 d1"


# --- no move --------------------------------------------------------------------------------------

STUCK = "a1*:D - - - | b2"  # a friend stands in the only way


def test_s9_who_cannot_move_is_skipped_and_may_still_trade() -> None:
    """Ruling S9: the move is skipped and the trade remains open."""
    game = Stacks(STUCK, FAR)
    assert (game.colour, game.phase) == ("white", "after the move")
    assert game.options() == {"end", "give D a1"}
    assert game.seen(0)["skipped"].tolist() == game.seen(1)["skipped"].tolist() == [1]
    game.do("give D a1", "P>a1")
    assert (game.on("a1"), game.colour) == ("P", "black")


def test_s9_two_skipped_in_a_row_without_a_trade_are_a_draw() -> None:
    """Ruling S9: when both have been skipped in a row and neither traded, it is a draw."""
    game = Stacks(STUCK, FAR).do("end")
    assert (game.colour, game.phase, game.over) == ("black", "after the move", False)
    game.do("end")
    assert (game.reason, game.terminated, game.truncated) == ("stalled", True, False)
    assert game.reward == (0.0, 0.0)


def test_s9_a_trade_goes_on_with_the_game() -> None:
    """Ruling S9: skipped with a trade is not stalled: two more turns are needed."""
    game = Stacks(STUCK, FAR, turn="3 white", stalled=1).do("give D a1", "P>a1")
    assert not game.over
    game.do("end")
    assert not game.over
    assert game.do("end").reason == "stalled"


def test_s23_a_trade_that_is_called_off_is_no_trade_for_s9() -> None:
    """Ruling S23: calling off counts as no trade."""
    game = Stacks(STUCK, FAR, turn="3 white", stalled=1).do("give D a1", "call off")
    assert game.reason == "stalled"


def test_s9_a_move_of_the_other_player_goes_on_with_the_game() -> None:
    """Ruling S9: in a row."""
    game = Stacks(STUCK, "g7*:P").do("end", "g7-f6", "end", "end")
    assert not game.over
    assert int(game.state["stalled"]) == 1


def test_s9_warps_count_as_moves() -> None:
    """Ruling S9: no legal move at all, warps counting."""
    game = Stacks("c7*", FAR)
    assert game.phase == "move"


# --- capture --------------------------------------------------------------------------------------


def test_a_captured_stack_leaves_and_its_pieces_go_to_the_store() -> None:
    """Text: attacked stacks are removed from play, with all non-base pieces given to the store."""
    game = Stacks("d4:P", "g7* e5:Qpd")
    assert game.store == "PPPDDDDQQpppdddqqq"
    game.do("d4-e5")
    assert game.store == "PPPDDDDQQQppppddddqqq"
    assert game.squares("black") == "g7"
    assert (game.on("d4"), game.on("e5")) == (None, "P")
    assert game.phase == "after the move"


@pytest.mark.parametrize(
    ("black", "phase"),
    [
        ("g7* e5", "after the move"),
        ("g7 e5*", "hide the thief again"),
        ("g7 e5*:P", "hide the thief again"),
        ("g7 e5*:Pp", "steal"),
        ("g7* - | e5:Pp", "after the move"),
    ],
)
def test_a_captured_drone_is_revealed_as_thief_or_not(black: str, phase: str) -> None:
    """Text: whenever a drone is attacked, it must be revealed whether it is the thief."""
    game = Stacks("d4:P", black).do("d4-e5")
    assert game.phase == phase
    for seat in (0, 1):
        assert game.metrics(seat)["phase"] == int(game.state["phase"])


def test_who_captures_the_thief_steals_one_piece_and_puts_it_on_a_stack() -> None:
    """Text: an attacking player will steal one of its powers; the others go to the store."""
    game = Stacks("d4:P a1:D b1:Pp | c1", "g7 e5*:Dpd").do("d4-e5")
    assert (game.colour, game.phase) == ("white", "steal")
    assert game.options() == {"steal p", "steal d"}, "not optional; the movement is protected"
    game.do("steal p")
    assert game.options() == {"p>e5", "p>a1"}, "b1 has one, c1 is a pupil"
    assert game.store == "PPDDDQQQppddddqqq"
    game.do("p>a1")
    assert game.on("a1") == "Dp"
    assert game.store == "PPDDDQQQppddddqqq"


@pytest.mark.parametrize(
    ("own", "thief", "options"),
    [
        ("d4:P | a1", "Dpdq", {"steal p", "steal d", "steal q"}),
        ("d4:P | a1", "D", {"steal D"}),
        ("d4:Pp", "Dpd", {"steal d"}),
        ("d4:Pp | a1:Dd", "Dpd", {"steal p", "steal d"}),
        ("d4:P | a1", "Qq", {"steal q"}),
    ],
)
def test_s10_only_unprotected_pieces_that_an_own_stack_may_hold(
    own: str, thief: str, options: set[str]
) -> None:
    """Ruling S10, and the text: the movement piece of a skilled stack cannot be removed."""
    for colour, first in VIEWS:
        game = play_as(colour, first, own, f"g7 e5*:{thief}")
        game.do(as_seen(colour, "d4-e5"))
        assert game.options() == options


def test_a_stolen_movement_piece_goes_on_a_pupil() -> None:
    """Text: each stack is limited to a single movement piece."""
    game = Stacks("d4:P a1 | b1 c1:D", "g7 e5*:Q").do("d4-e5", "steal Q")
    assert game.options() == {"Q>a1", "Q>b1"}


@pytest.mark.parametrize(("own", "thief"), [("d4:P", ":D"), ("d4:Pd", ":Dd"), ("d4:P", "")])
def test_s10_if_there_is_none_nothing_is_stolen(own: str, thief: str) -> None:
    """Ruling S10: nothing can be held, or there is nothing: the game goes on without a steal."""
    game = Stacks(own, f"g7 e5*{thief}").do("d4-e5")
    assert (game.colour, game.phase) == ("black", "hide the thief again")
    assert game.on("e5") == own[3:]
    assert sorted(game.store + own[3:]) == sorted("PPPPDDDDQQQppppddddqqq")


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_the_victim_hides_again_in_the_middle_of_the_attackers_turn(
    colour: str, first: int
) -> None:
    """Text: the attacked player then hides the vulnerability under one of her remaining drones."""
    game = play_as(colour, first, "d4:P", "g7:P e5*:Pp c7 | b7:D")
    game.do(as_seen(colour, "d4-e5"), "steal p", as_seen(colour, "p>e5"))
    assert (game.colour, game.phase) == (OTHER[colour], "hide the thief again")
    options = {as_seen(colour, option) for option in game.options()}
    assert options == {"hide g7", "hide c7"}, "living drones only"
    assert game.thief(OTHER[colour]) is None
    game.do(as_seen(colour, "hide c7"))
    assert game.thief(OTHER[colour]) == as_seen(colour, "c7")
    assert (game.colour, game.phase) == (colour, "after the move")
    assert game.can(as_seen(colour, "give P e5")), "the trade is still open"
    game.do("end")
    assert game.colour == OTHER[colour]


def test_without_drones_there_is_no_thief_any_more() -> None:
    """Rules: without drones he has no thief any more."""
    game = Stacks("d4:P c1", "e5*:Pp | b7:D").do("d4-e5", "steal p", "p>e5")
    assert (game.colour, game.phase) == ("white", "after the move")
    assert game.thief("black") is None
    assert game.do("end").options() == {"b7-a6", "b7-c6", "b7-d5"}


# --- raid -----------------------------------------------------------------------------------------

RAIDING = "c6*:P a1 | b2:Dd"
RAIDED = "g7* g4:D | g5:Qp"


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_a_thief_that_lands_on_the_opponents_home_row_may_claim(colour: str, first: int) -> None:
    """Text: you may take an unprotected piece from the opposing player or any from the store.

    It may be given to any of your stacks that may legally hold it.
    """
    game = play_as(colour, first, RAIDING, RAIDED).do(as_seen(colour, "c6-d7"))
    assert game.can("claim")
    game.do("claim")
    assert (game.colour, game.phase) == (colour, "raid")
    assert {as_seen(colour, option) for option in game.options()} == words(
        "P D Q > a1", "p d q > d7", "p q > b2", "take D g4", "take p g5"
    )


def test_a_raid_may_take_a_piece_from_the_store() -> None:
    """Text: any piece available from the store."""
    game = Stacks(RAIDING, RAIDED).do("c6-d7", "claim", "q>b2")
    assert game.on("b2") == "Ddq"
    assert game.store == "PPPDDQQpppdddqq"
    assert game.phase == "hide the raider"


def test_a_raid_may_take_an_unprotected_piece_of_the_opponents() -> None:
    """Text: an unprotected piece from the opposing player; a robbed adult becomes a pupil."""
    game = Stacks(RAIDING, RAIDED).do("c6-d7", "claim", "take D g4")
    assert game.phase == "place the raided piece"
    assert game.options() == {"D>a1"}
    game.do("D>a1")
    assert (game.on("g4"), game.on("a1")) == ("", "D")
    assert game.store == "PPPDDQQpppdddqqq"


def test_clear_pieces_may_be_stacked_by_a_raid() -> None:
    """Text: clear pieces may be stacked."""
    game = Stacks(RAIDING, RAIDED).do("c6-d7", "claim", "take p g5")
    assert game.options() == {"p>d7", "p>b2"}
    assert game.do("p>b2").on("b2") == "Dpd"
    assert game.on("g5") == "Q"


def test_of_two_skills_either_may_be_taken() -> None:
    """Text: if a skilled stack has both the skilled drone and pawn, either may be taken."""
    game = Stacks("c6*:P", "g7* | g5:Qpd").do("c6-d7", "claim")
    assert {"take p g5", "take d g5"} <= game.options()
    assert "take Q g5" not in game.options()


def test_opponents_pieces_that_no_own_stack_can_hold_are_masked() -> None:
    """Rules, claim: opponent's pieces that no own stack can hold are masked."""
    game = Stacks("c6*:Pp", "g7*:D | g5:Qpd").do("c6-d7", "claim")
    assert game.options() == words("d q > d7", "take d g5", "raise P d7", "raise p d7")


def test_the_vulnerability_is_hidden_again_after_a_raid() -> None:
    """Text: you may return the vulnerability to the same stack it was already under."""
    game = Stacks("c6*:P a1 - g1 | b2:Dd", RAIDED).do("c6-d7", "claim", "q>b2")
    assert (game.colour, game.phase) == ("white", "hide the raider")
    assert game.options() == {"hide d7", "hide a1", "hide g1"}
    for drone in ("d7", "g1"):
        again = Stacks("c6*:P a1 - g1 | b2:Dd", RAIDED).do("c6-d7", "claim", "q>b2")
        assert again.do(f"hide {drone}").thief("white") == drone
        assert again.phase == "after the move"


def test_after_a_raid_the_trade_is_still_open() -> None:
    """Rules: after a raid the trade is still open; but there is no second claim."""
    game = Stacks(RAIDING, RAIDED).do("c6-d7", "claim", "q>b2", "hide d7")
    assert game.options() == {"end", "give P d7", "give D b2", "give d b2", "give q b2"}
    game.do("give D b2", "P>b2")
    assert (game.colour, game.on("b2")) == ("black", "Pdq")


@pytest.mark.parametrize(
    ("own", "move"),
    [
        ("c6:P a1* | b2:Dd", "c6-d7"),  # not the thief
        ("g3* a1 | c6:P", "c6-d7"),  # a queen
        ("c5*:P a1 | b2:Dd", "c5-d6"),  # not on the row
        ("d7*:Pd a1 | b2:Dd", "d7-c7"),  # it began on the row
        ("c6*^:P a1 | b2:Dd", "c6-d7"),  # it has raided
        ("d7*:P a1:P | b3:Dd", "a1-b2"),  # another stack moved
        ("d7*:Pd a1 | b2:Dd", "d7-c1"),  # its own home row
    ],
)
def test_who_may_not_claim(own: str, move: str) -> None:
    """Rules: one's own thief, landed by that move (S11: which began off that row), unmarked."""
    game = Stacks(own, RAIDED).do(move)
    assert game.phase == "after the move"
    assert "claim" not in game.options()


def test_there_is_no_question_that_only_a_thief_is_asked() -> None:
    """Rules, no leak: every turn has the same public phase after the move."""
    for own, move in (("c6*:P a1", "c6-d7"), ("c6:P a1*", "c6-d7"), ("c4:P a1*", "c4-d5")):
        game = Stacks(own, RAIDED).do(move)
        assert (game.colour, game.phase) == ("white", "after the move")


def test_ending_the_turn_forfeits_the_raid() -> None:
    """Rules: anything but `claim` forfeits the raid."""
    game = Stacks("c6*:P a1:P", RAIDED).do("c6-d7", "end", "g4-f3", "end")
    assert game.colour == "white"
    game.do("a1-b2")
    assert "claim" not in game.options()


def test_beginning_a_trade_forfeits_the_raid() -> None:
    """Rules: anything but `claim` forfeits the raid: a trade too, even one that is called off."""
    game = Stacks(RAIDING, RAIDED).do("c6-d7", "give P d7")
    assert "claim" not in game.options()
    assert game.do("call off").colour == "black"


def test_s18_the_mark_of_a_raid_is_set_at_the_claim() -> None:
    """Rulings S11 and S18: a public mark, from the claim on."""
    game = Stacks(RAIDING, RAIDED).do("c6-d7")
    assert game.marked("white") == ""
    game.do("claim")
    assert game.marked("white") == "d7"
    for seat, whose in ((0, "own"), (1, "opponent")):
        assert game.seen(seat)[f"{whose}_features"][0, 6] == 1
    assert game.do("q>b2", "hide a1").marked("white") == "d7", "the mark stays on the stack"


def test_s11_a_raider_must_end_a_turn_on_its_own_home_row() -> None:
    """Text: that stack must end one turn in its own home row before it can return to raid."""
    game = Stacks("d7*^:Dd a1:P | - - b3:P", "g4*:D").do("d7-d6", "end", "g4-f3", "end")
    game.do("d6-d7")
    assert "claim" not in game.options(), "it has come back without being home"
    game.do("end", "f3-e2", "end", "d7-d1")
    assert game.marked("white") == "d1", "the turn has not ended"
    game.do("end")
    assert game.marked("white") == ""


def test_s11_the_turn_must_be_its_owners() -> None:
    """Ruling S11: one of its owner's turns, whatever moves in it."""
    game = Stacks("d1*^:D a1:P", "g4*:D", turn="black").do("g4-f3", "end")
    assert game.marked("white") == "d1"
    assert game.do("a1-b2").marked("white") == "d1"
    assert game.do("end").marked("white") == ""


def test_s11_the_own_home_row_and_no_other() -> None:
    """Ruling S11: on its own home row."""
    game = Stacks("c6*^:D a1:P", "g4*^:D d6").do("c6-d7", "end")
    assert game.marked("white") == "d7"
    assert game.do("g4-e2", "end").marked("black") == "e2"


def test_s11_the_mark_is_the_stacks_and_not_the_thiefs() -> None:
    """Ruling S11: wherever the vulnerability went since."""
    assert "claim" not in Stacks("c6*^:P a1", RAIDED).do("c6-d7").options()
    assert "claim" in Stacks("c6*:P a1^", RAIDED).do("c6-d7").options()


def test_with_one_drone_left_the_raider_is_the_thief_again() -> None:
    """Text: this would always be the case when there is only one drone stack remaining."""
    game = Stacks("c6*:P - | b2:Dd", RAIDED).do("c6-d7", "claim", "q>b2")
    assert game.options() == {"hide d7"}
    assert game.do("hide d7").marked("white") == "d7"


def test_capture_and_raid_on_the_home_row_both_happen() -> None:
    """Rules: a capture on the home row and the raid both happen: capture first."""
    game = Stacks(RAIDING, "d7*:Dpd g4:D | g5").do("c6-d7")
    assert game.phase == "steal"
    game.do("steal p", "p>d7")
    assert game.do("hide g4").can("claim")
    game.do("claim", "D>a1")
    assert game.store == "PPPDQQQpppdddqqq"
    assert (game.on("d7"), game.on("a1")) == ("Pp", "D")
    assert game.phase == "hide the raider"


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_without_a_pupil_a_piece_may_be_raised(colour: str, first: int) -> None:
    """Text: if there are no legal options for a movement piece, a single piece may be upgraded.

    Rules: movement (a protected one too) or skill, of size 1 or 2, to the next size of its sort.
    """
    game = play_as(colour, first, "c6*:P | b2:Dp", "g7* g4:D | g5:Qp")
    game.do(as_seen(colour, "c6-d7"), "claim")
    assert {as_seen(colour, option) for option in game.options()} == words(
        "p d q > d7",
        "d q > b2",
        "take p g5",
        "raise P d7",
        "raise D b2",
        "raise p b2",
    )
    game.do(as_seen(colour, "raise D b2"))
    assert game.on(as_seen(colour, "b2")) == "Qp"
    assert game.store == "PPPDDDQppddddqqq"
    assert game.phase == "hide the raider"


def test_a_raised_skill_grows_by_one_size() -> None:
    """Text: upgraded by one pip count; the old piece is put in the store."""
    game = Stacks("c6*:P | b2:Dp", RAIDED).do("c6-d7", "claim", "raise p b2")
    assert game.on("b2") == "Dd"
    assert game.store == "PPPDDQQpppdddqqq"


def test_with_a_pupil_nothing_may_be_raised() -> None:
    """Rules: if the player has no pupil."""
    game = Stacks("c6*:P a1 | b2:Dp", RAIDED).do("c6-d7", "claim")
    assert not any(option.startswith("raise") for option in game.options())


def test_a_raise_needs_the_next_size_in_the_store_and_a_legal_stack() -> None:
    """Rules: if the store has it and the stack stays legal; a queen is the largest."""
    game = Stacks("c6*:P | b2:Dpd d2:Dq", "g7*:Q g4:Q | g5:Q").do("c6-d7", "claim")
    raises = {option for option in game.options() if option.startswith("raise")}
    assert raises == {"raise P d7", "raise d b2"}, "p is stopped by d, and no Q is in the store"


def test_a_claim_is_legal_only_if_something_can_be_completed() -> None:
    """Rules: only if some take-and-place or some raise can be completed."""
    full = "c6*:Dpdq"
    game = Stacks(full, "g7*:Q g5:Q | g3:Q").do("c6-d7")
    assert "claim" not in game.options()
    game = Stacks(full, "g7*:Q g5:Q | g3:P").do("c6-d7", "claim")
    assert game.options() == {"raise D d7"}
    game = Stacks(f"{full} a1", "g7*:Q g5:Q | g3:Q").do("c6-d7", "claim")
    assert game.options() == words("P D > a1", "take Q g7", "take Q g5", "take Q g3")


# --- trade ----------------------------------------------------------------------------------------

TRADER = "a1:P c1:P e1:P g2* | b3:D d3:Q f3:D"


def trader(*decisions: str) -> Stacks:
    """After a move, with P D D Q Q and all skill in the store; then *decisions*."""
    game = Stacks(TRADER, "a7*").do("f3-g4")
    assert game.store == "PDDQQppppddddqqq"
    return game.do(*decisions)


@pytest.mark.parametrize(
    ("given", "taken", "result"),
    [
        ("P a1, P c1, P e1", "D>c1", {"a1": "", "c1": "D", "e1": ""}),
        ("D b3, P a1, P c1", "Q>b3", {"b3": "Q", "a1": "", "c1": ""}),
        ("Q d3, D b3", "D>d3, D>b3", {"d3": "D", "b3": "D"}),
        ("D b3", "P>b3", {"b3": "P"}),
    ],
    ids=["1+1+1 for 2", "2+1+1 for 3", "3+2 for 2+2", "2 for 1"],
)
def test_must_replay_the_trades_of_the_text(given: str, taken: str, result: dict[str, str]) -> None:
    """Text, Figure 2: 1+1+1 for 2; 2+1+1 for 3; 3+2 for 2+2; 2 for 1."""
    game = trader(*(f"give {piece}" for piece in given.split(", ")))
    before = Counter(game.store)
    game.do(*taken.split(", "))
    assert game.colour == "black", "the trade ends by itself, and the turn with it"
    assert {square: game.on(square) for square in result} == result
    gave = Counter(piece[0] for piece in given.split(", "))
    took = Counter(piece[0] for piece in taken.split(", "))
    assert Counter(game.store) == before - took + gave


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_a_trade_of_both_sorts_for_both_seats(colour: str, first: int) -> None:
    """Text: both skilled and movement pieces may be involved in a trade."""
    game = play_as(colour, first, "d2:Dp | f2:Dq", "a7*").do(as_seen(colour, "d2-e3"))
    trade = ["give D e3", "give p e3", "P>e3", "p>e3"]
    game.do(*(as_seen(colour, word) for word in trade))
    assert game.on(as_seen(colour, "e3")) == "Pp"
    assert game.colour == OTHER[colour]


def test_the_trade_comes_after_the_move_and_once_a_turn() -> None:
    """Text: after the moving phase; only one upgrade is allowed per round."""
    game = Stacks(TRADER, "a7*:Q")
    assert not any(option.startswith("give") for option in game.options())
    game.do("f3-g4", "give D b3", "P>b3")
    assert (game.colour, game.phase) == ("black", "move")


def test_one_to_three_pieces_are_given() -> None:
    """Text: trading up to three non-opaque pieces."""
    game = trader("give P a1")
    assert game.options() == words("call off", *(f"give {p}" for p in OTHERS))
    game.do("give P c1", "give P e1")
    assert not any(option.startswith("give") for option in game.options())


OTHERS = ("P c1", "P e1", "D b3", "Q d3", "D g4")


def test_up_to_three_pieces_are_received_of_one_pip_less() -> None:
    """Text: for up to three pieces; the trading post assesses a fee of one pip point."""
    game = trader("give Q d3", "give D b3", "give P a1")  # 6 for 5
    game.do("P>d3", "D>b3", "D>a1")
    assert (game.on("d3"), game.on("b3"), game.on("a1"), game.colour) == ("P", "D", "D", "black")


def test_s23_a_single_pawn_may_be_given_but_buys_nothing() -> None:
    """Rules: V >= 2. Ruling S23: any own piece may be given even if no trade can be completed."""
    game = trader("give P a1")
    assert not any(">" in option for option in game.options())
    assert game.do("call off").on("a1") == "P"


def test_must_replay_a_trade_whose_value_is_not_met_is_refused() -> None:
    """Rules: of total value exactly V - 1; takes above it are masked."""
    game = trader("give D b3", "give P a1")  # 3 for 2
    assert game.options() >= words("P D > b3 a1 g2")
    assert not any(option[0] in "Qq" for option in game.options() if ">" in option)
    game.do("P>b3")
    assert game.colour == "white", "it does not end below V - 1"
    assert game.options() == words("call off", "p > b3"), "P and D: no pawn left, and above V - 1"


def test_s14_a_third_piece_must_meet_the_value_exactly() -> None:
    """Ruling S14: a third received piece must meet V - 1 exactly."""
    game = Stacks("a1:Q c1:Q e1:Q g2* | f3:D", "a7*").do("f3-g4")
    game.do("give Q a1", "give Q c1", "give Q e1", "P>a1")  # 9 for 8
    game.do("D>c1")  # 5 are left, and a piece is worth 3 at most
    assert game.options() == {"call off"}
    game = trader("give Q d3", "give D b3", "give P a1", "P>d3", "D>b3")  # 5, of which 2 are left
    assert game.options() == words("call off", "D > a1 g2", "d > d3 b3")


def test_must_replay_a_piece_that_is_not_in_the_store_is_refused() -> None:
    """Rules: pieces from the store; one cannot receive what one just gave."""
    game = Stacks("a1:D c1:P e1:D | f3:D", "a7*:D").do("f3-g4", "give D a1", "give P c1")
    assert not any(option.startswith("D>") for option in game.options())
    assert game.options() >= words("P > a1 c1")


def test_the_given_go_to_the_store_after_the_trade() -> None:
    """Text: after the trade, the pieces traded in are added to the store."""
    game = trader("give D b3", "give P a1")
    assert game.store == "PDDQQppppddddqqq"
    assert letters(game.state["hand"][0]) == "PD"
    game.do("D>a1")
    assert game.store == "PPDDQQppppddddqqq"


def test_must_replay_a_target_that_is_neither_in_the_trade_nor_a_pupil_is_refused() -> None:
    """Text: either on stacks that were in on the trade or on any pupil."""
    game = trader("give D b3", "give P a1")
    assert game.options() == words(
        "call off",
        "P D > b3 a1 g2",
        *(f"give {piece}" for piece in ("P c1", "P e1", "Q d3", "D g4")),
    )
    assert not game.can("p>d3"), "d3 could hold a skill, but is not in the trade"
    assert not game.can("p>c1")


def test_a_pupil_takes_part_if_it_was_one_when_the_trade_began() -> None:
    """Rules: on stacks that were pupils when the trade began; and skill once it has movement."""
    game = trader("give D b3", "give P a1")
    assert not game.can("p>g2")
    game.do("P>g2")
    assert game.options() == words("call off", "p > g2")
    game.do("p>g2")
    assert (game.on("g2"), game.on("b3"), game.on("a1")) == ("Pp", "", "")


def test_s12_the_first_take_ends_giving() -> None:
    """Ruling S12: give, give, take, take."""
    game = trader("give Q d3")
    assert game.can("give D b3")
    game.do("P>d3")
    assert not any(option.startswith("give") for option in game.options())


def test_pieces_not_in_on_a_trade_remain_with_their_stacks() -> None:
    """Text: pieces not in on a trade remain with their stacks."""
    game = trader("give D b3", "P>b3")
    assert [game.on(square) for square in ("a1", "c1", "e1", "g2", "d3", "g4")] == (
        ["P", "P", "P", "", "Q", "D"]
    )


def test_the_movement_of_a_skilled_stack_may_be_replaced_in_a_trade() -> None:
    """Rules: it may be given if another takes its place in the same trade."""
    game = Stacks("d2*:Qp a1 | f2:D", "a7*").do("f2-g3", "give Q d2")
    game.do("D>d2")
    assert (game.on("d2"), game.colour) == ("Dp", "black")


def test_s12_a_last_take_that_leaves_skill_stranded_is_masked() -> None:
    """Rulings S12 and S14: in the end every stack must be legal."""
    game = Stacks("d2*:Qp a1 | f2:D", "a7*").do("f2-g3", "give Q d2")  # 3 for 2
    assert game.options() == words("call off", "give p d2", "give D g3", "P D > d2", "P > a1")
    game.do("P>a1")
    assert game.options() == {"call off", "P>d2"}
    assert game.do("P>d2").on("d2") == "Pp"


def test_s12_skill_is_put_only_on_a_stack_that_then_has_movement() -> None:
    """Ruling S12: skill may be left stranded by a give, but none may be added."""
    game = Stacks("d2*:Qp a1 | f2:D", "a7*").do("f2-g3", "give Q d2")
    assert not game.can("d>d2")
    game.do("P>d2")
    assert game.options() == {"call off", "P>a1"}, "the rest is 1, and d2 has a skill pawn"


def test_skill_without_movement_waits_for_the_rest_of_the_trade() -> None:
    """RULES.md, the example: 3 + 2 for 2 + 2, with the queen of `Qpd` given."""
    given = Stacks("a1:Qpd c1:D e1* | f2:D", "a7*").do("f2-g3", "give Q a1", "give D c1").record
    for first, then in (("D>a1", "D>e1"), ("D>e1", "D>a1")):
        game = Stacks("a1:Qpd c1:D e1* | f2:D", "a7*")
        game.record[:] = given
        game.do(first)
        assert game.options() >= {"call off", then}
        game.do(then)
        assert (game.on("a1"), game.on("c1"), game.on("e1")) == ("Dpd", "", "D")
    game.record[:] = given
    game.do("D>e1")
    assert [option for option in sorted(game.options()) if option[0] == "D"] == ["D>a1"]


def test_three_pawns_for_a_drone_or_two_pawns() -> None:
    """RULES.md, the example: movement and skill pawn of `Pp`, and the pawn of `P`."""
    game = Stacks("a1:Pp c1:P g1* | f2:D", "a7*").do("f2-g3")
    game.do("give P a1", "give p a1", "give P c1")
    assert game.options() == words("call off", "P D > a1 c1 g1")
    game.do("P>c1")
    assert game.options() == words("call off", "P > a1 g1", "p > c1")


def test_s12_calling_off_puts_everything_back_and_ends_the_turn() -> None:
    """Ruling S12: everything goes back as it was, and the turn ends: as if nothing was given."""
    ended = trader("end").record
    for decisions in (
        ("give P a1",),
        ("give Q d3", "give D b3", "give P a1"),
        ("give Q d3", "P>g2"),
        ("give Q d3", "give D b3", "P>g2", "p>g2"),
    ):
        game = trader(*decisions)
        assert game.can("call off")
        game.do("call off")
        again = game.record.copy()
        again["decisions"] = ended["decisions"]
        assert again.tobytes() == ended.tobytes(), decisions


# --- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("colour", "first"), VIEWS)
def test_who_captures_the_last_stack_wins(colour: str, first: int) -> None:
    """Text: eliminate all of the opposing stacks. Rewards +1 / -1."""
    game = play_as(colour, first, "d4:P", "c5 | e5").do(as_seen(colour, "d4-e5"))
    assert not game.over
    assert game.reward == (0.0, 0.0)
    game = play_as(colour, first, "d4:P", "e5*").do(as_seen(colour, "d4-e5"))
    assert (game.reason, game.terminated, game.truncated) == ("captured_all", True, False)
    seat = game.seat(colour)
    assert game.reward == ((1.0, -1.0) if seat == 0 else (-1.0, 1.0))
    assert game.mover is None
    assert game.legal() == []


def test_s15_the_capture_of_the_last_stack_ends_the_game_at_once() -> None:
    """Ruling S15: nothing is stolen."""
    game = Stacks("d4:P a1", "e5*:Dp").do("d4-e5")
    assert game.reason == "captured_all"
    assert (game.on("e5"), game.on("a1")) == ("P", "")
    assert game.store == "PPPDDDDQQQppppddddqqq"


def test_s13_after_max_turns_the_game_is_truncated() -> None:
    """Ruling S13: after max_turns without a winner; the score is a draw."""
    game = Stacks("a1*:P", "g7*:P", turn="199 white")
    game.do("a1-b2", "end")
    assert not game.over
    game.do("g7-f6", "end")
    assert (game.reason, game.terminated, game.truncated) == ("max_turns", False, True)
    assert game.reward == (0.0, 0.0)
    assert int(game.state["turns"]) == 200


def test_s13_max_turns_is_an_option() -> None:
    """Ruling S13: max_turns counts the turns of both players."""
    game = Stacks("a1*:P", "g7*:P", max_turns=2).do("a1-b2", "end", "g7-f6", "end")
    assert game.reason == "max_turns"


def test_s13_a_winner_in_the_last_turn_wins() -> None:
    """Ruling S13: without a winner."""
    game = Stacks("d4:P", "e5*", turn="199 white", max_turns=200).do("d4-e5")
    assert game.reason == "captured_all"


def test_s21_material_counts_the_change_of_pips_at_the_end_of_each_turn() -> None:
    """Option reward="material": 0.01 x the change of (own - opponent's) pips on stacks.

    Ruling S21: settled when the turn ends.
    """
    game = Stacks("d4:P a1 | b1:D", "g7:D e5*:Dpd c7", reward="material").do("d4-e5")
    assert game.reward == (0.0, 0.0)
    game.do("steal d", "d>e5", "hide g7")
    assert game.reward == (0.0, 0.0)
    game.do("give D b1", "P>b1")
    # White has the skill drone more (2), and the fee less (1); black has lost 2 + 1 + 2.
    assert game.reward == pytest.approx((0.06, -0.06))
    assert game.do("g7-f6").reward == (0.0, 0.0)
    assert game.do("end").reward == (0.0, 0.0)


def test_s21_material_is_settled_at_the_final_capture_too() -> None:
    """Ruling S21: and the win is added."""
    game = Stacks("d4:P", "e5*:Dp", first=1, reward="material").do("d4-e5")
    assert game.reward == pytest.approx((-1.03, 1.03))


def test_reward_outcome_is_nothing_before_the_end() -> None:
    """Rewards: +1 / -1 / 0."""
    game = Stacks("d4:P", "g7* e5:Dp").do("d4-e5", "end")
    assert game.reward == (0.0, 0.0)


# --- variant 1: steal_on_attack -------------------------------------------------------------------

ATTACK = {"steal_on_attack": True}


def attack(own: str = "d4*:P a1 | b1", theirs: str = "g7*:D e5:Dpd", **options: Any) -> Stacks:
    return Stacks(own, theirs, **{**ATTACK, **options})


def test_variant_1_a_thief_that_captures_may_expose_itself_to_steal() -> None:
    """Text, variant 1: the thief may also be able to steal during an attack, by making the call."""
    game = attack().do("d4-e5")
    assert game.options() == {"end", "give P e5", "expose"}
    game.do("expose")
    assert game.phase == "steal"
    assert game.options() == {"steal p", "steal d"}
    game.do("steal d")
    assert game.options() == {"d>e5"}
    game.do("d>e5")
    assert game.on("e5") == "Pd"
    assert game.options() == {"end", "give P e5", "give d e5"}, "one piece, once"


def test_variant_1_is_an_option() -> None:
    """Option steal_on_attack=False: there is no such call."""
    game = Stacks("d4*:P a1", "g7*:D e5:Dpd").do("d4-e5")
    assert game.options() == {"end", "give P e5"}
    assert not game.seen()["loot"].any(), "nothing may be stolen of what was captured"
    assert attack().do("d4-e5").seen()["loot"].tolist() == [0, 0, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("own", "theirs", "move"),
    [
        ("d4:P a1*", "g7*:D e5:Dpd", "d4-e5"),  # not the thief
        ("d4*:P a1", "g7*:D e5:Dpd", "d4-c5"),  # no capture
        ("d4*:P", "g7*:D e5:D", "d4-e5"),  # nothing that a stack could hold
        ("d4*:P", "g7*:D e5", "d4-e5"),  # nothing
        ("d4*:Pp", "g7*:D e5:Dp", "d4-e5"),
    ],
)
def test_variant_1_who_may_not_expose(own: str, theirs: str, move: str) -> None:
    """Rules: when the moving stack is the thief and captures; a piece that can be stolen."""
    assert "expose" not in attack(own, theirs).do(move).options()


def test_variant_1_the_vulnerability_stays_and_is_seen_by_both() -> None:
    """Text, variant 1: their vulnerability remains exposed until the stack is captured."""
    game = attack().do("d4-e5")
    assert game.seen(1)["opponent_features"][:, 7].tolist() == [0] * 7
    game.do("expose", "steal d", "d>e5", "end", "g7-f6", "end", "e5-e4", "end")
    assert game.thief("white") == "e4"
    assert game.state["exposed"].tolist() == [1, 0]
    assert game.seen(1)["opponent_features"][:, 7].tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_s17_when_an_exposed_thief_is_captured_the_victim_hides_hidden() -> None:
    """Ruling S17, and the text: until the stack is captured."""
    game = attack("d4:P", "g7 e5!:Dp c7 | b7").do("d4-e5", "steal p", "p>e5", "hide c7")
    assert game.state["exposed"].tolist() == [0, 0]
    assert game.thief("black") == "c7"
    assert game.seen(0)["opponent_features"][:, 7].tolist() == [0] * 7


def test_s16_an_exposed_thief_may_expose_again_at_each_later_capture() -> None:
    """Ruling S16: an exposed thief steals again when it captures again."""
    game = attack("d4!:P a1 | b1", "g7*:D e5:Dpd").do("d4-e5")
    assert game.can("expose")
    game.do("expose", "steal p", "p>e5")
    assert game.on("e5") == "Pp"
    assert game.state["exposed"].tolist() == [1, 0]


def test_an_exposed_thief_may_raid_and_stays_exposed() -> None:
    """Rules: an exposed thief may raid and stays exposed: it is not hidden again."""
    game = attack("c6!:P a1", "g7*:D").do("c6-d7", "claim", "Q>a1")
    assert game.phase == "after the move"
    assert game.thief("white") == "d7"
    assert game.state["exposed"].tolist() == [1, 0]
    assert game.marked("white") == "d7"


def test_a_thief_may_expose_and_then_raid() -> None:
    """Rules: an exposed thief may raid: in the turn of the call too."""
    game = attack("c6*:P a1", "g7*:D d7:Dp").do("c6-d7", "expose", "steal p", "p>d7")
    assert game.can("claim")
    game.do("claim", "Q>a1")
    assert (game.phase, game.thief("white")) == ("after the move", "d7")


@pytest.mark.parametrize(("taken", "left"), [("q>d7", False), ("p>d7", True)])
def test_s16_what_a_raid_has_taken_meanwhile_cannot_be_stolen(taken: str, left: bool) -> None:
    """Ruling S16: a raid comes first, and takes the only skill queen that is in the store."""
    game = attack("c6*:P a1:Dd | b1:D", "g7*:Dq d7:Dq | f7:Pq").do("c6-d7", "claim", taken)
    game.do("hide d7")
    assert game.can("expose") is left
    if left:
        assert game.do("expose").options() == {"steal q"}


def test_a_raider_that_hid_elsewhere_can_no_longer_expose() -> None:
    """Rules, variant 1: the moving stack must be the thief."""
    game = attack("c6*:P a1:Dd", "g7*:D d7:Dp").do("c6-d7", "claim", "q>d7")
    assert not game.do("hide a1").can("expose")


def test_s16_the_call_adds_nothing_to_the_steal_of_a_captured_thief() -> None:
    """Rules and ruling S16: nothing more after the steal of a captured thief."""
    game = attack("d4*:P a1 | b1", "g7:D e5*:Dpd").do("d4-e5", "steal p", "p>e5", "hide g7")
    assert game.options() == {"end", "give P e5", "give p e5"}
    game = attack("d4*:Pp a1:Dpd", "g7:D e5*:Dpd").do("d4-e5", "steal d", "d>e5", "hide g7")
    assert not game.can("expose")
    # Not even if there was nothing to be stolen then.
    game = attack("d6*:P", "g7:D e7*:D").do("d6-e7", "hide g7")
    assert not game.can("expose")


# --- variant 2: stacked_movement ------------------------------------------------------------------


def stacked(own: str, theirs: str = FAR, **options: Any) -> Stacks:
    return Stacks(own, theirs, stacked_movement=True, **options)


def test_s19_stacked_movement_is_not_for_the_set_up() -> None:
    """Text, variant 2: after the initial set up. Ruling S19."""
    game = Stacks(stacked_movement=True).do("hide a1", "P>a1")
    assert game.options() == words("P D Q > c1 e1 g1 b2 d2 f2", "p d q > a1")


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("a1:PP", "b2 c3"),
        ("a1:PD", "b2 c3 d4"),
        ("a1:PQ", "b2 c3 d4 e5"),
        ("a1:DQ", "b2 c3 d4 e5 f6"),
        ("a1:QQ", "b2 c3 d4 e5 f6 g7"),
        ("a1:PPDQ", "b2 c3 d4 e5 f6 g7"),
    ],
)
def test_variant_2_movement_points_are_accumulative(stack: str, expected: str) -> None:
    """Text, variant 2: the movement points would be accumulative."""
    assert moves(stack, "g6*", "a1", stacked_movement=True) == expected


def test_variant_2_reach_has_no_limit() -> None:
    """Text, variant 2: accumulative. From a1 over a4, c6 to g6 it is 7 squares."""
    friends = "a4:Pp c6:Pp"
    assert "g6" in moves(f"{friends} | a1:QQPq", FAR, "a1", stacked_movement=True).split()
    assert "g6" not in moves(f"{friends} | a1:QQq", FAR, "a1", stacked_movement=True).split()
    assert "g6" in moves(f"{friends} a2:P | a1:QQq", FAR, "a1", stacked_movement=True).split()
    # A pupil keeps it from g1 straight on; round the board it is 3 + 1 + 1 + 1 + 4 squares.
    ring = "a5:Pp c7:Pp e7:Pp g5:Pp | a1:{} b1"
    assert "g1" in moves(ring.format("QQDDq"), "a7*", "a1", stacked_movement=True).split()
    assert "g1" not in moves(ring.format("QQQq"), "a7*", "a1", stacked_movement=True).split()


def test_variant_2_a_trade_may_stack_movement() -> None:
    """Text, variant 2: such stacks could only be accomplished through trades or captures."""
    game = stacked("d2*:Dp | f2:Q", "a7*").do("f2-g3", "give Q g3")
    assert game.options() == words("call off", "give D d2", "give p d2", "P D > g3")
    game.do("P>g3", "P>g3")
    assert game.on("g3") == "PP"


def test_variant_2_a_trade_may_give_one_of_several() -> None:
    """Rules: piece picks name sort and size."""
    game = stacked("d2*:PDp | f2:Q", "a7*").do("f2-g3")
    assert game.options() == {"end", "give P d2", "give D d2", "give p d2", "give Q g3"}
    game.do("give D d2")
    assert game.can("P>d2"), "beside the pawn that it keeps"
    game.do("P>d2")
    assert game.on("d2") == "PPp"


def test_variant_2_skill_is_stranded_only_without_any_movement() -> None:
    """In the end every stack must be legal."""
    game = stacked("d2*:PDp a1 | f2:Q", "a7*").do("f2-g3", "give D d2", "give P d2")  # 3 for 2
    assert game.options() == words("call off", "give p d2", "give Q g3", "P D > d2", "P > a1")


def test_variant_2_a_raid_may_stack_movement() -> None:
    """Rules: gained by raid; there is no raise."""
    game = stacked("c6*:P | b2:Dp", "g7* g4:D | g5:Qp").do("c6-d7", "claim")
    assert game.options() == words("P D Q p d q > d7", "P D Q d q > b2", "take D g4", "take p g5")
    game.do("take D g4")
    assert game.options() == words("D > d7 b2")
    assert game.do("D>b2").on("b2") == "DDp"


def test_variant_2_a_steal_may_stack_movement() -> None:
    """Rules: gained by steal."""
    game = stacked("d4:P", "g7 e5*:D").do("d4-e5", "steal D", "D>e5")
    assert game.on("e5") == "PD"


def test_variant_2_only_the_last_movement_piece_is_protected() -> None:
    """Rules: only a skilled stack's last movement piece is protected."""
    game = stacked("c6*:P", "g7* - | g5:PDp g3:Qp").do("c6-d7", "claim")
    takes = {option for option in game.options() if option.startswith("take")}
    assert takes == {"take P g5", "take D g5", "take p g5", "take p g3"}
    game = stacked("d4:P", "g7 e5*:PDp").do("d4-e5")
    assert game.options() == {"steal P", "steal D", "steal p"}
    game = stacked("d4:P", "g7 e5*:DDp").do("d4-e5")
    assert game.options() == {"steal D", "steal p"}
    assert game.do("steal D").store == "PPPDDDQQQppppddddqqq"


# --- positions ------------------------------------------------------------------------------------


def test_s22_a_position_without_a_mark_gets_a_drawn_thief() -> None:
    """Ruling S22: evenly among the side's living drones."""
    drawn = Counter(
        Stacks("a1 - e1 g1 | b2", "g7", seed=seed * 7919).thief("white") for seed in range(600)
    )
    assert set(drawn) == {"a1", "e1", "g1"}
    assert min(drawn.values()) > 150
    assert Stacks("| b2", "g7").thief("white") is None
