"""HACKtheGRID: what a seat sees, as one flat int8 vector of named features.

Everything is open. The vector is told from the seat's own side: for the row hacker the grid is
mirrored at its diagonal, so that one's own positions are always the first index. If that is chosen,
what the heuristic makes of each action comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from cyberdeck.engine.contract import Feature, Metric, Options
from cyberdeck.engine.features import offset_table
from cyberdeck.engine.kernels import Numbers, Seat, State, Vector, index, kernel
from cyberdeck.engine.prior import BEST, NO_VALUE, PRIOR, note_value
from cyberdeck.engine.record import NOBODY
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid.heuristic import laid_out, value_of
from cyberdeck.games.hackthegrid.rules import Card, legal

At: TypeAlias = int  # a place in the observation

METRICS = (
    Metric("own_score", "what the seat's own Run is worth now"),
    Metric("opponent_score", "what the opponent's Run is worth now"),
    Metric("cards_left", "cards on the grid"),
)

_KINDS = len(c.KINDS)

#: The steps are the heuristic's own units, so that every difference that it acts on is told. Over
#: play, half of the actions that are not the best fall short of it by up to 20 to 96. Of 7% to 23%
#: it is more than the 126 there is room for: they throw the game away, how badly does not matter.
PRIOR_FEATURES = (
    Feature(
        PRIOR,
        (c.ACTIONS,),
        0,
        BEST,
        "what the heuristic makes of each action: 127 for the best, less by 1 for each quarter of "
        "a point it is worth less, at least 1; 0: not legal now",
    ),
    Feature(
        "prospect",
        (1,),
        -BEST,
        BEST,
        "what the best is worth to it: the lead it expects, in quarters of a point, and 40 more "
        "for a game won, 40 less for one lost",
    ),
)


def table_features(colours: int) -> tuple[Feature, ...]:
    """What is seen of the table, with so many colours in the deck."""
    return (
        Feature(
            "grid_kind",
            (c.SIDE, c.SIDE, _KINDS),
            0,
            1,
            "kind of the card at [own position, opponent's position], one-hot; all 0: taken",
        ),
        Feature("grid_colour", (c.SIDE, c.SIDE, colours), 0, 1, "its colour, one-hot"),
        Feature("own_run_kind", (c.RUN, _KINDS), 0, 1, "own Run from left to right, kinds"),
        Feature("own_run_colour", (c.RUN, colours), 0, 1, "own Run, colours"),
        Feature("opponent_run_kind", (c.RUN, _KINDS), 0, 1, "the opponent's Run, kinds"),
        Feature("opponent_run_colour", (c.RUN, colours), 0, 1, "the opponent's Run, colours"),
        Feature("own_avatar", (c.SIDE,), 0, 1, "own position along the own edge, one-hot"),
        Feature("opponent_avatar", (c.SIDE,), 0, 1, "the opponent's position, one-hot"),
        Feature("to_move", (1,), 0, 1, "1 if this seat decides now"),
        Feature("swapping", (1,), 0, 1, "1 if the decision is about a swap, 0 about taking a card"),
        Feature("own_score", (1,), -64, 64, "what the own Run is worth now"),
        Feature("opponent_score", (1,), -64, 64, "what the opponent's Run is worth now"),
        Feature("cards_left", (1,), 0, c.CARDS, "cards on the grid"),
        Feature(
            "late_swaps",
            (c.CARDS,),
            -1,
            1,
            "`at_end`: who decides the swaps still open, in order: 1 this seat, -1 the opponent",
        ),
    )


def features(options: Options) -> tuple[Feature, ...]:
    """The layout grows with the number of colours in the deck; the prior comes last, if any."""
    seen = table_features(colours_in(options["deck"]))
    return seen + PRIOR_FEATURES if options["observation"] == "prior" else seen


def colours_in(deck: Sequence[tuple[str, int]]) -> int:
    """How many colours a deck has: one more than the highest colour number."""
    return 1 + max(colour for _, colour in deck)


#: Where the features begin, by the number of colours.
PLACES = offset_table(
    [table_features(colours) + PRIOR_FEATURES for colours in range(c.MOST_COLOURS + 1)]
)


@kernel
def show(state: State, card: Card, out: Vector, kind_at: At, colour_at: At) -> None:
    """One-hot, or all zeros for NONE: that reads the last card's kind, and a 0 is written."""
    shown = index(card & (c.CARDS - 1))
    out[index(kind_at + state.kind[shown])] = card != c.NONE
    out[index(colour_at + state.colour[shown])] = card != c.NONE


@kernel
def observe(state: State, seat: Seat, out: Vector) -> None:
    colours = state.colours
    at = PLACES[index(colours)]
    own_step, their_step = (1, c.SIDE) if seat == 0 else (c.SIDE, 1)
    for own in range(c.SIDE):
        for theirs in range(c.SIDE):
            card = state.grid[index(own_step * own + their_step * theirs)]
            place = c.SIDE * own + theirs
            show(state, card, out, at.grid_kind + _KINDS * place, at.grid_colour + colours * place)
    for place in range(c.RUN):
        kind_at, colour_at = _KINDS * place, colours * place
        card = state.run[index(seat), place]
        show(state, card, out, at.own_run_kind + kind_at, at.own_run_colour + colour_at)
        card = state.run[index(1 - seat), place]
        show(state, card, out, at.opponent_run_kind + kind_at, at.opponent_run_colour + colour_at)
    out[at.own_avatar + state.avatar[seat]] = 1
    out[at.opponent_avatar + state.avatar[1 - seat]] = 1
    out[at.to_move] = state.mover == seat
    out[at.swapping] = state.mover != NOBODY and state.phase == c.SWAP
    out[at.own_score] = state.points[seat]
    out[at.opponent_score] = state.points[1 - seat]
    out[at.cards_left] = state.remaining
    for late in range(state.decided, state.taken):
        out[at.late_swaps + late - state.decided] = 1 if state.takers[late] == seat else -1
    if state.with_prior and state.mover == seat:
        show_prior(state, out[at.prior : at.prior + c.ACTIONS], out[at.prospect :])


@kernel
def show_prior(state: State, prior: Vector, prospect: Vector) -> None:
    """What the heuristic makes of the mover's actions; its luck only chooses among the best."""
    legal(state, prior)
    cells, own, theirs = laid_out(state)
    best = NO_VALUE
    for action in range(c.ACTIONS):
        if prior[action] != 0:
            best = note_value(prior, action, value_of(state, cells, action, own, theirs), best)
    prospect[0] = max(-BEST, min(BEST, best))


@kernel
def report(state: State, seat: Seat, out: Numbers) -> None:
    out[0] = state.points[seat]
    out[1] = state.points[1 - seat]
    out[2] = state.remaining
