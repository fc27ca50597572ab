"""Gymnasium's VectorEnv, bit for bit what a SyncVectorEnv of single envs gives."""

from __future__ import annotations

import copy
import pickle
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
    CASES,
    SCRAMBLED,
    Case,
    gym_id,
    highest,
    label,
    lowest,
    own_seat,
    pick_rows,
    same,
    scripted,
)

MODES = list(AutoresetMode)

#: (game, arguments, whether illegal actions are mixed in)
PAIRS: list[tuple[str, dict[str, Any], bool]] = [
    ("matrix_overload", {}, False),
    (
        "matrix_overload",
        {"edition": "rulebook", "reward": "royals", "max_steps": 25, "illegal": "lose"},
        True,
    ),
    ("matrix_overload", {"edition": "royals", "max_steps": 1}, False),
    ("hackthegrid", {"seat": 0}, False),
    ("hackthegrid", {"seat": "random", "opponent": "heuristic", "reward": "margin"}, False),
    (
        "hackthegrid",
        {"opponent": ["random", lowest, "heuristic", highest], "scramble": "at_end"},
        False,
    ),
    ("hackthegrid", {"seat": 1, "opponent": scripted(3), "deck": SCRAMBLED}, False),
    ("hackthegrid", {"opponent": [scripted(1), "random"], "illegal": "lose"}, True),
    ("stacktrices", {"seat": 0, "max_turns": 6}, False),
    (
        "stacktrices",
        {
            "opponent": [scripted(2), "heuristic"],
            "observation": "planes",
            "reward": "material",
            "setup": "random",
            "max_turns": 12,
            "illegal": "lose",
        },
        True,
    ),
    (
        "stacktrices",
        {
            "seat": 1,
            "opponent": scripted(5),
            "steal_on_attack": True,
            "stacked_movement": True,
            "max_turns": 8,
        },
        False,
    ),
]


def name(pair: tuple[str, dict[str, Any], bool]) -> str:
    return label((pair[0], dict.fromkeys(pair[1], "...")))


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


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_transition_by_transition_the_same_as_single_envs(
    pair: tuple[str, dict[str, Any], bool], mode: AutoresetMode
) -> None:
    """Observations, rewards, ends, infos and final infos agree in every autoreset mode."""
    game, arguments, illegal = pair
    sync, native = both(game, 7, mode, arguments)
    assert native.metadata["autoreset_mode"] is native.unwrapped.autoreset_mode is mode
    for space in ("single_observation_space", "single_action_space"):
        assert getattr(sync, space) == getattr(native, space)
    assert sync.observation_space == native.observation_space
    assert sync.action_space == native.action_space
    same(sync.reset(seed=42), native.reset(seed=42), "reset")
    rng = np.random.default_rng(8)
    ended = 0
    mask = native.action_masks()
    for step in range(150):
        actions = pick_rows(mask, rng)
        if illegal and step % 9 == 0:
            actions = rng.integers(mask.shape[1], size=7)
        expected, seen = sync.step(actions.copy()), native.step(actions)
        same(seen, expected, f"step {step}")
        over = seen[2] | seen[3]
        ended += int(over.sum())
        mask = native.action_masks()
        assert mask.any(axis=1).all(), "a mask handed to a learner is never all zero"
        if mode is AutoresetMode.DISABLED and over.any():
            again = [{"reset_mask": over.copy()} for _ in range(2)]
            same(sync.reset(options=again[0]), native.reset(options=again[1]), f"reset at {step}")
            assert again[1].keys() == {"reset_mask"}, "the caller's options were changed"
            mask = native.action_masks()
    assert ended > 3, "hardly any game came to its end"


@pytest.mark.parametrize("pair", PAIRS[::3], ids=name)
def test_partial_resets_with_seeds_are_the_same(pair: tuple[str, dict[str, Any], bool]) -> None:
    """A reset_mask touches its rows only, wherever the others stand."""
    game, arguments, _ = pair
    sync, native = both(game, 5, AutoresetMode.DISABLED, arguments)
    same(sync.reset(seed=[5, 1, 4, 1, 3]), native.reset(seed=[5, 1, 4, 1, 3]))
    chosen = np.array([True, False, True, False, False])
    seeds = [9, None, None, None, 7]
    same(
        sync.reset(seed=seeds, options={"reset_mask": chosen}),
        native.reset(seed=seeds, options={"reset_mask": chosen}),
    )
    for _ in range(3):
        if native._core.terminated.any() or native._core.truncated.any():
            break
        actions = native.action_masks().argmax(axis=1)
        same(sync.step(actions), native.step(actions))


def test_prescribed_tables_are_the_same() -> None:
    grid = np.random.default_rng(1).permutation(16).tolist()
    sync, native = both("hackthegrid", 4, AutoresetMode.SAME_STEP, {"opponent": lowest})
    for options in ({"grid": grid}, {"grid": grid, "first": 1}, {"first": 0}, {}):
        same(sync.reset(seed=6, options=dict(options)), native.reset(seed=6, options=dict(options)))
        actions = native.action_masks().argmax(axis=1)
        same(sync.step(actions), native.step(actions))


def nth(masks: NDArray[Any], step: int) -> NDArray[np.int64]:
    """A legal action for each row that depends on its mask and the step alone."""
    actions = np.empty(len(masks), np.int64)
    for row, mask in enumerate(masks):
        legal = np.flatnonzero(mask)
        actions[row] = legal[step * 2654435761 % 1009 % len(legal)]
    return actions


