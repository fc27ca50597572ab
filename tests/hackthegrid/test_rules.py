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

from cyberdeck import Batch
from tests.play import Play
from tests.reference.hackthegrid import DEFAULT

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
#: The same with an array of two.
TWO_ALIKE = "P0 P0 P1 P2 P1 P2 P1 P2"
SCRAMBLES = "S0 S1 S0 S1 S0 S1 S0 S1"

either_first = pytest.mark.parametrize("first", [0, 1])


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

    Its cards 0..7 are those of the column hacker, 8..15 those of the row hacker. Cards that are
    not named are spikes, each of the colour of its place.
    """

    def __init__(
        self,
        column: str = SPIKES,
        row: str = SPIKES,
        first: int = 0,
        path: list[int] = EMPTYING,
        **options: Any,
    ) -> None:
        spikes = pairs("P0 P1 P2 P3 P4 P5 P6 P7")
        deck = [card for run in (pairs(column), pairs(row)) for card in run + spikes[len(run) :]]
        coming = {0: list(range(8)), 1: list(range(8, 16))}
        grid = [-1] * 16
        for turn, cell in enumerate(cells_of(path, first)):
            grid[cell] = coming[(first + turn) % 2].pop(0)
        left = coming[0] + coming[1]
        grid = [left.pop() if card < 0 else card for card in grid]
        self.path = list(path)
        self.decliners: list[int | None] = []
        super().__init__("hackthegrid", {"grid": grid, "first": first}, deck=deck, **options)

    @property
    def swapping(self) -> bool:
        return not self.over and int(self.state["phase"]) == 1

    def on(self, cards: int = 16) -> Hack:
        """Take that many more cards along the path; swaps offered before that are declined."""
        for _ in range(cards):
            self.declined()
            self.act(self.path.pop(0))
        return self

    def declined(self) -> Hack:
        """Decline all swaps that are offered now."""
        while self.swapping:
            self.decliners.append(self.mover)
            self.act(DECLINE)
        return self

    def out(self) -> Hack:
        """Play to the end, declining every swap."""
        self.on(len(self.path)).declined()
        assert self.over
        return self

    @property
    def runs(self) -> list[list[int]]:
        return [[card for card in run if card >= 0] for run in self.state["run"].tolist()]

    def scores(self) -> tuple[int, int]:
        return self.metrics(0)["own_score"], self.metrics(1)["own_score"]


def swap(own: int, theirs: int) -> int:
    return 4 + 8 * own + theirs


def swaps(own: Any, theirs: int) -> list[int]:
    """All swaps of these own places for the first ones of the other Run; or none."""
    return [*(swap(i, j) for i, j in product(own, range(theirs))), DECLINE]


def run_score(run: str) -> int:
    """What a Run of eight cards is worth, taken in a real game by the column hacker."""
    return Hack(column=run).out().scores()[0]


# --- the table ------------------------------------------------------------------------------------


def test_all_16_cards_lie_face_up_in_the_grid_at_first() -> None:
    """Text: 16 grid cards face up in 4x4; both seats see all of them."""
    game = Play("hackthegrid", seed=3)
    assert sorted(game.state["grid"].tolist()) == list(range(16))
    for seat in (0, 1):
        seen = game.seen(seat)
        assert seen["grid_kind"].sum(axis=(0, 1)).tolist() == [2, 3, 3, 2, 3, 3]
        assert seen["grid_colour"].sum(axis=(0, 1)).tolist() == [4, 4, 4, 4]
        assert seen["cards_left"].tolist() == [16]


def test_the_grid_is_shuffled_and_a_coin_decides_who_moves_first() -> None:
    """Text: shuffle all 16 cards: every card comes to every cell. A prescribed table may say who
    begins.
    """
    batch = Batch("hackthegrid", 400, seed=0)
    grids = batch._core.states["grid"].tolist()
    assert len({pair for grid in grids for pair in enumerate(grid)}) == 16 * 16
    assert 150 < (batch.mover == 0).sum() < 250
    for first in (0, 1):
        assert Play("hackthegrid", {"first": first}, seed=3).mover == first


@either_first
def test_both_avatars_start_at_position_0_the_top_left_corner(first: int) -> None:
    """Text: both at the top left corner: the first card comes out of the first row or column.
    Ruling H3: all four positions are open to the first player, staying included.
    """
    game = Hack(first=first)
    assert game.state["avatar"].tolist() == [0, 0]
    assert game.legal() == [0, 1, 2, 3]
    grid = game.state["grid"].tolist()
    game.act(3)
    assert game.runs[first] == [grid[3] if first == 0 else grid[12]]


def test_columns_count_from_the_left_and_rows_from_the_top() -> None:
    """Text: the column hacker, seat 0, points at a column, the row hacker at a row; they cross."""
    game = Hack(first=0)
    assert game.variant.agents == ("column", "row")
    grid, runs = game.state["grid"].tolist(), [[], []]
    for turn, (position, cell) in enumerate([(2, 2), (3, 4 * 3 + 2), (1, 4 * 3 + 1)]):
        assert game.mover == turn % 2
        game.act(position)
        runs[turn % 2].append(grid[cell])
        assert game.runs == runs
    assert game.state["avatar"].tolist() == [1, 3]


def test_h1_h2_the_deck() -> None:
    """Rulings H1 and H2: how many cards there are of each kind; their colours, which number the
    cards 0..15, row by row.
    """
    game = Play("hackthegrid")
    number = {"cyan": 0, "magenta": 1, "yellow": 2, "green": 3}
    deck = list(game.game.read(game.record)["deck"])
    assert deck == [(kind, number[colour]) for kind, colour in DEFAULT]
    coloured = Play("hackthegrid", deck=DEFAULT).state["colour"].tolist()
    assert coloured == [colour for _, colour in deck]
    assert set(Counter(colour for _, colour in deck).values()) == {4}
    assert len(set(deck)) == 16


def test_option_deck_takes_any_kinds_and_up_to_eight_colours() -> None:
    """Option deck: any list of 16 (kind, colour) pairs with up to eight colours."""
    deck = [("LOOPBACK", at % 8) for at in range(16)]
    game = Play("hackthegrid", deck=deck)
    assert list(game.game.read(game.record)["deck"]) == deck
    assert game.seen()["grid_colour"].sum(axis=(0, 1)).tolist() == [2] * 8


FIFTEEN = [("LOOPBACK", 0)] * 15


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({}, {"deck": FIFTEEN}, "15"),
        ({}, {"deck": [*FIFTEEN, ("VIRUS", 0)]}, "VIRUS"),
        ({}, {"deck": [*FIFTEEN, ("LOOPBACK", 8)]}, "8"),
        ({}, {"deck": [*FIFTEEN, ("LOOPBACK", "pink")]}, "pink"),
        ({}, {"deck": [*FIFTEEN, "LOOPBACK"]}, "LOOPBACK"),
        # Sixteen different cards, and seat 0 or 1 to begin.
        ({"grid": [0, *range(15)]}, {}, "grid"),
        ({"grid": "grid"}, {}, "grid"),
        ({"first": 0.5}, {}, "first"),
    ],
)
def test_other_tables_and_options_are_refused(
    table: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    """The error names what is wrong."""
    with pytest.raises(ValueError, match=message):
        Play("hackthegrid", table, **options)


# --- a turn ---------------------------------------------------------------------------------------


@either_first
def test_an_avatar_need_not_move(first: int) -> None:
    """Text: players do not have to move their avatar on every turn.

    In effect only the first player ever can stay: later the crossing at which one stands is the
    one that the opponent has just emptied.
    """
    game = Hack(first=first)
    card = int(game.state["grid"][0])
    game.act(0)
    assert game.state["avatar"].tolist() == [0, 0]
    assert game.runs[first] == [card]
    luck = np.random.default_rng(2)
    while not game.over:
        assert int(game.state["avatar"][game.mover]) not in game.legal()
        game.act(int(luck.choice(game.legal())))


def test_one_may_not_stop_where_there_is_no_card_to_take() -> None:
    """Text: you may not place your avatar where you cannot claim a card: (row 0, column 1) and
    (row 2, column 1) are taken.
    """
    game = Hack(first=0)
    for position, legal in ((1, [1, 2, 3]), (2, [0, 2, 3]), (3, [0, 1, 3])):
        game.act(position)
        assert game.legal() == legal


@either_first
def test_the_card_leaves_the_grid_and_goes_to_the_right_end_of_the_run(first: int) -> None:
    """Text: it goes to the right end of your Run, which is never rearranged; the next player then
    takes their turn, until all 16 cards have been claimed.
    """
    game = Hack(first=first)
    runs: list[list[int]] = [[], []]
    for turn, cell in enumerate(cells_of(EMPTYING, first)):
        assert game.mover == (first + turn) % 2
        assert not game.over
        assert game.metrics()["cards_left"] == 16 - turn
        card = int(game.state["grid"][cell])
        assert card >= 0
        game.on(1)
        assert int(game.state["grid"][cell]) == -1
        runs[(first + turn) % 2].append(card)
        assert game.runs == runs
    assert runs == [list(range(8)), list(range(8, 16))]
    assert game.reason == "grid_emptied"
    assert (game.terminated, game.truncated, game.mover) == (True, False, None)
    assert game.legal() == []


# --- SCRAMBLE -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "row", "first", "taken", "legal"),
    [
        # Ruling H4: offered when the card is taken, as a second decision of the turn.
        ("P0 S1", SPIKES, 0, 3, swaps([0], 1)),
        # The actions count from the mover's side: i is the own place, j the opponent's.
        (SPIKES, "P0 P1 S2", 1, 5, swaps([0, 1], 2)),
        ("P0 P1 P2 S3", SPIKES, 0, 7, swaps([0, 1, 2], 3)),
        # Text: actions 4..67: own place i (0..7) with the opponent's place j (0..7).
        (SPIKES, "P0 P1 P2 P3 P4 P5 P6 S7", 0, 16, swaps(range(7), 8)),
        # Text: swap one card of your Run that is not a SCRAMBLE.
        ("S0 P1 S2", SPIKES, 0, 5, swaps([1], 2)),
        # Ruling H4: the card received may be any, a SCRAMBLE included.
        ("P0 P1 S2", "S0", 0, 5, swaps([0, 1], 2)),
        # Text: with no other card to give you just score -3.
        ("S0 S1", SPIKES, 0, 3, None),
        # Ruling H4: not offered while the opponent's Run is empty: only at the first card.
        ("S0", SPIKES, 0, 1, None),
        ("S0", SPIKES, 1, 2, None),
    ],
)
def test_h4_what_is_offered_to_who_takes_a_scramble(
    column: str, row: str, first: int, taken: int, legal: list[int] | None
) -> None:
    """Ruling H4: offered at once; the same player decides, and may decline, which leaves both Runs
    as they are; then the turn passes.
    """
    game = Hack(column, row, first).on(taken)
    taker = (first + taken - 1) % 2
    assert game.swapping == (legal is not None)
    if legal is not None:
        assert (game.mover, game.legal()) == (taker, legal)
        assert game.seen(taker)["swapping"].tolist() == [1]
        runs = game.runs
        game.act(DECLINE)
        assert game.runs == runs
    assert not game.swapping
    assert game.mover == (None if taken == 16 else 1 - taker)


@pytest.mark.parametrize(("own", "theirs"), list(product((0, 1, 2), range(3))))
def test_swapped_cards_take_each_others_places(own: int, theirs: int) -> None:
    """Text: swapped cards do not rearrange the order; the actions are 4 + 8*i + j."""
    game = Hack("P0 P1 P2 S3").on(7)
    runs = [[0, 1, 2, 3], [8, 9, 10]]
    assert game.runs == runs
    game.act(4 + 8 * own + theirs)
    runs[0][own], runs[1][theirs] = runs[1][theirs], runs[0][own]
    assert game.runs == runs
    assert game.mover == 1
    assert not game.swapping


def test_the_row_hacker_swaps_own_for_the_column_hackers_cards() -> None:
    game = Hack(row="P0 P1 S2", first=1).on(5)
    game.act(swap(0, 1))
    assert game.runs == [[0, 8], [1, 9, 10]]


def test_h5_a_swapped_in_scramble_gives_no_new_swap() -> None:
    """Ruling H5: the turn passes, and a SCRAMBLE that changed hands offers nothing later."""
    game = Hack("P0 P1 S2", "S0").on(5)
    game.act(swap(0, 0))
    assert game.runs == [[8, 1, 2], [0, 9]]
    assert game.mover == 1
    assert not game.swapping
    while game.path:
        game.act(game.path.pop(0))
        assert not game.swapping
    assert game.reason == "grid_emptied"


@pytest.mark.parametrize(
    ("row", "path", "reason"),
    [
        ("P0 P1 P2 P3 P4 P5 P6 S7", EMPTYING, "grid_emptied"),
        ("P0 P1 P2 S3", STRANDING, "cards_remain"),
    ],
)
def test_the_end_is_tested_after_the_swap_decision(row: str, path: list[int], reason: str) -> None:
    """Text: tested after the swap decision: the last card may be a SCRAMBLE, too."""
    game = Hack(row=row, path=path).on(len(path))
    assert game.swapping
    assert game.mover == 1
    game.act(DECLINE)
    assert game.reason == reason


# --- scramble="at_end" ----------------------------------------------------------------------------


@either_first
@pytest.mark.parametrize(
    ("column", "row", "deciders"),
    [
        # Option at_end: in the order of taking, each by the player who took it.
        ("P0 S1 P2 P3 P4 S5", "P0 P1 S2 S3", [0, 1, 1, 0]),
        # H4 holds at the end as well: who has nothing to give is passed over.
        ("S0 S0 S0 S0 S0 S0 S0 S0", "P0 P1 S2", [1]),
    ],
)
def test_at_end_swaps_come_in_the_order_in_which_the_scrambles_were_taken(
    column: str, row: str, first: int, deciders: list[int]
) -> None:
    """Option scramble="at_end": no swap is offered while cards are taken, but after the last."""
    game = Hack(column, row, first, scramble="at_end")
    for _ in range(16):
        assert not game.swapping
        game.on(1)
    assert game.out().decliners == deciders
    assert game.reason == "grid_emptied"


def test_at_end_who_has_been_given_something_to_give_is_asked() -> None:
    """Five SCRAMBLEs were taken after the row hacker's."""
    game = Hack("S0 S0 S0 S0 S0 S0 S0 S0", "P0 P1 S2", scramble="at_end").on(16)
    game.act(swap(0, 5))
    assert game.out().decliners == [0] * 5


