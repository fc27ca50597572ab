"""TorchRL's PettingZooWrapper takes the games: groups, masks, rewards, a masked PPO.

These tests run where TorchRL is installed: ``make ray-test``.
"""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from cyberdeck import OptionError, hovercrafts_v0, register, variant
from cyberdeck.api.pettingzoo_env import raw_env
from cyberdeck.api.registration import load_file
from tests.api.helpers import run_page
from tests.wide import WIDE

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")
api: Any = importlib.import_module("cyberdeck.torchrl")
make_env = api.make_env

# It warns of every PettingZoo but one old one.
pytestmark = pytest.mark.filterwarnings("ignore")

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "use" / "torchrl.md"
GAMES = ROOT / "examples" / "games"


@pytest.mark.usefixtures("_games_are_forgotten")
@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("hackthegrid", {"column": ["column"], "row": ["row"]}),
        ("tandem_tictactoe", {"crosses": ["north", "south"], "noughts": ["east", "west"]}),
        ("wide_fractions", {"first": ["first"], "second": ["second"]}),
    ],
)
def test_the_aec_env_arrives_whole(name: str, groups: dict[str, list[str]]) -> None:
    """Decision by decision the same game, in groups by teams, or each seat in its own."""
    if name == WIDE[1].name:
        register(WIDE[1])
    elif name != "hackthegrid":
        load_file(GAMES / f"{name}.py")
    env, again = make_env(name, seed=1), raw_env(name)
    assert env.group_map == groups
    again.reset(seed=1)  # TorchRL has done so when the wrapper was made
    again.reset()
    places = [(team, at, agent) for team in groups for at, agent in enumerate(groups[team])]
    for step in env.rollout(200):
        for team, at, agent in places:
            seen, deciding = again.observe(agent), agent == again.agent_selection
            assert step[team, "mask"][at].item() == deciding
            shown = step[team, "observation", "observation"][at].numpy()
            assert shown.dtype == variant(name).dtype
            assert (shown == seen["observation"]).all()
            mask = step[team, "action_mask"][at].numpy()
            assert (mask == (seen["action_mask"] if deciding else 1)).all()
            assert step[team, "info", "reason"][at] == again.infos[agent]["reason"]
            if deciding:
                action = int(step[team, "action"][at])
        again.step(action)
        for team, at, agent in places:
            assert step["next", team, "reward"][at].item() == again.rewards[agent]
        assert step["next", "done"].item() == any(again.terminations.values())
    assert any(again.terminations.values())


def test_the_parallel_env_arrives_whole() -> None:
    options: dict[str, Any] = {"ships": (2, 1), "max_turns": 5, "reward": "damage"}
    env = make_env("hovercrafts", seed=3, **options)
    assert env.group_map == {"zion": ["zion_0", "zion_1"], "machines": ["machines_0"]}
    places = [(team, *place) for team in env.group_map for place in enumerate(env.group_map[team])]
    again = hovercrafts_v0.parallel_env(illegal="raise", **options)
    again.reset(seed=3)  # TorchRL has done so when the wrapper was made
    observations, infos = again.reset()
    for step in env.rollout(300):
        actions = {}
        for team, at, name in places:
            seen = step[team, "observation", "observation"][at].numpy()
            assert (seen == observations[name]["observation"]).all()
            mask = step[team, "action_mask"][at].numpy()
            assert (mask == observations[name]["action_mask"]).all()
            assert step[team, "info", "deciding"][at] == infos[name]["deciding"]
            actions[name] = int(step[team, "action"][at])
        observations, rewards, _, truncations, infos = again.step(actions)
        for team, at, name in places:
            assert step["next", team, "reward"][at].item() == pytest.approx(rewards[name])
        assert step["next", "truncated"].item() == truncations["zion_0"]
    assert not again.agents


def test_agents_may_be_grouped_otherwise() -> None:
    env = make_env("hackthegrid", group_map={"both": ["column", "row"]}, seed=0)
    rollout = env.rollout(200)
    assert rollout["both", "action_mask"].shape[1:] == (2, 69)
    assert (rollout["both", "mask"].sum(-1) == 1).all()
    assert rollout["next", "done"][-1].item()


def test_a_game_for_one_goes_into_gym_env() -> None:
    from torchrl.envs import GymEnv

    with pytest.raises(OptionError, match="GymEnv"):
        make_env("matrix_overload")
    env = GymEnv("cyberdeck/MatrixOverload-v0", illegal="lose").auto_register_info_dict()
    played = env.rollout(5)
    assert played["next", "royals_killed"].shape == played["next", "reason"].shape == (len(played),)
    assert played["observation"].shape[-1] == played["next", "observation"].shape[-1] > 300


def test_many_games_go_into_gym_wrapper() -> None:
    """TorchRL resets the games that are over, and draws legal actions only."""
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

    games = gymnasium.make_vec(
        "cyberdeck/HackTheGrid-v0", num_envs=8, autoreset_mode="Disabled", mask="observation"
    )
    env = TransformedEnv(GymWrapper(games, categorical_action_encoding=True), ActionMask())
    played = env.rollout(60, break_when_any_done=False)
    assert played.shape == (8, 60)
    assert played["action_mask"].gather(-1, played["action"][..., None]).all()
    over = played["next", "done"][:, :-1, 0]
    assert over.sum() > 20
    assert not played["done"].any()
    # After the end comes a full grid: the last observation is no longer that of the next game.
    cards = variant("hackthegrid").layout["grid_kind"]
    assert (played["observation"][:, 1:, cards][over].sum(-1) >= 15).all()
    assert (played["next", "observation"][:, :-1, cards][over].sum(-1) < 15).all()


def test_the_doctests() -> None:
    failed, attempted = doctest.testmod(api)
    assert failed == 0 < attempted


@pytest.mark.slow
def test_the_page_trains_a_masked_ppo_for_each_team() -> None:
    """The lines of the docs, as they stand there."""
    torch.manual_seed(0)
    names = run_page(PAGE, most=2)
    assert names["rollout"]["next", "done"][-1].item()
    data = names["data"]
    assert np.isfinite(names["total"].item())
    for team, ships in names["env"].group_map.items():
        chosen = data[team, "action"][..., None]
        assert data[team, "action_mask"].gather(-1, chosen).all()
        assert 0 < data[team, "info", "deciding"].sum() < data[team, "info", "deciding"].numel()
        assert chosen.shape[1] == len(ships)
        for weights in names["actors"][team].parameters():
            assert torch.isfinite(weights).all()
            assert weights.grad is not None
            assert weights.grad.abs().sum() > 0
