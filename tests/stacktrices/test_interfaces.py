"""Stacktrices through every interface: long turns, the victim's decision inside them, planes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecFrameStack, VecMonitor

import cyberdeck
from cyberdeck import ActionError, Batch, OptionError, StateError
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.pettingzoo_env import env, raw_env
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from cyberdeck.engine.loops import RANDOM
from cyberdeck.games.stacktrices.constants import PHASES
from tests.api.helpers import lowest, pick, pick_rows, reason, same, scripted, transitions
from tests.play import Stacks, side

GAME = "stacktrices"
HIDE_AGAIN = PHASES.index("hide the thief again")
AFTER_MOVE = PHASES.index("after the move")

#: Every rule and the view as planes; short enough to be played often.
ALL_RULES: dict[str, Any] = {
    "observation": "planes",
    "setup": "random",
    "steal_on_attack": True,
    "stacked_movement": True,
    "reward": "material",
    "max_turns": 40,
}

# --- a game that is known to its end --------------------------------------------------------------

WHITE, BLACK = "e3*:Q a1 e1 | b2:D c3:Q", "d4*:P a7 g7:Q |"
POSITION = f"white: {side(WHITE)}\nblack: {side(BLACK)}\nturn: white"

#: Who decides what; what that side got since its last decision; what this one brings white.
#: The end of a turn pays 0.01 for each pip that it has gained over the opponent.
STORY = [
    ("white", "e3-d4", 0.0, 0.0),  # captures the thief
    ("white", "steal P", 0.0, 0.0),
    ("white", "P>a1", 0.0, 0.0),
    ("black", "hide a7", 0.0, 0.0),  # in the middle of white's turn
    ("white", "give D b2", 0.0, 0.0),
    ("white", "P>b2", 0.0, 0.01),  # a pip stolen from black, a pip lost by the trade
    ("black", "g7-f6", -0.01, 0.0),
    ("black", "give Q f6", 0.0, 0.0),
    ("black", "D>f6", 0.0, 0.01),
    ("white", "d4-a7", 0.02, 0.0),  # the thief again, and onto black's home row
    ("black", "hide f6", -0.01, 0.0),
    ("white", "claim", 0.0, 0.0),
    ("white", "take D f6", 0.0, 0.0),
    ("white", "D>e1", 0.0, 0.0),
    ("white", "hide a1", 0.0, 0.0),
    ("white", "end", 0.0, 0.04),
    ("black", "end", -0.04, 0.0),  # it can neither move nor trade
    ("white", "c3-f6", 0.04, 1.0),  # captures the last stack
]


class Told(NamedTuple):
    """A decision of the story in numbers."""

    seat: int
    action: int
    before: float
    brings: tuple[float, float]


def tell(first: int) -> list[Told]:
    """The story if that seat plays white."""
    game = Stacks(WHITE, BLACK, first=first, reward="material")
    story = []
    for colour, word, before, gain in STORY:
        assert game.colour == colour
        brings = (gain, -gain) if first == 0 else (-gain, gain)
        story.append(Told(game.seat(colour), game.action(word), before, brings))
        game.do(word)
    assert game.reason == "captured_all"
    return story


def steps_of(story: list[Told], seat: int) -> list[tuple[int, float]]:
    """What a learner on that seat does in the story, and the reward of each of its steps."""
    own = [at for at, told in enumerate(story) if told.seat == seat]
    return [
        (story[at].action, sum(told.brings[seat] for told in story[at:after]))
        for at, after in zip(own, [*own[1:], len(story)], strict=True)
    ]


class Follower:
    """A policy that plays the other side of the story, in all games alike."""

    def __init__(self, story: list[Told], learner: int) -> None:
        self.left = [told.action for told in story if told.seat != learner]

    def __call__(self, seen: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        if not self.left:  # the story is over, and other games have begun
            return lowest(seen, masks)
        action = self.left.pop(0)
        assert masks[:, action].all()
        return np.full(len(masks), action)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("make", [env, raw_env])
def test_the_aec_env_asks_whoever_decides(make: Callable[..., Any], first: int) -> None:
    """One agent several times in a row, the victim in between; each gets what it has missed."""
    story = tell(first)
    one = make(GAME, first=first, reward="material", observation="planes")
    one.reset(seed=3, options={"position": POSITION})
    asked = iter(story)
    paid = dict.fromkeys(one.possible_agents, 0.0)
    for agent in one.agent_iter():
        seen, reward, terminated, truncated, info = one.last()
        paid[agent] += reward
        if terminated or truncated:
            assert reason(one, info) == "captured_all"
            assert not seen["action_mask"].any()
            one.step(None)
            continue
        told = next(asked)
        assert agent == one.possible_agents[told.seat]
        assert reward == pytest.approx(told.before, abs=1e-6)
        assert info["action_mask"][told.action] == 1
        other = one.possible_agents[1 - told.seat]
        assert not one.observe(other)["action_mask"].any()
        assert not one.infos[other]["action_mask"].any()
        for name, deciding in ((agent, 1), (other, 0)):
            named = one.unwrapped._core.variant.named(one.observe(name)["observation"])
            assert (named["to_move"] == deciding).all()
        one.step(told.action)
        assert list(one.rewards.values()) == pytest.approx(told.brings, abs=1e-6)
    assert next(asked, None) is None
    white, black = (one.possible_agents[seat] for seat in (first, 1 - first))
    assert paid == {white: pytest.approx(1.06), black: pytest.approx(-1.06)}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_single_env_asks_the_victim_within_the_opponents_turn(seat: int, first: int) -> None:
    """Also before the own first turn; what the opponent's turns bring arrives with the own step."""
    story = tell(first)
    single = CyberdeckEnv(
        GAME, seat=seat, opponent=Follower(story, seat), first=first, reward="material"
    )
    _, info = single.reset(seed=3, options={"position": POSITION})
    phases = []
    steps = steps_of(story, seat)
    for at, (action, expected) in enumerate(steps):
        phases.append(info["phase"])
        assert info["action_mask"][action] == 1
        _, reward, terminated, truncated, info = single.step(action)
        assert reward == pytest.approx(expected, abs=1e-6)
        assert (terminated, truncated) == (at == len(steps) - 1, False)
    assert reason(single, info) == "captured_all"
    assert phases.count(HIDE_AGAIN) == (0 if seat == first else 2)
    assert (phases[0] == HIDE_AGAIN) == (seat != first)


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_vector_env_asks_the_victim_too(seat: int, mode: AutoresetMode) -> None:
    story = tell(0)
    envs = CyberdeckVectorEnv(
        GAME,
        3,
        seat=seat,
        opponent=Follower(story, seat),
        autoreset_mode=mode,
        first=0,
        reward="material",
    )
    _, infos = envs.reset(seed=3, options={"position": POSITION})
    assert (infos["phase"] == (HIDE_AGAIN if seat == 1 else PHASES.index("move"))).all()
    steps = steps_of(story, seat)
    for at, (action, expected) in enumerate(steps):
        _, rewards, terminated, truncated, infos = envs.step(np.full(3, action))
        assert rewards == pytest.approx([expected] * 3, abs=1e-6)
        assert terminated.tolist() == [at == len(steps) - 1] * 3
        assert not truncated.any()
    last = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    assert last["reason"].tolist() == [envs.metadata["reasons"].index("captured_all")] * 3