def test_at_end_a_full_run_numbers_its_places_0_to_7() -> None:
    game = Hack(row="S0", scramble="at_end").on(16)
    assert game.legal() == swaps(range(1, 8), 8)
    game.act(67)
    assert (game.runs[1][7], game.runs[0][7]) == (7, 15)


def test_at_end_the_taker_decides_wherever_the_scramble_lies_by_then() -> None:
    """Option at_end: by the player who took it, even if the SCRAMBLE has changed hands."""
    game = Hack("P0 S1", "P0 P1 S2", scramble="at_end").on(16)
    assert game.mover == 0
    game.act(swap(0, 2))
    assert game.runs[0][0] == 8 + 2
    assert game.mover == 1, "who took it, though the column hacker holds both SCRAMBLEs"
    assert swap(2, 0) in game.legal()
    game.act(swap(2, 1))
    assert game.runs[1][2] == 1, "the other SCRAMBLE, for the card that stood in its place"
    assert game.reason == "grid_emptied"


def test_at_end_there_are_no_swaps_if_cards_remain() -> None:
    """Option at_end: no swaps if cards remain on the grid."""
    game = Hack(row="P0 P1 S2", path=STRANDING, scramble="at_end").on(8)
    assert game.over
    assert game.reason == "cards_remain"


