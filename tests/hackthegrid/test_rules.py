"""Every rule of HACKtheGRID, one by one, on the engine.

Cards are written as kind and colour number: S0 is a SCRAMBLE of colour 0, P a SIGNAL SPIKE, F a
FIREWALL, L a LOOPBACK, N a NET NODE, D a DATA PACKET. Whole games follow fixed paths of positions,
under which the grid is built, so that each seat takes the cards that a test wants it to have.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.play import Play

KINDS = {
    "S": "SCRAMBLE",
    "P": "SIGNAL SPIKE",
    "F": "FIREWALL",
    "L": "LOOPBACK",
    "N": "NET NODE",
    "D": "DATA PACKET",
}
DECLINE = 68
#: Positions, in turn, by which sixteen cards are taken, or eight with the next player stranded.
EMPTYING = [0, 1, 1, 0, 2, 1, 3, 2, 0, 3, 1, 2, 2, 3, 3, 0]
STRANDING = [0, 1, 1, 0, 2, 1, 3, 0]
#: Eight spikes of changing colours: 16 points, no array.
SPIKES = "P6 P7 P6 P7 P6 P7 P6 P7"


def pairs(words: str) -> list[tuple[str, int]]:
    return [(KINDS[word[0]], int(word[1:])) for word in words.split()]


def cells_of(path: list[int], first: int) -> list[int]:
    """The cells, 4 * row + column, that the players come by, the column hacker being seat 0."""
    at = [0, 0]
    cells = []
    for turn, position in enumerate(path):
        at[(first + turn) % 2] = position
        cells.append(4 * at[1] + at[0])
    return cells


class Hack(Play):
    """A game in which each seat takes certain cards, in order, on a fixed path.

    Its cards 0..7 are those of the column hacker, 8..15 those of the row hacker.
    """

    def __init__(
        self,
        column: str = SPIKES,
        row: str = SPIKES,
        first: int = 0,
        path: list[int] = EMPTYING,
        **options: Any,
    ) -> None:
        deck = [*pairs(column), *pairs(row)]
        coming = {0: list(range(8)), 1: list(range(8, 16))}
        grid = [-1] * 16
        for turn, cell in enumerate(cells_of(path, first)):
            grid[cell] = coming[(first + turn) % 2].pop(0)
        left = coming[0] + coming[1]
        grid = [left.pop() if card < 0 else card for card in grid]
        self.path = list(path)
        super().__init__("hackthegrid", {"grid": grid, "first": first}, deck=deck, **options)

    @property
    def swapping(self) -> bool:
        return not self.over and int(self.state["phase"]) == 1

    def on(self, cards: int = 16) -> Hack:
        """Take that many more cards along the path; swaps offered before that are declined."""
        for _ in range(cards):
            while self.swapping:
                self.act(DECLINE)
            self.act(self.path.pop(0))
        return self

    def out(self) -> Hack:
        """Play to the end, declining every swap."""
        self.on(len(self.path))
        while self.swapping:
            self.act(DECLINE)
        assert self.over
        return self

    def run(self, seat: int) -> list[int]:
        return self.state["run"][seat][: int(self.state["length"][seat])].tolist()

    def scores(self) -> tuple[int, int]:
        return self.metrics(0)["own_score"], self.metrics(1)["own_score"]


def swap(own: int, theirs: int) -> int:
    return 4 + 8 * own + theirs


def run_score(run: str) -> int:
    """What a Run of eight cards is worth, taken in a real game by the column hacker."""
    return Hack(column=run).out().scores()[0]


def score_of(kind: str, count: int) -> int:
    """What `count` cards of a kind score, without arrays: the rest of the Run are spikes."""
    run = [f"{kind}{at % 2}" for at in range(count)] + [f"P{at % 2 + 2}" for at in range(8 - count)]
    return run_score(" ".join(run)) - 2 * (8 - count)


# --- the table ------------------------------------------------------------------------------------


def test_all_16_cards_lie_face_up_in_the_grid_at_first() -> None:
    """Text: 16 grid cards face up in 4x4; both seats see all of them."""
    for seed in range(20):
        game = Play("hackthegrid", seed=seed)
        assert sorted(game.state["grid"].tolist()) == list(range(16))
        for seat in (0, 1):
            seen = game.seen(seat)
            assert seen["grid_kind"].sum(axis=(0, 1)).tolist() == [2, 3, 3, 2, 3, 3]
            assert seen["grid_colour"].sum(axis=(0, 1)).tolist() == [4, 4, 4, 4]
            assert seen["cards_left"].tolist() == [16]


def test_the_grid_is_shuffled() -> None:
    """Text: shuffle all 16 cards: every card comes to every cell."""
    met = {
        (cell, int(card))
        for seed in range(400)
        for cell, card in enumerate(Play("hackthegrid", seed=seed * 7919).state["grid"])
    }
    assert len(met) == 16 * 16


@pytest.mark.parametrize("first", [0, 1])
def test_both_avatars_start_at_position_0_the_top_left_corner(first: int) -> None:
    """Text: both at the top left corner: the first card comes out of the first row or column."""
    game = Hack(first=first)
    assert game.state["avatar"].tolist() == [0, 0]
    grid = game.state["grid"].tolist()
    game.act(3)
    assert game.run(first) == [grid[3] if first == 0 else grid[12]]


def test_columns_count_from_the_left_and_rows_from_the_top() -> None:
    """Text: the column hacker points at a column, the row hacker at a row; the lines cross."""
    game = Hack(first=0)
    grid = game.state["grid"].tolist()
    game.act(2)
    assert game.run(0) == [grid[4 * 0 + 2]]
    game.act(3)
    assert game.run(1) == [grid[4 * 3 + 2]]
    game.act(1)
    assert game.run(0) == [grid[4 * 0 + 2], grid[4 * 3 + 1]]
    assert game.state["avatar"].tolist() == [1, 3]


def test_seat_0_is_the_column_hacker_and_seat_1_the_row_hacker() -> None:
    """Text: seat 0 is the column hacker."""
    game = Play("hackthegrid", {"grid": range(16), "first": 0})
    assert game.variant.agents == ("column", "row")
    assert game.mover == 0
    game.act(1)
    assert game.mover == 1


def test_a_coin_decides_who_moves_first() -> None:
    """Text: a coin decides; a prescribed table may say who."""
    movers = Counter(Play("hackthegrid", seed=seed * 7919).mover for seed in range(400))
    assert min(movers[0], movers[1]) > 150
    for first in (0, 1):
        assert Play("hackthegrid", {"first": first}, seed=3).mover == first


def test_h1_how_many_cards_there_are_of_each_kind() -> None:
    """Ruling H1: SCRAMBLE x2, SIGNAL SPIKE x3, FIREWALL x3, LOOPBACK x2, NET NODE x3, PACKET x3."""
    deck = Play("hackthegrid").game.read(Play("hackthegrid").record)["deck"]
    assert Counter(kind for kind, _ in deck) == {
        "SCRAMBLE": 2,
        "SIGNAL SPIKE": 3,
        "FIREWALL": 3,
        "LOOPBACK": 2,
        "NET NODE": 3,
        "DATA PACKET": 3,
    }


def test_h2_the_colours_of_the_cards_and_their_numbers() -> None:
    """Ruling H2: the table of colours, which numbers the cards 0..15, row by row."""
    colours = {
        "SCRAMBLE": "cyan magenta",
        "SIGNAL SPIKE": "magenta yellow green",
        "FIREWALL": "cyan yellow green",
        "LOOPBACK": "yellow green",
        "NET NODE": "cyan magenta green",
        "DATA PACKET": "cyan magenta yellow",
    }
    game = Play("hackthegrid")
    named = [(kind, colour) for kind, listed in colours.items() for colour in listed.split()]
    number = {"cyan": 0, "magenta": 1, "yellow": 2, "green": 3}
    deck = list(game.game.read(game.record)["deck"])
    assert deck == [(kind, number[colour]) for kind, colour in named]
    assert Play("hackthegrid", deck=named).record["colour"].tolist() == [
        [colour for _, colour in deck]
    ]
    assert set(Counter(colour for _, colour in deck).values()) == {4}
    assert len(set(deck)) == 16


def test_option_deck_takes_any_kinds_and_up_to_eight_colours() -> None:
    """Option deck: any list of 16 (kind, colour) pairs with up to eight colours."""
    deck = [("LOOPBACK", at % 8) for at in range(16)]
    game = Play("hackthegrid", deck=deck)
    assert list(game.game.read(game.record)["deck"]) == deck
    assert game.seen()["grid_colour"].sum(axis=(0, 1)).tolist() == [2] * 8


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        ([("LOOPBACK", 0)] * 15, "15"),
        ([("LOOPBACK", 0)] * 17, "17"),
        ([*[("LOOPBACK", 0)] * 15, ("VIRUS", 0)], "VIRUS"),
        ([*[("LOOPBACK", 0)] * 15, ("LOOPBACK", 8)], "8"),
        ([*[("LOOPBACK", 0)] * 15, ("LOOPBACK", -1)], "-1"),
        ([*[("LOOPBACK", 0)] * 15, ("LOOPBACK", "pink")], "pink"),
        ([*[("LOOPBACK", 0)] * 15, "LOOPBACK"], "LOOPBACK"),
        ("the deck", "the deck"),
        (16, "16"),
    ],
)
def test_option_deck_is_validated_with_a_clear_error(deck: Any, message: str) -> None:
    """Option deck: validated; the error names what is wrong."""
    with pytest.raises(ValueError, match=message):
        Play("hackthegrid", deck=deck)


@pytest.mark.parametrize(
    "table",
    [{"grid": list(range(15))}, {"grid": [0, *range(15)]}, {"grid": "grid"}, {"first": 2}],
)
def test_a_prescribed_grid_must_hold_every_card_once(table: dict[str, Any]) -> None:
    """Sixteen different cards, and seat 0 or 1 to begin."""
    with pytest.raises(ValueError, match=next(iter(table))):
        Play("hackthegrid", table)


def test_options_have_the_first_listed_value_as_default() -> None:
    """Options: scramble="on_take", reward="outcome"; nothing else is taken."""
    options = Play("hackthegrid").variant.options
    assert (options["scramble"], options["reward"]) == ("on_take", "outcome")
    for wrong in ({"scramble": "never"}, {"reward": "money"}, {"coin": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Play("hackthegrid", **wrong)


# --- a turn ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_h3_the_first_player_too_may_move_before_taking(first: int) -> None:
    """Ruling H3: all four positions are open to the first player, staying included."""
    assert Hack(first=first).legal() == [0, 1, 2, 3]


@pytest.mark.parametrize("first", [0, 1])
def test_an_avatar_need_not_move(first: int) -> None:
    """Text: players do not have to move their avatar on every turn.

    In effect only the first player ever can stay: later the crossing at which one stands is the
    one that the opponent has just emptied.
    """
    game = Hack(first=first)
    card = int(game.state["grid"][0])
    game.act(0)
    assert game.state["avatar"].tolist() == [0, 0]
    assert game.run(first) == [card]
    luck = np.random.default_rng(2)
    while not game.over:
        assert int(game.state["avatar"][game.mover]) not in game.legal()
        game.act(int(luck.choice(game.legal())))


def test_one_may_not_stop_where_there_is_no_card_to_take() -> None:
    """Text: you may not place your avatar where you cannot claim a card."""
    game = Hack(first=0)
    game.act(1)
    assert game.legal() == [1, 2, 3], "(row 0, column 1) is taken"
    game.act(2)
    assert game.legal() == [0, 2, 3], "(row 2, column 1) is taken"
    game.act(3)
    assert game.legal() == [0, 1, 3]


def test_the_card_leaves_the_grid_and_goes_to_the_right_end_of_the_run() -> None:
    """Text: it goes to the right end of your Run, which is never rearranged."""
    game = Hack()
    runs: list[list[int]] = [[], []]
    for turn, cell in enumerate(cells_of(EMPTYING, 0)):
        card = int(game.state["grid"][cell])
        assert card >= 0
        game.on(1)
        assert int(game.state["grid"][cell]) == -1
        runs[turn % 2].append(card)
        assert [game.run(0), game.run(1)] == runs
    assert runs == [list(range(8)), list(range(8, 16))]


def test_a_player_moves_on_the_own_edge_only() -> None:
    """Text: players are restricted to their side: a move changes nobody else's avatar."""
    luck = np.random.default_rng(3)
    for seed in range(30):
        game = Play("hackthegrid", seed=seed)
        while not game.over:
            mover, before = game.mover, game.state["avatar"].tolist()
            moving = int(game.state["phase"]) == 0
            action = int(luck.choice(game.legal()))
            game.act(action)
            if moving:
                before[mover] = action
            assert game.state["avatar"].tolist() == before


