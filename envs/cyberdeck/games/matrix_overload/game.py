"""MATR1X 0VERL0AD: a one-player card game in three editions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Metric, Option, Options, whole_numbers
from cyberdeck.errors import OptionError
from cyberdeck.games.matrix_overload import rules, table
from cyberdeck.games.matrix_overload.constants import CARDS, EDITIONS, REASONS, SUITS
from cyberdeck.games.matrix_overload.heuristic import heuristic
from cyberdeck.games.matrix_overload.invariants import INVARIANTS, check_state
from cyberdeck.games.matrix_overload.observation import METRICS, features, observe, report
from cyberdeck.games.matrix_overload.symmetries import SYMMETRIES

OPTIONS = (
    Option(
        "edition",
        "firewall",
        "which edition's rules: the digital game in its two themes, or the printed rule book",
        choices=EDITIONS,
    ),
    Option(
        "reward",
        "win",
        "`win`: 1 for a won game; `royals`: 1/12 (the float32 just below) for each royal as it "
        "falls as well",
        choices=table.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Option("max_steps", 500, "moves before the game is ended", bounds=(1, 1_000_000)),
    Option(
        "stall",
        None,
        "what `max_steps` does to a game: `truncate` it, or `lose` it. By default a game of "
        "`rulebook` is lost, as its text wants, and any other is truncated",
        choices=table.STALLS,
    ),
    Option(
        "observation",
        "cards",
        "`cards`, or `counted`: also what follows from them, so that a network need not count",
        choices=table.OBSERVATIONS,
        view=True,
        field="counted",
    ),
)

STARTS = (Metric("deck", "the whole shuffled deck as card ids, first card drawn first"),)


def resolve_options(options: dict[str, Any]) -> dict[str, Any]:
    """Only the rule book calls an endless loop a loss."""
    usual = "lose" if options["edition"] == "rulebook" else "truncate"
    return options | {"stall": options["stall"] or usual}


def prescribe(record: NDArray[Any], options: Options) -> bool:
    """Write the prescribed ``deck`` into the record."""
    edition = EDITIONS[record[0]["edition"]]
    count = CARDS if edition == "rulebook" else CARDS - 1
    deck = whole_numbers(options["deck"])
    if deck is None:
        raise OptionError(
            f"deck={options['deck']!r} is not a deck: it must be a list of {count} card ids"
        )
    if sorted(deck) != list(range(count)):
        missing = sorted(set(range(count)) - set(deck))
        twice = sorted({card for card in deck if deck.count(card) > 1})
        foreign = sorted(set(deck) - set(range(count)))
        trouble = [
            f"{what}: {', '.join(map(str, cards))}"
            for what, cards in (("missing", missing), ("twice", twice), ("unknown", foreign))
            if cards
        ]
        raise OptionError(
            f"the deck must hold each card 0 to {count - 1} once in the {edition} edition "
            f"(13 * suit + value - 1; suits {', '.join(SUITS)}; jokers from 52); "
            + "; ".join(trouble)
        )
    record["draw"][0, :count] = np.array(deck, np.int8)
    return False


ACTIONS = (
    (9, "play the face-up card on an inner pile, in reading order"),
    (3, "on an outer pile above the matrix, from left to right"),
    (6, "on the outer piles left and right of each row, from the top"),
    (3, "on an outer pile below the matrix, from left to right"),
)


GAME = Game(
    name="matrix_overload",
    title="MATR1X 0VERL0AD",
    summary="One player against twelve royals: build lines in a 3x3 matrix that overload them.",
    seats=("player",),
    options=OPTIONS,
    starts=STARTS,
    reasons=REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    most_decisions=lambda options: int(options["max_steps"]),
    rewards=(
        "`win`: 1 when all twelve royals are dead, else 0. `royals`: 1/12 for each royal as it "
        "falls, and 1 more for a won game. A lost game brings nothing, an illegal action with "
        '`illegal="lose"` -1: so a learner without masks is told.'
    ),
    reward_bound=2.0,
    shuffle=rules.shuffle,
    start=rules.start,
    legal=rules.legal,
    act=rules.act,
    observe=observe,
    report=report,
    resample=rules.resample,
    heuristic=heuristic,
    check_state=check_state,
    fields=table.FIELDS,
    actions=ACTIONS,
    features=features,
    resolve_options=resolve_options,
    prescribe=prescribe,
    symmetries=SYMMETRIES,
    names=(
        *(
            "matrix",
            "firewall",
            "royal",
            "ICE",
            "ace",
            "jack",
            "queen",
            "king",
            "joker",
        ),
        *("club", "heart", "spade", "diamond", *"♣♥♠♦"),
    ),
)
