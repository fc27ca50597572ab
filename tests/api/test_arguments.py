"""Wrong arguments: each error says what there is, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import gymnasium
import numpy as np
import pytest

import cyberdeck
from cyberdeck import CyberdeckError, OptionError, hackthegrid_v0, hovercrafts_v0, stacktrices_v0
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import Arguments
from cyberdeck.api.residual import residual_policy_kwargs
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.exact.values import OWN_VALUES
from cyberdeck.sb3 import make_vec_env
from tests.api.helpers import standing

HACK = "cyberdeck/HackTheGrid-v0"

#: What takes options of HACKtheGRID, and one thing that it takes besides.
ADAPTERS: dict[str, tuple[Callable[..., Any], str]] = {
    "make": (lambda **more: gymnasium.make(HACK, **more), "opponent"),
    "make_vec": (lambda **more: gymnasium.make_vec(HACK, num_envs=2, **more), "autoreset_mode"),
    "Batch": (lambda **more: cyberdeck.Batch("hackthegrid", 2, **more), "autoreset"),
    "make_vec_env": (lambda **more: make_vec_env("hackthegrid", 2, **more), "opponent"),
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


def _many(game: str, count: int = 2, **arguments: Any) -> CyberdeckVectorEnv:
    return CyberdeckVectorEnv(game, count, **arguments)


def _begun() -> CyberdeckVectorEnv:
    envs = _many("hackthegrid", 3)
    envs.reset(seed=1)
    return envs


@contextmanager
def _unchanged(env: Any) -> Iterator[None]:
    """Whatever is refused here, the games stay as they are."""
    before = standing(env._core)
    try:
        yield
    finally:
        assert standing(env._core) == before


def _reset(game: str, **options: Any) -> None:
    """Begin where it is not possible: before the first reset, and after it."""
    env = CyberdeckEnv(game)
    for seed in (1, 2):
        with pytest.raises(OptionError):
            env.reset(seed=seed, options=options)
        env.reset(seed=seed)
    with _unchanged(env):
        env.reset(seed=2, options=options)


def _reset_many(**arguments: Any) -> None:
    with _unchanged(envs := _begun()):
        envs.reset(**arguments)


def _plans(**actions: Any) -> None:
    env = hovercrafts_v0.parallel_env(ships=(1, 1), deployment="random", illegal="raise")
    env.reset(seed=1)
    with _unchanged(env):
        env.step(actions)


#: What the calls of ``refusals.txt`` name.
NAMES: dict[str, Any] = {
    "np": np,
    "env": CyberdeckEnv,
    "Batch": cyberdeck.Batch,
    "TextEnv": cyberdeck.TextEnv,
    "TextGame": cyberdeck.TextGame,
    "many": _many,
    "begun": _begun,
    "sb3": make_vec_env,
    "variant": cyberdeck.variant,
    "residual": residual_policy_kwargs,
    "hackthegrid": hackthegrid_v0,
    "stacktrices": stacktrices_v0,
    "hovercrafts": hovercrafts_v0,
    "plans": _plans,
    "reset": _reset,
    "reset_many": _reset_many,
}
REFUSALS = re.findall(
    r"^(\S.*)\n  (.*)$", Path(__file__).with_name("refusals.txt").read_text(), re.MULTILINE
)


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_what_is_not_possible_is_named(call: str, message: str) -> None:
    with pytest.raises(CyberdeckError) as told:
        eval(call, NAMES)
    words = f"{type(told.value).__name__}: {told.value}"
    expected = message if re.match(r"\w+Error: ", message) else rf"\w*OptionError: .*{message}"
    assert re.match(f"(?s){expected}", words), words


def test_a_seat_has_a_name() -> None:
    one = gymnasium.make(HACK, seat="row")
    assert one.reset(seed=0)[1]["seat"] == 1


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.array, lambda one: np.array([one])])
def test_whole_numbers_of_any_type_are_actions(kind: Any) -> None:
    """Also an array of one: what a policy answers to one observation."""
    env, other = CyberdeckEnv("matrix_overload"), CyberdeckEnv("matrix_overload")
    action = int(env.reset(seed=1)[1]["action_mask"].argmax())
    other.reset(seed=1)
    env.step(kind(action))
    other.step(action)
    assert env.get_state() == other.get_state()


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
