"""MATR1X 0VERL0AD: a one-player card game in three editions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Metric, Option, Options, lazy, whole_numbers
from cyberdeck.errors import OptionError
from cyberdeck.games.matrix_overload import rules
from cyberdeck.games.matrix_overload.heuristic import heuristic
from cyberdeck.games.matrix_overload.invariants import INVARIANTS, check_state
from cyberdeck.games.matrix_overload.observation import METRICS, features, observe, report

OPTIONS = (
    Option(
        "edition",
        "firewall",
        "which edition's rules: the digital game in its two themes, or the printed rule book",
        choices=rules.EDITIONS,
    ),
    Option(
        "reward",
        "win",
        "`win`: 1 for a won game; `royals`: 1/12 for each royal as it falls as well",
        choices=rules.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Option("max_steps", 500, "cards played before the game is truncated", bounds=(1, 1_000_000)),
    Option(
        "observation",
        "cards",
        "`cards`, or `counted`: also what follows from them, so that a network need not count",
        choices=rules.OBSERVATIONS,
        view=True,
        field="counted",
    ),
)

STARTS = (Metric("deck", "the whole shuffled deck as card ids, first card drawn first"),)

RANKS = ("", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("clubs", "hearts", "spades", "diamonds")


def card_name(card: int, edition: int = rules.ROYALS) -> str:
    """A card in words, as its edition shows it."""
    if card >= rules.JOKER:
        return "the joker"
    value, suit = int(rules.VALUE[card]), int(rules.SUIT[card])
    if edition == rules.FIREWALL and value > 10:
        if value == 11:
            return "an 11"
        if value == 12:
            return f"a {('black', 'red')[suit & 1]} 12"
        return f"the 13 of {SUITS[suit]}"
    return f"{RANKS[value]} of {SUITS[suit]}"


def pile_name(action: int) -> str:
    """A pile in words."""
    if action < rules.INNER:
        return f"the inner pile in row {action // 3 + 1}, column {action % 3 + 1}"
    outer = action - rules.INNER
    beside = int(rules.BORDERS[outer])
    if outer < 3:
        return f"the outer pile above column {outer + 1}"
    if outer >= 9:
        return f"the outer pile below column {outer - 8}"
    side = "right" if (outer - 3) % 2 else "left"
    return f"the outer pile {side} of row {beside // 3 + 1}"


def action_name(record: NDArray[Any], action: int) -> str:
    state = record[0]
    if not 0 <= action < rules.ACTIONS:
        return f"no pile (piles are 0 to {rules.ACTIONS - 1})"
    if state["left"] == 0:
        return pile_name(action)
    card = int(state["draw"][state["head"]])
    return f"{card_name(card, int(state['edition']))} on {pile_name(action)}"


def events(before: NDArray[Any], after: NDArray[Any]) -> list[str]:
    """The royals that have fallen."""
    edition = int(after[0]["edition"])
    fallen = (after[0]["dead"] > before[0]["dead"]).nonzero()[0]
    return [
        f"{card_name(int(after[0]['royal'][outer]), edition)} "
        f"on {pile_name(rules.INNER + int(outer))} falls"
        for outer in fallen
    ]


def write_options(record: NDArray[Any], options: Options) -> None:
    record["edition"] = rules.EDITIONS.index(options["edition"])
    record["reward_mode"] = rules.REWARDS.index(options["reward"])
    record["max_steps"] = options["max_steps"]
    record["counted"] = rules.OBSERVATIONS.index(options["observation"])


def read_options(record: NDArray[Any]) -> dict[str, Any]:
    state = record[0]
    return {
        "edition": rules.EDITIONS[state["edition"]],
        "reward": rules.REWARDS[state["reward_mode"]],
        "max_steps": int(state["max_steps"]),
        "observation": rules.OBSERVATIONS[state["counted"]],
    }


def prescribe(record: NDArray[Any], options: Options) -> bool:
    """Write the prescribed ``deck`` into the record."""
    edition = rules.EDITIONS[record[0]["edition"]]
    count = rules.CARDS if edition == "rulebook" else rules.CARDS - 1
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
    gym_id="cyberdeck/MatrixOverload-v0",
    summary="One player against twelve royals: build lines in a 3x3 matrix that overload them.",
    seats=("player",),
    options=OPTIONS,
    starts=STARTS,
    reasons=rules.REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    rewards=(
        "`win`: 1 when all twelve royals are dead, else 0. `royals`: 1/12 for each royal as it "
        "falls, and 1 more for a won game."
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
    fields=rules.FIELDS,
    actions=ACTIONS,
    features=features,
    prescribe=prescribe,
    action_name=action_name,
    svg=lazy("cyberdeck.games.matrix_overload.drawing", "svg"),
    text=lazy("cyberdeck.games.matrix_overload.drawing", "text"),
    events=events,
)
