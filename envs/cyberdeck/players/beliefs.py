"""What a seat may believe: which worlds its game may be, and how likely each, by how others play.

From a game's beginning on, every world branches by what chance may do and by what the others may
decide, and is kept if the seat would have seen in it what it has seen: at each of its decisions its
observation and its mask, and before them the decisions that the others did not make in secret.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.memory import need_room
from cyberdeck.engine.contract import Game, Record, is_whole
from cyberdeck.engine.game_batch import placed
from cyberdeck.engine.history import Entry, History, Log
from cyberdeck.engine.kernels import compile_loops, kernel_of
from cyberdeck.engine.loops import HEURISTIC, OUTSIDE, RANDOM
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.roles import hides_decision
from cyberdeck.engine.scripted import TOO_MANY, left, scripted, take, ways
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import KernelError, OptionError, require
from cyberdeck.players.chances import drawn
from cyberdeck.players.solved import Solved

Weights = NDArray[np.float64]

#: So many worlds are followed from decision to decision, if the caller says nothing else; and so
#: many times as many on the way from one to the next.
LIMIT: Final = 1000
_ON_THE_WAY: Final = 8

#: How often a player that draws its actions is asked in each world. It counts as having taken any
#: action once more, each as often: what it did in none of these is not impossible.
TIMES: Final = 16

#: How many worlds are kept beside the positions in which they were possible, for the next decision:
#: where each position has many, enough for so many positions, but not more than the last number.
_KEPT, _POSITIONS, _MOST_KEPT = 100_000, 4096, 1_000_000

_BEGIN, _ACT, _REDRAW = 0, 1, 2


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
    weights: Weights
    exact: bool
    redrawn: int | None

    def __len__(self) -> int:
        return len(self.states)

    @property
    def how(self) -> str:
        """How they came about, in words."""
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


class _Held(NamedTuple):
    """What is believed at one decision of the seat."""

    states: NDArray[Any]  # (W,)
    weights: Weights  # (W,)
    memory: NDArray[np.float32]  # (W, S, m) what the player remembers in each seat
    exact: bool
    redrawn: int | None
    told: bytes  # a digest of all that the seat has seen: what is drawn depends on nothing else


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
        self._most = max(_KEPT, min(_POSITIONS * self.limit, _MOST_KEPT))
        self._branch, self._seen_alike = _loops(variant.game)
        self._kept: dict[tuple[int, int], tuple[Entry, _Held]] = {}
        self._worlds = 0

    def __call__(self, history: History) -> Beliefs:
        """What the seat believes, which has to decide now."""
        log, seat = history.log.undisguised(), history.seat
        entries = log.entries
        if log.record[0]["mover"] != seat:
            raise OptionError(f"seat {seat} has nothing to decide now: beliefs are for who decides")
        own = [*(at for at, entry in enumerate(entries) if entry.mover == seat), len(entries)]
        begun, held = self._last(entries, seat, own)
        if held is None:
            held = self._begun(log, seat, own[0])
        for at, after in zip(own[begun:], own[begun + 1 :], strict=False):
            held = self._after(held, log, seat, at, after)
        if entries:
            self._keep((seat, id(entries[-1])), entries[-1], held)
        order = np.argsort(-held.weights, kind="stable")
        states, weights = held.states[order], held.weights[order]
        return Beliefs(log.variant, seat, states, weights, held.exact, held.redrawn)

    def _keep(self, key: tuple[int, int], entry: Entry, held: _Held) -> None:
        """Where the game has come to *entry*, *held* is believed."""
        if key in self._kept:
            self._worlds -= len(self._kept.pop(key)[1].states)
        self._kept[key] = entry, held
        self._worlds += len(held.states)
        while self._worlds > self._most and len(self._kept) > 1:
            self._worlds -= len(self._kept.pop(next(iter(self._kept)))[1].states)

    def __getstate__(self) -> dict[str, Any]:
        return {"variant": self.variant, "player": self.player, "limit": self.limit}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(**kept)  # type: ignore[misc]

    def _last(
        self, entries: tuple[Entry, ...], seat: int, own: list[int]
    ) -> tuple[int, _Held | None]:
        """The last of the seat's decisions of which it is known what it believed there."""
        for number in range(len(own) - 1, -1, -1):
            before = entries[own[number] - 1] if own[number] else None
            entry, held = self._kept.get((seat, id(before)), (None, None))
            if before is not None and entry is before:
                return number, held
        return 0, None

    def _begun(self, log: Log, seat: int, first: int) -> _Held:
        """What is believed at the seat's first decision, before which there were so many."""
        blank, nothing = self.variant.blank(), np.zeros(1, np.int64)
        found = self._all(_BEGIN, blank, nothing, seat) if log.whole else None
        if found is None:
            return self._redrawn(_record(log, first), seat, first, b"")
        states, _, odds = found
        memory = np.zeros((len(states), self.variant.seats, self.player.memory), np.float32)
        held = _Held(states, odds, memory, True, None, b"")
        return self._arrived(held, log, seat, 0, first)

    def _after(self, held: _Held, log: Log, seat: int, at: int, after: int) -> _Held:
        """What is believed at decision *after*, the seat's next, where *held* was at *at*."""
        actions = np.full(len(held.states), log.entries[at].action)
        return self._arrived(self._acted(held, actions, held.told, seat), log, seat, at + 1, after)

    def _acted(self, held: _Held, actions: NDArray[np.int64], told: bytes, seat: int) -> _Held:
        """What these decisions may lead to, one in each world; drawn, if that is too much."""
        found = self._all(_ACT, held.states, actions, seat)
        if found is not None:
            states, origin, odds = found
            weights, memory = held.weights[origin] * odds, held.memory[origin]
            return _merged(held._replace(states=states, weights=weights, memory=memory))
        rng = _generator(told, b"acted")
        chosen, weights = _drawn(held.weights, self.limit, rng)
        core = placed(self.variant, held.states[chosen])
        core.states["dice"] = rng.integers(0, 2**64, len(chosen), np.uint64)
        core.step(actions[chosen])
        memory, states = held.memory[chosen], core.states
        return _merged(_Held(states, weights, memory, False, held.redrawn, held.told))

    def _arrived(self, held: _Held, log: Log, seat: int, begin: int, end: int) -> _Held:
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
        told = _digest(held.told, repr(shown).encode(), mask.tobytes(), observation.tobytes())
        there: list[_Held] = []
        nothing = _part(held, slice(0))
        groups = [held] + [nothing] * len(shown)
        # By how many of those decisions have been made in a world: those are all alike in it.
        for number, (whose, action) in enumerate([*shown, (seat, 0)]):
            last, now, steps = number == len(shown), groups[number], 0
            while len(now.states):
                steps += 1
                movers = now.states["mover"]
                if last:
                    there.append(_part(now, movers == seat))
                now = _part(now, (movers != NOBODY) & (movers != seat))
                if not len(now.states):
                    break
                random = _digest(told, bytes([number & 255, steps & 255]))
                secret, seen = self._decided(now, seat, None if last else (whose, action), random)
                if seen is not None and len(seen.states):
                    groups[number + 1] = _together(groups[number + 1], seen)
                now = secret
        held = _merged(functools.reduce(_together, there, nothing))
        fits = np.zeros(len(held.states), np.bool_)
        own = np.zeros_like(mask), np.zeros_like(observation)
        for some in Pieces(_AT_ONCE).of(len(fits)):
            worlds, found = held.states[slice(*some)], fits[slice(*some)]
            self._seen_alike(worlds, seat, mask, observation, *own, found)
        held = _part(held, fits)._replace(told=told)
        total = held.weights.sum()
        if not total > 0:
            return self._redrawn(record, seat, end, told)
        held = held._replace(weights=held.weights / total)
        if len(held.states) > self.limit:
            chosen, weights = _drawn(held.weights, self.limit, _generator(told, b"limit"))
            held = _merged(_part(held, chosen)._replace(weights=weights, exact=False))
        return held

    def _decided(
        self, held: _Held, seat: int, shown: tuple[int, int] | None, random: bytes
    ) -> tuple[_Held, _Held | None]:
        """One decision of others in each world: where it is secret, any; elsewhere it is *shown*.

        A decision that the player makes in none of these worlds tells nothing about them.
        """
        chances, seen = self._chances(held, random)
        movers, game = held.states["mover"], self.variant.game
        secret = np.zeros(len(held.states), np.bool_)
        if game.secret is not None or game.simultaneous:
            each = (held.states[at : at + 1] for at in range(len(secret)))
            secret = np.array([hides_decision(game, record, seat) for record in each], np.bool_)
        origin, actions = np.nonzero(np.where(secret[:, None], chances, 0.0))
        hidden = self._went(held, origin, actions, chances, seen, random, seat)
        if shown is None:
            return hidden, None
        whose, action = shown
        fitting = np.flatnonzero(~secret & (movers == whose) & (seen.masks[:, action] == 1))
        chosen = np.full(len(fitting), action)
        if len(fitting) and not len(origin) and not chances[fitting, action].any():
            chances = seen.masks / seen.masks.sum(axis=1, keepdims=True)
        return hidden, self._went(held, fitting, chosen, chances, seen, random, seat)

    def _went(
        self,
        held: _Held,
        origin: NDArray[np.int64],
        actions: NDArray[np.int64],
        chances: NDArray[np.float64],
        seen: PolicyInput,
        random: bytes,
        seat: int,
    ) -> _Held:
        """The worlds after these *actions*, each in the world *origin*."""
        weights = held.weights[origin] * chances[origin, actions]
        likely = weights > 0
        origin, actions, weights = origin[likely], actions[likely], weights[likely]
        memory = held.memory[origin]
        if self.player.memory and len(origin) and not self._at_a_loss(held):
            noted = _rows(seen, origin)
            self.player.took(noted, actions)
            memory[np.arange(len(origin)), noted.seats] = noted.memory
        now = held._replace(states=held.states[origin], weights=weights, memory=memory)
        return self._acted(now, actions, random, seat) if len(origin) else now

    def _chances(self, held: _Held, random: bytes) -> tuple[NDArray[np.float64], PolicyInput]:
        """(W, A): how likely the mover of each world takes each action; and what it sees there."""
        player, core = self.player, placed(self.variant, held.states)
        seen = core.seen(core.all_rows, player.needs_states or player.code != OUTSIDE)
        uniform = seen.masks / seen.masks.sum(axis=1, keepdims=True)
        if player.code == RANDOM or self._at_a_loss(held):
            return uniform, seen
        if player.memory:
            own = held.memory[np.arange(len(seen)), seen.seats]
            seen = replace(seen, memory=own)
        rng = _generator(random, b"chances")
        if player.tells_chances:
            return drawn(self.variant, player, seen, 1, rng)[0], seen
        often = _rows(seen, np.repeat(np.arange(len(seen)), TIMES))
        found, _ = drawn(self.variant, player, often, 1, rng)
        if player.memory:
            seen.memory[:] = often.memory[::TIMES]
        found = found.reshape(len(seen), TIMES, -1).sum(axis=1)
        return (found + uniform) / (TIMES + 1), seen

    def _at_a_loss(self, held: _Held) -> bool:
        """Whether the player does not know what it did before, and cannot do without."""
        return held.redrawn is not None and isinstance(self.player, Solved)

    def _redrawn(self, record: Record, seat: int, number: int, told: bytes) -> _Held:
        """The worlds that the game itself draws where the seat sees what it sees in *record*."""
        found = self._all(_REDRAW, record, np.zeros(1, np.int64), seat)
        if found is not None and len(found[0]) <= self.limit:
            states, _, odds = found
        else:
            states, odds = np.repeat(record, self.limit), np.full(self.limit, 1 / self.limit)
            mask, observation, _ = self.variant.look(record, seat)
            told = _digest(told, mask.tobytes(), observation.tobytes())
            bits = _generator(told, b"redrawn").integers(0, 2**64, self.limit, np.uint64)
            for at in range(self.limit):
                self.variant.loops.resample(states, at, seat, bits[at])
        memory = np.zeros((len(states), self.variant.seats, self.player.memory), np.float32)
        return _merged(_Held(states, odds, memory, False, number, told))

    def _all(
        self, what: int, states: NDArray[Any], actions: NDArray[np.int64], seat: int
    ) -> tuple[NDArray[Any], NDArray[np.int64], Weights] | None:
        """All that becomes of *states*, from which each comes, and how likely it is from there;
        None if that is too much.
        """
        most = _ON_THE_WAY * self.limit
        room = min(most, max(64, 2 * len(states)))
        while True:
            made, origin = np.empty(room, states.dtype), np.empty(room, np.int64)
            odds, at, some, count = np.empty(room), np.array([0, 0, 1, 0]), Pieces(_AT_ONCE), _MORE
            while count == _MORE:
                steps, began = some.some, time.perf_counter()
                given = what, states, actions, seat, most, made, origin, odds
                count = self._branch(at, steps, *given)
                some.learn(steps, began)
            if count >= 0:
                return made[:count], origin[:count], odds[:count]
            if count == _ENDLESS or room == most:
                return None
            room = min(4 * room, most)


