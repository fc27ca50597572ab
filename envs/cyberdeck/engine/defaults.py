"""The kernels that the engine makes of a game's own: its defaults, and what all games repeat.

A game says what makes it a game. That a decision is counted, that rewards begin at nothing, that a
mask is cleared and counted, that a game which is over has no legal action: that is the same in all
of them, and stands here.
"""

from __future__ import annotations

import dis
import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import index, kernel, kernel_of
from cyberdeck.engine.record import NOBODY, RUNNING

_STRIDE = 32


@kernel
def nth_legal(mask: Any, n: Any) -> Any:
    """The n-th action (from 0) that the mask allows; -1 if it does not allow so many.

    A mask is any array of 0 and 1: that of ``heuristic``, or a field such as the cards in a hand.
    """
    at = 0
    while at + _STRIDE <= len(mask):  # stretches are added up much faster than looked through
        inside = 0
        for action in range(at, at + _STRIDE):
            inside += mask[index(action)]
        if n < inside:
            break
        n -= inside
        at += _STRIDE
    for action in range(at, len(mask)):
        n -= mask[index(action)]
        if n < 0:
            return action
    return -1


@kernel
def legal_count(mask: Any) -> Any:
    """How many actions the mask allows: how many 1 there are in an array of 0 and 1."""
    count = np.int32(0)  # narrow: more are added up at once
    for action in range(len(mask)):
        count = np.int32(count + mask[index(action)])
    return np.int64(count)


# --- what a game may leave out -------------------------------------------------------------------


@kernel
def draw_nothing(state: Any) -> None:
    """``shuffle`` of a game that always begins alike."""


@kernel
def hide_nothing(state: Any, seat: Any) -> None:
    """``resample`` of a game in which everything is open: the state as it is."""


@kernel
def report_nothing(state: Any, seat: Any, out: Any) -> None:
    """``report`` of a game without metrics."""


@kernel
def any_legal(state: Any, mask: Any, random_bits: Any) -> Any:
    """``heuristic`` of a game that has none: any legal action."""
    return nth_legal(mask, dice.scaled(random_bits, legal_count(mask)))


@kernel
def all_is_well(state: Any) -> Any:
    """``check_state`` of a game whose fields' bounds say it all."""
    return 0


@kernel
def every_seat(state: Any) -> Any:
    """The number of seats of a game that always has as many."""
    return len(state.reward)


@kernel
def on_its_own(state: Any, seat: Any) -> Any:
    """The side of a seat that plays for itself."""
    return seat


@kernel
def only_the_mover(state: Any, seat: Any) -> Any:
    return seat == state.mover


@kernel
def nothing_in_secret(state: Any, seat: Any) -> None:
    """Every decision is seen by all."""


@kernel
def unseen(state: Any, seat: Any) -> Any:
    """``secret`` of a game whose seats decide at the same time: others see no decision.

    Kernels cannot tell whether the last of a round may be seen: what comes of it is observed.
    """
    return True


@kernel
def nothing_to_retrace(state: Any, after: Any) -> Any:
    """``retrace`` of a game whose turns have no phases: none is left."""
    return 0


@kernel
def no_phase(state: Any) -> None:
    """``next_phase`` of such a game."""


# --- how a game ends -----------------------------------------------------------------------------


@kernel
def end(state: Any, reason: Any) -> None:
    """The game is over by its rules, for one of its ``reasons``; rewards stay as they are."""
    state.terminated = 1
    state.reason = reason
    state.mover = NOBODY


@kernel
def win(state: Any, seat: Any, reason: Any) -> None:
    """The game is over: *seat* gets 1, and so do those on its side; every other seat gets -1."""
    for other in range(len(state.reward)):
        state.reward[other] = 1.0 if other == seat else -1.0
    end(state, reason)
    if 0 <= seat < len(state.reward):
        state.terminated = 2 + seat  # for ``settle``, which knows the sides


# --- what is the same in every game --------------------------------------------------------------


class Kernels(SimpleNamespace):
    """The rules as the loops call them, by the names in ``GIVEN``; made by ``completed``.

    Each is what ``Game`` says of the one of its name; ``secret``, where it says nothing, is
    ``unseen`` if it has ``acts_simultaneously``, and else false. But ``legal`` clears the mask and
    returns how many actions are legal, ``act`` counts the decision and clears the rewards,
    ``observe`` and ``report`` clear what they write to.
    """


def counts_itself(legal: Any) -> bool:
    """Whether a game's own ``legal`` returns how many actions it has marked."""
    code = list(dis.get_instructions(legal.py_func))
    returned = [
        before.argval if before.opname == "LOAD_CONST" else legal
        for before, this in itertools.pairwise(code)
        if this.opname == "RETURN_VALUE"
    ]
    returned += [each.argval for each in code if each.opname == "RETURN_CONST"]
    return any(value is not None for value in returned)


def completed(label: str, own: Kernels) -> Kernels:
    """A game's *own* kernels, with all that is the same in every game around them."""
    part = kernel_of(label, inline="always")
    own_start, own_legal, own_act, own_observe = own.start, own.legal, own.act, own.observe
    own_report, counts = own.report, counts_itself(own.legal)
    seats, side = own.seat_count, own.side

    @part
    def settle(state: Any) -> None:
        """A seat has won: so has its side."""
        if state.terminated > 1:
            winner = state.terminated - 2
            for seat in range(seats(state)):
                if side(state, seat) == side(state, winner):
                    state.reward[seat] = state.reward[winner]
            state.terminated = 1

    @part
    def start(state):  # type: ignore[no-untyped-def]  # numba types it
        for seat in range(len(state.reward)):
            state.reward[seat] = 0.0
        state.decisions = 0
        state.mover = 0
        state.terminated = 0
        state.truncated = 0
        state.reason = RUNNING
        own_start(state)
        settle(state)

    @part
    def legal(state, mask):  # type: ignore[no-untyped-def]
        mask[:] = 0
        if state.mover == NOBODY:
            return 0
        if counts:
            return own_legal(state, mask)
        own_legal(state, mask)
        return legal_count(mask)

    @part
    def act(state, action):  # type: ignore[no-untyped-def]
        for seat in range(seats(state)):
            state.reward[seat] = 0.0
        state.decisions += 1
        own_act(state, action)
        settle(state)

    # A kernel is compiled anew for every type of its arguments: a seat, whatever holds it, is one
    # type to the largest of them.
    @part
    def observe(state, seat, out):  # type: ignore[no-untyped-def]
        out[:] = 0
        own_observe(state, np.int64(seat), out)

    @part
    def report(state, seat, out):  # type: ignore[no-untyped-def]
        out[:] = 0
        own_report(state, np.int64(seat), out)

    around = {each.__name__: each for each in (start, legal, act, observe, report)}
    return Kernels(**vars(own) | around)
