"""Opponents that come from the run itself: the learner, on all sides then, and past selves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cyberdeck.common.files import make_folder
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.others import ITSELF
from cyberdeck.engine.policy import Policy, PolicyInput, last_observations, memory_for
from cyberdeck.engine.threads import together
from cyberdeck.errors import OptionError
from cyberdeck.players.networks import SUFFIX, chosen
from cyberdeck_training.networks import Learned, load
from cyberdeck_training.schedules import schedule_of
from cyberdeck_training.settings import CURRENT, PAST, PLACES, PastConfig, RunSettings

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
        self.networks: list[Learned | None] = [None] * count
        self.slots, self._history = np.array(slots), history
        self.memory = memory_for(history * size, history)

    def decide(self, seen: PolicyInput) -> Any:
        """What the self in each game's place decides."""
        shown = last_observations(seen, self._history)
        # At first several are the same.
        same = np.array([self.networks.index(each) for each in self.networks])
        playing = same[self.slots[seen.places]]
        selves = np.unique(playing).tolist()
        logits = np.empty(seen.masks.shape)

        def ask(at: int) -> None:
            network, own = self.networks[selves[at]], np.flatnonzero(playing == selves[at])
            assert network is not None
            logits[own] = network.logits(shown[own])

        together(ask, len(selves), seen.threads)
        return chosen(np.where(seen.masks == 1, logits, -np.inf), False, seen.random_bits)


class Pool:
    """Who plays the other sides: ``entries`` is the pool that the envs draw from, evenly.

    A player with a share of two is there twice as often as one with a share of one. Where shares
    change, so do the places: those that no game is under way in. Past selves have a file each in
    *folder*: what plays is what a file holds, so that a run that goes on later plays against the
    same.
    """

    def __init__(self, config: RunSettings, folder: Path, history: int = 1) -> None:
        """*history*: how many of its last observations a past self sees."""
        self._run, self._config = config, config.past or PastConfig()
        self._folder = folder
        self._rng = np.random.default_rng(config.seed)
        kept = self._config.keep if PAST in config.playing else 0
        self.updates = [0] * kept  # that the self in each slot had had
        self._games = [0] * kept  # of each since it joined, and what the learner got there
        self._points = [0.0] * kept
        self._shares = {name: schedule_of(share) for name, share in config.playing.items()}
        #: Who may play: a name, and for the past selves a slot of theirs; -1 for others.
        slots = {PAST: range(kept)}
        self._who = [(name, at) for name in self._shares for at in slots.get(name, (-1,))]
        if (constant := config.constant) is None:
            # All are there once, so that the envs know all of them: ``deal`` does the rest, to a
            # thousandth.
            count = max(1000, PLACES * config.num_envs)
            self.places = [*range(len(self._who))] + [0] * (count - len(self._who))
        else:
            # Each past self is there equally often, and all of them together as their share says.
            times = kept // math.gcd(kept, constant[PAST]) if kept else 1
            self.places = [
                at
                for at, (name, _) in enumerate(self._who)
                for _ in range(constant[name] * times // (kept if name == PAST else 1))
            ]
        self.past = PastSelves(kept, self.slots, history, config.variant.observation_size)
        self._players: dict[str, Policy] = {**config.fixed, CURRENT: ITSELF, PAST: self.past}

    @property
    def slots(self) -> list[int]:
        """Which past self plays in each place; -1 where none does."""
        return [self._who[at][1] for at in self.places]

    @property
    def entries(self) -> list[Policy]:
        """Who plays in each place."""
        return [self._players[self._who[at][0]] for at in self.places]

    def deal(self, core: GameBatch, left: float) -> None:
        """Where shares change: give out the free places of the games *core* as they are when *left*
        of the run is left.
        """
        if self._run.constant is not None:
            return
        shares = {name: schedule(left) for name, schedule in self._shares.items()}
        if not sum(shares.values()):
            raise OptionError("opponents: at some time all shares are 0: somebody has to play")
        wanted = [
            shares[name] / (len(self.updates) if name == PAST else 1) for name, _ in self._who
        ]
        counts = np.array(wanted) * len(self.places) / sum(wanted)
        taken = np.zeros(len(self.places), np.bool_)
        if core.started:
            taken[core.rows["opponent"]] = True
        places = np.array(self.places)
        missing = (counts - np.bincount(places[taken], minlength=len(counts))).clip(0)
        # The n-th free place is theirs whose part of all that is missing it lies in.
        free, upto = np.flatnonzero(~taken), missing.cumsum()
        middle = (np.arange(len(free)) + 0.5) * upto[-1] / max(len(free), 1)
        places[free] = np.searchsorted(upto, middle, side="right")
        self._seat(core, places.tolist())

    def _seat(self, core: GameBatch, places: list[int]) -> None:
        self.places = places
        self.past.slots = np.array(self.slots)
        core.put_opponents(self.entries)

    def start(self, network: Learned) -> None:
        """Before the first update, all past selves are what there is."""
        if self.updates:
            self.past.networks[:] = [self._saved(network, 0)] * len(self.updates)

    def record(self, met: Mapping[int, tuple[int, float]]) -> None:
        """By entries of the pool: so many games, and what the learner got there (win 1, loss 0)."""
        slots = self.slots
        for entry, (games, points) in met.items():
            at = slots[entry] if self.updates else -1  # a game for one has no places
            if at >= 0:
                self._games[at] += games
                self._points[at] += points

    def add_past(self, learned: Callable[[], Learned], updates: int) -> None:
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

    def _saved(self, network: Learned, updates: int) -> Learned:
        path = self._file(updates)
        make_folder(path.parent)
        network.save(path)
        return load(path, self._run)

    def _file(self, updates: int) -> Path:
        return self._folder / f"{updates:08}{SUFFIX}"

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps, as JSON."""
        return {
            "updates": self.updates,
            "games": self._games,
            "points": self._points,
            "rng": self._rng.bit_generator.state,
            **({} if self._run.constant is not None else {"places": self.places}),
        }

    def restore(self, state: dict[str, Any], core: Any = None) -> None:
        """Put everybody into the slot where they were, and the place, in the games *core*."""
        self.updates = [int(updates) for updates in state["updates"]]
        self._games = [int(games) for games in state["games"]]
        self._points = [float(points) for points in state["points"]]
        places = len(self.past.networks)
        if any(len(each) != places for each in (self.updates, self._games, self._points)):
            raise ValueError(f"its pool does not hold {places} past selves")
        self._rng.bit_generator.state = state["rng"]
        loaded = {each: load(self._file(each), self._run) for each in {*self.updates}}
        self.past.networks[:] = [loaded[updates] for updates in self.updates]
        if "places" in state:
            dealt = [int(at) for at in state["places"]]
            if len(dealt) != len(self.places) or not {*dealt} <= {*range(len(self._who))}:
                raise ValueError(f"its pool does not have {len(self.places)} places")
            self._seat(core, dealt)
