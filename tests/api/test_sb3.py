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

import cyberdeck
from cyberdeck import ActionError, EpisodeError, OptionError, StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.sb3 import SB3VecEnv
from tests.api.helpers import (
    FEW,
    SCRAMBLED,
    Case,
    gym_id,
    label,
    lowest,
    make_hackthegrid,
    make_matrix,
    pick_rows,
    reason,
    same,
)

ARGUMENTS: list[Case] = [
    ("matrix_overload", {}),
    ("matrix_overload", {"edition": "rulebook", "reward": "royals", "max_steps": 20}),
    ("hackthegrid", {"seat": 0}),
    ("hackthegrid", {"seat": 1, "opponent": lowest, "reward": "margin"}),
    ("hackthegrid", {"opponent": ["random", lowest, "heuristic"], "deck": SCRAMBLED}),
    ("stacktrices", {"seat": 1, "opponent": ["random", lowest], "max_turns": 6}),
    (
        "stacktrices",
        {"observation": "planes", "setup": "random", "reward": "material", "max_turns": 12},
    ),
]


def name(case: Case) -> str:
    return label((case[0], dict.fromkeys(case[1], "...")))


@pytest.mark.parametrize("case", ARGUMENTS, ids=name)
def test_the_native_vecenv_is_a_dummyvecenv_of_single_envs(case: Case) -> None:
    """Transition by transition: observations, rewards, dones and the last infos."""
    game, arguments = case
    native = SB3VecEnv(game, 5, seed=30, **arguments)
    dummy = DummyVecEnv([lambda: CyberdeckEnv(game, **arguments)] * 5)
    dummy.seed(30)
    assert native.observation_space == dummy.observation_space
    assert native.action_space == dummy.action_space
    same(native.reset(), dummy.reset())
    rng = np.random.default_rng(0)
    ended = 0
    returns = np.zeros(5)
    for step in range(300):
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
            info.setdefault("seat", 0)
            other.setdefault("seat", 0)
            del other["action_mask"]
            assert info == other
            ended += 1
        for row in np.flatnonzero(~seen[2]):
            assert not seen[3][row].get("TimeLimit.truncated", False)
    assert ended > 10


def test_a_cut_game_says_so() -> None:
    """TimeLimit.truncated is what lets SB3 bootstrap the value of a truncated game."""
    envs = SB3VecEnv("matrix_overload", 4, seed=0, max_steps=6)
    envs.reset()
    rng = np.random.default_rng(0)
    reasons = set()
    for _ in range(60):
        _, _, dones, infos = envs.step(pick_rows(envs.action_masks(), rng))
        for row in np.flatnonzero(dones):
            word = reason(envs, infos[row])
            reasons.add(word)
            assert infos[row]["TimeLimit.truncated"] == (word == "max_steps")
            assert infos[row]["terminal_observation"].shape == (envs.observation_space.shape)
    assert "max_steps" in reasons


# --- masks through wrappers -----------------------------------------------------------------------


def wrapped_singles() -> list[tuple[str, Callable[[], gym.Env[Any, Any]]]]:
    return [
        ("bare", make_hackthegrid),
        ("Monitor", lambda: Monitor(make_hackthegrid())),
        ("TimeLimit", lambda: TimeLimit(make_matrix(), 25)),
        ("Monitor of TimeLimit", lambda: Monitor(TimeLimit(make_matrix(), 25))),
        ("gym.make", lambda: gym.make(gym_id("hackthegrid"))),
        ("gym.make, limited", lambda: gym.make(gym_id("matrix_overload"), max_episode_steps=9)),
    ]


@pytest.mark.parametrize(
    ("wrapping", "make"), wrapped_singles(), ids=[wrapping for wrapping, _ in wrapped_singles()]
)
def test_masks_reach_through_wrappers_of_single_envs(
    wrapping: str, make: Callable[[], gym.Env[Any, Any]]
) -> None:
    """The mask that sb3-contrib finds is the mask of the info, at every step."""
    env = make()
    assert is_masking_supported(env)
    rng = np.random.default_rng(0)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            mask = get_action_masks(env)
            assert mask.dtype == np.bool_
            assert (mask == info["action_mask"]).all()
            assert mask.any()
            _, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(mask))))
            over = terminated or truncated
        assert get_action_masks(env).any(), "also at the end"


