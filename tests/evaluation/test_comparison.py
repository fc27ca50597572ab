"""Two players compared, openings, and results that are read again and merged."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import cyberdeck
from cyberdeck.api.registration import load_file
from cyberdeck.errors import OptionError, ResultError
from cyberdeck.evaluation import (
    Comparison,
    Evaluation,
    Tournament,
    evaluate,
    match,
    merge,
    reporting_seed,
    tournament,
)
from tests.api.helpers import lowest
from tests.evaluation.test_match import games_with
from tests.playing.helpers import EXAMPLES


def highest(observations: NDArray[Any], masks: NDArray[Any]) -> NDArray[Any]:
    """Without chance, as ``lowest``."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.fixture(scope="module", autouse=True)
def _small_games() -> None:
    for name in ("kuhn_poker", "kuhn_for_many", "tictactoe"):
        load_file(EXAMPLES / f"{name}.py")


# --- the difference ------------------------------------------------------------------------------


def test_the_interval_is_that_of_the_means_of_deals() -> None:
    result = cyberdeck.match("hackthegrid", "heuristic", "random", deals=80, seed=3)
    games = result.games
    more = []
    for deal in range(80):
        of_deal = np.flatnonzero(games.deals == deal)
        assert sorted(games.lineups[of_deal].tolist()) == [[0, 1], [1, 0]]
        points = games.points()[of_deal]
        own = games.lineups[of_deal] == 0
        more.append(points[own].mean() - points[~own].mean())
    middle, error = np.mean(more), stats.sem(more)
    low, high = stats.norm.interval(0.95, middle, error)
    assert result.difference.value == pytest.approx(middle)
    assert (result.difference.low, result.difference.high) == pytest.approx((low, high), abs=1e-6)
    better = sum(each > 0 for each in more)
    worse = sum(each < 0 for each in more)
    assert result.deals == {"better": better, "equal": 80 - better - worse, "worse": worse}
    assert games.distinct == len(games) == 160


def test_known_differences() -> None:
    """By hand: a wins both, a draw and a loss, and a deal that was not finished."""
    ended = [
        *((0, 0, 1, (1, -1)), (0, 1, 0, (-1, 1))),
        *((1, 0, 1, (0, 0)), (1, 1, 0, (1, -1))),
        *((2, 0, 1, (1, -1)), (2, 1, 0, (1, -1))),
        (3, 0, 1, (1, -1)),
    ]
    result = Comparison(games_with(("a", "b"), ended, interrupted=True))
    assert result.deals == {"better": 1, "equal": 1, "worse": 1}
    middle, error = stats.tmean([1, -0.5, 0]), stats.sem([1, -0.5, 0])
    assert result.difference.value == pytest.approx(middle)
    assert result.difference.high == pytest.approx(min(1, middle + 1.959964 * error))
    assert "a against b" in result.table()
    # Who wins everything is not better beyond doubt.
    sure = Comparison(games_with(("a", "b"), ended[:2]))
    assert -1 < sure.difference.low < sure.difference.value == 1


@pytest.mark.parametrize(
    ("game", "seated"), [("matrix_overload", 2), ("kuhn_for_many", 6), ("hovercrafts", 2)]
)
def test_both_players_sit_everywhere(game: str, seated: int) -> None:
    result = match(game, "random", "random", deals=6)
    games, own = result.games, result.games.lineups == 0
    assert len(games) == 6 * seated
    assert own.sum() * 2 == own.size
    for deal in range(6):
        assert (own[games.deals == deal].sum(axis=0) * 2 == seated).all()
    assert -1 <= result.difference.value <= 1 or result.measure == "reward"
    assert sum(result.deals.values()) == 6


def test_files_and_tables_of_a_comparison(tmp_path: Path) -> None:
    result = match("hackthegrid", "heuristic", "search:iterations=10", deals=10)
    result.save_csv(tmp_path / "r.csv")
    head, line = (tmp_path / "r.csv").read_text().splitlines()
    assert dict(zip(head.split(","), line.split(","), strict=True))["distinct"] == "20"
    assert all(len(row) <= 80 for row in result.table(80).splitlines())
    assert repr(result).startswith("HACKtheGRID, seed 0 (for choosing): heuristic against search:")


