"""Values of games in which something is hidden, against a stated strategy of all others.

What a move is worth to a seat depends there on what the others do with what they know. Against a
strategy that is stated it is exact again: the seat knows all that it has seen and done, and so how
likely each position is in which it may be; and from then on it answers best.
"""

from __future__ import annotations

import functools
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import HISTORY, OBSERVATION
from cyberdeck.engine.kernels import compile_loops
from cyberdeck.engine.loops import RANDOM
from cyberdeck.engine.pieces import backward, forward
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError, require
from cyberdeck.players import find_player
from cyberdeck.players.chances import drawn, must_look_at_the_present
from cyberdeck.players.solvers.positions import Course, Positions

#: How often a player is asked whether it does the same whatever it draws.
_TIMES: Final = 3

#: Of what a seat has done last: nothing, or that the game has not come there yet.
_NOTHING, _NEVER = -1, -2


def _meet(  # type: ignore[no-untyped-def]
    start, stop, remembers, seat, actions, mover, seen, first, acts, into, after, chance, table,
    reach, own, past, last,
):  # fmt: skip
    """How the game comes to each position, if *seat* does all that leads there. *remembers* becomes
    False if it is there with more than one past: then it does not know what it has done.

    reach, own, past (P,): how likely it is, what *seat* has decided so far: how often, and where
    and what it did last, as one number. last (I,): the same as past, for each situation.
    """
    for i in range(start, stop):
        if mover[i] == seat:
            if last[seen[i]] == _NEVER:
                last[seen[i]] = past[i]
            if last[seen[i]] != past[i]:
                remembers[0] = False
        for c in range(first[i], first[i + 1]):
            p, done, decided = reach[i], past[i], own[i]
            if mover[i] == seat:
                done, decided = np.int64(seen[i]) * actions + acts[c], own[i] + 1
            else:
                p *= table[c]
            for e in range(into[c], into[c + 1]):
                j = after[e]
                if j < 0:
                    continue
                if past[j] == _NEVER:
                    past[j], own[j] = done, decided
                if past[j] != done:
                    remembers[0] = False
                reach[j] += p * chance[e]


def _gather(  # type: ignore[no-untyped-def]
    start, stop, decided, seat, mover, seen, first, acts, into, after, chance, reward, reach, own,
    worth, found,
):  # fmt: skip
    """found, (I, A): add what each action is worth to *seat* where it has *decided* so often, times
    how likely it comes there. worth (P,): what it still gets from each position on.
    """
    for i in range(start, stop):
        if mover[i] == seat and own[i] == decided:
            for c in range(first[i], first[i + 1]):
                for e in range(into[c], into[c + 1]):
                    value = np.float64(reward[e, seat])
                    if after[e] >= 0:
                        value += worth[after[e]]
                    found[seen[i], acts[c]] += reach[i] * chance[e] * value


def _answer(  # type: ignore[no-untyped-def]
    start, stop, decided, seat, mover, seen, first, acts, into, after, chance, reward, own, table,
    worth, found,
):  # fmt: skip
    """worth, (P,): add what *seat* gets from each position on, before which it has *decided* so
    often, if it does what is best by what was *found*.
    """
    for i in range(stop - 1, start - 1, -1):
        if own[i] != decided:
            continue
        best = first[i]
        if mover[i] == seat:
            for c in range(first[i], first[i + 1]):
                if found[seen[i], acts[c]] > found[seen[i], acts[best]]:
                    best = c
        for c in range(first[i], first[i + 1]):
            p = np.float64(c == best) if mover[i] == seat else table[c]
            for e in range(into[c], into[c + 1]):
                value = np.float64(reward[e, seat])
                if after[e] >= 0:
                    value += worth[after[e]]
                worth[i] += p * chance[e] * value


@functools.cache
def _loops() -> Any:
    return compile_loops([_meet, _gather, _answer], "values of responses")


