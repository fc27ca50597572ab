"""Every rule of MATR1X 0VERL0AD, one by one, on the engine.

Names of piles: inner piles 0..8 in reading order; outer piles as actions 9..20:

             9   10   11
       12    0    1    2   13
       14    3    4    5   15
       16    6    7    8   17
            18   19   20
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from cyberdeck.games.matrix_overload.constants import FIREWALL, VALUE, shown_suits
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.games.matrix_overload.rules import ROYAL
from tests.play import Dealt, Matrix, Play, card, cards, lay_out, table

DIGITAL = ["firewall", "royals"]
EDITIONS = [*DIGITAL, "rulebook"]
SIDES = {0: [9, 12], 1: [10], 2: [11, 13], 3: [14], 5: [15], 6: [16, 18], 7: [19], 8: [17, 20]}
OUTER = list(range(9, 21))
#: Eight low red cards and the low 2 of clubs: a matrix in which one card can be made to stand out.
LOW = ["2h", "2d", "3h", "3d", "2c", "4d", "5h", "5d", "4h"]


def matrix_with(**tops: str) -> str:
    """The low red matrix with some tops replaced: p0="10c" and so on; p4 is the centre."""
    return " ".join(tops.get(f"p{at}", low) for at, low in enumerate(LOW))


def game_jokers(edition: str) -> int:
    return 2 if edition == "rulebook" else 1


def play(position_words: str, edition: str = "royals", **rest: object) -> Matrix:
    """A position; `draw` names the next cards."""
    jokers = game_jokers(edition)
    options = {name: rest.pop(name) for name in ("reward", "max_steps", "stall") if name in rest}
    return Matrix(table(position_words, jokers=jokers, **rest), edition=edition, **options)


def shown(one: int) -> tuple[int, tuple[int, ...]]:
    """What the face of a card tells in `firewall`."""
    return int(VALUE[one]), shown_suits(FIREWALL, one)


def random_play(seed: int, edition: str) -> tuple[Play, np.random.Generator]:
    return Play("matrix_overload", seed=seed, edition=edition), np.random.default_rng(seed)


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("inner", "sides"), list(SIDES.items()))
def test_outer_piles_lie_beside_the_edge_squares_two_at_a_corner(
    inner: int, sides: list[int]
) -> None:
    """Text: 12 outer piles, one beside each edge square: a corner borders two, an edge one.

    Also the order of the actions: inner 0..8, top row, (left, right) of each row, bottom row.
    """
    game = play(matrix_with(**{f"p{inner}": "10c"}), draw="Kc")
    assert game.legal() == sides


def test_the_centre_borders_no_outer_pile() -> None:
    """Text: the centre borders none: its top card never decides where a court card goes."""
    game = play(matrix_with(p4="10c", p7="2s"), draw="Kc")
    assert game.legal() == SIDES[7]


@pytest.mark.parametrize(
    ("edition", "count", "jokers"),
    [
        ("firewall", 53, 1),
        ("royals", 53, 1),
        ("rulebook", 54, 2),
    ],
)
def test_the_deck_has_52_cards_and_one_joker_or_two(edition: str, count: int, jokers: int) -> None:
    """Text: digital editions 52 cards + one joker; rule book two jokers."""
    for seed in range(20):
        game, _ = random_play(seed, edition)
        deck = [one for pile in range(9) for one in Matrix.pile(game, pile)]
        deck += Matrix.draw_pile(game)
        assert sorted(deck) == list(range(count))
        assert sum(one >= 52 for one in deck) == jokers


LADDER = ["joker", "Ah", "2h", "3h", "4h", "5h", "6h", "7h", "8h", "9h"]
STEP_UP = ["2c", "2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "10c"]


@pytest.mark.parametrize(("low", "high"), list(zip(LADDER, STEP_UP, strict=True)))
def test_cards_are_worth_their_number_the_ace_1_and_the_joker_0(low: str, high: str) -> None:
    """Text: ace = 1, number cards 2..10, joker = 0. A card may lie on any lower one."""
    around = "10h 10d 10s 9s {} 9d 8s 8d 7s"
    assert 4 in play(around.format(low), draw=high, royals={9: "Kh"}).legal()
    if LADDER.index(low) >= 3:  # a joker, an ace and a 2 would fit or reset anyway
        assert 4 not in play(around.format(high), draw=low, royals={9: "Kh"}).legal()


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(("royal", "strength"), [("J", 11), ("Q", 12), ("K", 13)])
def test_jack_queen_and_king_have_strength_11_12_and_13(
    edition: str, royal: str, strength: int
) -> None:
    """Text: a Jack can be beaten with at least 11 points, a Queen with 12, a King with 13."""
    for points in (strength - 1, strength):
        matrix = matrix_with(p0="3c", p1=f"{points - 4}s", p2="4s")
        game = play(matrix, edition, royals={13: f"{royal}s"}, draw="9c")
        game.act(0)
        assert game.is_dead(13) == (points == strength)


@pytest.mark.parametrize(("royal", "friend"), [("c", "s"), ("s", "c"), ("h", "d"), ("d", "h")])
def test_clubs_and_spades_are_black_hearts_and_diamonds_are_red(royal: str, friend: str) -> None:
    """Text: clubs, spades are black; hearts, diamonds are red."""
    for stranger in set("chsd") - {royal, friend}:
        game = play(f"- 10{stranger} - / 2{friend} - - / - - -", draw=f"K{royal}")
        assert game.legal() == SIDES[3]


# --- the deal -------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_eight_piles_are_dealt_in_reading_order_around_an_empty_centre(edition: str) -> None:
    """Text: face up onto the eight inner piles but the centre, in reading order."""
    game = Dealt("5h 2h 4c 10c 6h 3h 7c 5c 9d", edition=edition)
    assert game.tops() == "5h 2h 4c 10c - 6h 3h 7c 5c"
    assert game.draw_pile()[0] == card("9d")
    assert len(game.draw_pile()) == (54 if edition == "rulebook" else 53) - 8


@pytest.mark.parametrize("edition", EDITIONS)
def test_court_cards_drawn_meanwhile_fill_no_pile_and_lie_on_top_in_the_order_drawn(
    edition: str,
) -> None:
    """Text: court cards drawn meanwhile are set aside; digital: back on top, as drawn."""
    game = Dealt("Kc 5h 2h 4c Qd 10c Js 6h 3h 7c 5c 9d 8d", edition=edition)
    assert game.tops() == "5h 2h 4c 10c - 6h 3h 7c 5c"
    assert game.draw_pile()[:5] == cards("Kc Qd Js 9d 8d")


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_court_card_after_the_eighth_pile_is_not_set_aside(edition: str) -> None:
    """Only court cards drawn while the eight piles are filled are seen beforehand."""
    game = Dealt("5h 2h 4c 10c 6h 3h 7c 5c Kc Qd 9d", edition=edition)
    assert game.draw_pile()[:3] == cards("Kc Qd 9d")
    assert int(game.state["known_first"]) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_aces_and_jokers_may_be_dealt_into_the_matrix(edition: str) -> None:
    """Text: aces and jokers may be dealt into the matrix: they reset nothing there."""
    game = Dealt("Ah joker 4c Ac As 3h 7c Ad", edition=edition)
    assert game.tops() == "Ah joker 4c Ac - As 3h 7c Ad"
    assert [int(depth) for depth in game.state["depth"]] == [1, 1, 1, 1, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("edition", DIGITAL)
def test_set_aside_court_cards_are_known_in_order_and_no_other_card_is(edition: str) -> None:
    """Text: they were seen, so they are known, in order; the top card is face up."""
    game = Dealt("Kc Kd 5h 2h 4c Ks 10c 6h 3h 7c 5c 9d", edition=edition)
    order = game.seen()["draw_order"]
    assert {card(one): place for one, place in (("Kc", 1), ("Kd", 2), ("Ks", 3))} == {
        int(one): int(order[one]) for one in np.flatnonzero(order)
    }
    for _ in range(3):
        game.act(game.legal()[0])
    assert np.flatnonzero(game.seen()["draw_order"]).tolist() == [card("9d")]


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_top_card_of_the_draw_pile_is_always_face_up(edition: str) -> None:
    """Text: the top card is always face up: it is the card to play, and one sees it."""
    for seed in range(30):
        game, luck = random_play(seed, edition)
        while not game.over:
            top = Matrix.draw_pile(game)[0]
            seen = game.seen()
            assert int(seen["card_value"][0]) == (top % 13 + 1 if top < 52 else 0)
            assert sorted(set(seen["draw_order"].tolist()))[:2] == [0, 1]
            assert int(game.state["unseen"][top]) == 0
            game.act(int(luck.choice(game.legal())))


def test_rule_book_set_up_example() -> None:
    """Must replay: matrix 5h 2h 4c / 10c - 6h / 3h 7c 5c, set aside Kc, Qd, Js.

    Kc goes left of 10c; Qd goes right of 6h; Js goes below 7c. Ruling: in the order drawn, by the
    placement rule, each an action, before play begins.
    """
    game = Dealt("5h 2h Kc 4c 10c 6h Qd 3h Js 7c 5c 9d", edition="rulebook")
    assert game.tops() == "5h 2h 4c 10c - 6h 3h 7c 5c"
    for royal, place in (("Kc", 14), ("Qd", 15), ("Js", 19)):
        assert game.draw_pile()[0] == card(royal)
        assert game.legal() == [place]
        game.act(place)
        assert int(game.state["royal"][place - 9]) == card(royal)
    assert game.draw_pile()[0] == card("9d")


def test_rule_book_set_aside_card_with_a_choice_is_the_players_choice() -> None:
    """Ruling: each placement is an action, forced or not: a corner offers both of its sides."""
    game = Dealt("10c 2h 4c 9c Kc 6h 3h 7c 5c", edition="rulebook")
    assert game.legal() == [9, 12]
    game.act(12)
    assert int(game.state["royal"][12 - 9]) == card("Kc")


# --- court cards ----------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_court_card_goes_beside_the_same_suit_first(edition: str) -> None:
    """Text: next to the highest-value same-suited card, if a place is available."""
    game = play(matrix_with(p1="10s", p5="3c", p7="9h"), edition, draw="Kc")
    assert game.legal() == SIDES[5]


@pytest.mark.parametrize("edition", EDITIONS)
def test_court_card_takes_the_highest_of_its_suit(edition: str) -> None:
    """Text: within the class, the higher value."""
    game = play(matrix_with(p1="7c", p5="9c", p7="8c"), edition, draw="Kc")
    assert game.legal() == SIDES[5]


@pytest.mark.parametrize("edition", EDITIONS)
def test_court_card_goes_beside_the_same_colour_if_its_suit_is_not_free(edition: str) -> None:
    """Text: if no same-suited space is available, the highest same-color space."""
    game = play(
        matrix_with(p1="7s", p5="9c", p7="8s", p3="10h"), edition, draw="Kc", royals={15: "Jh"}
    )
    assert game.legal() == SIDES[7]


@pytest.mark.parametrize("edition", EDITIONS)
def test_court_card_goes_beside_the_highest_card_if_no_colour_is_free(edition: str) -> None:
    """Text: otherwise next to the highest card with an open spot."""
    game = play(matrix_with(p1="7d", p5="9d", p7="8h"), edition, draw="Kc")
    assert game.legal() == SIDES[5]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("corner", [0, 2, 6, 8])
def test_a_corner_offers_both_of_its_sides(edition: str, corner: int) -> None:
    """Text: if two spots are open (like on a corner), you may choose either."""
    game = play(matrix_with(**{f"p{corner}": "10c"}), edition, draw="Kc")
    first, second = SIDES[corner]
    assert game.legal() == [first, second]
    for taken, free in ((first, second), (second, first)):
        again = play(matrix_with(**{f"p{corner}": "10c"}), edition, draw="Kc", royals={taken: "Kh"})
        assert again.legal() == [free]


@pytest.mark.parametrize("edition", EDITIONS)
def test_all_piles_tied_for_the_best_are_legal(edition: str) -> None:
    """Text: all piles tied for the best are legal."""
    game = play(matrix_with(p1="9h", p5="9d", p6="8d"), edition, draw="Kc", royals={14: "Jh"})
    assert game.legal() == [10, 15], "9 and 9, neither of the king's colour"
    game = play(matrix_with(p1="8h", p6="8d"), edition, draw="Kc", royals={16: "Jh"})
    assert game.legal() == [10, 18], "a corner's free side ties with edge squares"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_dead_royals_pile_is_not_empty(edition: str) -> None:
    """Text: dead royals' piles are not empty; they stay occupied for the rest of the game."""
    game = play(matrix_with(p1="10c", p5="9c"), edition, draw="Kc", royals={10: "dead Kh"})
    assert game.legal() == SIDES[5]


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_last_empty_pile_is_legal_whatever_lies_beside_it(edition: str) -> None:
    """Only empty outer piles are ranked."""
    game = play(matrix_with(p1="10c"), edition, draw="Kc", dead=[at for at in OUTER if at != 16])
    assert game.legal() == [16]


