"""Symmetries that games declare are ones, and ``check`` says of others why they are not."""

import dataclasses

import numpy as np
import pytest

import cyberdeck
from cyberdeck import OptionError, Symmetry
from cyberdeck.engine.symmetry import Exchange
from cyberdeck.testing import check
from cyberdeck.testing.mirrored import wrong_symmetry
from cyberdeck.testing.playing import RandomPlay
from cyberdeck.testing.twins import Twins
from tests.engine.games import example

EMPTY = -1

#: How many symmetries there are: in Hovercrafts only without a choice of where ships begin.
DECLARED = [
    ("hackthegrid", {}, 3),
    ("hackthegrid", {"scramble": "at_end"}, 3),
    ("matrix_overload", {}, 4),
    ("matrix_overload", {"edition": "rulebook"}, 4),
    ("stacktrices", {}, 2),
    ("stacktrices", {"stacked_movement": True, "steal_on_attack": True, "setup": "random"}, 2),
    ("stacktrices", {"first": 0}, 1),
    ("hovercrafts", {}, 0),
    ("hovercrafts", {"deployment": "random"}, 1),
    ("hovercrafts", {"deployment": "random", "scenario": "tunnels"}, 1),
    ("hovercrafts", {"deployment": "random", "ships": (2, 2)}, 0),
]


@pytest.mark.parametrize(("name", "options", "count"), DECLARED)
def test_the_games_symmetries_are_ones(name, options, count):
    chosen = cyberdeck.variant(name, **options)
    assert len(chosen.symmetries) == count
    for each in chosen.symmetries:
        assert wrong_symmetry(chosen, each, seed=7, decisions=2_000, games=64) is None


def test_one_after_another_is_a_symmetry_as_well():
    chosen = cyberdeck.variant("hackthegrid")
    columns, turned, hackers = chosen.symmetries
    together = hackers.then(columns).then(turned).then(hackers)
    assert wrong_symmetry(chosen, together, seed=0, decisions=2_000, games=64) is None
    assert together.seats.tolist() == [0, 1]
    assert together.actions[0, :4].tolist() == [0, 1, 2, 3]  # what is left is of the row hacker
    assert together.actions[1, :4].tolist() == [2, 1, 3, 0]


TURNED = [6, 3, 0, 7, 4, 1, 8, 5, 2]  # by a quarter: the cell whose mark each cell gets


def turn(records):
    records["board"] = records["board"][:, TURNED]


def mirror(records):
    records["board"] = records["board"].reshape(-1, 3, 3)[:, :, ::-1].reshape(-1, 9)


def exchange(records):
    board = records["board"]
    records["board"] = np.where(board == EMPTY, EMPTY, 1 - board)


def nothing(records):
    """Change no field."""


@pytest.fixture(scope="module")
def tictactoe():
    return cyberdeck.variant(example("tictactoe").name)


def test_the_eight_of_the_square_and_the_sides(tictactoe):
    turned = Symmetry(name="turned", apply=turn, actions=[TURNED.index(cell) for cell in range(9)])
    mirrored = Symmetry(name="mirrored", apply=mirror, actions=[2, 1, 0, 5, 4, 3, 8, 7, 6])
    exchanged = Symmetry(name="exchanged", apply=exchange, seats=[1, 0])
    exchanges = [Exchange.of(each, 2, 9) for each in (turned, mirrored, exchanged)]
    for each in exchanges:
        assert wrong_symmetry(tictactoe, each, seed=0, decisions=60) is None
    found, new = set(), exchanges[:1]
    while new:
        one = new.pop()
        if (key := tuple(one.actions[0])) not in found:
            found.add(key)
            new += [one.then(each) for each in exchanges]
    assert len(found) == 8


def test_check_plays_images(monkeypatch):
    for kind in (RandomPlay, Twins):
        monkeypatch.setattr(kind, "run", lambda *_: None)
    game = dataclasses.replace(
        example("tictactoe"), symmetries=[Symmetry(name="none", apply=turn, actions=range(9))]
    )
    cyberdeck.register(game)
    report = check("tictactoe", decisions=60)
    cyberdeck.register(example("tictactoe"))
    assert report.failed == ["symmetries"]
    assert "'none' is none: " in str(report)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"apply": nothing, "actions": [0] * 9}, "'x': actions: .* each number from 0 to 8 once"),
        ({"apply": nothing, "actions": [range(9)] * 3}, "actions are of 3 seats, and there are 2"),
        ({"apply": None}, "give a function of an array of records"),
        ({"apply": 3}, "give a function of an array of records"),
    ],
)
def test_a_declaration_that_is_impossible_is_refused(given, says):
    with pytest.raises(OptionError, match=says):
        Exchange.of(Symmetry(name="x", **given), 2, 9)


def raising(records):
    records["bord"] = 0


def filled(records):
    records["board"] = 7


@pytest.mark.parametrize(
    ("given", "says"),
    [
        # The board stays as it is, and so three in a row come about elsewhere.
        ({"apply": turn, "actions": range(9)}, ["another in the image"]),
        ({"apply": nothing, "seats": [1, 0]}, ["(seed "]),
        (
            {"apply": nothing, "actions": [1, 2, 3, 4, 5, 6, 7, 8, 0]},
            ["what is legal is another in the image: ", "which it becomes", "(seed 0, after the"],
        ),
        ({"apply": raising}, ["bord"]),
        ({"apply": filled}, ["the image is no possible position", "board[0] is 7"]),
    ],
)
def test_check_says_why_a_symmetry_is_none(tictactoe, given, says):
    exchange = Exchange.of(Symmetry(name="such", **given), 2, 9)
    said = str(wrong_symmetry(tictactoe, exchange, seed=0, decisions=150))
    assert said.startswith("symmetries: 'such' is none: ")
    assert all(each in said for each in says), said
