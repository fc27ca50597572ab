"""The built-in heuristics: clearly better than random, honest, and without side effects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cyberdeck import Batch
from tests.cases import MANY_COLOURS


def finished(game: str, player: str, games: int, **options: Any) -> Batch:
    """One whole game in each row."""
    batch = Batch(game, games, seed=1234, autoreset="Disabled", **options)
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


@pytest.mark.parametrize(
    ("game", "seat", "options"),
    [
        *(
            ("hackthegrid", seat, {"scramble": scramble})
            for seat in (0, 1)
            for scramble in ("on_take", "at_end")
        ),
        ("stacktrices", 0, {}),
        ("stacktrices", 1, {"steal_on_attack": True}),
        ("stacktrices", 0, {"stacked_movement": True}),
        ("stacktrices", 1, {"setup": "random"}),
        ("hovercrafts", "zion", {"ships": (1, 1)}),
        ("hovercrafts", "machines", {"ships": (3, 3), "scenario": "tunnels"}),
        ("hovercrafts", "zion", {"ships": (3, 3), "scenario": "random"}),
        ("hovercrafts", "machines", {"ships": (1, 1), "scenario": "random"}),
        ("hovercrafts", "zion", {"ships": (3, 3), "goal": "flagship"}),
        ("hovercrafts", "machines", {"ships": (1, 1), "goal": "seize"}),
        ("hovercrafts", "zion", {"ships": (3, 3), "goal": "seize"}),
        ("hovercrafts", "machines", {"ships": (3, 3), "goal": "breakthrough"}),
        ("hovercrafts", "zion", {"ships": (1, 1), "goal": "breakthrough"}),
        ("hovercrafts", "zion", {"ships": (3, 3), "battles": 3}),
    ],
    ids=str,
)
def test_heuristics_beat_random(game: str, seat: int | str, options: dict[str, Any]) -> None:
    """Nearly all points, and in HACKtheGRID of the games that are no draw."""
    batch = Batch(game, 200, seed=99, seat=seat, opponent="random", autoreset="Disabled", **options)
    while (batch.mover >= 0).any():
        batch.step(batch.choose("heuristic"))
    first, last = batch.final_return[:, 0], batch.final_return[:, -1]
    points = (1 + np.sign(first - last if seat in (0, "zion") else last - first)) / 2
    if game == "hovercrafts":
        right = batch._core.states["starting"] == 0
        assert points[right].mean() > 0.9
        assert points[~right].mean() > 0.9
    assert points[points != 0.5].mean() > 0.9
    assert points.mean() > (0.72 if game == "hackthegrid" else 0.94)


def test_heuristics_of_stacktrices_bring_games_to_an_end() -> None:
    batch = finished("stacktrices", "heuristic", 200)
    captured = batch.reason == batch.reasons.index("captured_all")
    assert captured.mean() > 0.8


@pytest.mark.parametrize(
    ("ships", "scenario"), [((1, 1), "tunnels"), ((3, 3), "skirmish"), ((2, 5), "tunnels")], ids=str
)
def test_hovercrafts_heuristics_find_and_fight_each_other(
    ships: tuple[int, int], scenario: str
) -> None:
    """Few games run out of turns, walls or not."""
    batch = finished("hovercrafts", "heuristic", 200, ships=ships, scenario=scenario)
    turns = batch.final_metrics[:, 0]
    assert (turns == 50).mean() < 0.05
    assert turns.mean() < 20


@pytest.mark.parametrize("goal", ["flagship", "seize", "breakthrough"])
def test_hovercrafts_heuristic_plays_for_the_goal(goal: str) -> None:
    """Zion knows the goal, the Machines take it for `fleet`."""
    batch = Batch("hovercrafts", 600, seed=6, autoreset="Disabled", ships=(3, 3), goal=goal)
    states, known = batch._core.states, int(batch._core.states["goal"][0])
    while (batch.mover >= 0).any():
        wise = batch.choose("heuristic")
        states["goal"] = 0
        simple = batch.choose("heuristic")
        states["goal"] = known
        batch.step(np.where(batch.mover < 3, wise, simple))
    assert (1 + batch.final_return[:, 0]).mean() / 2 > 0.55


def test_hovercrafts_heuristic_upgrades_better_than_chance() -> None:
    """Zion raises what the heuristic likes, the Machines what chance likes; else they are equal."""
    batch = Batch("hovercrafts", 300, seed=7, autoreset="Disabled", ships=(3, 3), battles=3)
    upgrading = 3
    while (batch.mover >= 0).any():
        chance = (batch._core.states["phase"] == upgrading) & (batch.mover >= 3)
        actions = batch.choose("heuristic")
        batch.step(np.where(chance, batch.choose("random"), actions))
    assert (1 + batch.final_return[:, 0]).mean() / 2 > 0.55


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("hackthegrid", {"deck": MANY_COLOURS[:16], "scramble": "at_end"}),
        ("stacktrices", {"steal_on_attack": True, "max_turns": 40}),
        ("hovercrafts", {"ships": (2, 1), "share_plans": True, "battles": 3, "max_turns": 2}),
    ],
    ids=str,
)
def test_a_prior_is_told_beside_the_rest_to_who_decides(game: str, options: dict[str, Any]) -> None:
    """To nobody else, and to nobody when the game is over."""
    plain, more = (
        Batch(game, 4, seed=9, observation=view, autoreset="Disabled", **options)
        for view in ("vector", "prior")
    )
    step = 0
    while (plain.mover >= 0).any():
        for row, seat in np.ndindex(4, plain.variant.seats):
            known, told = (each.variant.named(each.look(row, seat)[0]) for each in (plain, more))
            prior = {name: told.pop(name) for name in set(told) - set(known)}
            assert list(told) == list(known)
            assert all((told[name] == known[name]).all() for name in known)
            assert prior["prior"].shape == (plain.variant.action_count,)
            assert any(each.any() for each in prior.values()) == known["to_move"].any()
        step += 1
        actions = plain.choose("heuristic" if step % 2 else "random")
        plain.step(actions)
        more.step(actions)


def test_random_player_is_even_over_the_legal_actions() -> None:
    batch = Batch("matrix_overload", 1, seed=3)
    while batch.mask[0].sum() != 9:
        batch.step(batch.choose("random"))
    many = Batch("matrix_overload", 9000, seed=0)
    for row in range(len(many)):
        many._core.states[row] = batch._core.states[0]
        many._core.masks[row] = batch._core.masks[0]
    many._core.rows["choices"] = 9
    counts = np.bincount(many.choose("random"), minlength=21)
    assert (counts[batch.mask[0] == 0] == 0).all()
    assert (abs(counts[batch.mask[0] == 1] - 1000) < 5 * np.sqrt(1000)).all()
