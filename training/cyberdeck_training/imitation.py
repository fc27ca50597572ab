"""What experts make of the positions that a learner's games come to, and learning from that.

The learner plays, so that it is corrected where it errs, not only where the expert would have gone.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.memories import Place
from cyberdeck.engine.policy import Expert, Policy, PolicyInput, certain
from cyberdeck.players.guided import unlearned
from cyberdeck.players.search import Search
from cyberdeck_training.checkpoints import like
from cyberdeck_training.learners import MaskablePPO
from cyberdeck_training.rollouts import Rollout
from cyberdeck_training.settings import ExpertIterationSettings


class Labels:
    """An expert's targets for the positions of one rollout, where the games come to them.

    One that remembers has to be asked about every decision.

    policy (T, N, A), values (T, N): zeros and NaN where the expert was not asked
    """

    #: What the loss is called after in a log.
    called = "dagger"
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


class OwnSearch(Labels):
    """Expert iteration (Anthony et al. 2017; AlphaZero's family): learning from one's own search.

    The network plays, and a search that it guides says of some of its positions what would be
    better: these are the policy's targets. The values' targets are what the games brought. The more
    of its own search the network takes over, the better is the next search.
    """

    called = "search"

    def __init__(
        self, config: ExpertIterationSettings, core: GameBatch, learned: Callable[[], Any]
    ) -> None:
        """*learned* gives the learner's ``Network`` as it is by now, which guides the search."""
        chosen, self._learned = config.expert_iteration, learned
        network = unlearned(config.variant)
        self._search = Search(chosen.iterations, network=network, root=chosen.root)
        super().__init__(core, self._search, config.n_steps, chosen.every, config.threads)

    def begin(self) -> None:
        """Before a rollout."""
        self._search.network = self._learned()
        super().begin()


class Positions(NamedTuple):
    """What there is to learn of M positions.

    observations (M, ...), masks (M, A)
    policy (M, A): zeros where there is no target
    values (M,): what the one who decides will still get
    """

    observations: NDArray[Any]
    masks: NDArray[np.bool_]
    policy: NDArray[np.float32]
    values: NDArray[np.float32]


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
        self._kept = deque[Positions](maxlen=rollouts)

    def add(self, rollout: Positions) -> None:
        """Another one; the oldest leaves."""
        self._kept.append(rollout)

    def all(self) -> Positions:
        """All that it holds."""
        return Positions(*map(np.concatenate, zip(*self._kept, strict=True)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """As arrays for a checkpoint: (rollouts, ...) each; none before the first rollout."""
        columns = zip(*self._kept, strict=True)
        return {name: np.array(each) for name, each in zip(_COLUMNS, columns, strict=False)}

    def restore(self, arrays: Mapping[str, NDArray[Any]], buffer: Rollout) -> None:
        """Put back what ``arrays`` gave of rollouts such as *buffer* holds, or ``ValueError``."""
        if not arrays.keys() & {*_COLUMNS}:
            return
        masks, columns = buffer.action_masks, []
        every = (buffer.observations, masks, masks.astype(np.float32), buffer.returns)
        for name, column in zip(_COLUMNS, every, strict=True):
            known = buffer.flat(column[buffer.left_open :])
            known = np.broadcast_to(known, (len(arrays[name]), *known.shape))
            columns.append(like(known, arrays, name))
        self._kept.extend(Positions(*rollout) for rollout in zip(*columns, strict=True))


#: What the arrays of a replay are called in a checkpoint.
_COLUMNS: Final = [f"replay {name}" for name in Positions._fields]


class LabelledMaskablePPO(MaskablePPO):
    """MaskablePPO that learns from labels while there are any.

    The critic learns meanwhile what the learner's own play is worth, or, where the expert knows it,
    what perfect play is, so that PPO can go on from there at once.
    """

    #: The latest rollouts that were labelled.
    replay: Replay | None
    _labels: Labels | None = None

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        #: Who labels the rollouts, one after the other, each until its time is over.
        self.teachers: list[Labels] = []

    def before_rollout(self) -> None:
        """Ask the teacher of the rollout that begins."""
        until = self.num_timesteps + self.n_envs * self.n_steps
        self._labels = next((each for each in self.teachers if until <= each.until), None)
        if self._labels is not None:
            self._labels.begin()

    def after_step(self, step: int, actions: NDArray[np.int64]) -> None:
        """Ask about the positions that the games have come to."""
        if self._labels is not None:
            self._labels.stepped(step, actions)

    def learn_from_rollout(self) -> None:
        """From what was labelled, as much as one rollout is; or by PPO."""
        if self._labels is None:
            self.replay = None
            super().learn_from_rollout()
            return
        buffer = self.rollout_buffer
        assert isinstance(buffer, Rollout)
        assert self.replay is not None
        rollout = positions(buffer, self._labels)
        self.replay.add(rollout)
        loss = self._learn(self.replay.all(), len(rollout.values))
        self.logger.record(f"train/{self._labels.called}_loss", loss)

    def _learn(self, known: Positions, count: int) -> float:
        """``n_epochs`` passes of *count* rows each, drawn from those *known*; returns the policy's
        mean loss.

        The loss is the cross-entropy to the policy's targets, and ``vf_coef`` times the squared
        error of the values.
        """
        policy: Any = self.policy
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        losses, value_losses, entropies = [], [], []
        size = self.batch_size or count
        for _ in range(self.n_epochs):
            # From the generator that SB3 draws its batches from, which a run keeps.
            drawn = np.random.permutation(len(known.values))[:count]  # noqa: NPY002
            for start in range(0, count, size):
                rows = drawn[start : start + size]
                targets = torch.from_numpy(known.policy[rows])
                values, _, entropy = policy.evaluate_actions(
                    torch.as_tensor(known.observations[rows]),
                    targets.argmax(dim=1),
                    known.masks[rows],
                )
                told = (targets.sum(dim=1) > 0).sum().clamp(min=1)
                loss = -(targets * policy.action_dist.log_probabilities()).sum() / told
                value_loss = torch.nn.functional.mse_loss(
                    values.flatten(), torch.from_numpy(known.values[rows])
                )
                policy.optimizer.zero_grad()
                (loss + self.vf_coef * value_loss).backward()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
                losses.append(loss.item())
                value_losses.append(value_loss.item())
                entropies.append(entropy.detach().mean().item())
            self._n_updates += 1
        self.logger.record("train/value_loss", np.mean(value_losses))
        self.logger.record("train/entropy_loss", -np.mean(entropies))
        return float(np.mean(losses))

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "teachers", "replay", "_labels"]
