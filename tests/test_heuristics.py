"""The built-in heuristics: clearly better than random, honest, and without side effects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from tests.cases import EACH, label
from tests.play import kernels_of


def finished(game: str, player: str, games: int, **options: Any) -> Batch:
    """One whole game in each row."""
    batch = Batch(game, games, seed=1234, autoreset="disabled", **options)
    while (batch.mover >= 0).any():
        batch.step(batch.choose(player))
    return batch


@pytest.mark.parametrize("edition", ["firewall", "royals", "rulebook"])
def test_matrix_overload_heuristic_kills_many_royals(edition: str) -> None:
    """At least 6 on average is asked for; random play kills fewer than 5 in these editions."""
    sensible = finished("matrix_overload", "heuristic", 400, edition=edition).final_metrics[:, 0]
    chance = finished("matrix_overload", "random", 400, edition=edition).final_metrics[:, 0]
    assert sensible.mean() > 10
    assert sensible.mean() > chance.mean() + 4


@pytest.mark.parametrize("scramble", ["on_take", "at_end"])
@pytest.mark.parametrize("seat", [0, 1])
def test_hackthegrid_heuristic_beats_random(scramble: str, seat: int) -> None:
    batch = Batch(
        "hackthegrid",
        400,
        seed=99,
        seat=seat,
        opponent="random",
        autoreset="disabled",
        scramble=scramble,
    )
    while (batch.mover >= 0).any():
        batch.step(batch.choose("heuristic"))
    own, other = batch.final_return[:, seat], batch.final_return[:, 1 - seat]
    wins, losses = int((own > other).sum()), int((own < other).sum())
    assert wins / (wins + losses) > 0.9
    assert wins > 250


@pytest.mark.parametrize(
    "options",
    [{}, {"steal_on_attack": True}, {"stacked_movement": True}, {"setup": "random"}],
    ids=str,
)
@pytest.mark.parametrize("seat", [0, 1])
def test_stacktrices_heuristic_beats_random(options: dict[str, Any], seat: int) -> None:
    """At least 90% of the points are asked for; it wins nearly always."""
    batch = Batch(
        "stacktrices", 200, seed=99, seat=seat, opponent="random", autoreset="disabled", **options
    )
    while (batch.mover >= 0).any():
        batch.step(batch.choose("heuristic"))
    points = (1 + batch.final_return[:, seat]) / 2
    assert points.mean() > 0.95


def test_stacktrices_heuristic_brings_games_to_an_end() -> None:
    batch = finished("stacktrices", "heuristic", 200)
    captured = batch.reason == batch.reasons.index("captured_all")
    assert captured.mean() > 0.8


@pytest.mark.parametrize("team", ["zion", "machines"])
@pytest.mark.parametrize("scenario", ["skirmish", "tunnels", "random"])
@pytest.mark.parametrize("ships", [(1, 1), (3, 3)], ids=["1v1", "3v3"])
def test_hovercrafts_heuristic_beats_random(
    ships: tuple[int, int], scenario: str, team: str
) -> None:
    batch = Batch(
        "hovercrafts",
        300,
        seed=99,
        seat=team,
        opponent="random",
        autoreset="disabled",
        ships=ships,
        scenario=scenario,
    )
    while (batch.mover >= 0).any():
        batch.step(batch.choose("heuristic"))
    own = batch.final_return[:, 0 if team == "zion" else -1]
    assert (own > 0).mean() + (own == 0).mean() / 2 > 0.93


@pytest.mark.parametrize("scenario", ["skirmish", "tunnels"])
@pytest.mark.parametrize("ships", [(1, 1), (3, 3), (2, 5)], ids=["1v1", "3v3", "2v5"])
def test_hovercrafts_heuristics_find_and_fight_each_other(
    ships: tuple[int, int], scenario: str
) -> None:
    """Few games run out of turns, walls or not."""
    batch = finished("hovercrafts", "heuristic", 200, ships=ships, scenario=scenario)
    turns = batch.final_metrics[:, 0]
    assert (turns == 50).mean() < 0.05
    assert turns.mean() < 20


@pytest.mark.parametrize("ships", [(1, 1), (3, 3)], ids=["1v1", "3v3"])
@pytest.mark.parametrize("goal", ["flagship", "seize", "breakthrough", "campaign"])
def test_hovercrafts_heuristic_beats_random_at_every_goal(
    goal: str, ships: tuple[int, int]
) -> None:
    """At least 85% of the points are asked for, on the right as on the left."""
    options = {"battles": 3} if goal == "campaign" else {"goal": goal}
    batch = Batch(
        "hovercrafts",
        200,
        seed=99,
        seat="zion",
        opponent="random",
        autoreset="disabled",
        ships=ships,
        **options,
    )
    while (batch.mover >= 0).any():
        batch.step(batch.choose("heuristic"))
    points = (1 + batch.final_return[:, 0]) / 2
    right = batch.core.states["starting"] == 0
    assert points[right].mean() > 0.9
    assert points[~right].mean() > 0.9


@pytest.mark.parametrize("goal", ["flagship", "seize", "breakthrough"])
def test_hovercrafts_heuristic_plays_for_the_goal(goal: str) -> None:
    """Zion knows the goal, the Machines take it for `fleet`."""
    batch = Batch("hovercrafts", 600, seed=6, autoreset="disabled", ships=(3, 3), goal=goal)
    states, known = batch.core.states, int(batch.core.states["goal"][0])
    while (batch.mover >= 0).any():
        wise = batch.choose("heuristic")
        states["goal"] = 0
        simple = batch.choose("heuristic")
        states["goal"] = known
        batch.step(np.where(batch.mover < 3, wise, simple))
    assert (1 + batch.final_return[:, 0]).mean() / 2 > 0.55


def test_hovercrafts_heuristic_upgrades_better_than_chance() -> None:
    """Zion raises what the heuristic likes, the Machines what chance likes; else they are equal."""
    batch = Batch("hovercrafts", 300, seed=7, autoreset="disabled", ships=(3, 3), battles=3)
    upgrading = 3
    while (batch.mover >= 0).any():
        chance = (batch.core.states["phase"] == upgrading) & (batch.mover >= 3)
        actions = batch.choose("heuristic")
        batch.step(np.where(chance, batch.choose("random"), actions))
    assert (1 + batch.final_return[:, 0]).mean() / 2 > 0.55


@pytest.mark.parametrize("case", EACH, ids=label)
def test_heuristic_is_pure_and_sees_only_what_its_seat_sees(
    case: tuple[str, dict[str, Any]],
) -> None:
    """Nothing is written, and a game redrawn in what the mover cannot know gets the same answer."""
    game, options = case
    batch = Batch(game, 24, seed=5, **options)
    kernel = kernels_of(batch.variant.game).heuristic
    states, mask = batch.core.states, np.zeros(batch.variant.action_count, np.int8)
    for step in range(40):
        for row in range(len(batch)):
            luck = np.uint64(977 * step + row)
            mask[:] = batch.mask[row]
            before = states.tobytes()
            action = kernel(states[row], mask, luck)
            assert states.tobytes() == before
            assert (mask == batch.mask[row]).all()
            assert mask[action] == 1
            kept = states[row : row + 1].copy()
            batch.resample(row, int(batch.mover[row]), seed=step)
            assert kernel(states[row], mask, luck) == action
            states[row : row + 1] = kept
        batch.step(batch.choose("random" if step % 2 else "heuristic"))


def test_random_player_is_even_over_the_legal_actions() -> None:
    batch = Batch("matrix_overload", 1, seed=3)
    while batch.mask[0].sum() != 9:
        batch.step(batch.choose("random"))
    many = Batch("matrix_overload", 9000, seed=0)
    for row in range(len(many)):
        many.core.states[row] = batch.core.states[0]
        many.core.masks[row] = batch.core.masks[0]
    many.core.rows["choices"] = 9
    counts = np.bincount(many.choose("random"), minlength=21)
    assert (counts[batch.mask[0] == 0] == 0).all()
    assert (abs(counts[batch.mask[0] == 1] - 1000) < 5 * np.sqrt(1000)).all()


def test_asking_for_a_hint_changes_nothing() -> None:
    asked = Batch("hackthegrid", 8, seed=1, seat="random", opponent="heuristic")
    other = asked.clone()
    for _ in range(30):
        actions = asked.mask.argmax(axis=1)
        first = asked.choose("random")
        assert (asked.choose("random") == first).all()
        asked.choose("heuristic")
        asked.step(actions)
        other.step(actions)
        assert asked.core.rows.tobytes() == other.core.rows.tobytes()
        assert asked.core.states.tobytes() == other.core.states.tobytes()
