"""Goes through all positions of a game, in compiled code that follows all that chance may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.progress import Progress
from cyberdeck.common.text import counted
from cyberdeck.engine.contract import Game
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.kernels import compile_loops, kernel, kernel_of
from cyberdeck.engine.loops import DISABLED, RANDOM
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.recall import check_past
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.scripted import TOO_MANY, left, scripted, take, ways
from cyberdeck.engine.variant import Variant
from cyberdeck.enumeration.positions import (
    Moves,
    One,
    Positions,
    Rows,
    TooManyPositions,
    as_words,
    copy,
    counters,
    find,
    grown,
    insert,
    longer,
    twice,
)
from cyberdeck.errors import OptionError

#: Why loops stop: all positions have been looked at, or as many as should be; no room; chance has
#: more outcomes than can be counted; a decision led back to an earlier position; there are more
#: beginnings.
_DONE, _FULL, _ENDLESS, _ROUND, _MORE = 0, 1, 2, 3, 4

#: How many positions are looked at, and outcomes of a beginning, before somebody may interrupt,
#: where it is not known how long they take.
_AT_ONCE: Final = 1024

#: In how many ways a game may begin.
_MOST_ROOTS: Final = 1 << 20

#: How many positions were looked at; how many there are, actions, outcomes, roots and situations;
#: and outcomes with those of a position for which there was no room.
_COURSE: Final = counters("looked positions actions outcomes roots sights wanted")


@kernel
def _forget_past(state: Any) -> None:
    """What does not matter from now on: dice, and what the last action has brought."""
    state.dice = np.uint64(0)
    for seat in range(len(state.reward)):
        state.reward[seat] = 0.0


@kernel
def _arrive(course: Any, rows: Any, one: Any) -> Any:
    """The number of the position in *one*; -1: the game is over; -2: there is no room."""
    state = one.record[0]
    _forget_past(state)
    if state.mover == NOBODY:
        return -1
    slot = find(rows, one.words)
    if rows.slots[slot] < 0:
        if course.positions == len(rows.words):
            return -2
        copy(rows.words, course.positions, one.words, 0)
        rows.slots[slot] = course.positions
        course.positions += 1
    return rows.slots[slot]


def _number(rows: Any, wanted: Any, one: Any, found: Any) -> None:
    """The number of each position that is *wanted*; -1: it is not among them."""
    for i in range(len(wanted)):
        copy(one.words, 0, wanted, i)
        _forget_past(one.record[0])
        found[i] = rows.slots[find(rows, one.words)]


def _loops(game: Game) -> list[Callable[..., Any]]:
    k = scripted(game.kernels)
    part = kernel_of(f"{game.name}-positions")
    shuffle, start, legal, act = k.shuffle, k.start, k.legal, k.act
    observe, resample = k.observe, k.resample

    def begin(courses, tried, until, rows, one, blank, roots, chance, reward):
        """Every way in which a game may begin. tried: how many, and of how many."""
        course, which, many = courses[0], tried[0], tried[1]
        while which < many:
            if which == until:
                tried[0], tried[1] = which, many
                return _MORE
            copy(one.words, 0, blank, 0)
            state = one.record[0]
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
                number = _arrive(course, rows, one)
                if number == -2:
                    return _FULL
                if number >= 0:
                    roots[course.roots], chance[course.roots] = number, p
                    course.roots += 1
        return _DONE

    @part
    def look(course, i, state, moves, sights, example, sight, observation, mask):
        """Note who decides in position *i*, and what it sees."""
        legal(state, mask)
        observe(state, state.mover, observation)
        sight.record[0] = state.mover
        for action in range(len(mask)):
            sight.record[8 + action] = mask[action]
        slot = find(sights, sight.words)
        if sights.slots[slot] < 0:
            copy(sights.words, course.sights, sight.words, 0)
            sights.slots[slot] = course.sights
            example[course.sights] = i
            course.sights += 1
        moves.seen[i], moves.mover[i] = sights.slots[slot], state.mover

    def explore(
        courses, until, states, rows, one, moves, sights, example, sight, observation, mask
    ):
        """Go on from the next position. One at which the room ends is looked at again."""
        course, size = courses[0], len(mask)
        while course.looked < course.positions and course.looked < until:
            i, acted, came = course.looked, course.actions, course.outcomes
            if acted + size > len(moves.actions) or course.sights == len(sights.words):
                return _FULL
            look(course, i, states[i], moves, sights, example, sight, observation, mask)
            for action in range(size):
                if mask[action] == 0:
                    continue
                moves.actions[acted], moves.into[acted] = action, came
                acted += 1
                which, many = 0, 1
                while which < many:
                    copy(one.words, 0, rows.words, i)
                    result = one.record[0]
                    take(result, which)
                    act(result, action)
                    which, many = which + 1, max(many, ways(result))
                    if ways(result) == TOO_MANY:
                        return _ENDLESS
                    if left(result) == 0:
                        if came == len(moves.after):
                            course.wanted = came
                            return _FULL
                        moves.chance[came] = 1.0 / ways(result)
                        for seat in range(moves.reward.shape[1]):
                            moves.reward[came, seat] = result.reward[seat]
                        number = _arrive(course, rows, one)
                        if number == -2:
                            return _FULL
                        if 0 <= number <= i:
                            return _ROUND
                        moves.after[came] = number
                        came += 1
            course.looked, course.actions, course.outcomes = i + 1, acted, came
            moves.first[i + 1], moves.into[acted] = acted, came
        return _DONE

    def open_to_mover(words, one, found):
        """Whether redrawing what the mover does not know leaves a position as it is."""
        for i in range(len(words)):
            copy(one.words, 0, words, i)
            state = one.record[0]
            take(state, 0)
            resample(state, state.mover)
            found[i] = ways(state) == 1

    return [begin, explore, insert, open_to_mover, _number]


class Enumeration:
    """Going through positions, with as much room as it takes."""

    def __init__(self, variant: Variant) -> None:
        variant.refuse_disguise("exact values")
        self.variant = variant
        compiled = compile_loops(_loops(variant.game), variant.game.name)
        self._begin, self._explore, self._insert, self._open_to_mover, self._number = compiled
        # A situation in bytes: the seat, the mask from byte 8 on, and the observation behind it.
        size = variant.dtype.itemsize
        begins = 8 + -(-variant.action_count // size) * size
        self._observation = slice(begins, begins + size * variant.observation_size)
        # Arrays that grow.
        some, most = 1024, max(4096, 2 * variant.action_count)
        self._rows, self._sights = (
            Rows(np.zeros((some, width), np.uint64), np.full(4099, -1, np.int32))
            for width in (variant.game.dtype.itemsize // 8, -(-self._observation.stop // 8))
        )
        self._example = np.zeros(some, np.int32)
        self._moves = Moves(
            np.zeros(some, np.int8), np.zeros(some, np.int32), np.zeros(some + 1, np.int64),
            np.zeros(most, np.int16), np.zeros(most + 1, np.int64),
            np.zeros(most, np.int32), np.zeros(most), np.zeros((most, variant.seats), np.float32),
        )  # fmt: skip
        blank, sight = variant.blank(), np.zeros(8 * self._sights.words.shape[1], np.int8)
        self._one = One(blank, as_words(blank))
        self._sight = One(sight, sight.view(np.uint64).reshape(1, -1))
        self._roots, self._root_chance = np.zeros(_MOST_ROOTS, np.int32), np.zeros(_MOST_ROOTS)
        self._root_reward = np.zeros(variant.seats)
        self._courses, self._at_once = np.zeros(1, _COURSE), Pieces(_AT_ONCE)

    @property
    def _states(self) -> NDArray[Any]:
        """(N,): the positions as records."""
        return self._rows.words.reshape(-1).view(self.variant.game.dtype)

    @property
    def _over(self) -> bool:
        """Whether all positions have been looked at."""
        return bool(self._courses["looked"] == self._courses["positions"])

    @property
    def _bytes(self) -> int:
        """How much the arrays take."""
        arrays: Any = (*self._rows, *self._moves, *self._sights, self._example)
        return int(sum(each.nbytes for each in arrays))

    def all(self, memory: float, progress: Progress | None = None) -> Positions:
        """All positions of the game, in at most so many gigabytes; ``OptionError`` otherwise."""
        most, title, begun, estimated = memory * 2**30, self.variant.game.title, False, False
        too_many = f"{title} has more than %s: they need more GB than memory={memory:g} allows"
        while not begun or not self._over:
            stopped = self._go_on() if begun else self._find_roots()
            begun = begun or stopped == _DONE
            if stopped == _FULL:
                if 2 * self._bytes > most:
                    count = counted(int(self._courses["positions"][0]), "position")
                    raise TooManyPositions(too_many % count)
                if (
                    16 * self._bytes > most and not estimated
                ):  # there may be far more than there is room
                    enough, estimated = most / self.variant.game.dtype.itemsize, True
                    if (least := at_least(self.variant, enough)) >= enough:
                        raise TooManyPositions(too_many % f"{float(f'{least:.1g}'):,.0f} positions")
                self._grow()
            if progress:
                progress(int(self._courses["looked"][0]))
        return self._positions()

    def from_here(self, start: NDArray[Any], most: int) -> Positions | None:
        """All positions that *start*, an array of one record, may lead to, and it is the first of
        them; None: they are more than *most*. They are gone when another is asked for.
        """
        states = self._states
        states[:1] = start
        states[0]["dice"], states[0]["reward"] = 0, 0
        self._rows.slots[:], self._sights.slots[:] = -1, -1
        self._insert(0, 1, self._rows)
        self._courses[:], self._root_chance[0] = 0, 1.0
        self._courses["positions"] = self._courses["roots"] = 1
        while not self._over:
            if self._go_on() == _FULL:
                self._grow()
            if self._courses["positions"][0] > most:
                return None
        return self._positions()

    def numbers(self, states: NDArray[Any]) -> NDArray[np.int32]:
        """(N,): the numbers of positions, -1 of those that have not been found."""
        numbers = np.zeros(len(states), np.int32)
        self._number(self._rows, as_words(states), self._one, numbers)
        return numbers

    def open_to_mover(self, states: NDArray[Any]) -> NDArray[np.bool_]:
        """(N,): whether nothing is hidden from who is to move: redrawing leaves no choice."""
        hides_nothing = np.zeros(len(states), np.int8)
        self._open_to_mover(as_words(states), self._one, hides_nothing)
        return hides_nothing.astype(np.bool_)

    def _find_roots(self) -> int:
        """Every way in which a game may begin: why it stopped."""
        self._courses[:], self._root_reward[:], self._rows.slots[:] = 0, 0, -1
        roots = self._roots, self._root_chance, self._root_reward
        tried, some, stopped = np.array([0, 1]), Pieces(_AT_ONCE), _MORE
        blank = as_words(self.variant.blank())
        while stopped == _MORE:
            with some.until(tried) as until:
                given = self._courses, tried, until, self._rows, self._one, blank
                stopped = self._begin(*given, *roots)
        return self._checked(stopped)

    def _go_on(self) -> int:
        """Look at the next positions: why it stopped."""
        observation = self._sight.record[self._observation].view(self.variant.dtype)
        with self._at_once.until(self._courses["looked"]) as until:
            stopped = self._explore(
                self._courses, until, self._states, self._rows, self._one, self._moves,
                self._sights, self._example, self._sight, observation,
                np.zeros(self.variant.action_count, np.int8),
            )  # fmt: skip
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

    def _grow(self) -> None:
        """Double each group of arrays that is more than half full."""
        course = self._courses[0]
        # What belongs together is put in its place at once: Ctrl-C may come between two statements.
        if 2 * course["positions"] > len(self._moves.mover):
            self._rows, self._moves = (
                twice(self._rows, course["positions"], self._insert),
                grown(self._moves, "mover", "seen", "first"),
            )
        if 2 * (course["actions"] + self.variant.action_count) > len(self._moves.actions):
            self._moves = grown(self._moves, "actions", "into")
        if 2 * course["wanted"] > len(self._moves.after):
            self._moves = grown(self._moves, "after", "chance", "reward")
        if 2 * course["sights"] > len(self._example):
            self._sights, self._example = (
                twice(self._sights, course["sights"], self._insert),
                longer(self._example, 2 * len(self._example)),
            )

    def _positions(self) -> Positions:
        """What has been found."""
        variant, sizes = self.variant, self._courses[0]
        count, roots, sights = (sizes[name] for name in ("positions", "roots", "sights"))
        # Those of positions, actions and outcomes; of some there is one more.
        ends = [count, count, count + 1, *[sizes["actions"] + more for more in (0, 1)]]
        ends += [sizes["outcomes"]] * 3
        arrays: Any = self._moves
        states = self._states[:count]
        if variant.game.recalls:
            check_past(variant.game, states)
        seen = self._sights.words[:sights].view(np.int8)
        return Positions(
            variant,
            states,
            Moves(*(each[:end] for each, end in zip(arrays, ends, strict=True))),
            self._roots[:roots],
            self._root_chance[:roots],
            self._root_reward,
            seen[:, self._observation].view(variant.dtype),
            seen[:, 8 : 8 + variant.action_count],
            self._example[:sights],
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
