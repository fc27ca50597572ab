"""Positions of Stacktrices as text: written, read back, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, OptionError, StateError, showing
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.games.stacktrices.constants import PHASES
from cyberdeck.games.stacktrices.notation import read
from tests.stacktrices.positions import begins_turn, words, write
from tests.stacktrices.words import daring

GAME = "stacktrices"
#: With everything that a position can hold.
OPTIONS: dict[str, Any] = {"steal_on_attack": True, "stacked_movement": True, "max_turns": 300}
#: What a text does not say: luck, how many decisions there were, the last move and its reward.
HIDDEN = ("dice", "decisions", "last_from", "last_to", "reward")

EXAMPLE = """\
white: a1:P c1*:Dd e1 g1:P | b2:Dpd d2 f2:Qpq
black: a7:D c7 e7:Pp g7:Dd | b6:Pd - f6:Qpq
turn: 12 black"""


def told(record: NDArray[Any]) -> NDArray[Any]:
    """A record without what a text does not say."""
    record = record.copy()
    for name in HIDDEN:
        record[name] = 0
    return record


def blank(white: int, **options: Any) -> NDArray[Any]:
    """An empty record in which that seat plays white."""
    record = cyberdeck.variant(GAME, **options).blank()
    record["first"] = white
    return record


def beginnings(count: int, **options: Any) -> Iterator[NDArray[Any]]:
    """Turns that begin, in games played at random."""
    batch = Batch(GAME, 8, seed=count, setup="random", **options)
    luck = np.random.default_rng(count)
    while True:
        for row in range(8):
            record = batch._core.states[row : row + 1]
            if begins_turn(record):
                yield record.copy()
                count -= 1
                if count == 0:
                    return
        batch.step(daring(batch._core.states, batch.mask, luck))


# --- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{"first": 0}, {"first": 1, **OPTIONS}, OPTIONS],
    ids=["first 0", "first 1 with both variants", "either with both variants"],
)
def test_what_is_written_is_read_back(options: dict[str, Any]) -> None:
    """Over many turns: every byte that a text speaks of, also by itself at the end of what a seat
    is shown. There the opponent's thief is not told of, and drawn when it is read.
    """
    seen = set()
    drawn = 0
    for number, record in enumerate(beginnings(207, **options)):
        seat = (None, 0, 1)[number % 3]
        again = blank(int(record["first"][0]), setup="random", **options)
        again["dice"] = number
        lines = write(record, seat)
        read(again, words(record, seat) if number % 5 == 0 else "\n".join(lines))
        assert write(again, seat) == lines
        if seat is not None:
            other = 1 - seat
            drawn += again["thief"][0, other] != record["thief"][0, other]
            again["thief"][0, other] = record["thief"][0, other]
        assert told(again).tobytes() == told(record).tobytes(), lines
        seen |= set("".join(lines)) & set("*!^-")
        seen |= {line.partition(":")[0] for line in lines}
    assert seen >= set("*^-") | {"white", "black", "store", "turn"}
    assert ("!" in seen) == options.get("steal_on_attack", False)
    assert drawn > 50


def test_a_stalled_turn_is_read_back() -> None:
    """Ruling S9: that the turn before had neither move nor trade."""
    record = blank(0)
    text = "white: a1*:P - - - | - - -\nblack: g7* - - - | - - -\nturn: 8 black\nstalled: 1"
    read(record, text)
    assert record["stalled"][0] == 1
    assert PHASES[record["phase"][0]] == "after the move"
    assert record["skipped"][0] == 1
    assert "stalled: 1" in write(record)
    again = blank(0)
    read(again, "\n".join(write(record)))
    assert again.tobytes() == record.tobytes()


@pytest.mark.parametrize("first", [0, 1])
def test_the_squares_and_sides_of_a_text(first: int) -> None:
    """White's home row is rank 1; which seat plays white the option `first` says (ruling S20)."""
    record = blank(first)
    read(record, EXAMPLE)
    white, black = first, 1 - first
    far = 0 if first == 0 else 42  # white's home row in the record
    assert record["square"][0, white, :4].tolist() == [far, far + 2, far + 4, far + 6]
    assert record["thief"][0, white] == 1
    assert record["square"][0, black, 5] == -1
    assert record["pieces"][0, white].tolist() == [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 1, 1, 0],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 1],
    ]
    # White has PPDDQ ppddq on it, black the same but for a movement drone and a skill pawn.
    assert record["store"][0].tolist() == [0, 0, 1, 0, 0, 1]
    assert (record["mover"][0], record["turns"][0]) == (black, 11)


def test_lines_may_come_in_any_order_with_comments_and_pieces_in_any_order() -> None:
    """RULES.md: the order of lines, marks and pieces does not matter; comments are left out."""
    one, two = blank(0, **OPTIONS), blank(0, **OPTIONS)
    read(one, "white: a1!^:PDdq - - - | - - -\nblack: g7* - - - | - - -\nturn: 2 black")
    read(
        two,
        "# a comment\n turn: 77, and this is one too\n\n   \nturn: 2\n"
        "black:  g7*  - - -  |  - - -  \nstore: qqpPPPDDDQQQppppddd\nstalled: 0\n"
        "white: a1^!:qDdP - - - | - - -\n".replace("qqpPPPDDDQQQppppddd", "qqPPPDDDQQQppppddd"),
    )
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize(
    ("turn", "turns"), [("1", 0), ("white", 0), ("black", 1), ("2 black", 1), ("300 black", 299)]
)
def test_the_turn_is_a_number_a_colour_or_both(turn: str, turns: int) -> None:
    """RULES.md: one of the two is enough; white moves in odd turns."""
    record = blank(0, **OPTIONS)
    read(record, EXAMPLE.replace("12 black", turn))
    assert record["turns"][0] == turns
    assert record["mover"][0] == turns % 2
    read(record, EXAMPLE.replace("turn: 12 black", ""))
    assert record["turns"][0] == 0, "left out: the first turn, white's"