@pytest.mark.parametrize("first", [0, 1])
def test_players_take_turns_card_by_card(first: int) -> None:
    """Text: the next player then takes their turn and play continues back and forth."""
    game = Hack(first=first)
    movers = []
    while not game.over:
        movers.append(game.mover)
        game.on(1)
    assert movers == [first, 1 - first] * 8


# --- SCRAMBLE -------------------------------------------------------------------------------------


def test_h4_the_swap_is_offered_at_once_as_a_second_decision_of_the_turn() -> None:
    """Ruling H4: offered when the card is taken; the same player decides, then the turn passes."""
    game = Hack(column="P0 S1 P2 P3 P4 P5 P6 P7").on(3)
    assert game.run(0) == [0, 1]
    assert game.mover == 0
    assert game.swapping
    assert game.legal() == [swap(0, 0), DECLINE]
    assert game.seen(0)["swapping"].tolist() == [1]
    game.act(swap(0, 0))
    assert game.mover == 1
    assert not game.swapping


def test_h4_the_swap_may_be_declined() -> None:
    """Ruling H4: ("allows"): declining leaves both Runs as they are."""
    game = Hack(column="P0 S1 P2 P3 P4 P5 P6 P7").on(3)
    game.act(DECLINE)
    assert [game.run(0), game.run(1)] == [[0, 1], [8]]
    assert game.mover == 1


