"""Where the mask lies, of which type observations are, and infos that can be stacked."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from cyberdeck import OptionError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import env, parallel_env, raw_env
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from tests.api.helpers import gym_id, pick, pick_rows, same

# PettingZoo's tests import an env of its own in a way that it deprecates itself.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test

MASKS = ["observation", "info", "both", None]
IN_OBSERVATION = ("observation", "both")
IN_INFO = ("info", "both")

#: A game for one, one whose observations are planes, and one of teams.
SOME: list[tuple[str, dict[str, Any]]] = [
    ("matrix_overload", {"max_steps": 20}),
    ("stacktrices", {"observation": "planes", "max_turns": 4}),
    ("hovercrafts", {"ships": (2, 1), "max_turns": 2}),
]
FOR_MORE = SOME[1:]
NAMES = [name for name, _ in SOME]


def check(space: gymnasium.Space[Any], seen: Any, mask: str | None, dtype: str) -> None:
    """The observation is of its space, of the type, and holds a mask if it should."""
    assert space.contains(seen)
    assert isinstance(seen, dict) == (mask in IN_OBSERVATION)
    numbers = seen["observation"] if isinstance(seen, dict) else seen
    assert numbers.dtype == dtype
    if isinstance(seen, dict):
        assert seen["action_mask"].dtype == np.int8


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(("game", "options"), SOME, ids=NAMES)
def test_gymnasium(game: str, options: dict[str, Any], mask: Any, dtype: Any) -> None:
    one = CyberdeckEnv(game, mask=mask, dtype=dtype, **options)
    plain = CyberdeckEnv(game, **options)
    rng = np.random.default_rng(0)
    (seen, info), (expected, _) = one.reset(seed=1), plain.reset(seed=1)
    over, keys = False, info.keys()
    while not over:
        check(one.observation_space, seen, mask, dtype)
        numbers = seen["observation"] if mask in IN_OBSERVATION else seen
        assert (numbers == expected).all()
        assert info.keys() == keys
        assert ("action_mask" in info) == (mask in IN_INFO)
        for held in (seen if mask in IN_OBSERVATION else {}, info if mask in IN_INFO else {}):
            if held:
                assert (held["action_mask"] == one.action_masks()).all()
        assert all(isinstance(value, (np.integer, np.ndarray)) for value in info.values())
        assert info["reason"] == 0
        action = pick(one.action_masks(), rng)
        seen, _, terminated, truncated, info = one.step(action)
        expected = plain.step(action)[0]
        over = terminated or truncated
    check(one.observation_space, seen, mask, dtype)
    assert info.keys() == keys
    assert one.metadata["reasons"][info["reason"]]


@pytest.mark.parametrize("limit", [None, 1, 7])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("mask", "dtype"), [("info", "int8"), ("both", "float32"), ("observation", "int8")]
)
@pytest.mark.parametrize(("game", "options"), SOME, ids=NAMES)
def test_many_games_give_what_single_ones_do(
    game: str, options: dict[str, Any], mask: str, dtype: str, mode: str, limit: int | None
) -> None:
    arguments = {"mask": mask, "dtype": dtype, "max_episode_steps": limit, **options}
    native = gymnasium.make_vec(gym_id(game), num_envs=3, autoreset_mode=mode, **arguments)
    single = gymnasium.make_vec(
        gym_id(game),
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **arguments,
    )
    assert native.single_observation_space == single.single_observation_space
    assert native.observation_space == single.observation_space
    assert isinstance(native.unwrapped, CyberdeckVectorEnv)
    same(native.reset(seed=3), single.reset(seed=3))
    rng = np.random.default_rng(0)
    ended = np.zeros(3, np.int64)
    for _ in range(40):
        actions = pick_rows(native.unwrapped.action_masks(), rng)
        here, there = native.step(actions), single.step(actions)
        same(here, there)
        ended += here[2] | here[3]
    assert ended.all()
    if limit is not None:
        assert (ended >= 40 // (limit + 1)).all()


def test_games_that_were_cut_short_wait_for_their_reset() -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 4, autoreset_mode="Disabled", max_episode_steps=1)
    envs.reset(seed=0)
    assert envs.step(envs.choose("random"))[3].all()
    with pytest.raises(ValueError, match=r"games \[0, 1, 2, 3\] are over"):
        envs.step(envs.choose("random"))
    envs.reset(options={"reset_mask": np.ones(4, np.bool_)})
    assert envs.step(envs.choose("random"))[3].all()


@pytest.mark.parametrize("limit", [0, -1, 2.5, "7"])
def test_an_impossible_limit_is_refused(limit: Any) -> None:
    with pytest.raises(OptionError, match="max_episode_steps="):
        CyberdeckVectorEnv("hackthegrid", 2, max_episode_steps=limit)


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(("game", "options"), FOR_MORE, ids=NAMES[1:])
def test_pettingzoo(game: str, options: dict[str, Any], mask: Any, dtype: Any) -> None:
    one = env(game, mask=mask, dtype=dtype, **options)
    one.reset(seed=1)
    rng = np.random.default_rng(0)
    keys = {agent: info.keys() for agent, info in one.infos.items()}
    for agent in one.agent_iter():
        seen, _, terminated, truncated, info = one.last()
        check(one.observation_space(agent), seen, mask, dtype)
        assert one.unwrapped.state_space.contains(one.state())
        assert one.state().dtype == dtype
        assert info.keys() == keys[agent]
        assert ("action_mask" in info) == (mask in IN_INFO)
        assert all(np.stack([value, value]).dtype.kind == "i" for value in info.values())
        over = terminated or truncated
        assert (info["reason"] > 0) == over
        one.step(None if over else pick(one.unwrapped.action_masks(), rng))


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask", MASKS)
def test_pettingzoo_in_parallel(mask: Any, dtype: Any) -> None:
    one = parallel_env("hovercrafts", mask=mask, dtype=dtype, **SOME[2][1])
    seen, infos = one.reset(seed=1)
    keys = {agent: info.keys() for agent, info in infos.items()}
    rng = np.random.default_rng(0)
    while one.agents:
        for agent in one.agents:
            check(one.observation_space(agent), seen[agent], mask, dtype)
        assert one.state().dtype == dtype
        actions = {agent: pick(one._masks[at], rng) for at, agent in enumerate(one.agents)}
        seen, _, _, _, infos = one.step(actions)
        assert {agent: info.keys() for agent, info in infos.items()} == keys
        assert ("action_mask" in infos["zion_0"]) == (mask in IN_INFO)
    assert all(info["reason"] > 0 for info in infos.values())


@pytest.mark.filterwarnings("ignore::UserWarning")  # see test_pettingzoo.INHERENT
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask", ["observation", "info"])
def test_pettingzoos_own_tests_pass(mask: Any, dtype: Any, capsys: Any) -> None:
    api_test(env("hackthegrid", mask=mask, dtype=dtype), num_cycles=60)
    parallel_api_test(
        parallel_env("hovercrafts", mask=mask, dtype=dtype, max_turns=2), num_cycles=20
    )


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(("game", "options"), SOME, ids=NAMES)
def test_sb3(game: str, options: dict[str, Any], mask: Any, dtype: Any) -> None:
    envs = SB3VecEnv(game, 3, seed=1, mask=mask, dtype=dtype, **options)
    seen = envs.reset()
    infos = envs.reset_infos
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(40):
        masks = envs.action_masks()
        for row in range(3):
            part = (
                {key: each[row] for key, each in seen.items()}
                if mask in IN_OBSERVATION
                else seen[row]
            )
            check(envs.observation_space, part, mask, dtype)
            if mask in IN_OBSERVATION:
                assert (part["action_mask"] == masks[row]).all()
            assert ("action_mask" in infos[row]) == (mask in IN_INFO)
            if mask in IN_INFO:
                assert (infos[row]["action_mask"] == masks[row]).all()
        seen, _, dones, infos = envs.step(pick_rows(masks, rng))
        for row in np.flatnonzero(dones):
            check(envs.observation_space, infos[row]["terminal_observation"], mask, dtype)
            ended += 1
    assert ended


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


def test_what_is_handed_out_is_a_copy() -> None:
    one = CyberdeckEnv("hackthegrid", mask="both", dtype="float32")
    seen, info = one.reset(seed=0)
    before = one.get_state()
    seen["observation"][:] = 7
    seen["action_mask"][:] = 0
    info["action_mask"][:] = 0
    assert one.get_state() == before
    assert one.action_masks().any()
    assert one.look()[0]["observation"].max() < 7 or (one.look()[0]["observation"] != 7).any()


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
