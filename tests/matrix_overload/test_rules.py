"""Every rule of MATR1X 0VERL0AD, one by one, on the engine.

Names of piles: inner piles 0..8 in reading order; outer piles as actions 9..20:

             9   10   11
       12    0    1    2   13
       14    3    4    5   15
       16    6    7    8   17
            18   19   20

Most rules are tables in `cases.toml`: a position, the next cards, and what comes of it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck.games.matrix_overload.constants import FIREWALL, VALUE, shown_suits
from cyberdeck.games.matrix_overload.game import GAME
from cyberdeck.games.matrix_overload.rules import ROYAL
from tests.matrix_overload.words import Dealt, Matrix, Table, card, cards, lay_out, table
from tests.play import Play

DIGITAL = ["firewall", "royals"]
SUITED = ["royals", "rulebook"]
EDITIONS = [*DIGITAL, "rulebook"]
INNER = list(range(9))
OUTER = list(range(9, 21))
#: Eight low red cards and the low 2 of clubs: a matrix in which one card can be made to stand out.
LOW = ["2h", "2d", "3h", "3d", "2c", "4d", "5h", "5d", "4h"]
#: A matrix on which no number below 7 fits.
HIGH = "10c 8c 9c 8s 9s 10s 7c 8d 9d"

#: The same where a 5 of clubs fits nowhere: the rule book lays it as a court card would lie.
PREVENTED = "10h 8d 9h 8h 9s 10d 7s 8s 9d"
#: A line that overloads any jack on pile 13; all others are dead.
LINE = "2h 9c 8c"
LAST: dict[str, Any] = {"royals": {13: "Jc"}, "dead": [at for at in OUTER if at != 13]}

every_edition = pytest.mark.parametrize("edition", EDITIONS)


def matrix_with(**tops: str) -> str:
    """The low red matrix with some tops replaced: p0="10c" and so on; p4 is the centre."""
    return " ".join(tops.get(f"p{at}", low) for at, low in enumerate(LOW))


def game_jokers(edition: str) -> int:
    return 2 if edition == "rulebook" else 1


def position(piles: str, edition: str, **rest: Any) -> Table:
    """Piles that are not named are empty; `draw` names the next cards."""
    nine = " ".join([*piles.split(), *["-"] * 9][:9])
    return table(nine, jokers=game_jokers(edition), **rest)


def play(piles: str, edition: str = "royals", **rest: Any) -> Matrix:
    options = {name: rest.pop(name) for name in ("reward", "max_steps", "stall") if name in rest}
    return Matrix(position(piles, edition, **rest), edition=edition, **options)


def positions(group: str, *outcome: str) -> Any:
    """The cases of a group of ``cases.toml``, in each of their editions."""
    rows = []
    for case in tomllib.loads((Path(__file__).parent / "cases.toml").read_text("utf-8"))[group]:
        rule, piles = case.pop("rule"), case.pop("piles")
        editions = case.pop("editions", EDITIONS)
        found = [case.pop(name) for name in outcome]
        case["royals"] = {int(pile): royal for pile, royal in case.get("royals", {}).items()}
        rows += [
            pytest.param(edition, piles, case, *found, id=f"{rule}-{edition}")
            for edition in editions
        ]
    return pytest.mark.parametrize(("edition", "piles", "rest", *outcome), rows)


def fallen(game: Matrix) -> list[int]:
    return [at for at in OUTER if game.is_dead(at)]


def shown(one: int) -> tuple[int, tuple[int, ...]]:
    """What the face of a card tells in `firewall`."""
    return int(VALUE[one]), shown_suits(FIREWALL, one)


def random_games(edition: str, seeds: int = 8, ends: bool = False) -> Iterator[Play]:
    """Random games, at every position; or also at their ends."""
    for seed in range(seeds):
        game = Play("matrix_overload", seed=seed, edition=edition)
        luck = np.random.default_rng(seed)
        while not game.over:
            yield game
            game.act(int(luck.choice(game.legal())))
        if ends:
            yield game


# --- the table ------------------------------------------------------------------------------------


@every_edition
def test_what_holds_at_every_position(edition: str) -> None:
    """Text: digital editions 52 cards + one joker; rule book two jokers. Not imitated: the original
    draws a card for the centre pile and loses it.

    Text: the top card of the draw pile is always face up: it is the card to play, and one sees it.
    Text: `info` always reports royals killed, cards left and, at the end, the reason.
    """
    ends = {"draw_pile_empty", "no_legal_pile", "black_ice", "max_steps", "stalled"}
    for game in random_games(edition, ends=True):
        pile, state, seen = Matrix.draw_pile(game), game.state, game.seen()
        inside = [one for inner in range(9) for one in Matrix.pile(game, inner)]
        outside = np.flatnonzero(state["place"] > 9).tolist()
        assert sorted(inside + outside + pile) == list(range(52 + game_jokers(edition)))
        killed = int(state["dead"].sum())
        assert game.metrics() == {"royals_killed": killed, "cards_left": len(pile)}
        assert game.reason in ends if game.over else game.reason == ""
        assert (game.reason == "max_steps") == game.truncated
        if pile:
            assert int(seen["card_value"][0]) == (pile[0] % 13 + 1 if pile[0] < 52 else 0)
            assert sorted(set(seen["draw_order"].tolist()))[:2] == [0, 1]
            assert int(state["unseen"][pile[0]]) == 0
        if edition in SUITED:
            hidden = [at for at in pile if seen["draw_order"][at] == 0]
            assert np.flatnonzero(seen["unseen"]).tolist() == sorted(hidden)


LADDER = ["joker", "Ah", "2h", "3h", "4h", "5h", "6h", "7h", "8h", "9h"]
STEP_UP = ["2c", "2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "10c"]


@pytest.mark.parametrize(("low", "high"), list(zip(LADDER, STEP_UP, strict=True)))
def test_cards_are_worth_their_number_the_ace_1_and_the_joker_0(low: str, high: str) -> None:
    """Text: ace = 1, number cards 2..10, joker = 0. A card may lie on any lower one."""
    around = "10h 10d 10s 9s {} 9d 8s 8d 7s"
    assert 4 in play(around.format(low), draw=high, royals={9: "Kh"}).legal()
    if LADDER.index(low) >= 3:  # a joker, an ace and a 2 would fit or reset anyway
        assert 4 not in play(around.format(high), draw=low, royals={9: "Kh"}).legal()


# --- the deal -------------------------------------------------------------------------------------


DEALT = "5h 2h 4c 10c - 6h 3h 7c 5c"


@every_edition
@pytest.mark.parametrize(
    ("deck", "tops", "following", "known"),
    [
        # Text: face up onto the eight inner piles but the centre, in reading order.
        ("5h 2h 4c 10c 6h 3h 7c 5c 9d", DEALT, "9d", 1),
        # Text: court cards drawn meanwhile are set aside; digital: back on top, as drawn.
        ("Kc 5h 2h 4c Qd 10c Js 6h 3h 7c 5c 9d 8d", DEALT, "Kc Qd Js 9d 8d", 3),
        # Only court cards drawn while the eight piles are filled are seen beforehand.
        ("5h 2h 4c 10c 6h 3h 7c 5c Kc Qd 9d", DEALT, "Kc Qd 9d", 1),
        # Text: aces and jokers may be dealt into the matrix: they reset nothing there.
        ("Ah joker 4c Ac As 3h 7c Ad 9d", "Ah joker 4c Ac - As 3h 7c Ad", "9d", 1),
    ],
)
def test_eight_piles_are_dealt_around_an_empty_centre(
    edition: str, deck: str, tops: str, following: str, known: int
) -> None:
    """Of the set-aside cards the order is known: they were seen. The top card is face up."""
    game = Dealt(deck, edition=edition)
    assert game.tops() == tops
    assert game.state["depth"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    pile, coming = game.draw_pile(), cards(following)
    assert pile[: len(coming)] == coming
    assert len(pile) == 52 + game_jokers(edition) - 8
    assert int(game.state["known_first"]) == known


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


def test_rule_book_set_up_example() -> None:
    """Must replay: matrix 5h 2h 4c / 10c - 6h / 3h 7c 5c, set aside Kc, Qd, Js.

    Kc goes left of 10c; Qd goes right of 6h; Js goes below 7c. Ruling: in the order drawn, by the
    placement rule, each an action, before play begins.
    """
    game = Dealt("5h 2h Kc 4c 10c 6h Qd 3h Js 7c 5c 9d", edition="rulebook")
    assert game.tops() == DEALT
    for royal, place in (("Kc", 14), ("Qd", 15), ("Js", 19)):
        assert game.draw_pile()[0] == card(royal)
        assert game.legal() == [place]
        game.act(place)
        assert int(game.state["royal"][place - 9]) == card(royal)
    assert game.draw_pile()[0] == card("9d")


# --- court cards ----------------------------------------------------------------------------------


@positions("court_cards", "legal")
def test_where_a_court_card_goes(
    edition: str, piles: str, rest: dict[str, Any], legal: list[int]
) -> None:
    assert play(piles, edition, **rest).legal() == legal


# --- number cards, aces, jokers -------------------------------------------------------------------


@positions("other_cards", "legal")
def test_where_other_cards_go(
    edition: str, piles: str, rest: dict[str, Any], legal: list[int]
) -> None:
    assert play(piles, edition, **rest).legal() == legal


@every_edition
def test_a_2_that_fits_nowhere_makes_a_jack_13(edition: str) -> None:
    """Must replay: a Jack with a 2 requires 13 points instead of 11, for good."""
    game = play(HIGH, edition, draw="2h 5h", royals={10: "Jh"})
    assert game.legal() == [10]
    game.act(10)
    assert game.strength(10) == 13
    assert game.tops() == HIGH
    game.act(10)
    assert game.strength(10) == 18, "for good: more ICE comes on top of it"


def test_rule_book_preventative_ice_waits_for_its_royal() -> None:
    """Text: a royal placed there later starts with that ICE. Our reading: an outer pile with
    preventative ICE but no royal is still empty: another card may join it.
    """
    piles = "10h 8d 9h 8h 9s 10s 7c 8c 9d"
    game = play(piles, "rulebook", draw="5c Kc", dead=[9, 10])
    assert game.legal() == [19], "the 8 of clubs: the highest of its suit"
    game.act(19)
    assert not game.over
    assert int(game.state["ice"][19 - 9]) == 5, "ICE without a royal"
    assert game.legal() == [19], "the pile still waits for its royal"
    game.act(19)
    assert game.strength(19) == 18
    game = play(PREVENTED.replace("8s", "8c"), "rulebook", draw="5c", royals={19: "3c"})
    assert game.legal() == [19]
    game.act(19)
    assert int(game.state["ice"][19 - 9]) == 8


@every_edition
def test_a_number_card_played_covers_the_pile(edition: str) -> None:
    """A number card resets nothing: the cards under it stay."""
    game = play("2c+5h", edition, draw="7h")
    game.act(0)
    assert game.pile(0) == cards("2c 5h 7h")


@every_edition
@pytest.mark.parametrize("one", ["Ah", "joker"])
def test_a_reset_sends_the_pile_to_the_bottom_its_top_card_first(edition: str, one: str) -> None:
    """Text: the whole pile goes to the bottom of the draw pile, its top card first.

    Then the ace lies there alone with value 1, the joker with value 0. Ruling: the same order in
    the rule book.
    """
    game = play("2c+5c+5h 9c 9d 8c 8d 8h 7c 7d 7h", edition, draw=f"{one} 3d")
    before = game.draw_pile()
    game.act(0)
    assert game.draw_pile() == [*before[1:], *cards("5h 5c 2c")]
    assert game.pile(0) == [card(one)]
    assert game.legal() == [0], "a 3 fits on the ace or joker only"


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


@every_edition
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
    for elsewhere in set(INNER) - {far}:
        game = play(" ".join(tops), edition, draw="9c", royals={outer: "Jd"})
        if elsewhere in game.legal():
            game.act(elsewhere)
            assert not game.is_dead(outer), f"{elsewhere} is not the far pile of {outer}"


@every_edition
@pytest.mark.parametrize("suit", "chsd")
def test_every_queen_wants_her_colour_and_every_king_his_suit(edition: str, suit: str) -> None:
    """Text: Queen: both cards of her colour; King: both of his suit; Jack: any two.

    Must replay: row 3, 10, 7: the Queen of hearts only if 10 and 7 are red, the King of spades only
    if both are spades.
    """
    reds = "hd"
    for near, far in product("chsd", repeat=2):
        results = {}
        for royal in "JQK":
            row = f"3{suit} 10{far} 7{near}"
            game = play(row, edition, draw=f"4{suit}", royals={13: f"{royal}{suit}"})
            game.act(0)
            results[royal] = game.is_dead(13)
        colour = (near in reds) == (far in reds) == (suit in reds)
        assert results == {"J": True, "Q": colour, "K": near == far == suit}, (near, far)


@positions("attacks", "falls")
def test_what_falls_to_a_card_on_the_first_pile(
    edition: str, piles: str, rest: dict[str, Any], falls: list[int]
) -> None:
    game = play(piles, edition, reward="royals", **rest)
    assert game.act(0) == np.float32(len(falls) * ROYAL)
    assert fallen(game) == falls
    assert game.metrics()["royals_killed"] == len(falls)
    assert not game.over


@every_edition
def test_a_reset_of_an_attacking_pile_counts_before_the_attack(edition: str) -> None:
    """The cards lie as after the move: an ace on the near pile takes its card away."""
    game = play("2h 9c 8c", edition, draw="Ah 3h", royals={13: "Jc"})
    game.act(2)
    game.act(0)
    assert not game.is_dead(13), "9 + 1"


@every_edition
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


@every_edition
def test_a_beaten_royal_stays_dead_and_in_its_place(edition: str) -> None:
    """Text: it and its ICE are turned face down; its outer pile stays occupied."""
    royals = {13: "Js 2d"}
    game = play("2h 9c 8c", edition, draw="3h 4h Ks", royals=royals, reward="royals")
    assert game.act(0) == ROYAL
    assert game.is_dead(13)
    assert int(game.state["royal"][13 - 9]) == card("Js")
    assert game.act(0) == 0.0, "a dead royal is not beaten again"
    assert game.metrics()["royals_killed"] == 1
    assert 13 not in game.legal()
    seen = game.seen()
    assert (int(seen["royal_value"][4]), int(seen["royal_dead"][4])) == (11, 1)


@pytest.mark.parametrize(("action", "falls"), [(3, []), (0, [13, 18]), (7, [])])
def test_rule_book_play_example(action: int, falls: list[int]) -> None:
    """Must replay: the rule book's example of play, with all three legal piles.

    6c is drawn. Legal: 6s, 5s and Ac. On 5s it attacks Kh with 8d and 8h: he survives. On 6s it
    attacks Jd (strength 14) with 7c+10d = 17 and Jc with 5s+8c = 13: both die.
    """
    dead = [10, 11, 14, 16, 17, 19]
    game = play(
        "6s 7c 10d 5s 8d 8h 8c Ac 9c",
        "rulebook",
        draw="6c",
        royals={9: "Ks", 12: "Qs", 13: "Jd 3d", 15: "Kh", 18: "Jc"},
        dead=dead,
    )
    assert game.legal() == [0, 3, 7]
    assert game.strength(13) == 14
    game.act(action)
    assert fallen(game) == sorted(dead + falls)
    assert game.metrics()["royals_killed"] == 6 + len(falls)


# --- the end --------------------------------------------------------------------------------------


@positions("ends", "actions", "reason")
def test_how_a_game_ends(
    edition: str, piles: str, rest: dict[str, Any], actions: list[int], reason: str
) -> None:
    game = play(piles, edition, **rest)
    for action in actions:
        assert not game.over
        assert game.act(action) == (reason == "won")
    assert game.reason == reason
    assert (game.terminated, game.truncated) == (reason != "", False)
    if reason:
        assert (game.legal(), game.mover) == ([], None)
    assert (game.metrics()["royals_killed"] == 12) == (reason == "won")
    if reason and "bury" in rest:
        assert game.metrics()["cards_left"] == 0


@every_edition
@pytest.mark.parametrize("stall", [None, "truncate", "lose"])
def test_max_steps_truncates_or_loses_as_stall_says(edition: str, stall: str | None) -> None:
    """Text: option stall: truncated, or lost; by default lost in the rule book alone."""
    game = play("2h", edition, draw="3h 4h 5h 6h", max_steps=3, stall=stall)
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
    game = play("2h", draw="3h 4h 5h", max_steps=129)
    for left in (127, 127, 127, 126):
        assert int(game.seen()["steps_left"][0]) == left
        game.act(game.legal()[-1])


@every_edition
def test_a_prescribed_deck_must_hold_every_card_once(edition: str) -> None:
    """53 cards in the digital editions, 54 in the rule book."""
    count = 54 if edition == "rulebook" else 53
    for deck in (list(range(count - 1)), list(range(count + 1)), [0, *range(count - 1)]):
        with pytest.raises(ValueError, match="deck"):
            Play("matrix_overload", {"deck": deck}, edition=edition)


@every_edition
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
    game = play("", edition, draw="3h")
    lay_out(game.state, position(words, edition, draw="3h"))
    assert game.trouble() == ("" if possible else "the inner piles hang together as cards are laid")


@every_edition
def test_ice_without_a_royal_is_the_rule_books_alone(edition: str) -> None:
    """Text: only the rule book lays preventative ICE."""
    game = play("", edition, draw="3h")
    lay_out(game.state, position("", edition, royals={9: "3c"}, draw="3h"))
    assert (game.trouble() == "") == (edition == "rulebook")


# --- the reward -----------------------------------------------------------------------------------


@every_edition
@pytest.mark.parametrize(("reward", "fall", "win"), [("win", 0, 1), ("royals", ROYAL, 1 + ROYAL)])
def test_rewards(edition: str, reward: str, fall: float, win: float) -> None:
    """Text: reward="win": +1 on a win, 0 otherwise, also when a royal dies; reward="royals": 1/12
    for each royal as it dies, and +1 more on a win.
    """
    game = play(LINE, edition, draw="3h 10d", royals={13: "Jc"}, reward=reward)
    assert game.act(0) == fall
    assert game.is_dead(13)
    assert game.act(1) == 0.0
    game = play(LINE, edition, draw="3h", reward=reward, **LAST)
    assert game.act(0) == np.float32(win)


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


# --- what the player may see ----------------------------------------------------------------------


@every_edition
def test_the_player_sees_the_matrix_and_what_lies_in_its_piles(edition: str) -> None:
    """Text: the matrix (tops, and the depth and contents of piles)."""
    game = play("2c+5h Ad joker - 10s", edition, draw="9c")
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


def test_firewall_gives_each_card_of_the_deck_an_id_of_its_own() -> None:
    """Text: the pieces are disjoint by id, so that a deck can be rebuilt from them."""
    both = 0
    for game in random_games("firewall", 20):
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
    assert both > 40


@every_edition
def test_returned_cards_are_known_in_order(edition: str) -> None:
    """Text: every card that was returned to the bottom is known, in order."""
    game = play("2c+5c+9h 9c 9d 8c 8d 8h 7c 7d 7h", edition, draw="Ah 10d")
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


@every_edition
def test_the_order_of_the_unseen_cards_is_not_seen_and_resample_shuffles_only_them(
    edition: str,
) -> None:
    """Text: `resample` shuffles only the unseen stretch; the player sees no difference."""
    changed = 0
    for game in random_games(edition):
        before, pile, kept = game.seen(), Matrix.draw_pile(game), game.record.copy()
        first, last = int(game.state["known_first"]), int(game.state["known_last"])
        game.redraw(0)
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
    assert changed > 80


def test_resample_gives_every_order_the_same_chance_whatever_lay_there_before() -> None:
    """Three unseen cards: the sum over their six orders of (found - expected)^2 / expected is what
    chance brings.
    """
    dead = OUTER[:-1]
    position = table(royals={20: "Jc"}, dead=dead, draw="9c 9h 9s 9d 8c", bury=4)
    position.known_last = 1
    game = Matrix(position)
    start, found = game.record.copy(), Counter[tuple[int, ...]]()
    for trial in range(3000):
        game.record[:] = start  # always from the same order, with another generator
        game.record["dice"] = 7919 * trial
        game.redraw(0)
        found[tuple(game.draw_pile())] += 1
    orders = [["9c", *middle, "8c"] for middle in permutations(["9h", "9s", "9d"])]
    assert set(found) == {tuple(cards(" ".join(order))) for order in orders}
    assert sum((count - 500) ** 2 / 500 for count in found.values()) < 20