#: Why there are no branches: there is no room for them; chance may do more than can be counted;
#: there are more of them.
_FULL, _ENDLESS, _MORE = -1, -2, -3

#: Of how many worlds something is done at once, where it is not known how long that takes.
_AT_ONCE: Final = 4096


@functools.cache
def _loops(game: Game) -> list[Callable[..., Any]]:
    try:
        return compile_loops(_made(game), game.label)
    except KernelError as error:  # wheels have no code for it
        raise KernelError(f"beliefs need code of their own, made here: {error}") from None


def _made(game: Game) -> list[Callable[..., Any]]:
    k = scripted(game.kernels, raw=True)
    shuffle, start, legal, act = k.shuffle, k.start, k.legal, k.act
    observe, resample = k.observe, k.resample
    part = kernel_of(f"{game.label}-beliefs", inline="always")

    @part
    def go(what, state, action, seat):  # type: ignore[no-untyped-def]  # numba types it
        if what == _BEGIN:
            shuffle(state)
            start(state)
        elif what == _ACT:
            act(state, action)
        else:
            resample(state, seat)

    def branch(  # type: ignore[no-untyped-def]
        at, steps, what, states, actions, seat, most, made, origin, odds
    ):
        """All that may become of *states*; how many they are, or why not.

        at: where it goes on, after so many steps: the state, which of how many of its outcomes, and
        how many have been found.
        """
        count = at[3]
        for i in range(at[0], len(states)):
            which, many = at[1], at[2]
            at[1], at[2] = 0, 1
            while which < many:
                if steps == 0:
                    at[0], at[1], at[2], at[3] = i, which, many, count
                    return _MORE
                if count == len(made):
                    return _FULL
                steps -= 1
                made[count] = states[i]
                state = made[count]
                take(state, which)
                go(what, state, actions[i], seat)  # type: ignore[no-untyped-call]
                which, many = which + 1, max(many, ways(state))
                if ways(state) == TOO_MANY or many > most:
                    return _ENDLESS
                if left(state) == 0:
                    origin[count], odds[count] = i, 1.0 / ways(state)
                    count += 1
        return count

    def seen_alike(  # type: ignore[no-untyped-def]
        states, seat, mask, observation, own_mask, own_observation, alike
    ):
        """Which of *states*, in all of which *seat* decides, look to it like that."""
        for i in range(len(states)):
            legal(states[i], own_mask)
            observe(states[i], seat, own_observation)
            same = True
            for at in range(len(mask)):
                same = same and own_mask[at] == mask[at]
            for at in range(len(observation)):
                same = same and own_observation[at] == observation[at]
            alike[i] = same

    return [branch, seen_alike]


