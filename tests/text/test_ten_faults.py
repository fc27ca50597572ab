"""What went wrong in other suites' games for language models, and must not here.

Nine of ten: that games known from elsewhere are played from memory is not tested here. For that
they have to be told in disguise.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cyberdeck import TextEnv, TextGame, showing
from cyberdeck.engine import registry
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.text import prompts
from cyberdeck.text.prompts import FORMS, MOST_TOLD
from tests.text.playing import KINDS, legal, move, of_kind, played, rounds

SUITE = ["matrix_overload", "hackthegrid", "stacktrices", "hovercrafts"]
FOR_SEVERAL = [name for name in KINDS if name != "matrix_overload"]
AT_ONCE = ["hovercrafts", "goofspiel"]
UNSEEN = "I hold the king, so I bluff"


# --- 1: raw replies are shown to others -----------------------------------------------------------


@pytest.mark.parametrize("brief", [False, True])
@pytest.mark.parametrize("name", FOR_SEVERAL)
def test_what_a_seat_writes_reaches_nobody_else(name: str, brief: bool) -> None:
    game = TextGame(of_kind(name), list_moves=True, brief=brief)
    game.reset(seed=1)
    luck = random.Random(1)
    for chosen in rounds(game, luck):
        for seat, action in chosen:
            assert UNSEEN not in game.prompt(seat)
            wrong = luck.choice([UNSEEN, f'{{"move": "{UNSEEN}"}}', f'{{"move": ["{UNSEEN}"]}}'])
            assert game.answer(seat, wrong).reply
            verdict = game.answer(seat, f"{UNSEEN}: {move(action)}")
            assert verdict.kind == "move"
        for seat in (None, *range(game.variant.seats)):
            assert UNSEEN not in "".join(game.transcript(seat))
        assert all(UNSEEN not in game.prompt(seat) for seat in game.deciding)


def test_what_a_learner_writes_does_not_come_back_in_later_prompts() -> None:
    env = TextEnv("hackthegrid", seat="row", opponent="heuristic")
    prompt, _ = env.reset(seed=1)
    over = False
    while not over:
        assert UNSEEN not in prompt
        action = legal(env.game, env.own[0])[0]
        prompt, _, over, _, _ = env.step(f"{UNSEEN}: {move(action)}")


# --- 2: the process's own generators are seeded and drawn from ------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_the_process_s_generators_are_neither_seeded_nor_drawn_from(name: str) -> None:
    chosen = of_kind(name)
    courses = []
    for number in (1, 2):
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002
        before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
        prompts: list[tuple[int, str]] = []
        course = played(TextGame(chosen), 5, prompts)
        env = TextEnv(chosen)
        env.reset(seed=3)
        env.step("nothing")
        env.reset()
        env.clone()
        TextEnv(chosen).reset()
        after = random.getstate(), str(np.random.get_state())  # noqa: NPY002
        assert before == after
        courses.append((prompts, course.actions, course.transcript()))
    assert courses[0] == courses[1]


# --- 3: seeds are dropped, or reset takes none ----------------------------------------------------


def course(env: TextEnv, seed: int | None) -> list[Any]:
    """All that a learner is told in a game in which it decides by a fixed rule."""
    told: list[Any] = [env.reset() if seed is None else env.reset(seed=seed)]
    over = False
    while not over:
        seat = env.game.deciding[0]
        possible = legal(env.game, seat)
        told.append(env.step(move(possible[7 * len(told) % len(possible)])))
        over = told[-1][2] or told[-1][3]
    return told


@pytest.mark.parametrize("name", FOR_SEVERAL)
def test_a_seed_fixes_the_prompts_and_the_opponents(name: str) -> None:
    chosen = of_kind(name)
    pool = (
        ["random", "heuristic"] if chosen.game.has_heuristic else ["random", "search:iterations=2"]
    )
    one, other = (TextEnv(chosen, opponent=pool) for _ in range(2))
    courses = [course(one, seed) for seed in range(4)]
    assert courses == [course(other, seed) for seed in range(4)]
    assert courses[2] == course(one, 2)
    assert len({str(told) for told in courses}) == 4
    assert TextEnv(chosen).reset(seed=-1) == TextEnv(chosen).reset(seed=-1)


def test_games_after_a_seed_go_on_from_it_and_differ() -> None:
    one, other = TextEnv("hackthegrid"), TextEnv("hackthegrid")
    for env in (one, other):
        env.reset(seed=7)
    courses = [course(one, None) for _ in range(4)]
    assert courses == [course(other, None) for _ in range(4)]
    assert len({str(told) for told in courses}) == 4
    one.reset(seed=8)
    assert course(one, None) != courses[0]


def test_without_any_seed_games_differ() -> None:
    envs = [TextEnv("hackthegrid") for _ in range(3)]
    assert len({env.reset()[0] for env in envs for _ in range(2)}) == 6
    game = TextGame("stacktrices")
    seeds = set()
    for _ in range(3):
        game.reset()
        seeds.add(game.seed)
    assert len(seeds) == 3


# --- 4: junk becomes a legal move -----------------------------------------------------------------

#: What may be said where "R2" and action 1 are legal.
JUNK = [
    "",
    "   \n",
    "stand",
    "R2",
    "I take R2.",
    "My move is R2, that is action 1.",
    "move: R2",
    '"move": "R2"',
    "{move: R2}",
    "{'move': 'R2'}",
    '["R2"]',
    '"R2"',
    "1",
    "{}",
    '{"action": "R2"}',
    '{"Move": "R2"}',
    '{"move": null}',
    '{"move": true}',
    '{"move": []}',
    '{"move": ["R2"]}',
    '{"move": {"to": "R2"}}',
    '{"move": ""}',
    '{"move": 1.5}',
    '{"move": "stand"}',
    '{"move": "I take R2"}',
    '{"move": "R2 or R3"}',
    '{"move": "xR2"}',
    '{"move": "R22"}',
    '{"move": -1}',
    '{"move": 10000000000000000000000}',
    '{"move": NaN}',
    '{"move": "R2"',
    'It is not {"move": "R2"} but {"move": null}',
    '{"move": "R2"} and then {"move": "R999"}',
    '```json\n{"move": "stand"}\n```',
]


@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_no_move_and_enough_of_it_loses(junk: str) -> None:
    game = TextGame("hackthegrid", retries=2)
    game.reset(seed=0)
    seat = game.deciding[0]
    assert "R2" in showing.notations(game.variant, game.core.states).values()
    for left in (2, 1, 0):
        assert not game.over
        verdict = game.answer(seat, junk)
        assert verdict.kind in ("illegal", "unparsable")
        assert bool(verdict.reply) == (left > 0)
    assert game.actions == [RESIGNS]
    assert game.over
    assert game.gave_up == (seat,)
    assert game.returns[seat] == -1
    assert game.returns[1 - seat] == 1


def test_an_answer_cut_off_is_no_move_even_if_one_stands_in_it() -> None:
    game = TextGame("hackthegrid", retries=0)
    game.reset(seed=0)
    seat = game.deciding[0]
    assert game.answer(seat, move("R2"), cut_off=True).kind == "cut_off"
    assert game.gave_up == (seat,)


# --- 5: simultaneous games fail, or show a move before the other has decided ----------------------


@pytest.mark.parametrize("name", AT_ONCE)
@pytest.mark.parametrize("seed", range(3))
def test_those_who_decide_at_once_may_be_asked_in_any_order(name: str, seed: int) -> None:
    chosen = of_kind(name)
    at_once = 0
    games = [TextGame(chosen, list_moves=True) for _ in range(3)]
    for game in games:
        game.reset(seed)
    first, luck = games[0], random.Random(seed)
    orders: list[Callable[[list[int]], list[int]]] = [
        list,
        lambda seats: seats[::-1],
        lambda seats: luck.sample(seats, len(seats)),
    ]
    while not first.over:
        seats = list(first.deciding)
        at_once += len(seats) > 1
        actions = {seat: luck.choice(legal(first, seat)) for seat in seats}
        told: list[dict[int, str]] = []
        for game, order in zip(games, orders, strict=True):
            # One asks all first, the others each when the one before has answered.
            prompts = {seat: game.prompt(seat) for seat in seats} if game is first else {}
            before = [game.transcript(each) for each in range(chosen.seats)]
            for seat in order(seats):
                assert before == [game.transcript(each) for each in range(chosen.seats)]
                prompts[seat] = game.prompt(seat)
                game.answer(seat, move(actions[seat]))
            told.append(prompts)
        assert told[0] == told[1] == told[2]
        assert first.actions == games[1].actions == games[2].actions
    assert at_once > 3
    assert first.returns == games[1].returns == games[2].returns


@pytest.mark.parametrize("name", AT_ONCE)
def test_nobody_s_prompt_depends_on_what_another_decides_at_the_same_time(name: str) -> None:
    game, luck = TextGame(of_kind(name)), random.Random(0)
    game.reset(seed=0)
    for _ in rounds(game, luck):
        if len(game.deciding) < 2:
            continue
        first, *others = game.deciding
        prompts = set()
        for action in legal(game, first)[:3]:
            twin = TextGame(game.variant)
            twin.reset(seed=0)
            for seat, decided in decisions(game):
                twin.answer(seat, move(decided))
            twin.answer(first, move(action))
            prompts.add(tuple(twin.prompt(seat) for seat in others))
        assert len(prompts) == 1


def decisions(game: TextGame) -> list[tuple[int, int]]:
    """(seat, action) of all that has been decided."""
    assert game.core.logs is not None
    return [(entry.mover, entry.action) for entry in game.core.logs[0].entries]


@pytest.mark.parametrize("name", AT_ONCE)
def test_where_both_sides_give_up_at_once_both_lose(name: str) -> None:
    for guilty in ("one", "other", "both"):
        game = TextGame(of_kind(name), retries=0)
        game.reset(seed=2)
        while len(game.deciding) < game.variant.seats:
            game.answer(game.deciding[0], move(legal(game, game.deciding[0])[0]))
        sides = game.variant.sides
        gives_up = {"one": [0], "other": [1], "both": [0, 1]}[guilty]
        for seat in game.deciding:
            said = "no idea" if sides[seat] in gives_up else move(legal(game, seat)[0])
            game.answer(seat, said)
        assert game.over
        assert game.returns == tuple(-1.0 if side in gives_up else 1.0 for side in sides)
        assert [game.gained(seat) for seat in range(len(sides))] == list(game.returns)


# --- 6: observations are printed as numbers -------------------------------------------------------


@pytest.mark.parametrize("name", SUITE)
def test_no_prompt_prints_a_vector(name: str) -> None:
    shown: list[tuple[int, str]] = []
    for seed in range(2):
        played(TextGame(of_kind(name), list_moves=True), seed, shown)
    for _, prompt in shown:
        assert not re.search(r"(-?\d+(\.\d*)?\s*,\s*){8}|(-?\d+(\.\d*)? +){12}", prompt)
        assert not re.search(r"array\(|dtype|\d\.0\b", prompt)


# --- 7: scores for a substring, rewards on another seat's trace -----------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_each_seat_gets_what_the_game_gives_it(name: str) -> None:
    for seed in range(4):
        game = played(TextGame(of_kind(name)), seed)
        batch = GameBatch(game.variant, 1, autoreset=DISABLED)
        batch.reset([seed])
        for action in game.actions:
            batch.step(np.array([action]))
        assert game.returns == tuple(batch.final_returns[0])
        assert [game.gained(seat) for seat in range(game.variant.seats)] == pytest.approx(
            batch.final_returns[0]
        )


@pytest.mark.parametrize("name", FOR_SEVERAL)
def test_a_learner_gets_its_own_seat_s_rewards(name: str) -> None:
    chosen = of_kind(name)
    seen = set()
    for seat in range(chosen.seats):
        for seed in range(3):
            env = TextEnv(chosen, seat=seat)
            rewards = [step[1] for step in course(env, seed)[1:]]
            assert sum(rewards) == pytest.approx(env.game.returns[seat])
            seen.add((seat, env.game.returns))
    assert len({returns for _, returns in seen}) > 1


def test_a_part_of_a_move_gains_nothing() -> None:
    env = TextEnv("stacktrices", seat=0, reward="material", retries=5)
    env.reset(seed=0)
    for said in ("P", "P>", '{"move": "P"}', '{"move": ">"}', "the winning move is here"):
        _, reward, terminated, truncated, info = env.step(said)
        assert (reward, terminated, truncated) == (0, False, False)
        assert info["answer"] in ("illegal", "unparsable")


# --- 8: making a thousand environments takes long -------------------------------------------------


@pytest.mark.parametrize("name", SUITE)
def test_a_thousand_envs_are_made_within_seconds(name: str) -> None:
    """Half a second of a quick machine; and none of them writes the rules before they are asked."""
    TextEnv(name).reset(seed=0)
    started = time.process_time()
    envs = [TextEnv(name) for _ in range(1000)]
    assert time.process_time() - started < 4
    started = time.process_time()
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    assert time.process_time() - started < 16


# --- 9: what has been done grows without bound, or the rules fall out -----------------------------


@pytest.mark.parametrize("brief", [False, True])
def test_prompts_of_a_long_game_are_bounded_and_keep_the_rules(brief: bool) -> None:
    game = TextGame("stacktrices", steal_on_attack=True, stacked_movement=True, brief=brief)
    game.reset(seed=1)
    first: dict[int, str] = {}
    lengths, done = [], 0
    for chosen in rounds(game, random.Random(1)):
        for seat, _ in chosen:
            prompt = game.prompt(seat)
            fresh = first.setdefault(seat, prompt) is prompt
            lengths.append(len(prompt))
            assert prompt.endswith(FORMS["json"].rpartition("}}")[2])
            assert f"You are {game.name(seat)}" in prompt or not fresh
            assert (game.prompts._rules in prompt) == (fresh or not brief)
            assert prompt.count("THE RULES") == (fresh or not brief)
            told = prompt.partition("SO FAR\n")[2].partition("\n\nTHE GAME NOW")[0]
            assert len(told) <= MOST_TOLD + 100
            last = game.transcript(seat)[-1:]
            assert brief or not last or last[0] in told
        done += len(chosen)
        if done >= 500:
            break
    assert done >= 500
    assert len("\n".join(game.transcript(0))) > MOST_TOLD
    assert max(lengths) < max(map(len, first.values())) + MOST_TOLD + 2000


def test_the_last_decisions_are_told_even_where_all_stand_in_one_long_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = registry.view(registry.game("matrix_overload"))
    endless = replace(view, turn=lambda record: "The only turn")
    monkeypatch.setitem(registry._views, "matrix_overload", endless)
    monkeypatch.setattr(prompts, "MOST_TOLD", 60)
    game = TextGame("matrix_overload")
    game.reset(seed=0)
    for _ in rounds(game, random.Random(0)):
        prompt, done = game.prompt(0), game.transcript(0)
        told = prompt.partition("SO FAR\n")[2].partition("\n\nTHE GAME NOW")[0]
        assert len(told) < 60 + 50
        assert not done or told.endswith(done[-1][-60:])
    assert len(done) < 10 < len(game.actions)