@pytest.mark.parametrize("seat", [0, 1])
def test_the_sb3_env_and_the_batch_ask_the_victim_too(seat: int) -> None:
    story = tell(0)
    chosen: dict[str, Any] = {"seat": seat, "first": 0, "reward": "material"}
    sb3 = SB3VecEnv(GAME, 2, seed=3, opponent=Follower(story, seat), **chosen)
    sb3.set_options({"position": POSITION})
    sb3.reset()
    follower = Follower([], seat)
    batch = Batch(GAME, 2, seed=3, opponent=follower, **chosen)
    follower.left = Follower(story, seat).left
    batch.reset(options={"position": POSITION})
    for action, expected in steps_of(story, seat):
        assert sb3.action_masks()[:, action].all()
        _, rewards, dones, infos = sb3.step(np.full(2, action))
        batch.step([action] * 2)
        assert rewards == pytest.approx([expected] * 2, abs=1e-6)
        assert batch.reward[:, seat] == pytest.approx([expected] * 2, abs=1e-6)
        assert batch.terminated.tolist() == dones.tolist()
    assert dones.all()
    assert [reason(sb3, info) for info in infos] == ["captured_all"] * 2
    assert batch.final_return[:, seat] == pytest.approx([1.06 if seat == 0 else -1.06] * 2)


# --- any game, any opponent -----------------------------------------------------------------------

OPPONENTS: list[Any] = ["random", "heuristic", scripted(3), ["random", lowest]]


