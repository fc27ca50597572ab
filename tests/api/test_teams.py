"""Teams that plan at the same time: the parallel env, allies, one learner for a whole team."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest

from cyberdeck import ActionError, Batch, EpisodeError, OptionError, hovercrafts_v2
from cyberdeck.api.gymnasium_env import CyberdeckEnv
from cyberdeck.api.registration import load_file
from cyberdeck.api.sb3 import SB3VecEnv
from cyberdeck.api.vector_env import CyberdeckVectorEnv
from tests.api.helpers import pick, reason, scripted

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)


def test_the_registry_knows_the_parallel_env() -> None:
    made = pettingzoo.make("parallel", "cyberdeck/hovercrafts-v2", ships=(2, 2))
    _, infos = made.reset(seed=1)
    assert sorted(infos) == ["machines_0", "machines_1", "zion_0", "zion_1"]


def test_nothing_another_ship_sees_changes_while_one_plans() -> None:
    env = hovercrafts_v2.raw_env(ships=(2, 2), deployment="random")
    rng = np.random.default_rng(3)
    compared = 0
    for seed in range(6):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            agent = env.agent_selection
            metrics = env.infos[agent]
            others = [name for name in env.possible_agents if name != agent]
            before = {name: env.observe(name)["observation"] for name in others}
            env.step(pick(env.action_masks(), rng))
            if env.infos[others[0]]["slot"] == metrics["slot"] == 0 and not env.rewards[agent]:
                same_turn = env.infos[agent]["turns"] == metrics["turns"]
                for name in others if same_turn else ():
                    assert (env.observe(name)["observation"] == before[name]).all()
                    compared += 1
    assert compared > 100


def test_wrong_actions_are_named_and_nothing_is_applied() -> None:
    env = hovercrafts_v2.parallel_env(ships=(1, 1), deployment="random", illegal="raise")
    with pytest.raises(EpisodeError):
        env.step({})
    env.reset(seed=1)
    before = env.get_state()
    for wrong, named in (
        ({"zion_0": 0}, "machines_0"),
        ({"zion_0": 0, "machines_0": 0, "neo": 1}, "neo"),
        ({"zion_0": 0, "machines_0": 6}, "no action"),
        ({"zion_0": 0, "machines_0": 7}, "0 to 6"),
        ({"zion_0": 0, "machines_0": 0.5}, "float"),
    ):
        with pytest.raises(ActionError, match=named):
            env.step(wrong)
        assert env.get_state() == before


def test_an_illegal_plan_costs_the_whole_team_the_game() -> None:
    env = hovercrafts_v2.parallel_env(ships=(2, 3), deployment="random")
    _, infos = env.reset(seed=1)
    actions = dict.fromkeys(env.agents, 0)
    actions["machines_1"] = 6  # the first slot may not be empty
    _, rewards, terminated, _, infos = env.step(actions)
    assert [rewards[agent] for agent in env.possible_agents] == [1.0, 1.0, -1.0, -1.0, -1.0]
    assert all(terminated.values())
    assert env.agents == []
    assert reason(env, infos["zion_0"]) == "illegal_action"


def test_both_sides_lose_that_act_illegally_in_one_round() -> None:
    options: dict[str, Any] = {"ships": (2, 3), "deployment": "random"}
    env = hovercrafts_v2.parallel_env(**options)
    env.reset(seed=1)
    actions = {**dict.fromkeys(env.agents, 0), "zion_1": 6, "machines_1": 6}
    _, rewards, terminated, _, infos = env.step(actions)
    assert set(rewards.values()) == {-1.0}
    assert all(terminated.values())
    assert reason(env, infos["zion_0"]) == "illegal_action"
    # One after the other, the first to do it ends the game.
    turns = hovercrafts_v2.env(**options)
    turns.reset(seed=1)
    turns.step(0)
    turns.step(6)
    assert [turns.rewards[agent] for agent in turns.possible_agents] == [-1, -1, 1, 1, 1]


@pytest.mark.parametrize("make", [hovercrafts_v2.raw_env, hovercrafts_v2.parallel_env])
def test_spectators_see_no_plan_before_it_is_carried_out(make: Any) -> None:
    """Two games that differ in the plans so far alone: only who plans sees a difference."""
    options: dict[str, Any] = {"ships": (1, 1), "deployment": "random", "render_mode": "ansi"}
    looking: list[Any] = [make(**options) for _ in range(2)]
    own: list[Any] = [make(**options, render_seat=seat) for seat in ("zion_0", 0)]
    for one in (*looking, *own):
        one.reset(seed=5)
    for action in (0, 1, 0):
        for at, env in enumerate([*looking, *own]):
            mine = 1 - action if at % 2 else action  # move or turn
            env.step({"zion_0": mine, "machines_0": 0} if hasattr(env, "_deciding") else mine)
        assert looking[0].get_state() != looking[1].get_state()
        assert looking[0].render() == looking[1].render()
        assert looking[0].svg() == looking[1].svg()
        assert looking[0].frames() == looking[1].frames()
        if not hasattr(looking[0], "_deciding"):
            break  # the other one's plan comes next
        assert own[0].render() != own[1].render()
    assert own[0].render() != own[1].render()
    assert own[0].svg() != own[1].svg()
    assert own[0].render() != looking[0].render()


def test_a_ship_that_is_out_is_asked_no_more_and_gets_the_last_reward() -> None:
    env = hovercrafts_v2.env(ships=(3, 3))
    outlived = 0
    for seed in range(8):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        total = dict.fromkeys(env.possible_agents, 0.0)
        out: set[str] = set()
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            total[agent] += reward
            over = terminated or truncated
            assert over or agent not in out
            env.step(None if over else pick(observation["action_mask"], rng))
            if not over and env.agents:
                out = {name for name in env.agents if env.infos[name]["own_hull"] == 0}
        outlived += len(out)
        team = [total[f"zion_{ship}"] for ship in range(3)]
        assert len(set(team)) == 1
        assert [total[f"machines_{ship}"] for ship in range(3)] == [-reward for reward in team]
    assert outlived > 10


@pytest.mark.parametrize("ally", ["random", "heuristic", scripted(2), ["random", scripted(5)]])
def test_one_ship_with_allies_and_opponents_inside(ally: Any) -> None:
    """The team's reward arrives, also when the own ship is out long before."""
    env = CyberdeckEnv("hovercrafts", seat=1, ally=ally, opponent=scripted(3), ships=(3, 2))
    outlived = 0
    for seed in range(12):
        _, info = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        total, over = 0.0, False
        while not over:
            assert info["seat"] == 1
            assert info["own_hull"] > 0
            _, reward, terminated, truncated, info = env.step(pick(info["action_mask"], rng))
            total, over = total + reward, terminated or truncated
        won = {"disabled_all": 1.0 if info["own_ships"] else -1.0}
        assert total == won.get(reason(env, info), 0.0)
        outlived += info["own_hull"] == 0 and info["own_ships"] > 0
    assert outlived > 0 or ally == "heuristic"


