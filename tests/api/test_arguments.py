"""Wrong arguments: each error says what there is, and what was probably meant."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import ActionError, OptionError, hackthegrid_v0, hovercrafts_v0, stacktrices_v0
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import Arguments
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.players.solvers import OWN_VALUES

HACK = "cyberdeck/HackTheGrid-v0"

#: What takes options of HACKtheGRID, and one thing that it takes besides.
ADAPTERS: dict[str, tuple[Callable[..., Any], str]] = {
    "make": (lambda **more: gymnasium.make(HACK, **more), "opponent"),
    "make_vec": (lambda **more: gymnasium.make_vec(HACK, num_envs=2, **more), "autoreset_mode"),
    "Batch": (lambda **more: cyberdeck.Batch("hackthegrid", 2, **more), "autoreset"),
    "SB3VecEnv": (lambda **more: SB3VecEnv("hackthegrid", 2, **more), "opponent"),
    "env": (hackthegrid_v0.env, "render_mode"),
    "raw_env": (hackthegrid_v0.raw_env, "illegal"),
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
    ("game", "arguments", "message"),
    [
        ("hackthegrid", {"opponents": "random"}, r"'opponents' \(did you mean opponent\?\)"),
        ("hackthegrid", {"scrambel": "on_take"}, r"'scrambel' \(did you mean scramble\?\)"),
        ("hackthegird", {}, r"no game 'hackthegird' \(did you mean hackthegrid\?\)"),
        (HACK, {}, "it is an id: the game is hackthegrid"),
        ("hackthegrid", {"seat": 2}, r"seat=2 .*'random' or one of 0 \(column\), 1 \(row\)"),
        ("hackthegrid", {"seat": True}, "seat=True"),
        ("hackthegrid", {"seat": "every"}, "'every' is for cyberdeck.Batch and PettingZoo"),
        ("hackthegrid", {"opponent": []}, r"opponent=\[\] is an empty pool"),
        ("hackthegrid", {"opponent": ["random", "best"]}, "opponent='best'"),
        ("hackthegrid", {"opponent": 3}, "opponent=3"),
        ("hackthegrid", {"opponent": ["random", None]}, "opponent=None"),
        ("hackthegrid", {"ally": "random"}, "HACKtheGRID has no teams: leave out ally="),
        ("hackthegrid", {"illegal": "ignore"}, "illegal='ignore'"),
        ("hackthegrid", {"mask": "infos"}, "did you mean info.*'observation' or 'info' or 'both'"),
        ("hackthegrid", {"dtype": np.float64}, "dtype='float64' .*'int8' or 'float32'"),
        ("hackthegrid", {"render_theme": "grey"}, "render_theme='grey' .*'dark' or 'light'"),
        ("hackthegrid", {"scramble": "later"}, "on_take.*at_end"),
        ("hackthegrid", {"deck": [("NET NODE", 0)] * 15}, "deck: give 16 rows, .* list of 15"),
        ("hackthegrid", {"deck": [("NET NODE", 8)] * 16}, r"deck\[0\]: colour=8 is not possible"),
        ("hackthegrid", {"deck": [("NODE", 1)] * 16}, r"deck\[0\]: kind='NODE' is not possible"),
        ("hackthegrid", {"deck": "default"}, "deck: give 16 rows, .*, not 'default'"),
        ("matrix_overload", {"seat": 1}, "a game for one: leave out seat=, opponent= and ally="),
        ("matrix_overload", {"opponent": "random"}, "game for one"),
        ("matrix_overload", {"ally": "random"}, "game for one"),
        ("matrix_overload", {"max_steps": 0}, "1 to 1000000"),
        ("matrix_overload", {"max_steps": True}, "whole number"),
        ("stacktrices", {"max_turns": 1}, "2 to 1000000"),
        ("stacktrices", {"seat": "team"}, "seat='team'"),
        ("stacktrices", {"first": False}, "0, 1, 'random'"),
        ("stacktrices", {"steal_on_attack": 1}, "False, True"),
        *(
            (game, {"observation": "advised"}, "observation='advised' is now called 'prior'")
            for game in ("hackthegrid", "stacktrices", "hovercrafts")
        ),
        ("hovercrafts", {"seat": "team", "ally": "random"}, "plays the whole team"),
        ("hovercrafts", {"seat": "neo"}, "seat='neo' .*'random', 'team', 'zion', 'machines'"),
        ("hovercrafts", {"seat": 0, "ally": "neo"}, "ally='neo'"),
    ],
)
def test_arguments_that_are_not_possible_are_named(
    game: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        CyberdeckEnv(game, **arguments)


BATCH, VECTOR, SB3 = cyberdeck.Batch, CyberdeckVectorEnv, SB3VecEnv


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (BATCH, {"count": 0}, "at least 1"),
        (BATCH, {"count": 1.5}, "at least 1"),
        (BATCH, {"autoreset": "later"}, "'next_step', 'same_step', 'disabled'"),
        (BATCH, {"seat": None}, "seat=None"),
        (BATCH, {"seat": 0, "opponent": "best"}, "best"),
        (BATCH, {"opponent": "heuristic"}, "other seats than the learner's: give seat="),
        (BATCH, {"game": "hovercrafts", "ally": "random"}, "ally= is for one seat of a team"),
        (BATCH, {"illegal": "skip"}, "skip"),
        (BATCH, {"seed": 0.5}, "seed=0.5"),
        (VECTOR, {"num_envs": 0}, "at least 1"),
        (VECTOR, {"num_envs": True}, "at least 1"),
        (VECTOR, {"autoreset_mode": "Later"}, "NextStep.*SameStep.*Disabled"),
        (VECTOR, {"autoreset_mode": None}, "NextStep"),
        (VECTOR, {"render_mode": "human"}, "'rgb_array' or 'ansi'"),
        (VECTOR, {"seat": "every"}, "every"),
        (VECTOR, {"max_episode_steps": 0}, "max_episode_steps=0"),
        (VECTOR, {"max_episode_steps": 2.5}, "max_episode_steps=2.5"),
        (SB3, {"render_mode": "human"}, "rgb_array"),
        (SB3, {"game": "hackthegird", "n_envs": 2}, r"did you mean hackthegrid\?"),
        (hackthegrid_v0.env, {"illegal": "raise"}, r"illegal= is settled: env\(\) lets"),
        (hackthegrid_v0.env, {"seat": 0}, "'seat'"),
        (hackthegrid_v0.raw_env, {"deck": []}, "deck: give 16 rows"),
    ],
)
def test_every_interface_names_its_own_arguments(
    make: Callable[..., Any], arguments: dict[str, Any], message: str
) -> None:
    usual = {} if make in (hackthegrid_v0.env, hackthegrid_v0.raw_env) else {"game": "hackthegrid"}
    usual |= {"count": 2} if make is BATCH else {}
    with pytest.raises(OptionError, match=message):
        make(**{**usual, **arguments})


def test_a_seat_has_a_name() -> None:
    one = gymnasium.make(HACK, seat="row")
    assert one.reset(seed=0)[1]["seat"] == 1


def test_an_illegal_action_is_told_its_cures() -> None:
    one = gymnasium.make(HACK, seat=0).unwrapped
    _, info = one.reset(seed=0)
    with pytest.raises(ActionError, match=r"The action mask says which are; with illegal='lose'"):
        one.step(int(info["action_mask"].argmin()))


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.array, lambda one: np.array([one])])
def test_whole_numbers_of_any_type_are_actions(kind: Any) -> None:
    """Also an array of one: what a policy answers to one observation."""
    env, other = CyberdeckEnv("matrix_overload"), CyberdeckEnv("matrix_overload")
    action = int(env.reset(seed=1)[1]["action_mask"].argmax())
    other.reset(seed=1)
    env.step(kind(action))
    other.step(action)
    assert env.get_state() == other.get_state()


def test_actions_have_names_in_every_row() -> None:
    batch = cyberdeck.Batch("hackthegrid", 2, seed=0)
    assert batch.action_name(1, 68) == "decline the swap"
    with pytest.raises(ActionError, match="action 69 does not exist: actions are 0 to 68"):
        batch.action_name(0, 69)
    with pytest.raises(OptionError, match="rows are 0 to 1"):
        batch.action_name(2, 0)


@pytest.mark.parametrize("module", [hackthegrid_v0, stacktrices_v0, hovercrafts_v0])
def test_modules_name_the_options_of_their_game(module: ModuleType) -> None:
    """What type checkers know of ``env()`` is what it takes."""
    game = cyberdeck.game(module.__name__.removeprefix("cyberdeck.").rpartition("_v")[0])
    hints = get_type_hints(module.Options)
    assert hints["disguise"] is int
    assert hints.keys() - get_type_hints(Arguments).keys() == {each.name for each in game.options}
    for option in game.options:
        if option.choices == (False, True):
            assert hints[option.name] is bool
        elif option.choices:
            assert get_origin(hints[option.name]) is Literal
            more = {"regret"} if option.name == "reward" and game.name in OWN_VALUES else set()
            assert set(get_args(hints[option.name])) == {*option.choices, *more}
    for name in set(module.__all__) - {"Options"}:
        assert getattr(module, name).__doc__


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32")])
def test_a_type_of_numbers_may_be_numpys_own(dtype: Any) -> None:
    assert gymnasium.make(HACK, dtype=dtype).observation_space.dtype == np.float32


def test_an_id_alone_serves_libraries_that_know_no_masks() -> None:
    """Every game has one more, in which illegal actions lose and numbers are float32."""
    for name in cyberdeck.GAMES:
        stem, version = cyberdeck.game(name).gym_id.rsplit("-", 1)
        env = gymnasium.make(f"{stem}-Lose-{version}")
        assert env.observation_space.dtype == np.float32
        _, info = env.reset(seed=1)
        *_, terminated, _, _ = env.step(int(info["action_mask"].argmin()))
        assert terminated
