"""Every rule of Stacktrices, one by one, on the engine.

Positions and decisions are written as in `tests.play.Stacks`: `d2*:Dp` is a thief on d2 with a
movement drone and a skill pawn. Each side's drones stand before the bar, its queens after it. What
is on no stack is in the store. In most of them black does nothing but stand far away.

Most rules are a `Case`: a position, decisions, and what is then found. White moves, which is seat 0
in one case and seat 1 in another; `test_properties.py` says that the colours are alike.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck.games.stacktrices.constants import PHASES
from tests.play import Play
from tests.stacktrices.words import COLOURS, Stacks, letters


def words(listed: str) -> set[str]:
    """`P D > a1 c1` are all pieces on all stacks; other words stand for themselves."""
    found = set()
    for word in filter(None, listed.split(", ")):
        pieces, on, stacks = word.partition(" > ")
        if on:
            found |= {f"{piece}>{stack}" for piece in pieces.split() for stack in stacks.split()}
        else:
            found.add(word)
    return found


class Case:
    """A rule, by its words; the position, the decisions, and what is found then.

    options: all legal decisions; can: some of them; never: what stands in no legal decision;
    moves_d4: where the stack on d4 may go; thief_white, marked_black, squares_black: where they
    are; d4: the pieces there. *of*: options of the game.
    """

    def __init__(
        self, rule: str, own: str, theirs: str, *decisions: str, of: Any = None, **found: Any
    ) -> None:
        self.rule, self.own, self.theirs, self.found = rule, own, theirs, found
        self.decisions, self.of = ", ".join(decisions).split(", ") if decisions else [], of or {}

    def check(self) -> None:
        game = Stacks(self.own, self.theirs, first=len(self.rule) % 2, **self.of)
        game.do(*self.decisions)
        options = game.options()
        for what, expected in self.found.items():
            kind, _, of_whom = what.partition("_")
            if what == "options":
                assert options == words(expected)
            elif what == "can":
                assert options >= words(expected)
            elif what == "never":
                assert not [one for one in options for part in expected.split(", ") if part in one]
            elif what in ("colour", "phase", "store", "reason"):
                assert getattr(game, what) == expected
            elif kind == "moves":
                assert set(game.moves(of_whom).split()) == set(expected.split())
            elif of_whom:
                assert (getattr(game, kind)(of_whom) or "") == expected
            else:
                assert game.on(what) == expected, what


def cases(*listed: Case) -> Any:
    return pytest.mark.parametrize("case", listed, ids=[case.rule for case in listed])


FAR = "g7*"  # a pupil in the corner


# --- the table ------------------------------------------------------------------------------------


def test_the_board_has_7_files_and_7_ranks() -> None:
    """Text: 7x7 board. Rules: files a..g, ranks 1..7."""
    corners = "a1*:Q - - g1:Q | - - -", "a7*:D - - g7:D"
    assert Stacks(*corners).moves("a1") == "b2 c3 d4"
    assert Stacks().seen()["own_at"].shape == (7, 7, 7)
    for outside in ("h1", "a8", "a0"):
        with pytest.raises(ValueError, match=f"'{outside}' is no square"):
            Stacks(outside, "g7")


@pytest.mark.parametrize("first", [0, 1])
def test_s3_s20_four_drones_stand_on_the_home_row_and_three_queens_before_it(first: int) -> None:
    """Ruling S3: drones on a, c, e, g of the home row, queens on b, d, f of the row before it.

    Ruling S20: `first` says which seat plays white; seat 0's home row is rank 0 all the same.
    """
    game = Stacks(first=first)
    for colour, squares in (("white", "a1 c1 e1 g1 b2 d2 f2"), ("black", "a7 c7 e7 g7 b6 d6 f6")):
        stacks = game.state["square"][game.seat(colour)]
        assert [game.name(square) for square in stacks] == squares.split()
    home = [[0, 2, 4, 6, 8, 10, 12], [42, 44, 46, 48, 36, 38, 40]]
    assert game.state["square"].tolist() == home
    assert game.mover == first
    assert [game.seen(seat)["white"].tolist() for seat in (first, 1 - first)] == [[1], [0]]
    assert game.variant.agents == ("player_0", "player_1")


def test_there_are_22_pieces() -> None:
    """Text: four pawns, four drones, three queens, clear ones (skill) and of one colour.

    Ruling S1: the text says queens twice; the second are pawns. Text: two queens in store.
    """
    game = Stacks()
    held = game.state["store"] + game.state["hand"].sum(axis=0)
    assert letters(held) == Stacks("a1", "g7").store == "PPPPDDDDQQQppppddddqqq"
    assert [letters(hand) for hand in game.state["hand"]] == ["PPDDQppddq"] * 2
    assert game.store == "Qq"


# --- set-up ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_s4_white_hides_and_caps_and_then_black(first: int) -> None:
    """Ruling S4: one decision at a time; white completes, then black. S5: white moves first."""
    game = Stacks(first=first)
    asked = []
    while game.phase != "move":
        asked.append((game.colour, game.phase))
        game.act(game.legal()[-1])
    one = ["hide the thief", *["place the pieces"] * 10]
    assert asked == [(colour, phase) for colour in COLOURS for phase in one]
    assert game.colour == "white"
    assert int(game.state["turns"]) == 0


CAPPING = ["P>a1", "p>a1", "P>c1", "p>c1", "d>c1", "D>e1", "d>e1", "q>e1", "D>b2", "Q>d2"]


@pytest.mark.parametrize("first", [0, 1])
def test_each_player_hides_the_thief_under_a_drone_and_uses_all_ten_pieces(first: int) -> None:
    """Text: each player places a vulnerability under one of their drones; using all of the pieces;
    some opaque pieces may remain uncapped for now.
    """
    game = Stacks(first=first)
    assert game.options() == {"hide a1", "hide c1", "hide e1", "hide g1"}
    game.do("hide e1", *CAPPING)
    assert game.thief("white") == "e1"
    on = {name: game.on(name) for name in ("a1", "c1", "e1", "g1", "b2", "d2", "f2")}
    assert on == {"a1": "Pp", "c1": "Ppd", "e1": "Ddq", "g1": "", "b2": "D", "d2": "Q", "f2": ""}
    assert game.store == "Qq"
    assert game.state["hand"][first].tolist() == [0] * 6
    assert game.options() == {"hide a7", "hide c7", "hide e7", "hide g7"}
    assert game.do("hide g7").thief("black") == "g7"


def test_capping_is_decided_piece_by_piece_with_movement_before_skill() -> None:
    """Text: cap the opaque pieces without stranding any clear pieces. S4: in any order."""
    game = Stacks().do("hide a1")
    assert game.options() == words("P D Q > a1 c1 e1 g1 b2 d2 f2")
    game.do("Q>d2")
    assert game.options() == words("P D > a1 c1 e1 g1 b2 f2, p d q > d2")
    game.do("q>d2", "P>a1")
    assert game.options() == words("P D > c1 e1 g1 b2 f2, p d > d2 a1")
    game.do("p>a1")
    assert game.options() == words("P D > c1 e1 g1 b2 f2, p d > d2, d>a1")
    game.do("p>d2", "d>d2", "d>a1", "P>c1", "D>e1")
    assert game.options() == words("D > g1 b2 f2")


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

    def counted(setup: str) -> np.ndarray:
        """How many pieces are on drones and on queens, and under which drone the thieves are."""
        batch = cyberdeck.Batch("stacktrices", 4000, seed=1, first=0, setup=setup)
        batch.play("random", 22 if setup == "choose" else 0)
        states = batch.core.states
        assert set(states["phase"]) == {PHASES.index("move")}
        heights = states["pieces"].sum(axis=3)
        groups = [heights[:, seat, stacks] for seat in (0, 1) for stacks in (slice(4), slice(4, 7))]
        thieves = [states["thief"][:, seat] for seat in (0, 1)]
        return np.concatenate(
            [np.bincount(each.ravel(), minlength=5) for each in (*groups, *thieves)]
        )

    drawn, played = counted("random"), counted("choose")
    assert ((drawn - played) ** 2 / np.maximum(drawn + played, 1)).max() < 4**2


def test_s5_first_may_be_drawn() -> None:
    """Option first="random" | 0 | 1: which seat plays white; a coin by default."""
    whites = Counter(Play("stacktrices", seed=seed * 7919).mover for seed in range(400))
    assert min(whites[0], whites[1]) > 150
    for first in (0, 1):
        assert Play("stacktrices", seed=3, first=first).mover == first


# --- actions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steal", "stacked", "count", "picks"),
    [
        (False, False, 448, 28),
        (True, False, 449, 28),
        (False, True, 476, 42),
        (True, True, 477, 42),
    ],
)
def test_how_many_actions_there_are(steal: bool, stacked: bool, count: int, picks: int) -> None:
    """Rules, actions: 448; 449 with steal_on_attack; 476 with stacked_movement; 477 with both."""
    options = {"steal_on_attack": steal, "stacked_movement": stacked}
    variant = cyberdeck.variant("stacktrices", **options)
    groups = [343, 4, 42, picks, picks, 1, 1, 1] + [1] * steal
    assert [size for size, _ in variant.actions] == groups
    assert variant.action_count == count


@pytest.mark.parametrize("first", [0, 1])
def test_the_numbers_of_the_actions(first: int) -> None:
    """Rules: squares are 7 * rank + file as the mover sees them, the own home row rank 0."""
    game = Stacks("- - b6*:D a1 | - d2:Qd", "d6*:Dp - g4:Dp", first=first)
    # The adult on b6 is stack 2, the queen on d2 stack 5.
    rank, file = [7 * 1 + file for file in (0, 1, 2, 4, 5, 6)], [7 * at + 3 for at in (0, 2, 3, 4)]
    diagonals = [7 * 2 + 2, 7 * 3 + 1, 7 * 4 + 0, 7 * 2 + 4, 7 * 3 + 5, 7 * 4 + 6]  # c3 .., e3 ..
    of_d2 = sorted(49 * 5 + square for square in (*rank, *file, *diagonals))
    assert game.legal() == [49 * 2 + 7 * 6 + 0, 49 * 2 + 7 * 6 + 2, *of_d2]  # b6-a7, b6-c7
    game.act(49 * 2 + 7 * 6 + 2)
    gives = [389 + 4 * 2 + 0, 389 + 4 * 5 + 0, 389 + 4 * 5 + 2]  # D; Q and the skill drone
    assert game.legal() == [*gives, 445, 446]
    game.act(445)  # claim
    # From the store: P, D, Q on the pupil a1 (stack 3), skill on c7 and d2; from stack 0 and 2
    # of the opponent's, their skill pawns.
    puts = [(2, 3), (2, 4), (2, 5), (3, 0), (3, 1), (3, 2), (5, 3), (5, 5)]
    taken = [417 + 4 * 0 + 1, 417 + 4 * 2 + 1]
    assert game.legal() == [*(347 + 6 * stack + kind for stack, kind in puts), *taken]
    game.act(taken[1])
    assert game.legal() == [347 + 6 * 2 + 3, 347 + 6 * 5 + 3]
    game.act(347 + 6 * 5 + 3)
    assert game.legal() == [343 + 2, 343 + 3]
    game.act(343 + 3)
    assert game.legal() == [*gives[:2], 389 + 4 * 5 + 1, 389 + 4 * 5 + 2, 446]
    game.act(389 + 4 * 5 + 1)
    assert 447 in game.legal()  # call off
    game.act(447)
    assert game.colour == "black"


def test_a_steal_picks_from_the_index_of_the_captured_stack() -> None:
    """Rules: for a steal the captured stack's own index."""
    game = Stacks("d4:P", "a7 c7 e7 e5*:Dpd").do("d4-e5")
    assert game.legal() == [417 + 4 * 3 + 1, 417 + 4 * 3 + 2]


