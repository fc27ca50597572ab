"""Games in words where a move is the argument of a tool: the form of answers, and TRL's games."""

from __future__ import annotations

import inspect
import json
import random
import time
from typing import Any

import numpy as np
import pytest

from cyberdeck import TextEnv, TextGame, notation
from cyberdeck.engine.policy import VOID, Policy, PolicyInput
from cyberdeck.errors import EpisodeError, OptionError
from cyberdeck.text.splits import split_seed
from cyberdeck.text.trl import CyberdeckGame, environment_factory
from tests.text.playing import KINDS, of_kind, played


class Fails(Policy):
    """Cannot be asked: its machine fails, or it is broken."""

    may_give_up = True

    def __init__(self, broken: bool) -> None:
        self.name, self.broken = "the machine", broken

    def decide(self, seen: PolicyInput) -> Any:
        if self.broken:
            raise ZeroDivisionError("a mistake in the opponent")
        return np.full(len(seen), VOID)


def a_move(env: CyberdeckGame, luck: random.Random) -> str:
    """A legal move of the learner."""
    game = env.text.game
    return luck.choice([*notation.legal(game).values()])


def played_out(env: CyberdeckGame, luck: random.Random) -> list[str]:
    """What is told after each move of a game to its end."""
    told = []
    while not env.text.game.over:
        told.append(env.move(a_move(env, luck)))
    return told


# --- the form -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_prompts_for_tools_say_nothing_of_json(name: str) -> None:
    prompts: list[tuple[int, str]] = []
    played(TextGame(of_kind(name), form="tool"), 0, prompts)
    spoken: list[tuple[int, str]] = []
    played(TextGame(of_kind(name)), 0, spoken)
    for (seat, prompt), (same, told) in zip(prompts, spoken, strict=True):
        before, _, form = prompt.rpartition("\n\n")
        assert (seat, before) == (same, told.rpartition("\n\n")[0])
        assert form.startswith('Call the tool "move" with your move, in this form: ')
        assert "JSON" not in prompt
        example = form.rpartition("form: ")[2]
        assert f'{{"move": "{example}"}}' in told


def test_a_reply_to_a_tool_says_nothing_of_json() -> None:
    env = TextEnv("hackthegrid", seat="row", form="tool")
    env.reset(0)
    for said in ('{"move": "R9"}', "no"):
        assert env.step(said)[0].endswith('Call the tool "move" with your move, in this form: R0')


def test_a_form_that_there_is_not_is_an_error() -> None:
    with pytest.raises(OptionError, match=r"form='tools' .*choose one of json, tool.*mean tool"):
        TextGame("hackthegrid", form="tools")


# --- a row is a game ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_rows_alike_are_games_alike(name: str) -> None:
    make = environment_factory(of_kind(name))
    courses = []
    for _ in range(2):
        env = make()
        env.reset(seed=1)
        env.move("what was before does not matter")
        first = env.reset(prompt=[{"role": "user"}], split="test", index=3, environment="a name")
        told = played_out(env, random.Random(7))
        courses.append((first, told, env.get_reward()))
    assert courses[0] == courses[1]
    assert make().reset(seed=split_seed("test", 3)) == courses[0][0]


def test_the_process_s_generators_are_neither_seeded_nor_drawn_from() -> None:
    make = environment_factory("hackthegrid", opponent=["random", "heuristic"])
    courses = []
    for number in (1, 2):
        random.seed(number)
        np.random.seed(number)  # noqa: NPY002
        before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
        env = make()
        told = [env.reset(seed=3), env.move("nothing"), *played_out(env, random.Random(7))]
        assert before == (random.getstate(), str(np.random.get_state()))  # noqa: NPY002
        courses.append((told, env.get_reward()))
    assert courses[0] == courses[1]


def test_other_seeds_are_other_games() -> None:
    env = environment_factory("hackthegrid")()
    assert len({env.reset(split="train", index=index) for index in range(8)}) == 8


@pytest.mark.parametrize(
    "row", [{}, {"split": "test"}, {"index": 1}, {"seed": 1, "split": "test", "index": 1}]
)
def test_a_row_that_names_no_game_is_an_error(row: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="names no game: give it a seed, or a split and an index"):
        environment_factory("hackthegrid")().reset(**row)


def test_what_is_impossible_is_an_error_before_training() -> None:
    with pytest.raises(OptionError, match="seat="):
        environment_factory("hackthegrid", seat="nobody")


def test_a_thousand_environments_take_no_time() -> None:
    make = environment_factory("hovercrafts")
    make().reset(seed=0)
    start = time.process_time()
    assert len([make() for _ in range(1000)]) == 1000
    assert time.process_time() - start < 5


