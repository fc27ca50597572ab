"""Teams that plan at the same time: the parallel env, allies, one learner for a whole team."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest

from cyberdeck import ActionError, hovercrafts_v0
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.registration import load_file
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from tests.api.helpers import pick, reason, scripted


def test_the_registry_knows_the_parallel_env() -> None:
    made = pettingzoo.make("parallel", "cyberdeck/hovercrafts-v0", ships=(2, 2))
    _, infos = made.reset(seed=1)
    assert sorted(infos) == ["machines_0", "machines_1", "zion_0", "zion_1"]


def test_wrong_actions_are_named() -> None:
    env = hovercrafts_v0.parallel_env(ships=(1, 1), deployment="random", illegal="raise")
    env.reset(seed=1)
    before = env.get_state()
    for wrong, named in (
        ({"zion_0": 0}, "machines_0 decides in this step, and has no action"),
        ({"zion_0": 0, "machines_0": 0, "neo": 1}, "no agent 'neo'; there are: zion_0, machines_0"),
        ({"zion_0": 0, "machines_0": 6}, r"no action.* is not legal for machines_0"),
        ({"zion_0": 0, "machines_0": 7}, "0 to 6"),
        ({"zion_0": 0, "machines_0": 0.5}, "float"),
    ):
        with pytest.raises(ActionError, match=named):
            env.step(wrong)
        assert env.get_state() == before


@pytest.mark.parametrize(
    ("guilty", "paid"),
    [(["machines_1"], [1.0, 1.0, -1.0, -1.0, -1.0]), (["zion_1", "machines_1"], [-1.0] * 5)],
)
def test_an_illegal_plan_costs_the_whole_team_the_game(
    guilty: list[str], paid: list[float]
) -> None:
    """Both sides lose that act illegally in one round: the first slot may not be empty (6)."""
    env = hovercrafts_v0.parallel_env(ships=(2, 3), deployment="random")
    env.reset(seed=1)
    _, rewards, terminated, _, infos = env.step(
        {**dict.fromkeys(env.agents, 0), **dict.fromkeys(guilty, 6)}
    )
    assert [rewards[agent] for agent in env.possible_agents] == paid
    assert all(terminated.values())
    assert env.agents == []
    assert reason(env, infos["zion_0"]) == "illegal_action"


@pytest.mark.parametrize(
    "seated",
    [
        {"seat": 1, "ally": "random"},
        {"seat": 1, "ally": ["random", scripted(5)]},
        {"seat": "team"},
    ],
    ids=["one ship", "a pool", "a drawn team"],
)
def test_one_ship_or_a_drawn_team_is_asked_alone_and_paid_once(seated: dict[str, Any]) -> None:
    """The team's reward arrives, also when the own ship is out long before."""
    env = CyberdeckEnv("hovercrafts", **seated, opponent=scripted(3), ships=(3, 2))
    outlived, asked = 0, set()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        total, over, seats = 0.0, False, set()
        while not over:
            seats.add(info["seat"])
            assert info["own_hull"] > 0
            _, reward, terminated, truncated, info = env.step(pick(info["action_mask"], rng))
            total, over = total + reward, terminated or truncated
        won = {"disabled_all": 1.0 if info["own_ships"] else -1.0}
        assert total == won.get(reason(env, info), 0.0)
        outlived += info["own_hull"] == 0 and info["own_ships"] > 0
        asked.add((*sorted(seats),))
    assert asked == ({(0, 1, 2), (3, 4)} if seated["seat"] == "team" else {(1,)})
    assert outlived > 0


def paid_teams(folder: Path) -> Path:
    """A game of two against two in which one of them is paid for each decision."""
    text = Path("tests/evaluation/games/teams.py").read_text("utf-8")
    assert text.count("    state.stones -= action + 1\n") == text.count('name="right_teams"') == 1
    text = text.replace("    state.stones -=", "    state.reward[0] = 0.5\n    state.stones -=")
    file = folder / "paid.py"
    file.write_text(text.replace('name="right_teams"', 'name="paid_teams"'), "utf-8")
    return file


@pytest.mark.slow
def test_a_team_that_is_cut_short_gets_what_it_gets_otherwise(tmp_path: Path) -> None:
    game = load_file(paid_teams(tmp_path)).name
    for autoreset, limit in itertools.product(("SameStep", "NextStep", "Disabled"), (None, 1)):
        envs = CyberdeckVectorEnv(
            game, 3, seat="vertical", autoreset_mode=autoreset, max_episode_steps=limit
        )
        envs.reset(seed=0)
        _, rewards, _, truncated, _ = envs.step([0, 0, 0])
        assert rewards.tolist() == [1.0, 1.0, 1.0]  # for its own decision, and for that after it
        assert truncated.all() == (limit is not None)


def test_a_team_is_saved_for_the_same_team_alone() -> None:
    seats = "machines", "machines", 2
    env, twin, ship = (CyberdeckEnv("hovercrafts", seat=seat, ships=(2, 3)) for seat in seats)
    env.reset(seed=2)
    for _ in range(7):
        env.step(env.suggest())
    twin.set_state(saved := env.get_state())
    assert (twin.get_state(), twin.seat) == (saved, env.seat)
    with pytest.raises(ValueError, match="another seat"):
        ship.set_state(saved)


@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_frames_show_a_turn_phase_by_phase(render_mode: str | None) -> None:
    """Where games are rendered: else nothing of the past is kept."""
    env = hovercrafts_v0.raw_env(
        ships=(2, 2), deployment="random", render_mode=render_mode, max_turns=8
    )
    env.reset(seed=1)
    assert len(env.frames()) == 1
    rng = np.random.default_rng(1)
    most = decisions = 0
    while env._core.movers[0] >= 0:
        env.step(pick(env.action_masks(), rng))
        decisions += 1
        if decisions % 6:  # the phases are shown until the next turn has been planned
            continue
        frames = env.frames(seat=0)
        passed = int(env._core.states["passed"][0]) if render_mode else 0
        assert len(frames) == passed + 1
        assert frames[-1] == env.svg(seat=0, highlight=False)
        most = max(most, passed)
    assert most >= (3 if render_mode else 0)