# --- moves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["{}", "| {}"], ids=["drone", "queen"])
@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        # Text: adults may only move forward diagonally; pawn one space, drone two, queen three.
        ("d3:P", "c4 e4"),
        ("d3:D", "c4 b5 e4 f5"),
        ("d3:Q", "c4 b5 a6 e4 f5 g6"),
        ("a3:Q", "b4 c5 d6"),
        ("d6:Q", "c7 e7"),
        ("d7:Q", "a1 b1 c1 d1 e1 f1 g1"),  # nothing is forward of it: the warp
        # Text: a clear pawn: all four diagonals.
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
def test_s6_s7_where_movement_leads(base: str, stack: str, expected: str) -> None:
    """Rulings S6 (up to the reach, straight) and S7 (skills add up, and to what the adult could
    do).
    """
    theirs = "g7* g5" if stack.startswith("d4") else FAR
    Case("", base.format(stack), theirs, **{f"moves_{stack[:2]}": expected}).check()


AROUND = ["c3", "c4", "c5", "d3", "d5", "e3", "e4", "e5"]


@cases(
    *(Case(f"a pupil attacks {at}", "d4 a1:P", f"{at} g7", moves_d4=at) for at in AROUND),
    Case("all around", "d4 a1:P", "c3 c4 c5 d3 | d5 e3 e4", moves_d4=" ".join(AROUND[:7])),
    Case("not two squares away", "d4 a1:P", "b2 b4 b6 d6 | f6 f4 d2", moves_d4=""),
    Case("nor a friend", "d4 c3:P d5:P e4:P | e5:P", "d3 g7", moves_d4="d3"),
)
def test_a_pupil_moves_one_square_and_only_to_attack(case: Case) -> None:
    """Text: pupils may only be moved to attack a stack in any adjacent square."""
    case.check()


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
        # The queen skill passes friendly stacks only: not what it captures on d4.
        ("d3:Qq", "d4:Pp g7", "a3 a6 b1 b3 b5 c2 c3 c4 d1 d2 d4 e2 e3 e4 f1 f3 f5 g3 g6"),
    ],
)
def test_no_stack_passes_through_or_beyond_another(own: str, theirs: str, expected: str) -> None:
    """Text: stacks are not allowed to pass through or beyond other stacks."""
    Case("", own, theirs, moves_d3=expected).check()


