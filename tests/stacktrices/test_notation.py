"""Positions of Stacktrices as text: written, read back, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch, OptionError, stacktrices_v0
from cyberdeck.games.stacktrices.constants import PHASES
from cyberdeck.games.stacktrices.names import HEADING
from cyberdeck.games.stacktrices.notation import read
from tests.play import daring
from tests.stacktrices.positions import begins_turn, write

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
    batch = Batch(GAME, 32, seed=count, setup="random", **options)
    luck = np.random.default_rng(count)
    while True:
        for row in range(32):
            record = batch.core.states[row : row + 1]
            if begins_turn(record):
                yield record.copy()
                count -= 1
                if count == 0:
                    return
        batch.step(daring(batch.core.states, batch.mask, luck))


# --- there and back -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{"first": 0}, {"first": 1, **OPTIONS}, OPTIONS],
    ids=["first 0", "first 1 with both variants", "either with both variants"],
)
def test_what_is_written_is_read_back(options: dict[str, Any]) -> None:
    """Over many turns: every byte that a text speaks of."""
    seen = set()
    for record in beginnings(500, **options):
        again = blank(int(record["first"][0]), setup="random", **options)
        lines = write(record)
        read(again, "\n".join(lines))
        assert told(again).tobytes() == told(record).tobytes(), lines
        assert write(again) == lines
        seen |= set("".join(lines)) & set("*!^-")
        seen |= {line.partition(":")[0] for line in lines}
    assert seen >= set("*^-") | {"white", "black", "store", "turn"}
    assert ("!" in seen) == options.get("steal_on_attack", False)


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


def test_what_a_seat_may_see_is_read_back_but_for_the_hidden_thief() -> None:
    """Written for a seat, the opponent's thief is not told of, and drawn when it is read."""
    drawn = 0
    for record in beginnings(600, **OPTIONS):
        for seat in (0, 1):
            lines = write(record, seat)
            again = blank(int(record["first"][0]), setup="random", **OPTIONS)
            again["dice"] = drawn
            read(again, "\n".join(lines))
            drawn += again["thief"][0, 1 - seat] != record["thief"][0, 1 - seat]
            assert write(again, seat) == lines
            again["thief"][0, 1 - seat] = record["thief"][0, 1 - seat]
            assert told(again).tobytes() == told(record).tobytes()
    assert drawn > 100


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