def test_swapped_cards_take_each_others_places() -> None:
    """Text: swapped cards do not rearrange the order; the actions are 4 + 8*i + j."""
    for own in (0, 1, 2, 4):
        for theirs in range(4):
            game = Hack(column="P0 P1 P2 S3 P4 P5 P6 P7", first=0).on(7)
            assert game.run(1) == [8, 9, 10]
            if own >= 3 or theirs >= 3:
                assert 4 + 8 * own + theirs not in game.legal()
                continue
            game.act(4 + 8 * own + theirs)
            expected = [[0, 1, 2, 3], [8, 9, 10]]
            expected[0][own], expected[1][theirs] = expected[1][theirs], expected[0][own]
            assert [game.run(0), game.run(1)] == expected


def test_the_row_hacker_swaps_own_for_the_column_hackers_cards() -> None:
    """The actions count from the mover's side: i is the own place, j the opponent's."""
    game = Hack(row="P0 P1 S2 P3 P4 P5 P6 P7", first=1).on(5)
    assert game.mover == 1
    assert game.legal() == [swap(0, 0), swap(0, 1), swap(1, 0), swap(1, 1), DECLINE]
    game.act(swap(0, 1))
    assert [game.run(0), game.run(1)] == [[0, 8], [1, 9, 10]]


