"""Gymnasium's VectorEnv: limits, its resets, its calls, opponents inside, states, pictures."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cyberdeck import ActionError, StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from tests.api.helpers import gym_id, lowest, own_seat, pick_rows, same, standing

HACK = gym_id("hackthegrid")
MODES = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def both(**arguments: Any) -> tuple[Any, Any]:
    """One of Gymnasium's own, of single envs, and the native one."""
    return (
        gym.make_vec(HACK, vectorization_mode="sync", **arguments),
        gym.make_vec(HACK, **arguments),
    )


def test_prescribed_tables_are_the_same() -> None:
    grid = np.random.default_rng(1).permutation(16).tolist()
    sync, native = both(num_envs=4, opponent=lowest)
    for options in ({"grid": grid}, {"grid": grid, "first": 1}, {"first": 0}, {}):
        same(sync.reset(seed=6, options=dict(options)), native.reset(seed=6, options=dict(options)))
        actions = native.unwrapped.action_masks().argmax(axis=1)
        same(sync.step(actions), native.step(actions))


def test_every_game_answers() -> None:
    """``call`` and ``get_attr``, as of Gymnasium's own vector envs; all are sampled at once."""
    single, native = both(num_envs=3, render_mode="ansi")
    masks = native.reset(seed=0)[1]["action_mask"]
    assert masks[range(3), native.action_space.sample(tuple(masks))].all()
    single.reset(seed=0)
    names = "action_masks get_state render seat render_mode action_space observation_space"
    calls = [("action_name", 5), ("suggest", "heuristic"), *((name,) for name in names.split())]
    for name, *arguments in calls:
        here, there = (each.unwrapped.call(name, *arguments) for each in (native, single))
        assert len(here) == 3
        for one, other in zip(here, there, strict=True):
            assert np.array_equal(one, other), name
    many = native.unwrapped
    assert many.action_name(1, 5) == single.unwrapped.call("action_name", 5)[1]
    assert many.get_attr("metadata")[0]["render_fps"] == gym.make(HACK).metadata["render_fps"] == 2
    with pytest.raises(AttributeError, match="no 'nonsense'; they have action_masks"):
        many.get_attr("nonsense")


# --- limits ---------------------------------------------------------------------------------------


def test_a_loaded_game_has_all_its_decisions_left() -> None:
    envs = CyberdeckVectorEnv("stacktrices", 2, max_episode_steps=3)
    envs.reset(seed=0)
    envs.step(envs.choose("random"))
    envs.set_state(1, envs.get_state(1))
    cut = [envs.step(envs.choose("random"))[3].tolist() for _ in range(3)]
    assert cut == [[False, False], [True, False], [False, True]]


# --- errors ---------------------------------------------------------------------------------------


def test_illegal_rows_are_named_and_counted() -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 40, seat=1, opponent=lowest)
    envs.reset(seed=1)
    actions = envs.action_masks().argmax(axis=1)
    actions[[7, 31]] = 68
    with pytest.raises(ActionError, match=r"row 7: .*not legal for row; legal are.*row 31: "):
        envs.step(actions)
    with pytest.raises(ActionError, match=r"row 0: .*row 1: .*37 more rows"):
        envs.step(np.full(40, -1))


