"""Weighted worlds: the records that a game may be in, and all that may become of them."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game
from cyberdeck.engine.kernels import compile_loops, kernel_of
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.scripted import TOO_MANY, left, scripted, take, ways
from cyberdeck.errors import KernelError

Weights = NDArray[np.float64]

#: What is branched: the beginning of a game, an action, or what a seat cannot know.
BEGIN, ACT, REDRAW = 0, 1, 2

#: Why there are no branches: there is no room for them; chance may do more than can be counted;
#: the loop has made its steps and has to be called again.
_FULL, _ENDLESS, _MORE = -1, -2, -3

#: Of how many worlds something is done at once, where it is not known how long that takes.
_AT_ONCE: Final = 4096


class Worlds(NamedTuple):
    """The worlds that a seat holds possible at one of its decisions."""

    states: NDArray[Any]  # (W,)
    weights: Weights  # (W,)
    memory: NDArray[np.float32]  # (W, S, m) what the player remembers in each seat
    exact: bool
    redrawn: int | None
    digest: bytes  # of all that the seat has seen: what is drawn depends on nothing else

    def part(self, which: NDArray[Any] | slice) -> Self:
        """Some of the worlds, also several times."""
        return self._replace(
            states=self.states[which], weights=self.weights[which], memory=self.memory[which]
        )

    def joined(self, other: Worlds) -> Self:
        """These and the other worlds."""
        return self._replace(
            states=np.concatenate([self.states, other.states]),
            weights=np.concatenate([self.weights, other.weights]),
            memory=np.concatenate([self.memory, other.memory]),
            exact=self.exact and other.exact,
        )

    def merged(self) -> Self:
        """Worlds that are the same from now on become one."""
        states = self.states.copy()
        states["dice"], states["reward"] = 0, 0
        count, memory = len(states), self.memory
        if count < 2:
            return self._replace(states=states)
        records = states.view(np.uint8).reshape(count, -1)
        numbers = np.ascontiguousarray(memory.reshape(count, -1)).view(np.uint8)
        rows = np.ascontiguousarray(np.hstack([records, numbers]))
        _, first, which = np.unique(
            rows.view(f"V{rows.shape[1]}").ravel(), return_index=True, return_inverse=True
        )
        weights = np.bincount(which.ravel(), self.weights, len(first)).astype(np.float64)
        return self._replace(states=states[first], weights=weights, memory=memory[first])

    def resampled(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Weights]:
        """Draw *count* worlds by their weights (systematic resampling): their indices, and new
        weights that have the same sum.
        """
        sums = self.weights.cumsum()
        wanted = (np.arange(count) + rng.random()) / count * sums[-1]
        chosen = np.searchsorted(sums, wanted, side="right").clip(max=len(sums) - 1)
        return chosen, np.full(count, sums[-1] / count)


def digest(*parts: bytes) -> bytes:
    """A short digest of these parts."""
    return hashlib.blake2b(b"|".join(parts), digest_size=16).digest()


def generator(known: bytes, purpose: bytes) -> np.random.Generator:
    """Random numbers for one purpose that follow from the digest of what is known."""
    return np.random.default_rng(int.from_bytes(digest(known, purpose), "little"))


class Branches(NamedTuple):
    """All that may become of some states."""

    states: NDArray[Any]  # (B,)
    origin: NDArray[np.int64]  # (B,) the state that each comes from
    odds: Weights  # (B,) how likely it is from there


class Branching:
    """The compiled loops that branch and compare worlds of a game; at most *most* branches."""

    def __init__(self, game: Game, most: int) -> None:
        self._branch, self._compare = _loops(game)
        self._most = most

    def branches(
        self, what: int, states: NDArray[Any], actions: NDArray[np.int64], seat: int
    ) -> Branches | None:
        """All that chance may make of *states*; None if that is too much."""
        room = min(self._most, max(64, 2 * len(states)))
        while True:
            made = np.empty(room, states.dtype), np.empty(room, np.int64), np.empty(room)
            at, pieces, count = np.array([0, 0, 0, 1, 0]), Pieces(_AT_ONCE), _MORE
            while count == _MORE:
                with pieces.until(at) as stop:
                    count = self._branch(at, stop, what, states, actions, seat, self._most, *made)
            if count >= 0:
                return Branches._make(array[:count] for array in made)
            if count == _ENDLESS or room == self._most:
                return None
            room = min(4 * room, self._most)

    def looks_like(
        self, states: NDArray[Any], seat: int, mask: NDArray[np.int8], observation: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """(W,): in which of *states*, where *seat* decides, it sees just that."""
        alike = np.zeros(len(states), np.bool_)
        room = np.zeros_like(mask), np.zeros_like(observation)
        for piece in Pieces(_AT_ONCE).of(len(states)):
            part = slice(*piece)
            self._compare(states[part], seat, mask, observation, *room, alike[part])
        return alike


@functools.cache
def _loops(game: Game) -> list[Callable[..., Any]]:
    try:
        return compile_loops(loops_of(game), game.label)
    except KernelError as error:  # wheels have no code for it
        raise KernelError(f"beliefs need code of their own, made here: {error}") from None


def loops_of(game: Game) -> list[Callable[..., Any]]:
    """The loops of ``Branching``, not compiled yet."""
    k = scripted(game.kernels, raw=True)
    shuffle, start, legal, act = k.shuffle, k.start, k.legal, k.act
    observe, resample = k.observe, k.resample
    part = kernel_of(f"{game.label}-beliefs", inline="always")

    @part
    def go(what, state, action, seat):  # type: ignore[no-untyped-def]  # numba types it
        if what == BEGIN:
            shuffle(state)
            start(state)
        elif what == ACT:
            act(state, action)
        else:
            resample(state, seat)

    def branch(  # type: ignore[no-untyped-def]
        at, stop, what, states, actions, seat, most, made, origin, odds
    ):
        """Write all branches of *states*: returns their number, or the reason to stop.

        at: where the loop goes on: the steps that it has made, the state, its next outcome, how
        many outcomes it has, and how many branches there are so far. It stops after *stop* steps.
        """
        count = at[4]
        for i in range(at[1], len(states)):
            which, many = at[2], at[3]
            at[2], at[3] = 0, 1
            while which < many:
                if at[0] == stop:
                    at[1], at[2], at[3], at[4] = i, which, many, count
                    return _MORE
                if count == len(made):
                    return _FULL
                at[0] += 1
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

    def compare(  # type: ignore[no-untyped-def]
        states, seat, mask, observation, own_mask, own_observation, alike
    ):
        """Mark the states, in all of which *seat* decides, in which it sees just that."""
        for i in range(len(states)):
            legal(states[i], own_mask)
            observe(states[i], seat, own_observation)
            same = True
            for at in range(len(mask)):
                same = same and own_mask[at] == mask[at]
            for at in range(len(observation)):
                same = same and own_observation[at] == observation[at]
            alike[i] = same

    return [branch, compare]
