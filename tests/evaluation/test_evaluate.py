"""Measuring one player, and the intervals of what was measured."""

from __future__ import annotations

import csv
import json
import math
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cyberdeck import Batch
from cyberdeck.api.registration import load_file
from cyberdeck.common.statistics import Mean, mean_of, points_of, wilson
from cyberdeck.engine.registry import variant
from cyberdeck.errors import OptionError
from cyberdeck.evaluation import Evaluation, evaluate
from cyberdeck.evaluation.evaluate import named, side_names
from tests.api.helpers import lowest
from tests.cases import EACH, label
from tests.engine.games import example
from tests.evaluation.test_match import Stopper
from tests.test_policies import Lowest

# --- intervals -----------------------------------------------------------------------------------


def test_wilson_by_known_answers() -> None:
    """Worked out with the formula by hand, and at the ends."""
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    # Not even rounding leaves the rate out: plots refuse intervals that end below their value.
    for trials in range(1, 600):
        assert wilson(trials, trials)[1] == 1.0
        assert wilson(0, trials)[0] == 0.0


def test_mean_of_by_known_answers() -> None:
    assert mean_of(np.array([1.0, 0, 1, 0]), np.array([7, 7, 8, 8])) == Mean(0.5, 0.5, 0.5)
    # Groups of one: the usual interval, 1.96 standard errors with n - 1.
    values = np.array([0.0, 1.0, 1.0, 1.0])
    mean = mean_of(values, np.arange(4))
    error = 1.959964 * values.std(ddof=1) / 2
    assert mean.value == 0.75
    assert (mean.low, mean.high) == pytest.approx((0.75 - error, 0.75 + error))
    # Everything twice is known no better.
    twice = mean_of(np.repeat(values, 2), np.repeat(np.arange(4), 2))
    assert (twice.value, twice.low, twice.high) == pytest.approx((mean.value, mean.low, mean.high))

    nothing = mean_of(np.zeros(0), np.zeros(0, np.int64))
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()
    one = mean_of(np.array([1.0, 0.0]), np.array([3, 3]))
    assert one == Mean(0.5, -math.inf, math.inf)


# --- evaluate ------------------------------------------------------------------------------------


def test_both_sides_of_every_deal_against_every_opponent() -> None:
    result = evaluate("hackthegrid", "heuristic", ["random", lowest], deals=30, seed=4)
    first_side, second_side = side_names(variant("hackthegrid"))
    assert [(record.opponent, record.side, record.games) for record in result.records] == [
        (opponent, side, games)
        for opponent in ("random", "lowest")
        for side, games in ((first_side, 30), (second_side, 30), ("both", 60))
    ]
    games = result.games
    for deal in range(30):
        on_deal = games.lineups[games.deals == deal].tolist()
        assert sorted(on_deal) == [[0, 1], [0, 2], [1, 0], [2, 0]]
    for record in result.records:
        assert record.wins + record.draws + record.losses + record.all_lose == record.games
    first, second, both = result.records[:3]
    assert both.wins == first.wins + second.wins
    assert both.all_lose == first.all_lose + second.all_lose
    assert both.points.value == pytest.approx((first.points.value + second.points.value) / 2)
    assert both.points.value > 0.8
    own = games.points()[(games.lineups[:, 0] == 0) & (games.lineups[:, 1] == 1), 0]
    assert first.points.value == own.mean()
    assert first.wins == (own == 1).sum()
    other = games.points()[(games.lineups[:, 1] == 0) & (games.lineups[:, 0] == 1), 1]
    assert second.points.value == other.mean()


def test_against_itself_the_sides_add_up_and_deals_are_paired() -> None:
    result = evaluate("hackthegrid", "random", ["random"], deals=40)
    both = result.records[-1]
    assert (result.player, both.opponent) == ("random", "random (2)")
    assert both.wins == both.losses
    # The same game twice on each deal: every pair brings the same, and nothing is left to doubt.
    sums = result.games.points().sum(axis=1)[np.argsort(result.games.deals)].reshape(40, 2)
    means = sums.mean(axis=1) / 2
    assert both.points.value == pytest.approx(means.mean())
    error = 1.96 * means.std(ddof=1) / 40**0.5
    assert both.points.high - both.points.value == pytest.approx(error, rel=1e-3, abs=1e-9)


