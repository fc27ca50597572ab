"""Beliefs: the worlds that a seat's game may be in, and their probabilities, given how others play.

From a game's beginning on, every world branches by what chance may do and by what the others may
decide, and is kept if the seat would have seen in it what it has seen: at each of its decisions its
observation and its mask, and before them the decisions that the others did not make in secret.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.memory import need_room
from cyberdeck.engine.contract import Record, is_whole
from cyberdeck.engine.game_batch import GameBatch, placed
from cyberdeck.engine.history import Entry, History, Log
from cyberdeck.engine.loops import HEURISTIC, OUTSIDE, RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput, certain
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hides_decision
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.players.solved import Solved
from cyberdeck.players.worlds import ACT, BEGIN, REDRAW, Branching, Worlds, digest, generator

#: So many worlds are followed from decision to decision, if the caller says nothing else; and so
#: many times as many on the way from one to the next.
LIMIT: Final = 1000
_ON_THE_WAY: Final = 8

#: How often a player that draws its actions is asked in each world. It counts as having taken any
#: action once more, each as often: what it did in none of these is not impossible.
TIMES: Final = 16

#: How many worlds are cached with the positions in which they were possible, for the next decision:
#: where each position has many, enough for so many positions, but not more than the last number.
_CACHED, _POSITIONS, _MOST_CACHED = 100_000, 4096, 1_000_000


@dataclass(frozen=True)
class Beliefs:
    """The worlds that a seat which has to decide holds possible, the likeliest first.

    states   (W,) records; their dice and rewards are 0
    weights  (W,) how likely each; they add up to 1
    exact    whether that is Bayes' rule over all that may have happened; otherwise the worlds were
             drawn (particles), or redrawn
    redrawn  None, or after how many decisions of the game none was left, or none could be
             followed, and ``resample`` drew them: what happened before does not count
    """

    variant: Variant
    seat: int
    states: NDArray[Any]
    weights: NDArray[np.float64]
    exact: bool
    redrawn: int | None

    def __len__(self) -> int:
        return len(self.states)

    @property
    def how(self) -> str:
        """In words, by which method they were computed."""
        if self.exact:
            return "exact"
        if self.redrawn is None:
            return "by particles"
        return f"by worlds redrawn after {self.redrawn} decisions"

    @property
    def views(self) -> NDArray[np.float64]:
        """(S - 1, D): what the seats after it see, each number the mean over the worlds."""
        variant = self.variant
        seats = [(self.seat + after) % variant.seats for after in range(1, variant.seats)]
        worlds = [self.states[at : at + 1] for at in range(len(self))]
        seen = [[variant.look(world, seat)[1].reshape(-1) for seat in seats] for world in worlds]
        return np.tensordot(self.weights, np.array(seen, np.float64), 1)


class Filter:
    """Follows the worlds of games in which all others play like *player*.

    limit   how many worlds: if there are more at a decision of the seat's, they are drawn
    """

    def __init__(self, variant: Variant, player: Policy, limit: int = LIMIT) -> None:
        require(is_whole(limit) and limit > 0, "limit", limit, "choose 1 or more worlds")
        need_room(int(limit), _ON_THE_WAY * variant.game.dtype.itemsize, "worlds")
        if player.needs_history:
            raise OptionError(
                f"{player.name} decides by the course of a game, which worlds do not have: choose "
                "a player that looks at positions, or remembers numbers"
            )
        if player.code == HEURISTIC and not variant.game.has_heuristic:
            raise OptionError(
                f"these would be beliefs by a heuristic, and {variant.game.title} has none: choose "
                "random"
            )
        self.given = variant
        #: What is rewarded, and how it is called, changes no world.
        self.variant = (variant.by_outcome if variant.regret else variant).undisguised
        self.player, self.limit = player, int(limit)
        self._branching = Branching(variant.game, _ON_THE_WAY * self.limit)
        #: By seat and entry of the log: what the seat believed after that entry.
        self._cache: dict[tuple[int, int], tuple[Entry, Worlds]] = {}
        self._cached = 0  # worlds
        self._most_cached = max(_CACHED, min(_POSITIONS * self.limit, _MOST_CACHED))

    def __call__(self, history: History) -> Beliefs:
        """The beliefs of the seat that has to decide now."""
        log, seat = history.log.undisguised(), history.seat
        entries = log.entries
        if log.record[0]["mover"] != seat:
            raise OptionError(f"seat {seat} has nothing to decide now: beliefs are for who decides")
        own = [*(at for at, entry in enumerate(entries) if entry.mover == seat), len(entries)]
        first, worlds = self._look_up(entries, seat, own)
        if worlds is None:
            worlds = self._begin(log, seat, own[0])
        for at, after in zip(own[first:], own[first + 1 :], strict=False):
            actions = np.full(len(worlds.states), entries[at].action)
            worlds = self._act(worlds, actions, worlds.digest, seat)
            worlds = self._wait(worlds, log, seat, at + 1, after)
        if entries:
            self._store((seat, id(entries[-1])), entries[-1], worlds)
        worlds = worlds.part(np.argsort(-worlds.weights, kind="stable"))
        states, weights = worlds.states, worlds.weights
        return Beliefs(log.variant, seat, states, weights, worlds.exact, worlds.redrawn)

    def _store(self, key: tuple[int, int], entry: Entry, worlds: Worlds) -> None:
        """Cache what is believed after *entry*, in the place of what was cached longest ago."""
        if key in self._cache:
            self._cached -= len(self._cache.pop(key)[1].states)
        self._cache[key] = entry, worlds
        self._cached += len(worlds.states)
        while self._cached > self._most_cached and len(self._cache) > 1:
            self._cached -= len(self._cache.pop(next(iter(self._cache)))[1].states)

    def __reduce__(self) -> tuple[Any, ...]:
        return Filter, (self.variant, self.player, self.limit)

    def _look_up(
        self, entries: tuple[Entry, ...], seat: int, own: list[int]
    ) -> tuple[int, Worlds | None]:
        """The last of the seat's decisions whose beliefs are in the cache, and these."""
        for number in range(len(own) - 1, -1, -1):
            before = entries[own[number] - 1] if own[number] else None
            entry, worlds = self._cache.get((seat, id(before)), (None, None))
            if before is not None and entry is before:
                return number, worlds
        return 0, None

    def _begin(self, log: Log, seat: int, first: int) -> Worlds:
        """The worlds at the seat's *first* decision, by its number among all decisions."""
        blank, nothing = self.variant.blank(), np.zeros(1, np.int64)
        found = self._branching.branches(BEGIN, blank, nothing, seat) if log.whole else None
        if found is None:
            return self._redraw(_record(log, first), seat, first, b"")
        worlds = Worlds(found.states, found.odds, self._no_memory(found.states), True, None, b"")
        return self._wait(worlds, log, seat, 0, first)

    def _no_memory(self, states: NDArray[Any]) -> NDArray[np.float32]:
        """(W, S, m): what the player remembers in each seat before its first decision."""
        return np.zeros((len(states), self.variant.seats, self.player.memory), np.float32)

    def _act(self, worlds: Worlds, actions: NDArray[np.int64], known: bytes, seat: int) -> Worlds:
        """The worlds after these decisions, one in each world; a sample, if they are too many."""
        found = self._branching.branches(ACT, worlds.states, actions, seat)
        if found is not None:
            after = worlds.part(found.origin)
            return after._replace(states=found.states, weights=after.weights * found.odds).merged()
        rng = generator(known, b"acted")
        chosen, weights = worlds.resampled(self.limit, rng)
        core = placed(self.variant, worlds.states[chosen])
        core.states["dice"] = rng.integers(0, 2**64, len(chosen), np.uint64)
        core.step(actions[chosen])
        after = worlds.part(chosen)
        return after._replace(states=core.states, weights=weights, exact=False).merged()

    def _wait(self, worlds: Worlds, log: Log, seat: int, begin: int, end: int) -> Worlds:
        """Let the others decide until the seat has to; only what fits its view is left.

        It saw the decisions from number *begin* to *end* that were not made in secret.
        """
        shown = [
            (entry.mover, entry.action)
            for entry in log.entries[begin:end]
            if seat not in entry.hidden_from
        ]
        record = _record(log, end)
        mask, observation, _ = self.variant.look(record, seat)
        known = digest(worlds.digest, repr(shown).encode(), mask.tobytes(), observation.tobytes())
        there: list[Worlds] = []
        nothing = worlds.part(slice(0))
        groups = [worlds] + [nothing] * len(shown)
        # By how many of those decisions have been made in a world: those are all alike in it.
        for number, (whose, action) in enumerate([*shown, (seat, 0)]):
            last, now, steps = number == len(shown), groups[number], 0
            while len(now.states):
                steps += 1
                movers = now.states["mover"]
                if last:
                    there.append(now.part(movers == seat))
                now = now.part((movers != NOBODY) & (movers != seat))
                if not len(now.states):
                    break
                random = digest(known, bytes([number & 255, steps & 255]))
                secret, public = self._decide(now, seat, None if last else (whose, action), random)
                if public is not None and len(public.states):
                    groups[number + 1] = groups[number + 1].joined(public)
                now = secret
        worlds = functools.reduce(Worlds.joined, there, nothing).merged()
        fits = self._branching.looks_like(worlds.states, seat, mask, observation)
        worlds = worlds.part(fits)._replace(digest=known)
        total = worlds.weights.sum()
        if not total > 0:
            return self._redraw(record, seat, end, known)
        worlds = worlds._replace(weights=worlds.weights / total)
        if len(worlds.states) > self.limit:
            chosen, weights = worlds.resampled(self.limit, generator(known, b"limit"))
            worlds = worlds.part(chosen)._replace(weights=weights, exact=False).merged()
        return worlds

    def _decide(
        self, worlds: Worlds, seat: int, shown: tuple[int, int] | None, random: bytes
    ) -> tuple[Worlds, Worlds | None]:
        """One decision of others in each world: where it is secret, any; elsewhere it is *shown*.

        A decision that the player makes in none of these worlds tells nothing about them.
        """
        chances, inputs = self._chances(worlds, random)
        movers, game = worlds.states["mover"], self.variant.game

        def apply(origin: NDArray[np.int64], actions: NDArray[np.int64]) -> Worlds:
            """The worlds after these *actions*, each in the world *origin*."""
            weights = worlds.weights[origin] * chances[origin, actions]
            likely = weights > 0
            origin, actions, memory = origin[likely], actions[likely], worlds.memory[origin[likely]]
            if self.player.memory and len(origin) and not self._has_forgotten(worlds):
                noted = inputs.rows(origin)
                self.player.took(noted, actions)
                memory[np.arange(len(origin)), noted.seats] = noted.memory
            states = worlds.states[origin]
            now = worlds._replace(states=states, weights=weights[likely], memory=memory)
            return self._act(now, actions, random, seat) if len(origin) else now

        secret = np.zeros(len(worlds.states), np.bool_)
        if game.secret is not None or game.simultaneous:
            each = (worlds.states[at : at + 1] for at in range(len(secret)))
            secret = np.array([hides_decision(game, record, seat) for record in each], np.bool_)
        origin, actions = np.nonzero(np.where(secret[:, None], chances, 0.0))
        hidden = apply(origin, actions)
        if shown is None:
            return hidden, None
        whose, action = shown
        fitting = np.flatnonzero(~secret & (movers == whose) & (inputs.masks[:, action] == 1))
        if len(fitting) and not len(origin) and not chances[fitting, action].any():
            chances = inputs.masks / inputs.masks.sum(axis=1, keepdims=True)
        return hidden, apply(fitting, np.full(len(fitting), action))

    def _chances(self, worlds: Worlds, random: bytes) -> tuple[NDArray[np.float64], PolicyInput]:
        """(W, A): how likely the mover of each world takes each action; and what it sees there."""
        player, core = self.player, placed(self.variant, worlds.states)
        inputs = core.seen(core.all_rows, player.needs_states or player.code != OUTSIDE)
        uniform = inputs.masks / inputs.masks.sum(axis=1, keepdims=True)
        if player.code == RANDOM or self._has_forgotten(worlds):
            return uniform, inputs
        if player.memory:
            own = worlds.memory[np.arange(len(inputs)), inputs.seats]
            inputs = replace(inputs, memory=own)
        rng = generator(random, b"chances")
        if player.tells_chances:
            return ask_often(self.variant, player, inputs, 1, rng)[0], inputs
        often = inputs.rows(np.repeat(np.arange(len(inputs)), TIMES))
        found, _ = ask_often(self.variant, player, often, 1, rng)
        if player.memory:
            inputs.memory[:] = often.memory[::TIMES]
        found = found.reshape(len(inputs), TIMES, -1).sum(axis=1)
        return (found + uniform) / (TIMES + 1), inputs

    def _has_forgotten(self, worlds: Worlds) -> bool:
        """True if the player decides by what it did before, and that is not known here."""
        return worlds.redrawn is not None and isinstance(self.player, Solved)

    def _redraw(self, record: Record, seat: int, number: int, known: bytes) -> Worlds:
        """The worlds that the game itself draws where the seat sees what it sees in *record*."""
        found = self._branching.branches(REDRAW, record, np.zeros(1, np.int64), seat)
        if found is not None and len(found.states) <= self.limit:
            states, odds = found.states, found.odds
        else:
            states, odds = np.repeat(record, self.limit), np.full(self.limit, 1 / self.limit)
            mask, observation, _ = self.variant.look(record, seat)
            known = digest(known, mask.tobytes(), observation.tobytes())
            bits = generator(known, b"redrawn").integers(0, 2**64, self.limit, np.uint64)
            for at in range(self.limit):
                self.variant.loops.resample(states, at, seat, bits[at])
        return Worlds(states, odds, self._no_memory(states), False, number, known).merged()


