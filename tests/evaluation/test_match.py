"""Matches: what counts, what is paired, and that nothing beside a game changes its course."""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import Batch
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.errors import ActionError, OptionError
from cyberdeck.evaluation import play_games, rounds
from cyberdeck.evaluation.games import Games
from tests.api.helpers import lowest
from tests.cases import EACH, label
from tests.refusals import refusals
from tests.test_policies import Fixed, Lowest, Lucky, network

#: Games that soon end, with players of every kind.
CASES: list[tuple[str, dict[str, Any]]] = [
    ("hackthegrid", {}),
    ("hovercrafts", {"ships": (1, 2), "max_turns": 3, "deployment": "random"}),
    ("matrix_overload", {"max_steps": 30}),
]

HEURISTIC_AND_RANDOM = {"h": "heuristic", "r": "random"}


class Stopper(Lowest):
    """Presses Ctrl-C when it is asked for the n-th time."""

    def __init__(self, at: int) -> None:
        self.at = at

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        self.at -= 1
        if self.at == 0:
            raise KeyboardInterrupt
        return super().decide(seen)


def wrong(observations: NDArray[Any], masks: NDArray[Any]) -> NDArray[Any]:
    """What is never legal at the start."""
    return np.full(len(masks), 68)


class InOtherProcesses(Lowest):
    """Decides only where it was not made."""

    def __init__(self) -> None:
        self.home = os.getpid()

    def decide(self, seen: PolicyInput) -> NDArray[Any]:
        assert os.getpid() != self.home
        return super().decide(seen)


def everybody(game: str, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "random": "random",
        "heuristic": "heuristic",
        "function": lowest,
        "lucky": Lucky(),
        "search": "search:iterations=3,playout=random,length=30",
        "network": network(game, options, greedy=False),
    }


def schedule(game: str, options: dict[str, Any], deals: int) -> tuple[list[list[int]], list[int]]:
    """Everybody against everybody on the same deals, and by themselves in a game for one."""
    sides = max(cyberdeck.variant(game, **options).sides) + 1
    pairs = [[a] for a in range(6)] if sides == 1 else [[a, (a + 2) % 6] for a in range(6)]
    return [pair for pair in pairs for _ in range(deals)], list(range(deals)) * 6


def entries(games: Games) -> list[tuple[bytes, ...]]:
    """One for each game, all that is known of it."""
    ended = (games.returns, games.lengths, games.reasons, games.truncated, games.metrics)
    columns = (games.lineups, games.deals, games.seeds, *ended, games.actions)
    return [tuple(column[at].tobytes() for column in columns) for at in range(len(games))]


# --- points --------------------------------------------------------------------------------------


def games_with(
    players: tuple[str, ...],
    ended: Sequence[tuple[int, int, int, Sequence[float]]],
    interrupted: bool = False,
) -> Games:
    """Games as (deal, player of the first side, of the second, returns)."""
    deals = np.array([line[0] for line in ended], np.int64)
    sides = len(ended[0][3]) if ended else 2
    return Games(
        cyberdeck.variant("hackthegrid"),
        players,
        lineups=np.array([line[1:3] for line in ended], np.int64).reshape(-1, 2),
        deals=deals,
        seeds=deals,
        returns=np.array([line[3] for line in ended], np.float32).reshape(-1, sides),
        lengths=np.full(len(ended), 10, np.int64),
        reasons=np.full(len(ended), 2, np.int8),
        truncated=np.zeros(len(ended), np.bool_),
        metrics=np.zeros((len(ended), 1), np.int32),
        beginnings=deals,
        courses=np.arange(len(ended)),
        interrupted=interrupted,
    )


@pytest.mark.parametrize(
    ("returns", "points", "all_lose"),
    [
        ([-1, 1], [0, 1], False),
        ([0, 0], [0.5, 0.5], False),
        ([-1, -1], [0, 0], True),
        ([0.5, 0.5], [0.5, 0.5], False),
        ([1], [1], False),
        ([0], [0], False),
    ],
)
def test_points(returns: list[float], points: list[float], all_lose: bool) -> None:
    games = games_with(("a", "b"), [(0, 0, 1, returns)])
    assert games.points().tolist() == [points]
    assert games.all_lose().tolist() == [all_lose]


