"""The compiled loops: one set for each game, made from its kernels, used by every adapter.

A *row* is one game of a batch. Beside the game's own record it has a record of the adapter's
bookkeeping (``row_dtype``): which seat the learner plays, who plays the others, and what the last
step brought. All arrays are the caller's; the loops write in place and allocate nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice, native
from cyberdeck.engine.arguments import Array, Index, takes
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import counts_itself, legal_count, nth_legal
from cyberdeck.engine.kernels import compile_together, kernel_of, loops_of_every_game
from cyberdeck.engine.record import FORFEIT, NOBODY, record_dtype
from cyberdeck.engine.threads import split

#: Who plays by code in the loops; everybody else is asked from outside.
RANDOM, HEURISTIC, OUTSIDE = 0, 1, 2
#: In a pool of opponents: the caller itself, who then decides for every seat of that game.
CALLER: Final = 3

#: ``row.waiting``: for whom; nobody is 0.
OPPONENT, ALLY = 1, 2

#: How a game begins: shuffled and started, or from the position that is in the record; or only
#: one step of it, where a beginning is prescribed in part.
FROM_SHUFFLE, FROM_POSITION, ONLY_SHUFFLE, ONLY_START = 0, 1, 2, 3

#: What happens to a game that is over.
NEXT_STEP, SAME_STEP, DISABLED = 0, 1, 2

#: So often a game is dealt anew that is over before the learner has decided.
DEALS: Final = 1000


@functools.cache
def row_dtype(seats: int, metrics: int) -> np.dtype[Any]:
    """The adapter's bookkeeping for one row.

    dice         generator for the opponents' choices and for who plays what
    game         which it is of this row's: where the generator stood at its start
    reward       per seat, since the caller's last decision in this row
    pending      rewards of the running game not yet handed out; where the caller decides for
                 every seat: what each seat got since it last decided (float64, so that
                 such sums are exactly those that Python makes of the rewards)
    returns      per seat, the sum of what was handed out in this game
    metrics      the game's metrics as the viewer sees them; final_metrics: at the last end
    final_...    of the last finished game; final_length: its decisions
    terminated, truncated, reason   of the game that the last step ended, else 0
    """
    return record_dtype(
        [
            ("dice", np.uint64),
            ("game", np.uint64),
            ("reward", np.float32, (seats,)),
            ("pending", np.float64, (seats,)),
            ("returns", np.float32, (seats,)),
            ("final_returns", np.float32, (seats,)),
            ("metrics", np.int32, (metrics,)),
            ("final_metrics", np.int32, (metrics,)),
            ("final_length", np.int32),
            ("choices", np.int32),  # how many actions the mask allows
            ("seat_rule", np.int8),
            ("seat", np.int8),
            ("final_seat", np.int8),
            ("team", np.int8),  # 1: the caller decides for all of that seat's side
            ("opponent", np.int16),
            ("final_opponent", np.int16),
            ("ally", np.int16),
            ("final_ally", np.int16),
            ("mover", np.int8),
            ("waiting", np.int8),  # OPPONENT or ALLY while one from outside has to decide
            ("opening", np.int8),  # 1 until the caller's first decision in the running game
            ("terminated", np.int8),
            ("truncated", np.int8),
            ("reason", np.int8),
        ]
    )


@dataclass(frozen=True)
class Loops:
    """The compiled loops of one game. Arguments are described where they are defined below."""

    begin: Callable[..., Any]
    advance: Callable[..., Any]
    play: Callable[..., Any]
    choose: Callable[..., Any]
    first_illegal: Callable[..., Any]
    look: Callable[..., Any]
    look_together: Callable[..., Any]
    report_all: Callable[..., Any]
    resample: Callable[..., Any]
    ask: Callable[..., Any]
    check_state: Callable[..., Any]
    describe_seats: Callable[..., Any]
    retrace: Callable[..., Any]
    next_phase: Callable[..., Any]

    def fitted(self, **lengths: int) -> Loops:
        """The same for arrays of these lengths alone: see ``native.fitted``."""
        made = {name: native.fitted(loop, **lengths) for name, loop in vars(self).items()}
        return replace(self, **made)

    def split(self, threads: int) -> Loops:
        """The same with the rows of every step shared among *threads*."""
        return replace(
            self,
            advance=split(self.advance, (0, 1), threads),
            play=split(self.play, (2, 3, 7, 8, 9), threads),
            choose=split(self.choose, (1, 2, 3, 4), threads),
        )


@functools.cache
def compiled_loops(game: Game) -> Loops:
    """The loops of *game*, built once in a process; each is compiled when it is first called.

    A first step is compiled with the beginning.
    """
    loops = Loops(*_made(game))
    compile_together(loops.begin, loops.advance, loops.first_illegal)
    return loops


#: The careful loops of games that are now played by them: each thread has its own.
_careful: Final = contextvars.ContextVar[dict[Game, Loops]]("_careful")


def loops_of(game: Game) -> Loops:
    """The loops that play *game*: compiled ones, or careful ones in ``carefully``."""
    return _careful.get({}).get(game) or compiled_loops(game)


def careful_loops(careful: Careful) -> Loops:
    """The loops of a game as plain Python that is watched."""
    return Loops(*careful.made(functions_of(careful.game)))


def functions_of(game: Game) -> list[Callable[..., Any]]:
    """The loops of *game* as they are written, before anything compiles them."""
    made: list[Callable[..., Any]] = inspect.unwrap(_made)(game)
    return made


@contextlib.contextmanager
def carefully(careful: Careful) -> Iterator[None]:
    """In this block, and this thread, careful loops play the game wherever it is played."""
    loops = {**_careful.get({}), careful.game: careful_loops(careful)}
    token = _careful.set(loops)
    try:
        yield
    finally:
        _careful.reset(token)


def is_careful(game: Game) -> bool:
    """Whether careful loops play *game* now."""
    return game in _careful.get({})


@loops_of_every_game
def _made(game: Game) -> list[Callable[..., Any]]:
    """The functions of ``Loops`` in their order."""
    k = game.kernels
    part = kernel_of(game.name, inline="always")
    counted = counts_itself(game.legal)
    shuffle, start, legal, act = k.shuffle, k.start, k.legal, k.act
    observe, report, resample_kernel = k.observe, k.report, k.resample
    heuristic, check_state_kernel = k.heuristic, k.check_state
    seats, side = k.seat_count, k.side
    secret, acts_simultaneously = k.secret, k.acts_simultaneously
    retrace_kernel, next_phase_kernel = k.retrace, k.next_phase

    @part
    def forfeit(state):
        """The mover's side loses for an illegal action, and the others win."""
        guilty = side(state, state.mover)
        for seat in range(seats(state)):
            state.reward[seat] = -1.0 if side(state, seat) == guilty else 1.0
        state.decisions += 1
        state.terminated = 1
        state.reason = FORFEIT
        state.mover = NOBODY

    @part
    def is_learners(state, row, seat):
        if row.team == 1:
            return side(state, seat) == side(state, row.seat)
        return seat == row.seat

    @part
    def pick(code, state, mask, count, random_bits):
        """A built-in player's decision for the mover, by 64 random bits."""
        if code == HEURISTIC:
            return heuristic(state, mask, random_bits)
        return nth_legal(mask, dice.scaled(random_bits, count))

    @part
    def bits_for(state, row):
        """64 random bits for a decision that is only asked for: asking changes nothing."""
        return dice.mixed(dice.mixed(row.dice) + np.uint64(state.decisions))

    @part
    def hint(code, state, row, mask):
        """``pick`` for the caller."""
        return pick(code, state, mask, row.choices, bits_for(state, row))

    @part
    def collect(state, row):
        for seat in range(seats(state)):
            row.pending[seat] += state.reward[seat]

    @part
    def hand_out(state, row):
        for seat in range(seats(state)):
            gain = state.reward[seat] if row.seat == EVERY else row.pending[seat]
            row.reward[seat] = gain
            row.returns[seat] += gain
            if row.seat != EVERY:
                row.pending[seat] = 0.0

    @part
    def seat_players(state, row, pool, allies):
        """A new game begins: who plays what."""
        dice.draw(row)  # so that ``hint`` has new bits in every game
        row.game = row.dice
        row.seat = row.seat_rule
        if row.seat_rule == DRAWN and row.team == 1:
            last = 0
            for seat in range(seats(state)):
                last = max(last, side(state, seat))
            drawn = dice.below(row, 1 + last)
            row.seat = 0
            while side(state, row.seat) != drawn:  # a side is known by its first seat
                row.seat += 1
        elif row.seat_rule == DRAWN:
            row.seat = dice.below(row, seats(state))
        row.opening = 1
        row.waiting = 0
        row.opponent = 0
        row.ally = 0
        if len(pool) > 1:
            row.opponent = dice.below(row, len(pool))
        if pool[row.opponent] == CALLER:
            row.seat = EVERY
        if len(allies) > 1:
            row.ally = dice.below(row, len(allies))
        for seat in range(seats(state)):
            row.pending[seat] = 0.0
            row.returns[seat] = 0.0

    @part
    def play_others(state, row, mask, pool, allies):
        """Let built-in players decide until it is the learner's turn, an outsider's, or over."""
        if row.seat == EVERY:
            return
        while state.mover != NOBODY and not is_learners(state, row, state.mover):
            ally = side(state, state.mover) == side(state, row.seat)
            code = allies[row.ally] if ally else pool[row.opponent]
            if code == OUTSIDE:
                row.waiting = ALLY if ally else OPPONENT
                return
            count = legal(state, mask)
            act(state, pick(code, state, mask, count, dice.draw(row)))
            collect(state, row)

    @part
    def new_game(state, row, mask, pool, allies):
        for _ in range(DEALS):
            seat_players(state, row, pool, allies)
            shuffle(state)
            start(state)
            play_others(state, row, mask, pool, allies)
            # What the others end before the learner has decided is no game for it.
            if state.mover != NOBODY or row.seat == EVERY:
                break

    @part
    def show(state, row, mask, observation):
        """Write what the one who has to decide (or, at the end, the learner) sees."""
        row.choices = legal(state, mask)
        if state.mover == NOBODY and row.seat != EVERY:
            mask[:] = 1  # nothing is left to choose: never hand a learner an empty mask
        row.mover = state.mover
        viewer = row.seat
        if state.mover != NOBODY and (row.seat == EVERY or row.waiting or row.team):
            viewer = state.mover
        viewer = max(viewer, 0)
        observe(state, viewer, observation)
        report(state, viewer, row.metrics)
        if not counted:
            # Now: to read many bytes at once just after they were written one by one is slow.
            row.choices = 0 if state.mover == NOBODY else legal_count(mask)

    @part
    def close(state, row, final):
        """The game is over: hand out what is left and note how it ended."""
        row.terminated = state.terminated
        row.truncated = state.truncated
        row.reason = state.reason
        for seat in range(seats(state)):
            row.final_returns[seat] = row.returns[seat]
        row.final_length = state.decisions
        row.final_seat = row.seat
        row.final_opponent = row.opponent
        row.final_ally = row.ally
        if row.seat == EVERY:
            for seat in range(seats(state)):
                observe(state, seat, final[seat])
            report(state, 0, row.final_metrics)
        else:
            observe(state, row.seat, final[0])
            report(state, row.seat, row.final_metrics)

    def begin(which, states, rows, pool, allies, how, masks, observations):
        """Start a game in the rows *which*, or do one step of it: see the values of *how*."""
        for i in which:
            state, row = states[i], rows[i]
            if how == ONLY_SHUFFLE:
                shuffle(state)
                continue
            if how == ONLY_START:
                start(state)
                continue
            if how == FROM_SHUFFLE:
                new_game(state, row, masks[i], pool, allies)
            else:
                seat_players(state, row, pool, allies)
                play_others(state, row, masks[i], pool, allies)
            for seat in range(seats(state)):
                row.reward[seat] = 0.0
            row.terminated = state.terminated
            row.truncated = state.truncated
            row.reason = state.reason
            show(state, row, masks[i], observations[i])

    @part
    def advance_row(state, row, action, pool, allies, mode, mask, observation, final):
        """One row of ``advance``."""
        if row.waiting:
            row.waiting = 0
        else:
            over = row.terminated or row.truncated
            # What is over before the learner has decided is not marked so.
            if state.mover == NOBODY or (over and mode != SAME_STEP):
                for seat in range(seats(state)):
                    row.reward[seat] = 0.0
                if mode != DISABLED:
                    row.terminated, row.truncated, row.reason = 0, 0, 0
                    new_game(state, row, mask, pool, allies)
                    show(state, row, mask, observation)
                return
            row.terminated, row.truncated, row.reason = 0, 0, 0
            row.opening = 0
        if row.seat == EVERY:
            row.pending[state.mover] = 0.0
        if 0 <= action < len(mask) and mask[action] == 1:
            act(state, action)
        else:
            forfeit(state)
        collect(state, row)
        play_others(state, row, mask, pool, allies)
        if row.waiting == 0 and row.opening == 0:
            hand_out(state, row)
            if state.mover == NOBODY:
                close(state, row, final)
                if mode == SAME_STEP:
                    new_game(state, row, mask, pool, allies)
        show(state, row, mask, observation)

    def advance(which, actions, states, rows, pool, allies, mode, masks, observations, finals):
        """Apply actions[j] in row which[j] and go on until the caller has to decide there.

        An illegal action forfeits the game (callers that want an error ask ``first_illegal``
        first). Rows whose game the step before ended begin a new one instead if *mode* is
        NEXT_STEP; SAME_STEP begins it at once, and leaves the last observations of the finished
        game in *finals*. For a row that waits for an outside opponent, the action is his.
        """
        for j in range(len(which)):
            i = which[j]
            mask, observation = masks[i], observations[i]
            advance_row(
                states[i], rows[i], actions[j], pool, allies, mode, mask, observation, finals[i]
            )

    def play(code, steps, states, rows, pool, allies, mode, masks, observations, finals):
        """Let a built-in player make *steps* decisions in every row, all in compiled code."""
        for i in range(len(states)):
            state, row, mask, observation = states[i], rows[i], masks[i], observations[i]
            for _ in range(steps):
                action = 0
                if state.mover != NOBODY:
                    action = hint(code, state, row, mask)
                advance_row(state, row, action, pool, allies, mode, mask, observation, finals[i])

    def choose(code, states, rows, masks, chosen):
        """Let a built-in player decide in every row; 0 where the game is over."""
        for i in range(len(states)):
            state = states[i]
            chosen[i] = 0
            if state.mover != NOBODY:
                chosen[i] = hint(code, state, rows[i], masks[i])

    def first_illegal(which, actions, rows, masks):
        """The first j for which actions[j] is illegal in row which[j]; -1 if all may be applied."""
        for j in range(len(which)):
            i = which[j]
            if rows[i].mover == NOBODY:
                continue  # a game that is over takes any action: it is ignored
            action = actions[j]
            if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
                return j
        return -1

    def look(states, i, seat, mask, observation, metrics):
        """What *seat* sees of game *i* now, and its mask: all zeros if it is not to move."""
        state = states[i]
        if state.mover == seat:
            legal(state, mask)
        else:
            mask[:] = 0
        observe(state, seat, observation)
        report(state, seat, metrics)

    def look_together(states, i, seat_masks, seat_observations, seat_metrics, together):
        """What every seat of game *i* sees, and the masks of those who decide now, in secret and at
        the same time: marked in *together*. All others may choose anything: it is not looked at.
        """
        state = states[i]
        mover = state.mover
        for seat in range(seats(state)):
            together[seat] = mover != NOBODY and acts_simultaneously(state, seat)
            if together[seat]:
                state.mover = seat
                legal(state, seat_masks[seat])
                state.mover = mover
            else:
                seat_masks[seat] = 1
            observe(state, seat, seat_observations[seat])
            report(state, seat, seat_metrics[seat])

    def report_all(states, i, seat_metrics):
        """The metrics of game *i* from every seat's view."""
        state = states[i]
        for seat in range(seats(state)):
            report(state, seat, seat_metrics[seat])

    def resample(states, i, seat, bits):
        """Redraw in game *i* what *seat* cannot know, the generator included."""
        state = states[i]
        state.dice = dice.mixed(bits)
        resample_kernel(state, seat)

    def ask(which, states, rows, random_bits, possible):
        """The random bits for a decision in each row *which*, and, if there is room, a position
        that the mover cannot tell from the true one.
        """
        for j in range(len(which)):
            i = which[j]
            random_bits[j] = bits_for(states[i], rows[i])
            if j < len(possible):
                possible[j] = states[i]
                possible[j].dice = dice.mixed(random_bits[j])
                resample_kernel(possible[j], states[i].mover)

    def check_state(states, failed):
        """Write what each game's ``check_state`` says into *failed*; returns how many fail."""
        bad = 0
        for i in range(len(states)):
            failed[i] = check_state_kernel(states[i])
            bad += failed[i] != 0
        return bad

    def describe_seats(states, i, sides, deciding, hidden):
        """The side of every seat of game *i*, whether it decides now, and whether what the mover
        decides is hidden from it.
        """
        state = states[i]
        mover = state.mover
        for seat in range(seats(state)):
            sides[seat] = side(state, seat)
            deciding[seat] = acts_simultaneously(state, seat)
            hidden[seat] = mover != NOBODY and mover != seat and secret(state, seat)

    def retrace(states, i, after):
        """Make of game *i* the beginning of the turn that led to *after*, one record; returns how
        many of its phases are left.
        """
        return np.int64(retrace_kernel(states[i], after[0]))

    def next_phase(states, i):
        """Carry out the next phase of that turn in game *i*."""
        next_phase_kernel(states[i])

    # N games, W rows that are meant, K positions to redraw, P and Q players to draw from,
    # A actions, D elements of an observation, S seats, V of them seen at the end, M metrics.
    arrays: dict[Any, dict[str, str]] = {
        game.dtype: {"states": "N", "possible": "K", "after": "1"},
        row_dtype(game.most_seats, len(game.metrics)): {"rows": "N"},
        np.int8: {
            "masks": "NA",
            "mask": "A",
            "together": "S",
            "seat_masks": "SA",
        },
        game.observation_dtype: {
            "observations": "ND",
            "finals": "NVD",
            "observation": "D",
            "seat_observations": "SD",
        },
        np.int32: {"metrics": "M", "seat_metrics": "SM"},
        np.int64: {"which": "W", "actions": "W", "chosen": "N", "failed": "N", "sides": "S"},
        np.uint64: {"random_bits": "W"},
        np.bool_: {"deciding": "S", "hidden": "S"},
    }
    given: dict[str, Any] = dict.fromkeys(("how", "code", "steps", "mode", "seat"), np.int64)
    given |= {"bits": np.uint64, "i": Index("N")}
    given |= {"pool": Array(np.int8, "P", some=True), "allies": Array(np.int8, "Q", some=True)}
    for kind, lengths in arrays.items():
        given |= {name: Array(kind, each) for name, each in lengths.items()}
    seen_by_people = (describe_seats, retrace, next_phase)
    made = (begin, advance, play, choose, first_illegal, look, look_together, report_all, resample)
    return [takes(**given)(each) for each in (*made, ask, check_state, *seen_by_people)]