@pytest.mark.parametrize("edition", EDITIONS)
def test_m1_an_empty_inner_pile_counts_as_value_0_without_suit(edition: str) -> None:
    """Ruling M1: beside an empty inner pile only if nothing better is free; all those tie."""
    game = play("- - - / 2h - - / - - -", edition, draw="Kc")
    assert game.legal() == [14]
    game = play("- - - / 2h - - / - - -", edition, draw="Kc", royals={14: "Kh"})
    assert game.legal() == [at for at in OUTER if at != 14]


@pytest.mark.parametrize("edition", DIGITAL)
def test_m1_a_joker_has_value_0_no_suit_and_no_colour(edition: str) -> None:
    """Ruling M1, digital: a joker draws no court card; it ties with an empty pile."""
    for royal in ("Kc", "Kh", "Qc", "Qh", "Jc", "Jh"):
        game = play("2d joker 2s / - - - / - - -", edition, draw=royal)
        assert 10 not in game.legal()
        game = play("joker - - / - - - / - - -", edition, draw=royal)
        assert game.legal() == OUTER


@pytest.mark.parametrize(("royal", "same"), [("Kc", "s"), ("Qh", "d"), ("Js", "c"), ("Jd", "h")])
def test_m1_rule_book_a_jokers_suit_is_wild_and_its_value_0(royal: str, same: str) -> None:
    """Ruling M1, rule book: it matches any court card's suit, with value 0."""
    game = play(f"- joker - / 10{same} - - / - - -", "rulebook", draw=royal)
    assert game.legal() == [10], "the joker is of its suit, the 10 only of its colour"
    game = play(f"- joker - / 2{royal[-1]} - - / - - -", "rulebook", draw=royal)
    assert game.legal() == [14], "the 2 has its suit too, and a higher value"


def test_m2_firewall_an_11_has_no_suit_or_colour() -> None:
    """Ruling M2: only value ranks piles for an 11."""
    for suit in "chsd":
        game = play(f"- 9{suit} - / 10h - 10c / - 8s -", "firewall", draw=f"J{suit}")
        assert game.legal() == [14, 15]


