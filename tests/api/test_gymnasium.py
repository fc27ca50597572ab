"""Gymnasium's single env: its contract, its opponents inside, its errors, states and pictures."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

import cyberdeck
from cyberdeck import ActionError, EpisodeError, OptionError, StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import raw_env
from cyberdeck.drawing import raster
from cyberdeck.drawing.raster import rgb
from cyberdeck.drawing.window import Window
from cyberdeck.testing.faces import Gymnasium
from tests.api.helpers import (
    CASES,
    DECK_SIZE,
    FEW,
    GAMES_FOR_TWO,
    SCRAMBLED,
    Case,
    gym_id,
    highest,
    label,
    lowest,
    pick,
    reason,
    same,
    transitions,
)

GRID = [5, 3, 10, 0, 13, 7, 1, 9, 2, 11, 4, 15, 6, 14, 8, 12]

POSITION = """\
white: a1*:P c1 e1:D g1 | b2:Qp d2 f2
black: a7:P c7* e7:D g7 | b6:Qp d6 f6
turn: 1"""


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def position(env: CyberdeckEnv) -> tuple[Any, ...]:
    """Everything that a caller can learn of an env; equal before and after a refused call."""
    return (
        env.get_state(),
        env.action_masks().tobytes(),
        env._core.observations.tobytes(),
        env.seat,
        env.svg(),
    )


# --- the library's own checks ---------------------------------------------------------------------


@pytest.mark.parametrize("case", FEW, ids=label)
def test_gymnasiums_own_checker_renders_it_in_every_mode(case: Case) -> None:
    """check_env, warnings being errors; it samples without masks, hence illegal="lose"."""
    game, options = case
    env = gym.make(gym_id(game), illegal="lose", **options)
    check_env(env.unwrapped)


@pytest.mark.parametrize("make", ["make", "make_vec"])
def test_make_imports_the_package_by_itself(make: str) -> None:
    """A worker that never imported cyberdeck makes the env by module:id."""
    script = (
        "import sys, gymnasium\n"
        f"env = gymnasium.{make}('cyberdeck:{gym_id('matrix_overload')}')\n"
        "env.reset(seed=0)\n"
        "assert 'torch' not in sys.modules and 'pygame' not in sys.modules\n"
        "print(type(env.unwrapped).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [{"make": "CyberdeckEnv"}.get(make, "CyberdeckVectorEnv")]


# --- reset ----------------------------------------------------------------------------------------


def test_options_of_the_constructor_survive_reset() -> None:
    env = CyberdeckEnv("matrix_overload", edition="rulebook", max_steps=7)
    for options in (None, {}, {"deck": list(range(54))}, None):
        env.reset(seed=1, options=options)
        record = env._core.states[0]
        assert (record["edition"], record["max_steps"]) == (2, 7)
        lengths = len(list(transitions(env, 1)))
        assert lengths <= 7


@pytest.mark.parametrize("edition", list(DECK_SIZE))
def test_a_prescribed_deck_is_dealt(edition: str) -> None:
    """The same deck gives the same table whatever the seed; the draw pile is the deck's rest."""
    deck = np.random.default_rng(4).permutation(DECK_SIZE[edition])
    env = CyberdeckEnv("matrix_overload", edition=edition)
    seen = [
        env.reset(seed=seed, options={"deck": form})[0]
        for seed, form in ((1, deck), (2, deck.tolist()), (None, tuple(deck.tolist())))
    ]
    assert (seen[0] == seen[1]).all()
    assert (seen[0] == seen[2]).all()
    record = env._core.states[0]
    pile = [int(record["draw"][(record["head"] + at) % 64]) for at in range(record["left"])]
    low = [card for card in deck.tolist() if card >= 52 or card % 13 < 10]
    assert record["top"].tolist() == [*low[:4], -1, *low[4:8]]
    last = deck.tolist().index(low[7])
    aside = [card for card in deck.tolist()[:last] if card < 52 and card % 13 >= 10]
    assert pile == aside + deck.tolist()[last + 1 :]


