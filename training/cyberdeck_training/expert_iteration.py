"""Expert iteration (Anthony et al. 2017; AlphaZero's family): learning from one's own search.

The network plays, and a search that it guides says of some of its positions what would be better:
these are the policy's targets. The values' targets are what the games brought. The more of its own
search the network takes over, the better is the next search.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.players.guided import unlearned
from cyberdeck.players.networks import Network
from cyberdeck.players.search import Search
from cyberdeck_training.config import ExpertIterationConfig
from cyberdeck_training.dagger import DAgger
from cyberdeck_training.targets import Labels, Positions, learn, positions


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
        """As arrays for a checkpoint: (rollouts, ...) each."""
        return {name: np.array(parts) for name, parts in self._columns().items()}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Put back what ``arrays`` gave."""
        columns = [arrays[field.name] for field in fields(Positions)]
        self._kept = [Positions(*rollout) for rollout in zip(*columns, strict=True)]


class ExpertIteration(DAgger, MaskablePPO):
    """What MaskablePPO is up to a full rollout; then it learns from the search."""

    #: What the search says, and the search itself.
    searched: Labels
    search: Search
    replay: Replay

    def begin(self, core: GameBatch, settings: ExpertIterationConfig, threads: int) -> None:
        """Before anything else."""
        self.search = Search(
            settings.iterations, network=unlearned(core.variant), root=settings.root
        )
        self.searched = Labels(core, self.search, self.n_steps, settings.every, threads)
        self.replay = Replay(settings.replay)

    def follow(self, network: Network) -> None:
        """The search is guided by what was learned by now."""
        self.search.network = network

    def labels(self, timesteps: int) -> Labels | None:
        return super().labels(timesteps) or self.searched

    def train(self) -> None:
        """Learn from the last rollouts: as many of their positions as the last one has."""
        if self.labels(self.num_timesteps) is not self.searched:
            super().train()
            return
        rollout = positions(self.rollout_buffer, self.searched)
        self.replay.add(rollout)
        known = self.replay.all()
        batches = self.batches(len(rollout), len(known))
        self.logger.record("train/search_loss", learn(self, known, batches))

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "searched", "search", "replay"]