@pytest.mark.parametrize(("suit", "same"), [("c", "s"), ("h", "d"), ("s", "c"), ("d", "h")])
def test_m2_firewall_a_12_has_a_colour_but_no_suit(suit: str, same: str) -> None:
    """Ruling M2: for a 12 the same colour first and then value."""
    other = "h" if suit in "cs" else "c"
    game = play(f"- 8{suit} - / 10{other} - 9{same} / - - -", "firewall", draw=f"Q{suit}")
    assert game.legal() == [15], "the higher of its colour, whatever the suit"
    game = play(f"- 9{suit} - / 10{other} - 9{same} / - - -", "firewall", draw=f"Q{suit}")
    assert game.legal() == [10, 15]


def test_m2_firewall_a_13_has_suit_then_colour_then_value() -> None:
    """Ruling M2: a 13 has all three."""
    game = play("- 2c - / 9s - 10h / - - -", "firewall", draw="Kc")
    assert game.legal() == [10]
    game = play("- 2c - / 9s - 10h / - - -", "firewall", draw="Kc", royals={10: "Kh"})
    assert game.legal() == [14]
    game = play("- 2c - / 9s - 10h / - - -", "firewall", draw="Kc", royals={10: "Kh", 14: "Kd"})
    assert game.legal() == [15]


@pytest.mark.parametrize("edition", ["royals", "rulebook"])
@pytest.mark.parametrize("royal", "JQK")
def test_m2_in_royals_all_three_keep_their_suit(edition: str, royal: str) -> None:
    """Ruling M2: in `royals` (and the rule book) Jack, Queen and King have suit and colour."""
    game = play("- 2c - / 9s - 10h / - - -", edition, draw=f"{royal}c")
    assert game.legal() == [10]
    game = play("- 2h - / 9s - 10h / - - -", edition, draw=f"{royal}c")
    assert game.legal() == [14]


# --- number cards ---------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_7_may_be_played_on_ace_to_7_and_not_on_8_9_10(edition: str) -> None:
    """Must replay: a 7 may be played on ace..7, not on 8, 9, 10."""
    game = play("Ac 2c 3c / 4c 5c 6c / 7c 8c 9c", edition, draw="7h")
    assert game.legal() == [0, 1, 2, 3, 4, 5, 6]
    game = play("10c 8c 9c / 8s 9s 10s / 7c 8d 9d", edition, draw="7h")
    assert game.legal() == [6]


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_number_card_may_go_on_an_empty_pile(edition: str) -> None:
    """Text: any inner pile that is empty."""
    game = play("10c 8c 9c / 8s - 10s / 7c 8d 9d", edition, draw="2h")
    assert game.legal() == [4]


@pytest.mark.parametrize("edition", EDITIONS)
def test_any_number_card_may_go_on_a_joker(edition: str) -> None:
    """The joker has value 0."""
    game = play("10c 8c 9c / 8s joker 10s / 7c 8d 9d", edition, draw="2h")
    assert game.legal() == [4]


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_card_that_fits_may_not_become_ice(edition: str) -> None:
    """Text: only if a number card cannot be placed on an inner pile is it added to a royal."""
    game = play("10c 8c 9c / 8s 2c 10s / 7c 8d 9d", edition, draw="3h", royals={9: "Kh"})
    assert game.legal() == [4]


HIGH = "10c 8c 9c / 8s 9s 10s / 7c 8d 9d"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_2_that_fits_nowhere_makes_a_jack_13(edition: str) -> None:
    """Must replay: a Jack with a 2 requires 13 points instead of 11, for good."""
    game = play(HIGH, edition, draw="2h 5h", royals={10: "Jh"})
    assert game.legal() == [10]
    game.act(10)
    assert game.strength(10) == 13
    assert game.tops() == HIGH.replace(" /", "")
    game.act(10)
    assert game.strength(10) == 18, "for good: more ICE comes on top of it"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_jack_with_a_2_falls_to_13_points_and_not_to_12(edition: str) -> None:
    """Text: a Jack with a 2 requires 13 points to defeat; any two cards still do."""
    for middle, falls in (("3h", False), ("4h", True)):
        game = play(f"2c {middle} 9c / - - - / - - -", edition, draw="8s", royals={13: "Jh 2h"})
        game.act(0)
        assert game.is_dead(13) == falls


@pytest.mark.parametrize("edition", EDITIONS)
def test_ice_does_not_change_the_conditions_of_suit_and_colour(edition: str) -> None:
    """Text: the normal rules about suits and/or color requirements remain the same."""
    for royal, near, far, falls in (
        ("Qh 2c", "10d", "9h", True),
        ("Qh 2c", "10c", "9h", False),
        ("Ks 2h", "10s", "9s", True),
        ("Ks 2h", "10h", "9s", False),
        ("Jh 2c", "10s", "9d", True),
    ):
        game = play(f"2s {far} {near} / - - - / - - -", edition, draw="8s", royals={13: royal})
        game.act(0)
        assert game.is_dead(13) == falls, (royal, near, far)


@pytest.mark.parametrize("edition", DIGITAL)
def test_digital_the_player_chooses_any_living_royal_that_stays_within_20(edition: str) -> None:
    """Text, digital: any living royal whose strength would stay <= 20 may take the card."""
    game = play(
        HIGH,
        edition,
        draw="6c",
        royals={9: "Jh", 12: "Jd 3c", 14: "Jc 4c", 15: "Kc", 16: "Ks 2c", 20: "dead Js"},
    )
    assert game.legal() == [9, 12, 15], "20 is allowed (11+3+6), 21 is not; the dead take none"


@pytest.mark.parametrize("edition", DIGITAL)
def test_digital_without_a_pile_for_the_face_up_card_the_game_is_lost(edition: str) -> None:
    """Text: if none can, the game is lost ("no valid place"); here after an inner move."""
    game = play("10c 8c 9c / 8s 5s 10s / 7c 8d 9d", edition, draw="9h 6c", royals={9: "Kh 2c"})
    assert game.act(4) == 0.0
    assert game.reason == "no_legal_pile"
    assert (game.terminated, game.truncated) == (True, False)
    assert game.legal() == []
    assert game.mover is None


@pytest.mark.parametrize("edition", DIGITAL)
def test_slip_a_lost_game_is_noticed_after_a_card_went_to_an_outer_pile(edition: str) -> None:
    """Not imitated: the original does not look for a lost game after an outer pile."""
    game = play(HIGH, edition, draw="6c 6h", royals={9: "Jh 3h"})
    game.act(9)
    assert game.reason == "no_legal_pile"
    game = play(HIGH, edition, draw="Kc 6h", royals={10: "Kh 2h"})
    game.act(9)
    assert game.strength(9) == 13
    assert not game.over, "the new king can bear the 6"


@pytest.mark.parametrize("edition", DIGITAL)
def test_digital_no_living_royal_and_no_inner_pile_is_a_loss(edition: str) -> None:
    """The digital game has no preventative ICE."""
    game = play(HIGH.replace("9s", "5s"), edition, draw="9s 2h", royals={9: "dead Jh"})
    game.act(4)
    assert game.reason == "no_legal_pile"


def test_rule_book_ice_example() -> None:
    """Must replay: 3s fits nowhere, Ks (13) and Qs (12) alive: it must go to Qs, now 15."""
    game = play(HIGH, "rulebook", draw="3s", royals={10: "Ks", 15: "Qs"})
    assert game.legal() == [15]
    game.act(15)
    assert game.strength(15) == 15