THREE = "a1*:P c1:P e1 | g1:D"


@cases(
    Case("any one", THREE, "d2 g7*", options="a1-b2, c1-b2, c1-d2, e1-d2, g1-f2, g1-e3"),
    Case("one in a turn", THREE, "d2 g7*", "a1-b2", never="-"),
)
def test_any_one_stack_may_move_and_there_is_no_passing(case: Case) -> None:
    """Text: any one stack may move; passing is not allowed."""
    case.check()


# --- the queen skill ------------------------------------------------------------------------------

ELSEWHERE = "b2 b4 c1 c2 c3 d1 e1 e2 e3 f2 f4"  # from d2, without any friend's help


def from_d2(rule: str, own: str, expected: str) -> Case:
    """Where a queen-skilled stack on d2 goes with the help of friends."""
    return Case(rule, f"{own} | d2:Dq", "a6 g7", moves_d2=f"{ELSEWHERE} {expected}")


@cases(
    # Text, Figure 3: d2 goes on through d3 to c4, d4, e4, and through c4 captures on a6.
    from_d2("the example", "d3:Pd c4:P", "d4 d5 e4 f5 b5 a6"),
    from_d2("without the adult a6 is out of reach", "d3:Pd", "d4 d5 e4 f5 c4 b5"),
    from_d2("pupils cannot assist; they end up blocking", "d3 c4:P", ""),
    from_d2("pupils block further on, too", "d3:Pd c4", "d4 d5 e4 f5"),
    from_d2("adults pass on in the direction it is headed in", "d3:P c4:P", "d4 d5"),
    # Otherwise, it can pass through as with an adult stack.
    from_d2("skilled ones straight on, too", "d3:Pp", "b5 c4 d4 d5 e4 f5"),
    Case("captured", "d3:Pd c4:P | d2:Dq", "a6 g7", "d2-a6", squares_black="g7", a6="Dq"),
)
def test_must_replay_the_example_of_queen_play(case: Case) -> None:
    """Text, Figure 3, and must replay: without the adult on c4; a pupil in place of d3."""
    case.check()


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
    around = " ".join(set(AROUND) - {friend})
    Case("", f"{friend}:Pd d4:Pq", FAR, moves_d4=f"{around} {beyond}").check()


#: From b2 east to d2 (one square), north-east, north, north-west, west and south-west to b4; then
#: south over b3 (the second) to b2 (the third). West of b4 is a4, which nothing else leads to.
RING = "d2:Pp e3:Pp e4:Pp {} | c5:Dd b4:Dd b2:Qq"


@cases(
    # Text: moving through the friendly stack does not count as a space when counting.
    Case("passing costs no reach", "a2:P a3:P a4:P | a5:P a1:Dq", FAR, can="a1-a6, a1-a7"),
    Case("further on", "b2:P c3:P d4:D | e5:D f6:Pp a1:Pq", "f5", moves_a1="a2 b1 f7 g6 g7"),
    # Rules: at least one square of reach is spent, on the square where the move ends.
    Case("it never ends on a friend", "b2:P c3:P d4:P a2 | b1 a1:Pq", FAR, moves_a1="e5"),
    Case("nor beyond the last", "b2:P c3:P d4:P a2 | b1 a1:Pq e5", FAR, moves_a1=""),
    Case("S8: any queen-skilled mover", "d2:Pq d3:P", FAR, can="d2-d4"),
    Case("S8: not the movement queen", "d2:Qd d3:P", FAR, never="d2-d4"),
    Case("only friends pass a stack on", "a1:Pq", "a2:Pd b1:P b2:Pp", moves_a1="a2 b1 b2"),
    Case("must replay a ring of friends", RING.format("d5:Pp"), FAR, can="b2-a4", never="b2-b2"),
    Case("the ring is broken", RING.format("a1:Pp"), FAR, never="b2-a4"),
)
def test_through_friends(case: Case) -> None:
    case.check()


# --- warp -----------------------------------------------------------------------------------------

WARPING = "{} a1:P | - - g1:D"
LATER = "c6:P a1*:P", "g7*:D"


@cases(
    # Text: it may warp to any unoccupied space of their own home row; pupils included.
    Case("pupils may", WARPING.format("c7"), "e1 g7", moves_c7="b1 c1 d1 f1"),
    Case("adults may", WARPING.format("c7:P"), "e1 g7", moves_c7="b1 c1 d1 f1"),
    Case("or move", WARPING.format("c7:Qp"), "e1 g7", moves_c7="b1 c1 d1 f1 b6 a5 d6 e5 f4"),
    Case("it captures nothing", "c7 a1 | b1", "d1:P e1:P f1:P g1:P | g6 g7", moves_c7="c1"),
    Case("not from the row before", "c6:P", FAR, moves_c6="b7 d7"),
    Case("not from the own home row", "c1:P", FAR, moves_c1="b2 d2"),
    # Text: this constitutes the player's move for that round, on a following turn.
    Case("not in the turn that brought it", *LATER, "c6-d7", colour="white", never="-"),
    Case("but later, as the move", *LATER, "c6-d7, end, g7-f6, end, d7-d1", squares_white="a1 d1"),
    Case("of its turn", *LATER, "c6-d7, end, g7-f6, end, d7-d1", phase="after the move"),
)
def test_warp(case: Case) -> None:
    case.check()


# --- no move --------------------------------------------------------------------------------------

STUCK = "a1*:D - - - | b2"  # a friend stands in the only way


@cases(
    Case("the trade remains open", STUCK, FAR, colour="white", options="end, give D a1"),
    Case("the trade is made", STUCK, FAR, "give D a1, P>a1", a1="P", colour="black"),
    Case("both are skipped", STUCK, FAR, "end", colour="black", phase="after the move"),
    Case("warps count as moves", "c7*", FAR, phase="move"),
)
def test_s9_who_cannot_move_is_skipped_and_may_still_trade(case: Case) -> None:
    """Ruling S9: the move is skipped and the trade remains open."""
    case.check()


def test_s9_two_skipped_in_a_row_without_a_trade_are_a_draw() -> None:
    """Ruling S9: when both have been skipped in a row and neither traded, it is a draw."""
    game = Stacks(STUCK, FAR)
    assert game.phase == "after the move"
    assert game.seen(0)["skipped"].tolist() == game.seen(1)["skipped"].tolist() == [1]
    game.do("end")
    assert not game.over
    game.do("end")
    assert (game.reason, game.terminated, game.truncated) == ("stalled", True, False)
    assert game.reward == (0.0, 0.0)