def test_points_go_by_how_the_games_ended() -> None:
    games = play_games("hackthegrid", {"r": "random"}, [(0, 0)] * 200, range(200))
    remain = np.array([games.variant.game.reasons[reason] for reason in games.reasons])
    assert (games.all_lose() == (remain == "cards_remain")).all()
    assert games.all_lose().any()
    points = games.points()
    assert (points.sum(axis=1) == ~games.all_lose()).all()
    names = [metric.name for metric in games.variant.game.metrics]
    own, other = (games.metrics[:, names.index(f"{who}_score")] for who in ("own", "opponent"))
    won = ~games.all_lose()
    assert (points[won, 0] == np.where(own > other, 1, np.where(own == other, 0.5, 0))[won]).all()
    assert len(set(points[:, 0])) == 3
    assert games.actions == []  # not kept unasked
    none = play_games("hackthegrid", {"r": "random"}, [], [])
    assert (none.points().shape, none.interrupted) == ((0, 2), False)


# --- deals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_kept_decisions_play_the_same_game_again(case: tuple[str, dict[str, Any]]) -> None:
    """From the seed that is told, in a Batch of one."""
    game, options = case
    players, lineups = everybody(game, options), schedule(game, options, 2)
    games = play_games(game, players, *lineups, seed=5, keep_actions=True, **options)
    sides = np.array(games.variant.sides)
    for at in range(len(games)):
        batch = Batch(game, 1, seed=int(games.seeds[at]), autoreset="Disabled", **options)
        for action in games.actions[at]:
            assert batch.mover[0] >= 0
            batch.step([int(action)])
        assert batch.mover[0] < 0
        assert len(games.actions[at]) == games.lengths[at] == batch.final_length[0]
        firsts = [int(np.argmax(sides == side)) for side in range(games.returns.shape[1])]
        assert batch.final_return[0, firsts].tolist() == games.returns[at].tolist()
        assert batch.reason[0] == games.reasons[at]
        assert batch.truncated[0] == games.truncated[at]
        assert batch.final_metrics[0].tolist() == games.metrics[at].tolist()


# --- nothing beside a game changes it ------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_results_do_not_depend_on_what_is_played_beside(
    case: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, options = case
    lineups, deals = map(np.array, schedule(game, options, 3))
    players = everybody(game, options)

    def played(which: Any) -> list[tuple[bytes, ...]]:
        how = {"keep_actions": True, **options}
        return entries(play_games(game, players, lineups[which], deals[which], **how))

    expected = played(slice(None))
    assert len(set(expected)) > 6
    for room in (1, 5, 17):
        monkeypatch.setattr(rounds, "_AT_ONCE", room)
        assert played(slice(None)) == expected
    order = np.random.default_rng(0).permutation(len(deals))
    assert played(order) == [expected[at] for at in order]
    assert played(slice(4, 5)) == expected[4:5]  # one of them, by itself


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_processes() -> None:
    game, options = CASES[0]
    lineups, deals = schedule(game, options, 4)
    players = everybody(game, options)
    told: list[int] = []
    one = play_games(game, players, lineups, deals, keep_actions=True)
    players["away"] = InOtherProcesses()
    lineups += [[6, 6]] * 2
    deals += [0, 1]
    how: dict[str, Any] = {"keep_actions": True, "processes": 2, "progress": told.append}
    two = play_games(game, players, lineups, deals, **how)
    assert len(two) == len(one) + 2
    assert entries(two)[:-2] == entries(one)
    assert told[-1] == len(deals)
    assert told == sorted(told)
    assert len(told) > 8  # of 26 games, where somebody searches


@pytest.mark.slow
def test_ctrl_c_stops_all_processes_and_keeps_what_is_finished() -> None:
    players = {"s": "search:iterations=30", "r": "random"}
    lineups, deals = [(0, 1), (1, 0)] * 64, [*range(128)]
    whole = entries(play_games("hackthegrid", players, lineups, deals, keep_actions=True))

    def interrupt(finished: int) -> None:
        raise KeyboardInterrupt

    how: dict[str, Any] = {"keep_actions": True, "processes": 2, "progress": interrupt}
    part = play_games("hackthegrid", players, lineups, deals, **how)
    assert part.interrupted
    assert 0 < len(part) < 128
    assert set(entries(part)) <= set(whole)


