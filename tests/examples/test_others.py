"""The page on libraries without an adapter: what it shows runs where they are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.games import example
from tests.test_docs import Block, blocks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "use" / "others.md"
SHOWN = [block for block in blocks(PAGE) if block.info == "python no-run"]

pytestmark = [pytest.mark.examples, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("block", SHOWN, ids=["tianshou", "agilerl", "pufferlib"])
def test_what_the_page_shows_runs(block: Block) -> None:
    namespace: dict[str, Any] = {"__name__": "__example__"}
    exec(compile(block.text, str(PAGE), "exec"), namespace)
    namespace["envs"].reset()


# --- three seats ----------------------------------------------------------------------------------


@pytest.fixture
def in_parallel(_games_are_forgotten: None) -> Any:
    """Kuhn poker for three as a parallel env, by PettingZoo's converter."""
    pettingzoo = pytest.importorskip("pettingzoo")
    from cyberdeck.api.pettingzoo_env import env

    name = example("kuhn_for_many").name
    return pettingzoo.utils.turn_based_aec_to_parallel(env(name, mask="info"))


def test_agilerls_maddpg_plays_all_three(in_parallel: Any) -> None:
    algorithms = pytest.importorskip("agilerl.algorithms")
    agents = in_parallel.possible_agents
    learner = algorithms.MADDPG(
        observation_spaces=[in_parallel.observation_space(each) for each in agents],
        action_spaces=[in_parallel.action_space(each) for each in agents],
        agent_ids=agents,
    )
    for seed in range(5):
        seen, infos = in_parallel.reset(seed=seed)
        totals = dict.fromkeys(agents, 0.0)
        while in_parallel.agents:
            shown = {agent: view[None] for agent, view in seen.items()}
            _, chosen = learner.get_action(shown, infos=infos)
            actions = {agent: int(np.ravel(chosen[agent])[0]) for agent in agents}
            seen, rewards, _, _, infos = in_parallel.step(actions)
            totals = {agent: totals[agent] + rewards[agent] for agent in agents}
        assert sum(totals.values()) == 0
        assert max(totals.values()) > 0


def test_supersuit_wraps_three(in_parallel: Any) -> None:
    supersuit = pytest.importorskip("supersuit")
    wrapped = supersuit.agent_indicator_v0(supersuit.dtype_v0(in_parallel, np.float32))
    seen, _ = wrapped.reset(seed=0)
    marks = np.array([seen[agent][-3:] for agent in wrapped.possible_agents])
    assert ((marks > 0) == np.eye(3)).all()
    many = supersuit.concat_vec_envs_v1(
        supersuit.pettingzoo_env_to_vec_env_v1(wrapped), 4, base_class="gymnasium"
    )
    seen, _ = many.reset(seed=0)
    assert seen.shape == (12, wrapped.observation_space("player 1").shape[0])
    paid = np.zeros(12)
    for _ in range(6):
        _, rewards, *_ = many.step(np.zeros(12, np.int64))
        paid += rewards
    assert paid.reshape(4, 3).sum(axis=1) == pytest.approx(np.zeros(4))
    assert paid.any()
