"""Stacktrices: what a seat sees, as one flat int8 vector, or as planes of the board.

Everything is told from the seat's own side: squares as it sees them, its own home row rank 0. Both
hold the same. In the vector a stack is a row of features; in the planes each feature is a plane
that shows it on the stack's square, and a number that belongs to no square fills a plane. The
vector may be followed by what the built-in heuristic makes of it.
"""

from __future__ import annotations

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, kernel
from cyberdeck.engine.prior import BEST, PRIOR
from cyberdeck.games.stacktrices.board import PLANES, WITH_PRIOR, mirrored
from cyberdeck.games.stacktrices.constants import (
    CALL_OFF,
    DRONES,
    EXPOSE,
    KINDS,
    NONE,
    OWN_PICKS,
    PHASES,
    PICKS,
    SIDE,
    SQUARES,
    STACKS,
    TRADE,
)
from cyberdeck.games.stacktrices.hidden import in_setup, known_thief
from cyberdeck.games.stacktrices.prior import show_prior
from cyberdeck.games.stacktrices.stacks import alive, pips, stacks_left
from cyberdeck.games.stacktrices.trades import to_receive
from cyberdeck.games.stacktrices.turns import active

METRICS = (
    Metric("turns", "turns that have ended, of both players"),
    Metric("phase", "what is decided now: " + ", ".join(f"{n} {p}" for n, p in enumerate(PHASES))),
    Metric("own_stacks", "the seat's living stacks"),
    Metric("opponent_stacks", "the opponent's living stacks"),
    Metric("own_pips", "value of the pieces on the seat's stacks"),
    Metric(
        "opponent_pips", "value of the pieces on the opponent's stacks; 0 while they are hidden"
    ),
)

#: The features of a stack: how many pieces of each kind, then these.
RAIDED, THIEF, MOVED, IN_TRADE = range(KINDS, KINDS + 4)
FEATURES = KINDS + 4
FEATURE_NAMES = (
    "movement pawns, drones, queens; skill pawn, drone, queen; marked as having raided; the thief; "
    "moved in this turn; may receive in this trade"
)

_LIMIT = 127  # the highest number in an observation


def features(options: Options) -> tuple[Feature, ...]:
    """The layout: the same pieces in the same order for all views; the prior comes after them."""
    most = 4  # of a kind, in the whole game
    board = (SIDE, SIDE)
    at = ", one-hot: [stack, rank, file]"
    last = "where the last move, whoever's, "
    of_stacks: tuple[Feature, ...] = (
        Feature("own_features", (STACKS, FEATURES), 0, most, f"own stacks: {FEATURE_NAMES}"),
        Feature(
            "opponent_features",
            (STACKS, FEATURES),
            0,
            most,
            "the same of the opponent's stacks; the thief only while everybody knows it",
        ),
    )
    of_nobody: tuple[Feature, ...] = (
        Feature("store", (KINDS,), 0, most, "pieces of each kind in the store"),
        Feature("own_hand", (KINDS,), 0, most, "own pieces to place, or given in this trade"),
        Feature("opponent_hand", (KINDS,), 0, most, "the opponent's; all 0 during the set-up"),
        Feature("loot", (KINDS,), 0, most, "what may still be stolen of the captured stack"),
        Feature("captured", (STACKS,), 0, 1, "the stack captured in this turn, one-hot"),
        Feature("caught", (1,), 0, 1, "1 if that was the thief"),
        Feature("phase", (len(PHASES),), 0, 1, "what is decided now, one-hot: see `info['phase']`"),
        Feature("to_move", (1,), 0, 1, "1 if this seat decides now"),
        Feature("white", (1,), 0, 1, "1 if this seat plays white"),
        Feature("skipped", (1,), 0, 1, "1 if this turn's move was skipped: there was none"),
        Feature("stalled", (1,), 0, 2, "turns in a row with neither move nor trade"),
        Feature("to_receive", (1,), 0, 8, "pips still to be received in this trade"),
        Feature("gives", (1,), 0, 3, "pieces given in this trade"),
        Feature("takes", (1,), 0, 3, "pieces received in this trade"),
        Feature("turns_left", (1,), 0, _LIMIT, "turns until `max_turns`; 127 if there are more"),
    )
    if options["observation"] == "planes":
        of_stacks = tuple(
            Feature(p.name, (FEATURES, *board), p.low, p.high, p.meaning + ": on its square")
            for p in of_stacks
        )
        of_nobody = tuple(
            Feature(p.name, (*p.shape, *board), p.low, p.high, p.meaning) for p in of_nobody
        )
    return (
        Feature("own_at", (STACKS, *board), 0, 1, "own stacks" + at),
        Feature("opponent_at", (STACKS, *board), 0, 1, "the opponent's stacks" + at),
        Feature("last_from", (1, *board), 0, 1, last + "began, one-hot"),
        Feature("last_to", (1, *board), 0, 1, last + "ended, one-hot"),
        *of_stacks,
        *of_nobody,
        *(_prior_features(options) if options["observation"] == "prior" else ()),
    )