def wrapped_many() -> list[tuple[str, Callable[[], VecEnv]]]:
    return [
        ("native", lambda: SB3VecEnv("hackthegrid", 3, seed=1)),
        ("DummyVecEnv", lambda: DummyVecEnv([make_hackthegrid] * 3)),
        ("DummyVecEnv of Monitor", lambda: DummyVecEnv([lambda: Monitor(make_matrix())] * 3)),
        ("VecMonitor", lambda: VecMonitor(SB3VecEnv("hackthegrid", 3, seed=1))),
        ("VecNormalize", lambda: VecNormalize(SB3VecEnv("matrix_overload", 3, seed=1))),
        ("VecFrameStack", lambda: VecFrameStack(SB3VecEnv("hackthegrid", 3, seed=1), 2)),
        (
            "all of them",
            lambda: VecFrameStack(
                VecNormalize(VecMonitor(SB3VecEnv("matrix_overload", 3, seed=1, max_steps=20))), 3
            ),
        ),
        ("VecNormalize of Dummy", lambda: VecNormalize(DummyVecEnv([make_hackthegrid] * 3))),
    ]


def check_masks(envs: VecEnv, steps: int) -> int:
    """Play legally by the masks that sb3-contrib finds; an illegal action would raise."""
    assert is_masking_supported(envs)
    envs.seed(1)
    envs.reset()
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(steps):
        masks = get_action_masks(envs)
        assert masks.shape == (3, envs.action_space.n)  # type: ignore[attr-defined]
        assert masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        _, _, dones, _ = envs.step(pick_rows(masks, rng))
        ended += int(dones.sum())
    envs.close()
    return ended


@pytest.mark.parametrize(
    ("wrapping", "make"), wrapped_many(), ids=[wrapping for wrapping, _ in wrapped_many()]
)
def test_masks_reach_through_wrappers_of_many_envs(
    wrapping: str, make: Callable[[], VecEnv]
) -> None:
    assert check_masks(make(), 150) > 2


def test_masks_reach_through_processes() -> None:
    """Two worker processes import the env by themselves, and their masks arrive."""
    envs = SubprocVecEnv([make_hackthegrid] * 2)
    try:
        assert is_masking_supported(envs)
        envs.seed(4)
        same_envs = SB3VecEnv("hackthegrid", 2, seed=4)
        seen, expected = envs.reset(), same_envs.reset()
        rng = np.random.default_rng(0)
        for _ in range(60):
            assert (seen == expected).all()
            masks = get_action_masks(envs)
            assert (masks == get_action_masks(same_envs)).all()
            actions = pick_rows(masks, rng)
            seen, expected = envs.step(actions)[0], same_envs.step(actions)[0]
    finally:
        envs.close()


# --- learning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: VecMonitor(SB3VecEnv("hackthegrid", 4, seed=0)),
        lambda: SB3VecEnv("matrix_overload", 4, seed=0, reward="royals"),
        lambda: DummyVecEnv([lambda: Monitor(make_hackthegrid())] * 2),
        lambda: VecNormalize(DummyVecEnv([lambda: Monitor(make_matrix())] * 2)),
    ],
    ids=["native", "native, one player", "DummyVecEnv of Monitor", "VecNormalize"],
)
def test_maskable_ppo_learns_and_never_acts_illegally(make: Callable[[], VecEnv]) -> None:
    """An illegal action in training, evaluation or prediction would raise."""
    envs = make()
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=64,
        batch_size=64,
        n_epochs=2,
        seed=0,
        device="cpu",
        policy_kwargs={"net_arch": [16]},
    )
    model.learn(256)
    observations = envs.reset()
    for step in range(80):
        masks = get_action_masks(envs)
        actions, _ = model.predict(
            observations,  # type: ignore[arg-type]
            action_masks=masks,
            deterministic=step % 2 == 0,
        )
        assert masks[np.arange(envs.num_envs), actions].all()
        observations = envs.step(actions)[0]