@pytest.mark.parametrize(
    ("decisions", "reasons"),
    [
        # Skipped with a trade is not stalled: two more turns are needed.
        ("give D a1, P>a1, end, end", ["", "", "", "stalled"]),
        # Ruling S23: calling off counts as no trade.
        ("give D a1, call off", ["", "stalled"]),
    ],
)
def test_s9_s23_a_trade_goes_on_with_the_game(decisions: str, reasons: list[str]) -> None:
    game = Stacks(STUCK, FAR, turn="3 white", stalled=1)
    assert [game.do(word).reason for word in decisions.split(", ")] == reasons


def test_s9_a_move_of_the_other_player_goes_on_with_the_game() -> None:
    """Ruling S9: in a row."""
    game = Stacks(STUCK, "g7*:P").do("end", "g7-f6", "end", "end")
    assert not game.over
    assert int(game.state["stalled"]) == 1


# --- capture --------------------------------------------------------------------------------------

AGAIN, AFTER = "hide the thief again", "after the move"
CAPTURE = "d4:P", "g7* e5:Qpd"


@cases(
    Case("before", *CAPTURE, store="PPPDDDDQQpppdddqqq"),
    Case("its pieces are in the store", *CAPTURE, "d4-e5", store="PPPDDDDQQQppppddddqqq"),
    Case("it leaves", *CAPTURE, "d4-e5", squares_black="g7", d4=None, e5="P", phase=AFTER),
    # Whenever a drone is attacked, it must be revealed whether it is the thief.
    Case("it was not the thief", "d4:P", "g7* e5", "d4-e5", phase=AFTER),
    Case("it was", "d4:P", "g7 e5*", "d4-e5", phase=AGAIN),
    Case("it was, an adult", "d4:P", "g7 e5*:P", "d4-e5", phase=AGAIN),
    Case("it was, skilled", "d4:P", "g7 e5*:Pp", "d4-e5", phase="steal"),
    Case("a queen is no thief", "d4:P", "g7* - | e5:Pp", "d4-e5", phase=AFTER),
)
def test_a_captured_stack_leaves_and_its_pieces_go_to_the_store(case: Case) -> None:
    """Text: attacked stacks are removed from play, with all non-base pieces given to the store."""
    case.check()


THIEF = "d4:P a1:D b1:Pp | c1", "g7 e5*:Dpd"


@cases(
    # Text: an attacking player will steal one of its powers; the others go to the store.
    Case("not optional", *THIEF, "d4-e5", colour="white", options="steal p, steal d"),
    Case("b1 has one, c1 is a pupil", *THIEF, "d4-e5, steal p", options="p>e5, p>a1"),
    Case("it is out of the store", *THIEF, "d4-e5, steal p", store="PPDDDQQQppddddqqq"),
    Case("it is put", *THIEF, "d4-e5, steal p, p>a1", a1="Dp", store="PPDDDQQQppddddqqq"),
    # Ruling S10, and the text: the movement piece of a skilled stack cannot be removed.
    Case("any skill", "d4:P | a1", "g7 e5*:Dpdq", "d4-e5", options="steal p, steal d, steal q"),
    Case("an adult's movement", "d4:P | a1", "g7 e5*:D", "d4-e5", options="steal D"),
    Case("what it can hold", "d4:Pp", "g7 e5*:Dpd", "d4-e5", options="steal d"),
    Case("or another", "d4:Pp | a1:Dd", "g7 e5*:Dpd", "d4-e5", options="steal p, steal d"),
    Case("no skilled one's movement", "d4:P | a1", "g7 e5*:Qq", "d4-e5", options="steal q"),
    # Text: each stack is limited to a single movement piece.
    Case("on pupils", "d4:P a1 | b1 c1:D", "g7 e5*:Q", "d4-e5, steal Q", options="Q>a1, Q>b1"),
)
def test_s10_who_captures_the_thief_steals_one_piece_and_puts_it_on_a_stack(case: Case) -> None:
    case.check()


@pytest.mark.parametrize(("own", "thief"), [("d4:P", ":D"), ("d4:Pd", ":Dd"), ("d4:P", "")])
def test_s10_if_there_is_none_nothing_is_stolen(own: str, thief: str) -> None:
    """Ruling S10: nothing can be held, or there is nothing: the game goes on without a steal."""
    game = Stacks(own, f"g7 e5*{thief}").do("d4-e5")
    assert (game.colour, game.phase) == ("black", AGAIN)
    assert game.on("e5") == own[3:]
    assert sorted(game.store + own[3:]) == sorted("PPPPDDDDQQQppppddddqqq")


def test_what_is_decided_is_told_to_both() -> None:
    for black in ("g7* e5", "g7 e5*", "g7 e5*:Pp"):
        game = Stacks("d4:P", black).do("d4-e5")
        for seat in (0, 1):
            assert game.metrics(seat)["phase"] == int(game.state["phase"])


VICTIM = "d4:P", "g7:P e5*:Pp c7 | b7:D", "d4-e5, steal p, p>e5"
NO_DRONE = "d4:P c1", "e5*:Pp | b7:D"


@cases(
    # Text: the attacked player then hides the vulnerability under one of her remaining drones.
    Case("nowhere", *VICTIM, colour="black", phase=AGAIN, thief_black=""),
    Case("living drones only", *VICTIM, options="hide g7, hide c7"),
    Case("hidden there", *VICTIM, "hide c7", thief_black="c7", can="give P e5"),
    Case("the turn goes on", *VICTIM, "hide c7", colour="white", phase=AFTER),
    Case("to its end", *VICTIM, "hide c7, end", colour="black"),
    # Rules: without drones he has no thief any more.
    Case("no drone", *NO_DRONE, "d4-e5, steal p, p>e5", colour="white", phase=AFTER),
    Case("no thief", *NO_DRONE, "d4-e5, steal p, p>e5", thief_black=""),
    Case("on", *NO_DRONE, "d4-e5, steal p, p>e5, end", options="b7-a6, b7-c6, b7-d5"),
)
def test_the_victim_hides_again_in_the_middle_of_the_attackers_turn(case: Case) -> None:
    case.check()


# --- raid -----------------------------------------------------------------------------------------

RAIDED = "g7* g4:D | g5:Qp"
LANDED = "c6*:P a1 | b2:Dd", RAIDED, "c6-d7"
RAID = (*LANDED, "claim")
LARGE = "c6*:Ppd a1:P | d2:D", "g7:D", "c6-d7, claim"
SMALL = "c6*:Pp", "g7*:D | g5:Qpd", "c6-d7, claim"
NO_PUPIL = "c6*:P | b2:Dp", RAIDED, "c6-d7, claim"