@pytest.mark.parametrize("name", KINDS)
def test_all_that_is_told_is_what_text_env_says(name: str) -> None:
    env, luck = environment_factory(of_kind(name), brief=True)(), random.Random(1)
    twin = TextEnv(of_kind(name), brief=True, form="tool")
    assert env.reset(seed=4) == twin.reset(4)[0]
    while not env.text.game.over:
        move = luck.choice(["nothing", a_move(env, luck), a_move(env, luck)])
        assert env.move(move) == twin.step(json.dumps({"move": move}))[0]


def test_what_the_model_writes_beside_its_move_does_not_come_back() -> None:
    env = environment_factory("hackthegrid", seat="row", opponent="heuristic")()
    env.reset(seed=0)
    luck, secret = random.Random(0), "I hold the king, so I bluff"
    while not env.text.game.over:
        assert secret in env.move(f"{secret}: {a_move(env, luck)}")  # only in what was wrong
        assert secret not in env.move(a_move(env, luck))


# --- the tool -------------------------------------------------------------------------------------


def test_the_only_tool_is_the_move() -> None:
    public = {
        name
        for name, _ in inspect.getmembers(CyberdeckGame, inspect.isfunction)
        if not name.startswith("_")
    }
    assert public == {"reset", "get_reward", "move"}
    assert [*inspect.signature(environment_factory("hackthegrid")().move).parameters] == ["move"]


def test_a_move_that_is_not_legal_may_be_made_again() -> None:
    env = environment_factory("hackthegrid", seat="row", retries=1)()
    env.reset(seed=0)
    assert env.move("R9").startswith("'R9' is no legal move now.\n\nYou have 1 try left.")
    assert "SO FAR" in env.move("R1")
    env.move("R9")
    assert env.move("}").startswith("The game is over.")
    assert env.get_reward() == -1
    assert env.text.game.gave_up == env.text.own


def test_an_argument_that_is_no_text_is_read_as_in_any_answer() -> None:
    env = environment_factory("hackthegrid", seat="row")()
    env.reset(seed=0)
    said: Any = ["R1"]
    assert "no move in the form that is needed" in env.move(said)
    said = 0  # an action's number
    assert "SO FAR" in env.move(said)


def test_nothing_is_moved_after_the_end() -> None:
    env = environment_factory("hackthegrid")()
    env.reset(seed=0)
    played_out(env, random.Random(0))
    reward = env.get_reward()
    with pytest.raises(EpisodeError, match="The game is over"):
        env.move("R1")
    assert env.get_reward() == reward


# --- the reward -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_the_reward_is_what_the_game_has_brought(name: str) -> None:
    env = environment_factory(of_kind(name))()
    rewards = set()
    for seed in range(9):
        env.reset(seed=seed)
        played_out(env, random.Random(seed))
        rewards.add(env.get_reward())
        assert env.get_reward() == pytest.approx(env.text.game.returns[env.text.own[0]])
    assert len(rewards) > (name != "matrix_overload")  # which chance does not win


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("hackthegrid", {"seat": "row"}),
        ("stacktrices", {"max_turns": 8}),
        ("hovercrafts", {"ships": (2, 2), "seat": "team", "max_turns": 4}),
    ],
)
def test_a_game_that_the_model_leaves_is_lost(name: str, how: dict[str, Any]) -> None:
    env = environment_factory(name, **how)()
    for moves in range(3):
        env.reset(seed=2)
        luck = random.Random(0)
        for _ in range(moves):
            env.move(a_move(env, luck))
        assert not env.text.game.over
        assert (env.get_reward(), env.get_reward()) == (-1, -1)
        assert {*env.text.game.gave_up} <= {*env.text.own}
        assert env.text.game.gave_up


def test_a_game_that_is_void_has_no_reward() -> None:
    env = environment_factory("hackthegrid", seat="row", opponent=Fails(broken=False))()
    env.reset(seed=0)
    assert "does not count" in env.move("R1")
    assert env.get_reward() is None
    with pytest.raises(EpisodeError):
        env.move("R2")


def test_a_game_that_is_void_before_the_first_move_has_no_reward() -> None:
    env = environment_factory("hackthegrid", seat="column", opponent=Fails(broken=False))()
    assert "does not count" in env.reset(seed=0)
    with pytest.raises(EpisodeError):
        env.move("C1")
    assert env.get_reward() is None


def test_a_mistake_in_an_opponent_is_raised_and_no_reward() -> None:
    env = environment_factory("hackthegrid", seat="row", opponent=Fails(broken=True))()
    env.reset(seed=0)
    with pytest.raises(ZeroDivisionError):
        env.move("R1")  # TRL tells the model of it and goes on
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="a mistake in the opponent"):
            env.get_reward()