def _record(log: Log, number: int) -> Record:
    """The position in which decision *number* was made, or has to be made now."""
    return log.entries[number].record if number < len(log.entries) else log.record


def _digest(*parts: bytes) -> bytes:
    return hashlib.blake2b(b"|".join(parts), digest_size=16).digest()


def _generator(told: bytes, what: bytes) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(_digest(told, what), "little"))


def _drawn(
    weights: Weights, count: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Weights]:
    """So many worlds drawn by their weights, evenly (systematic resampling); and their weights,
    which have the same sum.
    """
    sums = weights.cumsum()
    wanted = (np.arange(count) + rng.random()) / count * sums[-1]
    chosen = np.searchsorted(sums, wanted, side="right").clip(max=len(weights) - 1)
    return chosen, np.full(count, sums[-1] / count)


def _part(held: _Held, which: NDArray[Any] | slice) -> _Held:
    states, weights, memory = held.states[which], held.weights[which], held.memory[which]
    return held._replace(states=states, weights=weights, memory=memory)


def _together(one: _Held, other: _Held) -> _Held:
    return one._replace(
        states=np.concatenate([one.states, other.states]),
        weights=np.concatenate([one.weights, other.weights]),
        memory=np.concatenate([one.memory, other.memory]),
        exact=one.exact and other.exact,
    )


def _merged(held: _Held) -> _Held:
    """Worlds that are the same from now on are one."""
    states = held.states.copy()
    states["dice"], states["reward"] = 0, 0
    count, memory = len(states), held.memory
    if count < 2:
        return held._replace(states=states)
    records = states.view(np.uint8).reshape(count, -1)
    numbers = np.ascontiguousarray(memory.reshape(count, -1)).view(np.uint8)
    rows = np.ascontiguousarray(np.hstack([records, numbers]))
    _, first, which = np.unique(
        rows.view(f"V{rows.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    weights = np.bincount(which.ravel(), held.weights, len(first)).astype(np.float64)
    return held._replace(states=states[first], weights=weights, memory=memory[first])


def _rows(seen: PolicyInput, which: NDArray[np.int64]) -> PolicyInput:
    """Some of what is seen, some of it several times."""
    states, memory = seen.states, seen.memory
    if len(states):
        states = states[which]
    if len(memory):
        memory = memory[which]
    return replace(
        seen,
        observations=seen.observations[which],
        masks=seen.masks[which],
        seats=seen.seats[which],
        random_bits=seen.random_bits[which],
        states=states,
        memory=memory,
        notes=[None] * len(which),
    )
