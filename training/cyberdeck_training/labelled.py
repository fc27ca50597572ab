"""Algorithms that may learn from an expert's labels, for a time or always.

The critic learns meanwhile what the learner's own play is worth, or, where the expert knows it,
what perfect play is, so that the algorithm can go on from there at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from cyberdeck_training.mmd import MMD
from cyberdeck_training.rollouts import Collecting, Rollout
from cyberdeck_training.targets import Labels, Replay, learn, positions


class Labelled(Collecting):
    """What is before an algorithm among the bases of a class that may learn from labels."""

    #: Who labels the rollouts, one after the other, each until its time is over.
    teachers: Sequence[Labels] = ()
    #: The latest rollouts that were labelled.
    replay: Replay | None = None
    #: What ``ent_coef`` is by the share of the run that is left, where it changes.
    entropy_schedule: Callable[[float], float] | None = None

    def labels(self, timesteps: int) -> Labels | None:
        """What a rollout that ends there is to be labelled with."""
        return next((each for each in self.teachers if timesteps <= each.until), None)

    def train(self) -> None:
        """Learn from what was labelled, as much as one rollout is; or as the algorithm does."""
        if self.entropy_schedule is not None:
            self.ent_coef = self.entropy_schedule(self._current_progress_remaining)
        buffer, labels = self.rollout_buffer, self.labels(self.num_timesteps)
        assert isinstance(buffer, Rollout)
        if labels is None:
            self.replay = None
            super().train()
        else:
            assert self.replay is not None
            rollout = positions(buffer, labels)
            self.replay.add(rollout)
            known = self.replay.all()
            loss = learn(self, known, self._batches(len(rollout), len(known)))
            self.logger.record(f"train/{labels.called}_loss", loss)
        self.logger.record("train/explained_variance", buffer.explained_variance())

    def _batches(self, count: int, known: int) -> Iterator[NDArray[np.int64]]:
        """``n_epochs`` passes of *count* rows each, drawn from those *known*."""
        ppo: Any = self  # whatever is after this among the bases
        for _ in range(ppo.n_epochs):
            # From the generator that SB3 draws its batches from, which a run keeps.
            drawn = np.random.permutation(known)[:count]  # noqa: NPY002
            for start in range(0, count, ppo.batch_size):
                yield drawn[start : start + ppo.batch_size]
            self._n_updates += 1

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "teachers", "replay", "entropy_schedule"]


class LabelledMaskablePPO(Labelled, MaskablePPO):
    """MaskablePPO that may learn from labels."""


class LabelledMMD(Labelled, MMD):
    """MMD that may learn from labels."""


class LabelledPPO(Labelled, PPO):
    """PPO that may learn from labels."""
