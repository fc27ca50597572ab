"""Tournaments: who meets whom, what is counted, what is shown and saved."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cyberdeck import OptionError, variant
from cyberdeck.evaluation import tournament
from cyberdeck.evaluation.tournament import Tournament, of_games
from tests.api.helpers import lowest
from tests.evaluation.test_evaluate import constants
from tests.evaluation.test_match import games_with

WIN, LOSS, DRAW, NONE_WON = (1, -1), (-1, 1), (0, 0), (-1, -1)


#: b beats a twice and loses once, they draw, and both lose; b beats c once and loses once.
ENDED = [
    (0, 0, 1, LOSS),
    (0, 1, 0, WIN),
    (1, 0, 1, WIN),
    (1, 1, 0, DRAW),
    (2, 1, 0, NONE_WON),
    (0, 1, 2, WIN),
    (0, 2, 1, WIN),
]


def met(players: str, ended: Any = ENDED, anchor: str | None = None, **how: Any) -> Tournament:
    """The tournament that such games make, as in ``games_with``."""
    return of_games(games_with(tuple(players.split()), ended, **how), anchor)


def test_pairings_count_what_happened_on_both_sides() -> None:
    result = met("a b c")
    found = result.pairings[0]
    assert (found.player, found.opponent, found.games) == ("a", "b", 5)
    assert (found.wins, found.draws, found.losses, found.all_lose) == (1, 1, 2, 1)
    assert found.points.value == pytest.approx(1.5 / 5)
    assert found.opponent_points.value == pytest.approx(2.5 / 5)
    assert result.pairings[1].games == 0
    points, low, high = result.points()
    assert points[1] == pytest.approx([0.5, np.nan, 0.5], nan_ok=True)
    assert np.isnan([points[0, 2], points[2, 0], *points.diagonal()]).all()
    assert 0 <= low[0, 1] < points[0, 1] < high[0, 1] <= 1


def test_intervals_come_from_the_deals() -> None:
    """Whoever begins wins: each deal says the same, one half."""
    result = met("a b", [(d, i, 1 - i, WIN) for d in range(30) for i in (0, 1)])
    assert [array[0, 1] for array in result.points()] == pytest.approx([0.5, 0.5, 0.5])
    assert result.ratings is not None
    assert result.ratings.values == pytest.approx([0, 0], abs=1e-6)
    assert result.ratings.high == pytest.approx([0, 0], abs=1e-6)


def test_ratings_take_draws_and_games_that_both_lose_as_ties() -> None:
    ended = [(d, 0, 1, how) for d, how in enumerate([WIN] * 30 + [LOSS] * 10 + [DRAW] * 20)]
    none_won = [(d, i, j, NONE_WON if how == DRAW else how) for d, i, j, how in ended]
    drawn, lost = (met("a b", each, "b").ratings for each in (ended, none_won))
    assert drawn is not None
    assert lost is not None
    assert drawn.values[0] == pytest.approx(400 * np.log10(3), rel=0.02)
    assert lost.values == pytest.approx(drawn.values)
    assert lost.ties == pytest.approx(20 / np.sqrt(300), rel=0.05)


def test_the_anchor_is_random_or_the_first_or_the_one_named() -> None:
    assert met("a random c").anchor == "random"
    assert met("a b c").anchor == "a"
    named = met("a b c", anchor="c")
    assert named.ratings is not None
    assert named.ratings.values[2] == 0


@pytest.mark.parametrize(("count", "one_order"), [(7, False), (33, True)])
def test_that_there_are_too_many_orders_is_said_only_then(count: int, one_order: bool) -> None:
    ended = [(0, *pair, WIN) for n in range(count - 1) for pair in ((n, n + 1), (n + 1, n))]
    notes = met(" ".join(f"p{number}" for number in range(count)), ended).notes()
    assert any("in the turns of one order" in note for note in notes) == one_order


def test_the_tables_rank_everybody() -> None:
    ended = [(d, i, 1 - i, LOSS if i else WIN) for d in range(9) for i in (0, 1)]
    ended += [(9, 0, 1, LOSS), (9, 1, 0, NONE_WON)]
    shown = met("strong random", ended).table().splitlines()
    head = "player rating 95% interval games points win draw loss all lose"
    assert shown[0].split() == head.split()
    first = shown[2].split()
    assert first[:2] == ["1.", "strong"]
    assert first[-4:] == ["90.0%", "0.0%", "5.0%", "5.0%"]
    assert "20" in first
    assert shown[3].split()[:4] == ["2.", "random", "0", "anchor"]
    assert shown[5].split() == ["points", "against", "1.", "2."]
    assert shown[7].split()[:4] == ["1.", "strong", "-", "0.90"]
    assert "Both lost 5.0% of the games" in shown[-1]
    without_limit = " ".join(met("a b", [(d, 0, 1, WIN) for d in range(9)]).table().split())
    assert "-inf to" in without_limit
    assert "rating is from that of a" in without_limit


@pytest.mark.parametrize("ended", [ENDED[:5], []])
def test_what_an_interrupted_tournament_has_finished_is_shown(
    ended: list[Any], tmp_path: Path
) -> None:
    result = met("a b c", ended, interrupted=True)
    assert result.ratings is None
    shown = result.table()
    assert "Interrupted" in shown
    assert "No ratings" in shown
    assert "No ratings" in result._repr_html_()
    assert "HACKtheGRID, interrupted: " in repr(result.games)
    result.save_json(tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["ratings"] is None
    with pytest.raises(OptionError, match="no ratings"):
        result.plot_ratings(tmp_path / "ratings.svg")
    assert met("a b c", ENDED[:5], interrupted=True).ranking() == [1, 0, 2]  # by points
    with pytest.raises(OptionError, match="no games connect"):
        met("a b c", ended)


def test_saved_figures_are_those_of_the_result(tmp_path: Path) -> None:
    result = met("a b c")
    result.save_csv(tmp_path / "result.csv")
    with (tmp_path / "result.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    pairs = [(line["player"], line["opponent"]) for line in lines]
    assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    assert (lines[0]["wins"], lines[0]["losses"], lines[0]["all_lose"]) == ("1", "2", "1")
    assert float(lines[0]["opponent_points_high"]) == result.pairings[0].opponent_points.high
    result.save_json(tmp_path / "result.json")
    saved = json.loads((tmp_path / "result.json").read_text(), parse_constant=constants)
    assert saved["game"] == "hackthegrid"
    assert saved["options"]["scramble"] == variant("hackthegrid").options["scramble"]
    assert saved["ratings"][0] == {"player": "a", "value": 0, "low": 0, "high": 0}
    assert saved["points"][0] == [None, pytest.approx(0.3), None]
    assert saved["pairings"][0]["points"]["value"] == pytest.approx(0.3)


def test_everybody_meets_everybody_on_both_sides_of_the_same_deals() -> None:
    told: list[int] = []
    players = ["random", "heuristic", lowest, "heuristic"]
    result = tournament("hackthegrid", players, deals=20, seed=3, progress=told.append)
    assert result.players == ("random", "heuristic", "lowest", "heuristic (2)")
    played = result.games
    met = {tuple(line) for line in np.column_stack([played.deals, played.lineups]).tolist()}
    assert met == {(d, i, j) for d in range(20) for i in range(4) for j in range(4) if i != j}
    assert len(met) == len(played) == told[-1] == 20 * 4 * 3
    # The same games whoever plays beside, and whatever is rewarded.
    how = {"reward": "margin", "anchor": "random"}
    two = tournament("hackthegrid", ["heuristic", "random"], deals=20, seed=3, **how)
    pairing = two.pairings[0]
    assert (pairing.wins, pairing.losses) == (result.pairings[0].losses, result.pairings[0].wins)
    assert two.ranking() == [0, 1]
    assert set(result.ranking()[:2]) == {1, 3}


def test_an_anchor_that_does_not_play_is_refused() -> None:
    """Of other mistakes ``refusals.txt`` has the words."""
    with pytest.raises(OptionError, match="anchor='me'"):
        tournament("hackthegrid", ["random", "heuristic"], anchor="me")