def test_a_full_run_numbers_its_places_0_to_7() -> None:
    """Text: actions 4..67: own place i (0..7) with the opponent's place j (0..7)."""
    game = Hack(row="P0 P1 P2 P3 P4 P5 P6 S7").on(16)
    assert game.legal() == [swap(i, j) for i in range(7) for j in range(8)] + [DECLINE]
    game = Hack(row="S0 P1 P2 P3 P4 P5 P6 P7", scramble="at_end").on(16)
    assert game.legal() == [swap(i, j) for i in range(1, 8) for j in range(8)] + [DECLINE]
    game.act(67)
    assert game.run(1)[7] == 7
    assert game.run(0)[7] == 15


def test_a_scramble_may_not_be_given() -> None:
    """Text: swap one card of your Run that is not a SCRAMBLE."""
    game = Hack(column="S0 P1 S2 P3 P4 P5 P6 P7").on(5)
    assert game.legal() == [swap(1, 0), swap(1, 1), DECLINE]


def test_h4_the_card_received_may_be_a_scramble() -> None:
    """Ruling H4: the card received may be any, a SCRAMBLE included."""
    game = Hack(column="P0 P1 S2 P3 P4 P5 P6 P7", row="S0 P1 P2 P3 P4 P5 P6 P7").on(2)
    if game.swapping:
        game.act(DECLINE)
    game.on(3)
    assert swap(0, 0) in game.legal()
    game.act(swap(0, 0))
    assert [game.run(0), game.run(1)] == [[8, 1, 2], [0, 9]]