def test_who_wins_or_loses_everything_is_not_beyond_doubt() -> None:
    deals = np.repeat(np.arange(20), 2)
    for value in (0.0, 1.0):
        mean = points_of(np.full(40, value), deals)
        low, high = wilson(int(20 * value), 20)  # by deals, not by games
        assert mean == Mean(value, low, high)
    assert points_of(np.array([1.0, 0, 1, 0]), np.array([7, 7, 8, 8])) == Mean(0.5, 0.5, 0.5)
    assert points_of(np.array([1.0, 0.5]), np.array([3, 3])) == Mean(0.75, 0.0, 1.0)


def test_a_shell_and_a_notebook_show_a_narrow_table() -> None:
    """With the names of the file, and not the arrays of all games."""
    result = evaluate("hackthegrid", lambda _, masks: masks.argmax(axis=1), ["random"], deals=3)
    assert repr(result) == f"HACKtheGRID, seed 0 (for choosing): <lambda>\n\n{result.table()}"
    shown = result._repr_html_()
    assert "<p>HACKtheGRID, seed 0 (for choosing): &lt;lambda&gt;</p>" in shown
    cells = " ".join(re.sub(r"<[^>]*>", " ", shown).split())
    assert cells.endswith(" ".join(result.table().replace("-", "").split()))
    assert repr(result.games) == "<6 games of HACKtheGRID: <lambda>, random>"
    kept = pickle.loads(pickle.dumps(replace(result, player="lowest")))
    assert repr(kept) == f"HACKtheGRID, seed 0 (for choosing): lowest\n\n{result.table()}"
    assert kept.records == result.records
    lines = result.table().splitlines()
    assert max(map(len, lines)) <= 100
    record = result.records[-1]
    cells = [cell.strip() for cell in lines[-1].split("  ") if cell]
    assert len(cells) == 9
    assert (cells[3], cells[8]) == (f"{100 * record.wins / 6:.1f}%", f"{record.decisions:.0f}")
    assert cells[7].startswith(f"{record.points.value:.3f} ({record.points.low:.3f} to ")


def test_teams_that_follow_options() -> None:
    """Two or three pairs, or everybody alone. The last seat is not on the last side."""
    game = load_file(Path(__file__).parent / "small_games.py")
    for name, options, sides in (
        (game.name, {"kind": "pairs"}, ["outer", "middle", "both"]),
        (game.name, {"kind": "triples"}, ["outer", "middle", "inner", "all"]),
        (game.name, {"kind": "alone"}, ["a", "b", "c", "d", "all"]),
        ("hovercrafts", {"ships": (1, 2)}, ["zion", "machines", "both"]),
    ):
        result = evaluate(name, "random", ["random"], deals=20, **options)
        assert [record.side for record in result.records] == sides
        assert sides[0] in result.table()
    batch = Batch(game.name, 60, kind="triples", seat="team", opponent="random", seed=0)
    assert set(batch.seat.tolist()) == {0, 1, 2}  # a side is known by its first seat
    with pytest.raises(OptionError, match="seat='inner' is not possible"):
        Batch(game.name, 1, kind="pairs", seat="inner")
    with pytest.raises(OptionError, match="has no teams: leave out ally"):
        gym.make(game.gym_id, kind="alone", ally="random")


def test_a_game_for_one_is_played_once_on_each_deal() -> None:
    result = evaluate("matrix_overload", "heuristic", deals=25, seed=1)
    (record,) = result.records
    assert (record.opponent, record.side, record.games) == ("-", "-", 25)
    assert record.wins == int(result.games.points().sum())
    assert result.games.deals.tolist() == list(range(25))
    metrics = [metric.name for metric in result.games.variant.game.metrics]
    assert list(result.metrics) == metrics
    for at, name in enumerate(metrics):
        assert result.metrics[name].value == pytest.approx(result.games.metrics[:, at].mean())
    table = result.table()
    assert "won" in table
    assert metrics[0] in table


