"""The random numbers of a game: SplitMix64, its counter inside the game's own record.

A game's course depends on its seed and its actions only, on every platform and in every batch.
``below``, ``shuffle`` and ``draw`` advance ``state.dice``. Call them in ``shuffle``, ``start``,
``act`` and ``resample``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.kernels import kernel

#: For kernels of games; the rest is for the engine.
__all__ = ["below", "draw", "scaled", "shuffle"]

STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_FIRST = 0x5851F42D4C957F2D
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@kernel
def mixed(number: Any) -> Any:
    """SplitMix64's finalizer: a bijection of 64-bit numbers that scatters neighbours."""
    z = np.uint64(number)
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def draw(state: Any) -> Any:
    """The next 64 random bits, for more than ``below`` can do.

    Where a game calls this itself, its chance cannot be enumerated: exact values and OpenSpiel's
    chance nodes need ``below``.
    """
    state.dice = np.uint64(state.dice) + STEP
    return mixed(state.dice)


@kernel
def scaled(bits: Any, n: Any) -> Any:
    """64 random bits as a whole number from 0 to n - 1.

    It draws nothing: it is for the *random_bits* that a ``heuristic`` is given. n is 1 to 65535,
    and the unevenness below n / 2**32.
    """
    return np.int64(((bits >> _S32) * np.uint64(n)) >> _S32)


@kernel
def below(state: Any, n: Any) -> Any:
    """A random whole number from 0 to n - 1, each as likely. n is 1 to 65535.

    A die is ``1 + dice.below(state, 6)``.
    """
    return scaled(draw(state), n)


@kernel
def shuffle(state: Any, cards: Any, start: Any, count: Any) -> None:
    """Put *count* numbers of the array *cards* into another order, from the index *start* on.

    Every order is as likely. At the array's end it goes on at its beginning. A whole deck is
    ``dice.shuffle(state, state.deck, 0, len(state.deck))``.
    """
    length = len(cards)
    for left in range(count - 1, 0, -1):
        other = below(state, left + 1)
        a = start + left
        b = start + other
        if a >= length:
            a -= length
        if b >= length:
            b -= length
        kept = cards[a]
        cards[a] = cards[b]
        cards[b] = kept


def seeded(seed: int) -> np.uint64:
    """The generator's first counter for *seed*: neighbouring seeds start far apart."""
    z = (int(seed) + _FIRST) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * int(_MIX_1)) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * int(_MIX_2)) & 0xFFFFFFFFFFFFFFFF
    return np.uint64(z ^ (z >> 31))


def each_seeded(seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """``seeded`` of each of many *seeds*, as numbers of 64 bits.

    >>> each_seeded(np.array([7], np.uint64)).tolist() == [seeded(7)]
    True
    """
    z = seeds + np.uint64(_FIRST)
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)
