"""Stacktrices: two players, stacks of pyramids on a 7x7 board, and a hidden thief on each side."""

from __future__ import annotations

from cyberdeck.engine.contract import Game, Metric, Option, Options, Record
from cyberdeck.games.stacktrices import board, notation, rules, setup
from cyberdeck.games.stacktrices import constants as c
from cyberdeck.games.stacktrices.heuristic import heuristic
from cyberdeck.games.stacktrices.hidden import resample
from cyberdeck.games.stacktrices.invariants import INVARIANTS, check_state
from cyberdeck.games.stacktrices.names import KIND_NAMES
from cyberdeck.games.stacktrices.observation import METRICS, features, observe, report
from cyberdeck.games.stacktrices.symmetries import symmetries

OPTIONS = (
    Option(
        "setup",
        "choose",
        "`choose`: the players hide their thieves and cap their stacks; `random`: both set-ups are "
        "drawn evenly over the legal decisions, step by step",
        choices=board.SETUPS,
    ),
    Option(
        "first",
        "random",
        "the seat that plays white and moves first",
        choices=board.FIRSTS,
        field="first_rule",
    ),
    Option(
        "steal_on_attack",
        False,
        "the text's variant 1: a thief that captures may expose itself to steal",
        choices=(False, True),
    ),
    Option(
        "stacked_movement",
        False,
        "the text's variant 2: after the set-up a stack may hold several movement pieces",
        choices=(False, True),
    ),
    Option(
        "reward",
        "outcome",
        "`outcome`: who wins; `material`: and 0.01 for each pip by which the difference of own and "
        "opponent's pieces on stacks grows in a turn",
        choices=board.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Option(
        "max_turns",
        200,
        "turns, of both players together, after which the game is truncated",
        bounds=(2, board.LONGEST_GAME),
    ),
    Option(
        "observation",
        "vector",
        "`vector`; `planes`: the same as planes of the board, for convolutions; or `prior`: the "
        "vector, and what the built-in heuristic makes of each action",
        choices=board.OBSERVATIONS,
        view=True,
        field="shown",
    ),
)

STARTS = (Metric("position", "a position at the beginning of a turn, as text: see RULES.md"),)


def prescribe(record: Record, options: Options) -> bool:
    """Set up the prescribed ``position``."""
    notation.read(record, options["position"])
    return True


def actions(options: Options) -> tuple[tuple[int, str], ...]:
    stacked, steal = options["stacked_movement"], options["steal_on_attack"]
    width = c.KINDS if stacked else 1 + c.SIZES
    of_it = "6 * stack + kind"
    if not stacked:
        of_it = "4 * stack + 0 movement, 1 skill pawn, 2 skill drone, 3 skill queen"
    kinds = ", ".join(f"{at} {name}" for at, name in enumerate(KIND_NAMES))
    groups = (
        (c.HIDES, "move: 49 * stack + 7 * rank + file, ranks counted from the own home row"),
        (c.DRONES, "hide the vulnerability under that drone"),
        (c.STACKS * c.KINDS, f"put a piece on an own stack: 6 * stack + kind ({kinds})"),
        (c.STACKS * width, f"pick an own piece, to give or to raise: {of_it}"),
        (c.STACKS * width, f"pick a piece of the opponent's, to steal or to raid: {of_it}"),
        (1, "claim a raid"),
        (1, "end the turn"),
        (1, "call the trade off"),
    )
    return (*groups, (1, "expose the thief, to steal from what it captured")) if steal else groups


GAME = Game(
    name="stacktrices",
    title="Stacktrices",
    summary="Two sides of stacked pyramids fight on a 7x7 board; each hides a thief.",
    seats=("player_0", "player_1"),
    options=OPTIONS,
    starts=STARTS,
    reasons=c.REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    most_decisions=lambda options: c.MOST_IN_SETUP + c.MOST_IN_TURN * int(options["max_turns"]),
    rewards=(
        "`outcome`: win 1, loss -1, draw or truncation 0. `material`: at the end of each turn also "
        "0.01 x the change of (own - opponent's) pips on stacks."
    ),
    reward_bound=2.0,
    shuffle=setup.shuffle,
    start=setup.start,
    legal=rules.legal,
    act=rules.act,
    observe=observe,
    report=report,
    resample=resample,
    heuristic=heuristic,
    check_state=check_state,
    fields=board.FIELDS,
    actions=actions,
    features=features,
    prescribe=prescribe,
    secret=rules.secret,
    symmetries=symmetries,
    names=(
        *("white", "black", "thief", "vulnerability", "pupil", "pawn", "drone", "queen"),
        *("raid", "warp", "pip"),
    ),
)