SIDES = EXAMPLE.splitlines()
#: What is changed in the example, into what, and what the error says.
CHANGED = {
    "not a line": ("12 black", "12 black\nchess", "'chess'"),
    "not a name": ("12 black", "12 black\ngreen: a1", "'green: a1'"),
    "two of a line": ("12 black", "12 black\nturn: 12", "two lines 'turn'"),
    "a missing side": ("black: ", "# ", "'black'"),
    "an indented side": ("black: ", " black: ", "'black'"),
    "no bar": ("| b2", "b2", "white: .*a bar"),
    "three drones": ("a7:D c7", "c7", "black: .*4 stacks on drones"),
    "four queens": ("- f6", "- - f6", "black: .*3 on queens"),
    "a side without stacks": (SIDES[1], "black: - - - - | - - -", "black has no stack left"),
    "a square outside": ("d2 ", "d8 ", "white: 'd8': 'd8' is no square"),
    "a file outside": ("c7", "h7", "black: 'h7': 'h7' is no square"),
    "half a square": ("c7", "c", "black: 'c': 'c' is no square"),
    "a square twice": ("d2 ", "a1 ", "white: 'a1': another stack"),
    "a square of the other side": ("c7", "c1", "black: 'c1': another stack"),
    "two movement pieces": ("a7:D", "a7:PP", "black: 'a7:PP' is no legal stack"),
    "skill without movement": ("b6:Pd", "b6:d", "black: 'b6:d' is no legal stack"),
    "two skills of a size": ("b6:Pd", "b6:Pdd", "'b6:Pdd' is no legal stack"),
    "an unknown piece": ("b6:Pd", "b6:PK", "black: 'b6:PK': 'K' is no piece"),
    "no pieces after the colon": ("b6:Pd", "b6:", "black: 'b6:': pieces are miss"),
    "four movement queens": ("a7:D c7", "a7:Q c7:Q", "'f6:Qpq': .* no movement queen left: .* 3"),
    "five skill drones": ("e7:Pp", "e7:Ppd", "black: 'b6:Pd': .* no skill drone left: .* 4"),
    "an unknown mark": ("e1 ", "e1+ ", r"white: 'e1\+': '\+' is no mark"),
    "two thieves": ("e1 ", "e1* ", r"white: 'e1\*': there is a thief already"),
    "a thief twice": ("c1*", "c1**", r"white: 'c1\*\*:Dd': there is a thief"),
    "a thief on a queen": ("b6:", "b6*:", r"black: 'b6\*:Pd': only stacks on dro"),
    "a queen that has raided": ("b6:", "b6^:", r"'b6\^:Pd': only stacks on dro"),
    "an exposed thief": ("c1*", "c1!", "white: 'c1!:Dd': .*with steal_on_attack=True"),
    "another store": ("12 black", "12 black\nstore: Qqq", "store: Qqq: .*that is Qq"),
    "an empty store": ("12 black", "12 black\nstore: -", "store: -: .*that is Qq"),
    "another colour": ("12 black", "12 white", "turn: '12 white': white moves in"),
    "no turn": ("12 black", "", "turn: ''"),
    "a word for a turn": ("12 black", "last", "turn: 'last'"),
    "two turns": ("12 black", "12 13", "turn: '12 13'"),
    "turn 0": ("12 black", "0", "turn: '0' must be .* from 1 to 200"),
    "a turn after the last": ("12 black", "201", "turn: '201' must be"),
    "half a turn": ("12 black", "1.5", "turn: '1.5' must be"),
    "in a turn": ("12 black", "12 black, trade", "'12 black, trade': .*not in the phase 'trade'"),
    "stalled twice": ("12 black", "12 black\nstalled: 2", "stalled: '2' must be .* from 0 to 1"),
    "stalled in words": ("12 black", "12 black\nstalled: yes", "stalled: 'yes' must be"),
}
REFUSED: dict[str, tuple[Any, str]] = {
    "no text": (12, "12"),
    "bytes": (EXAMPLE.encode(), "white"),
    "nothing": ("", "'white'"),
    **{name: (EXAMPLE.replace(old, new), error) for name, (old, new, error) in CHANGED.items()},
}


@pytest.mark.parametrize("position", REFUSED)
def test_what_is_wrong_is_named_and_nothing_changes(
    position: str, running: tuple[Batch, Any, Any]
) -> None:
    """A batch, Gymnasium and PettingZoo: the error names line and word, and the game goes on."""
    text, message = REFUSED[position]
    options = {"position": text}
    batch, env, aec = running
    before = [batch.get_state(row) for row in range(3)]
    masks, seen = batch.mask.copy(), batch.observation.copy()
    for seed in (None, 5):
        with pytest.raises(OptionError, match=message):
            batch.reset(seed, options=options)
    assert [batch.get_state(row) for row in range(3)] == before
    assert (batch.mask == masks).all()
    assert (batch.observation == seen).all()

    unwrapped: Any = env.unwrapped
    state, look = unwrapped.get_state(), unwrapped.look()
    with pytest.raises(OptionError, match=message):
        env.reset(seed=5, options=options)
    assert unwrapped.get_state() == state
    assert (unwrapped.look()[0] == look[0]).all()

    state, agent = aec.get_state(), aec.agent_selection
    with pytest.raises(OptionError, match=message):
        aec.reset(seed=5, options=options)
    assert (aec.get_state(), aec.agent_selection) == (state, agent)


@pytest.fixture(scope="module")
def running() -> tuple[Batch, Any, Any]:
    """A running game of each interface, three in the batch."""
    batch = Batch(GAME, 3, seed=1)
    batch.play("random", 40)
    env = gymnasium.make("cyberdeck/Stacktrices-v0", seat=0)
    env.reset(seed=1)
    aec = stacktrices_v0.raw_env()
    aec.reset(seed=1)
    return batch, env, aec


