"""Specs of Gymnasium: through JSON and pickle, with a limit that no game reaches; its checkers."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import TimeAwareObservation, TimeLimit
from stable_baselines3.common.env_checker import check_env as check_for_sb3

import cyberdeck
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import RANDOM
from tests.api.helpers import CASES, Case, brief, gym_id, label, lowest, transitions

HACK, MATRIX, HOVER = map(gym_id, ("hackthegrid", "matrix_overload", "hovercrafts"))

#: Every documented argument, in a form that JSON has.
ARGUMENTS: list[dict[str, Any]] = [
    {"id": HACK, "seat": 1, "opponent": "heuristic", "illegal": "lose", "mask": "both"},
    {"id": HACK, "dtype": "float32", "opponent": ["random", "heuristic"], "disguise": 5},
    {"id": HACK, "dtype": np.float32, "render_mode": "ansi", "render_theme": "light"},
    {"id": HACK, "deck": [("FIREWALL", 0)] * 16, "reward": "margin"},
    {"id": MATRIX, "seat": 0, "mask": "observation", "dtype": np.dtype("float32"), "max_steps": 9},
    {"id": HOVER, "seat": "zion", "ships": (2, 2), "opponent": "search:iterations=2"},
    {"id": HOVER, "seat": 0, "ships": (2, 1), "ally": "heuristic", "scenario": ["....", "...."]},
]


def played(env: Any) -> list[tuple[Any, ...]]:
    """A few random decisions, and what came of them."""
    env.reset(seed=3)
    steps = transitions(env.unwrapped, 3)
    return [next(steps)[:4] for _ in range(3)]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_a_spec_makes_the_same_env(arguments: dict[str, Any]) -> None:
    env = gym.make(**arguments)
    spec = env.spec
    assert spec is not None
    sent = [
        EnvSpec.from_json(spec.to_json()),
        pickle.loads(pickle.dumps(spec)),
        copy.deepcopy(spec),
    ]
    for each in sent:
        twin = gym.make(each)
        assert twin.spec is not None
        assert twin.spec.to_json() == spec.to_json()
        assert twin.observation_space == env.observation_space
        for new, old in zip(played(twin), played(env), strict=True):
            np.testing.assert_equal(new, old)
    assert copy.deepcopy(env).spec == pickle.loads(pickle.dumps(env)).spec == spec


def test_a_spec_of_many_games_makes_them_again() -> None:
    given: dict[str, Any] = {"dtype": np.float32, "autoreset_mode": AutoresetMode.SAME_STEP}
    envs = gym.make_vec(HACK, num_envs=3, **given)
    spec = envs.spec
    assert spec is not None
    again = gym.make_vec(EnvSpec.from_json(spec.to_json()))
    assert again.num_envs == 3
    assert again.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    np.testing.assert_equal(again.reset(seed=1), envs.reset(seed=1))


def test_a_function_can_be_pickled_and_has_no_json() -> None:
    spec = gym.make(HACK, opponent=lowest).spec
    assert spec is not None
    assert played(gym.make(pickle.loads(pickle.dumps(spec))))
    with pytest.raises(TypeError, match="function is not JSON serializable"):
        spec.to_json()


# --- a limit that no game reaches ----------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=label)
def test_no_game_has_more_decisions_than_it_says(case: Case) -> None:
    game, options = brief(case)
    core = GameBatch(cyberdeck.variant(game, **options), 8)
    core.reset(list(range(8)))
    most = core.variant.most_decisions
    assert most is not None
    for _ in range(100):
        core.step(core.choose(RANDOM))
        assert core.states["decisions"].max() < most  # all of them go on


def test_the_last_step_is_the_games_own() -> None:
    """Also where a spec, through JSON, has brought in ``TimeLimit``: it truncates nothing."""
    spec = gym.make(MATRIX, max_steps=1, stall="lose").spec
    assert spec is not None
    env = gym.make(EnvSpec.from_json(spec.to_json()))
    assert isinstance(env, TimeLimit)
    env.reset(seed=1)
    _, _, terminated, truncated, _ = env.step(int(env.unwrapped.action_masks().argmax()))
    assert (terminated, truncated) == (True, False)


def test_observations_know_the_time() -> None:
    env = TimeAwareObservation(gym.make(MATRIX, max_steps=3), flatten=False, normalize_time=False)
    assert env.reset(seed=1)[0]["time"] == 0
    assert env.max_timesteps == 4
    assert gym.make(MATRIX, max_episode_steps=2).spec.max_episode_steps == 2
    assert not isinstance(gym.make(MATRIX), TimeLimit)


# --- checkers, which sample without masks ---------------------------------------------------------


@pytest.mark.parametrize("game", cyberdeck.GAMES)
def test_what_checkers_say(game: str) -> None:
    """The table of docs/use/your_project.md, warnings being errors."""
    plain, lose = gym_id(game), gym_id(game).replace("-v", "-Lose-v")
    quick = partial(check_env, skip_render_check=True)
    for check in (quick, check_for_sb3):
        check(gym.make(lose).unwrapped)
        check(gym.make(plain, illegal="lose", mask="observation").unwrapped)
        with pytest.raises(cyberdeck.ActionError):
            check(gym.make(plain).unwrapped)
    check_for_sb3(gym.make(lose))
    with pytest.raises(UserWarning, match="different from the unwrapped version"):
        quick(gym.make(lose))