def test_h5_a_swapped_in_scramble_gives_no_new_swap() -> None:
    """Ruling H5: the turn passes, and a SCRAMBLE that changed hands offers nothing later."""
    game = Hack(column="P0 P1 S2 P3 P4 P5 P6 P7", row="S0 P1 P2 P3 P4 P5 P6 P7").on(5)
    game.act(swap(0, 0))
    assert game.mover == 1
    assert not game.swapping
    while game.path:
        game.act(game.path.pop(0))
        assert not game.swapping
    assert game.reason == "grid_emptied"


def test_without_another_card_to_give_a_scramble_just_scores_minus_3() -> None:
    """Text: with no other card to give you just score -3: no swap is offered."""
    game = Hack(column="S0 S1 P2 P3 P4 P5 P6 P7").on(3)
    assert game.run(0) == [0, 1]
    assert not game.swapping
    assert game.mover == 1
    assert game.scores()[0] == -6


def test_h4_no_swap_while_the_opponents_run_is_empty() -> None:
    """Ruling H4: not offered when the opponent's Run is empty: only at the first card."""
    game = Hack(column="S0 P1 P2 P3 P4 P5 P6 P7").on(1)
    assert not game.swapping
    assert game.mover == 1
    game = Hack(column="S0 P1 P2 P3 P4 P5 P6 P7", first=1).on(2)
    assert not game.swapping, "here the own Run has nothing else"


def test_the_end_is_tested_after_the_swap_decision() -> None:
    """Text: tested after the swap decision: the last card may be a SCRAMBLE, too."""
    game = Hack(row="P0 P1 P2 P3 P4 P5 P6 S7").on(16)
    assert not game.over
    assert game.mover == 1
    game.act(DECLINE)
    assert game.reason == "grid_emptied"
    stranded = Hack(row="P0 P1 P2 S3 P4 P5 P6 P7", path=STRANDING).on(8)
    assert not stranded.over
    assert stranded.swapping
    stranded.act(DECLINE)
    assert stranded.reason == "cards_remain"


# --- scramble="at_end" ----------------------------------------------------------------------------


def test_at_end_no_swap_is_offered_while_cards_are_taken() -> None:
    """Option scramble="at_end": swaps are decided after the last card."""
    game = Hack(column="P0 S1 S2 P3 P4 P5 P6 P7", row="P0 P1 P2 S3 P4 P5 P6 P7", scramble="at_end")
    for _ in range(16):
        assert not game.swapping
        game.act(game.path.pop(0))
    assert game.swapping
    assert not game.over


@pytest.mark.parametrize("first", [0, 1])
def test_at_end_swaps_come_in_the_order_in_which_the_scrambles_were_taken(first: int) -> None:
    """Option at_end: in the order of taking, each by the player who took it."""
    game = Hack(
        column="P0 S1 P2 P3 P4 S5 P6 P7",
        row="P0 P1 S2 S3 P4 P5 P6 P7",
        first=first,
        scramble="at_end",
    ).on(16)
    deciders = []
    while not game.over:
        deciders.append(game.mover)
        game.act(DECLINE)
    assert deciders == [0, 1, 1, 0]
    assert game.reason == "grid_emptied"


def test_at_end_the_taker_decides_wherever_the_scramble_lies_by_then() -> None:
    """Option at_end: by the player who took it, even if the SCRAMBLE has changed hands."""
    game = Hack(
        column="P0 S1 P2 P3 P4 P5 P6 P7", row="P0 P1 S2 P3 P4 P5 P6 P7", scramble="at_end"
    ).on(16)
    assert game.mover == 0
    game.act(swap(0, 2))
    assert game.run(0)[0] == 8 + 2
    assert game.mover == 1, "who took it, though the column hacker holds both SCRAMBLEs"
    assert swap(2, 0) in game.legal()
    game.act(swap(2, 1))
    assert game.run(1)[2] == 1, "the other SCRAMBLE, for the card that stood in its place"
    assert game.reason == "grid_emptied"