@cases(
    # Text: a thief that lands on the opponent's home row may claim.
    Case("landed", *LANDED, can="claim"),
    Case("it raids", *RAID, colour="white", phase="raid"),
    # Text: you may take an unprotected piece from the opposing player or any from the store. It
    # may be given to any of your stacks that may legally hold it.
    Case("any piece", *RAID, options="P D Q > a1, p d q > d7, p q > b2, take D g4, take p g5"),
    Case(
        "from the store", *RAID, "q>b2", b2="Ddq", store="PPPDDQQpppdddqq", phase="hide the raider"
    ),
    # Text: an unprotected piece from the opposing player; a robbed adult becomes a pupil.
    Case("taken", *RAID, "take D g4", phase="place the raided piece", options="D>a1"),
    Case("and placed", *RAID, "take D g4, D>a1", g4="", a1="D", store="PPPDDQQpppdddqqq"),
    Case("clear pieces may be stacked", *RAID, "take p g5", options="p>d7, p>b2"),
    Case("stacked", *RAID, "take p g5, p>b2", b2="Dpd", g5="Q"),
    # Text: if a skilled stack has both the skilled drone and pawn, either may be taken.
    Case("either", "c6*:P", "g7* | g5:Qpd", "c6-d7, claim", can="take p g5, take d g5"),
    Case("no movement", "c6*:P", "g7* | g5:Qpd", "c6-d7, claim", never="take Q g5"),
    # Ruling S2, and the text: each stack is limited to a single movement piece at any time.
    Case(
        "S2: one skill of each size",
        *LARGE,
        options="q > d7, p d q > a1 d2, raise P d7, raise P a1, raise D d2, raise d d7",
    ),
    # Rules, claim: opponent's pieces that no own stack can hold are masked.
    Case("no room", *SMALL, options="d q > d7, take d g5, raise P d7, raise p d7"),
)
def test_a_raid_takes_a_piece_of_the_store_or_the_opponents(case: Case) -> None:
    case.check()


HIDING = "c6*:P a1 - g1 | b2:Dd", RAIDED, "c6-d7, claim, q>b2"
ONE_DRONE = "c6*:P - | b2:Dd", RAIDED, "c6-d7, claim, q>b2"


@cases(
    # Text: you may return the vulnerability to the same stack it was already under.
    Case("by its owner", *HIDING, colour="white", phase="hide the raider"),
    Case("any drone", *HIDING, options="hide d7, hide a1, hide g1"),
    Case("the same", *HIDING, "hide d7", thief_white="d7", phase=AFTER),
    Case("another", *HIDING, "hide g1", thief_white="g1", phase=AFTER),
    # Text: this would always be the case when there is only one drone stack remaining.
    Case("the only one", *ONE_DRONE, options="hide d7"),
    Case("is marked", *ONE_DRONE, "hide d7", marked_white="d7"),
    # Rules: after a raid the trade is still open; but there is no second claim.
    Case(
        "trade", *RAID, "q>b2, hide d7", options="end, give P d7, give D b2, give d b2, give q b2"
    ),
    Case("traded", *RAID, "q>b2, hide d7, give D b2, P>b2", colour="black", b2="Pdq"),
)
def test_the_vulnerability_is_hidden_again_after_a_raid(case: Case) -> None:
    case.check()


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
    Case("", own, RAIDED, move, phase=AFTER, never="claim").check()


@pytest.mark.parametrize("own", ["c6*:P a1", "c6:P a1*", "c4:P a1*"])
def test_there_is_no_question_that_only_a_thief_is_asked(own: str) -> None:
    """Rules, no leak: every turn has the same public phase after the move."""
    Case("", own, RAIDED, f"{own[:2]}-d{int(own[1]) + 1}", colour="white", phase=AFTER).check()


LEFT = "c6*:P a1:P", RAIDED, "c6-d7, end, g4-f3, end"
AWAY = "d7*^:Dd a1:P | - - b3:P", "g4*:D", "d7-d6, end, g4-f3, end, d6-d7"


@cases(
    # Rules: anything but `claim` forfeits the raid: a trade too, even one that is called off.
    Case("a turn later", *LEFT, colour="white"),
    Case("it is forfeit", *LEFT, "a1-b2", never="claim"),
    Case("by a trade", *LANDED, "give P d7", never="claim"),
    Case("called off", *LANDED, "give P d7, call off", colour="black"),
    # Rulings S11 and S18: a public mark, from the claim on.
    Case("S18: not before the claim", *LANDED, marked_white=""),
    Case("S18: at the claim", *RAID, marked_white="d7"),
    Case("S18: it stays on the stack", *RAID, "q>b2, hide a1", marked_white="d7"),
    # Text: that stack must end one turn in its own home row before it can return to raid.
    Case("S11: back without being home", *AWAY, never="claim"),
    Case("S11: the turn has not ended", *AWAY, "end, f3-e2, end, d7-d1", marked_white="d1"),
    Case("S11: home", *AWAY, "end, f3-e2, end, d7-d1, end", marked_white=""),
    # Ruling S11: on its own home row, wherever the vulnerability went since.
    Case("S11: no other row", "c6*^:D a1:P", "g4*^:D d6", "c6-d7, end", marked_white="d7"),
    Case("S11: theirs", "c6*^:D a1:P", "g4*^:D d6", "c6-d7, end, g4-e2, end", marked_black="e2"),
    Case("S11: the stack's", "c6*^:P a1", RAIDED, "c6-d7", never="claim"),
    Case("S11: and not the thief's", "c6*:P a1^", RAIDED, "c6-d7", can="claim"),
    # Ruling S11: one of its owner's turns, whatever moves in it.
    Case("S11: not theirs", "g4*:D", "d7*^:D a7:P", "g4-f5, end", marked_black="d7"),
    Case("S11: nor its move", "g4*:D", "d7*^:D a7:P", "g4-f5, end, a7-b6", marked_black="d7"),
    Case("S11: its end", "g4*:D", "d7*^:D a7:P", "g4-f5, end, a7-b6, end", marked_black=""),
)
def test_how_often_one_may_raid(case: Case) -> None:
    case.check()


def test_s18_the_mark_of_a_raid_is_seen_by_both() -> None:
    game = Stacks(*RAID[:2]).do("c6-d7", "claim")
    for seat, whose in ((0, "own"), (1, "opponent")):
        assert game.seen(seat)[f"{whose}_features"][0, 6] == 1


BOTH = "c6*:P a1 | b2:Dd", "d7*:Dpd g4:D | g5", "c6-d7, steal p, p>d7, hide g4"


@cases(
    # Rules: a capture on the home row and the raid both happen: capture first.
    Case("capture first", *BOTH[:2], "c6-d7", phase="steal"),
    Case("then the raid", *BOTH, can="claim"),
    Case("both", *BOTH, "claim, D>a1", d7="Pp", a1="D", store="PPPDQQQpppdddqqq"),
    Case("and on", *BOTH, "claim, D>a1", phase="hide the raider"),
    # Text: if there are no legal options for a movement piece, a single piece may be upgraded.
    # Rules: movement (a protected one too) or skill, of size 1 or 2, to the next of its sort.
    Case(
        "without a pupil a piece may be raised",
        *NO_PUPIL,
        options="p d q > d7, d q > b2, take p g5, raise P d7, raise D b2, raise p b2",
    ),
    Case("movement", *NO_PUPIL, "raise D b2", b2="Qp", store="PPPDDDQppddddqqq"),
    Case("on", *NO_PUPIL, "raise D b2", phase="hide the raider"),
    # Text: upgraded by one pip count; the old piece is put in the store.
    Case("skill", *NO_PUPIL, "raise p b2", b2="Dd", store="PPPDDQQpppdddqqq"),
    # Rules: if the player has no pupil.
    Case("a pupil", "c6*:P a1 | b2:Dp", RAIDED, "c6-d7, claim", never="raise"),
)
def test_capture_and_raid_and_raise(case: Case) -> None:
    case.check()