@pytest.mark.parametrize("seat", ["zion", "machines", "team"])
def test_one_learner_for_a_whole_team(seat: str) -> None:
    """It is asked for every ship of its side, one after the other, and paid once."""
    env = CyberdeckEnv("hovercrafts", seat=seat, opponent="random", ships=(2, 3))
    sides = set()
    for seed in range(10):
        _, info = env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        total, over, asked = 0.0, False, set()
        while not over:
            asked.add(info["seat"])
            assert env.action_masks().any()
            _, reward, terminated, truncated, info = env.step(pick(info["action_mask"], rng))
            total, over = total + reward, terminated or truncated
        side = "zion" if asked <= {0, 1} else "machines"
        assert asked == ({0, 1} if side == "zion" else {2, 3, 4})
        sides.add(side)
        assert total in (-1.0, 0.0, 1.0)
    assert sides == ({seat} if seat != "team" else {"zion", "machines"})


def test_batches_vectors_and_sb3_play_teams_alike() -> None:
    """Decision for decision, from the same seeds."""
    arguments: dict[str, Any] = {"seat": "zion", "opponent": "random", "ships": (2, 2)}
    batch = Batch("hovercrafts", 6, seed=5, **arguments)
    vector = CyberdeckVectorEnv("hovercrafts", 6, autoreset_mode="SameStep", **arguments)
    envs = SB3VecEnv("hovercrafts", 6, seed=5, **arguments)
    seen, _ = vector.reset(seed=5)
    assert (seen == batch.observation).all()
    assert (envs.reset() == batch.observation).all()
    rng = np.random.default_rng(5)
    for _ in range(150):
        assert (batch.mover < 2).all()
        actions = np.array([pick(mask, rng) for mask in batch.mask])
        batch.step(actions)
        seen, rewards, *_ = vector.step(actions)
        other, paid, dones, infos = envs.step(actions)
        assert (seen == batch.observation).all()
        assert (other == batch.observation).all()
        assert (rewards == batch.reward[:, 0]).all()
        assert (paid == rewards).all()
        for row in np.flatnonzero(dones):
            assert infos[row]["ally"] == 0
    assert (batch.final_length > 0).all()


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep", "Disabled"])
def test_a_team_that_is_cut_short_gets_what_it_gets_otherwise(
    tmp_path: Path, autoreset: str
) -> None:
    text = Path("tests/evaluation/games/teams.py").read_text("utf-8")
    assert text.count("    state.stones -= action + 1\n") == text.count('name="right_teams"') == 1
    text = text.replace("    state.stones -=", "    state.reward[0] = 0.5\n    state.stones -=")
    file = tmp_path / "paid.py"
    file.write_text(text.replace('name="right_teams"', 'name="paid_teams"'), "utf-8")
    game = load_file(file).name
    for limit in (None, 1):
        envs = CyberdeckVectorEnv(
            game, 3, seat="vertical", autoreset_mode=autoreset, max_episode_steps=limit
        )
        envs.reset(seed=0)
        _, rewards, _, truncated, _ = envs.step([0, 0, 0])
        assert rewards.tolist() == [1.0, 1.0, 1.0]  # for its own decision, and for that after it
        assert truncated.all() == (limit is not None)