@pytest.mark.parametrize("seat", [0, 1, "random"])
@pytest.mark.parametrize("opponent", OPPONENTS, ids=["random", "heuristic", "policy", "pool"])
def test_only_own_decisions_are_asked_for_and_no_reward_is_lost(opponent: Any, seat: Any) -> None:
    single = CyberdeckEnv(GAME, seat=seat, opponent=opponent, **{**ALL_RULES, "max_turns": 200})
    named = single._core.variant.named
    rng = np.random.default_rng(0)
    between, own_turns, seats, ended = 0, 0, set(), set()
    for seed in range(16):
        observation, info = single.reset(seed=seed)
        seats.add(single.seat)
        white = bool(named(observation)["white"].all())
        over, total = False, 0.0
        while not over:
            assert info["seat"] == single.seat == single._core.states["mover"][0]
            assert (named(observation)["to_move"] == 1).all()
            if info["phase"] == HIDE_AGAIN:
                between += 1
                assert (info["turns"] % 2 == 0) != white, "in the opponent's turn"
            else:
                own_turns += 1
                assert (info["turns"] % 2 == 0) == white
            observation, reward, terminated, truncated, info = single.step(
                pick(info["action_mask"], rng)
            )
            total += reward
            over = terminated or truncated
        ended.add(reason(single, info))
        alive = bool(info["own_stacks"]) - bool(info["opponent_stacks"])
        lead = info["own_pips"] - info["opponent_pips"]
        assert total == pytest.approx(alive + 0.01 * lead, abs=1e-5)
        assert (named(observation)["to_move"] == 0).all()
    assert seats == ({0, 1} if seat == "random" else {seat})
    assert between > 2, "the learner's thief was hardly ever captured"
    assert own_turns > 300
    assert "captured_all" in ended


@pytest.mark.parametrize("options", [{"reward": "material"}, ALL_RULES], ids=["default", "all"])
def test_a_game_seen_from_both_seats_sums_to_zero(options: dict[str, Any]) -> None:
    """The same two scripted players from the same position, once from each seat."""
    winners = set()
    for salt in range(12):
        players = [scripted(salt), scripted(salt + 5)]
        returns, reasons = [], []
        for seat in (0, 1):
            single = CyberdeckEnv(GAME, seat=seat, opponent=players[1 - seat], first=0, **options)
            observation, info = single.reset(seed=1, options={"position": POSITION})
            over, total = False, 0.0
            while not over:
                action = players[seat](observation[None], info["action_mask"][None])[0]
                observation, reward, terminated, truncated, info = single.step(action)
                total += reward
                over = terminated or truncated
            returns.append(total)
            reasons.append(info["reason"])
        assert sum(returns) == pytest.approx(0.0, abs=1e-5)
        assert reasons[0] == reasons[1]
        winners.add(round(returns[0]))
    assert len(winners) > 1, "all games ended alike"


def test_a_vector_of_games_returns_what_was_earned() -> None:
    """Over many games at once, with autoreset: each game's rewards add up to what its end says."""
    envs = SB3VecEnv(GAME, 24, seed=0, opponent=["random", "heuristic", scripted(2)], **ALL_RULES)
    envs.reset()
    rng = np.random.default_rng(0)
    totals = np.zeros(24)
    drawn, ended = set(), 0
    for _ in range(160):
        _, rewards, dones, infos = envs.step(pick_rows(envs.action_masks(), rng))
        totals += rewards
        for row in np.flatnonzero(dones):
            info = infos[row]
            alive = bool(info["own_stacks"]) - bool(info["opponent_stacks"])
            lead = info["own_pips"] - info["opponent_pips"]
            assert totals[row] == pytest.approx(alive + 0.01 * lead, abs=1e-5)
            drawn.add((info["opponent"], info["seat"]))
            totals[row] = 0.0
            ended += 1
    assert ended > 30
    assert len(drawn) == 6, "each opponent on each seat"


# --- every phase ----------------------------------------------------------------------------------


EASY: dict[str, Any] = {"max_turns": 60, "reward": "material"}


@pytest.fixture(scope="module")
def phases() -> dict[int, bytes]:
    """A state of the AEC env in each of the phases."""
    one = raw_env(GAME, **EASY)
    claim = one.action_space("player_0").n - 3
    found: dict[int, bytes] = {}
    rng = np.random.default_rng(0)
    seed = 0
    while len(found) < len(PHASES):
        one.reset(seed=seed)
        while not (any(one.terminations.values()) or any(one.truncations.values())):
            phase = one.infos["player_0"]["phase"]
            found.setdefault(phase, one.get_state())
            mask = one.infos[one.agent_selection]["action_mask"]
            one.step(claim if phase == AFTER_MOVE and mask[claim] else pick(mask, rng))
        seed += 1
        assert seed < 300, f"only these phases are ever reached: {sorted(found)}"
    return found


