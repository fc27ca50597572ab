"""Gymnasium's VectorEnv, bit for bit what a SyncVectorEnv of single envs gives."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import ActionError, EpisodeError, OptionError, StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from tests.api.helpers import (
    gym_id,
    lowest,
    own_seat,
    pick_rows,
    same,
)

MODES = list(AutoresetMode)


def both(
    game: str, count: int, mode: AutoresetMode, arguments: dict[str, Any]
) -> tuple[Any, CyberdeckVectorEnv]:
    sync = gym.make_vec(
        gym_id(game),
        num_envs=count,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **arguments,
    )
    native = gym.make_vec(gym_id(game), num_envs=count, autoreset_mode=mode, **arguments)
    assert isinstance(native, CyberdeckVectorEnv)
    return sync, native


def test_prescribed_tables_are_the_same() -> None:
    grid = np.random.default_rng(1).permutation(16).tolist()
    sync, native = both("hackthegrid", 4, AutoresetMode.SAME_STEP, {"opponent": lowest})
    for options in ({"grid": grid}, {"grid": grid, "first": 1}, {"first": 0}, {}):
        same(sync.reset(seed=6, options=dict(options)), native.reset(seed=6, options=dict(options)))
        actions = native.action_masks().argmax(axis=1)
        same(sync.step(actions), native.step(actions))


# --- errors ---------------------------------------------------------------------------------------


def standing(envs: CyberdeckVectorEnv) -> tuple[bytes, ...]:
    core = envs._core
    return tuple(
        array.tobytes()
        for array in (core.states, core.rows, core.masks, core.observations, core.finals)
    )


@pytest.mark.parametrize("opponent", ["random", lowest], ids=["built-in", "outside"])
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_illegal_rows_are_named_and_nothing_is_applied(mode: AutoresetMode, opponent: Any) -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 40, seat=1, autoreset_mode=mode, opponent=opponent)
    envs.reset(seed=1)
    before = standing(envs)
    for wrong in (68, 4, -1, 69, 10**9, -(10**12)):
        actions = envs.action_masks().argmax(axis=1)
        actions[[7, 31]] = wrong
        with pytest.raises(ActionError, match=r"nothing was applied.*row 7: .*row 31: ") as caught:
            envs.step(actions)
        assert "row 8" not in str(caught.value)
        assert "not legal for row; legal are" in str(caught.value)
        actions[:] = wrong
        with pytest.raises(ActionError, match=r"row 0: .*row 1: .*37 more rows"):
            envs.step(actions)
    assert standing(envs) == before
    envs.step(envs.action_masks().argmax(axis=1))
    assert standing(envs) != before


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_nothing_works_before_the_first_reset(mode: AutoresetMode) -> None:
    """Also not after bytes were put into one of several rows: the others have no game."""
    envs = CyberdeckVectorEnv("matrix_overload", 3, autoreset_mode=mode)
    with pytest.raises(EpisodeError, match="reset"):
        envs.step(np.zeros(3, np.int64))
    with pytest.raises(EpisodeError, match="reset"):
        envs.get_state(0)
    single = CyberdeckEnv("matrix_overload")
    single.reset(seed=1)
    with pytest.raises(EpisodeError, match="reset"):
        envs.set_state(0, single.get_state())
    with pytest.raises(EpisodeError, match="reset"):
        envs.step(np.zeros(3, np.int64))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "at least 1"),
        ({"num_envs": -1}, "at least 1"),
        ({"num_envs": 2.0}, "at least 1"),
        ({"num_envs": True}, "at least 1"),
        ({"autoreset_mode": "Later"}, "NextStep.*SameStep.*Disabled"),
        ({"autoreset_mode": None}, "NextStep"),
        ({"render_mode": "human"}, "rgb_array"),
        ({"seat": "every"}, "every"),
        ({"opponent": "best"}, "best"),
        ({"scramble": "never"}, "never"),
    ],
)
def test_arguments_that_are_not_possible_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CyberdeckVectorEnv("hackthegrid", **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": [1, 2]},
        {"seed": [1, 2, 3, 4]},
        {"options": {"reset_mask": np.zeros(3, np.bool_)}},
        {"options": {"reset_mask": np.ones(2, np.bool_)}},
        {"options": {"reset_mask": np.ones(3, np.int8)}},
        {"options": {"reset_mask": [True, True, True]}},
        {"options": {"grid": list(range(15))}},
        {"options": {"girdle": 1}},
        {"options": {"state": b"nonsense"}},
        {"options": {"state": b"nonsense", "grid": list(range(16))}},
    ],
    ids=str,
)
def test_a_reset_that_is_not_possible_changes_nothing(arguments: dict[str, Any]) -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 3)
    envs.reset(seed=1)
    before = standing(envs)
    with pytest.raises((OptionError, StateError)):
        envs.reset(**arguments)
    assert standing(envs) == before


def test_an_opponent_that_goes_wrong_late_changes_nothing() -> None:
    """The policy answers well for a while; the step in which it fails is undone in all rows."""
    calls = {"left": 0}

    def policy(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        calls["left"] -= 1
        if calls["left"] == 0:
            return masks.argmin(axis=1)
        return lowest(observations, masks)

    for mode in MODES[:2]:
        envs = CyberdeckVectorEnv("hackthegrid", 6, opponent=policy, autoreset_mode=mode)
        envs.reset(seed=0)
        rng = np.random.default_rng(0)
        failures = 0
        for step in range(40):
            actions = pick_rows(envs.action_masks(), rng)
            calls["left"] = 0
            expected = copy.deepcopy(envs).step(actions)
            if -calls["left"] > step % 2:
                before = standing(envs)
                calls["left"] = 1 + step % 2
                with pytest.raises(ActionError, match=r"chose wrongly: row \d: "):
                    envs.step(actions)
                assert standing(envs) == before
                failures += 1
            calls["left"] = 0
            same(envs.step(actions), expected)
        assert failures > 20


# --- states ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("game", list(cyberdeck.GAMES))
def test_a_running_game_goes_on_in_every_kind_of_env(game: str, mode: AutoresetMode) -> None:
    """Bytes taken just after a game was replaced hold a running game: it goes on anywhere."""
    source = CyberdeckVectorEnv(game, 3, autoreset_mode=AutoresetMode.SAME_STEP, **own_seat(game))
    source.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(3, np.bool_)
    while not over.any():
        seen = source.step(pick_rows(source.action_masks(), rng))
        over = seen[2] | seen[3]
    row = int(np.flatnonzero(over)[0])
    saved = source.get_state(row)
    observation, masks = seen[0][row], source.action_masks()[row]
    action = int(np.flatnonzero(masks)[0])

    single = CyberdeckEnv(game, **own_seat(game))
    single.set_state(saved)
    assert (single._core.observations[0] == observation).all()
    after = single.step(action)

    envs = CyberdeckVectorEnv(game, 2, autoreset_mode=mode, **own_seat(game))
    envs.reset(seed=5)
    envs.set_state(1, saved)
    assert (envs.action_masks()[1] == masks).all()
    actions = envs.action_masks().argmax(axis=1)
    actions[1] = action
    stepped = envs.step(actions)
    assert (stepped[0][1] == after[0]).all()
    assert stepped[1][1] == after[1]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("game", list(cyberdeck.GAMES))
def test_a_finished_game_is_never_played_on(game: str, mode: AutoresetMode) -> None:
    """Bytes of a finished game are refused, or their row gets a new game, but no move."""
    single = CyberdeckEnv(game, **own_seat(game))
    single.reset(seed=1)
    rng = np.random.default_rng(1)
    over = False
    while not over:
        seen = single.step(int(rng.choice(np.flatnonzero(single.action_masks()))))
        over = seen[2] or seen[3]
    envs = CyberdeckVectorEnv(game, 2, autoreset_mode=mode, **own_seat(game))
    envs.reset(seed=5)
    before = standing(envs)
    try:
        envs.set_state(1, single.get_state())
    except StateError:
        assert standing(envs) == before
        return
    failed = np.zeros(2, np.int64)
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(EpisodeError, match="games"):
            envs.step(envs.action_masks().argmax(axis=1))
        return
    stepped = envs.step(envs.action_masks().argmax(axis=1))
    assert stepped[1][1] == 0.0, "a reward for a move in a finished game"
    assert not stepped[2][1]
    for _ in range(5):
        envs.step(envs.action_masks().argmax(axis=1))
        assert envs._core.loops.check_state(envs._core.states, failed) == 0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_pictures_mark_the_last_step_but_no_game_that_has_just_begun(mode: str) -> None:
    envs = CyberdeckVectorEnv(
        "hackthegrid", 1, seat=0, autoreset_mode=mode, render_mode="rgb_array"
    )
    unmarked = CyberdeckEnv("hackthegrid", seat=0, render_mode="rgb_array")
    envs.reset(seed=1)

    def marked() -> bool:
        unmarked.set_state(envs.get_state(0))
        picture, plain = (
            np.asarray(drawn) for drawn in ((envs.render() or ())[0], unmarked.render())
        )
        return bool((picture != plain).any())

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


def test_pictures_of_all_games() -> None:
    for game in cyberdeck.GAMES:
        envs = CyberdeckVectorEnv(game, 2, render_mode="rgb_array")
        envs.reset(seed=1)
        frames = envs.render()
        assert frames is not None
        single = CyberdeckEnv(game, render_mode="rgb_array")
        single.reset(seed=1)
        assert len(frames) == 2
        assert frames[0].dtype == np.uint8
        assert (frames[0] == single.render()).all()
        texts = CyberdeckVectorEnv(game, 2, render_mode="ansi")
        texts.reset(seed=1)
        assert all(isinstance(text, str) for text in texts.render() or ())
        with pytest.raises(OptionError, match="render_mode"):
            CyberdeckVectorEnv(game, 2).render()
