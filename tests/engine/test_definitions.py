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

from cyberdeck import Columns, Feature, Field, Game, Metric, Option, Variant, kernel, offsets
from cyberdeck.commands.main import main
from cyberdeck.engine import first_use
from cyberdeck.engine.positions import broken_invariant
from cyberdeck.errors import OptionError
from tests.engine.games import LEFT, PARTS, edited, made, start


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


TWICE = "there are two called {!r}: choose other names"
SIZE = Option("size", 5, choices=(5, 9))


def by_options(part: Any) -> Callable[[Any], Any]:
    return lambda options: part


#: The parts of a game that are others than in PARTS -> what the error says of the game.
WRONG_PARTS: list[tuple[dict[str, Any], str]] = [
    # --- seats ---
    ({"seats": ("one", "one")}, f"seats: {TWICE.format('one')}"),
    ({"seats": "first"}, "seats='first' is not possible: give a list of texts"),
    ({"seats": ()}, "there are no seats: name those who play, also if it is one"),
    ({"seats": (1, 2)}, "seats[0]=1 is not possible: give a text"),
    ({"most_seats": 1}, "there are 2 seats, and at most 1 are possible; most_seats says how many"),
    ({"seats": by_options(("one",))}, "seats depend on options: say most_seats as well"),
    (
        {"seats": by_options(("a", "b", "c")), "most_seats": 2},
        "there are 3 seats, and at most 2 are possible",
    ),
    # --- fields ---
    (
        {"fields": [LEFT, Field("dice", 0, 1)]},
        "the name 'dice' is reserved: choose another one than",
    ),
    ({"fields": [LEFT, LEFT]}, f"fields: {TWICE.format('left')}"),
    ({"fields": ["left"]}, "fields: 'left' is no Field: give a list of Field(...)"),
    ({"fields": iter([LEFT])}, "fields=<list_iterator object at "),
    (
        {"options": [SIZE], "fields": [LEFT, Field("size", 0, 7)]},
        "the field 'size' holds the option of",
    ),
    # --- features and actions ---
    ({"features": []}, "there are no features: say what observe writes into out"),
    ({"actions": 25}, "actions=25 is not possible: give a list of (how many, meaning)"),
    ({"actions": by_options([])}, "there are no actions: give a list of (how many, meaning)"),
    ({"actions": [(0, "take")]}, "actions: (0, 'take') is not possible: give"),
    ({"actions": ["take"]}, "actions: 'take' is not possible: give"),
    # --- ends and metrics ---
    ({"reasons": ("taken", "illegal_action")}, "reasons: 'illegal_action' is there in every"),
    ({"metrics": [Metric("left")]}, "metrics without report: give both, or neither"),
    ({"check_state": check_state}, "check_state without invariants: give both, or neither"),
    ({"teams": ("red", "blue")}, "teams without side: give both, or neither"),
    ({"reward_bound": 0}, "reward_bound=0 is not possible: give the most"),
    (
        {"most_decisions": lambda options: 0},
        "most_decisions=0 is not possible: give how often all seats together decide at most",
    ),
    # --- kernels and options ---
    ({"legal": plain}, "legal is no kernel: write @kernel above it"),
    ({"legal": start}, "legal (start) takes (state): it must take (state, mask)"),
    (
        {"options": [SIZE, Option("width", 5, choices=(5, 9), field="size")]},
        f"the fields of options: {TWICE.format('size')}",
    ),
]


def check_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(OptionError) as refused:
        make()
    told = str(refused.value)
    assert message in told
    assert "\n" not in told


@pytest.mark.parametrize(("changed", "message"), WRONG_PARTS)
def test_what_is_wrong_in_a_game_is_refused_when_it_is_made(
    changed: dict[str, Any], message: str
) -> None:
    check_refused(lambda: Variant(made(**changed), {}), f"tried: {message}")


def test_a_game_has_the_parts_that_there_are() -> None:
    wrong = (
        "Game() got an unexpected keyword argument 'feature' (did you mean features?); there are:"
    )
    check_refused(lambda: made(feature=[]), f"{wrong} name, seats, fields, start, ")
    some = {name: part for name, part in PARTS.items() if name not in ("act", "seats")}
    check_refused(lambda: Game(**some), "Game() needs seats, act as well")
    check_refused(lambda: made(name="two words"), "a game cannot be called 'two words': choose a")


TWO_AXES = (("a", "b", "c"), ("x", "y"))

