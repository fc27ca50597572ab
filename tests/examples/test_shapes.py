"""Games of other shapes than two who win and lose: by their rules once more, as plain loops over
lists; and how players of them are measured.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import cyberdeck
from cyberdeck import Batch, variant
from cyberdeck.api.registration import load_file
from cyberdeck.evaluation import evaluate, tournament
from cyberdeck.evaluation.tournament import every_seating, seatings
from cyberdeck.exact import Tree, uniform
from tests.engine.games import example

EMPTY = 0


@pytest.fixture(scope="module", autouse=True)
def _registered(_games_are_forgotten: None) -> None:
    for name in ("coin_bets", "twenty_forty_eight", "kuhn_for_many", "tandem_tictactoe"):
        example(name)


# --- 2048: one player, chance, a score ------------------------------------------------------------


def slid(row: list[int]) -> tuple[list[int], int]:
    """A row of numbers after it has slid to its beginning, and what that scores."""
    tiles, made, score = [tile for tile in row if tile], [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            score += tile
        made.append(tile)
    return made + [EMPTY] * (len(row) - len(made)), score


def after(grid: list[list[int]], name: str) -> tuple[list[list[int]], int]:
    """The grid after all have slid to that edge, and what that scores."""
    turned = np.transpose(grid).tolist() if name in ("up", "down") else grid
    back = slice(None, None, -1 if name in ("down", "right") else 1)
    rows = [slid(row[back]) for row in turned]
    found = [row[back] for row, _ in rows]
    if name in ("up", "down"):
        found = np.transpose(found).tolist()
    return found, sum(score for _, score in rows)


@pytest.mark.parametrize("side", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_2048_goes_by_the_rules(side: int) -> None:
    luck, new = random.Random(side), []
    for seed in range(30 if side == 2 else 5):
        batch = Batch("twenty_forty_eight", 1, seed=seed, side=side, autoreset="Disabled")
        total = 0

        def shown(batch: Batch = batch) -> list[list[int]]:
            powers = batch.observation[0].reshape(side, side).tolist()
            return [[2**power if power else EMPTY for power in row] for row in powers]

        assert np.count_nonzero(shown()) == 2
        while not batch.terminated[0]:
            grid = shown()
            possible = {name: after(grid, name) for name in ("up", "down", "left", "right")}
            legal = [name for name, (then, _) in possible.items() if then != grid]
            assert batch.mask[0].tolist() == [name in legal for name in possible]
            name = luck.choice(legal)
            batch.step([list(possible).index(name)])
            then, score = possible[name]
            assert batch.reward[0, 0] == score
            total += score
            now, was = np.array(shown()), np.array(then)
            ((row, column),) = np.argwhere(now != was)
            assert was[row, column] == EMPTY
            assert now[row, column] in (2, 4)
            new.append(now[row, column])
            stuck = all(after(now.tolist(), each)[0] == now.tolist() for each in possible)
            assert batch.terminated[0] == stuck
        assert batch.final_return[0, 0] == total
        assert batch.metrics[0].tolist() == [now.max()]
    if side > 2:
        assert 0.05 < np.mean(np.array(new) == 4) < 0.16


# --- coin bets: fractions, and numbers beyond 127 -------------------------------------------------


def test_coin_bets_go_by_the_rules() -> None:
    """As a plain loop has it in NumPy's float32, of which the record and the observation are."""
    luck, heads, ended, seen = random.Random(1), [], set(), []
    for seed in range(12):
        batch = Batch("coin_bets", 1, seed=seed, flips=140, autoreset="Disabled")
        money, left = np.float32(25), 140
        while not batch.terminated[0]:
            assert batch.observation.dtype == np.float32
            assert batch.observation[0].tolist() == [money, left]
            tenths = luck.choice([0, 1, 1, 2, 3, 10 if luck.random() < 0.03 else 2])
            batch.step([tenths])
            bet = float(money) * tenths / 10
            now = [np.float32(min(float(money) + won, 250)) for won in (-bet, bet)]
            heads += [batch.observation[0, 0] == now[1]] if tenths else []
            assert batch.observation[0, 0] in now
            money, left = batch.observation[0, 0], left - 1
            seen.append(money)
            over = "broke" if money == 0 else "paid_out" if money == 250 else None
            over = over or ("all_flipped" if left == 0 else None)
            assert (over is not None) == batch.terminated[0]
        ended.add(batch.reasons[batch.reason[0]])
        assert over == batch.reasons[batch.reason[0]]
        assert batch.final_return[0, 0] == money
    assert ended == {"broke", "paid_out", "all_flipped"}
    assert 0.56 < np.mean(heads) < 0.64
    assert any(money != int(money) for money in seen)
    assert 127 < max(seen) <= 250