def test_names() -> None:
    players = named(["random", "random", lowest, Lowest(), "some/where/best.safetensors"])
    assert list(players) == ["random", "random (2)", "lowest", "lowest (2)", "best"]
    assert players["best"] == "some/where/best.safetensors"
    guided = "search:iterations=9,network=some/where/best.safetensors"
    assert list(named([guided, "some/where/best.safetensors"])) == [guided, "best"]
    assert list(named(["a (2)", "a", "a"])) == ["a (2)", "a", "a (3)"]


@pytest.mark.parametrize("case", EACH, ids=label)
def test_json_and_csv_of_every_game(case: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    game, options = case
    result = evaluate(game, "heuristic", ["random"], deals=2, **options)
    result.save_json(tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    about = {"game", "game_version", "options", "players", "known_by", "version", "openings"}
    about |= {
        "seed",
        "reported",
        "reported_for",
        "interrupted",
        "voided",
        "failure",
        "counted",
        "measure",
    }
    figures = {"player", "records", "metrics", "games"}
    assert set(content) - {"quantiles"} == {"cyberdeck evaluation"} | about | figures
    assert next(iter(content)) == "cyberdeck evaluation"
    names = ("game", "player", "interrupted")
    assert [content[name] for name in names] == [game, "heuristic", False]
    assert set(content["options"]) == set(result.games.variant.options)
    result.save_csv(tmp_path / "r.csv")
    with (tmp_path / "r.csv").open() as file:
        lines = list(csv.DictReader(file))
    for record, written, line in zip(result.records, content["records"], lines, strict=True):
        points = record.points.value
        assert (written["wins"], written["points"]["value"]) == (record.wins, points)
        named = ("heuristic", record.opponent, record.side)
        assert (line["player"], line["opponent"], line["side"]) == named
        assert (int(line["games"]), float(line["points"])) == (record.games, points)
        assert float(line["points_low"]) <= points <= float(line["points_high"])
    assert len(result.table().splitlines()) >= 3


def constants(text: str) -> Any:
    raise AssertionError(f"{text} is no JSON")


def test_files_of_a_single_deal_and_of_no_games_are_json(tmp_path: Path) -> None:
    def written(result: Evaluation) -> Any:
        result.save_json(tmp_path / "r.json")
        result.save_csv(tmp_path / "r.csv")
        return json.loads((tmp_path / "r.json").read_text(), parse_constant=constants)

    single = evaluate("matrix_overload", "heuristic", deals=1)
    assert single.metrics["royals_killed"].high == math.inf
    assert written(single)["metrics"]["royals_killed"]["high"] is None
    assert "inf" in single.table()
    stopped = evaluate("hackthegrid", Stopper(3), ["random"], deals=4)
    assert [record.games for record in stopped.records] == [0, 0, 0]
    assert written(stopped)["interrupted"] is stopped.games.interrupted is True
    assert "nan" not in stopped.table()


def test_mistakes() -> None:
    with pytest.raises(OptionError, match="deals=0 is not possible"):
        evaluate("hackthegrid", "random", deals=0)
    with pytest.raises(OptionError, match="needs at least one"):
        evaluate("hackthegrid", "random", [])


def test_a_player_is_measured_in_disguise_as_well() -> None:
    told: list[int] = []
    result = evaluate(
        "hackthegrid", "heuristic", ["random"], deals=40, disguise=7, progress=told.append
    )
    plain = evaluate("hackthegrid", "heuristic", ["random"], deals=40)
    assert result.records == plain.records  # those of the game itself
    assert told[-1] == 160
    disguised = result.disguised
    assert disguised is not None
    assert (disguised.seed, disguised.games) == (7, 80)
    other = evaluate(variant("hackthegrid", disguise=7), "heuristic", ["random"], deals=40)
    gained = other.overall[0].points.value - plain.overall[0].points.value
    assert disguised.difference.value == pytest.approx(gained)
    assert "Disguise: the same 80 games in disguise 7 brought " in result.table()
    kuhn = example("kuhn_poker").name

    def nobody(observations: Any, masks: Any) -> Any:
        raise AssertionError("asked before it was refused")

    with pytest.raises(OptionError, match="cannot be disguised"):
        evaluate(kuhn, nobody, ["random"], disguise=7, observation="history")