def test_a_prescribed_grid_and_first_seat_are_dealt() -> None:
    for seat in (0, 1):
        env = CyberdeckEnv("hackthegrid", seat=seat, opponent=lowest)
        env.reset(seed=1, options={"grid": GRID, "first": seat})
        assert env._core.states[0]["grid"].tolist() == GRID
        assert env._core.states[0]["mover"] == seat
        assert env._core.states[0]["decisions"] == 0
        env.reset(seed=1, options={"first": 1 - seat})
        assert env._core.states[0]["decisions"] >= 1, "the opponent has begun"
    firsts = set()
    for seed in range(30):
        env.reset(seed=seed, options={"grid": GRID})
        firsts.add(int(env._core.states[0]["first"]))
    assert firsts == {0, 1}, "who begins is drawn if only the grid is given"


_WHOLE = list(range(53))

WRONG_STARTS: list[tuple[str, dict[str, Any], str]] = [
    ("matrix_overload", {"deck": [*_WHOLE[:-1], 0]}, "missing: 52.*twice: 0"),
    ("matrix_overload", {"deck": [*_WHOLE[:-1], 53]}, "missing: 52.*unknown: 53"),
    ("matrix_overload", {"deck": [*_WHOLE[:-1], -1]}, "unknown: -1"),
    ("matrix_overload", {"deck": [*_WHOLE[:-1], 10**30]}, "unknown: 1000"),
    ("matrix_overload", {"deck": _WHOLE[:-1]}, "missing: 52"),
    ("matrix_overload", {"deck": [*_WHOLE, 0]}, "twice: 0"),
    ("matrix_overload", {"deck": []}, "missing: 0"),
    ("matrix_overload", {"deck": [0.5, *_WHOLE[1:]]}, "list of 53"),
    ("matrix_overload", {"deck": [float("nan"), *_WHOLE[1:]]}, "list of 53"),
    ("matrix_overload", {"deck": [float("inf"), *_WHOLE[1:]]}, "list of 53"),
    ("matrix_overload", {"deck": [str(card) for card in _WHOLE]}, "list of 53"),
    ("matrix_overload", {"deck": "shuffled"}, "list of 53"),
    ("matrix_overload", {"deck": None}, "list of 53"),
    ("matrix_overload", {"deck": 7}, "list of 53"),
    ("matrix_overload", {"deck": [_WHOLE]}, "list of 53"),
    ("matrix_overload", {"dekc": _WHOLE}, "dekc.*deck, state"),
    ("matrix_overload", {"deck": _WHOLE, "seed": 3}, "seed.*deck, state"),
    ("matrix_overload", {"grid": GRID}, "grid.*deck, state"),
    ("hackthegrid", {"deck": _WHOLE}, "deck.*grid, first, state"),
    ("hackthegrid", {"grid": GRID[:-1]}, "each card 0 to 15"),
    ("hackthegrid", {"grid": [*GRID[:-1], GRID[0]]}, "each card 0 to 15"),
    ("hackthegrid", {"grid": [*GRID[:-1], 16]}, "each card 0 to 15"),
    ("hackthegrid", {"grid": [float("inf"), *GRID[1:]]}, "each card 0 to 15"),
    ("hackthegrid", {"grid": [GRID[at : at + 4] for at in range(0, 16, 4)]}, "each card 0 to 15"),
    ("hackthegrid", {"grid": "0123456789abcdef"}, "each card 0 to 15"),
    ("hackthegrid", {"grid": GRID, "first": 2}, "column hacker"),
    ("hackthegrid", {"first": True}, "column hacker"),
    ("hackthegrid", {"first": "0"}, "column hacker"),
    ("hackthegrid", {"first": None}, "column hacker"),
    ("hackthegrid", {"first": [0]}, "column hacker"),
    ("hackthegrid", {"first": np.array([0, 1])}, "column hacker"),
    ("stacktrices", {"position": None}, "must be a text"),
    ("stacktrices", {"position": [POSITION]}, "must be a text"),
    ("stacktrices", {"position": POSITION.encode()}, "must be a text"),
    ("stacktrices", {"position": ""}, "no line 'white'"),
    ("stacktrices", {"position": POSITION.splitlines()[0]}, "no line 'black'"),
    ("stacktrices", {"position": POSITION.replace("a1", "h1")}, "'h1' is no square"),
    ("stacktrices", {"position": POSITION.replace("turn: 1", "turn: 999")}, "from 1 to 200"),
    ("stacktrices", {"position": POSITION, "first": 0}, "first.*position, state"),
    ("stacktrices", {"positon": POSITION}, "positon.*position, state"),
    ("stacktrices", {"grid": GRID}, "grid.*position, state"),
]