def test_a_team_is_saved_and_goes_on() -> None:
    env = CyberdeckEnv("hovercrafts", seat="machines", opponent="heuristic", ships=(2, 3))
    _, info = env.reset(seed=2)
    for _ in range(7):
        info = env.step(int(np.flatnonzero(info["action_mask"])[0]))[-1]
    saved = env.get_state()
    twin = CyberdeckEnv("hovercrafts", seat="machines", opponent="heuristic", ships=(2, 3))
    twin.set_state(saved)
    assert twin.get_state() == saved
    assert twin.seat == env.seat
    assert (twin.look()[0] == env.look()[0]).all()
    single = CyberdeckEnv("hovercrafts", seat=2, opponent="heuristic", ships=(2, 3))
    with pytest.raises(ValueError, match="another seat"):
        single.set_state(saved)


def test_seats_and_allies_that_cannot_be_are_refused() -> None:
    for wrong in (
        {"seat": "team", "ally": "random"},
        {"seat": "neo"},
        {"seat": 0, "ally": "neo"},
        {"seat": 0, "ally": []},
    ):
        with pytest.raises(OptionError):
            CyberdeckEnv("hovercrafts", ships=(2, 2), **wrong)
    with pytest.raises(OptionError, match="teams"):
        CyberdeckEnv("stacktrices", ally="random")
    with pytest.raises(OptionError):
        CyberdeckEnv("stacktrices", seat="team")
    with pytest.raises(OptionError, match="ally"):
        Batch("hovercrafts", 2, ally="random")


@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_frames_show_a_turn_phase_by_phase(render_mode: str | None) -> None:
    """Where games are rendered: else nothing of the past is kept."""
    env = hovercrafts_v2.raw_env(ships=(2, 2), deployment="random", render_mode=render_mode)
    env.reset(seed=1)
    assert len(env.frames()) == 1
    rng = np.random.default_rng(1)
    most = decisions = 0
    while not any(env.terminations.values()):
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


def test_maskable_ppo_learns_for_a_team() -> None:
    from sb3_contrib import MaskablePPO

    envs = SB3VecEnv("hovercrafts", 8, seat="team", opponent="random", ships=(2, 2), seed=0)
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, seed=0)
    model.learn(512)
    actions, _ = model.predict(envs.reset(), action_masks=envs.action_masks())
    assert envs.action_masks()[np.arange(8), actions].all()
