"""Games in words where a move is the argument of a tool: TRL's games, without TRL."""

from __future__ import annotations

import inspect
import random
from typing import Any, cast

import pytest

from cyberdeck import notation
from cyberdeck.errors import EpisodeError
from cyberdeck.text.trl import CyberdeckGame, environment_factory
from tests.text.playing import Machine

ENDS = {
    "hackthegrid": {"seat": "row"},
    "stacktrices": {"max_turns": 8},
    "hovercrafts": {"ships": (2, 2), "seat": "team", "max_turns": 4},
}


def begun(**how: Any) -> CyberdeckGame:
    """A game of HACKtheGRID that row begins."""
    env = environment_factory("hackthegrid", **{"seat": "row", **how})()
    env.reset(seed=0)
    return env


def test_the_only_tool_is_the_move() -> None:
    public = {name for name in vars(CyberdeckGame) if not name.startswith("_")}
    assert public == {"reset", "get_reward", "move"}
    assert [*inspect.signature(begun().move).parameters] == ["move"]


def test_a_move_that_is_not_legal_may_be_made_again() -> None:
    """An argument that is no text is read as in any answer: a number is an action's."""
    env, list_of_moves, first_row = begun(retries=1), cast(Any, ["R1"]), cast(Any, 0)
    told = env.move("R9")
    assert told.startswith("'R9' cannot be read as a move. Moves are written like R")
    assert "You have 1 try left to name a legal move; after the last you lose." in told
    assert told.rpartition(": ")[0].endswith('Call the tool "move" with your move, in this form')
    assert "no move in the form that is needed" in env.move(list_of_moves)
    assert "SO FAR" in env.move(first_row)
    env.move("R9")
    assert "\n\nThe game is over. " in env.move("}")
    assert env.get_reward() == -1
    assert env.text.game.gave_up == env.text.own


@pytest.mark.parametrize("name", ENDS)
def test_a_game_that_the_model_leaves_is_lost_and_nothing_is_moved_after_the_end(name: str) -> None:
    env, luck = environment_factory(name, **ENDS[name])(), random.Random(0)
    for moves in range(3):
        env.reset(seed=2)
        for _ in range(moves):
            env.move(luck.choice([*notation.legal(env.text.game).values()]))
        assert not env.text.game.over
        assert (env.get_reward(), env.get_reward()) == (-1, -1)
        assert {*env.text.game.gave_up} <= {*env.text.own}
        assert env.text.game.gave_up
    with pytest.raises(EpisodeError, match="The game is over"):
        env.move("R1")
    assert env.get_reward() == -1


def test_a_game_that_is_void_has_no_reward() -> None:
    env = begun(opponent=Machine())
    assert "does not count" in env.move("R1")
    other = environment_factory("hackthegrid", seat="column", opponent=Machine())()
    assert "does not count" in other.reset(seed=0)  # before the first move
    for each in (env, other):
        assert each.get_reward() is None
        with pytest.raises(EpisodeError):
            each.move("R2")


def test_a_mistake_in_an_opponent_is_raised_and_no_reward() -> None:
    env = begun(opponent=Machine(ZeroDivisionError("a mistake in the opponent")))
    with pytest.raises(ZeroDivisionError):
        env.move("R1")  # TRL tells the model of it and goes on
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="a mistake in the opponent"):
            env.get_reward()
