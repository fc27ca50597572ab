"""RLlib's own wrappers of PettingZoo: all that acted get a last observation, and their rewards.

These tests run where Ray is installed; it is no dependency.
"""

from __future__ import annotations

from typing import Any

import pytest

from cyberdeck import hackthegrid_v0, hovercrafts_v0
from tests.api.helpers import reason

pytest.importorskip("ray")
pytest.importorskip("ray.rllib")
torch = pytest.importorskip("torch")

# Ray and RLlib warn of themselves.
pytestmark = pytest.mark.filterwarnings("ignore")

FLEET = {"ships": (3, 3), "scenario": "tunnels", "share_plans": True, "reward": "damage"}


def sample(env: Any, episodes: int) -> Any:
    """Whole episodes of RLlib's env runner, with an RLModule that draws a legal action."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    class RandomLegal(TorchRLModule):  # type: ignore[misc]
        def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            masks = batch["obs"]["action_mask"].float()
            return {"actions": torch.multinomial(masks, 1)[:, 0]}

    torch.manual_seed(0)
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


def team(agent: str) -> str:
    return agent.rstrip("_0123456789")


@pytest.mark.parametrize(
    ("wrapper", "make", "endings"),
    [
        ("PettingZooEnv", hackthegrid_v0.env, {"grid_emptied", "cards_remain"}),
        ("PettingZooEnv", lambda: hovercrafts_v0.env(ships=(2, 3), max_turns=12), {"disabled_all"}),
        ("ParallelPettingZooEnv", lambda: hovercrafts_v0.parallel_env(**FLEET), {"disabled_all"}),
        (
            "ParallelPettingZooEnv",
            lambda: hovercrafts_v0.parallel_env(ships=(1, 2), max_turns=3),
            {"max_turns"},
        ),
    ],
    ids=["turns", "teams in turns", "rounds", "short rounds"],
)
def test_rllib_gets_the_last_rewards_of_every_agent(
    wrapper: str, make: Any, endings: set[str]
) -> None:
    """Also of those that were out long before."""
    from ray.rllib.env.wrappers import pettingzoo_env

    env, ended, outlived = make(), set(), 0
    for episode in sample(getattr(pettingzoo_env, wrapper)(env), 6):
        assert episode.is_done
        assert sorted(episode.agent_episodes) == sorted(env.possible_agents)
        total = {name: own.get_return() for name, own in episode.agent_episodes.items()}
        for name, own in episode.agent_episodes.items():
            assert own.is_done
            assert len(own.get_observations()["action_mask"]) == len(own) + 1 > 1
            for at in range(len(own)):
                assert own.get_observations(at)["action_mask"][own.get_actions(at)] == 1
            info = own.get_infos(-1)
            ended.add(ending := reason(env, info))
            outlived += info.get("own_hull") == 0 < info["own_ships"]
            assert episode.is_truncated == (ending == "max_turns")
            for other, their in total.items():
                alike = team(name) == team(other) or ending == "cards_remain"  # both lose
                assert own.get_return() == pytest.approx(their if alike else -their, abs=1e-5)
    assert ended >= endings
    assert outlived or "disabled_all" not in endings