#: How a field, a feature or an option is made -> what the error says of it.
WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: Field("odds", 0.0, 1.0), "'odds' has the bounds 0.0 to 1.0: give whole numbers"),
    (lambda: Field("odds", 5, 1), "'odds' has the bounds 5 to 1: give the lower one first"),
    (lambda: Field("odds", 0, math.inf, dtype="float32"), "bounds 0 to inf: give finite numbers"),
    (lambda: Field("odds", -1, 2**63), "9223372036854775808: 64 bits do not hold them"),
    (lambda: Field("odds", 0, 2**31, dtype="int32"), "2147483647 (dtype='int64' holds that)"),
    (lambda: Field("odds", 0, 1, dtype=np.int16), "'numpy.int16'> is not possible: choose 'int8'"),
    (lambda: Field("odds", 0, 1, 5), "the field 'odds' has the shape 5: give a tuple, (5,)"),
    (lambda: Field("odds", 0, 1, (2, 0)), "shape (2, 0): give a tuple of whole numbers from 1 on"),
    (lambda: Field("two odds", 0, 1), "a field='two odds' is not possible: give letters, digits"),
    (lambda: Field("from", 0, 1), "the name of a field='from' is not possible: give letters"),
    (lambda: Feature("own", (2, 3), 0, 1, labels=TWO_AXES), "'own': labels are 3 x 2: give a list"),
    (lambda: Feature("own", (2, 3), 0, 1, dtype="float64"), "(did you mean float32?)"),
    (
        lambda: offsets([Feature("to go", (1,), 0, 1), Feature("to-go", (1,), 0, 1)]),
        f"features: {TWICE.format('to_go')}",
    ),
    (lambda: Option("size", 6, choices=(5, 9)), "size=6 is not possible: choose one of 5, 9"),
    (
        lambda: Option("size", 5, choices="abc"),
        "the choices 'abc': give a tuple of them",
    ),
    (lambda: Option("size", 5, choices=(5, 5)), f"the option 'size': {TWICE.format(5)}"),
    (lambda: Option("size", 5, bounds=9), "'size' has the bounds 9: give (lowest, highest)"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_what_is_wrong_in_a_part_is_refused(make: Callable[[], object], message: str) -> None:
    check_refused(make, message)


def test_teams_follow_options_and_sides_are_those_of_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_use, "_DECISIONS", 9)
    count = Option("teams", 2, choices=(0, 2, 3, 4))
    names = ("red", "blue", "green", "grey")

    def played(teams: int, by: Callable[..., int]) -> Variant:
        named = {"side": by, "teams": lambda options: names[: options["teams"]]}
        game = made(seats=tuple("abcd"), options=[count], **named)
        return Variant(game, {"teams": teams})

    assert (played(2, side).teams, played(2, side).sides) == (names[:2], (0, 0, 1, 1))
    assert (played(4, beyond).teams, played(4, beyond).sides) == (names, (0, 1, 2, 3))
    assert played(0, beyond).sides == (0, 1, 2, 3)
    for teams, by, said in (
        (2, beyond, "side gives 2 for seat 2: it must be 0 to 1, for red, b"),
        (3, side, r"nobody is on the side 2, green: side gives .0, 0, 1, 1"),
        (0, side, "side gives 0 for seat 1, and teams names none with the"),
    ):
        with pytest.raises(OptionError, match=said):
            _ = played(teams, by).sides


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


#: What is changed in a right game's file, and what the command says, behind the file's name.
WRONG_FILES = [
    (
        'Field("board", EMPTY, 1, (CELLS,))',
        'Field("board", EMPTY, 1, CELLS)',
        ": line 60: the field 'board' has the shape 9: give a tuple, (9,)",
    ),
    (
        "    return CELLS - state.decisions  #",
        "    assert state.decisions < CELLS  #",
        ", line 26, in legal: it raises (raise, assert), and kernels raise nothing",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG_FILES)
def test_the_command_says_in_one_line_where_a_file_is_wrong(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(edited(tmp_path, "tictactoe", old, new, name="wrong"))]) == 2
    told = capsys.readouterr().err
    assert told.startswith("cyberdeck: ")
    assert f"wrong.py{message}" in told
    assert told.count("\n") == 1


HEADER = "the header agrees with itself: "

#: What is written into the record of a game -> what is said of it.
IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"left": 9}, "every field is within its bounds: left is 9, and not 0 to 7"),
    ({"mover": 5}, f"{HEADER}mover is 5, and there are the seats 0 to 1"),
    ({"reason": 7}, f"{HEADER}reason is 7, and there are 0 to 2"),
    ({"terminated": 1}, f"{HEADER}the game is over, and seat 0 is to move"),
    ({"truncated": 2}, f"{HEADER}terminated is 0 and truncated is 2"),
    ({"decisions": -3}, f"{HEADER}decisions is -3"),
    ({"reward": np.nan}, f"{HEADER}reward is [nan, nan]"),
    ({"mover": -1}, f"{HEADER}the game goes on, and nobody is to move"),
    ({"mover": -1, "terminated": 1}, f"{HEADER}the game is over, and reason is 0"),
    ({"reason": 2}, f"{HEADER}the game goes on, and reason is 2"),
]


@pytest.mark.parametrize(("written", "message"), IMPOSSIBLE)
def test_what_does_not_hold_of_a_record_is_told_with_its_number(
    written: dict[str, Any], message: str
) -> None:
    record = np.zeros(3, made().dtype)
    for field, number in written.items():
        record[field][1] = number
    assert broken_invariant(made(), record) == message
