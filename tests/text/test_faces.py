"""What games in words promise alike, whoever plays them: all seats, one learner, or a tool."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cyberdeck import TextEnv, TextGame
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError
from cyberdeck.text.task_env import TaskEnv
from cyberdeck.text.trl import environment_factory
from tests.text.playing import KINDS, First, from_its_seed_alone, legal, move, of_kind, played

#: All that was told, the game, and what those seats got that are paid.
Course = tuple[list[Any], TextGame, dict[int, float]]


def pool(chosen: Variant) -> dict[str, Any]:
    """Two opponents, of which one is drawn for each game."""
    other = "heuristic" if chosen.game.has_heuristic else First()
    return {"opponent": ["random", other]} if chosen.seats > 1 else {}


def all_seats(chosen: Variant, seed: int) -> Course:
    told: list[Any] = []
    game = played(TextGame(chosen), seed, told)
    seats = range(chosen.seats)
    told += map(game.transcript, (None, *seats))
    return told, game, {at: game.gained(at) for at in seats}


def next_move(game: TextGame, done: int) -> int:
    possible = legal(game, game.deciding[0])
    return possible[7 * done % len(possible)]


def one_learner(chosen: Variant, seed: int) -> Course:
    env, got = TextEnv(chosen, **pool(chosen)), 0.0
    told: list[Any] = [env.reset(seed=seed)]
    while not env.over:
        said = "hm" if len(told) == 3 else move(next_move(env.game, len(told)))
        told.append(env.step(said))
        got += told[-1][1]
    return told, env.game, {env.own[0]: got}


def a_tool(chosen: Variant, seed: int) -> Course:
    env = environment_factory(chosen, brief=True, **pool(chosen))()
    twin = TextEnv(chosen, brief=True, form="tool", **pool(chosen))
    told: list[Any] = [env.reset(seed=seed)]
    assert told == [twin.reset(seed)[0]]
    while not env.text.over:
        made: Any = "nothing" if len(told) == 3 else next_move(twin.game, len(told))
        told.append(env.move(made))
        assert told[-1] == twin.step(json.dumps({"move": made}))[0]
    return told, env.text.game, {env.text.own[0]: env.get_reward()}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("face", [all_seats, one_learner, a_tool])
def test_all_comes_from_the_seed_and_seats_get_what_is_theirs(face: Any, name: str) -> None:
    chosen = of_kind(name)
    from_its_seed_alone(lambda seed: face(chosen, seed)[0])
    paid = set()
    for seed in range(6):
        _, game, got = face(chosen, seed)
        batch = GameBatch(chosen, 1, autoreset=DISABLED)
        batch.reset([game.seed])
        for action in game.actions:
            batch.step(np.array([action]))
        assert game.returns == tuple(batch.final_returns[0])
        assert got == pytest.approx({seat: game.returns[seat] for seat in got})
        paid |= {*got.values()}
    assert len(paid) > (name != "matrix_overload")  # which chance does not win


def test_tasks_too_come_from_the_seed_alone() -> None:
    def course(seed: int) -> list[Any]:
        env = TaskEnv("hackthegrid")
        return [env.reset(seed), env.step("nothing"), env.reset(), env.step(move(40)), env.reset()]

    from_its_seed_alone(course)


def test_games_after_a_seed_go_on_from_it_and_without_one_they_differ() -> None:
    for face in (TextEnv, TaskEnv):
        one, other = face("hackthegrid"), face("hackthegrid")
        assert one.reset(seed=-1) == other.reset(seed=-1)
        told = [one.reset()[0] for _ in range(4)]
        assert told == [other.reset()[0] for _ in range(4)]
        assert len({*told}) == 4
        one.reset(seed=8)
        assert one.reset()[0] != told[0]
        assert len({env.reset()[0] for env in (face("hackthegrid"), face("hackthegrid"))}) == 2
    game, seeds = TextGame("stacktrices"), set()
    for seed in (None, None, 3, None, 3, None):
        game.reset(seed)
        seeds.add(game.seed)
    assert len(seeds) == 4  # what is drawn after 3 is the same


@pytest.mark.parametrize(
    "make", [lambda: TextEnv("stacktrices"), environment_factory("hovercrafts")]
)
def test_a_hundred_are_made_within_half_a_second(make: Any) -> None:
    """None of them writes the rules before they are asked for."""
    make().reset(seed=0)
    started = time.process_time()
    envs = [make() for _ in range(100)]
    assert time.process_time() - started < 0.4
    started = time.process_time()
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    assert time.process_time() - started < 1.6


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: TextGame("hackthegrid", form="tools"), "form='tools' .*json, tool.*mean tool"),
        (lambda: TextGame("hackthegrid", retries=-1), "retries=-1 is not possible: a whole number"),
        (lambda: TextGame("hackthegrid", retries={"illegal": 1}), "unparsable, cut_off"),
        (lambda: TextGame("hackthegrid", disguise=1.5), "disguise=1.5"),
        (lambda: TextGame("hackthegrid", players={2: "random"}), r"seat=2 .*0 \(column\), 1 \(row"),
        (lambda: TextGame("hackthegrid").reset(1.5), "seed=1.5 is not possible"),  # type: ignore
        (lambda: TextEnv("hackthegrid", opponent="heuristc"), "heuristic"),
        (lambda: TextEnv("hackthegrid").reset(options={"nothing": 1}), "cannot start from"),
        (lambda: TaskEnv("hackthegrid").reset(0, options={"first": 0}), "leave out options"),
        (lambda: TaskEnv("hackthegrid", bands=[]), "bands=.*choose from hard"),
        (lambda: TaskEnv("hackthegrid", bands=["hrd"]), "did you mean hard"),
        (lambda: TaskEnv("hackthegrid", players=[]), "name at least one"),
        (lambda: environment_factory("hackthegrid", seat="nobody"), "seat="),
    ],
)
def test_what_is_not_possible_is_refused_at_once(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make()


def test_a_row_is_the_game_of_its_seed_whatever_was_played_before() -> None:
    make = environment_factory("hackthegrid")
    used, fresh = make(), make()
    for row in ({}, {"split": "test"}, {"index": 1}, {"seed": 1, "split": "test", "index": 1}):
        with pytest.raises(OptionError, match="names no game: gi"):
            used.reset(**row)
    used.reset(seed=1)
    used.move("what was before does not matter")
    told = used.reset(prompt=[{"role": "user"}], split="test", index=3, environment="a name")
    assert told == fresh.reset(seed=2**41 + 3)
    used.reset(split="test", index=4)
    assert used.text.game.seed == 2**41 + 4
    assert len({used.reset(split="train", index=index) for index in range(8)}) == 8
