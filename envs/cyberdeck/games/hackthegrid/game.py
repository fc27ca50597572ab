"""HACKtheGRID: two hackers collect cards from a 4x4 grid, everything in the open."""

from __future__ import annotations

from typing import Any

from cyberdeck.engine.contract import (
    Columns,
    Game,
    Metric,
    Option,
    Options,
    Record,
    is_whole,
    whole_numbers,
)
from cyberdeck.errors import OptionError, require
from cyberdeck.games.hackthegrid import constants as c
from cyberdeck.games.hackthegrid import rules
from cyberdeck.games.hackthegrid.heuristic import heuristic
from cyberdeck.games.hackthegrid.invariants import INVARIANTS, check_state
from cyberdeck.games.hackthegrid.observation import METRICS, colours_in, features, observe, report
from cyberdeck.games.hackthegrid.symmetries import SYMMETRIES

#: Rulings H1 and H2: the colours of the cards of each kind.
_DEALT = {
    "SCRAMBLE": (0, 1),
    "SIGNAL SPIKE": (1, 2, 3),
    "FIREWALL": (0, 2, 3),
    "LOOPBACK": (2, 3),
    "NET NODE": (0, 1, 3),
    "DATA PACKET": (0, 1, 2),
}
#: The deck: (kind, colour) of the cards 0 to 15.
DEFAULT_DECK = tuple((kind, colour) for kind, colours in _DEALT.items() for colour in colours)


def named_kind(kind: Any) -> Any:
    """A kind as on the cards, from its name in any case, with spaces, underscores or hyphens."""
    return kind.upper().replace("_", " ").replace("-", " ") if isinstance(kind, str) else kind


def numbered_colour(colour: Any) -> Any:
    if not isinstance(colour, str):
        return colour
    names = ", ".join(c.COLOURS)
    needed = f"choose a number from 0 to {c.MOST_COLOURS - 1}, or one of {names}"
    require(colour in c.COLOURS, "colour", colour, needed)
    return c.COLOURS.index(colour)


OPTIONS = (
    Option(
        "scramble",
        "on_take",
        "when a SCRAMBLE's swap is decided: when it is taken, or after the last card",
        choices=c.SCRAMBLES,
    ),
    Option(
        "reward",
        "outcome",
        "`outcome`: who wins; `margin`: by how much, as (own - opponent's score) / 20. If cards "
        "remain, both get -1: with `margin` a loss by two points costs 0.1, so a learner prefers "
        'to lose alone, as `ties="friendly"` of the solver; with `outcome` it does not care, '
        "and either of its `ties` fits",
        choices=c.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Columns(
        "deck",
        DEFAULT_DECK,
        f"the cards; the colours 0 to 3 are also called {', '.join(c.COLOURS)}",
        columns=(
            Option("kind", c.KINDS[0], choices=c.KINDS, check=named_kind),
            Option("colour", 0, bounds=(0, c.MOST_COLOURS - 1), check=numbered_colour),
        ),
        rows=c.CARDS,
    ),
    Option(
        "observation",
        "vector",
        "`vector`, or `prior`: also what the heuristic makes of each action",
        choices=c.OBSERVATIONS,
        view=True,
        field="with_prior",
    ),
)

STARTS = (
    Metric("grid", "the 16 cards row by row, as indices into the deck"),
    Metric("first", "the seat that moves first, 0 or 1 (drawn if only the grid is given)"),
)


def derive(record: Record, options: Options) -> None:
    record["colours"] = colours_in(options["deck"])


def prescribe(record: Record, options: Options) -> bool:
    """Write the prescribed ``grid`` and who moves ``first`` into the record."""
    if "grid" in options:
        grid = whole_numbers(options["grid"])
        if grid is None or sorted(grid) != list(range(c.CARDS)):
            raise OptionError(
                f"grid={options['grid']!r} is not a grid: it must hold each card 0 to 15 "
                "(its index in the deck) once, row by row"
            )
        record["grid"] = grid
    if "first" in options:
        first = options["first"]
        if not is_whole(first) or first not in (0, 1):
            raise OptionError(
                f"first={first!r} is not a seat: 0 is the column hacker, 1 the row hacker"
            )
        record["first"] = first
    return False


ACTIONS = (
    (c.SIDE, "go to that position along the own edge and take the card at the crossing"),
    (c.RUN * c.RUN, "swap the own i-th card for the opponent's j-th: 4 + 8 * i + j"),
    (1, "decline the swap"),
)


GAME = Game(
    name="hackthegrid",
    title="HACKtheGRID",
    gym_id="cyberdeck/HackTheGrid",
    summary="Two hackers steer one crossing over a 4x4 grid and collect what it shows.",
    seats=("column", "row"),
    options=OPTIONS,
    starts=STARTS,
    reasons=c.REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    most_decisions=2 * c.CARDS,
    rewards=(
        "`outcome`: win 1, loss -1, draw 0. `margin`: (own - opponent's score) / 20 within -1 "
        "and 1. If cards remain on the grid, both get -1."
    ),
    reward_bound=1.0,
    shuffle=rules.shuffle,
    start=rules.start,
    legal=rules.legal,
    act=rules.act,
    observe=observe,
    report=report,
    heuristic=heuristic,
    check_state=check_state,
    fields=rules.FIELDS,
    actions=ACTIONS,
    features=features,
    derive=derive,
    prescribe=prescribe,
    symmetries=SYMMETRIES,
    names=("hacker", "Run", "array", *c.KINDS, "SPIKE", "NODE", "PACKET", *c.COLOURS),
)