def test_rule_book_ice_goes_to_the_same_suit_then_the_same_colour_then_any() -> None:
    """Text: most similar: same suit first, else same colour, else any."""
    royals = {9: "Jd", 12: "Jc", 14: "Ks 5s"}
    assert play(HIGH, "rulebook", draw="2s", royals=royals).legal() == [14]
    royals[14] = "dead Ks"
    assert play(HIGH, "rulebook", draw="2s", royals=royals).legal() == [12]
    royals[12] = "dead Jc"
    assert play(HIGH, "rulebook", draw="2s", royals=royals).legal() == [9]


def test_rule_book_ice_goes_to_the_closest_strength_with_ice_counted() -> None:
    """Text: within the class the one closest in value (strength including ICE)."""
    game = play(HIGH, "rulebook", draw="2s", royals={9: "Js 3s", 12: "Ks", 14: "Qs 2d"})
    assert game.legal() == [12], "14, 13 and 14"


def test_rule_book_ice_ties_are_the_players_choice() -> None:
    """Text: ties are the player's choice."""
    game = play(HIGH, "rulebook", draw="2s", royals={9: "Js 2d", 12: "Ks", 14: "Qs 3d"})
    assert game.legal() == [9, 12]


def test_rule_book_preventative_ice_without_a_living_royal() -> None:
    """Text: without a living royal it goes to an empty outer pile as a court card would go.

    With the card's own suit and colour; a royal placed there later starts with that ICE.
    """
    game = play("10h 8d 9h / 8h 9s 10s / 7c 8c 9d", "rulebook", draw="5c Kc", dead=[9, 10])
    assert game.legal() == [19], "the 8 of clubs: the highest of its suit"
    game.act(19)
    assert not game.over
    assert int(game.state["ice"][19 - 9]) == 5, "ICE without a royal"
    assert game.legal() == [19], "the pile still waits for its royal"
    game.act(19)
    assert game.strength(19) == 18


def test_rule_book_preventative_ice_by_colour_and_by_value() -> None:
    """Text: the court-card placement rule: suit, else colour, else the highest."""
    matrix = "10h 8d 9h / 8h 9s 10d / 7s 8s 9d"
    assert play(matrix, "rulebook", draw="5c").legal() == [19]
    assert play(matrix, "rulebook", draw="5c", dead=[19]).legal() == [16, 18]
    assert play(matrix, "rulebook", draw="5c", dead=[16, 18, 19]).legal() == [9, 12, 15]


def test_rule_book_a_card_that_fits_nowhere_may_join_preventative_ice() -> None:
    """Our reading: an outer pile with preventative ICE but no royal is still empty."""
    game = play("10h 8d 9h / 8h 9s 10d / 7s 8c 9d", "rulebook", draw="5c", royals={19: "3c"})
    assert game.legal() == [19]
    game.act(19)
    assert int(game.state["ice"][19 - 9]) == 8


def test_rule_book_black_ice_when_a_strength_passes_20() -> None:
    """Text: if a royal's strength passes 20 the game is lost ("black ICE")."""
    for ice, over in (("5c", False), ("6c", True)):
        game = play(HIGH, "rulebook", draw=ice, royals={9: "Qc 3c"})
        assert game.legal() == [9]
        assert game.act(9) == 0.0
        assert game.over == over
        assert game.reason == ("black_ice" if over else "")
        assert game.terminated == over


def test_rule_book_black_ice_on_placing_a_royal_on_preventative_ice() -> None:
    """Text: a royal placed there later starts with that ICE: that may already be too much."""
    for royal, over in (("Qc", False), ("Kc", True)):
        game = play(matrix_with(p7="10c"), "rulebook", draw=royal, royals={19: "3c 5c"})
        assert game.legal() == [19]
        game.act(19)
        assert game.reason == ("black_ice" if over else "")


def test_rule_book_preventative_ice_beyond_20_is_not_yet_black_ice() -> None:
    """Black ICE is a royal's: ICE alone has none to make too strong."""
    game = play("10h 9h 9d / 8h 9s 10d / 10s 8c 8d", "rulebook", draw="7c", royals={19: "6c 5c 4c"})
    game.act(19)
    assert int(game.state["ice"][19 - 9]) == 22
    assert not game.over


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_number_card_played_covers_the_pile(edition: str) -> None:
    """A number card resets nothing: the cards under it stay."""
    game = play("2c+5h - - / - - - / - - -", edition, draw="7h")
    game.act(0)
    assert game.pile(0) == cards("2c 5h 7h")


# --- aces and jokers ------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_ace_may_be_played_on_any_inner_pile(edition: str) -> None:
    """Text: aces can be played on any pile; not on an outer one."""
    game = play("10c 8c 9c / 8s - joker / 7c 8d Ad", edition, draw="Ah", royals={9: "Kh"})
    assert game.legal() == list(range(9))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("one", ["Ah", "joker"])
def test_a_reset_sends_the_pile_to_the_bottom_its_top_card_first(edition: str, one: str) -> None:
    """Text: the whole pile goes to the bottom of the draw pile, its top card first.

    Then the ace lies there alone with value 1, the joker with value 0. Ruling: the same order in
    the rule book.
    """
    game = play("2c+5c+5h 9c 9d / 8c 8d 8h / 7c 7d 7h", edition, draw=f"{one} 3d")
    before = game.draw_pile()
    game.act(0)
    assert game.draw_pile() == [*before[1:], *cards("5h 5c 2c")]
    assert game.pile(0) == [card(one)]
    assert game.legal() == [0], "a 3 fits on the ace or joker only"


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_top_card_of_a_reset_pile_is_drawn_first_among_them(edition: str) -> None:
    """Text: so the top card of the pile will be drawn first among them."""
    game = last_royal(edition, "Ah 10h 10d", bury=8)
    pile = game.pile(8)
    game.act(8)
    game.act(3)
    game.act(4)
    assert game.draw_pile() == pile[::-1]
    assert int(game.seen()["draw_order"][pile[-1]]) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_ace_on_an_empty_pile_sends_nothing_back(edition: str) -> None:
    """The reset of an empty pile moves no card."""
    game = play("2c - - / - - - / - - -", edition, draw="Ah")
    before = game.draw_pile()
    game.act(4)
    assert game.draw_pile() == before[1:]
    assert game.pile(4) == [card("Ah")]


@pytest.mark.parametrize("edition", DIGITAL)
def test_digital_a_joker_must_go_on_the_lowest_non_empty_pile(edition: str) -> None:
    """Text: jokers must be placed on the lowest-value pile; empty piles do not count."""
    game = play("10c 8c 9c / - 3s 10s / 7c 8d 9d", edition, draw="joker", royals={9: "Kh"})
    assert game.legal() == [4]
    game = play("10c 3c 9c / - 3s 10s / 7c 8d Ad", edition, draw="joker")
    assert game.legal() == [8]


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_joker_chooses_among_equally_low_piles(edition: str) -> None:
    """Text: ties: choose. Only tops count."""
    game = play("10c 3c 9c / 2c+8s 3s 10s / 7c 8d 3d", edition, draw="joker")
    assert game.legal() == [1, 4, 8]


@pytest.mark.parametrize("edition", DIGITAL)
def test_m3_if_every_inner_pile_is_empty_a_joker_may_go_anywhere(edition: str) -> None:
    """Ruling M3: any inner pile."""
    game = play("- - - / - - - / - - -", edition, draw="joker")
    assert game.legal() == list(range(9))


