"""DAgger, before PPO: an expert says what it would do in each position that the learner gets into.

So the learner is corrected where it errs, not only where the expert would have gone. Its critic
learns meanwhile what its own play is worth, so that PPO can go on from there at once. A rollout is
learned from once it is full, and older ones are not kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import explained_variance

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.players import find_player


class Expert:
    """A player that labels the positions of the learner's games, up to so many timesteps."""

    def __init__(self, core: GameBatch, player: str, timesteps: int, steps: int) -> None:
        self._core = core
        self._timesteps = timesteps
        self.player = find_player(core.variant, player)
        self.labels = np.zeros((steps, core.count), np.int64)
        #: Of where the games are now, if the expert has been asked already.
        self.next_labels: NDArray[np.int64] | None = None

    def labels_until(self, timesteps: int) -> bool:
        """Whether a rollout that ends there is to be learned from the expert."""
        return timesteps <= self._timesteps

    def begin(self, next_labels: NDArray[np.int64] | None = None) -> None:
        """Before a rollout; *next_labels* were made before a checkpoint.

        No position is labelled twice: players that remember would take it for another.
        """
        if next_labels is not None:
            self.next_labels = next_labels
        if self.next_labels is None:
            self._ask()

    def stepped(self, step: int) -> None:
        """The games have gone on by a step: keep the labels of where they were."""
        assert self.next_labels is not None
        self.labels[step] = self.next_labels
        self._ask()

    def _ask(self) -> None:
        self.next_labels = self._core.ask(self.player, self._core.all_rows)


class DAgger(OnPolicyAlgorithm):
    """What is before PPO among the bases of a class that may begin with an expert."""

    expert: Expert | None = None

    def train(self) -> None:
        """Learn from what was collected: by the expert's labels, or as the algorithm does."""
        if self.expert is None or not self.expert.labels_until(self.num_timesteps):
            super().train()
            return
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        ppo: Any = self  # whatever is after this among the bases
        buffer: Any = self.rollout_buffer
        buffer.actions[..., 0] = self.expert.labels  # what was done does not matter any more
        losses, value_losses = [], []
        for _ in range(ppo.n_epochs):
            for data in buffer.get(ppo.batch_size):
                masks = getattr(data, "action_masks", None)
                values, logs, _ = self.policy.evaluate_actions(
                    data.observations,
                    data.actions.long().flatten(),
                    **({} if masks is None else {"action_masks": masks}),
                )
                loss: Any = -logs.mean()
                value_loss = torch.nn.functional.mse_loss(data.returns, values.flatten())
                self.policy.optimizer.zero_grad()
                (loss + self.vf_coef * value_loss).backward()
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                losses.append(loss.item())
                value_losses.append(value_loss.item())
            self._n_updates += 1
        self.logger.record("train/dagger_loss", np.mean(losses))
        self.logger.record("train/value_loss", np.mean(value_losses))
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", explained)


class DAggerMaskablePPO(DAgger, MaskablePPO):
    """MaskablePPO that may begin with DAgger."""


class DAggerPPO(DAgger, PPO):
    """PPO that may begin with DAgger."""
