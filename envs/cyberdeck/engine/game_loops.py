"""The compiled loops: one set for each game, made from its kernels, used by every adapter.

What happens to one row of a batch is in ``engine/loops.py``. All arrays are the caller's; the loops
write in place and allocate nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import inspect
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice, native
from cyberdeck.engine.arguments import Array, Index, row_arguments, takes
from cyberdeck.engine.careful import Careful
from cyberdeck.engine.contract import Game
from cyberdeck.engine.kernels import compile_together, loops_of_every_game
from cyberdeck.engine.loops import RowKernels, row_dtype
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.threads import split

#: The loops whose rows several threads share.
_SHARED: Final = ("advance", "play", "choose")


class Loops(SimpleNamespace):
    """The compiled loops of one game, by their names. They are described where they are defined."""

    def fitted(self, **lengths: int) -> Loops:
        """The same for arrays of these lengths alone: see ``native.fitted``."""
        return Loops(**{name: native.fitted(each, **lengths) for name, each in vars(self).items()})

    def split(self, game: Game, threads: int) -> Loops:
        """The same with the rows of every step shared among *threads*."""
        places = {each.__name__: row_arguments(vars(each)["takes"]) for each in functions_of(game)}
        shared = {name: split(getattr(self, name), places[name], threads) for name in _SHARED}
        return Loops(**vars(self) | shared)


@functools.cache
def compiled_loops(game: Game) -> Loops:
    """The loops of *game*, built once in a process; each is compiled when it is first called.

    A first step is compiled with the beginning.
    """
    loops = Loops(**_made(game))
    compile_together(loops.begin, loops.advance, loops.first_illegal)
    return loops


#: The careful loops of games that are now played by them: each thread has its own.
_careful: Final = contextvars.ContextVar[dict[Game, Loops]]("_careful")


def loops_of(game: Game) -> Loops:
    """The loops that play *game*: compiled ones, or careful ones in ``carefully``."""
    return _careful.get({}).get(game) or compiled_loops(game)


def careful_loops(careful: Careful) -> Loops:
    """The loops of a game as plain Python that is watched."""
    return Loops(**{each.__name__: careful.function(each) for each in functions_of(careful.game)})


@functools.cache
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
    """The functions of ``Loops``."""
    row, given = RowKernels(game), _arguments(game)
    functions = [*_playing(row), *_looking(game), *_redrawing(game, row.bits_for)]
    return [takes(**given)(each) for each in functions]


def _playing(row: RowKernels) -> list[Callable[..., Any]]:
    """The loops that begin games and go on with them."""
    hint, begin_row, advance_row = row.hint, row.begin_row, row.advance_row

    def begin(
        which: Any, states: Any, rows: Any, pool: Any, allies: Any, how: Any, masks: Any,
        observations: Any,
    ) -> None:  # fmt: skip
        """Start a game in the rows *which*, or do one step of it: see the values of *how*."""
        for i in which:
            begin_row(states[i], rows[i], pool, allies, how, masks[i], observations[i])

    def advance(
        which: Any, actions: Any, states: Any, rows: Any, pool: Any, allies: Any, mode: Any,
        masks: Any, observations: Any, finals: Any,
    ) -> None:  # fmt: skip
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

    def play(
        code: Any, steps: Any, states: Any, rows: Any, pool: Any, allies: Any, mode: Any,
        masks: Any, observations: Any, finals: Any,
    ) -> None:  # fmt: skip
        """Let a built-in player make *steps* decisions in every row, all in compiled code."""
        for i in range(len(states)):
            state, row, mask, observation = states[i], rows[i], masks[i], observations[i]
            for _ in range(steps):
                action = 0
                if state.mover != NOBODY:
                    action = hint(code, state, row, mask)
                advance_row(state, row, action, pool, allies, mode, mask, observation, finals[i])

    def choose(code: Any, states: Any, rows: Any, masks: Any, chosen: Any) -> None:
        """Let a built-in player decide in every row; 0 where the game is over."""
        for i in range(len(states)):
            state = states[i]
            chosen[i] = 0
            if state.mover != NOBODY:
                chosen[i] = hint(code, state, rows[i], masks[i])

    def first_illegal(which: Any, actions: Any, rows: Any, masks: Any) -> Any:
        """The first j for which actions[j] is illegal in row which[j]; -1 if all may be applied."""
        for j in range(len(which)):
            i = which[j]
            if rows[i].mover == NOBODY:
                continue  # a game that is over takes any action: it is ignored
            action = actions[j]
            if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
                return j
        return -1

    return [begin, advance, play, choose, first_illegal]


def _looking(game: Game) -> list[Callable[..., Any]]:
    """The loops that look at one game, and leave it as it is."""
    k = game.kernels
    legal, observe, report, seats = k.legal, k.observe, k.report, k.seat_count
    side, secret, acts_simultaneously = k.side, k.secret, k.acts_simultaneously

    def look(states: Any, i: Any, seat: Any, mask: Any, observation: Any, metrics: Any) -> None:
        """What *seat* sees of game *i* now, and its mask: all zeros if it is not to move."""
        state = states[i]
        if state.mover == seat:
            legal(state, mask)
        else:
            mask[:] = 0
        observe(state, seat, observation)
        report(state, seat, metrics)

    def look_together(
        states: Any, i: Any, seat_masks: Any, seat_observations: Any, seat_metrics: Any,
        together: Any,
    ) -> None:  # fmt: skip
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

    def report_all(states: Any, i: Any, seat_metrics: Any) -> None:
        """The metrics of game *i* from every seat's view."""
        state = states[i]
        for seat in range(seats(state)):
            report(state, seat, seat_metrics[seat])

    def describe_seats(states: Any, i: Any, sides: Any, deciding: Any, hidden: Any) -> None:
        """The side of every seat of game *i*, whether it decides now, and whether what the mover
        decides is hidden from it.
        """
        state = states[i]
        mover = state.mover
        for seat in range(seats(state)):
            sides[seat] = side(state, seat)
            deciding[seat] = acts_simultaneously(state, seat)
            hidden[seat] = mover != NOBODY and mover != seat and secret(state, seat)

    return [look, look_together, report_all, describe_seats]


