"""Every rule of Stacktrices, one by one, on the engine.

Positions and decisions are written as in `tests.play.Stacks`: `d2*:Dp` is a thief on d2 with a
movement drone and a skill pawn. Each side's drones stand before the bar, its queens after it. What
is on no stack is in the store. In most of them black does nothing but stand far away.

Most rules are a `Case` of `cases.toml`: a position, decisions, and what is then found. White moves,
which is seat 0 in one case and seat 1 in another; `test_properties.py` says that the colours are
alike.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
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
    are; d4: the pieces there, "-" where no stack is. *of*: options of the game.
    """

    def __init__(
        self,
        rule: str,
        own: str,
        theirs: str,
        decisions: str = "",
        of: Any = None,
        **found: str,
    ) -> None:
        self.rule, self.own, self.theirs, self.found = rule, own, theirs, found
        self.decisions, self.of = decisions.split(", ") if decisions else [], of or {}

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
                there = game.on(what)
                assert ("-" if there is None else there) == expected, what


RULES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text("utf-8"))
CASES = {
    f"{group}: {rule}": Case(rule, **case)
    for group, cases in RULES.items()
    for rule, case in cases.items()
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cases(case: Case) -> None:
    case.check()


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
        states = batch._core.states
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


# --- the queen skill ------------------------------------------------------------------------------


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


# --- warp -----------------------------------------------------------------------------------------


# --- no move --------------------------------------------------------------------------------------

STUCK = "a1*:D - - - | b2"  # a friend stands in the only way


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


# --- raid -----------------------------------------------------------------------------------------

RAIDED = "g7* g4:D | g5:Qp"
LANDED = "c6*:P a1 | b2:Dd", RAIDED, "c6-d7"
RAID = (*LANDED, "claim")


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


def test_s18_the_mark_of_a_raid_is_seen_by_both() -> None:
    game = Stacks(*RAID[:2]).do("c6-d7", "claim")
    for seat, whose in ((0, "own"), (1, "opponent")):
        assert game.seen(seat)[f"{whose}_features"][0, 6] == 1


def test_a_raise_needs_the_next_size_in_the_store_and_a_legal_stack() -> None:
    """Rules: if the store has it and the stack stays legal; a queen is the largest."""
    game = Stacks("c6*:P | b2:Dpd d2:Dq", "g7*:Q g4:Q | g5:Q").do("c6-d7", "claim")
    raises = {option for option in game.options() if option.startswith("raise")}
    assert raises == {"raise P d7", "raise d b2"}, "p is stopped by d, and no Q is in the store"


# --- trade ----------------------------------------------------------------------------------------

#: After the move f3-g4 with P D D Q Q and all skill in the store.
TRADER = "a1:P c1:P e1:P g2* | b3:D d3:Q f3:D", "a7*", "f3-g4"


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


def test_s19_stacked_movement_is_not_for_the_set_up() -> None:
    """Text, variant 2: after the initial set up. Ruling S19."""
    game = Stacks(stacked_movement=True).do("hide a1", "P>a1")
    assert game.options() == words("P D Q > c1 e1 g1 b2 d2 f2, p d q > a1")


# --- positions ------------------------------------------------------------------------------------


def test_s22_a_position_without_a_mark_gets_a_drawn_thief() -> None:
    """Ruling S22: evenly among the side's living drones."""
    drawn = Counter(
        Stacks("a1 - e1 g1 | b2", "g7", seed=seed * 7919).thief("white") for seed in range(300)
    )
    assert set(drawn) == {"a1", "e1", "g1"}
    assert min(drawn.values()) > 75
    assert Stacks("| b2", "g7").thief("white") is None