def test_masked_evaluation_counts_whole_games() -> None:
    """evaluate_policy of sb3-contrib on the native VecEnv: returns within the game's bounds."""
    envs = VecMonitor(SB3VecEnv("hackthegrid", 4, seed=0))
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=64, device="cpu", seed=0)
    for evaluated in (envs, Monitor(make_hackthegrid())):
        returns, lengths = evaluate_policy(
            model,
            evaluated,  # type: ignore[arg-type]
            n_eval_episodes=12,
            return_episode_rewards=True,
        )
        assert len(returns) == len(lengths) >= 12  # type: ignore[arg-type]
        assert set(returns) <= {-1.0, 0.0, 1.0}  # type: ignore[arg-type]
        assert -1.0 in returns, "no game was lost in twelve"  # type: ignore[operator]
        assert all(2 <= length <= 16 for length in lengths)  # type: ignore[union-attr]


# --- errors and states ----------------------------------------------------------------------------


def standing(envs: SB3VecEnv) -> tuple[bytes, ...]:
    core = envs.core
    return tuple(
        array.tobytes()
        for array in (core.states, core.rows, core.masks, core.observations, core.finals)
    )


def test_errors_are_clear_and_change_nothing() -> None:
    envs = SB3VecEnv("hackthegrid", 3, seed=0, seat=0)
    with pytest.raises(EpisodeError, match="reset"):
        envs.step(np.zeros(3, np.int64))
    envs.reset()
    before = standing(envs)
    for wrong in (np.zeros(2, np.int64), np.zeros(3), [0, 0, 68], [0, 0, -1], [True] * 3, None):
        with pytest.raises(ActionError, match="nothing was applied"):
            envs.step(wrong)  # type: ignore[arg-type]
        assert standing(envs) == before
    with pytest.raises(EpisodeError, match="step_async"):
        envs.step_wait()
    envs.set_options([{"first": 0}, {"first": 1}, {}])
    with pytest.raises(OptionError, match="same options"):
        envs.reset()
    envs.set_options({"fisrt": 0})
    with pytest.raises(OptionError, match="fisrt"):
        envs.reset()
    assert standing(envs) == before
    with pytest.raises(OptionError, match="seat"):
        envs.set_attr("seat", 1)
    with pytest.raises(AttributeError, match="fly"):
        envs.env_method("fly")
    envs.set_options({"first": 0})
    envs.reset()
    assert (envs.core.states["first"] == 0).all()


@pytest.mark.parametrize("case", FEW, ids=label)
def test_states_of_rows(case: Case) -> None:
    game, options = case
    envs = SB3VecEnv(game, 3, seed=0, **options)
    other = SB3VecEnv(game, 3, seed=9, **options)
    envs.reset()
    other.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        envs.step(pick_rows(envs.action_masks(), rng))
    for row, saved in enumerate(envs.env_method("get_state")):
        other.env_method("set_state", saved, indices=row)
    assert other.env_method("get_state") == envs.env_method("get_state")
    actions = pick_rows(envs.action_masks(), rng)
    same(other.step(actions)[:3], envs.step(actions)[:3])
    before = standing(envs)
    for wrong in (b"", None, envs.env_method("get_state", indices=0)[0][1:]):
        with pytest.raises(StateError):
            envs.env_method("set_state", wrong)
    for row in (3, -4, 10**6):
        with pytest.raises((StateError, OptionError, EpisodeError, IndexError)):
            envs.env_method("get_state", indices=row)
        with pytest.raises((StateError, OptionError, EpisodeError, IndexError)):
            envs.env_method("set_state", saved, indices=row)
    assert standing(envs) == before


@pytest.mark.parametrize("game", list(cyberdeck.GAMES))
def test_pictures(game: str) -> None:
    envs = SB3VecEnv(game, 2, seed=0, render_mode="rgb_array")
    envs.reset()
    images = envs.get_images()
    assert len(images) == 2
    assert all(image is not None and image.ndim == 3 for image in images)
    tiled = envs.render()
    assert tiled is not None
    assert tiled.dtype == np.uint8
    with pytest.raises(OptionError, match="rgb_array"):
        SB3VecEnv(game, 2, render_mode="human")