def test_at_end_a_taker_without_anything_to_give_is_passed_over() -> None:
    """H4 holds at the end as well: nothing to give, no decision."""
    game = Hack(
        column="S0 S0 S0 S0 S0 S0 S0 S0", row="P0 P1 S2 P3 P4 P5 P6 P7", scramble="at_end"
    ).on(16)
    assert game.mover == 1
    game.act(swap(0, 5))
    deciders = []
    while not game.over:
        deciders.append(game.mover)
        game.act(DECLINE)
    assert deciders == [0] * 5, "five SCRAMBLEs were taken after the row hacker's"


def test_at_end_there_are_no_swaps_if_cards_remain() -> None:
    """Option at_end: no swaps if cards remain on the grid."""
    game = Hack(row="P0 P1 S2 P3 P4 P5 P6 P7", path=STRANDING, scramble="at_end").on(8)
    assert game.over
    assert game.reason == "cards_remain"


def test_at_end_the_last_swap_counts_in_the_score() -> None:
    """The score is taken after the swaps."""
    column, row = "S0 P1 P2 P3 P4 P5 P6 P7", "L3 P4 P5 P6 P7 P4 P5 P6"
    declined = Hack(column, row, scramble="at_end").out()
    assert declined.scores() == (-3 + 14, 4 + 14)
    swapped = Hack(column, row, scramble="at_end").on(16)
    assert swapped.act(swap(1, 0)) == (-1.0, 1.0)
    assert swapped.scores() == (-3 + 4 + 12, 14 + 2)


# --- the end --------------------------------------------------------------------------------------


def test_the_game_ends_when_all_16_cards_are_taken() -> None:
    """Text: until all 16 cards have been claimed."""
    game = Hack()
    for left in range(16, 0, -1):
        assert not game.over
        assert game.metrics()["cards_left"] == left
        game.on(1)
    assert game.reason == "grid_emptied"
    assert (game.terminated, game.truncated, game.mover) == (True, False, None)
    assert game.legal() == []


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_both_lose_if_cards_remain_that_cannot_be_taken(first: int, reward: str) -> None:
    """Must replay: a game that ends with cards left: -1 each, with either reward.

    Text: no more cards are able to be claimed, cards remain: both players lose.
    """
    game = Hack(first=first, path=STRANDING, reward=reward).on(7)
    assert not game.over
    assert game.act(STRANDING[-1]) == (-1.0, -1.0)
    assert game.reason == "cards_remain"
    assert game.metrics()["cards_left"] == 8
    assert (game.terminated, game.mover, game.legal()) == (True, None, [])


def test_the_crossing_of_the_avatars_is_empty_once_a_card_was_taken() -> None:
    """Text: the card where the two lines cross is taken; at first it still lies there."""
    game = Play("hackthegrid", seed=1)
    assert game.trouble() == ""
    assert game.state["grid"][0] >= 0
    game.act(game.legal()[1])
    crossing = tuple(game.state["avatar"].tolist())
    for column, row in product(range(4), repeat=2):
        game.record["avatar"] = column, row
        assert (game.trouble() == "") == ((column, row) == crossing)


def test_the_player_to_move_is_stranded_by_the_line_of_the_other_avatar() -> None:
    """Text: the player to move has no card in the line that the other avatar fixes."""
    game = Hack(path=STRANDING).on(8)
    column, row = game.state["avatar"].tolist()
    grid = game.state["grid"].reshape(4, 4)
    assert row == 0
    assert (grid[0] == -1).all(), "the column hacker would take a card of row 0"
    assert (grid[:, column] != -1).any(), "the row hacker could still go on, but is not to move"