@pytest.mark.parametrize("error", [ActionError, KeyError, KeyboardInterrupt])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_an_opponent_that_goes_wrong_late_changes_nothing(
    mode: str, error: type[BaseException]
) -> None:
    """The policy answers well for a while; the step in which it fails is undone in all rows."""
    left = 0

    def policy(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        nonlocal left
        left -= 1
        if left == 0 and error is not ActionError:
            raise error
        return masks.argmin(axis=1) if left == 0 else lowest(observations, masks)

    envs = CyberdeckVectorEnv("hackthegrid", 6, opponent=policy, autoreset_mode=mode)
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    failures = 0
    for step in range(30):
        actions, left = pick_rows(envs.action_masks(), rng), 0
        expected = copy.deepcopy(envs).step(actions)
        if -left > step % 2:
            before, left = standing(envs._core), 1 + step % 2
            with pytest.raises(error):
                envs.step(actions)
            assert standing(envs._core) == before
            failures += 1
        left = 0
        same(envs.step(actions), expected)
    assert failures > 15


# --- states ---------------------------------------------------------------------------------------


@MODES
@pytest.mark.parametrize("game", ["matrix_overload", "hackthegrid"])
def test_a_running_game_goes_on_in_every_kind_of_env(game: str, mode: AutoresetMode) -> None:
    """Bytes taken just after a game was replaced hold a running game: it goes on anywhere."""
    source = CyberdeckVectorEnv(game, 3, autoreset_mode="SameStep", **own_seat(game))
    source.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(3, np.bool_)
    while not over.any():
        seen = source.step(pick_rows(source.action_masks(), rng))
        over = seen[2] | seen[3]
    row = int(np.flatnonzero(over)[0])
    saved, masks = source.get_state(row), source.action_masks()[row]

    single = CyberdeckEnv(game, **own_seat(game))
    single.set_state(saved)
    assert (single.look()[0] == seen[0][row]).all()
    after = single.step(int(masks.argmax()))

    envs = CyberdeckVectorEnv(game, 2, autoreset_mode=mode, **own_seat(game))
    envs.reset(seed=5)
    envs.set_state(1, saved)
    assert (envs.action_masks()[1] == masks).all()
    assert (envs.look()[0][1] == seen[0][row]).all()
    stepped = envs.step(envs.action_masks().argmax(axis=1))
    assert (stepped[0][1] == after[0]).all()
    assert stepped[1][1] == after[1]


@MODES
def test_a_finished_game_is_never_played_on(mode: AutoresetMode) -> None:
    """Bytes of a finished game are refused, or their row gets a new game, but no move."""
    single = CyberdeckEnv("hackthegrid", seat=0)
    single.reset(seed=1)
    while not single._core.terminated[0]:
        single.step(single.suggest())
    envs = CyberdeckVectorEnv("hackthegrid", 2, autoreset_mode=mode, seat=0)
    envs.reset(seed=5)
    before = standing(envs._core)
    if mode is AutoresetMode.SAME_STEP:
        with pytest.raises(StateError):
            envs.set_state(1, single.get_state())
        assert standing(envs._core) == before
        return
    envs.set_state(1, single.get_state())
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(ValueError, match=r"games \[1\] are over"):
            envs.step(envs.action_masks().argmax(axis=1))
        return
    stepped = envs.step(envs.action_masks().argmax(axis=1))
    assert stepped[1][1] == 0.0, "a reward for a move in a finished game"
    assert not stepped[2][1]
    assert stepped[4]["cards_left"][1] >= 15


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_pictures_mark_the_last_step_but_no_game_that_has_just_begun(mode: str) -> None:
    drawn: dict[str, Any] = {"seat": 0, "render_mode": "rgb_array"}
    envs = CyberdeckVectorEnv("hackthegrid", 2, autoreset_mode=mode, **drawn)
    unmarked = CyberdeckEnv("hackthegrid", **drawn)
    envs.reset(seed=1)

    def marked() -> bool:
        unmarked.set_state(envs.get_state(0))
        frames, plain = envs.render(), unmarked.render()
        assert frames is not None
        assert len(frames) == 2
        assert frames[0].dtype == np.uint8
        return bool((frames[0] != plain).any())

    assert not marked()
    over = False
    while not over:
        _, _, terminated, truncated, _ = envs.step(envs.action_masks().argmax(axis=1))
        over = bool(terminated[0] or truncated[0])
        if over and mode == "SameStep":
            break
        assert marked()
    if mode == "NextStep":
        envs.step(envs.action_masks().argmax(axis=1))
    assert not marked()
    envs.step(envs.action_masks().argmax(axis=1))
    assert marked()
    envs.set_state(0, envs.get_state(0))
    assert not marked()