def test_at_end_the_last_swap_counts_in_the_score() -> None:
    """The score is taken after the swaps."""
    column, row = "S0", "L3 P4 P5 P6 P7 P4 P5 P6"
    assert Hack(column, row, scramble="at_end").out().scores() == (-3 + 14, 4 + 14)
    swapped = Hack(column, row, scramble="at_end").on(16)
    assert swapped.act(swap(1, 0)) == (-1.0, 1.0)
    assert swapped.scores() == (-3 + 4 + 12, 14 + 2)


# --- the end --------------------------------------------------------------------------------------


@either_first
@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_both_lose_if_cards_remain_that_cannot_be_taken(first: int, reward: str) -> None:
    """Must replay: a game that ends with cards left: -1 each, with either reward.

    Text: no more cards are able to be claimed, cards remain: both players lose. The player to move
    has no card in the line that the other avatar fixes; the other one could still go on.
    """
    game = Hack(first=first, path=STRANDING, reward=reward).on(7)
    assert not game.over
    assert game.act(STRANDING[-1]) == (-1.0, -1.0)
    assert game.reason == "cards_remain"
    assert game.metrics()["cards_left"] == 8
    assert (game.terminated, game.mover, game.legal()) == (True, None, [])
    column, row = game.state["avatar"].tolist()
    grid = game.state["grid"].reshape(4, 4)
    lines = [grid[row], grid[:, column]]
    assert (lines[first] == -1).all()
    assert (lines[1 - first] != -1).any()