FULL = "c6*:Dpdq"
ROOM = f"{FULL} a1", "g7*:Q g5:Q | g3:Q", "c6-d7, claim"


@cases(
    # Rules: only if some take-and-place or some raise can be completed.
    Case("nothing", FULL, "g7*:Q g5:Q | g3:Q", "c6-d7", never="claim"),
    Case("a raise", FULL, "g7*:Q g5:Q | g3:P", "c6-d7, claim", options="raise D d7"),
    Case("a pupil takes", *ROOM, options="P D > a1, take Q g7, take Q g5, take Q g3"),
)
def test_a_claim_is_legal_only_if_something_can_be_completed(case: Case) -> None:
    case.check()


def test_a_raise_needs_the_next_size_in_the_store_and_a_legal_stack() -> None:
    """Rules: if the store has it and the stack stays legal; a queen is the largest."""
    game = Stacks("c6*:P | b2:Dpd d2:Dq", "g7*:Q g4:Q | g5:Q").do("c6-d7", "claim")
    raises = {option for option in game.options() if option.startswith("raise")}
    assert raises == {"raise P d7", "raise d b2"}, "p is stopped by d, and no Q is in the store"


# --- trade ----------------------------------------------------------------------------------------

#: After the move f3-g4 with P D D Q Q and all skill in the store.
TRADER = "a1:P c1:P e1:P g2* | b3:D d3:Q f3:D", "a7*", "f3-g4"
SIX = (*TRADER, "give Q d3, give D b3, give P a1")
THREE_PIPS = (*TRADER, "give D b3, give P a1")
OTHERS = "give P c1, give P e1, give D b3, give Q d3, give D g4"


def trader(*decisions: str) -> Stacks:
    game = Stacks(*TRADER[:2]).do(TRADER[2])
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


SKILLED = "d2*:Qp a1 | f2:D", "a7*", "f2-g3, give Q d2"
SORTS = "d2:Dp | f2:Dq", "a7*", "d2-e3, give D e3, give p e3, P>e3, p>e3"


@cases(
    Case("both skilled and movement pieces", *SORTS, e3="Pp", colour="black"),
    # Text: after the moving phase; only one upgrade is allowed per round.
    Case("not before the move", *TRADER[:2], never="give"),
    Case("once", TRADER[0], "a7*:Q", "f3-g4, give D b3, P>b3", colour="black", phase="move"),
    # Text: trading up to three non-opaque pieces.
    Case("one to three pieces are given", *TRADER, "give P a1", options=f"call off, {OTHERS}"),
    Case("no fourth", *TRADER, "give P a1, give P c1, give P e1", never="give"),
    # Text: for up to three pieces; the trading post assesses a fee of one pip point.
    Case("6 for 5", *SIX, "P>d3, D>b3, D>a1", d3="P", b3="D", a1="D", colour="black"),
    # Rules: V >= 2. Ruling S23: any own piece may be given even if no trade can be completed.
    Case("S23: a single pawn buys nothing", *TRADER, "give P a1", never=">"),
    Case("S23: it comes back", *TRADER, "give P a1, call off", a1="P"),
    # Rules: of total value exactly V - 1; takes above it are masked.
    Case("must replay: 3 for 2", *THREE_PIPS, can="P D > b3 a1 g2", never="Q>, q>"),
    Case("it does not end below", *THREE_PIPS, "P>b3", colour="white"),
    Case("no pawn left", *THREE_PIPS, "P>b3", options="call off, p > b3"),
    # Ruling S14: a third received piece must meet V - 1 exactly: 2 of 5 are left.
    Case("S14: the third", *SIX, "P>d3, D>b3", options="call off, D > a1 g2, d > d3 b3"),
    # Text: after the trade, the pieces traded in are added to the store.
    Case("not yet", *THREE_PIPS, store="PDDQQppppddddqqq"),
    Case("in the store", *THREE_PIPS, "D>a1", store="PPDDQQppppddddqqq"),
    # Text: either on stacks that were in on the trade or on any pupil: d3 could hold a skill.
    Case(
        "must replay: in the trade, or a pupil",
        *THREE_PIPS,
        options="call off, P D > b3 a1 g2, give P c1, give P e1, give Q d3, give D g4",
    ),
    # Rules: on stacks that were pupils when the trade began; and skill once it has movement.
    Case("a pupil takes part", *THREE_PIPS, "P>g2", options="call off, p > g2"),
    Case("with both", *THREE_PIPS, "P>g2, p>g2", g2="Pp", b3="", a1=""),
    # Ruling S12: give, give, take, take.
    Case("S12: giving goes on", *TRADER, "give Q d3", can="give D b3"),
    Case("S12: until the first take", *TRADER, "give Q d3, P>d3", never="give"),
    # Text: pieces not in on a trade remain with their stacks.
    Case("others stay", *TRADER, "give D b3, P>b3", a1="P", c1="P", e1="P", g2="", d3="Q", g4="D"),
    # Rules: movement may be given if another takes its place in the same trade.
    Case("replaced", *SKILLED, "D>d2", d2="Dp", colour="black"),
    # Ruling S12: skill may be left stranded by a give, but none may be added.
    Case("S12: 3 for 2", *SKILLED, options="call off, give p d2, give D g3, P D > d2, P > a1"),
    # Rulings S12 and S14: in the end every stack must be legal.
    Case("S12, S14", *SKILLED, "P>a1", options="call off, P>d2"),
    Case("S12: legal", *SKILLED, "P>a1, P>d2", d2="Pp"),
    Case("1 is left, d2 has its skill", *SKILLED, "P>d2", options="call off, P>a1"),
)
def test_trade(case: Case) -> None:
    case.check()


NINE = "a1:Q c1:Q e1:Q g2* | f3:D", "a7*", "f3-g4, give Q a1, give Q c1, give Q e1, P>a1, D>c1"
NO_DRONES = "a1:D c1:P e1:D | f3:D", "a7*:D", "f3-g4, give D a1, give P c1"
PAWNS = "a1:Pp c1:P g1* | f2:D", "a7*", "f2-g3, give P a1, give p a1, give P c1"
WAITING = "a1:Qpd c1:D e1* | f2:D", "a7*", "f2-g3, give Q a1, give D c1"


