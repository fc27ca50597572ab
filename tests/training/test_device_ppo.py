"""PPO on a device, with this processor in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from numpy.typing import NDArray

from cyberdeck.engine.constants import EVERY
from cyberdeck.players import networks
from cyberdeck_training import device_ppo
from cyberdeck_training.device_ppo import DevicePPO
from cyberdeck_training.rollouts import Rollout
from cyberdeck_training.selfplay import Pool
from cyberdeck_training.settings import DeviceSettings
from tests.api.test_teams import paid_teams
from tests.training.runs import learned, trained
from tests.training.test_rollouts import GAMES_OF_MANY, Played

HERE: dict[str, Any] = {
    "algorithm": "device_ppo",
    "device": {"kind": "cpu"},
    "opponents": {"self": 1, "heuristic": 1},
    "past": ...,
}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_advantages_are_those_of_a_rollout_of_arrays(count: int) -> None:
    rng = np.random.default_rng(2)
    steps, rows, box = 9, 60, spaces.Box(-1, 1, (3,), np.float32)
    given: dict[str, Any] = {"gamma": 0.9, "gae_lambda": 0.7, "sides": range(count)}
    buffer = Rollout(steps, box, spaces.Discrete(4), "cpu", n_envs=rows, **given)
    buffer.reset()

    def drawn(*shape: int) -> NDArray[np.float32]:
        return rng.normal(size=shape).astype(np.float32)

    buffer.streams[:] = rng.integers(count, size=(steps, rows))
    buffer.rewards[:], buffer.ends[:] = drawn(steps, rows, count), drawn(steps, rows) > 1
    buffer.values[:] = buffer.expected[:] = drawn(steps, rows)
    last, streams = drawn(rows), rng.integers(count, size=rows)
    buffer.trace_back(last, streams, np.zeros((steps, rows, count), np.float32))

    def traced(cut: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        parts = (buffer.values, buffer.streams, buffer.there, buffer.rewards, buffer.ends, cut)
        ends = torch.from_numpy(last), torch.from_numpy(streams)
        found, known, _ = device_ppo.trace_back(*map(torch.from_numpy, parts), ends, 0.9, 0.7)
        return found.numpy(), known.numpy()

    found, known = traced(np.zeros_like(buffer.ends))
    np.testing.assert_array_equal(known, buffer.known)
    np.testing.assert_allclose(found, buffer.advantages, atol=1e-5)
    # Where a limit has cut all games, nothing is known of each stream's last decision there.
    _, fewer = traced(buffer.ends)
    assert not fewer[buffer.ends].any()
    assert fewer.sum() < known.sum()


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
            buffer.streams[step], whole = sides[core.playing()], core.seats == EVERY
            core.step(buffer.actions[step])
            buffer.happened(step, core, whole)
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
