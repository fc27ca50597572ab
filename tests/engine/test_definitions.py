"""Definitions of games: what is wrong is refused when they are made, in one line that says how."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Columns, Feature, Field, Game, Metric, Option, Variant, kernel
from cyberdeck.commands.main import main
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.errors import OptionError


@kernel
def start(state: Any) -> None:
    state.left = 7


@kernel
def legal(state: Any, mask: Any) -> None:
    mask[0] = 1


@kernel
def act(state: Any, action: Any) -> None:
    state.left -= 1


@kernel
def observe(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.left


@kernel
def report(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.left


@kernel
def check_state(state: Any) -> int:
    return 0


@kernel
def side(state: Any, seat: Any) -> int:
    return seat // 2


@kernel
def beyond(state: Any, seat: Any) -> int:
    return seat


def plain(state: Any, mask: Any) -> None:
    mask[0] = 1


LEFT = Field("left", 0, 7)
PARTS: dict[str, Any] = {
    "name": "tried",
    "seats": ("one", "other"),
    "fields": [LEFT],
    "start": start,
    "legal": legal,
    "act": act,
    "observe": observe,
    "features": [Feature("left", (1,), 0, 7)],
    "actions": [(1, "take")],
    "reasons": ("taken",),
}
TEXTS = "give a list of texts"
GROUPS = 'give a list of (how many, meaning), such as [(9, "place a mark at"), (1, "pass")]'
RESERVED = "dice, decisions, reward, mover, terminated, truncated, reason"
NAMES = "give letters, digits and _, first a letter, such as cards_left"
SIZE = Option("size", 5, choices=(5, 9))


def made(**changed: Any) -> Game:
    return Game(**PARTS | changed)


#: What is written -> what the error says.
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    # --- seats ---
    "two seats of one name": (
        lambda: made(seats=("one", "one")),
        "tried: seats: there are two called 'one': choose other names",
    ),
    "a text for seats": (
        lambda: made(seats="first"),
        f"tried: seats='first' is not possible: {TEXTS}",
    ),
    "seats in no order": (
        lambda: made(seats={"one"}),
        f"tried: seats={{'one'}} is not possible: {TEXTS}",
    ),
    "fields that are there only once": (
        lambda: made(fields=iter([LEFT])),
        "tried: fields=<list_iterator object at ",
    ),
    "no seats": (
        lambda: made(seats=()),
        "tried: there are no seats: name those who play, also if it is one",
    ),
    "seats that are numbers": (
        lambda: made(seats=(1, 2)),
        "tried: seats[0]=1 is not possible: give a text",
    ),
    "more seats than room": (
        lambda: made(most_seats=1),
        "tried: there are 2 seats, and at most 1 are possible; most_seats says how many",
    ),
    "seats by options without most_seats": (
        lambda: made(seats=lambda options: ("one",)),
        "tried: seats depend on options: say most_seats as well",
    ),
    "most_seats that is no number": (
        lambda: made(most_seats="2"),
        "tried: most_seats='2': give 1 to 125",
    ),
    # --- fields ---
    "bounds that are floats": (
        lambda: Field("odds", 0.0, 1.0),
        "the field 'odds' has the bounds 0.0 to 1.0: give whole numbers (a share may be held as "
        "hundredths, from 0 to 100), or dtype='float32'",
    ),
    "bounds the wrong way round": (
        lambda: Field("odds", 5, 1),
        "the field 'odds' has the bounds 5 to 1: give the lower one first",
    ),
    "bounds that nothing holds": (
        lambda: Field("odds", -1, 2**63),
        f"the field 'odds' has the bounds -1 to {2**63}: 64 bits do not hold them",
    ),
    "a number for a shape": (
        lambda: Field("odds", 0, 1, 5),  # type: ignore[arg-type]
        "the field 'odds' has the shape 5: give a tuple, (5,)",
    ),
    "a shape of nothing": (
        lambda: Field("odds", 0, 1, (2, 0)),
        "the field 'odds' has the shape (2, 0): give a tuple of whole numbers from 1 on, such as "
        "(3, 3)",
    ),
    "a name with a space": (
        lambda: Field("two odds", 0, 1),
        f"the name of a field='two odds' is not possible: {NAMES}",
    ),
    "a name with _ in front": (
        lambda: Field("_odds", 0, 1),
        f"the name of a field='_odds' is not possible: {NAMES}",
    ),
    "a word of Python's for a name": (
        lambda: Field("from", 0, 1),
        f"the name of a field='from' is not possible: {NAMES}",
    ),
    "a field of the header": (
        lambda: made(fields=[LEFT, Field("dice", 0, 1)]),
        f"tried: the name 'dice' is reserved: choose another one than {RESERVED}",
    ),
    "an option of the header": (
        lambda: made(options=[Option("reason", 0, bounds=(0, 1))]),
        f"tried: the name 'reason' is reserved: choose another one than {RESERVED}",
    ),
    "a field twice": (
        lambda: made(fields=[LEFT, LEFT]),
        "tried: fields: there are two called 'left': choose other names",
    ),
    "a text for a field": (
        lambda: made(fields=["left"]),
        "tried: fields: 'left' is no Field: give a list of Field(...)",
    ),
    "a field alone": (
        lambda: made(fields=LEFT),
        f"tried: fields={LEFT!r} is not possible: give a list of Field(...)",
    ),
    "a field that cannot hold the option of its name": (
        lambda: made(options=[SIZE], fields=[LEFT, Field("size", 0, 7)]),
        "tried: the field 'size' holds the option of that name, one number from 5 to 9: leave the "
        "field out, or rename one of them",
    ),
    # --- features ---
    "a number for the shape of a feature": (
        lambda: Feature("own", 6, 0, 1),  # type: ignore[arg-type]
        "the feature 'own' has the shape 6: give a tuple, (6,)",
    ),
    "labels that are too few": (
        lambda: Feature("card", (3,), 0, 1, labels=("jack", "queen")),
        "the feature 'card': labels are 2: give a list of 3 texts, or a list for each axis of the "
        "shape (3,)",
    ),
    "labels of another shape": (
        lambda: Feature("hands", (2, 3), 0, 1, labels=(("a", "b", "c"), ("x", "y"))),
        "the feature 'hands': labels are 3 x 2: give a list of 3 texts, or a list for each axis of "
        "the shape (2, 3)",
    ),
    "a label twice": (
        lambda: Feature("card", (2,), 0, 1, labels=("jack", "jack")),
        "the feature 'card': labels: there are two called 'jack': choose other names",
    ),
    "a text for labels": (
        lambda: Feature("card", (2,), 0, 1, labels="ab"),
        "the feature 'card': labels='ab' is not possible: give a list of texts",
    ),
    "bounds of a feature that are floats": (
        lambda: Feature("own", (6,), 0, 0.5),
        "the feature 'own' has the bounds 0 to 0.5: give whole numbers (a share may be held as "
        "hundredths, from 0 to 100), or dtype='float32'",
    ),
    "bounds of a feature outside int8": (
        lambda: Feature("own", (6,), 0, 128),
        "the feature 'own' has the bounds 0 to 128: int8 holds -128 to 127 (dtype='int16' holds "
        "that)",
    ),
    "bounds of a feature outside int16": (
        lambda: Feature("own", (6,), 0, 2**15, dtype="int16"),
        "the feature 'own' has the bounds 0 to 32768: int16 holds -32768 to 32767 (dtype='float32' "
        "holds that)",
    ),
    "a dtype that there is not": (
        lambda: Feature("own", (6,), 0, 1, dtype="float64"),
        "the feature 'own': dtype='float64' is not possible: choose 'int8', 'int16', 'float32' "
        "(did you mean float32?)",
    ),
    "no text for a dtype": (
        lambda: Field("own", 0, 1, dtype=np.int16),  # type: ignore[arg-type]
        "the field 'own': dtype=<class 'numpy.int16'> is not possible: choose 'int8', 'int16', "
        "'int32', 'int64', 'float32'",
    ),
    "bounds that are no numbers": (
        lambda: Field("own", 0, math.inf, dtype="float32"),
        "the field 'own' has the bounds 0 to inf: give finite numbers",
    ),
    "fractions the wrong way round": (
        lambda: Field("own", 0.5, 0.25, dtype="float32"),
        "the field 'own' has the bounds 0.5 to 0.25: give the lower one first",
    ),
    "bounds that a type does not hold": (
        lambda: Field("own", 0, 2**31, dtype="int32"),
        f"the field 'own' has the bounds 0 to {2**31}: int32 holds -{2**31} to {2**31 - 1} "
        "(dtype='int64' holds that)",
    ),
    "bounds that no type holds": (
        lambda: Feature("own", (6,), 0, 1e39, dtype="float32"),
        "the feature 'own' has the bounds 0 to 1e+39: float32 holds "
        "-3.4028234663852886e+38 to 3.4028234663852886e+38",
    ),
    "an option in a field with a type of its own": (
        lambda: made(options=[SIZE], fields=[LEFT, Field("size", 0, 127, dtype="float32")]),
        "tried: the field 'size' holds the option of that name, one number from 5 to 9: leave the "
        "field out, or rename one of them",
    ),
    "two features of one name": (
        lambda: made(features=2 * PARTS["features"]),
        "tried: features: there are two called 'left': choose other names",
    ),
    "a text for a feature": (
        lambda: made(features=["left"]),
        "tried: features: 'left' is no Feature: give a list of Feature(...)",
    ),
    "no features": (
        lambda: made(features=[]),
        "tried: there are no features: say what observe writes into out",
    ),
    # --- actions ---
    "a number for actions": (
        lambda: made(actions=25),
        f"tried: actions=25 is not possible: {GROUPS}",
    ),
    "no actions": (lambda: made(actions=[]), f"tried: there are no actions: {GROUPS}"),
    "a group of no actions": (
        lambda: made(actions=[(0, "take")]),
        f"tried: actions: (0, 'take') is not possible: {GROUPS}",
    ),
    "half an action": (
        lambda: made(actions=[(1.5, "take")]),
        f"tried: actions: (1.5, 'take') is not possible: {GROUPS}",
    ),
    "an action without a name": (
        lambda: made(actions=[(1, 2)]),
        f"tried: actions: (1, 2) is not possible: {GROUPS}",
    ),
    "a group that is no group": (
        lambda: made(actions=["take"]),
        f"tried: actions: 'take' is not possible: {GROUPS}",
    ),
    # --- ends and metrics ---
    "a text for reasons": (
        lambda: made(reasons="taken"),
        f"tried: reasons='taken' is not possible: {TEXTS}",
    ),
    "a reason twice": (
        lambda: made(reasons=("taken", "taken")),
        "tried: reasons: there are two called 'taken': choose other names",
    ),
    "a reason that every game has": (
        lambda: made(reasons=("taken", "illegal_action")),
        "tried: reasons: 'illegal_action' is there in every game: leave it out (a game's own begin "
        "at 2)",
    ),
    "metrics without report": (
        lambda: made(metrics=[Metric("left")]),
        "tried: metrics without report: give both, or neither",
    ),
    "report without metrics": (
        lambda: made(report=report),
        "tried: report without metrics: give both, or neither",
    ),
    "check_state without invariants": (
        lambda: made(check_state=check_state),
        "tried: check_state without invariants: give both, or neither",
    ),
    "two metrics of one name": (
        lambda: made(metrics=[Metric("left")] * 2, report=report),
        "tried: metrics: there are two called 'left': choose other names",
    ),
    "teams without side": (
        lambda: made(teams=("red", "blue")),
        "tried: teams without side: give both, or neither",
    ),
    "side without teams": (
        lambda: made(side=side),
        "tried: side without teams: give both, or neither",
    ),
    "a reward of nothing": (
        lambda: made(reward_bound=0),
        "tried: reward_bound=0 is not possible: give the most that a decision may bring",
    ),
    "a reward without bounds": (
        lambda: made(reward_bound=float("inf")),
        "tried: reward_bound=inf is not possible: give the most that a decision may bring",
    ),
    # --- kernels ---
    "no kernel": (
        lambda: made(legal=plain),
        "tried: legal is no kernel: write @kernel above it",
    ),
    "a kernel that takes less": (
        lambda: made(legal=start),
        "tried: legal (start) takes (state): it must take (state, mask)",
    ),
    "a kernel that takes more": (
        lambda: made(start=observe),
        "tried: start (observe) takes (state, seat, out): it must take (state)",
    ),
    # --- options ---
    "a default that is no choice": (
        lambda: Option("size", 6, choices=(5, 9)),
        "the default of the option 'size': size=6 is not possible: choose one of 5, 9",
    ),
    "a default out of bounds": (
        lambda: Option("size", 6, bounds=(7, 9)),
        "the default of the option 'size': size=6 is not possible: it must be a whole number from "
        "7 to 9",
    ),
    "a text for choices": (
        lambda: Option("size", "a", choices="abc"),  # type: ignore[arg-type]
        "the option 'size' has the choices 'abc': give a tuple of them",
    ),
    "a choice twice": (
        lambda: Option("size", 5, choices=(5, 5)),
        "the choices of the option 'size': there are two called 5: choose other names",
    ),
    "bounds of an option that are one number": (
        lambda: Option("size", 5, bounds=9),  # type: ignore[arg-type]
        "the option 'size' has the bounds 9: give (lowest, highest)",
    ),
    "bounds of an option that are no whole numbers": (
        lambda: Option("size", 5, bounds=(0.5, 9)),
        "the option 'size' has the bounds 0.5 to 9: give whole numbers (a share may be held as "
        "hundredths, from 0 to 100)",
    ),
    "a name of an option": (
        lambda: Option("the size", 5, choices=(5, 9)),
        f"the name of an option='the size' is not possible: {NAMES}",
    ),
    "two options of one name": (
        lambda: made(options=[SIZE, SIZE]),
        "tried: options: there are two called 'size': choose other names",
    ),
    "two options in one field": (
        lambda: made(options=[SIZE, Option("width", 5, choices=(5, 9), field="size")]),
        "tried: the fields of options: there are two called 'size': choose other names",
    ),
    # --- the whole ---
    "a name that is no name": (
        lambda: made(name="two words"),
        "a game cannot be called 'two words': choose a name like connect_four",
    ),
    "a misspelt part": (
        lambda: made(feature=[]),
        "Game() got an unexpected keyword argument 'feature' (did you mean features?); there are: "
        "name, seats, fields, start, ",
    ),
    "a missing part": (
        lambda: Game(
            **{name: part for name, part in PARTS.items() if name not in ("act", "seats")}
        ),
        "Game() needs seats, act as well",
    ),
    # --- what depends on options ---
    "a text for seats, by options": (
        lambda: Variant(made(seats=lambda options: "first", most_seats=5), {}),
        f"tried: seats='first' is not possible: {TEXTS}",
    ),
    "more seats than room, by options": (
        lambda: Variant(made(seats=lambda options: ("a", "b", "c"), most_seats=2), {}),
        "tried: there are 3 seats, and at most 2 are possible; most_seats says how many",
    ),
    "a text for teams, by options": (
        lambda: Variant(made(side=side, teams=lambda options: "red"), {}),
        f"tried: teams='red' is not possible: {TEXTS}",
    ),
    "no actions, by options": (
        lambda: Variant(made(actions=lambda options: []), {}),
        f"tried: there are no actions: {GROUPS}",
    ),
    "a number for actions, by options": (
        lambda: Variant(made(actions=lambda options: 25), {}),
        f"tried: actions=25 is not possible: {GROUPS}",
    ),
    "a feature twice, by options": (
        lambda: Variant(made(features=lambda options: 2 * PARTS["features"]), {}),
        "tried: features: there are two called 'left': choose other names",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_in_a_definition_is_refused_when_it_is_made(what: str) -> None:
    make, message = WRONG[what]
    with pytest.raises(OptionError) as refused:
        make()
    told = str(refused.value)
    assert told.startswith(message) if message.endswith(" ") else told == message
    assert "\n" not in told


def test_a_side_that_is_no_team_is_refused() -> None:
    four = {"seats": tuple("abcd"), "teams": ("red", "blue")}
    assert Variant(made(side=side, **four), {}).sides == (0, 0, 1, 1)
    with pytest.raises(OptionError, match="side gives 2 for seat 2: it must be 0 to 1, for red, b"):
        _ = Variant(made(side=beyond, **four), {}).sides
    three = {**four, "teams": ("red", "blue", "green")}
    with pytest.raises(
        OptionError, match=r"nobody is on the side 2, green: side gives .0, 0, 1, 1"
    ):
        _ = Variant(made(side=side, **three), {}).sides


def test_teams_follow_options() -> None:
    count = Option("teams", 2, choices=(0, 2, 4))
    given = {"seats": tuple("abcd"), "options": [count]}
    names = ("red", "blue", "green", "grey")
    for by, sides in ((side, (0, 0, 1, 1)), (beyond, (0, 1, 2, 3))):
        game = made(side=by, teams=lambda options: names[: options["teams"]], **given)
        teams = len(set(sides))
        chosen = Variant(game, {"teams": teams})
        assert (chosen.teams, chosen.sides) == (names[:teams], sides)
    assert Variant(game, {"teams": 0}).sides == (0, 1, 2, 3)
    with pytest.raises(OptionError, match="side gives 0 for seat 1, and teams names none with the"):
        _ = Variant(made(side=side, teams=lambda options: (), **given), {}).sides


def test_what_is_right_is_not_refused() -> None:
    game = made(
        seats=lambda options: tuple("abc"[: options["players"]]),
        most_seats=3,
        options=[
            Option("players", 2, choices=(2, 3)),
            Option("share", 0.5, bounds=(0, 1), digits=2),
            Option("limit", None, bounds=(1, 9)),
            Columns("deck", [(1,)] * 2, columns=(Option("rank", 1, bounds=(1, 9)),), rows=2),
        ],
        fields=[LEFT, Field("players", 0, 9)],  # where the option is to lie
        resolve_options=lambda options: options | {"limit": 3},
        actions=lambda options: ((count, "take") for count in (options["players"], 1)),
        features=lambda options: [Feature("left", (1,), 0, 7), Feature("none", (0,), 0, 1)],
    )
    assert Variant(game, {"players": 3}).agents == ("a", "b", "c")
    assert Variant(game, {}).action_count == 3


def test_a_game_made_from_another_has_its_reasons_once() -> None:
    again = dataclasses.replace(made(), title="Again")
    assert again.reasons == made().reasons == ("", "illegal_action", "taken")


def test_help_knows_the_parts_of_a_game() -> None:
    parts = inspect.signature(Game).parameters
    assert list(parts)[:2] == ["name", "seats"]
    assert parts["reward_bound"].default == 1.0


SOURCE = Path(cyberdeck.__file__).parents[2] / "examples" / "games" / "tictactoe.py"

#: What is changed in a right game's file -> what the command says, behind the file's name.
WRONG_FILES = {
    "a field": (
        'Field("board", EMPTY, 1, (CELLS,))',
        'Field("board", EMPTY, 1, CELLS)',
        ": line 56: the field 'board' has the shape 9: give a tuple, (9,)",
    ),
    "an argument": (
        "    actions=",
        "    acts=",
        ": line 53: Game() got an unexpected keyword argument 'acts'",
    ),
    "a kernel": (
        "    return CELLS - state.decisions  #",
        "    assert state.decisions < CELLS  #",
        ", line 26, in legal: it raises (raise, assert), and kernels raise nothing",
    ),
}


@pytest.mark.parametrize("what", WRONG_FILES)
def test_the_command_says_in_one_line_where_a_file_is_wrong(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, message = WRONG_FILES[what]
    text = SOURCE.read_text()
    assert text.count(old) == 1
    file = tmp_path / "wrong.py"
    file.write_text(text.replace(old, new))
    assert main(["check", str(file)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("cyberdeck: ")
    assert f"wrong.py{message}" in told
    assert told.count("\n") == 1


#: What is written into the record of a game that runs -> what is said of it.
IMPOSSIBLE = {
    "left": (9, "every field is within its bounds: left is 9, and not 0 to 7"),
    "mover": (5, "the header agrees with itself: mover is 5, and there are the seats 0 to 1"),
    "reason": (7, "the header agrees with itself: reason is 7, and there are 0 to 2"),
    "terminated": (1, "the header agrees with itself: the game is over, and seat 0 is to move"),
    "truncated": (2, "the header agrees with itself: terminated is 0 and truncated is 2"),
    "decisions": (-3, "the header agrees with itself: decisions is -3"),
    "reward": (np.nan, "the header agrees with itself: reward is [nan, nan]"),
}


@pytest.mark.parametrize("field", IMPOSSIBLE)
def test_what_does_not_hold_of_a_record_is_told_with_its_number(field: str) -> None:
    number, message = IMPOSSIBLE[field]
    record = np.zeros(3, made().dtype)
    record[field][1] = number
    assert broken_invariant(made(), record) == message


def test_a_game_that_is_over_is_over_for_a_reason() -> None:
    record = np.zeros(1, made().dtype)
    record["mover"] = -1
    goes_on = "the game goes on, and nobody is to move"
    assert broken_invariant(made(), record).endswith(goes_on)
    record["terminated"] = 1
    assert broken_invariant(made(), record).endswith("the game is over, and reason is 0")
    record["reason"] = 2
    record["mover"] = 0
    record["terminated"] = 0
    assert broken_invariant(made(), record).endswith("the game goes on, and reason is 2")