@pytest.mark.slow
def test_a_mistake_in_one_process_ends_all_of_them() -> None:
    with pytest.raises(ActionError, match="is not legal"):
        play_games("hackthegrid", {"w": wrong}, [(0, 0)] * 2000, range(2000), processes=2)


def test_players_that_cannot_be_sent_to_other_processes() -> None:
    with pytest.raises(OptionError, match="cannot be sent to other processes"):
        play_games("hackthegrid", {"f": lambda o, m: 0}, [(0, 0)] * 4, range(4), processes=2)


@pytest.mark.parametrize("case", EACH, ids=label)
def test_every_option_counts_but_for_those_that_only_reward(
    case: tuple[str, dict[str, Any]],
) -> None:
    game, options = case
    chosen = cyberdeck.variant(game, **options).by_outcome
    scoring = {option.name for option in chosen.game.options if option.scoring}
    for name, value in cyberdeck.variant(game, **options).options.items():
        assert chosen.options[name] == value or name in scoring
    sides = max(chosen.sides) + 1
    how = (game, {"h": "heuristic"}, [[0] * sides] * 2, [0, 1])
    games = play_games(*how, keep_actions=True, **options)
    assert np.isin(games.returns, (-1.0, 0.0, 1.0)).all()
    assert games.variant.options == chosen.options
    plain = {name: value for name, value in options.items() if name not in scoring}
    assert entries(play_games(*how, keep_actions=True, **plain)) == entries(games)


# --- games of one side, and of teams -------------------------------------------------------------


def test_in_a_game_of_teams_a_player_decides_for_all_ships_of_its_side() -> None:
    asked: set[int] = set()

    def noting(seen: PolicyInput) -> NDArray[Any]:
        asked.update(seen.seats.tolist())
        return seen.masks.argmax(axis=1)

    for lineup, own in (((0, 1), {0, 1}), ((1, 0), {2, 3, 4})):
        asked.clear()
        players = {"noting": Fixed(noting), "h": "heuristic"}
        games = play_games("hovercrafts", players, [lineup] * 10, range(10), ships=(2, 3))
        assert asked == own
        assert games.points()[:, lineup[1]].mean() > 0.9
        assert games.returns.shape == (10, 2)


# --- progress, Ctrl-C and mistakes ---------------------------------------------------------------


def test_after_ctrl_c_only_finished_games_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are over are just as they would have been; nothing is known of the others."""
    monkeypatch.setattr(rounds, "_AT_ONCE", 6)
    lineups, deals = [(0, 1), (1, 0)] * 12, [*range(24)]
    told: list[int] = []

    def played(stop: int) -> Games:
        players, told[:] = {"s": Stopper(stop), "r": "random"}, []
        how: dict[str, Any] = {"keep_actions": True, "progress": told.append}
        return play_games("hackthegrid", players, lineups, deals, **how)

    whole = played(0)
    assert (len(whole), whole.interrupted) == (24, False)
    assert told == sorted(told)
    assert told[0] < 6
    assert told[-1] == 24
    for at, least, most in ((1, 0, 0), (26, 0, 23), (60, 6, 23)):
        part = played(at)
        assert part.interrupted
        assert least <= len(part) <= most
        assert len(part.actions) == len(part) == len(part.points())
        assert set(entries(part)) <= set(entries(whole))


def test_ctrl_c_while_games_are_being_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "_AT_ONCE", 3)
    real, calls = GameBatch.reset, []

    def reset(self: Any, *arguments: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(self, *arguments)

    monkeypatch.setattr(GameBatch, "reset", reset)
    games = play_games("hackthegrid", {"r": "random"}, [(0, 0)] * 9, range(9))
    assert games.interrupted
    assert games.deals.tolist() == [0, 1, 2]


def test_mistakes() -> None:
    right: dict[str, Any] = {"game": "hackthegrid", "lineups": [(0, 1)], "deals": [0]}
    for wrong, message in refusals("arguments of a match"):
        with pytest.raises(OptionError, match=re.escape(message)):
            play_games(**{**right, "players": HEURISTIC_AND_RANDOM, **literal_eval(wrong)})