class Response(Values):
    """What each action is worth to a seat that answers best to all others playing one strategy.

    Its observation has to say all that it has seen and done; ``observation="history"`` does. Where
    it never comes against that strategy, nothing is known.

    Args:
        variant: the game with its options.
        to: who plays all other seats: "random", or a player that decides by the present alone and
            of which it can be told how likely it does what, such as the file of a policy.
        memory: how many gigabytes all positions may take.

    >>> from cyberdeck import Batch
    >>> from cyberdeck.api.registration import load_file
    >>> batch = Batch(load_file("examples/games/kuhn_poker.py").name, 1, seed=0)
    >>> Response(batch.variant).of(batch.core.states).round(6).tolist()
    [[0.0, 0.5]]
    """

    def __init__(self, variant: Variant, to: str = "random", memory: float = 0.5) -> None:
        super().__init__(variant)
        require(memory > 0, "memory", memory, "a number above 0 is needed")
        player = find_player(variant, to)
        self.name, self._to, self._memory = f"response:to={player.name}", to, memory
        self._course = Course(variant)
        held = self._course.all(memory)
        table = self._table(held, player)
        self._seen = held.seen
        #: (I, A): for each situation.
        self._values = np.full(held.masks.shape, np.nan)
        for seat in range(variant.seats):
            self._solve(held, table, seat)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.variant, self._to, self._memory)

    def of(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """(N, A): the value of each legal action of the one to move."""
        found = np.full((len(states), self.variant.action_count), np.nan)
        going_on = np.flatnonzero(states["mover"] != NOBODY)
        numbers = self._course.numbers(states[going_on])
        met = numbers >= 0
        found[going_on[met]] = self._values[self._seen[numbers[met]]]
        return found

    def _table(self, held: Positions, player: Policy) -> NDArray[np.float64]:
        """(C,): how likely *player* takes each action in each position."""
        legal = np.diff(held.first)
        if player.code == RANDOM:
            return np.repeat(1.0 / legal, legal)
        must_look_at_the_present(player)
        states = held.states[held.example]
        seen = PolicyInput(
            self.variant,
            held.observations,
            held.masks,
            states["mover"],
            np.zeros(len(states), np.uint64),
            states,
            notes=[None] * len(states),
        )
        chances, exact = drawn(self.variant, player, seen, _TIMES, np.random.default_rng(0))
        if not exact:
            raise OptionError(
                f"{self.name} is not possible: {player.name} draws what it does, and how likely "
                "each action is cannot be told; choose to=random, or the file of a policy"
            )
        found: NDArray[np.float64] = chances[np.repeat(held.seen, legal), held.actions]
        return found

    def _solve(self, held: Positions, table: NDArray[np.float64], seat: int) -> None:
        """Write the values of the situations of one seat."""
        count, (situations, actions) = len(held), held.masks.shape
        reach, own = np.zeros(count), np.zeros(count, np.int64)
        past, last = np.full(count, _NEVER), np.full(situations, _NEVER)
        np.add.at(reach, held.roots, held.root_chance)
        past[held.roots] = _NOTHING
        meet, gather, answer = _loops()
        game = (held.mover, held.seen, held.first, held.actions, held.into, held.after, held.chance)
        remembers = np.ones(1, np.bool_)
        forward(meet, 0, count, remembers, seat, actions, *game, table, reach, own, past, last)
        if not remembers[0]:
            raise OptionError(
                f"{self.variant.game.title} has no such values as it is seen: an observation does "
                f"not say all that its seat has seen and done; choose {OBSERVATION}={HISTORY}, "
                "which a game has that says its longest"
            )
        mass, found = np.zeros(situations), np.zeros((situations, actions))
        deciding = held.mover == seat
        np.add.at(mass, held.seen[deciding], reach[deciding])
        # From the last of its decisions back: until all positions of a situation are known, it is
        # open what is best there.
        paid, worth = (*game, held.reward), np.zeros(count)
        for decided in range(int(own.max(initial=0)), -1, -1):
            forward(gather, 0, count, decided, seat, *paid, reach, own, worth, found)
            backward(answer, 0, count, decided, seat, *paid, own, table, worth, found)
        possible_here = (held.masks > 0) & (mass > 0)[:, None]
        np.divide(found, mass[:, None], out=self._values, where=possible_here)