def _redrawing(game: Game, bits_for: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The loops that redraw what a seat cannot know, and those for people and for checks."""
    k = game.kernels
    resample_kernel, check_state_kernel = k.resample, k.check_state
    retrace_kernel, next_phase_kernel = k.retrace, k.next_phase

    def resample(states: Any, i: Any, seat: Any, bits: Any) -> None:
        """Redraw in game *i* what *seat* cannot know, the generator included."""
        state = states[i]
        state.dice = dice.mixed(bits)
        resample_kernel(state, seat)

    def ask(which: Any, states: Any, rows: Any, random_bits: Any, possible: Any) -> None:
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

    def check_state(states: Any, failed: Any) -> Any:
        """Write what each game's ``check_state`` says into *failed*; returns how many fail."""
        bad = 0
        for i in range(len(states)):
            failed[i] = check_state_kernel(states[i])
            bad += failed[i] != 0
        return bad

    def retrace(states: Any, i: Any, after: Any) -> Any:
        """Make of game *i* the beginning of the turn that led to *after*, one record; returns how
        many of its phases are left.
        """
        return np.int64(retrace_kernel(states[i], after[0]))

    def next_phase(states: Any, i: Any) -> None:
        """Carry out the next phase of that turn in game *i*."""
        next_phase_kernel(states[i])

    return [resample, ask, check_state, retrace, next_phase]


def _arguments(game: Game) -> dict[str, Any]:
    """What the loops are given, by the names of their arguments.

    N games, W rows that are meant, K positions to redraw, P and Q players to draw from, A actions,
    D elements of an observation, S seats, V of them seen at the end, M metrics.
    """
    arrays: dict[Any, str] = {
        game.dtype: "states:N possible:K after:1",
        row_dtype(game.most_seats, len(game.metrics)): "rows:N",
        np.int8: "masks:NA mask:A together:S seat_masks:SA",
        game.observation_dtype: "observations:ND finals:NVD observation:D seat_observations:SD",
        np.int32: "metrics:M seat_metrics:SM",
        np.int64: "which:W actions:W chosen:N failed:N sides:S",
        np.uint64: "random_bits:W",
        np.bool_: "deciding:S hidden:S",
    }
    given: dict[str, Any] = dict.fromkeys(("how", "code", "steps", "mode", "seat"), np.int64)
    given |= {"bits": np.uint64, "i": Index("N")}
    given |= {"pool": Array(np.int8, "P", some=True), "allies": Array(np.int8, "Q", some=True)}
    for kind, names in arrays.items():
        for name, lengths in (each.split(":") for each in names.split()):
            given[name] = Array(kind, lengths)
    return given