def test_one_player_is_measured_by_the_score(tmp_path: Path) -> None:
    assert Batch("coin_bets", 1, seed=0).choose("heuristic") == 2
    result = evaluate("coin_bets", "heuristic", deals=15, flips=10)
    scores = result.games.returns[:, 0]
    (record,) = result.records
    assert result.measure == "reward"
    assert record.reward.value == pytest.approx(scores.mean())
    assert np.isnan(record.points.value)
    assert result.quantiles[50] == pytest.approx(np.median(scores))
    table = result.table()
    assert not any(each in table for each in ("won", "win"))
    assert all(each in table for each in ("median", "dollars", "mean score"))
    result.save_json(tmp_path / "r.json")
    kept = json.loads((tmp_path / "r.json").read_text())
    assert kept["measure"] == "reward"
    assert not {"wins", "points"} & kept["records"][0].keys()
    result.save_csv(tmp_path / "r.csv")
    assert "wins" not in (tmp_path / "r.csv").read_text()


# --- Kuhn poker for many: three and more seats, hidden cards, money -------------------------------


def test_kuhn_poker_for_many_has_the_known_figures() -> None:
    """All that two and three gain by best responses to uniform play, as OpenSpiel has it.

    ``tests/api/test_openspiel_games.py`` plays them beside OpenSpiel's own.
    """
    for players, known in ((2, 11 / 12), (3, 33 / 16)):
        gains = Tree(variant("kuhn_for_many", players=players)).best_responses(uniform).gains
        assert sum(gains) == pytest.approx(known, abs=1e-12)


def test_money_is_measured_by_the_mean_reward() -> None:
    result = evaluate("kuhn_for_many", "random", ["random"], deals=4)
    assert [record.side for record in result.records] == ["player 1", "player 2", "player 3", "all"]
    assert [record.side for record in result.overall] == ["all"]
    head = result.table().splitlines()[0]
    assert "reward" in head
    assert not any(each in head for each in ("points", "win"))
    met = tournament("kuhn_for_many", ["random"] * 4, deals=2)
    assert met.ratings is None
    assert len(met.games) == 2 * 24
    assert "rating" not in met.table().splitlines()[0]
    # What is paid is won by others: all that four who met got is nothing.
    got = np.zeros(4)
    np.add.at(got, met.games.lineups, met.games.gains())
    assert got.sum() == pytest.approx(0, abs=1e-4)


# --- seatings and shares --------------------------------------------------------------------------


def test_everybody_sits_everywhere() -> None:
    for players, sides in ((3, 2), (3, 3), (5, 3), (4, 4), (2, 3), (2, 4), (9, 5)):
        found = np.array(seatings(players, sides))
        assert len(np.unique(found, axis=0)) == len(found)
        for side in range(sides):
            counts = np.bincount(found[:, side], minlength=players)
            assert (counts == len(found) / players).all()
    assert not every_seating(9, 5)
    assert len(seatings(2, 3)) == 6