@cases(
    # Ruling S14: of 8 5 are left, and a piece is worth 3 at most.
    Case("S14: nothing is worth 5", *NINE, options="call off"),
    # Rules: pieces from the store; one cannot receive what one just gave.
    Case("must replay: it is not in the store", *NO_DRONES, can="P > a1 c1", never="D>"),
    # RULES.md, the example: movement and skill pawn of `Pp`, and the pawn of `P`.
    Case("three pawns for a drone", *PAWNS, options="call off, P D > a1 c1 g1"),
    Case("or two pawns", *PAWNS, "P>c1", options="call off, P > a1 g1, p > c1"),
    # RULES.md, the example: 3 + 2 for 2 + 2, with the queen of `Qpd` given.
    Case("mended first", *WAITING, "D>a1", can="call off, D>e1"),
    Case("then", *WAITING, "D>a1, D>e1", a1="Dpd", c1="", e1="D"),
    Case("mended last", *WAITING, "D>e1", can="call off, D>a1", never="D>c1, D>e1"),
    Case("in the end", *WAITING, "D>e1, D>a1", a1="Dpd", c1="", e1="D"),
)
def test_trades_by_example(case: Case) -> None:
    case.check()


def test_what_is_given_lies_in_the_hand() -> None:
    assert letters(trader("give D b3", "give P a1").state["hand"][0]) == "PD"


def test_s12_calling_off_puts_everything_back_and_ends_the_turn() -> None:
    """Ruling S12: everything goes back as it was, and the turn ends: as if nothing was given."""
    ended = trader("end").record
    for decisions in (
        ("give P a1",),
        ("give Q d3", "give D b3", "give P a1"),
        ("give Q d3", "P>g2"),
        ("give Q d3", "give D b3", "P>g2", "p>g2"),
    ):
        again = trader(*decisions, "call off").record
        again["decisions"] = ended["decisions"]
        assert again.tobytes() == ended.tobytes(), decisions


# --- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_who_captures_the_last_stack_wins(first: int) -> None:
    """Text: eliminate all of the opposing stacks. Rewards +1 / -1."""
    game = Stacks("d4:P", "c5 | e5:Dp", first=first).do("d4-e5")
    assert not game.over
    assert game.reward == (0.0, 0.0)
    game = Stacks("d4:P", "e5*", first=first).do("d4-e5")
    assert (game.reason, game.terminated, game.truncated) == ("captured_all", True, False)
    assert game.reward == ((1.0, -1.0), (-1.0, 1.0))[first]
    assert (game.mover, game.legal()) == (None, [])


def test_s15_the_capture_of_the_last_stack_ends_the_game_at_once() -> None:
    """Ruling S15: nothing is stolen."""
    found = {"reason": "captured_all", "e5": "P", "a1": "", "store": "PPPDDDDQQQppppddddqqq"}
    Case("S15", "d4:P a1", "e5*:Dp", "d4-e5", **found).check()


def test_s13_after_max_turns_the_game_is_truncated() -> None:
    """Ruling S13: after max_turns without a winner; the score is a draw."""
    game = Stacks("a1*:P", "g7*:P", turn="199 white")
    game.do("a1-b2", "end")
    assert not game.over
    game.do("g7-f6", "end")
    assert (game.reason, game.terminated, game.truncated) == ("max_turns", False, True)
    assert game.reward == (0.0, 0.0)
    assert int(game.state["turns"]) == 200
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


# --- variant 1: steal_on_attack -------------------------------------------------------------------

ATTACK = "d4*:P a1 | b1", "g7*:D e5:Dpd"


def attack(
    rule: str, own: str = ATTACK[0], theirs: str = ATTACK[1], *then: str, **found: Any
) -> Case:
    return Case(rule, own, theirs, *then or ["d4-e5"], of={"steal_on_attack": True}, **found)


RIVALS = "c6*:P a1:Dd | b1:D", "g7*:Dq d7:Dq | f7:Pq"
RAIDER = "c6*:P a1", "g7*:D d7:Dp", "c6-d7, expose, steal p, p>d7"
CAUGHT = "d4*:P a1 | b1", "g7:D e5*:Dpd", "d4-e5, steal p, p>e5, hide g7"


@cases(
    # Text: the thief may also be able to steal during an attack, by making the call.
    attack("may", options="end, give P e5, expose"),
    attack("call", *ATTACK, "d4-e5, expose", phase="steal", options="steal p, steal d"),
    attack("steal", *ATTACK, "d4-e5, expose, steal d", options="d>e5"),
    attack("once", *ATTACK, "d4-e5, expose, steal d, d>e5", options="end, give P e5, give d e5"),
    attack("stolen", *ATTACK, "d4-e5, expose, steal d, d>e5", e5="Pd"),
    Case("it is an option", "d4*:P a1", ATTACK[1], "d4-e5", options="end, give P e5"),
    # Rules: when the moving stack is the thief and captures; a piece that can be stolen.
    attack("not the thief", "d4:P a1*", never="expose"),
    attack("no capture", "d4*:P a1", ATTACK[1], "d4-c5", never="expose"),
    attack("nothing that a stack could hold", "d4*:P", "g7*:D e5:D", never="expose"),
    attack("nothing", "d4*:P", "g7*:D e5", never="expose"),
    attack("no room", "d4*:Pp", "g7*:D e5:Dp", never="expose"),
    # Ruling S16: an exposed thief steals again when it captures again.
    attack("S16: again", "d4!:P a1 | b1", can="expose"),
    attack("S16: and again", "d4!:P a1 | b1", ATTACK[1], "d4-e5, expose, steal p, p>e5", e5="Pp"),
    # Rules: an exposed thief may raid: in the turn of the call too.
    attack("raid in the same turn", *RAIDER, can="claim"),
    attack("raid", *RAIDER, "claim, Q>a1", phase=AFTER, thief_white="d7"),
    # Ruling S16: a raid comes first, and takes the only skill queen that is in the store.
    attack("S16: gone", *RIVALS, "c6-d7, claim, q>d7, hide d7", never="expose"),
    attack("S16: there", *RIVALS, "c6-d7, claim, p>d7, hide d7, expose", options="steal q"),
    # Rules, variant 1: the moving stack must be the thief.
    attack("not now", "c6*:P a1:Dd", RAIDER[1], "c6-d7, claim, q>d7, hide a1", never="expose"),
    # Rules and ruling S16: nothing more after the steal of a captured thief.
    attack("S16: not twice", *CAUGHT, options="end, give P e5, give p e5"),
    attack("S16", "d4*:Pp a1:Dpd", CAUGHT[1], "d4-e5, steal d, d>e5, hide g7", never="expose"),
    # Not even if there was nothing to be stolen then.
    attack("S16: nor after nothing", "d6*:P", "g7:D e7*:D", "d6-e7, hide g7", never="expose"),
)
def test_variant_1_a_thief_that_captures_may_expose_itself_to_steal(case: Case) -> None:
    case.check()


@pytest.mark.parametrize(("variant", "loot"), [(False, [0] * 6), (True, [0, 0, 0, 1, 1, 0])])
def test_variant_1_what_may_be_stolen_is_seen(variant: bool, loot: list[int]) -> None:
    game = Stacks(*ATTACK, steal_on_attack=variant).do("d4-e5")
    assert game.seen()["loot"].tolist() == loot