def test_the_crossing_of_the_avatars_is_empty_once_a_card_was_taken() -> None:
    """Text: the card where the two lines cross is taken; until the first turn it lies there."""
    game = Play("hackthegrid", seed=1)
    assert game.trouble() == ""
    assert game.state["grid"][0] >= 0
    game.act(game.legal()[1])
    crossing = tuple(game.state["avatar"].tolist())
    for column, row in product(range(4), repeat=2):
        game.record["avatar"] = column, row
        assert (game.trouble() == "") == ((column, row) == crossing)


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
    """Must replay: scores of single kinds at every count; the rest of the Run are spikes.

    Text: SIGNAL SPIKE 2 each. FIREWALL: one 0; two 1 each; three -1 each. LOOPBACK: one 4; more 1
    each. NET NODE: one 0; two 1 each; three 2 each. DATA PACKET: one or two 1 each; three 2 each.
    SCRAMBLE -3 each. Variants: with more cards than its last count the last value holds.
    """
    for count, points in enumerate([0, *each]):
        run = [f"{kind}{at % 2}" for at in range(count)]
        run += [f"P{at % 2 + 2}" for at in range(8 - count)]
        assert run_score(" ".join(run)) == count * points + 2 * (8 - count), count


@pytest.mark.parametrize(
    ("run", "score"),
    [
        ("S0 P1 F1 F1 L0 N2 N0 D3", -3 + 2 + 2 * 1 + 4 + 2 * 1 + 1 + 3),  # with an array of three
        ("N0 D0 P1 P2 P1 P2 P1 P2", 0 + 1 + 12 + 2),  # of the same colour, not the same kind
    ],
)
def test_the_whole_score_is_the_sum_over_kinds_and_arrays(run: str, score: int) -> None:
    """Text: an Array is of cards of the same color."""
    assert run_score(run) == score


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
    assert run_score(" ".join(f"P{colour}" for colour in colours.split())) == 8 * 2 + extra