# --- what is refused ------------------------------------------------------------------------------

REFUSED = Path(__file__).with_name("refused.txt").read_text("utf-8").splitlines()[1:]


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line.partition(":")[0])
def test_what_is_wrong_is_named(line: str) -> None:
    """The error names line and word."""
    old, new, message = line.partition(": ")[2].split(" => ")
    with pytest.raises(OptionError, match=message):
        read(blank(0), EXAMPLE.replace(old, new.replace(r"\n", "\n")))


def test_a_position_is_a_text() -> None:
    with pytest.raises(OptionError, match="position=12 is not a position"):
        read(blank(0), 12)


# --- through the interfaces -----------------------------------------------------------------------


def test_a_position_is_set_up_by_reset() -> None:
    """Whatever was played before; a thief that nobody has told of is drawn from the seed."""
    batch = Batch(GAME, 24, seed=1, first=1)
    batch.play("random", 40)
    before = [batch.get_state(row) for row in range(24)]
    with pytest.raises(OptionError, match="two lines 'turn'"):
        batch.reset(5, options={"position": f"{EXAMPLE}\nturn: 12"})
    assert [batch.get_state(row) for row in range(24)] == before
    batch.reset(seed=7, options={"position": EXAMPLE})
    expected = blank(1)
    read(expected, EXAMPLE)
    states, thieves = batch._core.states, batch._core.states["thief"].copy()
    for name in set(expected.dtype.names) - {"dice", "thief", "first_rule"}:
        assert (states[name] == expected[name]).all(), name
    assert set(thieves[:, 1]) == {1}
    assert set(thieves[:, 0]) == {0, 1, 2, 3}
    assert batch.mover.tolist() == [0] * 24, "black, which is seat 0"
    assert len(set(states["dice"].tolist())) == 24
    batch.reset(options={"position": EXAMPLE})
    assert (states["thief"] != thieves).any(), "without a seed others are drawn"
    batch.reset(seed=7, options={"position": EXAMPLE})
    assert (states["thief"] == thieves).all()

    either = Batch(GAME, 12, seed=0)
    either.reset(seed=7, options={"position": EXAMPLE.replace("12 black", "1")})
    assert set(either._core.states["first"]) == {0, 1}, "drawn, if nobody chose it"
    assert (either.mover == either._core.states["first"]).all()


def test_the_other_players_go_on_from_a_position() -> None:
    """Where it is not the learner's turn, the opponent moves first: to the learner's own turn, or
    until its thief is captured.
    """
    batch = Batch(GAME, 60, seed=1, seat=1, opponent="random", first=0, max_turns=7)
    position = "white: e3*:Q a1 - - | b2:D c3:Q -\nblack: d4*:P a7 - - | - - -\nturn: 1"
    batch.reset(5, options={"position": position})
    states = batch._core.states
    assert (batch.mover == 1).all()
    hiding = states["phase"] == PHASES.index("hide the thief again")
    assert (hiding == (states["turns"] == 0)).all()
    assert set(states["turns"]) == {0, 1}
    last = "white: a1* - - - | - - -\nblack: g7* - - - | - - -\nturn: 7"
    before = states.tobytes()
    with pytest.raises(StateError, match="nothing left to play"):
        batch.reset(3, options={"position": last})
    assert states.tobytes() == before


def test_a_partial_reset_sets_up_its_rows_only() -> None:
    envs = CyberdeckVectorEnv(GAME, 4, seat=0, first=0, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=0)
    before = [envs.get_state(row) for row in range(4)]
    chosen = np.array([False, True, False, True])
    position = EXAMPLE.replace("12 black", "1")
    _, infos = envs.reset(options={"reset_mask": chosen, "position": position})
    after = [envs.get_state(row) for row in range(4)]
    assert [one == two for one, two in zip(before, after, strict=True)] == (~chosen).tolist()
    assert infos["_phase"].tolist() == chosen.tolist()
    assert (infos["phase"][chosen] == PHASES.index("move")).all()
    assert (infos["own_stacks"][chosen] == 7).all()


def test_spectators_see_no_thief_and_no_caps_before_the_start() -> None:
    """Whatever a side has hidden, who looks on sees the same."""
    batch = Batch(GAME, 2, seed=2, first=0)
    rows = [batch._core.states[row : row + 1] for row in range(2)]
    batch.step([343, 346])  # under another drone each
    batch._core.states["dice"] = 1
    luck = np.random.default_rng(3)
    for _ in range(40):
        states = [showing.public(batch.variant, row) for row in rows]
        assert states[0].tobytes() == states[1].tobytes()
        assert write(rows[0], 0) != write(rows[1], 0), "the owner sees it"
        action = luck.choice(np.flatnonzero(batch.mask[0] & batch.mask[1]))
        batch.step([action, action])
    capped = Batch(GAME, 2, seed=2, first=0)
    for _ in range(15):  # all of the first side's set-up, and some of the other's
        capped.step(capped.choose("random"))
        one, two = (capped._core.states[row : row + 1] for row in range(2))
        seen = [showing.public(capped.variant, row) for row in (one, two)]
        pictures = [showing.scene(capped.variant, row, None).picture() for row in seen]
        assert pictures[0] == pictures[1]
    assert (one["pieces"] != two["pieces"]).any()
