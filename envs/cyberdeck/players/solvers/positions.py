"""All positions of a game, each once, and what every decision there may lead to.

Courses of a game that lead to equal records lead to one position. The record counts decisions, so
whatever follows a position has a higher number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import counted
from cyberdeck.engine.contract import Game
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.kernels import compile_loops, kernel, kernel_of
from cyberdeck.engine.loops import DISABLED, RANDOM
from cyberdeck.engine.pieces import Pieces, forward
from cyberdeck.engine.policy import PolicyInput
from cyberdeck.engine.recall import check_past
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.scripted import TOO_MANY, left, scripted, take, ways
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: Who is told how much has been done.
Progress = Callable[[int], None]


def further(progress: Progress | None, done: int) -> Progress | None:
    """*progress* for what comes when so much is done already."""
    return None if progress is None else lambda more: progress(done + more)


#: Why loops stop: all positions have been looked at, or as many as should be; no room; chance has
#: more outcomes than can be counted; a decision led back to an earlier position; there are more
#: beginnings.
_DONE, _FULL, _ENDLESS, _ROUND, _MORE = 0, 1, 2, 3, 4

#: How many positions are looked at, and outcomes of a beginning, before somebody may interrupt,
#: where it is not known how long they take.
_AT_ONCE: Final = 1024

_PRIME, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_S32: Final = np.uint64(32)


class TooManyPositions(OptionError):
    """A game has more of them, or of what chance may do, than can be gone through."""


@dataclass(frozen=True)
class Positions:
    """All positions in which somebody decides.

    P positions, C legal actions in them, E outcomes of these, and I situations: an observation with
    its mask, and which seat sees it.
    """

    variant: Variant
    states: NDArray[Any]  # (P,) records
    mover: NDArray[np.int8]  # (P,)
    seen: NDArray[np.int32]  # (P,) the mover's situation
    first: NDArray[np.int64]  # (P + 1,) where its actions begin
    actions: NDArray[np.int16]  # (C,)
    into: NDArray[np.int64]  # (C + 1,) where the outcomes of each begin
    after: NDArray[np.int32]  # (E,) a position, or -1: the game is over
    chance: NDArray[np.float64]  # (E,)
    reward: NDArray[np.float32]  # (E, S) what each seat gets
    roots: NDArray[np.int32]  # (R,) positions in which games begin,
    root_chance: NDArray[np.float64]  # (R,) how likely each,
    root_reward: NDArray[np.float64]  # (S,) and what was got by then, on average
    observations: NDArray[Any]  # (I, D)
    masks: NDArray[np.int8]  # (I, A)
    example: NDArray[np.int32]  # (I,) a position in which it is seen

    def __len__(self) -> int:
        return len(self.states)

    def seen_as(self, sights: NDArray[np.int32]) -> PolicyInput:
        """These situations, as a policy sees them."""
        states = self.states[self.example[sights]]
        return PolicyInput(
            self.variant,
            self.observations[sights],
            self.masks[sights],
            states["mover"],
            np.zeros(len(states), np.uint64),
            states,
            notes=[None] * len(states),
        )


@kernel
def _slot_of(words: Any, i: Any, slots: Any) -> Any:
    """Where row *i* of *words* is looked for first."""
    h = _MIX
    for j in range(words.shape[1]):
        h = (h ^ words[i, j]) * _PRIME
        h ^= h >> _S32
    return np.int64(h % np.uint64(len(slots)))


@kernel
def _found(words: Any, slots: Any, new: Any) -> Any:
    """The place in *slots* of the row that is equal to row 0 of *new*, or of the first free one."""
    slot = _slot_of(new, 0, slots)
    while slots[slot] >= 0:
        same = True
        for j in range(words.shape[1]):
            if words[slots[slot], j] != new[0, j]:
                same = False
                break
        if same:
            break
        slot = slot + 1 if slot + 1 < len(slots) else 0
    return slot


@kernel
def _copy(words: Any, i: Any, source: Any, k: Any) -> None:
    for j in range(words.shape[1]):
        words[i, j] = source[k, j]


def _find_again(start: Any, stop: Any, words: Any, slots: Any) -> None:
    """Put rows from *start* to *stop* into *slots*."""
    for i in range(start, stop):
        slot = _slot_of(words, i, slots)
        while slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < len(slots) else 0
        slots[slot] = i


def _made(game: Game) -> list[Callable[..., Any]]:
    k = scripted(game.kernels)
    part = kernel_of(f"{game.name}-positions")
    shuffle, start, legal, act = k.shuffle, k.start, k.legal, k.act
    observe, resample = k.observe, k.resample

    @part
    def arrive(at, states, words, slots, one, one_words):
        """The number of the position in *one*; -1: the game is over; -2: there is no room."""
        state = one[0]
        state.dice = np.uint64(0)
        for seat in range(len(state.reward)):
            state.reward[seat] = 0.0
        if state.mover == NOBODY:
            return -1
        slot = _found(words, slots, one_words)
        if slots[slot] < 0:
            if at[1] == len(words):
                return -2
            _copy(words, at[1], one_words, 0)
            slots[slot] = at[1]
            at[1] += 1
        return slots[slot]

    def begin(at, tried, until, states, words, slots, one, one_words, blank, roots, chance, reward):
        """Every way in which a game may begin. tried: how many, and of how many."""
        which, many = tried[0], tried[1]
        while which < many:
            if which == until:
                tried[0], tried[1] = which, many
                return _MORE
            _copy(one_words, 0, blank, 0)
            state = one[0]
            take(state, which)
            shuffle(state)
            start(state)
            which, many = which + 1, max(many, ways(state))
            if ways(state) == TOO_MANY or which > len(roots):
                return _ENDLESS
            if left(state) == 0:
                p = 1.0 / ways(state)
                for seat in range(len(reward)):
                    reward[seat] += p * state.reward[seat]
                found = arrive(at, states, words, slots, one, one_words)
                if found == -2:
                    return _FULL
                if found >= 0:
                    roots[at[4]], chance[at[4]] = found, p
                    at[4] += 1
        return _DONE

    def explore(
        at,
        until,
        states,
        words,
        slots,
        one,
        one_words,
        mover,
        seen,
        first,
        actions,
        into,
        after,
        chance,
        reward,
        sights,
        sight_slots,
        sight,
        sight_words,
        mask,
        told,
        example,
    ):
        """Go on from position at[0]. at: looked at, positions, actions, outcomes, roots, sights,
        outcomes with those of a position for which there was no room.

        A position at which the room ends is looked at again.
        """
        size = len(mask)
        while at[0] < at[1] and at[0] < until:
            i = at[0]
            state, acted, came = states[i], at[2], at[3]
            if acted + size > len(actions) or at[5] == len(sights):
                return _FULL
            legal(state, mask)
            observe(state, state.mover, told)
            sight[0] = state.mover
            for action in range(size):
                sight[8 + action] = mask[action]
            slot = _found(sights, sight_slots, sight_words)
            if sight_slots[slot] < 0:
                _copy(sights, at[5], sight_words, 0)
                sight_slots[slot] = at[5]
                example[at[5]] = i
                at[5] += 1
            seen[i], mover[i] = sight_slots[slot], state.mover
            for action in range(size):
                if mask[action] == 0:
                    continue
                actions[acted], into[acted] = action, came
                acted += 1
                which, many = 0, 1
                while which < many:
                    _copy(one_words, 0, words, i)
                    result = one[0]
                    take(result, which)
                    act(result, action)
                    which, many = which + 1, max(many, ways(result))
                    if ways(result) == TOO_MANY:
                        return _ENDLESS
                    if left(result) == 0:
                        if came == len(after):
                            at[6] = came
                            return _FULL
                        chance[came] = 1.0 / ways(result)
                        for seat in range(reward.shape[1]):
                            reward[came, seat] = result.reward[seat]
                        found = arrive(at, states, words, slots, one, one_words)
                        if found == -2:
                            return _FULL
                        if 0 <= found <= i:
                            return _ROUND
                        after[came] = found
                        came += 1
            at[0], at[2], at[3] = i + 1, acted, came
            first[i + 1], into[acted] = acted, came
        return _DONE

    def open_to_mover(words, one, one_words, found):
        """Whether redrawing what the mover does not know leaves a position as it is."""
        for i in range(len(words)):
            _copy(one_words, 0, words, i)
            state = one[0]
            take(state, 0)
            resample(state, state.mover)
            found[i] = ways(state) == 1

    def number(words, slots, wanted, one, one_words, found):
        """The number of each position that is *wanted*; -1: it is not among them."""
        for i in range(len(wanted)):
            _copy(one_words, 0, wanted, i)
            state = one[0]
            state.dice = np.uint64(0)
            for seat in range(len(state.reward)):
                state.reward[seat] = 0.0
            found[i] = slots[_found(words, slots, one_words)]

    return [begin, explore, _find_again, open_to_mover, number]


def _words(states: NDArray[Any]) -> NDArray[np.uint64]:
    """(N, W): records as whole numbers, eight bytes in each."""
    words = np.ascontiguousarray(states).view(np.uint64)
    return words.reshape(len(states), states.dtype.itemsize // 8)


class _Room:
    """Arrays that grow."""

    def __init__(self, variant: Variant) -> None:
        self.dtype, self.actions = variant.game.dtype, variant.action_count
        #: From where to where the observation lies in a sight, behind seat and mask.
        size = variant.dtype.itemsize
        begins = 8 + -(-variant.action_count // size) * size
        self.told = slice(begins, begins + size * variant.observation_size)
        wide = -(-self.told.stop // 8)
        self.per_position: list[NDArray[Any]] = [
            np.zeros((1024, self.dtype.itemsize // 8), np.uint64),
            np.zeros(1024, np.int8),
            np.zeros(1024, np.int32),
        ]
        self.first = np.zeros(1025, np.int64)
        most = max(4096, 2 * variant.action_count)
        self.acts, self.into = np.zeros(most, np.int16), np.zeros(most + 1, np.int64)
        self.outcomes: list[NDArray[Any]]
        reward = np.zeros((most, variant.seats), np.float32)
        self.outcomes = [np.zeros(most, np.int32), np.zeros(most), reward]
        self.sights, self.example = np.zeros((1024, wide), np.uint64), np.zeros(1024, np.int32)
        self.slots, self.sight_slots = np.full(4099, -1, np.int32), np.full(4099, -1, np.int32)

    @property
    def bytes(self) -> int:
        """How much it takes."""
        held = [*self.per_position, self.first, self.acts, self.into, *self.outcomes]
        held += [self.sights, self.example, self.slots, self.sight_slots]
        return sum(each.nbytes for each in held)

    def grow(self, at: NDArray[np.int64], put: Callable[..., None]) -> None:
        """Twice as much of whatever is more than half full."""
        _, positions, acted, _, _, sights, came = at.tolist()
        length = len(self.first) - 1
        # What belongs together is put in its place at once: Ctrl-C may come between two statements.
        if 2 * positions > length:
            self.per_position, self.first, self.slots = (
                [longer(each, 2 * length) for each in self.per_position],
                longer(self.first, 2 * length + 1),
                np.full(2 * len(self.slots) + 1, -1, np.int32),
            )
            forward(put, 0, positions, self.per_position[0], self.slots)
        if 2 * (acted + self.actions) > len(self.acts):
            length = 2 * len(self.acts)
            self.acts, self.into = longer(self.acts, length), longer(self.into, length + 1)
        if 2 * came > len(self.outcomes[0]):
            self.outcomes = [longer(each, 2 * len(each)) for each in self.outcomes]
        if 2 * sights > len(self.sights):
            length = 2 * len(self.sights)
            self.sights, self.example, self.sight_slots = (
                longer(self.sights, length),
                longer(self.example, length),
                np.full(2 * len(self.sight_slots) + 1, -1, np.int32),
            )
            forward(put, 0, sights, self.sights, self.sight_slots)


def longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    """A copy with room behind it."""
    more = np.zeros((length, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more


class Course:
    """Going through positions, with as much room as it takes."""

    def __init__(self, variant: Variant) -> None:
        variant.refuse_disguise("exact values")
        self.variant = variant
        made = compile_loops(_made(variant.game), variant.game.name)
        self._begin, self._explore, self._put, self._open_to_mover, self._number = made
        self.room, self._one, self.at = _Room(variant), variant.blank(), np.zeros(7, np.int64)
        self._sight = np.zeros(8 * self.room.sights.shape[1], np.int8)
        self._roots, self._root_chance = np.zeros(1 << 20, np.int32), np.zeros(1 << 20)
        self._root_reward = np.zeros(variant.seats)
        self._at_once = Pieces(_AT_ONCE)

    def _common(self) -> tuple[NDArray[Any], ...]:
        room, words = self.room, self.room.per_position[0]
        records = words.reshape(-1).view(room.dtype)
        return records, words, room.slots, self._one, self._one.view(np.uint64).reshape(1, -1)

    def all(self, memory: float, progress: Progress | None = None) -> Positions:
        """All positions of the game, in at most so many gigabytes; ``OptionError`` otherwise."""
        most, begun, estimated = memory * 2**30, False, False
        while not begun or not self.over:
            stopped = self.go_on() if begun else self.begin()
            begun = begun or stopped == _DONE
            if stopped == _FULL:
                if 2 * self.room.bytes > most:
                    found = counted(int(self.at[1]), "position")
                    raise TooManyPositions(
                        f"{self.variant.game.title} has more than {found}: they need more GB than "
                        f"memory={memory:g} allows"
                    )
                if 16 * self.room.bytes > most and not estimated:
                    _refuse_many(self.variant, memory)
                    estimated = True
                self.room.grow(self.at, self._put)
            if progress:
                progress(int(self.at[0]))
        return self.positions()

    def begin(self) -> int:
        """Every way in which a game may begin: why it stopped."""
        self.at[:], self._root_reward[:], self.room.slots[:] = 0, 0, -1
        blank = self.variant.blank().view(np.uint64).reshape(1, -1)
        roots = self._roots, self._root_chance, self._root_reward
        tried, some, stopped = np.array([0, 1]), Pieces(_AT_ONCE), _MORE
        while stopped == _MORE:
            with some.until(tried) as until:
                stopped = self._begin(self.at, tried, until, *self._common(), blank, *roots)
        return self._checked(stopped)

    def from_here(self, start: NDArray[Any], most: int) -> Positions | None:
        """All positions that *start*, an array of one record, may lead to, and it is the first of
        them; None: they are more than *most*. They are gone when another is asked for.
        """
        records, words, slots, *_ = self._common()
        records[:1] = start
        records[0]["dice"], records[0]["reward"] = 0, 0
        slots[:] = -1
        self._put(0, 1, words, slots)
        self.at[:], self._root_chance[0] = (0, 1, 0, 0, 1, 0, 0), 1.0
        self.room.sight_slots[:] = -1
        while not self.over:
            if self.go_on() == _FULL:
                self.room.grow(self.at, self._put)
            if self.at[1] > most:
                return None
        return self.positions()

    def numbers(self, states: NDArray[Any]) -> NDArray[np.int32]:
        """(N,): the numbers of positions, -1 of those that have not been found."""
        _, words, slots, *one = self._common()
        wanted = _words(states)
        found = np.zeros(len(states), np.int32)
        self._number(words, slots, wanted, *one, found)
        return found

    def open_to_mover(self, states: NDArray[Any]) -> NDArray[np.bool_]:
        """(N,): whether nothing is hidden from who is to move: redrawing leaves no choice."""
        found, (*_, one, one_words) = np.zeros(len(states), np.int8), self._common()
        words = _words(states)
        self._open_to_mover(words, one, one_words, found)
        return found.astype(np.bool_)

    @property
    def over(self) -> bool:
        """Whether all positions have been looked at."""
        return bool(self.at[0] == self.at[1])

    def go_on(self) -> int:
        """Look at the next positions: why it stopped."""
        room, size = self.room, self.variant.action_count
        _, mover, seen = room.per_position
        with self._at_once.until(self.at) as most:
            stopped = self._explore(
                self.at,
                most,
                *self._common(),
                mover,
                seen,
                room.first,
                room.acts,
                room.into,
                *room.outcomes,
                room.sights,
                room.sight_slots,
                self._sight,
                self._sight.view(np.uint64).reshape(1, -1),
                np.zeros(size, np.int8),
                self._sight[room.told].view(self.variant.dtype),
                room.example,
            )
        return self._checked(stopped)

    def _checked(self, stopped: int) -> int:
        title = self.variant.game.title
        if stopped == _ENDLESS:
            raise TooManyPositions(
                f"chance has too many outcomes in {title} to go through them all"
            )
        if stopped == _ROUND:
            raise OptionError(f"{title} comes back to positions that it has left")
        return stopped

    def positions(self) -> Positions:
        """What has been found."""
        room, variant, size = self.room, self.variant, self.variant.action_count
        _, count, acted, came, rooted, sights, _ = self.at.tolist()
        words, mover, seen = room.per_position
        records = words[:count].reshape(-1).view(room.dtype)
        if variant.game.recalls:
            check_past(variant.game, records)
        after, chance, reward = room.outcomes
        told = room.sights[:sights].view(np.int8)
        return Positions(
            variant,
            records,
            mover[:count],
            seen[:count],
            room.first[: count + 1],
            room.acts[:acted],
            room.into[: acted + 1],
            after[:came],
            chance[:came],
            reward[:came],
            self._roots[:rooted],
            self._root_chance[:rooted],
            self._root_reward,
            told[:, room.told].view(variant.dtype),
            told[:, 8 : 8 + size],
            room.example[:sights],
        )


def enumerated(variant: Variant, memory: float, progress: Progress | None = None) -> Positions:
    """All positions of a game, in at most so many gigabytes; ``OptionError`` otherwise."""
    return Course(variant).all(memory, progress)


def _refuse_many(variant: Variant, memory: float) -> None:
    """Refuse a game early that has far more positions than there can be room for."""
    least = at_least(variant, enough := memory * 2**30 / variant.game.dtype.itemsize)
    if least >= enough:
        about = float(f"{least:.1g}")
        raise TooManyPositions(
            f"{variant.game.title} has more than {about:,.0f} positions: they need more GB than "
            f"memory={memory:g} allows"
        )


#: Random games that say how many positions there are at least.
_PROBES: Final = 16_384


def at_least(variant: Variant, enough: float) -> float:
    """How many positions a game has at least, by how seldom random games meet.

    Of n games, n(n - 1) / 2 pairs could be in one position after equally many decisions. If there
    are m, and however likely each is, one pair in m at least will be. Counting ends at *enough*.
    """
    core = GameBatch(variant, _PROBES, autoreset=DISABLED)
    core.reset([*range(_PROBES)])
    total = 0.0
    while total < enough and (running := core.movers != NOBODY).any():
        states = core.states[running].copy()
        states["dice"], states["reward"] = 0, 0
        _, times = np.unique(states.view(f"V{states.dtype.itemsize}"), return_counts=True)
        met = float((times * (times - 1) / 2).sum())
        pairs = len(states) * (len(states) - 1) / 2
        total += max(len(times), pairs / (met + 3 * met**0.5 + 3))
        core.play(RANDOM, 1)
    return total