@pytest.mark.parametrize(("game", "options", "message"), WRONG_STARTS)
def test_a_wrong_start_is_one_clear_error_and_changes_nothing(
    game: str, options: dict[str, Any], message: str
) -> None:
    env = CyberdeckEnv(game)
    with pytest.raises(OptionError, match=message):
        env.reset(seed=1, options=options)
    with pytest.raises(EpisodeError, match="reset"):
        env.get_state()
    env.reset(seed=1)
    before = env.get_state(), env.action_masks().tolist()
    with pytest.raises(OptionError, match=message):
        env.reset(seed=2, options=options)
    assert (env.get_state(), env.action_masks().tolist()) == before


def last_decisions(seat: int) -> Iterator[bytes]:
    """Positions of HACKtheGRID in which *seat* takes the last card of the grid."""
    env = raw_env("hackthegrid")
    rng = np.random.default_rng(seat)
    found = 0
    while found < 5:
        env.reset(seed=int(rng.integers(2**31)))
        saved, mover, left = b"", "", 0
        while not any(env.terminations.values()):
            saved, mover = env.get_state(), env.agent_selection
            left = env.infos[mover]["cards_left"]
            env.step(pick(env.action_masks(), rng))
        if mover == env.possible_agents[seat] and left == 1:
            found += 1
            yield saved


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("opponent", ["random", lowest], ids=["built-in", "outside"])
def test_a_start_that_the_opponent_ends_is_refused(seat: int, opponent: Any) -> None:
    """From a position in which only the opponent decides any more, no learner can begin."""
    for saved in last_decisions(1 - seat):
        env = CyberdeckEnv("hackthegrid", seat=seat, opponent=opponent)
        env.reset(seed=1)
        before = env.get_state()
        with pytest.raises(StateError, match="nothing left to play"):
            env.reset(options={"state": saved})
        assert env.get_state() == before
        assert len(list(transitions(env, 1))) > 3


# --- seats and opponents --------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, "random", None])
@pytest.mark.parametrize("opponent", ["random", "heuristic", lowest, ["random", highest]])
@pytest.mark.parametrize("scramble", ["on_take", "at_end"])
def test_only_own_decisions_are_asked_for(seat: Any, opponent: Any, scramble: str) -> None:
    """The mask and the observation belong to the own seat, which is to move, until the end."""
    env = CyberdeckEnv(
        "hackthegrid", seat=seat, opponent=opponent, scramble=scramble, deck=SCRAMBLED
    )
    named = env._core.variant.named
    seats, repeated = set(), 0
    rng = np.random.default_rng(0)
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        seats.add(env.seat)
        over, swapping = False, False
        while not over:
            assert info["seat"] == env.seat
            assert named(observation)["to_move"] == 1
            assert env._core.states[0]["mover"] == env.seat
            swap = bool(named(observation)["swapping"])
            assert info["action_mask"][:4].any() != swap
            repeated += swap or swapping
            swapping = swap
            observation, _, terminated, truncated, info = env.step(pick(info["action_mask"], rng))
            over = terminated or truncated
        assert named(observation)["to_move"] == 0
        assert info["action_mask"].all()
    assert seats == ({0, 1} if seat in ("random", None) else {seat})
    assert repeated > 5, "no repeated own decisions were seen"