@pytest.mark.parametrize("mode", MODES[:2], ids=lambda mode: mode.name)
@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_a_row_does_not_depend_on_the_size_of_the_batch(
    pair: tuple[str, dict[str, Any], bool], mode: AutoresetMode
) -> None:
    """Row i of 5 games is row i of 50."""
    game, arguments, _ = pair
    few = CyberdeckVectorEnv(game, 5, autoreset_mode=mode, **arguments)
    many = CyberdeckVectorEnv(game, 50, autoreset_mode=mode, **arguments)
    few.reset(seed=3)
    many.reset(seed=3)
    for step in range(60):
        seen = few.step(nth(few.action_masks(), step))
        more = many.step(nth(many.action_masks(), step))
        for one, other in zip(seen[:4], more[:4], strict=True):
            same(one, other[:5], f"step {step}")
        assert (few.action_masks() == many.action_masks()[:5]).all()
        assert few._core.states.tobytes() == many._core.states[:5].tobytes()


@pytest.mark.parametrize("case", CASES, ids=label)
def test_all_masks_are_one_mask(case: Case) -> None:
    """Infos and action_masks() agree, and the suggested actions are legal."""
    game, options = case
    envs = CyberdeckVectorEnv(game, 6, **options)
    _, infos = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    for step in range(60):
        masks = envs.action_masks()
        assert masks.dtype == np.bool_
        assert infos["action_mask"].dtype == np.int8
        assert (infos["action_mask"] == masks).all()
        assert infos["_action_mask"].all()
        assert masks.any(axis=1).all()
        for player in ("random", "heuristic"):
            chosen = envs.choose(player)
            playing = envs._core.movers >= 0
            assert masks[np.arange(6), chosen][playing].all(), step
        infos = envs.step(pick_rows(masks, rng))[4]


# --- errors ---------------------------------------------------------------------------------------


def standing(envs: CyberdeckVectorEnv) -> tuple[bytes, ...]:
    core = envs._core
    return tuple(
        array.tobytes()
        for array in (core.states, core.rows, core.masks, core.observations, core.finals)
    )


NOT_ACTIONS: list[Any] = [
    0,
    None,
    "000",
    [0, 0],
    [0, 0, 0, 0],
    [[0, 0, 0]],
    [[0], [0], [0]],
    [0.0, 0.0, 0.0],
    [True, True, True],
    ["0", "0", "0"],
    [None, 0, 0],
    [0, 0, 2**70],
    [[0], [0, 0], [0]],
    {"a": 1},
    np.zeros((3, 1), np.int64),
    np.zeros(3, np.float32),
    np.zeros(3, np.complex64),
]


@pytest.mark.parametrize("opponent", ["random", lowest], ids=["built-in", "outside"])
@pytest.mark.parametrize("illegal", ["raise", "lose"])
@pytest.mark.parametrize("actions", NOT_ACTIONS, ids=repr)
def test_what_are_no_actions_is_refused(actions: Any, illegal: str, opponent: Any) -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 3, seat=0, illegal=illegal, opponent=opponent)
    envs.reset(seed=1)
    before = standing(envs)
    with pytest.raises(ActionError, match="nothing was applied"):
        envs.step(actions)
    assert standing(envs) == before


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


@pytest.mark.parametrize("wrong", [-1, 69, 10**9])
def test_actions_out_of_range_are_refused_where_illegal_ones_lose(wrong: int) -> None:
    envs = CyberdeckVectorEnv("hackthegrid", 4, illegal="lose")
    envs.reset(seed=1)
    before = standing(envs)
    with pytest.raises(ActionError, match="nothing was applied"):
        envs.step(np.array([0, 0, 0, wrong]))
    assert standing(envs) == before


def test_finished_rows_take_no_step_when_autoreset_is_disabled() -> None:
    envs = CyberdeckVectorEnv(
        "matrix_overload", 5, max_steps=12, autoreset_mode=AutoresetMode.DISABLED
    )
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(5, np.bool_)
    while not over.any():
        seen = envs.step(pick_rows(envs.action_masks(), rng))
        over = seen[2] | seen[3]
    before = standing(envs)
    finished = np.flatnonzero(over).tolist()
    with pytest.raises(EpisodeError, match=rf"games \[{finished[0]}.*reset_mask"):
        envs.step(envs.action_masks().argmax(axis=1))
    assert standing(envs) == before


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
@pytest.mark.parametrize("pair", PAIRS, ids=name)
def test_twins_play_on_alike(pair: tuple[str, dict[str, Any], bool], mode: AutoresetMode) -> None:
    """By deepcopy, pickle (of what can be pickled) and the bytes of every row."""
    game, arguments, _ = pair
    envs = CyberdeckVectorEnv(game, 4, autoreset_mode=mode, **arguments)
    envs.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(6):
        if mode is AutoresetMode.DISABLED and (envs._core.movers < 0).any():
            break
        envs.step(pick_rows(envs.action_masks(), rng))
    twins = [copy.deepcopy(envs)]
    if "opponent" not in arguments or arguments["opponent"] == "heuristic":
        twins.append(pickle.loads(pickle.dumps(envs)))
    for twin in twins:
        assert standing(twin) == standing(envs)
    restored = CyberdeckVectorEnv(game, 4, autoreset_mode=mode, **arguments)
    restored.reset(seed=99)
    for row in range(4):
        restored.set_state(row, envs.get_state(row))
        assert restored.get_state(row) == envs.get_state(row)
    twins.append(restored)
    if mode is AutoresetMode.DISABLED and (envs._core.movers < 0).any():
        return
    actions = pick_rows(envs.action_masks(), rng)
    before = standing(envs)
    steps = [twin.step(actions) for twin in twins]
    assert standing(envs) == before
    expected = envs.step(actions)
    for seen in steps:
        same(seen, expected)


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