# --- the same game again -------------------------------------------------------------------------


def test_players_without_chance_play_one_game_on_one_deal() -> None:
    result = match("tictactoe", lowest, highest, deals=40)
    assert len(result.games) == 80
    assert result.games.distinct == 2
    assert sum(result.deals.values()) == 1
    once = match("tictactoe", lowest, highest, deals=1)
    assert result.difference == once.difference
    assert not once.games.repeats.any()
    assert re.search(r"Only 2 of the 80 games\s+differ", result.table())
    assert "openings=N" in result.table()
    record, lone = (
        evaluate("tictactoe", lowest, [highest], deals=deals).records[-1] for deals in (40, 1)
    )
    assert (record.games, lone.games) == (80, 2)
    assert record.points == lone.points
    rated, alone = (
        tournament("tictactoe", [lowest, highest, "random"], deals=deals) for deals in (40, 1)
    )
    assert rated.pairings[0].points == alone.pairings[0].points
    assert rated.games.repeats.sum() == 2 * 39


def test_chance_makes_each_game_count() -> None:
    # Both the players' and the game's: what comes out alike is no repetition.
    by_players = match("kuhn_poker", "random", "random", deals=100)
    assert by_players.games.distinct < 100
    assert not by_players.games.repeats.any()
    assert sum(by_players.deals.values()) == 100
    # Six deals are all there are; whoever plays them without chance has played all.
    few = match("kuhn_poker", lowest, highest, deals=100)
    assert few.games.distinct == 12
    assert sum(few.deals.values()) == 6
    assert not match("hackthegrid", lowest, highest, deals=50).games.repeats.any()


def test_dice_that_are_thrown_later_make_games_differ() -> None:
    load_file(EXAMPLES / "coin_bets.py")
    result = evaluate("coin_bets", lowest, deals=20)
    assert not result.games.repeats.any()


# --- openings ------------------------------------------------------------------------------------


def test_openings_are_the_same_in_all_games_of_a_deal_and_make_deals_differ() -> None:
    result = match("tictactoe", lowest, highest, deals=60, openings=4, keep_actions=True)
    games = result.games
    begun = {
        deal: {tuple(games.actions[at][:4]) for at in np.flatnonzero(games.deals == deal)}
        for deal in range(60)
    }
    assert {len(each) for each in begun.values()} == {1}
    assert len(set.union(*begun.values())) > 50
    assert games.distinct > 100
    assert all(len(games.actions[at]) == games.lengths[at] for at in range(len(games)))
    assert games.replay(0).played().reason  # the rules play it
    # And in any match on these deals; other seeds begin otherwise.
    other = evaluate(
        "tictactoe", "random", [lowest, "random"], deals=60, openings=4, keep_actions=True
    ).games
    for at, deal in enumerate(other.deals.tolist()):
        assert {tuple(other.actions[at][:4])} == begun[deal]
    again = match("tictactoe", lowest, highest, deals=60, openings=4, seed=1).games
    assert set(again.beginnings) != set(games.beginnings)
    assert "Each game began with 4 random decisions" in result.table()


def test_openings_that_end_a_game_are_refused() -> None:
    with pytest.raises(OptionError, match="a game ends before a player decides"):
        match("tictactoe", "random", "random", deals=50, openings=8)
    for wrong in (-1, 1.5):
        with pytest.raises(OptionError, match="openings="):
            match("tictactoe", "random", "random", deals=1, openings=wrong)  # type: ignore[arg-type]


# --- files, and results of several machines ------------------------------------------------------


def results(deals: Any, seed: Any = 0) -> list[Any]:
    how: dict[str, Any] = {"deals": deals, "seed": seed, "openings": 2}
    return [
        match("hackthegrid", "heuristic", "random", **how),
        evaluate("hackthegrid", "heuristic", ["random", "search:iterations=3"], **how),
        evaluate("matrix_overload", "heuristic", **how),
        tournament("hackthegrid", ["random", "heuristic", "search:iterations=2"], **how),
    ]