# --- the score ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "each"),
    [
        ("S", [-3] * 8),
        ("P", [2] * 8),
        ("F", [0, 1, -1, -1, -1, -1, -1, -1]),
        ("L", [4, 1, 1, 1, 1, 1, 1, 1]),
        ("N", [0, 1, 2, 2, 2, 2, 2, 2]),
        ("D", [1, 1, 2, 2, 2, 2, 2, 2]),
    ],
)
def test_scores_of_single_kinds_at_every_count(kind: str, each: list[int]) -> None:
    """Must replay: scores of single kinds at every count.

    Text: SIGNAL SPIKE 2 each. FIREWALL: one 0; two 1 each; three -1 each. LOOPBACK: one 4; more 1
    each. NET NODE: one 0; two 1 each; three 2 each. DATA PACKET: one or two 1 each; three 2 each.
    SCRAMBLE -3 each. Variants: with more cards than its last count the last value holds.
    """
    for count in range(1, 9):
        assert score_of(kind, count) == count * each[count - 1], count
    assert score_of(kind, 0) == 0


def test_kinds_are_counted_for_each_player_alone() -> None:
    """Text: as outlined on the cards in their Run."""
    game = Hack("N0 N1 P2 P3 P2 P3 P2 P3", "N0 P1 P2 P3 P2 P3 P2 P3").out()
    assert game.scores() == (2 * 1 + 12, 0 + 14)


def test_the_whole_score_is_the_sum_over_kinds_and_arrays() -> None:
    """All kinds in one Run, with an array of three."""
    assert run_score("S0 P1 F1 F1 L0 N2 N0 D3") == -3 + 2 + 2 * 1 + 4 + 2 * 1 + 1 + 3


NO_ARRAY = 16


@pytest.mark.parametrize(
    ("colours", "extra"),
    [
        ("0 1 2 3 0 1 2 3", 0),
        ("0 0 1 2 3 1 2 3", 2),
        ("0 1 2 3 1 2 3 3", 2),
        ("0 1 2 2 2 3 1 0", 3),
        ("0 0 0 1 2 1 3 3", 5),
        ("0 0 1 0 0 2 3 1", 4),
        ("0 0 1 1 2 2 3 3", 8),
        ("0 1 0 1 0 1 0 1", 0),
        ("0 0 0 0 0 0 0 0", 8),
        ("7 7 7 7 6 7 7 7", 7),
    ],
)
def test_h7_arrays_are_neighbouring_cards_of_one_colour(colours: str, extra: int) -> None:
    """Must replay: arrays at the ends, in the middle, two arrays of one colour apart.

    Ruling H7: every maximal stretch of 2 or more neighbouring cards of one colour adds 1 for each
    card in it.
    """
    run = " ".join(f"P{colour}" for colour in colours.split())
    assert run_score(run) == NO_ARRAY + extra


def test_arrays_need_the_same_colour_not_the_same_kind() -> None:
    """Text: an Array is of cards of the same color."""
    assert run_score("N0 D0 P1 P2 P1 P2 P1 P2") == 0 + 1 + 12 + 2


def test_a_swap_that_breaks_an_array() -> None:
    """Must replay: a swap that breaks an array, and joins one for the opponent."""
    game = Hack("P0 P0 P0 S3 P1 P2 P1 P2", "P4 P0 P5 P6 P4 P6 P4 P6").on(7)
    assert game.run(1) == [8, 9, 10]
    assert game.scores() == (6 - 3 + 3, 6)
    game.act(swap(1, 0))
    assert game.scores() == (6 - 3, 6 + 2), "0 4 0 3 has no array, 0 0 5 has one of two"


def test_a_swap_may_mend_an_array() -> None:
    """The card received stands in the place of the card given."""
    game = Hack("P0 P1 P0 S3 P1 P2 P1 P2", "P4 P0 P5 P6 P4 P6 P4 P6").on(7)
    assert game.scores() == (6 - 3, 6)
    game.act(swap(1, 1))
    assert game.scores() == (6 - 3 + 3, 6)


@pytest.mark.parametrize(("own", "theirs", "gained"), [(0, 1, 2), (2, 2, 2), (1, 0, 3)])
def test_a_swap_may_make_an_array_at_either_end_or_in_the_middle(
    own: int, theirs: int, gained: int
) -> None:
    """Arrays are found anew after a swap: on the left, on the right, and joined to three."""
    game = Hack("P0 P1 P2 S3 P4 P5 P4 P5", "P0 P1 P3 P6 P7 P6 P7 P6").on(7)
    if gained == 3:
        game = Hack("P0 P1 P0 S3 P4 P5 P4 P5", "P0 P6 P7 P6 P7 P6 P7 P6").on(7)
    assert game.scores() == (6 - 3, 6)
    game.act(swap(own, theirs))
    assert game.scores()[0] == 6 - 3 + gained