def whole_game(one: Any, seed: int) -> list[Any]:
    """Legal play to the end: all that is seen on the way."""
    rng = np.random.default_rng(seed)
    seen = []
    while one.agents:
        seen.append((one.agent_selection, *one.last()))
        _, _, terminated, truncated, info = one.last()
        one.step(None if terminated or truncated else pick(info["action_mask"], rng))
    return seen


@pytest.mark.parametrize("phase", range(len(PHASES)), ids=lambda phase: PHASES[phase])
@pytest.mark.parametrize("make", [env, raw_env])
def test_clones_go_on_alike_in_every_phase(
    phase: int, make: Callable[..., Any], phases: dict[int, bytes]
) -> None:
    one = make(GAME, **EASY)
    one.set_state(phases[phase])
    assert one.infos[one.agent_selection]["phase"] == phase
    expected = whole_game(copy.deepcopy(one), 5)
    restored = make(GAME, **EASY)
    restored.set_state(one.get_state())
    for twin in (one.clone(), pickle.loads(pickle.dumps(one)), restored):
        same(whole_game(twin, 5), expected)
    assert one.get_state() == phases[phase], "a twin's game reached the original"
    same(whole_game(one, 5), expected)


@pytest.mark.parametrize("phase", range(len(PHASES)), ids=lambda phase: PHASES[phase])
def test_single_envs_go_on_alike_in_every_phase(phase: int, phases: dict[int, bytes]) -> None:
    """Both seats: the one that decides in that phase, and the one that waits for it."""
    for seat in (0, 1):
        single = CyberdeckEnv(GAME, seat=seat, opponent="random", **EASY)
        seen = single.reset(seed=2, options={"state": phases[phase]})
        again = CyberdeckEnv(GAME, seat=seat, opponent="random", **EASY)
        same(again.reset(seed=2, options={"state": phases[phase]}), seen)
        assert single._core.states["mover"][0] == seat
        expected = list(transitions(single.clone(), 4))
        for twin in (again, copy.deepcopy(single), pickle.loads(pickle.dumps(single))):
            same(list(transitions(twin, 4)), expected)
        same(list(transitions(single, 4)), expected)


@pytest.mark.parametrize("phase", range(len(PHASES)), ids=lambda phase: PHASES[phase])
def test_resampling_for_either_seat_in_every_phase(phase: int, phases: dict[int, bytes]) -> None:
    """The seat sees no difference; the mover's mask and observation are those of the new game."""
    batch = Batch(GAME, 2, seed=0, **EASY)
    batch.set_state(1, phases[phase])
    for seat in (0, 1):
        views = [batch.look(1, viewer) for viewer in (0, 1)]
        for seed in range(4):
            batch.resample(1, seat, seed=seed)
            for seen, before in zip(batch.look(1, seat), views[seat], strict=True):
                assert (seen == before).all()
            mover = int(batch.mover[1])
            observation, mask = batch.look(1, mover)
            assert (batch.observation[1] == observation).all()
            assert (batch.mask[1] == mask).all()
            assert batch.mask[1].any()
            batch.clone().step(batch.choose("random"))
        batch.set_state(1, phases[phase])


# --- what is illegal ------------------------------------------------------------------------------


def test_every_illegal_decision_is_named_in_words_and_changes_nothing() -> None:
    story = tell(1)
    one = raw_env(GAME, first=1, reward="material")
    one.reset(seed=3, options={"position": POSITION})
    for told in story:
        agent, before = one.agent_selection, one.get_state()
        mask = one.infos[agent]["action_mask"]
        for action in np.flatnonzero(mask == 0)[::7]:
            with pytest.raises(ActionError) as caught:
                one.step(action)
            message = str(caught.value)
            name = one.unwrapped.action_name(int(action))
            assert f"action {action} ({name}) is not legal for {agent}; legal are " in message
            assert len(name.split()) >= 3
        assert one.get_state() == before
        assert one.agent_selection == agent
        one.step(told.action)


def test_the_message_says_what_the_victim_may_do() -> None:
    one = raw_env(GAME, first=0)
    one.reset(seed=3, options={"position": POSITION})
    for told in tell(0)[:3]:
        one.step(told.action)
    end = one.action_space("player_1").n - 2
    with pytest.raises(ActionError) as caught:
        one.step(end)
    assert str(caught.value) == (
        f"nothing was applied: action {end} (end the turn) is not legal for player_1; legal are "
        "344 (hide the thief under B1 (drone, a7)); "
        "345 (hide the thief under B2 (drone, g7)). The action mask says which are; with "
        "illegal='lose' an illegal action loses the game instead"
    )


