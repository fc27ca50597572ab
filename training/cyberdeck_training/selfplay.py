"""Opponents that come from the run itself: the learner, on all sides then, and past selves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from cyberdeck.common.files import make_folder
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.policy import Policy, PolicyInput, memory_for
from cyberdeck.players import networks
from cyberdeck.players.networks import SUFFIX, Network
from cyberdeck_training.config import Config, PastConfig
from cyberdeck_training.names import CURRENT, PAST

#: Games against a past self after which it may be judged.
_MET: Final = 10


class OpponentSlot(Policy):
    """A place in the pool of opponents, filled by one network after the other."""

    def __init__(self, name: str, memory: int) -> None:
        self.name = name
        self.memory = memory
        self.network: Network | None = None

    def decide(self, seen: PolicyInput) -> Any:
        """What the network in this slot decides."""
        assert self.network is not None
        return self.network.decide(seen)


class Pool:
    """Who plays the other sides: ``entries`` is the pool that the envs draw from, evenly.

    A player with a share of two is there twice as often as one with a share of one. Past selves
    have a file each in *folder*: what plays is what a file holds, so that a run that goes on later
    plays against the same.
    """

    def __init__(self, config: Config, folder: Path) -> None:
        shares = {name: share for name, share in config.opponents.items() if share > 0}
        self._past = config.past or PastConfig()
        self._folder = folder
        self._rng = np.random.default_rng(config.seed)
        memory = memory_for(config.history * config.variant.observation_size, config.history)
        kept = self._past.keep if PAST in shares else 0
        self.past = [OpponentSlot(f"{PAST} {at}", memory) for at in range(kept)]
        self.updates = [0] * kept  # that the self in each slot had had
        self._games = [0] * kept  # of each since it joined, and what the learner got there
        self._points = [0.0] * kept
        # Each past self is there equally often, and all of them together as their share says.
        times = kept // math.gcd(kept, shares[PAST]) if kept else 1
        self.entries: list[Policy] = []
        for name, share in shares.items():
            if name == PAST:
                self.entries += [*self.past] * (share * times // kept)
            else:
                player = ITSELF if name == CURRENT else config.fixed[name]
                self.entries += [player] * (share * times)
        self._slots = [
            self.past.index(entry) if entry in self.past else None for entry in self.entries
        ]

    def start(self, network: Network) -> None:
        """Before the first update, all past selves are what there is."""
        if self.past:
            saved = self._saved(network, 0)
            for slot in self.past:
                slot.network = saved

    def record(self, met: Mapping[int, tuple[int, float]]) -> None:
        """By entries of the pool: so many games, and what the learner got there (win 1, loss 0)."""
        for entry, (games, points) in met.items():
            at = self._slots[entry] if self.past else None
            if at is not None:
                self._games[at] += games
                self._points[at] += points

    def add_past(self, learned: Callable[[], Network], updates: int) -> None:
        """After every so many updates what was learned by now joins the past selves."""
        if not self.past or updates % self._past.every:
            return
        at = _REPLACE[self._past.replace](self)
        self.updates[at] = updates
        self.past[at].network = self._saved(learned(), updates)
        self._games[at], self._points[at] = 0, 0.0

    def prune(self) -> None:
        """Remove the files of those who left; before the next checkpoint they may be needed."""
        needed = {self._file(updates) for updates in self.updates}
        for path in self._folder.glob(f"*{SUFFIX}"):
            if path not in needed:
                path.unlink()

    def _oldest(self) -> int:
        return self.updates.index(min(self.updates))

    def _random(self) -> int:
        unused = 0 in self.updates
        return self.updates.index(0) if unused else int(self._rng.integers(len(self.past)))

    def _easiest(self) -> int:
        # Who was hardly met yet is not taken to be easy.
        met = [at for at, games in enumerate(self._games) if games >= _MET]
        places = met or range(len(self.past))
        return max(places, key=lambda at: self._points[at] / max(self._games[at], 1))

    def _saved(self, network: Network, updates: int) -> Network:
        path = self._file(updates)
        make_folder(path.parent)
        network.save(path)
        return networks.load(path)

    def _file(self, updates: int) -> Path:
        return self._folder / f"{updates:08}{SUFFIX}"

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, as JSON."""
        return {
            "updates": self.updates,
            "games": self._games,
            "points": self._points,
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Put everybody into the slot where they were."""
        self.updates = [int(updates) for updates in state["updates"]]
        self._games = [int(games) for games in state["games"]]
        self._points = [float(points) for points in state["points"]]
        self._rng.bit_generator.state = state["rng"]
        for slot, updates in zip(self.past, self.updates, strict=True):
            slot.network = networks.load(self._file(updates))


_REPLACE: dict[str, Callable[[Pool], int]] = {
    "oldest": Pool._oldest,
    "random": Pool._random,
    "easiest": Pool._easiest,
}