# --- through the interfaces -----------------------------------------------------------------------


def test_a_position_is_set_up_by_reset() -> None:
    """reset(options={"position": ...}) of a batch, of Gymnasium and of PettingZoo."""
    batch = Batch(GAME, 16, seed=1, first=1)
    batch.reset(seed=2, options={"position": EXAMPLE})
    assert batch.mover.tolist() == [0] * 16, "black, which is seat 0"
    assert {int(thief) for thief in batch.core.states["thief"][:, 1]} == {1}
    assert {int(thief) for thief in batch.core.states["thief"][:, 0]} == {0, 1, 2, 3}

    env = gymnasium.make("cyberdeck/Stacktrices-v0", seat=1, first=0, render_mode="ansi")
    _, info = env.reset(seed=2, options={"position": EXAMPLE})
    assert (info["turns"], info["own_stacks"], info["opponent_stacks"]) == (11, 6, 7)
    shown = str(env.render()).splitlines()
    assert EXAMPLE.splitlines()[0].replace("*", "") in shown, "white's thief is hidden"

    aec = stacktrices_v0.raw_env(first=1)
    aec.reset(seed=2, options={"position": EXAMPLE})
    assert aec.agent_selection == "player_0"


def test_what_is_shown_as_text_can_be_set_up() -> None:
    """The text of a turn that begins can be set up as it is: it ends with the position."""
    env = gymnasium.make(
        "cyberdeck/Stacktrices-v0", seat=0, first=0, setup="random", render_mode="ansi"
    )
    _, info = env.reset(seed=3)
    began = 0
    for _ in range(40):
        text = str(env.render())
        if info["phase"] == PHASES.index("move"):
            env.reset(options={"position": text})
            assert told_in(str(env.render())) == told_in(text)
            began += 1
        else:
            with pytest.raises(OptionError, match="beginning of a turn"):
                env.reset(options={"position": text})
        info = env.step(env.action_space.sample(info["action_mask"]))[4]
    assert 5 < began < 35


def told_in(text: str) -> str:
    return text.partition(HEADING)[2]


def test_the_other_players_go_on_from_a_position() -> None:
    """Where it is not the learner's turn, the opponent moves first."""
    env = gymnasium.make("cyberdeck/Stacktrices-v0", seat=0, first=0)
    _, info = env.reset(seed=1, options={"position": EXAMPLE})
    assert info["turns"] >= 12, "black, the opponent, has had its turn"


def test_spectators_see_no_thief_and_no_caps_before_the_start() -> None:
    """Two games that differ in the first side's thief alone look the same to who looks on."""
    games = [stacktrices_v0.raw_env(first=0, render_mode="ansi") for _ in range(2)]
    owners = [
        stacktrices_v0.raw_env(first=0, render_mode="ansi", render_seat="player_0")
        for _ in range(2)
    ]
    luck = np.random.default_rng(3)
    for env in (*games, *owners):
        env.reset(seed=2)
    for at in range(60):
        masks = [env.action_masks() for env in games]
        both = np.flatnonzero(masks[0] & masks[1])
        action = int(luck.choice(both)) if at else None
        for thief, env in enumerate(games):
            env.step(343 + 3 * thief if action is None else action)
            owners[thief].step(343 + 3 * thief if action is None else action)
        state = games[0]._core.states[0]
        if state["mover"] < 0 or state["square"][0, [0, 3]].min() < 0:
            break  # one of the two was captured: all have seen whether it was the thief
        assert games[0].render() == games[1].render()
        assert games[0].svg() == games[1].svg()
        assert "*" not in "".join(games[0].render().splitlines()[3:11])
        assert owners[0].render() != owners[1].render()
    assert at > 25
    capped = [stacktrices_v0.raw_env(first=0) for _ in range(2)]
    for env in capped:
        env.reset(seed=2)
    for _ in range(15):  # all of the first side's set-up, and some of the other's
        for env in capped:
            env.step(int(luck.choice(np.flatnonzero(env.action_masks()))))
        assert capped[0].svg() == capped[1].svg()
    assert (capped[0]._core.states["pieces"] != capped[1]._core.states["pieces"]).any()
