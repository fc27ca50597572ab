"""Opponents that come from the run itself: the learner, on all sides then, and past selves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cyberdeck.common.files import make_folder
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.policy import Policy, PolicyInput, last_observations, memory_for
from cyberdeck.engine.threads import together
from cyberdeck.players import networks
from cyberdeck.players.networks import SUFFIX, Network
from cyberdeck_training.settings import CURRENT, PAST, PastConfig, RunSettings

#: Games against a past self after which it may be judged.
_MET: Final = 10


class PastSelves(Policy):
    """What the learner was at several times: each plays in places of its own in the pool.

    All are one policy, because many small questions would take longer than a large one.

    Args:
        count: how many there are.
        slots: which of them plays in each place of the pool; -1 where none does.
        history: how many observations they see.
        size: of each observation.
    """

    name = PAST

    def __init__(self, count: int, slots: Sequence[int], history: int, size: int) -> None:
        self.networks: list[Network | None] = [None] * count
        self._slots, self._history = np.array(slots), history
        self.memory = memory_for(history * size, history)

    def decide(self, seen: PolicyInput) -> Any:
        """What the self in each game's place decides."""
        shown = last_observations(seen, self._history)
        # At first several are the same.
        same = np.array([self.networks.index(each) for each in self.networks])
        playing = same[self._slots[seen.places]]
        selves = np.unique(playing).tolist()
        logits = np.empty(seen.masks.shape)

        def ask(at: int) -> None:
            network, own = self.networks[selves[at]], np.flatnonzero(playing == selves[at])
            assert network is not None
            logits[own] = network.logits(shown[own])

        together(ask, len(selves), seen.threads)
        return networks.chosen(np.where(seen.masks == 1, logits, -np.inf), False, seen.random_bits)


class Pool:
    """Who plays the other sides: ``entries`` is the pool that the envs draw from, evenly.

    A player with a share of two is there twice as often as one with a share of one. Past selves
    have a file each in *folder*: what plays is what a file holds, so that a run that goes on later
    plays against the same.
    """

    def __init__(self, config: RunSettings, folder: Path, history: int = 1) -> None:
        """*history*: how many of its last observations a past self sees."""
        shares = config.playing
        self._config = config.past or PastConfig()
        self._folder = folder
        self._rng = np.random.default_rng(config.seed)
        kept = self._config.keep if PAST in shares else 0
        self.updates = [0] * kept  # that the self in each slot had had
        self._games = [0] * kept  # of each since it joined, and what the learner got there
        self._points = [0.0] * kept
        # Each past self is there equally often, and all of them together as their share says.
        times = kept // math.gcd(kept, shares[PAST]) if kept else 1
        places = {name: [-1] * (share * times) for name, share in shares.items()}
        if kept:
            places[PAST] = [*range(kept)] * (shares[PAST] * times // kept)
        #: Which past self plays in each place; -1 where none does.
        self.slots = [slot for slots in places.values() for slot in slots]
        self.past = PastSelves(kept, self.slots, history, config.variant.observation_size)
        players: dict[str, Policy] = {**config.fixed, CURRENT: ITSELF, PAST: self.past}
        #: Who plays in each place.
        self.entries = [players[name] for name, slots in places.items() for _ in slots]

    def start(self, network: Network) -> None:
        """Before the first update, all past selves are what there is."""
        if self.updates:
            self.past.networks[:] = [self._saved(network, 0)] * len(self.updates)

    def record(self, met: Mapping[int, tuple[int, float]]) -> None:
        """By entries of the pool: so many games, and what the learner got there (win 1, loss 0)."""
        for entry, (games, points) in met.items():
            at = self.slots[entry] if self.updates else -1  # a game for one has no places
            if at >= 0:
                self._games[at] += games
                self._points[at] += points

    def add_past(self, learned: Callable[[], Network], updates: int) -> None:
        """After every so many updates what was learned by now joins the past selves."""
        if not self.updates or updates % self._config.every:
            return
        at = self._leaving()
        self.updates[at] = updates
        self.past.networks[at] = self._saved(learned(), updates)
        self._games[at], self._points[at] = 0, 0.0

    def prune(self) -> None:
        """Remove the files of those who left; before the next checkpoint they may be needed."""
        needed = {self._file(updates) for updates in self.updates}
        for path in self._folder.glob(f"*{SUFFIX}"):
            if path not in needed:
                path.unlink()

    def _leaving(self) -> int:
        """The slot of the past self that makes room."""
        updates, how = self.updates, self._config.replace
        if how == "oldest" or (how == "random" and 0 in updates):  # those are there from the start
            return updates.index(min(updates))
        if how == "random":
            return int(self._rng.integers(len(updates)))
        # Who was hardly met yet is not taken to be easy.
        met = [at for at, games in enumerate(self._games) if games >= _MET]
        places = met or range(len(updates))
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
        places = len(self.past.networks)
        if any(len(each) != places for each in (self.updates, self._games, self._points)):
            raise ValueError(f"its pool does not hold {places} past selves")
        self._rng.bit_generator.state = state["rng"]
        loaded = {each: networks.load(self._file(each)) for each in {*self.updates}}
        self.past.networks[:] = [loaded[updates] for updates in self.updates]