@pytest.fixture(scope="module")
def takers() -> cyberdeck.Variant:
    """For three: strength and luck decide, and ties are common."""
    file = Path(__file__).parents[1] / "evaluation" / "small_games.py"
    return variant(load_file(file).name, kind="takers")


def test_equal_players_get_equal_shares(takers: cyberdeck.Variant) -> None:
    """Of each deal, over all seats: exactly a third, ties included."""
    result = evaluate(takers, "random", ["random"], deals=8)
    assert result.overall[0].points.value == pytest.approx(1 / 3, abs=1e-12)
    met = tournament(takers, [_always(1)] * 3, deals=6)
    for player in range(3):
        points = met.games.points()[met.games.lineups == player]
        assert points.mean() == pytest.approx(1 / 3, abs=1e-12)
    assert met.ratings is not None
    assert met.ratings.values == pytest.approx(np.zeros(3), abs=1e-6)


def test_ratings_of_three_tell_who_is_stronger(takers: cyberdeck.Variant) -> None:
    """Always the best of three tries, the best of two, one try; who is best wins most."""
    players = [_always(action) for action in (2, 1, 0)]
    met = tournament(takers, players, deals=30)
    assert met.ratings is not None
    best, middle, worst = met.ratings.values
    assert best > middle + 30 > worst + 60
    assert met.ranking() == [0, 1, 2]
    points = [met.games.points()[met.games.lineups == at].mean() for at in range(3)]
    assert sum(points) == pytest.approx(1, abs=1e-12)
    assert points[0] > points[1] > points[2]


def _always(action: int) -> object:
    def decide(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.full(len(mask), action)

    decide.__name__ = f"always {action}"
    return decide


# --- tandem tic-tac-toe: teams of two -------------------------------------------------------------


@pytest.mark.slow
def test_tandem_tictactoe_goes_by_the_rules() -> None:
    luck, ends = random.Random(5), set()
    cells = [(row, column) for row in range(4) for column in range(4)]
    steps = {"across": (0, 1), "down": (1, 0), "diagonal": (1, 1), "other": (1, -1)}
    fours = [
        {(row + at * down, column + at * right) for at in range(4)}
        for row, column in cells
        for down, right in steps.values()
    ]
    fours += [
        {(row, column), (row + 1, column), (row, column + 1), (row + 1, column + 1)}
        for row, column in cells
    ]
    fours = [each for each in fours if each <= {*cells}]
    assert len(fours) == 4 + 4 + 2 + 9
    for seed in range(100):
        batch = Batch("tandem_tictactoe", 1, seed=seed, autoreset="Disabled")
        marks: list[set[tuple[int, int]]] = [set(), set()]
        for turn in range(16):
            assert batch.mover[0] == turn % 4
            free = [cell for cell in cells if cell not in marks[0] | marks[1]]
            assert batch.mask[0].tolist() == [cell in free for cell in cells]
            cell = luck.choice(free)
            team = turn % 2
            marks[team].add(cell)
            batch.step([cells.index(cell)])
            for seat in range(4):
                own, theirs = marks[seat % 2], marks[1 - seat % 2]
                seen = [int(each in of) for of in (own, theirs) for each in cells]
                assert batch.look(0, seat)[0].ravel().tolist() == seen
            won = any(four <= marks[team] for four in fours)
            assert bool(batch.terminated[0]) == (won or turn == 15)
            if batch.terminated[0]:
                got = [(1 if seat % 2 == team else -1) if won else 0 for seat in range(4)]
                assert batch.final_return[0].tolist() == got
                ends.add(won)
                break
    assert ends == {True, False}


@pytest.mark.slow
def test_teams_are_measured_by_sides() -> None:
    result = evaluate("tandem_tictactoe", lambda _, mask: mask.argmax(axis=1), ["random"], deals=10)
    assert [record.side for record in result.records] == ["crosses", "noughts", "both"]
    assert result.records[-1].points.value > 0.6