@pytest.mark.parametrize("first", [0, 1])
def test_h6_the_higher_score_wins_and_equal_scores_draw(first: int) -> None:
    """Ruling H6, rewards: win +1, loss -1, draw 0."""
    for column, row, rewards in (
        ("P0 P0 P1 P2 P1 P2 P1 P2", SPIKES, (1.0, -1.0)),
        (SPIKES, "P0 P0 P1 P2 P1 P2 P1 P2", (-1.0, 1.0)),
        (SPIKES, SPIKES, (0.0, 0.0)),
    ):
        game = Hack(column, row, first=first)
        assert game.on(15).reward == (0.0, 0.0)
        assert game.on(1).reward == rewards


def test_reward_margin_is_the_difference_over_20() -> None:
    """Option reward="margin": (own - other) / 20."""
    game = Hack("P0 P0 P0 P2 P1 P2 P1 P2", SPIKES, reward="margin").out()
    assert game.scores() == (19, 16)
    assert game.reward == (float(np.float32(0.15)), float(np.float32(-0.15)))
    assert Hack(SPIKES, SPIKES, reward="margin").out().reward == (0.0, 0.0)


def test_reward_margin_is_clipped_to_1() -> None:
    """Option reward="margin": clipped to [-1, 1]."""
    scrambles = "S0 S1 S0 S1 S0 S1 S0 S1"
    game = Hack(SPIKES, scrambles, reward="margin").out()
    assert game.scores() == (16, -24)
    assert game.reward == (1.0, -1.0)
    assert Hack(scrambles, SPIKES, reward="margin").out().reward == (-1.0, 1.0)


def test_nothing_is_rewarded_before_the_end() -> None:
    """Rewards come when the game is over."""
    luck = np.random.default_rng(4)
    for seed in range(30):
        game = Play("hackthegrid", seed=seed, reward="margin")
        while True:
            assert game.reward == (0.0, 0.0)
            game.act(int(luck.choice(game.legal())))
            if game.over:
                break
        assert game.reason in {"grid_emptied", "cards_remain"}


# --- open information -----------------------------------------------------------------------------


def test_both_seats_see_the_whole_table_from_their_own_side() -> None:
    """Text: open information: grid, Runs, avatars; own positions are the first index."""
    luck = np.random.default_rng(6)
    for seed in range(20):
        game = Play("hackthegrid", seed=seed)
        while not game.over:
            column, row = game.seen(0), game.seen(1)
            grid = game.state["grid"].reshape(4, 4)
            for y in range(4):
                for x in range(4):
                    card = int(grid[y, x])
                    kind = [0] * 6
                    if card >= 0:
                        kind[int(game.state["kind"][card])] = 1
                    assert column["grid_kind"][x, y].tolist() == kind
                    assert row["grid_kind"][y, x].tolist() == kind
            assert np.array_equal(column["grid_colour"], row["grid_colour"].transpose(1, 0, 2))
            for mine, theirs in ((column, row), (row, column)):
                for part in ("run_kind", "run_colour", "avatar", "score"):
                    assert np.array_equal(mine[f"own_{part}"], theirs[f"opponent_{part}"])
            assert [int(column["to_move"][0]), int(row["to_move"][0])] == [
                int(game.mover == 0),
                int(game.mover == 1),
            ]
            game.act(int(luck.choice(game.legal())))


def test_resample_changes_nothing_since_nothing_is_hidden() -> None:
    """Text: open information."""
    luck = np.random.default_rng(7)
    for seed in range(10):
        game = Play("hackthegrid", seed=seed)
        while not game.over:
            before = game.record.copy()
            for seat in (0, 1):
                game.kernels.resample(game.record[0], seat)
            assert game.record.tobytes() == before.tobytes()
            game.act(int(luck.choice(game.legal())))