def test_rule_book_an_empty_pile_counts_as_0_for_a_joker() -> None:
    """Text, rule book: an empty pile can be the lowest; it ties with the other joker."""
    game = play("10c 3c 9c / - 3s Ah / 7c - 3d", "rulebook", draw="joker")
    assert game.legal() == [3, 7]
    game = play("10c 3c 9c / - joker2 Ah / 7c - 3d", "rulebook", draw="joker")
    assert game.legal() == [3, 4, 7]
    game = play("- - - / - - - / - - -", "rulebook", draw="joker")
    assert game.legal() == list(range(9))


# --- the attack -----------------------------------------------------------------------------------

#: (played pile, middle pile, near pile, outer pile) of all twelve lines.
ALL_LINES = [
    (0, 1, 2, 13),
    (2, 1, 0, 12),
    (3, 4, 5, 15),
    (5, 4, 3, 14),
    (6, 7, 8, 17),
    (8, 7, 6, 16),
    (0, 3, 6, 18),
    (6, 3, 0, 9),
    (1, 4, 7, 19),
    (7, 4, 1, 10),
    (2, 5, 8, 20),
    (8, 5, 2, 11),
]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("line", ALL_LINES)
def test_the_two_piles_between_the_played_one_and_the_royal_attack(
    edition: str, line: tuple[int, int, int, int]
) -> None:
    """Text: two cards closest to the royal attack when a card is placed on the far pile."""
    far, middle, near, outer = line
    tops = ["-"] * 9
    tops[far], tops[middle], tops[near] = "2c", "9h", "9s"
    game = play(" ".join(tops), edition, draw="3c", royals={outer: "Jd"})
    game.act(far)
    assert game.is_dead(outer)
    for elsewhere in set(range(9)) - {far}:
        game = play(" ".join(tops), edition, draw="9c", royals={outer: "Jd"})
        if elsewhere in game.legal():
            game.act(elsewhere)
            assert not game.is_dead(outer), f"{elsewhere} is not the far pile of {outer}"


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("inner", range(9))
def test_corners_trigger_two_lines_edges_one_and_the_centre_none(edition: str, inner: int) -> None:
    """Text: corner squares trigger two lines, edge-centre squares one, the centre none."""
    tops = ["6c", "6h", "6d", "6s", "8c", "8h", "8d", "8s", "9c"]
    tops[inner] = "2c"
    for four in (OUTER[:4], OUTER[4:8], OUTER[8:]):
        royals = dict(zip(four, ["Jc", "Jh", "Js", "Jd"], strict=True))
        game = play(" ".join(tops), edition, draw="5c", royals=royals)
        game.act(inner)
        expected = {outer for far, _, _, outer in ALL_LINES if far == inner} & set(four)
        assert {at for at in four if game.is_dead(at)} == expected
    lines = sum(far == inner for far, *_ in ALL_LINES)
    assert lines == {0: 2, 2: 2, 6: 2, 8: 2, 4: 0}.get(inner, 1)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("played", ["3c", "10h", "Ah", "joker"])
def test_row_3_10_7_jack_any_legal_card_on_the_3_kills_the_jack(edition: str, played: str) -> None:
    """Must replay: row 3, 10, 7, Jack: 17 >= 11; an ace or a joker triggers the line too."""
    game = play("3s 10c 7d / - - - / - - -", edition, draw=played, royals={13: "Jh"})
    if 0 in game.legal():
        game.act(0)
        assert game.is_dead(13)
    else:  # the rule book's joker must go to one of the empty piles
        assert (edition, played) == ("rulebook", "joker")
        full = play("3s 10c 7d / 8d 8h 8s / 9d 9h 9s", edition, draw=played, royals={13: "Jh"})
        full.act(0)
        assert full.is_dead(13)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(("ten", "seven"), list(product("chsd", repeat=2)))
def test_row_3_10_7_with_the_queen_of_hearts_or_the_king_of_spades(
    edition: str, ten: str, seven: str
) -> None:
    """Must replay: the Queen of hearts only if 10 and 7 are red, the King of spades only spades."""
    row = f"3c 10{ten} 7{seven} / - - - / - - -"
    queen = play(row, edition, draw="4c", royals={13: "Qh"})
    queen.act(0)
    assert queen.is_dead(13) == (ten in "hd" and seven in "hd")
    king = play(row, edition, draw="4c", royals={13: "Ks"})
    king.act(0)
    assert king.is_dead(13) == (ten == seven == "s")


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("suit", "chsd")
def test_every_queen_wants_her_colour_and_every_king_his_suit(edition: str, suit: str) -> None:
    """Text: Queen: both cards of her colour; King: both of his suit; Jack: any two."""
    reds = "hd"
    for near, far in product("chsd", repeat=2):
        row = f"2{suit} 10{far} 9{near} / - - - / - - -"
        results = {}
        for royal in "JQK":
            game = play(row, edition, draw=f"3{suit}", royals={13: f"{royal}{suit}"})
            game.act(0)
            results[royal] = game.is_dead(13)
        colour = (near in reds) == (far in reds) == (suit in reds)
        assert results == {"J": True, "Q": colour, "K": near == far == suit}, (near, far)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("royal", ["Jc", "Qc", "Kc"])
def test_a_joker_adds_nothing_to_an_attack(edition: str, royal: str) -> None:
    """Text: one card alone can never suffice, and the joker's value is 0, wild suit or not."""
    for row in ("2h joker 10c", "2h 10c joker"):
        game = play(f"{row} / - - - / - - -", edition, draw="3h", royals={13: royal})
        game.act(0)
        assert not game.is_dead(13)


@pytest.mark.parametrize("edition", EDITIONS)
def test_slip_a_royal_beside_an_empty_inner_pile_stops_nothing(edition: str) -> None:
    """Not imitated: a royal beside an empty inner pile stops the original program."""
    for row in ("2h 10c -", "2h - 10c", "2h - -"):
        game = play(f"{row} / - - - / - - -", edition, draw="3h", royals={13: "Jc"})
        game.act(0)
        assert not game.is_dead(13)
        assert not game.over


@pytest.mark.parametrize("edition", EDITIONS)
def test_only_the_tops_of_the_piles_attack(edition: str) -> None:
    """Text: sum of the two tops."""
    game = play("2h 2s+2c 8c / - - - / - - -", edition, draw="3h", royals={13: "Jc"})
    game.act(0)
    assert not game.is_dead(13)
    game = play("2h 2c+9c 2s+8c / - - - / - - -", edition, draw="3h", royals={13: "Jc"})
    game.act(0)
    assert game.is_dead(13)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_played_card_itself_does_not_attack(edition: str) -> None:
    """Text: the two closest to the royal attack; the third only triggers."""
    game = play("2h 4c 6c / - - - / - - -", edition, draw="10h", royals={13: "Jc", 12: "Js"})
    game.act(0)
    assert not game.is_dead(13)
    assert not game.is_dead(12), "a royal beside the played pile is on no line of it"


@pytest.mark.parametrize("edition", EDITIONS)
def test_two_royals_can_die_at_once(edition: str) -> None:
    """Text: both lines of a corner are checked in one move."""
    game = play(
        "2h 9c 8c / 9d - - / 8d - -",
        edition,
        draw="3h",
        royals={13: "Qs", 18: "Qh"},
        reward="royals",
    )
    assert game.act(0) == 2 * ROYAL
    assert game.is_dead(13)
    assert game.is_dead(18)
    assert game.metrics()["royals_killed"] == 2


