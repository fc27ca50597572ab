"""Stacktrices: what a seat sees, as one flat int8 vector, or as planes of the board.

Everything is told from the seat's own side: squares as it sees them, its own home row rank 0. Both
hold the same. In the vector a stack is a row of features; in the planes each feature is a plane
that shows it on the stack's square, and a number that belongs to no square fills a plane. The
vector may be followed by what the built-in heuristic makes of it.
"""

from __future__ import annotations

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.engine.features import offset_table
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, kernel
from cyberdeck.engine.prior import BEST, PRIOR
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.board import MOST, PLANES, WITH_PRIOR, Square, mirrored
from cyberdeck.games.stacktrices.hidden import in_setup, known_thief
from cyberdeck.games.stacktrices.prior import show_prior
from cyberdeck.games.stacktrices.stacks import alive, pips, stacks_left
from cyberdeck.games.stacktrices.trades import to_receive
from cyberdeck.games.stacktrices.turns import active

_PHASES = ", ".join(f"{number} {phase}" for number, phase in enumerate(c.PHASES))
METRICS = (
    Metric("turns", "turns that have ended, of both players"),
    Metric("phase", f"what is decided now: {_PHASES}"),
    Metric("own_stacks", "the seat's living stacks"),
    Metric("opponent_stacks", "the opponent's living stacks"),
    Metric("own_pips", "value of the pieces on the seat's stacks"),
    Metric(
        "opponent_pips", "value of the pieces on the opponent's stacks; 0 while they are hidden"
    ),
)

#: The features of a stack: how many pieces of each kind, then these.
RAIDED, THIEF, MOVED, IN_TRADE = range(c.KINDS, c.KINDS + 4)
FEATURES = c.KINDS + 4
FEATURE_NAMES = (
    "movement pawns, drones, queens; skill pawn, drone, queen; marked as having raided; the thief; "
    "moved in this turn; may receive in this trade"
)

_LIMIT = 127  # the highest number in an observation


def features(options: Options) -> tuple[Feature, ...]:
    """The layout: the same pieces in the same order for all views; the prior comes after them."""
    planes, board = options["observation"] == "planes", (c.SIDE, c.SIDE)
    of_stacks = (FEATURES, *board) if planes else (c.STACKS, FEATURES)
    on_square = ": on its square" if planes else ""
    all_over = board if planes else ()
    at, last = ", one-hot: [stack, rank, file]", "where the last move, whoever's, "
    own = f"own stacks: {FEATURE_NAMES}{on_square}"
    theirs = (
        f"the same of the opponent's stacks; the thief only while everybody knows it{on_square}"
    )
    of_nobody = (
        ("store", c.KINDS, MOST, "pieces of each kind in the store"),
        ("own_hand", c.KINDS, MOST, "own pieces to place, or given in this trade"),
        ("opponent_hand", c.KINDS, MOST, "the opponent's; all 0 during the set-up"),
        ("loot", c.KINDS, MOST, "what may still be stolen of the captured stack"),
        ("captured", c.STACKS, 1, "the stack captured in this turn, one-hot"),
        ("caught", 1, 1, "1 if that was the thief"),
        ("phase", len(c.PHASES), 1, "what is decided now, one-hot: see `info['phase']`"),
        ("to_move", 1, 1, "1 if this seat decides now"),
        ("white", 1, 1, "1 if this seat plays white"),
        ("skipped", 1, 1, "1 if this turn's move was skipped: there was none"),
        ("stalled", 1, 2, "turns in a row with neither move nor trade"),
        ("to_receive", 1, 8, "pips still to be received in this trade"),
        ("gives", 1, 3, "pieces given in this trade"),
        ("takes", 1, 3, "pieces received in this trade"),
        ("turns_left", 1, _LIMIT, "turns until `max_turns`; 127 if there are more"),
    )
    return (
        Feature("own_at", (c.STACKS, *board), 0, 1, f"own stacks{at}"),
        Feature("opponent_at", (c.STACKS, *board), 0, 1, f"the opponent's stacks{at}"),
        Feature("last_from", (1, *board), 0, 1, f"{last}began, one-hot"),
        Feature("last_to", (1, *board), 0, 1, f"{last}ended, one-hot"),
        Feature("own_features", of_stacks, 0, MOST, own),
        Feature("opponent_features", of_stacks, 0, MOST, theirs),
        *(Feature(name, (n, *all_over), 0, high, words) for name, n, high, words in of_nobody),
        *(_prior_features(options) if options["observation"] == "prior" else ()),
    )