def test_files_are_read_again(tmp_path: Path) -> None:
    for seed in (3, reporting_seed("heuristic", "2026-11-24")):
        for result in results(8, seed):
            result.save_json(tmp_path / "a.json")
            again = type(result).load(tmp_path / "a.json")
            assert repr(again) == repr(result)
            again.save_json(tmp_path / "b.json")
            assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def test_merged_results_are_those_of_one_run(tmp_path: Path) -> None:
    parts = [results(deals) for deals in (range(5, 9), range(5), range(9, 12))]
    for whole, *of_it in zip(results(12), *parts, strict=True):
        of_it[0].save_json(tmp_path / "first.json")
        merged = merge(type(whole).load(tmp_path / "first.json"), *of_it[1:])
        for at, result in enumerate((whole, merged)):
            result.save_json(tmp_path / f"{at}.json")
            result.save_csv(tmp_path / f"{at}.csv")
        for ending in ("json", "csv"):
            assert len({(tmp_path / f"{at}.{ending}").read_bytes() for at in (0, 1)}) == 1


def test_what_does_not_fit_is_not_merged(tmp_path: Path) -> None:
    def measured(player: Any = "random", deals: Any = 4, **how: Any) -> Evaluation:
        return evaluate("hackthegrid", player, ["heuristic"], deals=deals, **how)

    first = measured()
    with pytest.raises(ResultError, match=re.escape("deals [2, 3] is not possible: they are in")):
        merge(first, measured(deals=range(2, 6)))
    others = {
        "players": measured("search:iterations=1", range(4, 8)),
        "options": measured(deals=range(4, 8), scramble="at_end"),
        "openings": measured(deals=range(4, 8), openings=1),
        "seed": measured(deals=range(4, 8), seed=1),
        "version": replace(first, games=replace(first.games, version="0.0.1")),
        "known_by": replace(first, games=replace(first.games, known_by=("a", "heuristic"))),
    }
    reported = measured(deals=range(4, 8), seed=reporting_seed("random", "2026-11-24"))
    for name, other in [*others.items(), ("seed", reported)]:
        with pytest.raises(ResultError, match=f"^{name} .*in the first result it is"):
            merge(first, other)
    with pytest.raises(ResultError, match="of one kind"):
        merge(first, match("hackthegrid", "random", "heuristic", deals=4))  # type: ignore[type-var]
    disguised = measured(deals=range(4, 8), disguise=3)
    disguised.save_json(tmp_path / "d.json")
    for refused in (lambda: merge(first, disguised), lambda: Evaluation.load(tmp_path / "d.json")):
        with pytest.raises(ResultError, match="disguise"):
            refused()


def test_damaged_files_say_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    evaluate("hackthegrid", "random", deals=2).save_json(path)
    right = json.loads(path.read_text())
    with pytest.raises(ResultError, match='begins with "cyberdeck tournament": 1'):
        Tournament.load(path)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"cyberdeck evaluation": 2}, "this cyberdeck reads 1"),
        ({"game_version": 7}, "game_version 7 is not possible: here it is 0"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"options": {"scramble": "no"}}, "scramble='no' is not possible"),
        ({"players": 3}, "damaged"),
        ({"players": ["a", "b", "c\x1b[2J"]}, "players ['a', 'b', 'c"),
        ({"version": 1}, "version 1 is not possible: here it is '1'"),
        ({"games": {**right["games"], "lineups": [[0, 9]] * 8}}, "games: lineups"),
        ({"games": {**right["games"], "lengths": [1]}}, "games: lengths"),
        ({"games": {}}, "damaged"),
    ]
    for entries, message in wrong:
        path.write_text(json.dumps({**right, **entries}))
        with pytest.raises(ResultError, match=re.escape(message)):
            Evaluation.load(path)
    path.write_text("{")
    with pytest.raises(ResultError, match=r"a\.json: it is damaged, or was cut off"):
        Evaluation.load(path)
