"""Stacktrices through every interface: long turns, the victim's decision inside them, planes."""

from __future__ import annotations

import copy
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
from tests.api.helpers import lowest, pick, pick_rows, reason, same, scripted
from tests.play import Stacks, side

GAME = "stacktrices"
HIDE_AGAIN = PHASES.index("hide the thief again")
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


# --- any game, any opponent -----------------------------------------------------------------------


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


def whole_game(one: Any, seed: int) -> list[Any]:
    """Legal play to the end: all that is seen on the way."""
    rng = np.random.default_rng(seed)
    seen = []
    while one.agents:
        seen.append((one.agent_selection, *one.last()))
        _, _, terminated, truncated, info = one.last()
        one.step(None if terminated or truncated else pick(info["action_mask"], rng))
    return seen


# --- what is illegal ------------------------------------------------------------------------------


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


# --- planes ---------------------------------------------------------------------------------------


def planes_of(**options: Any) -> tuple[int, ...]:
    return cyberdeck.variant(GAME, **{"observation": "planes", **options}).observation_shape


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