@pytest.mark.parametrize("phase", range(len(PHASES)), ids=lambda phase: PHASES[phase])
def test_whoever_decides_illegally_loses_in_every_phase(
    phase: int, phases: dict[int, bytes]
) -> None:
    """The victim too, in the middle of the attacker's turn."""
    one = env(GAME, **EASY)
    one.set_state(phases[phase])
    offender = one.agent_selection
    mask = one.infos[offender]["action_mask"]
    other = next(agent for agent in one.agents if agent != offender)
    owed = one.unwrapped._cumulative_rewards[other]
    one.step(int(np.flatnonzero(mask == 0)[-1]))
    handed_out = {}
    for agent in one.agent_iter():
        _, handed_out[agent], terminated, truncated, info = one.last()
        assert (terminated, truncated) == (True, False)
        assert reason(one, info) == "illegal_action"
        one.step(None)
    assert handed_out == {offender: -1.0, other: 1.0 + owed}


# --- planes ---------------------------------------------------------------------------------------


def planes_of(**options: Any) -> tuple[int, ...]:
    return cyberdeck.variant(GAME, **{"observation": "planes", **options}).observation_shape


def test_planes_have_their_shape_in_every_interface() -> None:
    shape = planes_of()
    assert shape[1:] == (7, 7)
    options: dict[str, Any] = {"observation": "planes", "setup": "random", "max_turns": 4}
    handed: set[tuple[int, ...]] = set()

    def policy(seen: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        assert seen.dtype == np.int8
        handed.add(seen.shape)
        return lowest(seen, masks)

    single = CyberdeckEnv(GAME, opponent=policy, **options)
    assert single.observation_space.shape == shape
    seen = [single.reset(seed=1)[0], *(step[0] for step in transitions(single, 1))]
    assert all(single.observation_space.contains(observation) for observation in seen)
    assert {observation.shape for observation in seen} == {shape}
    assert handed == {(1, *shape)}

    rng = np.random.default_rng(0)
    envs = gym.make_vec(
        "cyberdeck/Stacktrices-v0", num_envs=3, autoreset_mode=AutoresetMode.SAME_STEP, **options
    )
    assert envs.observation_space.shape == (3, *shape)
    sb3 = SB3VecEnv(GAME, 3, seed=1, **options)
    assert sb3.observation_space.shape == shape
    batch = Batch(GAME, 3, seed=1, **options)
    assert envs.observation_space.contains(envs.reset(seed=1)[0])
    assert sb3.reset().shape == batch.observation.shape == (3, *shape)
    assert batch.final_observation.shape == (3, 2, *shape)
    ended = np.zeros(3, np.int64)
    for _ in range(40):
        masks = envs.unwrapped.action_masks()
        observations, _, terminated, truncated, infos = envs.step(pick_rows(masks, rng))
        assert envs.observation_space.contains(observations)
        for row in np.flatnonzero(terminated | truncated):
            assert envs.single_observation_space.contains(infos["final_obs"][row])
            ended[0] += 1
        observations, _, dones, rows = sb3.step(pick_rows(sb3.action_masks(), rng))
        assert observations.shape == (3, *shape)
        for row in np.flatnonzero(dones):
            assert sb3.observation_space.contains(rows[row]["terminal_observation"])
            ended[1] += 1
        batch.step(batch.choose("random"))
        for row in np.flatnonzero(batch.terminated | batch.truncated):
            for view in batch.final_observation[row]:
                assert single.observation_space.contains(view)
            ended[2] += 1
    assert (ended > 5).all()

    one = env(GAME, **options)
    one.reset(seed=1)
    assert one.observe("player_1")["observation"].shape == shape
    assert one.state().shape == one.state_space.shape == (2 * shape[0], *shape[1:])
    looked, _ = batch.look(0, 1)
    assert looked.shape == shape


@pytest.mark.parametrize(
    "options",
    [{"max_turns": 20}, {**ALL_RULES, "observation": "vector", "first": 1, "max_turns": 20}],
    ids=["default", "all rules"],
)
def test_planes_and_vector_say_the_same(options: dict[str, Any]) -> None:
    """Both views of the same games, piece by piece, for both seats, ends included."""
    flat = Batch(GAME, 6, seed=4, **options)
    board = Batch(GAME, 6, seed=4, **{**options, "observation": "planes"})
    compared = 0
    for _ in range(160):
        for row in range(6):
            for seat in (0, 1):
                one, other = flat.look(row, seat)[0], board.look(row, seat)[0]
                says_the_same(flat.variant.named(one), board.variant.named(other))
        actions = flat.choose("random")
        assert (board.choose("random") == actions).all()
        flat.step(actions)
        board.step(actions)
        assert (flat.mask == board.mask).all()
        assert (flat.reward == board.reward).all()
        over = flat.terminated | flat.truncated
        says_the_same(
            flat.variant.named(flat.final_observation[over]),
            board.variant.named(board.final_observation[over]),
        )
        compared += int(over.sum())
    assert compared > 5


def says_the_same(flat: dict[str, NDArray[Any]], board: dict[str, NDArray[Any]]) -> None:
    """Stacks' features stand on their squares and nowhere else; numbers fill their planes."""
    assert flat.keys() == board.keys()
    for name, told in flat.items():
        shown = board[name]
        if name.endswith("_features"):
            at = flat[name.replace("features", "at")]  # [..., stack, rank, file]
            painted = np.einsum("...sf,...syx->...fyx", told, at)
            assert (shown == painted).all(), name
            gone = at.any(axis=(-1, -2)) == 0
            assert not told[gone].any(), "a captured stack has features"
        elif told.shape[-2:] == (7, 7):
            assert (shown == told).all(), name
        else:
            assert (shown == told[..., None, None]).all(), name


def test_a_state_fits_whatever_the_view() -> None:
    """Saved where vectors are seen, gone on with where planes are, and back: in every interface."""
    options: dict[str, Any] = {"setup": "random", "reward": "material", "max_turns": 30}
    planes = {**options, "observation": "planes"}
    one, other = raw_env(GAME, **options), raw_env(GAME, **planes)
    one.reset(seed=1)
    other.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(25):
        one.step(pick(one.action_masks(), rng))
    while one.agent_selection != "player_0":
        one.step(pick(one.action_masks(), rng))
    saved = one.get_state()
    other.set_state(saved)
    assert other.get_state() != saved, "the record says which view it is"
    for agent in one.possible_agents:
        seen, shown = one.observe(agent), other.observe(agent)
        assert other.observation_space(agent).contains(shown)
        says_the_same(
            one._core.variant.named(seen["observation"]),
            other._core.variant.named(shown["observation"]),
        )
    back = raw_env(GAME, **options)
    back.set_state(other.get_state())
    assert back.get_state() == saved
    expected = whole_game(copy.deepcopy(one), 3)
    for at, (agent, seen, *rest) in enumerate(whole_game(other, 3)):
        assert agent == expected[at][0]
        assert (seen["action_mask"] == expected[at][1]["action_mask"]).all()
        same(rest, list(expected[at][2:]))
    same(whole_game(back, 3), expected)

    single, wide = CyberdeckEnv(GAME, seat=0, **options), CyberdeckEnv(GAME, seat=0, **planes)
    single.reset(options={"state": saved})
    wide.set_state(single.get_state())
    same(wide.action_masks(), single.action_masks())
    assert wide.observation_space.contains(wide.look()[0])
    same(wide.clone().reset(options={"state": saved}), wide.look())
    envs = CyberdeckVectorEnv(GAME, 2, seat=0, **planes)
    envs.reset(seed=1)
    envs.set_state(1, single.get_state())
    assert envs.get_state(1) == wide.get_state()
    assert (envs.look()[0][1] == wide.look()[0]).all()
    sb3 = SB3VecEnv(GAME, 2, seat=0, **options)
    sb3.reset()
    sb3.env_method("set_state", wide.get_state(), indices=0)
    assert sb3.env_method("get_state", indices=0) == [single.get_state()]
    batch = Batch(GAME, 2, **planes)
    batch.set_state(1, saved)
    assert (batch.observation[1] == batch.look(1, int(batch.mover[1]))[0]).all()
    # All other options must be the same.
    with pytest.raises(StateError, match="max_turns=30"):
        raw_env(GAME, **{**planes, "max_turns": 31}).set_state(saved)


# --- positions to begin with ----------------------------------------------------------------------

WRONG: list[tuple[Any, str]] = [
    ({"position": POSITION.replace("g7:Q", "d4:Q")}, "another stack stands there"),
    ({"position": POSITION.replace("a7", "a7*")}, "a side has one"),
    ({"position": POSITION.replace("P", "PP")}, "one movement piece"),
    ({"position": POSITION.replace("turn: white", "turn: 2, steal")}, "beginning of a turn"),
    ({"position": POSITION + "\nmoon: full"}, "no line of a position"),
    ({"position": 7}, "must be a text"),
    ({"positions": POSITION}, "positions.*position, state"),
    ({"position": POSITION, "state": b""}, "stands alone"),
]


def begun(interface: str, **options: Any) -> tuple[Callable[..., Any], Any]:
    """A game (or several) behind an interface: how to begin it anew, and its tables."""
    if interface == "aec":
        one = env(GAME, **options)
        one.reset(seed=1)
        return lambda seed, start: one.reset(seed=seed, options=start), one.unwrapped._core
    if interface == "single":
        single = CyberdeckEnv(GAME, **options)
        single.reset(seed=1)
        return lambda seed, start: single.reset(seed=seed, options=start), single._core
    if interface == "vector":
        envs = CyberdeckVectorEnv(GAME, 3, **options)
        envs.reset(seed=1)
        return lambda seed, start: envs.reset(seed=seed, options=start), envs._core
    if interface == "batch":
        batch = Batch(GAME, 3, seed=1, **options)
        return lambda seed, start: batch.reset(seed=seed, options=start), batch.core
    sb3 = SB3VecEnv(GAME, 3, seed=1, **options)
    sb3.reset()

    def again(seed: int | None, start: dict[str, Any]) -> NDArray[np.int8]:
        sb3.seed(seed)
        sb3.set_options(start)
        return sb3.reset()

    return again, sb3.core


INTERFACES = ["aec", "single", "vector", "batch", "sb3"]
SEATED = INTERFACES[1:]


def standing(core: Any) -> list[bytes]:
    kept = (core.states, core.rows, core.masks, core.observations, core.finals)
    return [array.tobytes() for array in kept]


@pytest.mark.parametrize(("start", "message"), WRONG, ids=[message for _, message in WRONG])
@pytest.mark.parametrize("interface", INTERFACES)
def test_a_position_that_cannot_be_leaves_the_games_as_they_were(
    interface: str, start: dict[str, Any], message: str
) -> None:
    reset, core = begun(interface)
    before = standing(core)
    for seed in (None, 9):
        with pytest.raises(OptionError, match=message):
            reset(seed, start)
        assert standing(core) == before


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_position_begins_in_every_interface(interface: str) -> None:
    """Whatever was played before: its stacks, its turn, the options of the env."""
    reset, core = begun(interface, first=1, observation="planes", max_turns=20, reward="material")
    late = POSITION.replace("turn: white", "turn: 7")
    expected = Stacks(WHITE, BLACK, turn="7 white", first=1, max_turns=20, reward="material").record
    if interface != "aec" and interface != "batch":
        reset, core = begun(
            interface, seat=1, first=1, observation="planes", max_turns=20, reward="material"
        )
    reset(5, {"position": late})
    for record in core.states:
        for name in expected.dtype.names:
            if name not in ("dice", "shown"):
                assert (record[name] == expected[name][0]).all(), name
    assert len(set(core.states["dice"].tolist())) == len(core.states)
    assert (core.movers == 1).all()
    assert (core.metrics[:, 0] == 6).all()
    assert (core.observations == core.look(1)[0]).all()
    assert (core.masks == core.look(1)[1]).all()


@pytest.mark.parametrize("opponent", ["random", "heuristic", lowest])
@pytest.mark.parametrize("interface", SEATED)
def test_the_opponent_begins_where_it_is_its_turn(interface: str, opponent: Any) -> None:
    """The learner decides next: in its own turn, or earlier if its thief is captured."""
    reset, core = begun(interface, seat=1, opponent=opponent, first=0)
    reset(5, {"position": POSITION})
    assert (core.movers == 1).all()
    assert (core.states["decisions"] > 0).all()
    hiding = core.states["phase"] == HIDE_AGAIN
    assert (hiding == (core.states["turns"] == 0)).all()
    assert (core.states["turns"] <= 1).all()


@pytest.mark.parametrize("opponent", ["random", "heuristic", lowest])
@pytest.mark.parametrize("interface", SEATED)
def test_a_position_that_only_the_opponent_plays_is_refused(interface: str, opponent: Any) -> None:
    """The last turn is the opponent's, and there is no thief for it to capture."""
    reset, core = begun(interface, seat=1, opponent=opponent, first=0, max_turns=7)
    before = standing(core)
    start = "white: a1* - - - | - - -\nblack: g7* - - - | - - -\nturn: 7"
    with pytest.raises(StateError, match="nothing left to play"):
        reset(3, {"position": start})
    assert standing(core) == before


def test_a_thief_that_nobody_has_told_of_is_drawn_from_the_seed() -> None:
    start = {"position": POSITION.replace("*", "")}
    batch = Batch(GAME, 60, seed=0, first=0)
    batch.reset(seed=7, options=start)
    thieves = batch.core.states["thief"].copy()
    assert set(thieves[:, 0]) == set(thieves[:, 1]) == {0, 1, 2}
    batch.reset(seed=7, options=start)
    assert (batch.core.states["thief"] == thieves).all()
    batch.reset(options=start)
    assert (batch.core.states["thief"] != thieves).any(), "without a seed others are drawn"
    for row in range(3):
        single = CyberdeckEnv(GAME, seat=0, first=0)
        single.reset(seed=7 + row, options=start)
        assert (single._core.states["thief"][0] == thieves[row]).all()


def test_the_seat_that_plays_white_is_drawn_if_nobody_chose_it() -> None:
    batch = Batch(GAME, 30, seed=0)
    batch.reset(seed=7, options={"position": POSITION})
    assert set(batch.core.states["first"]) == {0, 1}
    assert (batch.mover == batch.core.states["first"]).all()


def test_a_partial_reset_sets_up_its_rows_only() -> None:
    envs = CyberdeckVectorEnv(
        GAME, 4, seat=0, first=0, opponent=scripted(1), autoreset_mode=AutoresetMode.DISABLED
    )
    envs.reset(seed=0)
    before = [envs.get_state(row) for row in range(4)]
    chosen = np.array([False, True, False, True])
    _, infos = envs.reset(options={"reset_mask": chosen, "position": POSITION})
    after = [envs.get_state(row) for row in range(4)]
    assert [one == two for one, two in zip(before, after, strict=True)] == (~chosen).tolist()
    assert infos["_phase"].tolist() == chosen.tolist()
    assert (infos["phase"][chosen] == PHASES.index("move")).all()
    assert (infos["own_pips"][chosen] == 8).all()


# --- learning -------------------------------------------------------------------------------------


class Convolution(BaseFeaturesExtractor):
    """A small network over the planes."""

    def __init__(self, observation_space: gym.spaces.Box) -> None:
        super().__init__(observation_space, features_dim=8)
        channels, height, width = observation_space.shape
        self.network = torch.nn.Sequential(
            torch.nn.Conv2d(channels, 4, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Linear(4 * height * width, 8),
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        assert observations.dtype == torch.float32
        features: torch.Tensor = self.network(observations)
        return features


@pytest.mark.parametrize("extractor", [None, Convolution], ids=["flattened", "convolution"])
def test_maskable_ppo_learns_from_planes(extractor: type[BaseFeaturesExtractor] | None) -> None:
    """MlpPolicy flattens them; a network of one's own sees them as they are. Never illegally."""
    envs = VecMonitor(SB3VecEnv(GAME, 4, seed=0, opponent="random", **ALL_RULES))
    chosen = {"features_extractor_class": extractor} if extractor else {}
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=64,
        batch_size=64,
        n_epochs=1,
        seed=0,
        device="cpu",
        policy_kwargs={"net_arch": [16], **chosen},
    )
    size = int(np.prod(planes_of(stacked_movement=True)))
    assert model.policy.features_extractor.features_dim == (8 if extractor else size)
    model.learn(512)
    observations = envs.reset()
    for _ in range(20):
        masks = np.stack(envs.env_method("action_masks"))
        actions, _ = model.predict(observations, action_masks=masks)
        assert masks[np.arange(4), actions].all()
        observations = envs.step(actions)[0]


def test_planes_can_be_stacked_over_time() -> None:
    """SB3 takes them for channels only if it is told: its own guess is for pictures."""
    channels = planes_of()[0]
    inner = SB3VecEnv(GAME, 2, seed=0, observation="planes")
    stacked = VecFrameStack(inner, 3, channels_order="first")
    assert stacked.observation_space.shape == (3 * channels, 7, 7)
    first = stacked.reset()
    assert (first[:, -channels:] == inner.core.observations).all()
    second = stacked.step(inner.core.choose(RANDOM))[0]
    assert (second[:, -channels:] == inner.core.observations).all()
    assert (second[:, -2 * channels : -channels] == first[:, -channels:]).all()