@pytest.mark.parametrize("edition", EDITIONS)
def test_one_line_of_a_corner_may_succeed_alone(edition: str) -> None:
    """Each line is judged by itself."""
    game = play("2h 9c 8c / 9d - - / 8s - -", edition, draw="3h", royals={13: "Qs", 18: "Qh"})
    game.act(0)
    assert game.is_dead(13)
    assert not game.is_dead(18)


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_reset_of_an_attacking_pile_counts_before_the_attack(edition: str) -> None:
    """The cards lie as after the move: an ace on the near pile takes its card away."""
    game = play("2h 9c 8c / - - - / - - -", edition, draw="Ah 3h", royals={13: "Jc"})
    game.act(2)
    game.act(0)
    assert not game.is_dead(13), "9 + 1"


@pytest.mark.parametrize("edition", EDITIONS)
def test_playing_to_an_outer_pile_triggers_nothing(edition: str) -> None:
    """Text: playing to an outer pile triggers nothing, however strong the lines are."""
    game = play(
        matrix_with(p0="9c", p1="10c", p2="10s", p3="10h", p6="10d"),
        edition,
        draw="Kc",
        royals={12: "Js", 18: "Jh", 9: "Jd"},
    )
    place = game.legal()[0]
    assert place >= 9
    game.act(place)
    assert game.metrics()["royals_killed"] == 0
    game = play(HIGH, edition, draw="2h", royals={12: "Jh", 13: "Js"})
    game.act(12)
    assert game.metrics()["royals_killed"] == 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_beaten_royal_stays_dead_and_in_its_place(edition: str) -> None:
    """Text: it and its ICE are turned face down; its outer pile stays occupied."""
    game = play(
        "2h 9c 8c / - - - / - - -", edition, draw="3h 4h Ks", royals={13: "Js 2d"}, reward="royals"
    )
    assert game.act(0) == ROYAL
    assert game.is_dead(13)
    assert int(game.state["royal"][13 - 9]) == card("Js")
    assert game.act(0) == 0.0, "a dead royal is not beaten again"
    assert game.metrics()["royals_killed"] == 1
    assert 13 not in game.legal()
    seen = game.seen()
    assert (int(seen["royal_value"][4]), int(seen["royal_dead"][4])) == (11, 1)


def test_rule_book_play_example() -> None:
    """Must replay: the rule book's example of play, with all three legal piles.

    6c is drawn. Legal: 6s, 5s and Ac. On 5s it attacks Kh with 8d and 8h: he survives. On 6s it
    attacks Jd (strength 14) with 7c+10d = 17 and Jc with 5s+8c = 13: both die.
    """

    def example() -> Matrix:
        return play(
            "6s 7c 10d / 5s 8d 8h / 8c Ac 9c",
            "rulebook",
            draw="6c",
            royals={9: "Ks", 12: "Qs", 13: "Jd 3d", 15: "Kh", 18: "Jc"},
            dead=[10, 11, 14, 16, 17, 19],
        )

    game = example()
    assert game.legal() == [0, 3, 7]
    assert game.strength(13) == 14
    game.act(3)
    assert game.metrics()["royals_killed"] == 6
    assert not game.is_dead(15)
    game = example()
    game.act(0)
    assert game.is_dead(13)
    assert game.is_dead(18)
    assert game.metrics()["royals_killed"] == 8
    assert [game.is_dead(at) for at in (9, 12, 15)] == [False] * 3
    game = example()
    game.act(7)
    assert game.metrics()["royals_killed"] == 6


# --- the end --------------------------------------------------------------------------------------

ELEVEN_DEAD = [at for at in OUTER if at != 13]


def last_royal(edition: str, draw: str, bury: int | None = None, **options: object) -> Matrix:
    return play(
        "2h 9c 8c / - - - / - - -",
        edition,
        draw=draw,
        royals={13: "Jc"},
        dead=ELEVEN_DEAD,
        bury=bury,
        **options,
    )


@pytest.mark.parametrize("edition", EDITIONS)
def test_won_when_all_twelve_royals_are_dead(edition: str) -> None:
    """Text: won: all 12 royals are on the table and dead."""
    game = last_royal(edition, "3h")
    assert game.act(0) == 1.0
    assert game.reason == "won"
    assert (game.terminated, game.truncated) == (True, False)
    assert game.legal() == []
    assert game.metrics()["royals_killed"] == 12


@pytest.mark.parametrize("edition", EDITIONS)
def test_all_royals_on_the_table_dead_is_not_won_while_one_is_to_come(edition: str) -> None:
    """Text: all 12 must be on the table."""
    game = play(
        "2h 9c 8c / - - - / - - -",
        edition,
        draw="3h Kh",
        royals={13: "Jc"},
        dead=[at for at in OUTER if at not in (13, 20)],
    )
    assert game.act(0) == 0.0
    assert game.metrics()["royals_killed"] == 11
    assert not game.over
    assert game.legal() == [20]


@pytest.mark.parametrize("edition", EDITIONS)
def test_winning_is_checked_before_losing(edition: str) -> None:
    """Text: won is checked before losing: the last card may win."""
    game = last_royal(edition, "3h", bury=8)
    assert len(game.draw_pile()) == 1
    assert game.act(0) == 1.0
    assert game.reason == "won"


@pytest.mark.parametrize("edition", EDITIONS)
def test_lost_when_the_draw_pile_is_empty_after_a_move(edition: str) -> None:
    """Text: lost: the draw pile is empty after a move and the game is not won."""
    game = last_royal(edition, "4d 3h", bury=8)
    game.act(4)
    assert not game.over
    assert game.act(5) == 0.0
    assert game.reason == "draw_pile_empty"
    assert (game.terminated, game.truncated) == (True, False)
    assert game.metrics()["cards_left"] == 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_last_card_may_refill_the_draw_pile(edition: str) -> None:
    """An ace as the last card resets a pile: the draw pile is not empty after the move."""
    game = last_royal(edition, "Ah", bury=8)
    depth = int(game.state["depth"][8])
    game.act(8)
    assert not game.over
    assert len(game.draw_pile()) == depth
    empty = last_royal(edition, "Ah", bury=8)
    empty.act(5)
    assert empty.reason == "draw_pile_empty", "on an empty pile it brings nothing back"


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("stall", [None, "truncate", "lose"])
def test_max_steps_truncates_or_loses_as_stall_says(edition: str, stall: str | None) -> None:
    """Text: option stall: truncated, or lost; by default lost in the rule book alone."""
    words = "2h - - / - - - / - - -"
    game = play(words, edition, draw="3h 4h 5h 6h", max_steps=3, stall=stall)
    for left in (3, 2):
        assert int(game.seen()["steps_left"][0]) == left
        game.act(0)
        assert not game.over
    assert game.act(0) == 0.0
    lost = stall == "lose" or (stall is None and edition == "rulebook")
    assert (game.terminated, game.truncated) == (lost, not lost)
    assert game.reason == ("stalled" if lost else "max_steps")
    assert game.legal() == []
    assert int(game.seen()["steps_left"][0]) == 0
    assert game.trouble() == ""
    game.record["reason"] = GAME.reasons.index("max_steps" if lost else "stalled")
    game.record["terminated"], game.record["truncated"] = not lost, lost
    assert game.trouble() == "the end of the game agrees with the position"


def test_steps_left_counts_down_from_127() -> None:
    """Text: the steps that are left before truncation are in the observation."""
    game = play("2h - - / - - - / - - -", draw="3h 4h 5h", max_steps=129)
    for left in (127, 127, 127, 126):
        assert int(game.seen()["steps_left"][0]) == left
        game.act(game.legal()[-1])


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_win_or_a_loss_with_the_last_step_is_no_truncation(edition: str) -> None:
    """A game that ends by its rules with its last step has ended by its rules."""
    won = last_royal(edition, "3h", max_steps=1)
    won.act(0)
    assert (won.reason, won.terminated, won.truncated) == ("won", True, False)
    lost = last_royal(edition, "3h", bury=8, max_steps=1)
    lost.act(5)
    assert (lost.reason, lost.terminated, lost.truncated) == ("draw_pile_empty", True, False)