def _prior_features(options: Options) -> tuple[Feature, ...]:
    last = c.EXPOSE if options["steal_on_attack"] else c.CALL_OFF
    actions = c.CLAIM[options["stacked_movement"]] + last + 1
    prior = (
        "what the built-in heuristic makes of each action: 127 the best, 1 less for each 3 by "
        "which another is worth less, down to 1; 0 what is not legal, or all if this seat does "
        "not decide now"
    )
    prospect = (
        "what own stacks are worth to it, less the opponent's (not in the set-up), and the "
        "best action, in 16s; 0 if this seat does not decide now"
    )
    return (
        Feature(PRIOR, (actions,), 0, BEST, prior),
        Feature("prospect", (1,), -BEST, BEST, prospect),
    )


#: Where the features begin: in the vector, and in the planes. The prior comes last.
PLACES = offset_table([features({"observation": view}) for view in ("vector", "planes")])
PRIOR_AT = int(PLACES[0]["turns_left"]) + 1


@kernel
def mark(seat: Seat, at: int, which: int, square: Square, out: Vector) -> None:
    """Mark a square, as *seat* sees it, on one board of those that begin at *at*."""
    out[index(at + c.SQUARES * which + mirrored(seat, square))] = 1


@kernel
def observe_stacks(
    state: State, seat: Seat, owner: Seat, places: int, first: int, out: Vector
) -> None:
    """The stacks of *owner*: where they stand from *places* on, their features from *first* on."""
    hidden = owner != seat and in_setup(state)
    thief = state.thief[owner] if owner == seat else known_thief(state, owner)
    moved = state.moved if active(state) == owner else c.NONE
    trading = state.phase == c.TRADE and state.mover == owner
    for stack in range(c.STACKS):
        if not alive(state, owner, stack):
            continue
        square = state.square[owner, stack]
        mark(seat, places, stack, square, out)
        # A feature's place: one after the other in the vector, a board apart in the planes.
        at, apart = first + FEATURES * stack, 1
        if state.shown == PLANES:
            at, apart = first + mirrored(seat, square), c.SQUARES
        if not hidden:
            for kind in range(c.KINDS):
                out[index(at + apart * kind)] = state.pieces[owner, stack, kind]
        if stack < c.DRONES:
            out[index(at + apart * RAIDED)] = state.raided[owner, stack]
        out[index(at + apart * THIEF)] = stack == thief
        out[index(at + apart * MOVED)] = stack == moved
        out[index(at + apart * IN_TRADE)] = trading and state.in_trade[stack] == 1


@kernel
def note(state: State, first: int, which: int, value: int, out: Vector) -> None:
    """Write one number that belongs to no square, of those that begin at *first*."""
    if state.shown != PLANES:
        out[index(first + which)] = value
    elif value != 0:
        at = first + c.SQUARES * which
        for place in range(at, at + c.SQUARES):
            out[index(place)] = value


@kernel
def observe(state: State, seat: Seat, out: Vector) -> None:
    at = PLACES[1 if state.shown == PLANES else 0]
    observe_stacks(state, seat, seat, at.own_at, at.own_features, out)
    observe_stacks(state, seat, 1 - seat, at.opponent_at, at.opponent_features, out)
    if state.last_from != c.NONE:
        mark(seat, at.last_from, 0, state.last_from, out)
        mark(seat, at.last_to, 0, state.last_to, out)
    for kind in range(c.KINDS):
        note(state, at.store, kind, state.store[kind], out)
        note(state, at.own_hand, kind, state.hand[seat, kind], out)
        if not in_setup(state):
            note(state, at.opponent_hand, kind, state.hand[1 - seat, kind], out)
        note(state, at.loot, kind, state.loot[kind], out)
    if state.captured != c.NONE:
        note(state, at.captured, state.captured, 1, out)
    note(state, at.caught, 0, state.caught, out)
    note(state, at.phase, state.phase, 1, out)
    note(state, at.to_move, 0, state.mover == seat, out)
    note(state, at.white, 0, state.first == seat, out)
    note(state, at.skipped, 0, state.skipped, out)
    note(state, at.stalled, 0, state.stalled, out)
    note(state, at.to_receive, 0, to_receive(state) if state.gives > 0 else 0, out)
    note(state, at.gives, 0, state.gives, out)
    note(state, at.takes, 0, state.takes, out)
    note(state, at.turns_left, 0, min(_LIMIT, state.max_turns - state.turns), out)
    if state.shown == WITH_PRIOR and state.mover == seat:
        last = len(out) - 1
        out[index(last)] = max(-BEST, min(BEST, show_prior(state, out[PRIOR_AT:last])))


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    out[0] = state.turns
    out[1] = state.phase
    for who in range(2):
        owner = seat if who == 0 else 1 - seat
        out[2 + who] = stacks_left(state, owner)
        hidden = owner != seat and in_setup(state)
        out[4 + who] = 0 if hidden else pips(state, owner)
