"""All positions of a game, each once, and where every decision leads from there.

Two courses of a game that come to equal records come to one position. A decision makes one more,
so positions are numbered in an order in which whatever follows has a higher number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.scripted import TOO_MANY, left, scripted, take, ways
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: What ``explore`` stops for.
DONE, FULL, ENDLESS, ROUND = 0, 1, 2, 3

_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_S32: Final = np.uint64(32)


@dataclass(frozen=True)
class Graph:
    """Positions in which somebody decides. (P: positions, C: their legal actions, E: what these
    lead to, I: what is seen in them.)
    """

    states: NDArray[Any]  # (P,)
    mover: NDArray[np.int8]  # (P,)
    seen: NDArray[np.int32]  # (P,) what the mover sees, with its mask, as a number
    first: NDArray[np.int64]  # (P + 1,) where its actions begin
    actions: NDArray[np.int16]  # (C,)
    into: NDArray[np.int64]  # (C + 1,) where its outcomes begin
    after: NDArray[np.int32]  # (E,) a position; -1: the game is over
    chance: NDArray[np.float64]  # (E,)
    reward: NDArray[np.float32]  # (E, 2)
    root: NDArray[np.int32]  # (R,) positions in which games begin, ...
    root_chance: NDArray[np.float64]  # (R,) ... how likely each,
    root_reward: NDArray[np.float64]  # (2,) and what was got by then on average
    example: NDArray[np.int32]  # (I,) a position of each that is seen
    count: NDArray[np.int64]  # (I,) how many legal actions it has


def _made(game: Game) -> Any:
    k = scripted(game.kernels)
    shuffle, start, legal, act, observe = k.shuffle, k.start, k.legal, k.act, k.observe

    def explore(
        how, states, words, scratch, scratch_words, blank, mover, seen, first, actions, into,
        after, chance, reward, roots, root_chance, root_reward, slots, sights, sight_keys, example,
        counts, mask, vector, at,
    ):
        """Go on from position at[0]; at: done, positions, actions, outcomes, roots, sights."""
        width = words.shape[1]
        most, most_slots, most_sights = len(states), len(slots), len(sights)
        # The beginnings are what "decision -1" leads to.
        for i in range(at[0], 1 << 40):
            if i >= at[1]:
                return 0
            choices = 1
            if i >= 0:
                state = states[i]
                choices = legal(state, mask)
                vector[:] = 0
                observe(state, state.mover, vector)
                # 128 bits of what the mover sees.
                h1, h2 = np.uint64(state.mover + 1) * _PRIME, np.uint64(state.mover + 77) * _MIX
                for j in range(len(vector)):
                    h1 = (h1 ^ np.uint64(vector[j] & 0xFF)) * _PRIME
                    h1 ^= h1 >> _S32
                    h2 = (h2 + np.uint64(vector[j] & 0xFF)) * _MIX
                    h2 ^= h2 >> _S32
                for j in range(len(mask)):
                    h1 = (h1 ^ np.uint64(mask[j])) * _PRIME
                    h1 ^= h1 >> _S32
                    h2 = (h2 + np.uint64(mask[j])) * _MIX
                    h2 ^= h2 >> _S32
                slot = np.int64(h1 % np.uint64(most_sights))
                while True:
                    known = sights[slot]
                    if known < 0:
                        if at[5] == len(example):
                            return 1
                        known = at[5]
                        sights[slot] = known
                        sight_keys[known, 0], sight_keys[known, 1] = h1, h2
                        example[known] = i
                        at[5] += 1
                        break
                    if sight_keys[known, 0] == h1 and sight_keys[known, 1] == h2:
                        break
                    slot = slot + 1 if slot + 1 < most_sights else 0
                seen[i] = known
                mover[i] = state.mover
                counts[known] = 0
            done_positions, done_actions, done_outcomes, done_roots = at[1], at[2], at[3], at[4]
            full = 0
            for action in range(len(mask) if i >= 0 else 1):
                if i >= 0:
                    if mask[action] == 0:
                        continue
                    counts[seen[i]] += 1
                    if done_actions == len(actions):
                        full = 1
                        break
                    actions[done_actions] = action
                    into[done_actions] = done_outcomes
                    done_actions += 1
                total, which = 0.0, 0
                while total < 1.0 - 1e-9:
                    if i >= 0:
                        for j in range(width):
                            scratch_words[0, j] = words[i, j]
                    else:
                        for j in range(width):
                            scratch_words[0, j] = blank[0, j]
                    one = scratch[0]
                    take(one, which)
                    if i >= 0:
                        act(one, action)
                    else:
                        shuffle(one)
                        start(one)
                    which += 1
                    if ways(one) == TOO_MANY or which == TOO_MANY:
                        return 2
                    if left(one) != 0:
                        continue
                    p = 1.0 / ways(one)
                    total += p
                    r0, r1 = one.reward[0], one.reward[1]
                    one.dice = np.uint64(0)
                    one.reward[0] = 0.0
                    one.reward[1] = 0.0
                    found = -1
                    if one.mover != NOBODY:
                        h = _MIX
                        for j in range(width):
                            h = (h ^ scratch_words[0, j]) * _PRIME
                            h ^= h >> _S32
                        slot = np.int64(h % np.uint64(most_slots))
                        while True:
                            found = slots[slot]
                            if found < 0:
                                break
                            same = True
                            for j in range(width):
                                if words[found, j] != scratch_words[0, j]:
                                    same = False
                                    break
                            if same:
                                break
                            slot = slot + 1 if slot + 1 < most_slots else 0
                        if found < 0:
                            if done_positions == most:
                                full = 1
                                break
                            found = done_positions
                            for j in range(width):
                                words[found, j] = scratch_words[0, j]
                            slots[slot] = found
                            done_positions += 1
                        elif found <= i:
                            return 3
                    if i < 0:
                        root_reward[0] += p * r0
                        root_reward[1] += p * r1
                        if found >= 0:
                            if done_roots == len(roots):
                                return 2
                            roots[done_roots] = found
                            root_chance[done_roots] = p
                            done_roots += 1
                        continue
                    if done_outcomes == len(after):
                        full = 1
                        break
                    after[done_outcomes] = found
                    chance[done_outcomes] = p
                    reward[done_outcomes, 0] = r0
                    reward[done_outcomes, 1] = r1
                    done_outcomes += 1
                if full:
                    break
            if full:
                # What was found anew is forgotten: its slots stay, and are made anew by the caller.
                return 1
            at[1], at[2], at[3], at[4] = done_positions, done_actions, done_outcomes, done_roots
            at[0] = i + 1
            if i >= 0:
                first[i + 1] = done_actions
                into[done_actions] = done_outcomes
        return 0

    return explore


def rehash(words, count, slots):
    """Find the first *count* positions in *slots* again."""
    slots[:] = -1
    for i in range(count):
        h = _MIX
        for j in range(words.shape[1]):
            h = (h ^ words[i, j]) * _PRIME
            h ^= h >> _S32
        slot = np.int64(h % np.uint64(len(slots)))
        while slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < len(slots) else 0
        slots[slot] = i


def rehash_sights(keys, count, slots):
    """Find the first *count* things seen in *slots* again."""
    slots[:] = -1
    for i in range(count):
        slot = np.int64(keys[i, 0] % np.uint64(len(slots)))
        while slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < len(slots) else 0
        slots[slot] = i


def graph_of(variant: Variant) -> Graph:
    """All of a game."""
    game = variant.game
    dtype = game.dtype
    explore, again, again_sights = compile_loops([_made(game), rehash, rehash_sights], game.name)
    width = dtype.itemsize // 8
    assert dtype.itemsize % 8 == 0

    def grown(array: NDArray[Any], length: int) -> NDArray[Any]:
        more = np.empty((length, *array.shape[1:]), array.dtype)
        more[: len(array)] = array
        return more

    most = {"positions": 1 << 12, "actions": 1 << 14, "outcomes": 1 << 14, "sights": 1 << 12}
    words = np.zeros((most["positions"], width), np.uint64)
    mover, seen = np.zeros(most["positions"], np.int8), np.zeros(most["positions"], np.int32)
    first = np.zeros(most["positions"] + 1, np.int64)
    actions, into = np.zeros(most["actions"], np.int16), np.zeros(most["actions"] + 1, np.int64)
    after = np.zeros(most["outcomes"], np.int32)
    chance, reward = np.zeros(len(after)), np.zeros((len(after), 2), np.float32)
    roots, root_chance = np.zeros(1 << 20, np.int32), np.zeros(1 << 20)
    root_reward = np.zeros(2)
    slots = np.full(4 * most["positions"] + 1, -1, np.int32)
    sights = np.full(4 * most["sights"] + 1, -1, np.int32)
    keys = np.zeros((most["sights"], 2), np.uint64)
    example, counts = np.zeros(most["sights"], np.int32), np.zeros(most["sights"], np.int64)
    scratch = variant.blank()
    blank = variant.blank()
    mask = np.zeros(variant.action_count, np.int8)
    vector = np.zeros(variant.observation_size, np.int8)
    at = np.zeros(6, np.int64)
    at[0] = -1
    while True:
        stopped = explore(
            0, words.reshape(-1).view(dtype), words, scratch, scratch.view(np.uint64).reshape(1, -1),
            blank.view(np.uint64).reshape(1, -1), mover, seen, first, actions, into, after, chance, reward, roots, root_chance,
            root_reward, slots, sights, keys, example, counts, mask, vector, at,
        )
        if stopped == DONE:
            break
        if stopped == ENDLESS:
            raise OptionError("chance has too many outcomes")
        if stopped == ROUND:
            raise OptionError("goes round")
        _, positions, acted, came, _, sighted = at.tolist()
        at[1] = positions
        if True:
            length = 2 * len(words)
            words, mover, seen = (grown(a, length) for a in (words, mover, seen))
            first = grown(first, length + 1)
            slots = np.empty(4 * length + 1, np.int32)
            again(words, positions, slots)
        if acted * 2 > len(actions):
            actions, into = grown(actions, 2 * len(actions)), grown(into, 2 * len(actions) + 1)
        if came * 2 > len(after):
            after, chance, reward = (grown(a, 2 * len(a)) for a in (after, chance, reward))
        if sighted * 2 > len(example):
            example, counts, keys = (grown(a, 2 * len(a)) for a in (example, counts, keys))
            sights = np.empty(4 * len(example) + 1, np.int32)
            again_sights(keys, sighted, sights)
    _, positions, acted, came, rooted, sighted = at.tolist()
    return Graph(
        words[:positions].reshape(-1).view(dtype), mover[:positions], seen[:positions],
        first[: positions + 1], actions[:acted], into[: acted + 1], after[:came], chance[:came],
        reward[:came], roots[:rooted], root_chance[:rooted], root_reward, example[:sighted],
        counts[:sighted],
    )