def test_max_steps_is_500_unless_given() -> None:
    """Option max_steps=500; the editions and rewards have their defaults, too."""
    game = Play("matrix_overload")
    assert game.variant.options == {
        "edition": "firewall",
        "reward": "win",
        "max_steps": 500,
        "stall": "truncate",
        "observation": "cards",
    }
    assert int(game.state["max_steps"]) == 500


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("edition", "poker"),
        ("reward", "money"),
        ("max_steps", 0),
        ("max_steps", 2.5),
        ("stall", "win"),
        ("jokers", 2),
    ],
)
def test_other_options_are_refused(option: str, value: object) -> None:
    """Only the options of the rules page exist."""
    with pytest.raises(ValueError, match=option):
        Play("matrix_overload", **{option: value})


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_prescribed_deck_must_hold_every_card_once(edition: str) -> None:
    """53 cards in the digital editions, 54 in the rule book."""
    count = 54 if edition == "rulebook" else 53
    for deck in (list(range(count - 1)), list(range(count + 1)), [0, *range(count - 1)]):
        with pytest.raises(ValueError, match="deck"):
            Play("matrix_overload", {"deck": deck}, edition=edition)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("words", "possible"),
    [
        ("Ah+2c+2d+10c", True),
        ("joker+9c+10c", True),
        ("10c+2c", False),
        ("2c+Ah", False),
        ("Ah+Ad", False),
        ("2c+joker", False),
        ("joker+Ah", False),
    ],
)
def test_piles_that_no_play_can_give_are_no_positions(
    edition: str, words: str, possible: bool
) -> None:
    """Text: no number lies on a higher one, and an ace or joker on no card: it resets the pile."""
    game = Play("matrix_overload", edition=edition)
    lay_out(
        game.record[0], table(f"{words} - - - - - - - -", draw="3h", jokers=game_jokers(edition))
    )
    assert game.trouble() == ("" if possible else "the inner piles hang together as cards are laid")


@pytest.mark.parametrize("edition", EDITIONS)
def test_ice_without_a_royal_is_the_rule_books_alone(edition: str) -> None:
    """Text: only the rule book lays preventative ICE."""
    game = Play("matrix_overload", edition=edition)
    iced = table(royals={9: "3c"}, draw="3h", jokers=game_jokers(edition))
    lay_out(game.record[0], iced)
    assert (game.trouble() == "") == (edition == "rulebook")


# --- the reward -----------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_reward_win_is_1_for_a_win_and_0_otherwise(edition: str) -> None:
    """Text: reward="win": +1 on a win, 0 otherwise, also when a royal dies."""
    game = play("2h 9c 8c / - - - / - - -", edition, draw="3h", royals={13: "Jc"}, reward="win")
    assert game.act(0) == 0.0
    assert game.is_dead(13)
    assert last_royal(edition, "3h", reward="win").act(0) == 1.0


@pytest.mark.parametrize("edition", EDITIONS)
def test_reward_royals_is_a_twelfth_for_each_royal_and_1_more_for_the_win(edition: str) -> None:
    """Text: reward="royals": 1/12 for each royal as it dies, and +1 more on a win."""
    game = play(
        "2h 9c 8c / - - - / - - -", edition, draw="3h 10d", royals={13: "Jc"}, reward="royals"
    )
    assert game.act(0) == ROYAL
    assert game.act(1) == 0.0
    assert last_royal(edition, "3h", reward="royals").act(0) == np.float32(1 + ROYAL)


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_no_win_adds_up_to_more_than_the_bound(number: type[np.floating[Any]]) -> None:
    """Text: 1/12 is paid as the float32 just below it, so that a win never sums to more than 2.

    However the twelve fall, one or two at a time, and whoever adds it up.
    """
    assert ROYAL.dtype == np.float32
    assert float(ROYAL) < 1 / 12 < float(np.nextafter(ROYAL, np.float32(1)))
    bound = GAME.reward_bound
    for pairs in range(7):
        falls = [2] * pairs + [1] * (12 - 2 * pairs)
        for order in {tuple(falls), tuple(falls[::-1])}:
            total = number(0)
            for at, fallen in enumerate(order, start=1):
                paid = np.float32(fallen * ROYAL)
                total += number(paid + np.float32(1) if at == len(order) else paid)
            assert 2 - 1e-6 < total <= bound == 2


@pytest.mark.parametrize("edition", EDITIONS)
def test_info_reports_royals_killed_and_cards_left(edition: str) -> None:
    """Text: `info` always reports royals killed, cards left and, at the end, the reason."""
    for seed in range(20):
        game, luck = random_play(seed, edition)
        while not game.over:
            assert game.reason == ""
            game.act(int(luck.choice(game.legal())))
            assert game.metrics() == {
                "royals_killed": int(game.state["dead"].sum()),
                "cards_left": len(Matrix.draw_pile(game)),
            }
        ends = {"draw_pile_empty", "no_legal_pile", "black_ice", "max_steps", "stalled"}
        assert game.reason in ends
        assert (game.reason == "max_steps") == game.truncated


# --- what the player may see ----------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_player_sees_the_matrix_and_what_lies_in_its_piles(edition: str) -> None:
    """Text: the matrix (tops, and the depth and contents of piles)."""
    game = play("2c+5h Ad joker / - 10s - / - - -", edition, draw="9c")
    seen = game.seen()
    assert seen["top_value"].tolist() == [5, 1, 0, -1, 10, -1, -1, -1, -1]
    assert seen["depth"].tolist() == [2, 1, 1, 0, 1, 0, 0, 0, 0]
    assert seen["top_suit"][:3].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert seen["top_suit"][4].tolist() == [0, 0, 1, 0]
    lying = {"2c": (1, 1), "5h": (1, 2), "Ad": (2, 1), "joker": (3, 1), "10s": (5, 1)}
    for one in range(54):
        pile, height = int(seen["pile"][one]), int(seen["height"][one])
        assert (pile, height) == {card(name): at for name, at in lying.items()}.get(one, (0, 0))


def test_the_player_sees_royals_with_strength_and_state() -> None:
    """Text: the royals with strength and state, the face-up card, the size of the draw pile."""
    game = play(matrix_with(), "royals", draw="9c", royals={9: "Qh 3c 2s", 20: "dead Jc"})
    seen = game.seen()
    assert seen["royal_value"].tolist() == [12, *[0] * 10, 11]
    assert seen["royal_suit"][0].tolist() == [0, 1, 0, 0]
    assert seen["royal_suit"][11].tolist() == [1, 0, 0, 0]
    assert seen["ice"].tolist() == [5, *[0] * 11]
    assert seen["royal_dead"].tolist() == [0] * 11 + [1]
    assert seen["card_value"].tolist() == [9]
    assert seen["card_suit"].tolist() == [1, 0, 0, 0]
    assert seen["draw_pile"].tolist() == [len(game.draw_pile())]


def test_firewall_shows_no_suit_of_an_11_and_only_the_colour_of_a_12() -> None:
    """Text: an 11 shows no suit (any), a 12 shows only its colour; a 13 shows its suit."""
    game = play(
        matrix_with(),
        "firewall",
        draw="Qs",
        royals={9: "Jh", 10: "Qc", 11: "Qd", 12: "Kd", 13: "Ks"},
    )
    seen = game.seen()
    assert seen["royal_value"].tolist()[:5] == [11, 12, 12, 13, 13]
    assert seen["royal_suit"][:5].tolist() == [
        [0, 0, 0, 0],
        [1, 0, 1, 0],
        [0, 1, 0, 1],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
    ]
    assert seen["card_suit"].tolist() == [1, 0, 1, 0]


