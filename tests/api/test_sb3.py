"""stable-baselines3: the native VecEnv, the masks through every wrapper, and masked learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

from cyberdeck import EpisodeError, OptionError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.sb3 import make_vec_env
from tests.api.helpers import (
    SCRAMBLED,
    Case,
    gym_id,
    lowest,
    pick_rows,
    reason,
    same,
    standing,
)

HACK, MATRIX = map(gym_id, ("hackthegrid", "matrix_overload"))

ARGUMENTS: list[Case] = [
    ("matrix_overload", {"edition": "royals", "reward": "royals", "max_steps": 6}),
    ("hackthegrid", {"seat": 1, "opponent": lowest, "reward": "margin"}),
    ("hackthegrid", {"opponent": ["random", lowest, "heuristic"], "deck": SCRAMBLED}),
    (
        "stacktrices",
        {"observation": "planes", "setup": "random", "reward": "material", "max_turns": 12},
    ),
    ("hovercrafts", {"seat": "zion", "opponent": "random", "ships": (2, 2), "max_turns": 6}),
]


@pytest.mark.parametrize("case", ARGUMENTS, ids=lambda case: " ".join([case[0], *case[1]]))
def test_the_native_vecenv_is_a_dummyvecenv_of_single_envs(case: Case) -> None:
    """Transition by transition: observations, rewards, dones and the last infos."""
    game, arguments = case
    native = make_vec_env(game, 5, seed=30, **arguments)
    dummy = DummyVecEnv([lambda: CyberdeckEnv(game, **arguments)] * 5)
    dummy.seed(30)
    assert native.observation_space == dummy.observation_space
    assert native.action_space == dummy.action_space
    same(native.reset(), dummy.reset())
    rng = np.random.default_rng(0)
    reasons, ended = set(), 0
    returns = np.zeros(5)
    for step in range(120):
        masks = get_action_masks(native)
        same(masks, get_action_masks(dummy))
        assert masks.any(axis=1).all(), "a mask handed to a learner is never all zero"
        actions = pick_rows(masks, rng)
        seen, expected = native.step(actions), dummy.step(actions)
        same(seen[:3], expected[:3], f"step {step}")
        returns += seen[1]
        for row in np.flatnonzero(seen[2]):
            info, other = dict(seen[3][row]), dict(expected[3][row])
            episode = info.pop("episode")
            assert episode["r"] == pytest.approx(returns[row], abs=1e-5)
            assert episode["l"] > 0
            assert episode["t"] >= 0
            returns[row] = 0
            same(info.pop("terminal_observation"), other.pop("terminal_observation"))
            assert info.pop("opponent") < 3
            assert info.pop("ally", 0) == 0
            info.setdefault("seat", 0)
            other.setdefault("seat", 0)
            del other["action_mask"]
            assert info == other
            why = reason(native, info)
            assert info["TimeLimit.truncated"] == why.startswith("max_")  # SB3 bootstraps then
            reasons.add(why)
            ended += 1
        assert not any(seen[3][row] for row in np.flatnonzero(~seen[2]))
    assert ended > 10
    assert game == "hackthegrid" or any(why.startswith("max_") for why in reasons)


# --- masks through wrappers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: DummyVecEnv([lambda: Monitor(TimeLimit(CyberdeckEnv("matrix_overload"), 25))] * 3),
        lambda: DummyVecEnv([lambda: gym.make(MATRIX, max_episode_steps=9)] * 3),
        lambda: VecNormalize(DummyVecEnv([lambda: gym.make(HACK)] * 3)),
        lambda: VecFrameStack(
            VecNormalize(VecMonitor(make_vec_env("matrix_overload", 3, seed=1, max_steps=20))), 3
        ),
        pytest.param(
            lambda: SubprocVecEnv([lambda: CyberdeckEnv("hackthegrid")] * 3), marks=pytest.mark.slow
        ),
    ],
    ids=["Monitor of TimeLimit", "gym.make, limited", "VecNormalize", "native", "processes"],
)
def test_masks_reach_through_wrappers(make: Callable[[], VecEnv]) -> None:
    """Play legally by the masks that sb3-contrib finds; an illegal action would raise."""
    envs, rng, ended = make(), np.random.default_rng(0), 0
    assert is_masking_supported(envs)
    envs.seed(1)
    envs.reset()
    dones, infos = np.ones(3, np.bool_), list[dict[str, Any]]()
    for _ in range(100):
        masks = get_action_masks(envs)
        assert masks.shape == (3, envs.action_space.n)  # type: ignore[attr-defined]
        assert masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        for row in np.flatnonzero(~dones):
            assert (infos[row].get("action_mask", masks[row]) == masks[row]).all()
        dones, infos = envs.step(pick_rows(masks, rng))[2:]
        ended += int(dones.sum())
    assert ended > 2
    envs.close()


# --- learning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "policy"),
    [
        (lambda: make_vec_env("matrix_overload", 4, reward="royals", max_steps=15), "MlpPolicy"),
        (lambda: VecNormalize(DummyVecEnv([lambda: gym.make(HACK)] * 2)), "MlpPolicy"),
        (
            lambda: make_vec_env("hackthegrid", 4, mask="observation", dtype="float32", seed=0),
            "MultiInputPolicy",
        ),
    ],
    ids=["native", "VecNormalize", "dictionaries"],
)
def test_maskable_ppo_learns_and_is_evaluated_by_whole_games(
    make: Callable[[], VecEnv], policy: str
) -> None:
    """An illegal action in training, evaluation or prediction would raise."""
    envs = VecMonitor(make())
    model = MaskablePPO(
        policy,
        envs,
        n_steps=8,
        batch_size=16,
        n_epochs=1,
        seed=0,
        device="cpu",
        policy_kwargs={"net_arch": [16]},
    )
    model.learn(32)
    for deterministic in (True, False):
        returns, lengths = evaluate_policy(
            model, envs, 8, deterministic, return_episode_rewards=True
        )
        assert len(returns) == len(lengths) >= 8  # type: ignore[arg-type]
        if policy == "MultiInputPolicy":
            assert {-1.0} < set(returns) <= {-1.0, 0.0, 1.0}  # type: ignore[arg-type]
            assert all(2 <= length <= 16 for length in lengths)  # type: ignore[union-attr]


# --- what only this interface has -----------------------------------------------------------------


def test_errors_are_clear_and_change_nothing() -> None:
    envs = make_vec_env("hackthegrid", 3, seed=0, seat=0)
    envs.reset()
    before = standing(envs.core)
    with pytest.raises(EpisodeError, match="step_async"):
        envs.step_wait()
    envs.set_options([{"first": 0}, {"first": 1}, {}])
    with pytest.raises(OptionError, match="same options"):
        envs.reset()
    with pytest.raises(OptionError, match="seat"):
        envs.set_attr("seat", 1)
    with pytest.raises(AttributeError, match="fly"):
        envs.env_method("fly")
    with pytest.raises(OptionError, match="there is no row 3"):
        envs.env_method("get_state", indices=3)
    assert standing(envs.core) == before
    envs.set_options({"first": 0})
    envs.reset()
    assert (envs.core.states["first"] == 0).all()


def test_pictures() -> None:
    envs = make_vec_env("hackthegrid", 2, seed=0, render_mode="rgb_array")
    envs.reset()
    envs.step(envs.action_masks().argmax(axis=1))
    images = envs.get_images()
    envs.env_method("set_state", envs.core.save(0), indices=0)
    marked = [(one != other).any() for one, other in zip(images, envs.get_images(), strict=True)]
    assert marked == [True, False], "a loaded game has no last move to mark"
    tiled = envs.render()
    assert tiled is not None
    assert (tiled.dtype, tiled.ndim) == (np.uint8, 3)
    with pytest.raises(OptionError, match="without render_mode"):
        make_vec_env("hackthegrid", 2).get_images()
