"""Wrong arguments: each error says what there is, and what was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import ActionError, OptionError, hackthegrid_v0, hovercrafts_v2, stacktrices_v0
from cyberdeck.api.pettingzoo_env import Arguments
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.hackthegrid_v0 import env, raw_env

#: What takes options of HACKtheGRID, and one thing that it takes besides.
ADAPTERS: dict[str, tuple[Callable[..., Any], str]] = {
    "make": (lambda **more: gymnasium.make("cyberdeck/HackTheGrid-v0", **more), "opponent"),
    "make_vec": (
        lambda **more: gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=2, **more),
        "autoreset_mode",
    ),
    "Batch": (lambda **more: cyberdeck.Batch("hackthegrid", 2, **more), "autoreset"),
    "SB3VecEnv": (lambda **more: SB3VecEnv("hackthegrid", 2, **more), "opponent"),
    "env": (env, "render_mode"),
    "raw_env": (raw_env, "illegal"),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_unknown_argument_is_told_all_that_there_is(name: str) -> None:
    adapter, own = ADAPTERS[name]
    # A TypeError in Python's words, too: libraries that try an argument go on without it.
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'frameskip'") as told:
        adapter(frameskip=1)
    assert isinstance(told.value, OptionError)
    for each in ("scramble", own):
        assert each in str(told.value)


@pytest.mark.parametrize(
    ("given", "meant"), [("opponents", "opponent"), ("scrambel", "scramble"), ("rewards", "reward")]
)
def test_the_nearest_name_is_asked_for(given: str, meant: str) -> None:
    with pytest.raises(OptionError, match=rf"{given!r} \(did you mean {meant}\?\)"):
        gymnasium.make("cyberdeck/HackTheGrid-v0", **{given: "random"})


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("hackthegird", r"did you mean hackthegrid\?"),
        ("cyberdeck/HackTheGrid-v0", "it is an id: the game is hackthegrid"),
    ],
)
def test_a_game_by_another_name(name: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        SB3VecEnv(name, 2)


def test_a_seat_has_a_name() -> None:
    one = gymnasium.make("cyberdeck/HackTheGrid-v0", seat="row")
    assert one.reset(seed=0)[1]["seat"] == 1


def test_an_illegal_action_is_told_its_cures() -> None:
    one = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0).unwrapped
    _, info = one.reset(seed=0)
    with pytest.raises(ActionError, match=r"The action mask says which are; with illegal='lose'"):
        one.step(int(info["action_mask"].argmin()))


def test_what_a_policy_answers_to_one_observation_is_an_action() -> None:
    one = gymnasium.make("cyberdeck/HackTheGrid-v0", seat=0).unwrapped
    _, info = one.reset(seed=0)
    one.step(np.array([info["action_mask"].argmax()]))


def test_actions_have_names_in_every_row() -> None:
    batch = cyberdeck.Batch("hackthegrid", 2, seed=0)
    assert batch.action_name(1, 68) == "decline the swap"
    with pytest.raises(ActionError, match="action 69 does not exist: actions are 0 to 68"):
        batch.action_name(0, 69)
    with pytest.raises(OptionError, match="rows are 0 to 1"):
        batch.action_name(2, 0)


def test_videos_of_many_games_are_as_fast_as_those_of_one() -> None:
    many = gymnasium.make_vec(
        "cyberdeck/HackTheGrid-v0", num_envs=2, vectorization_mode="vector_entry_point"
    )
    one = gymnasium.make("cyberdeck/HackTheGrid-v0")
    assert many.metadata["render_fps"] == one.metadata["render_fps"]


@pytest.mark.parametrize("module", [hackthegrid_v0, stacktrices_v0, hovercrafts_v2])
def test_modules_name_the_options_of_their_game(module: ModuleType) -> None:
    """What type checkers know of ``env()`` is what it takes."""
    game = cyberdeck.game(module.__name__.removeprefix("cyberdeck.").rpartition("_v")[0])
    hints = get_type_hints(module.Options)
    assert hints.keys() - get_type_hints(Arguments).keys() == {each.name for each in game.options}
    for option in game.options:
        if option.choices == (False, True):
            assert hints[option.name] is bool
        elif option.choices:
            assert get_origin(hints[option.name]) is Literal
            assert set(get_args(hints[option.name])) == set(option.choices)
    for name in set(module.__all__) - {"Options"}:
        assert getattr(module, name).__doc__


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32")])
def test_a_type_of_numbers_may_be_numpys_own(dtype: Any) -> None:
    env = gymnasium.make("cyberdeck/HackTheGrid-v0", dtype=dtype)
    assert env.observation_space.dtype == np.float32
    with pytest.raises(OptionError, match="'int8' or 'float32'"):
        gymnasium.make("cyberdeck/HackTheGrid-v0", dtype=np.float64)


def test_many_games_have_no_attributes_of_their_own() -> None:
    envs = gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=2)
    with pytest.raises(OptionError, match="rows of one array"):
        envs.set_attr("render_mode", "ansi")  # type: ignore[attr-defined]


def test_an_id_alone_serves_libraries_that_know_no_masks() -> None:
    """Every game has one more, in which illegal actions lose and numbers are float32."""
    for name in cyberdeck.GAMES:
        stem, version = cyberdeck.game(name).gym_id.rsplit("-", 1)
        env = gymnasium.make(f"{stem}-Lose-{version}")
        assert env.observation_space.dtype == np.float32
        _, info = env.reset(seed=1)
        *_, terminated, _, _ = env.step(int(info["action_mask"].argmin()))
        assert terminated