def test_firewall_tells_nothing_of_the_suits_that_it_does_not_show() -> None:
    """Text: swap the hidden suits of the 11s, and of 12s of one colour: nothing looks different."""
    luck = np.random.default_rng(5)
    for _ in range(30):
        deck = luck.permutation(53).tolist()
        jacks = dict(
            zip(cards("Jc Jh Js Jd"), luck.permutation(cards("Jc Jh Js Jd")).tolist(), strict=True)
        )
        queens = dict(zip(cards("Qc Qs Qh Qd"), cards("Qs Qc Qd Qh"), strict=True))
        other = [queens.get(one, jacks.get(one, one)) for one in deck]
        games = [Play("matrix_overload", {"deck": one}) for one in (deck, other)]
        while not games[0].over:
            first, second = (game.seen() for game in games)
            assert all(np.array_equal(first[name], second[name]) for name in first)
            assert games[0].legal() == games[1].legal()
            action = int(luck.choice(games[0].legal()))
            for game in games:
                game.act(action)
        assert games[1].over


def test_firewall_gives_each_card_of_the_deck_an_id_of_its_own() -> None:
    """Text: the pieces are disjoint by id, so that a deck can be rebuilt from them."""
    both = 0
    for seed in range(40):
        game, luck = random_play(seed, "firewall")
        while not game.over:
            seen, pile = game.seen(), Matrix.draw_pile(game)
            known, unseen = (np.flatnonzero(seen[name]) for name in ("draw_order", "unseen"))
            inside = np.flatnonzero(seen["pile"])
            assert len({*known, *unseen, *inside}) == len(known) + len(unseen) + len(inside)
            ahead = sorted(known, key=seen["draw_order"].__getitem__)
            first = int(game.state["known_first"])
            rebuilt = [*ahead[:first], *unseen, *ahead[first:]]
            told = [shown(one) for one in rebuilt]
            assert told[:first] == [shown(one) for one in pile[:first]]
            assert sorted(told) == sorted(map(shown, pile))
            both += any(shown(one)[0] == shown(other)[0] == 11 for one in known for other in unseen)
            game.act(int(luck.choice(game.legal())))
    assert both > 100


@pytest.mark.parametrize("edition", EDITIONS)
def test_returned_cards_are_known_in_order(edition: str) -> None:
    """Text: every card that was returned to the bottom is known, in order."""
    game = play("2c+5c+9h 9c 9d / 8c 8d 8h / 7c 7d 7h", edition, draw="Ah 10d")
    game.act(0)
    order = game.seen()["draw_order"]
    last = len(game.draw_pile())
    assert [int(order[card(one)]) for one in ("10d", "9h", "5c", "2c")] == [
        1,
        last - 2,
        last - 1,
        last,
    ]
    assert np.count_nonzero(order) == 4


@pytest.mark.parametrize("edition", ["royals", "rulebook"])
def test_the_observation_tells_which_cards_are_unseen(edition: str) -> None:
    """Text: the observation must carry enough to count the unseen cards."""
    for seed in range(20):
        game, luck = random_play(seed, edition)
        while not game.over:
            seen = game.seen()
            order = seen["draw_order"]
            hidden = [at for at in Matrix.draw_pile(game) if order[at] == 0]
            assert np.flatnonzero(seen["unseen"]).tolist() == sorted(hidden)
            game.act(int(luck.choice(game.legal())))


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_order_of_the_unseen_cards_is_not_seen_and_resample_shuffles_only_them(
    edition: str,
) -> None:
    """Text: `resample` shuffles only the unseen stretch; the player sees no difference."""
    changed = 0
    for seed in range(20):
        game, luck = random_play(seed, edition)
        while not game.over:
            before, pile, kept = game.seen(), Matrix.draw_pile(game), game.record.copy()
            first, last = int(game.state["known_first"]), int(game.state["known_last"])
            game.kernels.resample(game.record[0], 0)
            after, shuffled = game.seen(), Matrix.draw_pile(game)
            assert all(np.array_equal(before[name], after[name]) for name in before)
            assert shuffled[:first] == pile[:first]
            assert shuffled[len(pile) - last :] == pile[len(pile) - last :]
            assert sorted(shuffled) == sorted(pile)
            assert game.trouble() == ""
            changed += shuffled != pile
            for name in game.record.dtype.names:
                if name not in ("draw", "dice"):
                    assert np.array_equal(game.record[name], kept[name]), name
            game.act(int(luck.choice(game.legal())))
    assert changed > 200


def test_resample_gives_every_order_the_same_chance() -> None:
    """Three unseen cards: six orders, each about as often."""
    dead = OUTER[:-1]
    position = table(royals={20: "Jc"}, dead=dead, draw="9c 9h 9s 9d 8c", bury=4)
    position.known_last = 1
    found: Counter[tuple[int, ...]] = Counter()
    game = Matrix(position)
    for _ in range(1200):
        game.kernels.resample(game.record[0], 0)
        found[tuple(game.draw_pile())] += 1
    expected = {
        tuple(cards(" ".join(["9c", *middle, "8c"]))) for middle in permutations(["9h", "9s", "9d"])
    }
    assert set(found) == expected
    assert min(found.values()) > 140


def test_resample_is_even_whatever_lay_there_before() -> None:
    """Every unseen card as often at every unseen place, always from the same order: the sum over
    all places and cards of (found - expected)^2 / expected is what chance brings.
    """
    trials = 3000
    for seed in (1, 2):
        game = Play("matrix_overload", seed=seed)
        game.act(game.legal()[0])
        first, last = int(game.state["known_first"]), int(game.state["known_last"])
        head, left = int(game.state["head"]), int(game.state["left"])
        places = [(head + at) % 64 for at in range(first, left - last)]
        unseen = np.flatnonzero(game.state["unseen"])
        assert len(places) == len(unseen) > 30
        start = game.record.copy()
        found = np.zeros((len(places), 54))
        for trial in range(trials):
            game.record[:] = start  # always from the same order, with another generator
            game.record["dice"] = seed + 7919 * trial
            game.kernels.resample(game.record[0], 0)
            found[np.arange(len(places)), game.state["draw"][places]] += 1
        assert (found.sum(axis=0)[unseen] == trials).all()
        expected = trials / len(places)
        chi = ((found[:, unseen] - expected) ** 2 / expected).sum()
        freedom = (len(places) - 1) ** 2
        assert abs(chi - freedom) < 4.5 * (2 * freedom) ** 0.5


# --- slips of the digital original ----------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_slip_no_card_is_lost_at_the_deal_or_later(edition: str) -> None:
    """Not imitated: the original draws a card for the centre pile and loses it."""
    for seed in range(20):
        game, luck = random_play(seed, edition)
        count = 54 if edition == "rulebook" else 53
        while not game.over:
            inside = [one for pile in range(9) for one in Matrix.pile(game, pile)]
            outside = np.flatnonzero(game.state["place"] > 9).tolist()
            assert sorted(inside + outside + Matrix.draw_pile(game)) == list(range(count))
            game.act(int(luck.choice(game.legal())))


def test_slip_firewall_an_11_does_not_match_the_colour_of_a_joker() -> None:
    """Not imitated: in the original an 11 "matches the colour" of a joker."""
    game = play("- joker - / 2c - - / - - -", "firewall", draw="Jh")
    assert game.legal() == [14]
