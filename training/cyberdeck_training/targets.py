"""What experts make of the positions that a learner's games come to, and learning from that.

The learner plays, so that it is corrected where it errs, not only where the expert would have gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.memories import Place
from cyberdeck.engine.policy import Expert, Policy, PolicyInput, certain
from cyberdeck.players.networks import Network
from cyberdeck_training.categorical import LeanCategorical
from cyberdeck_training.rollouts import Rollout


class Labels:
    """An expert's targets for the positions of one rollout, where the games come to them.

    One that remembers has to be asked about every decision.

    policy (T, N, A), values (T, N): zeros and NaN where the expert was not asked
    """

    #: What the loss is called after in a log.
    called: str
    #: The last timestep that is learned from them.
    until: float = math.inf

    def __init__(
        self, core: GameBatch, expert: Policy, steps: int, every: int = 1, threads: int = 1
    ) -> None:
        """*every*: it is asked about one decision in so many of each game."""
        self.expert = expert
        self._core, self._every, self._threads = core, every, threads
        #: What an expert that remembers saw last, and where; and what it has to hear of it.
        self._heard: tuple[PolicyInput, Place] | None = None
        self.policy = np.zeros((steps, core.count, core.variant.action_count), np.float32)
        self.values = np.zeros((steps, core.count), np.float32)

    def follow(self, learned: Callable[[], Network]) -> None:
        """*learned* tells what the learner's policy is now; most experts do not ask."""

    def begin(self) -> None:
        """Before a rollout."""
        self._ask(0)

    def stepped(self, step: int, actions: NDArray[np.int64]) -> None:
        """After a step, in which the learner took these *actions* (N,). What the last step leads to
        belongs to the next rollout.
        """
        if self._heard is not None:
            seen, place = self._heard
            self.expert.took(seen, actions[place.rows])
            self._core.memories.note(self.expert, seen.memory, place)
        if step + 1 < len(self.policy):
            self._ask(step + 1)

    def _ask(self, step: int) -> None:
        rows = self._core.all_rows
        rows = rows[(rows + step) % self._every == 0]
        self.policy[step], self.values[step], self._heard = 0.0, np.nan, None
        if len(rows):
            self.policy[step, rows], self.values[step, rows] = self._told(rows)

    def _told(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """As ``Expert.targets``, or how likely it takes each action, or what it does. One that
        remembers goes on from what the learner does: ``stepped`` tells it.
        """
        core, expert, unknown = self._core, self.expert, np.full(len(rows), np.nan)
        if not (isinstance(expert, Expert) or expert.tells_chances):
            return certain(core.ask(expert, rows), core.variant.action_count), unknown
        seen = replace(core.seen(rows, expert.needs_states), threads=self._threads)
        if expert.memory:
            place = Place(rows, seen.seats, core.rows["game"][rows])
            seen = replace(seen, memory=core.memories.recall(expert, expert.memory, place))
            self._heard = seen, place
        if isinstance(expert, Expert):
            return expert.targets(seen)
        return expert.chances(seen), unknown


@dataclass
class Positions:
    """What there is to learn of M positions.

    observations (M, ...), masks (M, A): all True where the learner does not know what is legal
    policy (M, A): zeros where there is no target
    values (M,): what the one who decides will still get
    """

    observations: NDArray[Any]
    masks: NDArray[np.bool_]
    policy: NDArray[np.float32]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.values)


def positions(buffer: Rollout, labels: Labels) -> Positions:
    """Those of a rollout. Where the expert knows no value, the rest of the game says it; and where
    nothing is known of that yet, the critic as it is.
    """
    rollout = slice(buffer.left_open, None)
    values = np.where(np.isnan(labels.values), buffer.returns[rollout], labels.values)
    columns = (buffer.observations[rollout], buffer.action_masks[rollout], labels.policy, values)
    return Positions(*(buffer.flat(column).copy() for column in columns))


class Replay:
    """The positions of the last rollouts, at most so many."""

    def __init__(self, rollouts: int) -> None:
        self._rollouts, self._kept = rollouts, list[Positions]()

    def add(self, rollout: Positions) -> None:
        """Another one; the oldest leaves."""
        self._kept = [*self._kept, rollout][-self._rollouts :]

    def all(self) -> Positions:
        """All that it holds."""
        return Positions(*(np.concatenate(parts) for parts in self._columns().values()))

    def _columns(self) -> dict[str, list[NDArray[Any]]]:
        return {
            field.name: [getattr(rollout, field.name) for rollout in self._kept]
            for field in fields(Positions)
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """As arrays for a checkpoint: (rollouts, ...) each; none before the first rollout."""
        return {name: np.array(parts) for name, parts in self._columns().items() if parts}

    def restore(self, arrays: dict[str, NDArray[Any]], buffer: Any) -> None:
        """Put back what ``arrays`` gave of rollouts such as *buffer* holds, or ``ValueError``."""
        columns = [arrays[field.name] for field in fields(Positions)]
        count = buffer.buffer_size * buffer.n_envs
        actions = (count, int(buffer.action_space.n))
        shapes = [(count, *buffer.obs_shape), actions, actions, (count,)]
        dtypes = [buffer.observations.dtype, np.bool_, np.float32, np.float32]
        for field, column, shape, dtype in zip(
            fields(Positions), columns, shapes, dtypes, strict=True
        ):
            if column.shape[1:] != shape or column.dtype != dtype:
                raise ValueError(f"{field.name} of its replay are {column.shape} of {column.dtype}")
            if not np.isfinite(column).all():
                raise ValueError(f"{field.name} of its replay are not finite")
        self._kept = [Positions(*rollout) for rollout in zip(*columns, strict=True)]
        self._kept = self._kept[-self._rollouts :]


def learn(model: Any, known: Positions, batches: Iterable[NDArray[np.int64]]) -> float:
    """Take a step for each of *batches*, rows of *known*; returns the policy's mean loss.

    The loss is the cross-entropy to the policy's targets, and ``vf_coef`` times the squared error
    of the values.
    """
    policy = model.policy
    policy.set_training_mode(True)
    model._update_learning_rate(policy.optimizer)
    masked = model.rollout_buffer.masked
    losses, value_losses, entropies = [], [], []
    for rows in batches:
        masks = {"action_masks": known.masks[rows]} if masked else {}
        targets = torch.from_numpy(known.policy[rows])
        values, _, entropy = policy.evaluate_actions(
            torch.as_tensor(known.observations[rows]), targets.argmax(dim=1), **masks
        )
        told = targets.sum(dim=1) > 0
        loss = -(targets * _log_probabilities(policy)).sum() / told.sum().clamp(min=1)
        value_loss = torch.nn.functional.mse_loss(
            values.flatten(), torch.from_numpy(known.values[rows])
        )
        policy.optimizer.zero_grad()
        (loss + model.vf_coef * value_loss).backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
        policy.optimizer.step()
        losses.append(loss.item())
        value_losses.append(value_loss.item())
        entropies.append(entropy.detach().mean().item())
    model.logger.record("train/value_loss", np.mean(value_losses))
    model.logger.record("train/entropy_loss", -np.mean(entropies))
    return float(np.mean(losses))


def _log_probabilities(policy: Any) -> torch.Tensor:
    """(N, A): those of what the policy has just evaluated."""
    found = policy.action_dist
    lean = isinstance(found, LeanCategorical)
    logs: torch.Tensor = found.log_probabilities() if lean else found.distribution.logits
    return logs
