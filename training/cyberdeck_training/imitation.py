"""Learning from a teacher, before learning from success.

The learner plays, and in each position that it gets into it is told what the teacher would do. So
it is taught where it errs, not only where the teacher would have gone; and its critic learns
meanwhile what its own play is worth, so that PPO can go on from there at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.utils import explained_variance

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.players import find_player


class Teacher:
    """Says what a player would decide in the learner's games, up to so many decisions."""

    def __init__(self, core: GameBatch, player: str, decisions: int, steps: int) -> None:
        self._core = core
        self.player = find_player(core.variant, player)
        self._until = decisions
        self.answers = np.zeros((steps, core.count), np.int64)
        #: The answers to where the games are now, if they have been asked for.
        self.known: NDArray[np.int64] | None = None

    def teaches(self, decisions: int) -> bool:
        """Whether the decisions up to that number are to be learned from the teacher."""
        return decisions <= self._until

    def begin(self, known: NDArray[np.int64] | None = None) -> None:
        """Before a rollout; *known* is what was asked for before a checkpoint.

        Nobody is asked twice in one place: that would tell on those that remember.
        """
        if known is not None:
            self.known = known
        if self.known is None:
            self._look()

    def _look(self) -> None:
        """Decide in all games as they are now."""
        self.known = self._core.ask(self.player, self._core.all_rows)

    def note(self, step: int) -> None:
        """The games have gone on by a step: keep the answer to where they were."""
        assert self.known is not None
        self.answers[step] = self.known
        self._look()


class Taught:
    """What is before PPO among the bases of a class that may have a ``teacher`` at first."""

    teacher: Teacher | None = None

    def train(self: Any) -> None:
        """Learn from what was collected: from the teacher, or as the algorithm does."""
        if self.teacher is None or not self.teacher.teaches(self.num_timesteps):
            super().train()  # type: ignore[misc]  # of PPO
            return
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        buffer: Any = self.rollout_buffer
        buffer.actions[..., 0] = self.teacher.answers  # what was done does not matter any more
        losses, value_losses = [], []
        for _ in range(self.n_epochs):
            for data in buffer.get(self.batch_size):
                masks = getattr(data, "action_masks", None)
                values, logs, _ = self.policy.evaluate_actions(
                    data.observations,
                    data.actions.long().flatten(),
                    **({} if masks is None else {"action_masks": masks}),
                )
                loss = -logs.mean()
                value_loss = torch.nn.functional.mse_loss(data.returns, values.flatten())
                self.policy.optimizer.zero_grad()
                (loss + self.vf_coef * value_loss).backward()
                torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                losses.append(loss.item())
                value_losses.append(value_loss.item())
            self._n_updates += 1
        self.logger.record("train/imitation_loss", np.mean(losses))
        self.logger.record("train/value_loss", np.mean(value_losses))
        explained = explained_variance(buffer.values.flatten(), buffer.returns.flatten())
        self.logger.record("train/explained_variance", explained)


class TaughtMaskablePPO(Taught, MaskablePPO):
    """MaskablePPO that may begin with a teacher."""


class TaughtPPO(Taught, PPO):
    """PPO that may begin with a teacher."""