@pytest.mark.parametrize(
    ("column", "row", "action", "before", "after"),
    [
        # Must replay: it breaks an array (0 4 0 3), and joins one for the opponent (0 0 5).
        ("P0 P0 P0 S3", "P4 P0 P5", swap(1, 0), (3 + 3, 6), (3, 6 + 2)),
        # It mends one: the card received stands in the place of the card given.
        ("P0 P1 P0 S3", "P4 P0 P5", swap(1, 1), (3, 6), (3 + 3, 6)),
        # It makes one at the left, at the right, and in the middle, of three.
        ("P0 P1 P2 S3", "P0 P1 P3", swap(0, 1), (3, 6), (3 + 2, 6 + 2)),
        ("P0 P1 P2 S3", "P0 P1 P3", swap(2, 2), (3, 6), (3 + 2, 6)),
        ("P0 P1 P0 S3", "P0 P6 P7", swap(1, 0), (3, 6), (3 + 3, 6)),
    ],
)
def test_arrays_are_found_anew_after_a_swap(
    column: str, row: str, action: int, before: tuple[int, int], after: tuple[int, int]
) -> None:
    game = Hack(column, row).on(7)
    assert game.scores() == before
    game.act(action)
    assert game.scores() == after


@either_first
@pytest.mark.parametrize(
    ("column", "row", "reward", "scores", "rewards"),
    [
        # Ruling H6: the higher score wins, equal scores draw: win +1, loss -1, draw 0.
        (TWO_ALIKE, SPIKES, "outcome", (18, 16), (1.0, -1.0)),
        (SPIKES, TWO_ALIKE, "outcome", (16, 18), (-1.0, 1.0)),
        (SPIKES, SPIKES, "outcome", (16, 16), (0.0, 0.0)),
        # Option reward="margin": (own - other) / 20, clipped to [-1, 1].
        ("P0 P0 P0 P2 P1 P2 P1 P2", SPIKES, "margin", (19, 16), (0.15, -0.15)),
        (SPIKES, SPIKES, "margin", (16, 16), (0.0, 0.0)),
        (SPIKES, SCRAMBLES, "margin", (16, -24), (1.0, -1.0)),
        (SCRAMBLES, SPIKES, "margin", (-24, 16), (-1.0, 1.0)),
    ],
)
def test_h6_rewards(
    column: str,
    row: str,
    reward: str,
    first: int,
    scores: tuple[int, int],
    rewards: tuple[float, float],
) -> None:
    """Rewards come when the game is over, and not before."""
    game = Hack(column, row, first, reward=reward)
    for _ in range(15):
        assert game.on(1).reward == (0.0, 0.0)
    assert game.on(1).scores() == scores
    assert game.reward == tuple(float(np.float32(each)) for each in rewards)


