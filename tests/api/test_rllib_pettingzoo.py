"""RLlib's own wrappers of PettingZoo: all that acted get a last observation, and their rewards.

These tests run where Ray is installed; it is no dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pettingzoo.utils import BaseParallelWrapper

from cyberdeck import hackthegrid_v0, hovercrafts_v2
from tests.api.helpers import reason

pytest.importorskip("ray")
pytest.importorskip("ray.rllib")
torch = pytest.importorskip("torch")

# Ray and RLlib warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

FLEETS: list[dict[str, Any]] = [
    {"ships": (3, 3), "scenario": "tunnels", "share_plans": True, "reward": "damage"},
    {"ships": (1, 2), "scenario": "random", "max_turns": 3},
]


@pytest.fixture
def sample() -> Callable[..., Any]:
    """Whole episodes of RLlib's env runner, with an RLModule that draws a legal action."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    class RandomLegal(TorchRLModule):  # type: ignore[misc]
        def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            masks = batch["obs"]["action_mask"].float()
            return {"actions": torch.multinomial(masks, 1)[:, 0]}

    def sample(env: Any, episodes: int) -> Any:
        config = (
            PPOConfig()
            .environment(lambda options: env)
            .multi_agent(
                policies={"zion", "machines", "row", "column"},
                policy_mapping_fn=lambda agent, episode, **_: team(agent),
            )
            .rl_module(rl_module_spec=RLModuleSpec(module_class=RandomLegal))
            .debugging(seed=0)
        )
        return MultiAgentEnvRunner(config=config).sample(num_episodes=episodes)

    torch.manual_seed(0)
    return sample


class Noted(BaseParallelWrapper):  # type: ignore[misc,type-arg]
    """Notes all games: lists of (actions, observations, rewards, infos), one for each round."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.games: list[list[Any]] = []

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        observations, infos = super().reset(seed, options)
        self.games.append([({}, observations, {}, infos)])
        return observations, infos

    def step(self, actions: Any) -> Any:
        assert self.env.agents, "asked after the end"
        observations, rewards, terminated, truncated, infos = super().step(actions)
        self.games[-1].append((dict(actions), observations, rewards, infos))
        return observations, rewards, terminated, truncated, infos


def team(agent: str) -> str:
    return agent.rstrip("_0123456789")


@pytest.mark.parametrize("options", FLEETS, ids=str)
def test_rllib_gets_all_that_the_parallel_env_gives(sample: Any, options: dict[str, Any]) -> None:
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv

    noted = Noted(hovercrafts_v2.parallel_env(**options))
    names = noted.possible_agents
    episodes = sample(ParallelPettingZooEnv(noted), 6)
    games = [game for game in noted.games if len(game) > 1][-6:]  # after RLlib's trial steps
    outlived = 0
    endings = set()
    for episode, game in zip(episodes, games, strict=True):
        *_, infos = game[-1]
        ending = reason(noted, infos[names[0]])
        endings.add(ending)
        assert episode.is_done
        assert episode.is_truncated == (ending == "max_turns")
        assert sorted(episode.agent_episodes) == sorted(names)
        outlived += any(info["own_hull"] == 0 and info["own_ships"] for info in infos.values())
        for name, own in episode.agent_episodes.items():
            assert own.is_done
            assert len(own) == len(game) - 1
            for at, (_, observations, _, _) in enumerate(game):
                seen = own.get_observations(at)
                for part, values in observations[name].items():
                    assert (seen[part] == values).all()
            for at, (actions, _, rewards, _) in enumerate(game[1:]):
                assert own.get_actions(at) == actions[name]
                assert own.get_rewards(at) == pytest.approx(rewards[name])
                before = game[at][3]
                assert game[at][1][name]["action_mask"][actions[name]] == 1
                if before[name]["own_hull"] == 0:
                    assert before[name]["deciding"] == 0
            for other in names:
                total = episode.agent_episodes[other].get_return()
                share = 1 if team(name) == team(other) else -1
                assert own.get_return() == pytest.approx(share * total, abs=1e-5)
    assert endings >= ({"max_turns"} if "max_turns" in options else {"disabled_all"})
    assert outlived or "max_turns" in options


@pytest.mark.parametrize(
    "make",
    [hackthegrid_v0.env, lambda: hovercrafts_v2.env(ships=(2, 3), max_turns=12)],
    ids=["hackthegrid", "hovercrafts"],
)
def test_rllib_gets_the_last_rewards_of_the_aec_env(sample: Any, make: Any) -> None:
    """Of every agent, also of those that were out long before."""
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    env = make()
    won = 0
    for episode in sample(PettingZooEnv(env), 6):
        assert episode.is_done
        assert sorted(episode.agent_episodes) == sorted(env.possible_agents)
        total = {name: own.get_return() for name, own in episode.agent_episodes.items()}
        for name, own in episode.agent_episodes.items():
            assert own.is_done
            assert len(own.get_observations()["action_mask"]) == len(own) + 1 > 1
            for at in range(len(own)):
                assert own.get_observations(at)["action_mask"][own.get_actions(at)] == 1
            ending = reason(env, own.get_infos(-1))
            assert episode.is_truncated == (ending == "max_turns")
            for other, their in total.items():
                alike = team(name) == team(other) or ending == "cards_remain"  # both lose
                assert own.get_return() == (their if alike else -their)
        won += 1.0 in total.values()
    assert won > 2
