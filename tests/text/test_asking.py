"""What is asked in games in words, and how again: one question after another, up to the ending."""

from __future__ import annotations

import multiprocessing
import pickle
import random
import re
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from cyberdeck import TextEnv, TextGame, showing
from cyberdeck.engine.constants import NOBODY
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import DISABLED
from cyberdeck.text.prompts import FORMS
from tests.text.playing import KINDS, legal, move, of_kind, played, rounds


def begun(name: str, **how: Any) -> tuple[TextGame, int]:
    """A new game, and who owes the first answer."""
    game = TextGame(name, **how)
    game.reset(0)
    return game, game.deciding[0]


WRONG: dict[str, dict[str, bool]] = {  # what is no legal move: whether it is one of the game
    "hackthegrid": {"decline": True, "68": True, "69": False, "row 1": False, "R4": False},
    "stacktrices": {"W0-g7": True, "end": True, "turn right": False, "W0-h8": False},
    "hovercrafts": {"move": True, "row 9 N": False, "11 to 12": False},
}


@pytest.mark.parametrize("name", WRONG)
def test_a_retry_tells_what_is_not_legal_now_from_what_is_no_move(name: str) -> None:
    for said, known in WRONG[name].items():
        game, seat = begun(name)
        reply = game.answer(seat, move(said)).reply
        assert reply.startswith(f"'{said}' is a move of the game, but not legal now.") == known
        assert reply.startswith(f"'{said}' cannot be read as a move. Moves are written ") != known
        assert game.answer(seat, reply.splitlines()[-2]).kind == "move"  # its example


def test_who_has_no_try_left_takes_the_team_along_and_is_told_so() -> None:
    game, seat = begun("hovercrafts", ships=(2, 2), max_turns=4)
    assert "after the last your side loses." in game.answer(seat, "move").reply


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", KINDS)
def test_the_example_is_a_legal_move_that_what_is_seen_draws(name: str, form: str) -> None:
    drawn, choices = set[int](), 0
    for seed in range(2):
        games = [TextGame(of_kind(name), form=form, list_moves=listed) for listed in (False, True)]
        for game in games:
            game.reset(seed)
        for chosen in rounds(games[0], random.Random(seed)):
            for seat, action in chosen:
                legal = [*games[0].legal(seat).values()]
                shown = {re.split('form: |"move": "', game.prompt(seat))[-1] for game in games}
                (example,) = {each.split('"}')[0] for each in shown}
                assert example in legal
                choices += len(legal) > 1
                drawn.add(legal.index(example))
                games[1].answer(seat, move(action))
    assert choices == 0 or len(drawn) > 1


@pytest.mark.parametrize("name", KINDS)
def test_nobody_is_asked_where_one_action_alone_is_legal(name: str) -> None:
    game, asked = TextGame(of_kind(name)), list[int]()
    for seed in range(3):
        played(game, seed)
        batch, choices = GameBatch(game.variant, 1, autoreset=DISABLED), 0
        batch.reset([seed])
        for action in game.actions:  # which has those, too
            choices += int(batch.one_mask.sum()) > 1
            batch.advance_one(action)
        asked += [sum(game.answers(seat).get("move", 0) for seat in range(game.variant.seats))]
        assert asked[-1] == choices
        assert batch.movers[0] == NOBODY
    assert sum(asked) > 0


def test_a_learner_without_any_choice_is_asked_all_the_same() -> None:
    """A game that began would be over before its first prompt."""
    env = TextEnv(of_kind("liars_dice"), opponent="random")
    none = 0
    for seed in range(60):
        env.reset(seed)
        none += len(env.game.legal(env.own[0])) == 1
    assert none > 0


def test_a_team_is_told_whose_decision_it_is() -> None:
    env = TextEnv("hovercrafts", seat="team", brief=True, ships=(2, 2), max_turns=4)
    prompt = env.reset(3)[0]
    told = set[str]()
    for _ in range(20):
        name = showing.seat_name(env.variant, env.game.core.states, env.game.deciding[0])
        assert f"\n\nYou decide for {name} now.\n\nAnswer with" in prompt
        told.add(name)
        prompt, *_ = env.step(move(legal(env.game, env.game.deciding[0])[0]))
        if env.over:
            break
    assert len(told) == 2
    assert "You decide for" not in TextEnv("hovercrafts").reset(3)[0]


@pytest.mark.parametrize("brief", [False, True])
@pytest.mark.parametrize("name", KINDS)
def test_what_the_last_turn_brought_is_told_with_the_ending(name: str, brief: bool) -> None:
    env = TextEnv(of_kind(name), brief=brief)
    env.reset(seed=1)
    while not env.over:
        seat = env.game.deciding[0]
        before = len(env.game.transcript(seat))
        told = env.step(move(legal(env.game, seat)[0]))[0]
    known, _, ending = told.partition("\n\nThe game is over. ")
    assert ending == f"{env.game.ending(seat).words}."
    assert known.startswith("SINCE THEN\n")
    assert known.count("\n") >= len(env.game.transcript(seat)) - before
    assert known.endswith(env.game.transcript(seat)[-1].rpartition(", ")[2])


@pytest.mark.parametrize(
    ("said", "cut_off", "reason"),
    [
        ("no move", False, "unparsable"),
        (move("R9"), False, "illegal_action"),
        (move("R1"), True, "cut_off"),
    ],
)
def test_who_loses_by_an_answer_is_told_what_it_was(said: str, cut_off: bool, reason: str) -> None:
    env = TextEnv("hackthegrid", retries=0)
    for _ in range(2):
        assert env.reset(seed=1)[1]["reason"] == ""
        assert env.step(said, cut_off=cut_off)[-1]["reason"] == reason
    env.reset(seed=1)
    while not env.over:
        reason = env.step(move(legal(env.game, env.game.deciding[0])[0]))[-1]["reason"]
    assert reason == env.game.core.game.reasons[env.game.core.reasons.item(0)]


def test_a_game_for_one_has_the_seat_that_is_drawn() -> None:
    told = [TextEnv("matrix_overload", **how).reset(1) for how in ({}, {"seat": "random"})]
    assert told[0] == told[1]


def two_steps(pickled: bytes) -> tuple[Any, ...]:
    """What is told by a game that is unpickled and goes on."""
    env, told = pickle.loads(pickled), []
    while len(told) < 2 and not env.over:
        told.append(env.step(move(legal(env.game, env.game.deciding[0])[0])))
    return told, env.game.transcript(env.own[0]), env.game.actions, env.reset()


def pickled_game(name: str, **how: Any) -> bytes:
    env = TextEnv(of_kind(name) if "disguise" not in how else name, **how)
    env.reset(seed=2)
    env.step("no move")
    env.step(move(legal(env.game, env.game.deciding[0])[0]))
    assert not env.over
    pickled = pickle.dumps(env)
    assert two_steps(pickled) == two_steps(pickle.dumps(env.clone()))
    assert env.game.core.states.tobytes() == pickle.loads(pickled).game.core.states.tobytes()
    return pickled


@pytest.mark.parametrize("name", KINDS)
def test_a_game_goes_on_where_it_is_unpickled(name: str) -> None:
    pickled_game(name)


def test_games_that_are_seen_otherwise_are_pickled_too() -> None:
    pickled_game("hackthegrid", disguise=3)
    pickled_game("liars_dice", beliefs="random", brief=True)


@pytest.mark.slow  # Python and its libraries are loaded once more
def test_a_game_goes_on_in_another_process() -> None:
    games = [pickled_game(name) for name in KINDS]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        assert [*other.map(two_steps, games)] == [*map(two_steps, games)]
