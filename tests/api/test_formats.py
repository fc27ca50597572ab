"""Where the mask lies, of which type observations are, and infos that can be stacked."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from cyberdeck import OptionError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import parallel_env, raw_env
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv

# PettingZoo's tests import an env of its own in a way that it deprecates itself.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)


def test_games_that_were_cut_short_wait_for_their_reset() -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 4, autoreset_mode="Disabled", max_episode_steps=1)
    envs.reset(seed=0)
    assert envs.step(envs.choose("random"))[3].all()
    with pytest.raises(ValueError, match=r"games \[0, 1, 2, 3\] are over"):
        envs.step(envs.choose("random"))
    envs.reset(options={"reset_mask": np.ones(4, np.bool_)})
    assert envs.step(envs.choose("random"))[3].all()


def test_a_loaded_game_has_all_its_decisions_left() -> None:
    envs = CyberdeckVectorEnv("stacktrices", 2, max_episode_steps=3)
    envs.reset(seed=0)
    envs.step(envs.choose("random"))
    envs.set_state(1, envs.get_state(1))
    cut = [envs.step(envs.choose("random"))[3].tolist() for _ in range(3)]
    assert cut == [[False, False], [True, False], [False, True]]


def test_a_game_for_one_has_no_ally() -> None:
    with pytest.raises(OptionError, match="leave out seat=, opponent= and ally="):
        CyberdeckEnv("matrix_overload", ally="random")


@pytest.mark.parametrize("limit", [0, -1, 2.5, "7"])
def test_an_impossible_limit_is_refused(limit: Any) -> None:
    with pytest.raises(OptionError, match="max_episode_steps="):
        CyberdeckVectorEnv("hackthegrid", 2, max_episode_steps=limit)


def test_sb3_learns_from_dictionaries() -> None:
    from sb3_contrib import MaskablePPO

    envs = SB3VecEnv("hackthegrid", 4, mask="observation", dtype="float32", seed=0)
    MaskablePPO("MultiInputPolicy", envs, n_steps=8, batch_size=16, n_epochs=1).learn(32)


@pytest.mark.parametrize(
    "made",
    [
        lambda **more: CyberdeckEnv("hackthegrid", **more),
        lambda **more: CyberdeckVectorEnv("hackthegrid", 2, **more),
        lambda **more: SB3VecEnv("hackthegrid", 2, **more),
        lambda **more: raw_env("hackthegrid", **more),
        lambda **more: parallel_env("hovercrafts", **more),
    ],
)
def test_other_values_are_refused(made: Any) -> None:
    with pytest.raises(OptionError, match=r"mask='infos' .*did you mean info.*'observation' or"):
        made(mask="infos")
    with pytest.raises(OptionError, match=r"dtype='float64' .*'int8' or 'float32'"):
        made(dtype="float64")


def test_every_game_answers() -> None:
    """``call`` and ``get_attr``, as of Gymnasium's own vector envs."""
    native = gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=3, render_mode="ansi")
    single = gymnasium.make_vec(
        "cyberdeck/HackTheGrid-v0", num_envs=3, vectorization_mode="sync", render_mode="ansi"
    )
    native.reset(seed=0)
    single.reset(seed=0)
    for name, *arguments in (
        ("action_masks",),
        ("action_name", 5),
        ("get_state",),
        ("suggest", "heuristic"),
        ("render",),
        ("seat",),
        ("render_mode",),
        ("action_space",),
        ("observation_space",),
    ):
        here, there = (each.unwrapped.call(name, *arguments) for each in (native, single))
        assert len(here) == 3
        for one, other in zip(here, there, strict=True):
            assert np.array_equal(one, other), name
    assert native.unwrapped.action_name(1, 5) == single.unwrapped.call("action_name", 5)[1]
    assert native.unwrapped.get_attr("metadata")[0]["render_fps"] == 2
    with pytest.raises(AttributeError, match="no 'nonsense'; they have action_masks"):
        native.unwrapped.get_attr("nonsense")


def test_all_games_can_be_sampled_at_once() -> None:
    envs = gymnasium.make_vec("cyberdeck/HackTheGrid-v0", num_envs=3)
    _, infos = envs.reset(seed=0)
    actions = envs.action_space.sample(tuple(infos["action_mask"]))
    assert infos["action_mask"][range(3), actions].all()