@pytest.mark.parametrize(
    ("game", "arguments", "message"),
    [
        ("hackthegrid", {"seat": 2}, "seat=2"),
        ("hackthegrid", {"seat": -1}, "seat=-1"),
        ("hackthegrid", {"seat": 0.0}, "seat=0.0"),
        ("hackthegrid", {"seat": True}, "seat=True"),
        ("hackthegrid", {"seat": "left"}, "seat='left'"),
        ("hackthegrid", {"seat": "every"}, "every"),
        ("hackthegrid", {"opponent": "best"}, "opponent='best'"),
        ("hackthegrid", {"opponent": []}, "empty pool"),
        ("hackthegrid", {"opponent": ["random", "best"]}, "opponent='best'"),
        ("hackthegrid", {"opponent": 3}, "opponent=3"),
        ("hackthegrid", {"opponent": ["random", None]}, "opponent=None"),
        ("hackthegrid", {"illegal": "ignore"}, "illegal='ignore'"),
        ("hackthegrid", {"render_mode": "svg"}, "render_mode='svg'"),
        ("hackthegrid", {"scrambel": "on_take"}, "scrambel.*scramble"),
        ("hackthegrid", {"scramble": "later"}, "on_take.*at_end"),
        (
            "hackthegrid",
            {"deck": [("NET NODE", 0)] * 15},
            "deck: give 16 rows, .*, not a list of 15",
        ),
        ("hackthegrid", {"deck": [("NET NODE", 8)] * 16}, r"deck\[0\]: colour=8 is not possible"),
        ("hackthegrid", {"deck": [("NODE", 1)] * 16}, r"deck\[0\]: kind='NODE' is not possible"),
        ("hackthegrid", {"deck": [3] * 16}, r"deck\[0\]=3 is not possible"),
        ("hackthegrid", {"deck": "default"}, "deck: give 16 rows, .*, not 'default'"),
        ("matrix_overload", {"seat": 1}, "game for one"),
        ("matrix_overload", {"opponent": "random"}, "game for one"),
        ("matrix_overload", {"edition": "gold"}, "firewall.*royals.*rulebook"),
        ("matrix_overload", {"max_steps": 0}, "1 to 1000000"),
        ("matrix_overload", {"max_steps": 3.0}, "whole number"),
        ("matrix_overload", {"max_steps": True}, "whole number"),
        ("stacktrices", {"seat": 2}, "seat=2"),
        ("stacktrices", {"setup": "chosen"}, "choose.*random"),
        ("stacktrices", {"first": 2}, "0, 1, 'random'"),
        ("stacktrices", {"first": False}, "0, 1, 'random'"),
        ("stacktrices", {"steal_on_attack": 1}, "False, True"),
        ("stacktrices", {"max_turns": 1}, "2 to 1000000"),
        ("stacktrices", {"observation": "image"}, "vector.*planes"),
        ("hackthegrid", {"observation": "advised"}, "observation='advised' is now called 'prior'"),
        ("stacktrices", {"observation": "advised"}, "observation='advised' is now called 'prior'"),
        ("hovercrafts", {"observation": "advised"}, "observation='advised' is now called 'prior'"),
        ("chess", {}, "no game 'chess'"),
    ],
)
def test_arguments_that_are_not_possible_are_named(
    game: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        CyberdeckEnv(game, **arguments)


def test_every_player_of_a_pool_plays() -> None:
    called = {1: 0, 3: 0}

    def counting(at: int) -> Any:
        def policy(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
            assert masks.any(axis=1).all(), "a policy was handed an empty mask"
            called[at] += 1
            return lowest(observations, masks)

        return policy

    env = CyberdeckEnv(
        "hackthegrid", opponent=["random", counting(1), "heuristic", counting(3)], seat=0
    )
    drawn = set()
    for seed in range(40):
        env.reset(seed=seed)
        before = dict(called)
        list(transitions(env, seed))
        drawn.add(int(env._core.rows["opponent"][0]))
        moved = {at for at in called if called[at] > before[at]}
        assert moved <= {int(env._core.rows["opponent"][0])}, "one game, one opponent"
    assert drawn == {0, 1, 2, 3}
    assert min(called.values()) > 0


# --- rewards --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_the_loser_sees_its_loss(seat: int) -> None:
    """The opponent makes the last move, and the learner's -1 arrives all the same."""
    env = CyberdeckEnv("hackthegrid", seat=seat, opponent="random")
    lost_to_the_last_move = 0
    for seed in range(60):
        env.reset(seed=seed)
        rewards, before = [], 0
        for _, reward, terminated, _, info in transitions(env, seed):
            rewards.append(reward)
            assert isinstance(reward, float)
            if terminated and info["own_score"] < info["opponent_score"]:
                assert reason(env, info) in ("grid_emptied", "cards_remain")
                assert reward == -1.0
                lost_to_the_last_move += before == 2
            before = info["cards_left"]
        assert rewards[:-1] == [0.0] * (len(rewards) - 1)
    assert lost_to_the_last_move > 3


def test_royals_pay_as_they_fall() -> None:
    """Rewards add up: twelfths for the fallen royals and one more for a won game."""
    env = CyberdeckEnv("matrix_overload", edition="royals", reward="royals")
    paid = 0
    for seed in range(20):
        env.reset(seed=seed)
        total, fallen = 0.0, 0
        for _, reward, _, _, info in transitions(env, seed):
            won = reason(env, info) == "won"
            assert reward == pytest.approx((info["royals_killed"] - fallen) / 12 + won, abs=1e-6)
            fallen = info["royals_killed"]
            total += reward
        paid += fallen
        assert total == pytest.approx(fallen / 12 + won, abs=1e-5)
    assert paid > 20


# --- opponents that go wrong ----------------------------------------------------------------------


class Unreliable:
    """Plays the lowest legal action until told what to answer instead."""

    def __init__(self) -> None:
        self.answer: Any = None

    def __call__(self, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> Any:
        if self.answer is None:
            return lowest(observations, masks)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(observations, masks)


BAD_ANSWERS: list[tuple[str, Any, type[BaseException]]] = [
    ("illegal", lambda seen, masks: masks.argmin(axis=1), ActionError),
    ("out of range", lambda seen, masks: np.full(len(masks), masks.shape[1]), ActionError),
    ("negative", lambda seen, masks: np.full(len(masks), -1), ActionError),
    ("too many", lambda seen, masks: np.zeros(len(masks) + 1, np.int64), ActionError),
    ("a scalar", lambda seen, masks: 0, ActionError),
    ("a column", lambda seen, masks: np.zeros((len(masks), 1), np.int64), ActionError),
    ("floats", lambda seen, masks: masks.argmax(axis=1).astype(np.float64), ActionError),
    ("truths", lambda seen, masks: np.ones(len(masks), np.bool_), ActionError),
    ("none", lambda seen, masks: None, ActionError),
    ("a text", lambda seen, masks: ["0"] * len(masks), ActionError),
    ("an error", KeyError("a bug of the policy"), KeyError),
    ("an interrupt", KeyboardInterrupt(), KeyboardInterrupt),
]


@pytest.mark.parametrize(
    ("answer", "error"), [bad[1:] for bad in BAD_ANSWERS], ids=[bad[0] for bad in BAD_ANSWERS]
)
@pytest.mark.parametrize("illegal", ["raise", "lose"])
def test_an_opponent_that_goes_wrong_changes_nothing(
    answer: Any, error: type[BaseException], illegal: str
) -> None:
    """One clear error; the env stands where it stood and plays on as if nothing had been."""
    player = Unreliable()
    deck = [("DATA PACKET", at % 4) for at in range(16)]  # no SCRAMBLE: every turn is one decision
    env = CyberdeckEnv("hackthegrid", seat=0, opponent=player, illegal=illegal, deck=deck)
    player.answer = answer
    with pytest.raises(error):
        env.reset(seed=2, options={"first": 1})
    with pytest.raises(EpisodeError):
        env.get_state()
    player.answer = None
    env.reset(seed=2, options={"first": 0})
    env.step(pick(env.action_masks(), np.random.default_rng(0)))
    twin = env.clone()
    before = position(env)
    player.answer = answer
    action = pick(env.action_masks(), np.random.default_rng(1))
    with pytest.raises(error):
        env.step(action)
    assert position(env) == before
    with pytest.raises(error):
        env.reset(seed=9, options={"first": 1})
    assert position(env) == before
    player.answer = None
    same(env.step(action), twin.step(action))
    same(list(transitions(env, 5)), list(transitions(twin, 5)))


def test_a_policy_cannot_write_into_the_game() -> None:
    """What a policy is handed is its own: scribbling on it does not reach the table."""

    def scribbler(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        actions = lowest(observations, masks)
        observations[:] = 99
        masks[:] = 1
        return actions

    clean = CyberdeckEnv("hackthegrid", seat=1, opponent=lowest)
    dirty = CyberdeckEnv("hackthegrid", seat=1, opponent=scribbler)
    same(clean.reset(seed=3), dirty.reset(seed=3))
    same(list(transitions(clean, 1)), list(transitions(dirty, 1)))


# --- actions that are not possible ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8, np.array])
def test_whole_numbers_of_any_type_are_actions(kind: Any) -> None:
    env, other = CyberdeckEnv("matrix_overload"), CyberdeckEnv("matrix_overload")
    env.reset(seed=1)
    other.reset(seed=1)
    action = pick(env.action_masks(), np.random.default_rng(0))
    same(env.step(kind(action)), other.step(action))


@pytest.mark.parametrize("limit", [1, 5, 30])
def test_truncation_is_not_termination(limit: int) -> None:
    env = CyberdeckEnv("matrix_overload", max_steps=limit)
    truncated = 0
    for seed in range(20):
        env.reset(seed=seed)
        seen = list(transitions(env, seed))
        for _, _, ended, cut, info in seen[:-1]:
            assert not ended
            assert not cut
            assert info["reason"] == 0
        _, reward, ended, cut, info = seen[-1]
        assert ended != cut
        assert cut == (reason(env, info) == "max_steps")
        if cut:
            truncated += 1
            assert len(seen) == limit
            assert reward == 0.0
    assert truncated > 5


# --- states ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", FEW[::2], ids=label)
def test_twins_with_a_live_window(case: Case) -> None:
    game, options = case
    env = CyberdeckEnv(game, render_mode="human", **options)
    env.reset(seed=1)
    env.render()
    assert env._window is not None
    before = env.get_state()
    face = Gymnasium(env._core.variant, render_mode="human").around(env)
    for twin in (each.env for each in face.twins()):
        assert twin._window is not env._window, "a window belongs to one env"
        assert twin.get_state() == before
        twin.step(pick(twin.action_masks(), np.random.default_rng(0)))
        twin.close()
    assert env.get_state() == before
    env.render()
    env.close()


def test_the_made_env_can_be_copied_with_its_wrappers() -> None:
    for game in cyberdeck.GAMES:
        env: Any = gym.make(gym_id(game))
        env.reset(seed=4)
        for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            assert twin.unwrapped.get_state() == env.unwrapped.get_state()
            action = pick(twin.unwrapped.action_masks(), np.random.default_rng(0))
            same(twin.step(action), env.unwrapped.clone().step(action))


@pytest.mark.parametrize("game", GAMES_FOR_TWO)
def test_bytes_from_another_seat_or_pool_are_refused(game: str) -> None:
    source = CyberdeckEnv(game, seat=0, opponent=["random", "heuristic", lowest])
    seed = 0
    while True:
        source.reset(seed=seed)
        if source._core.rows["opponent"][0] == 2:
            break
        seed += 1
    saved = source.get_state()
    for arguments in ({"seat": 1}, {"seat": "random"}, {"seat": 0, "opponent": "random"}):
        env = CyberdeckEnv(game, **arguments)
        env.reset(seed=1)
        before = position(env)
        with pytest.raises(StateError, match="another seat or other opponents"):
            env.set_state(saved)
        assert position(env) == before
        env.reset(options={"state": saved})


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=label)
def test_pictures_and_texts_at_every_stage(case: Case) -> None:
    game, options = case
    env = CyberdeckEnv(game, render_mode="ansi", **options)
    assert env._repr_svg_() is None
    env.reset(seed=2)
    texts, pictures = [env.render()], [env._repr_svg_()]
    for _ in transitions(env, 2):
        texts.append(env.render())
        pictures.append(env._repr_svg_())
    for shown in texts:
        assert isinstance(shown, str)
        assert len(shown) > 40
    for picture in pictures:
        assert picture is not None
        assert picture.startswith("<svg")
        assert picture.endswith("</svg>")
    assert len(set(texts)) > len(texts) // 2
    assert texts[-1] != texts[-2], "the last move is not in the text"
    assert pictures[-1] != pictures[-2], "the last move is not in the picture"


@pytest.mark.parametrize("case", FEW[1::2], ids=label)
def test_rgb_array_shows_the_last_move(case: Case) -> None:
    """The terminal frame is a picture of the end."""
    game, options = case
    env = CyberdeckEnv(game, render_mode="rgb_array", **options)
    env.reset(seed=2)
    frames = [env.render()]
    before = env.clone()
    for _ in transitions(env, 2):
        if not env._core.terminated[0] and not env._core.truncated[0]:
            before = env.clone()
    frames += [before.render(), env.render()]
    for frame in frames:
        assert isinstance(frame, np.ndarray)
        assert frame.dtype == np.uint8
        assert frame.ndim == 3
        assert frame.shape[2] == 3
        assert frame.std() > 1, "a blank picture"
        assert frame.shape == frames[0].shape
    assert (frames[-1] != frames[-2]).any()
    assert (frames[-1] == rgb(env.svg(highlight=False))).all()


#: Options that let a game end after a few pictures.
BRIEFEST: dict[str, dict[str, Any]] = {
    "matrix_overload": {"max_steps": 8},
    "hackthegrid": {},
    "hovercrafts": {"max_turns": 1},
    "stacktrices": {"setup": "random", "max_turns": 4},
}


@pytest.mark.parametrize("game", list(cyberdeck.GAMES))
def test_human_shows_every_frame_up_to_the_end(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset and every step show a frame in the window, the last one the end of the game."""
    shown: list[NDArray[np.uint8]] = []
    real = Window.show

    def show(window: Window, frame: NDArray[np.uint8]) -> None:
        shown.append(frame)
        real(window, frame)

    monkeypatch.setattr(Window, "show", show)
    env = CyberdeckEnv(game, render_mode="human", **BRIEFEST[game])
    env.reset(seed=1)
    steps = len(list(transitions(env, 1)))
    assert len(shown) == 1 + steps
    assert (shown[-1] == rgb(env.svg())).all()
    assert env.render() is None
    env.close()
    env.close()
    env.reset()
    assert len(shown) == steps + 3
    env.close()


def test_a_closed_window_costs_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user closes it between two steps: not even the next one is drawn."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    drawn: list[str] = []

    def counted(svg: str) -> NDArray[np.uint8]:
        drawn.append(svg)
        return rgb(svg)

    monkeypatch.setattr(raster, "rgb", counted)
    env = CyberdeckEnv("hackthegrid", render_mode="human")
    env.reset(seed=1)
    env.step(env.suggest())
    assert len(drawn) == 2
    assert pygame.display.get_init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(env.suggest())
    assert len(drawn) == 2
    assert not pygame.display.get_init()
    env.step(env.suggest())
    env.reset()
    assert len(drawn) == 2
    env.close()


def test_a_window_that_was_closed_stays_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    frame = np.zeros((20, 30, 3), np.uint8)
    shown = Window()
    assert shown.is_open()
    shown.show(frame)
    assert shown.is_open()
    shown.close()
    assert not shown.is_open()
    shown.show(frame)
    assert not pygame.display.get_init()