def test_variant_1_the_vulnerability_stays_and_is_seen_by_both() -> None:
    """Text, variant 1: their vulnerability remains exposed until the stack is captured."""
    game = Stacks(*ATTACK, steal_on_attack=True).do("d4-e5")
    assert game.seen(1)["opponent_features"][:, 7].tolist() == [0] * 7
    game.do("expose", "steal d", "d>e5", "end", "g7-f6", "end", "e5-e4", "end")
    assert game.thief("white") == "e4"
    assert game.state["exposed"].tolist() == [1, 0]
    assert game.seen(1)["opponent_features"][:, 7].tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_s17_when_an_exposed_thief_is_captured_the_victim_hides_hidden() -> None:
    """Ruling S17, and the text: until the stack is captured."""
    game = Stacks("d4:P", "g7 e5!:Dp c7 | b7", steal_on_attack=True)
    game.do("d4-e5", "steal p", "p>e5", "hide c7")
    assert game.state["exposed"].tolist() == [0, 0]
    assert game.thief("black") == "c7"
    assert game.seen(0)["opponent_features"][:, 7].tolist() == [0] * 7


@pytest.mark.parametrize(
    ("own", "theirs", "decisions", "thief", "marked"),
    [
        # Rules: an exposed thief may raid and stays exposed: it is not hidden again.
        ("c6!:P a1", "g7*:D", "c6-d7, claim, Q>a1", "d7", "d7"),
        # Ruling S16: an exposed thief may expose again.
        ("d4!:P a1 | b1", ATTACK[1], "d4-e5, expose, steal p, p>e5", "e5", ""),
    ],
)
def test_an_exposed_thief_stays_exposed(
    own: str, theirs: str, decisions: str, thief: str, marked: str
) -> None:
    game = Stacks(own, theirs, steal_on_attack=True).do(*decisions.split(", "))
    assert game.state["exposed"].tolist() == [1, 0]
    assert (game.phase, game.thief("white"), game.marked("white")) == (AFTER, thief, marked)


# --- variant 2: stacked_movement ------------------------------------------------------------------


def stacked(rule: str, own: str, theirs: str = FAR, *then: str, **found: Any) -> Case:
    return Case(rule, own, theirs, *then, of={"stacked_movement": True}, **found)


def test_s19_stacked_movement_is_not_for_the_set_up() -> None:
    """Text, variant 2: after the initial set up. Ruling S19."""
    game = Stacks(stacked_movement=True).do("hide a1", "P>a1")
    assert game.options() == words("P D Q > c1 e1 g1 b2 d2 f2, p d q > a1")


CHAIN = "a4:Pp c6:Pp"
ROUND = "a5:Pp c7:Pp e7:Pp g5:Pp | a1:{} b1"
FOR_PAWNS = "d2*:Dp | f2:Q", "a7*", "f2-g3, give Q g3"
ONE_OF = "d2*:PDp | f2:Q", "a7*", "f2-g3"
FOR_TWO = "d2*:PDp a1 | f2:Q", "a7*", "f2-g3, give D d2, give P d2"
ROBBED = "c6*:P", "g7* - | g5:PDp g3:Qp", "c6-d7, claim"


@cases(
    # Text: the movement points would be accumulative.
    stacked("1 + 1", "a1:PP", "g6*", moves_a1="b2 c3"),
    stacked("2 + 3", "a1:DQ", "g6*", moves_a1="b2 c3 d4 e5 f6"),
    stacked("3 + 3", "a1:QQ", "g6*", moves_a1="b2 c3 d4 e5 f6 g7"),
    stacked("1 + 1 + 2 + 3", "a1:PPDQ", "g6*", moves_a1="b2 c3 d4 e5 f6 g7"),
    # From a1 over a4, c6 to g6 it is 7 squares.
    stacked("no limit", f"{CHAIN} | a1:QQPq", can="a1-g6"),
    stacked("6 is not enough", f"{CHAIN} | a1:QQq", never="a1-g6"),
    stacked("but for a friend", f"{CHAIN} a2:P | a1:QQq", can="a1-g6"),
    # A pupil keeps it from g1 straight on; round the board it is 3 + 1 + 1 + 1 + 4 squares.
    stacked("10 squares", ROUND.format("QQDDq"), "a7*", can="a1-g1"),
    stacked("9 are not enough", ROUND.format("QQQq"), "a7*", never="a1-g1"),
    # Text: such stacks could only be accomplished through trades or captures.
    stacked("a trade may", *FOR_PAWNS, options="call off, give D d2, give p d2, P D > g3"),
    stacked("two pawns", *FOR_PAWNS, "P>g3, P>g3", g3="PP"),
    # Rules: piece picks name sort and size.
    stacked("any", *ONE_OF, options="end, give P d2, give D d2, give p d2, give Q g3"),
    stacked("beside the pawn that it keeps", *ONE_OF, "give D d2", can="P>d2"),
    stacked("put there", *ONE_OF, "give D d2, P>d2", d2="PPp"),
    # Skill is stranded only without any movement: 3 for 2.
    stacked("stranded", *FOR_TWO, options="call off, give p d2, give Q g3, P D > d2, P > a1"),
    # Rules: gained by raid; there is no raise.
    stacked(
        "a raid may stack movement",
        *NO_PUPIL,
        options="P D Q p d q > d7, P D Q d q > b2, take D g4, take p g5",
    ),
    stacked("of theirs", *NO_PUPIL, "take D g4", options="D > d7 b2"),
    stacked("on it", *NO_PUPIL, "take D g4, D>b2", b2="DDp"),
    stacked("a steal may", "d4:P", "g7 e5*:D", "d4-e5, steal D, D>e5", e5="PD"),
    # Rules: only a skilled stack's last movement piece is protected.
    stacked("not one of two", *ROBBED, can="take P g5, take D g5, take p g5, take p g3"),
    stacked("but the only one", *ROBBED, never="take Q g3"),
    stacked("steal", "d4:P", "g7 e5*:PDp", "d4-e5", options="steal P, steal D, steal p"),
    stacked("one of two alike", "d4:P", "g7 e5*:DDp", "d4-e5", options="steal D, steal p"),
    stacked("stolen", "d4:P", "g7 e5*:DDp", "d4-e5, steal D", store="PPPDDDQQQppppddddqqq"),
)
def test_variant_2_movement_may_be_stacked(case: Case) -> None:
    case.check()


# --- positions ------------------------------------------------------------------------------------


def test_s22_a_position_without_a_mark_gets_a_drawn_thief() -> None:
    """Ruling S22: evenly among the side's living drones."""
    drawn = Counter(
        Stacks("a1 - e1 g1 | b2", "g7", seed=seed * 7919).thief("white") for seed in range(300)
    )
    assert set(drawn) == {"a1", "e1", "g1"}
    assert min(drawn.values()) > 75
    assert Stacks("| b2", "g7").thief("white") is None