class FilterCache:
    """The filter of the variant that was asked for last: games with the same options share it."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._last: Filter | None = None

    def of(self, variant: Variant, find: Callable[[Variant], Policy]) -> Filter:
        """The filter for that variant and the player that *find* finds for it; ``OptionError`` if
        there can be none.
        """
        last = self._last  # another thread may change it meanwhile
        if last is None or last.given is not variant:
            last = self._last = Filter(variant, find(variant), self._limit)
        return last


def refuse_memory(policy: Policy, history: bool = False, memory: bool = False) -> None:
    """``OptionError`` for one that remembers; unless a *history* will do for it, or a *memory*."""
    if (policy.memory and not memory) or (policy.needs_history and not history):
        raise OptionError(
            f"{policy.name} remembers what it has seen: what it does cannot be enumerated"
        )


def ask_often(
    variant: Variant, policy: Policy, seen: PolicyInput, times: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], bool]:
    """(N, A): how often *policy* does what, asked so many *times*; and whether that is exact.

    What it remembers is changed in place, as by one decision.
    """
    if policy.code == RANDOM:
        return seen.masks / seen.masks.sum(axis=1, keepdims=True), True
    total, exact, first, memory = np.zeros(seen.masks.shape), True, None, seen.memory
    times = 1 if policy.tells_chances else times
    for _ in range(times):
        bits, memory = rng.integers(0, 2**64, len(seen), np.uint64), seen.memory.copy()
        states = seen.states.copy()
        if policy.needs_states:  # as in a game: what is hidden is drawn anew
            for at, (seat, drawn_by) in enumerate(zip(seen.seats, bits, strict=True)):
                variant.loops.resample(states, at, int(seat), drawn_by)
        if policy.code == OUTSIDE:
            now = policy.chances(replace(seen, random_bits=bits, states=states, memory=memory))
        else:
            core = GameBatch(variant, len(seen))
            core.reset([int(each >> np.uint64(2)) for each in bits])
            core.states[:], core.masks[:] = states, seen.masks
            core.rows["choices"] = seen.masks.sum(axis=1)
            now = certain(core.choose(policy.code), variant.action_count)
        first = now if first is None else first
        exact = exact and bool((now == first).all())
        total += now
    seen.memory[:] = memory
    return total / times, exact


def _record(log: Log, number: int) -> Record:
    """The position in which decision *number* was made, or has to be made now."""
    return log.entries[number].record if number < len(log.entries) else log.record
