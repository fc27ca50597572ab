"""What a player does how often in given situations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import OUTSIDE, RANDOM
from cyberdeck.engine.policy import Policy, PolicyInput, certain
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError


def refuse_memory(policy: Policy, history: bool = False, memory: bool = False) -> None:
    """``OptionError`` for one that remembers; unless a *history* will do for it, or a *memory*."""
    if (policy.memory and not memory) or (policy.needs_history and not history):
        raise OptionError(
            f"{policy.name} remembers what it has seen: what it does cannot be enumerated"
        )


def drawn(
    variant: Variant, policy: Policy, seen: PolicyInput, times: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], bool]:
    """(N, A): how often *policy* does what, asked so many *times*; and whether that is exact.

    What it remembers is changed in place, as by one decision.
    """
    if policy.code == RANDOM:
        return seen.masks / seen.masks.sum(axis=1, keepdims=True), True
    decide = policy.chances if policy.code == OUTSIDE else _inside(variant, policy.code)
    total, exact, first, memory = np.zeros(seen.masks.shape), True, None, seen.memory
    times = 1 if policy.tells_chances else times
    for _ in range(times):
        bits, memory = rng.integers(0, 2**64, len(seen), np.uint64), seen.memory.copy()
        states = seen.states.copy()
        if policy.needs_states:  # as in a game: what is hidden is drawn anew
            for at, (seat, drawn_by) in enumerate(zip(seen.seats, bits, strict=True)):
                variant.loops.resample(states, at, int(seat), drawn_by)
        now = decide(replace(seen, random_bits=bits, states=states, memory=memory))
        first = now if first is None else first
        exact = exact and bool((now == first).all())
        total += now
    seen.memory[:] = memory
    return total / times, exact


def _inside(variant: Variant, code: int) -> Callable[[PolicyInput], NDArray[np.float64]]:
    """What a player of the compiled loops does, as ``Policy.chances`` says it."""

    def chances(seen: PolicyInput) -> NDArray[np.float64]:
        core = GameBatch(variant, len(seen))
        core.reset([int(bits >> np.uint64(2)) for bits in seen.random_bits])
        core.states[:], core.masks[:] = seen.states, seen.masks
        core.rows["choices"] = seen.masks.sum(axis=1)
        return certain(core.choose(code), variant.action_count)

    return chances