def _prior_features(options: Options) -> tuple[Feature, ...]:
    first = OWN_PICKS + 2 * STACKS * PICKS[options["stacked_movement"]]  # claim
    actions = first + 1 + (EXPOSE if options["steal_on_attack"] else CALL_OFF)
    return (
        Feature(
            PRIOR,
            (actions,),
            0,
            BEST,
            "what the built-in heuristic makes of each action: 127 the best, 1 less for each 3 by "
            "which another is worth less, down to 1; 0 what is not legal, or all if this seat does "
            "not decide now",
        ),
        Feature(
            "prospect",
            (1,),
            -BEST,
            BEST,
            "what own stacks are worth to it, less the opponent's (not in the set-up), and the "
            "best action, in 16s; 0 if this seat does not decide now",
        ),
    )


@kernel
def observe_stacks(
    state: State, seat: Seat, owner: Seat, out: Vector, positions: int, at: int
) -> None:
    """The stacks of *owner*: where they are, and their features, which begin at *at*."""
    hidden = owner != seat and in_setup(state)
    thief = state.thief[owner] if owner == seat else known_thief(state, owner)
    moved = state.moved if active(state) == owner else NONE
    trading = state.phase == TRADE and state.mover == owner
    # A feature's place: one after the other in the vector, a board apart in the planes.
    apart = SQUARES if state.shown == PLANES else 1
    for stack in range(STACKS):
        if not alive(state, owner, stack):
            continue
        square = mirrored(seat, state.square[owner, stack])
        out[index(positions + SQUARES * stack + square)] = 1
        place = at + (square if state.shown == PLANES else FEATURES * stack)
        if not hidden:
            for kind in range(KINDS):
                out[index(place + apart * kind)] = state.pieces[owner, stack, kind]
        if stack < DRONES:
            out[index(place + apart * RAIDED)] = state.raided[owner, stack]
        out[index(place + apart * THIEF)] = stack == thief
        out[index(place + apart * MOVED)] = stack == moved
        out[index(place + apart * IN_TRADE)] = trading and state.in_trade[stack] == 1


@kernel
def note(state: State, out: Vector, at: int, value: int) -> int:
    """Write a number that belongs to no square; returns where the next one goes."""
    if state.shown != PLANES:
        out[index(at)] = value
        return at + 1
    if value != 0:
        for place in range(at, at + SQUARES):
            out[index(place)] = value
    return at + SQUARES


@kernel
def observe(state: State, seat: Seat, out: Vector) -> None:
    theirs = STACKS * SQUARES
    moves = 2 * theirs
    own_features = moves + 2 * SQUARES
    size = FEATURES * (SQUARES if state.shown == PLANES else STACKS)
    observe_stacks(state, seat, seat, out, 0, own_features)
    observe_stacks(state, seat, 1 - seat, out, theirs, own_features + size)
    if state.last_from != NONE:
        out[index(moves + mirrored(seat, state.last_from))] = 1
        out[index(moves + SQUARES + mirrored(seat, state.last_to))] = 1
    at = own_features + 2 * size
    for kind in range(KINDS):
        at = note(state, out, at, state.store[kind])
    for kind in range(KINDS):
        at = note(state, out, at, state.hand[seat, kind])
    for kind in range(KINDS):
        at = note(state, out, at, 0 if in_setup(state) else state.hand[1 - seat, kind])
    for kind in range(KINDS):
        at = note(state, out, at, state.loot[kind])
    for stack in range(STACKS):
        at = note(state, out, at, stack == state.captured)
    at = note(state, out, at, state.caught)
    for phase in range(len(PHASES)):
        at = note(state, out, at, phase == state.phase)
    at = note(state, out, at, state.mover == seat)
    at = note(state, out, at, state.first == seat)
    at = note(state, out, at, state.skipped)
    at = note(state, out, at, state.stalled)
    at = note(state, out, at, to_receive(state) if state.gives > 0 else 0)
    at = note(state, out, at, state.gives)
    at = note(state, out, at, state.takes)
    at = note(state, out, at, min(_LIMIT, state.max_turns - state.turns))
    if state.shown == WITH_PRIOR and state.mover == seat:
        last = len(out) - 1
        out[index(last)] = max(-BEST, min(BEST, show_prior(state, out[at:last])))


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    out[0] = state.turns
    out[1] = state.phase
    for who in range(2):
        owner = seat if who == 0 else 1 - seat
        out[2 + who] = stacks_left(state, owner)
        hidden = owner != seat and in_setup(state)
        out[4 + who] = 0 if hidden else pips(state, owner)
