"""DAgger, before the algorithm itself: an expert says what to do where the learner gets to.

The critic learns meanwhile what the learner's own play is worth, or, where the expert knows it,
what perfect play is, so that the algorithm can go on from there at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from cyberdeck_training.targets import Labels, Replay, learn, positions


class DAgger(OnPolicyAlgorithm):
    """What is before an algorithm among the bases of a class that may begin with an expert."""

    #: What the expert says, and for how many timesteps it is learned from.
    told: Labels | None = None
    told_timesteps: int = 0
    #: The latest rollouts that were labelled.
    replay: Replay | None = None

    def labels(self, timesteps: int) -> Labels | None:
        """What a rollout that ends there is to be labelled with."""
        return self.told if timesteps <= self.told_timesteps else None

    def train(self) -> None:
        """Learn from what was labelled, as much as one rollout is; or as the algorithm does."""
        labels = self.labels(self.num_timesteps)
        if labels is None or self.replay is None:
            self.replay = None
            super().train()
            return
        rollout = positions(self.rollout_buffer, labels)
        self.replay.add(rollout)
        known = self.replay.all()
        loss = learn(self, known, self.batches(len(rollout), len(known)))
        self.logger.record(f"train/{'dagger' if labels is self.told else 'search'}_loss", loss)

    def batches(self, count: int, known: int) -> Iterator[NDArray[np.int64]]:
        """``n_epochs`` passes of *count* rows each, drawn from those *known*."""
        ppo: Any = self  # whatever is after this among the bases
        for _ in range(ppo.n_epochs):
            # From the generator that SB3 draws its batches from, which a run keeps.
            drawn = np.random.permutation(known)[:count]  # noqa: NPY002
            for start in range(0, count, ppo.batch_size):
                yield drawn[start : start + ppo.batch_size]
            self._n_updates += 1

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "told", "replay"]


class DAggerMaskablePPO(DAgger, MaskablePPO):
    """MaskablePPO that may begin with DAgger."""


class DAggerPPO(DAgger, PPO):
    """PPO that may begin with DAgger."""
