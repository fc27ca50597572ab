"""PPO on a device, with this processor in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cyberdeck.engine.constants import EVERY
from cyberdeck.players import networks
from cyberdeck_training.device_ppo import DevicePPO
from cyberdeck_training.selfplay import Pool
from cyberdeck_training.settings import DeviceSettings
from cyberdeck_training.streams import Decisions, trace_back
from tests.api.test_teams import paid_teams
from tests.training.runs import learned, trained
from tests.training.test_rollouts import GAMES_OF_MANY, Played

HERE: dict[str, Any] = {
    "algorithm": "device_ppo",
    "device": {"kind": "cpu"},
    "opponents": {"self": 1, "heuristic": 1},
    "past": ...,
}


def test_of_a_game_that_a_limit_has_cut_nothing_is_known() -> None:
    rng = np.random.default_rng(2)
    values = torch.from_numpy(rng.normal(size=(9, 60)))
    streams, ends = torch.from_numpy(rng.integers(2, size=(9, 60))), values > 1
    made = Decisions(values, values, streams, ends | True, values[..., None].expand(9, 60, 2), ends)
    for unknown in (ends, None):
        traced = trace_back(made._replace(unknown=unknown), values[0], streams[0], 0.9, 0.7)
        assert traced.known[ends].any() == (unknown is None)
        assert (traced.errors[~traced.known] == 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("game", ["three", "margins", "teams"])
def test_a_rollout_is_the_one_that_the_arrays_bring(tmp_path: Path, game: str) -> None:
    """The same games, decided on in the same way, bring each decision as much."""
    many = {**GAMES_OF_MANY, "teams": {"game": str(paid_teams(tmp_path))}}
    played = Played(tmp_path, **many[game])
    learner = DevicePPO(
        DeviceSettings(**{**played.config.model_dump(), "device": {"kind": "cpu"}}),
        played.model.policy,
        Pool(played.config, tmp_path).entries,
        outcome=True,
    )
    envs, buffer = played.envs, played.model.rollout_buffer
    core, sides, before = envs.unwrapped.core, np.array(played.sides), buffer.left_open
    weights = torch.randn(learner.seen.shape[2])
    logits = torch.zeros(8, core.variant.action_count)
    learner.judge = lambda seen: (logits, seen.float() @ weights[: seen.shape[1]])
    envs.seed(played.config.seed)
    envs.reset()
    for _ in range(20):
        learner._play()
        learner._trace()
        buffer.reset()
        for step in range(before, len(buffer.values)):
            buffer.observations[step], buffer.action_masks[step] = core.observations, core.masks
            buffer.actions[step] = learner.actions[step]
            buffer.streams[step], buffer.whole[step] = sides[core.playing()], core.seats == EVERY
            core.step(buffer.actions[step])
            buffer.rewards[step] = core.rewards[:, buffer.first_seats]
            buffer.ends[step] = (core.terminated | core.truncated) != 0
        seen = torch.from_numpy(buffer.observations).flatten(2).float()
        buffer.values[:] = buffer.expected[:] = seen @ weights[: seen.shape[2]]
        none = np.zeros_like(buffer.rewards)
        buffer.trace_back(learner.last.numpy(), sides[core.playing()], none)
        # Decisions that were left open may be in another order.
        for own, other in (
            (learner.known, buffer.known),
            (learner.known * learner.advantages, buffer.advantages),
            (learner.known * learner.returns, buffer.known * buffer.returns),
            (learner.known * learner.actions, buffer.known * buffer.actions),
            (learner.known * learner.seen.sum(2), buffer.known * seen.sum(2).numpy()),
        ):
            for part in (slice(before), slice(before, None)):
                pair = (np.sort(np.asarray(each)[part], axis=0) for each in (own, other))
                np.testing.assert_allclose(*pair, rtol=1e-4, atol=1e-3)


@pytest.mark.slow
def test_a_run_is_whole_and_the_same_again(tmp_path: Path) -> None:
    """And its prior goes past the layers there too."""
    given = {"prior_weight": 0.3, "options": {"observation": "prior"}, "total_timesteps": 256}
    first, second = (trained(tmp_path / name, **HERE, **given) for name in "ab")
    assert learned(first) == learned(second)
    curves = learned(first)["curves"]
    assert curves[0][1:3] == ["decisions", "games"]
    assert [int(line[1]) for line in curves[1:]] == [128, 256]
    assert (first / "report.html").is_file()
    last = networks.load(first / "last.safetensors")
    assert last.prior is not None
    assert last.prior.weight != 0.3