# --- open information -----------------------------------------------------------------------------


def test_both_seats_see_the_whole_table_from_their_own_side() -> None:
    """Text: open information: grid, Runs, avatars; own positions are the first index. `resample`
    changes nothing.
    """
    luck = np.random.default_rng(6)
    for seed in range(3):
        game = Play("hackthegrid", seed=seed)
        while not game.over:
            column, row = game.seen(0), game.seen(1)
            for (y, x), card in zip(product(range(4), repeat=2), game.state["grid"], strict=True):
                kind = [0] * 6
                if card >= 0:
                    kind[int(game.state["kind"][card])] = 1
                assert column["grid_kind"][x, y].tolist() == kind
                assert row["grid_kind"][y, x].tolist() == kind
            assert np.array_equal(column["grid_colour"], row["grid_colour"].transpose(1, 0, 2))
            for mine, theirs in ((column, row), (row, column)):
                for part in ("run_kind", "run_colour", "avatar", "score"):
                    assert np.array_equal(mine[f"own_{part}"], theirs[f"opponent_{part}"])
            to_move = [int(seen["to_move"][0]) for seen in (column, row)]
            assert to_move == [int(game.mover == seat) for seat in (0, 1)]
            before = game.record.copy()
            for seat in (0, 1):
                game.kernels.resample(game.record[0], seat)
            assert game.record.tobytes() == before.tobytes()
            game.act(int(luck.choice(game.legal())))
