"""Stacktrices: two players, stacks of pyramids on a 7x7 board, and a hidden thief on each side."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Metric, Option, Options, lazy
from cyberdeck.games.stacktrices import notation, rules
from cyberdeck.games.stacktrices.heuristic import heuristic
from cyberdeck.games.stacktrices.hidden import resample
from cyberdeck.games.stacktrices.invariants import INVARIANTS, check_state
from cyberdeck.games.stacktrices.notation import KIND_NAMES, square_name
from cyberdeck.games.stacktrices.observation import METRICS, features, observe, report

OPTIONS = (
    Option(
        "setup",
        "choose",
        "`choose`: the players hide their thieves and cap their stacks; `random`: both set-ups are "
        "drawn evenly over the legal decisions, step by step",
        choices=rules.SETUPS,
    ),
    Option(
        "first",
        "random",
        "the seat that plays white and moves first",
        choices=rules.FIRSTS,
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
        choices=rules.REWARDS,
        scoring=True,
        field="reward_mode",
    ),
    Option(
        "max_turns",
        200,
        "turns, of both players together, after which the game is truncated",
        bounds=(2, 1_000_000),
    ),
    Option(
        "observation",
        "vector",
        "`vector`; `planes`: the same as planes of the board, for convolutions; or `prior`: the "
        "vector, and what the built-in heuristic makes of each action",
        choices=rules.OBSERVATIONS,
        view=True,
        field="shown",
        renamed={"advised": "prior"},
    ),
)

STARTS = (Metric("position", "a position at the beginning of a turn, as text: see RULES.md"),)


def write_options(record: NDArray[Any], options: Options) -> None:
    record["setup"] = rules.SETUPS.index(options["setup"])
    record["first_rule"] = rules.FIRSTS.index(options["first"])
    record["steal_on_attack"] = options["steal_on_attack"]
    record["stacked_movement"] = options["stacked_movement"]
    record["reward_mode"] = rules.REWARDS.index(options["reward"])
    record["max_turns"] = options["max_turns"]
    record["shown"] = rules.OBSERVATIONS.index(options["observation"])


def read_options(record: NDArray[Any]) -> dict[str, Any]:
    state = record[0]
    return {
        "setup": rules.SETUPS[state["setup"]],
        "first": rules.FIRSTS[state["first_rule"]],
        "steal_on_attack": bool(state["steal_on_attack"]),
        "stacked_movement": bool(state["stacked_movement"]),
        "reward": rules.REWARDS[state["reward_mode"]],
        "max_turns": int(state["max_turns"]),
        "observation": rules.OBSERVATIONS[state["shown"]],
    }


def prescribe(record: NDArray[Any], options: Options) -> bool:
    """Set up the prescribed ``position``."""
    notation.read(record, options["position"])
    return True


# --- actions -------------------------------------------------------------------------------------


def actions(options: Options) -> tuple[tuple[int, str], ...]:
    stacked, steal = options["stacked_movement"], options["steal_on_attack"]
    width = rules.KINDS if stacked else 1 + rules.SIZES
    of_it = "6 * stack + kind"
    if not stacked:
        of_it = "4 * stack + 0 movement, 1 skill pawn, 2 skill drone, 3 skill queen"
    kinds = ", ".join(f"{at} {name}" for at, name in enumerate(KIND_NAMES))
    groups = (
        (rules.HIDES, "move: 49 * stack + 7 * rank + file, ranks counted from the own home row"),
        (rules.DRONES, "hide the vulnerability under that drone"),
        (rules.STACKS * rules.KINDS, f"put a piece on an own stack: 6 * stack + kind ({kinds})"),
        (rules.STACKS * width, f"pick an own piece, to give or to raise: {of_it}"),
        (rules.STACKS * width, f"pick a piece of the opponent's, to steal or to raid: {of_it}"),
        (1, "claim a raid"),
        (1, "end the turn"),
        (1, "call the trade off"),
    )
    return (*groups, (1, "expose the thief, to steal from what it captured")) if steal else groups


def action_name(record: NDArray[Any], action: int) -> str:
    state = record[0]
    seat = max(int(state["mover"]), 0)
    after = action - int(rules.claim(state))
    last = rules.EXPOSE if state["steal_on_attack"] else rules.CALL_OFF
    if not action >= 0 or after > last:
        return f"nothing (actions are 0 to {action - after + last})"
    if after >= 0:
        return ("claim a raid", "end the turn", "call the trade off", "expose the thief")[after]
    if action < rules.HIDES:
        stack, target = divmod(action, rules.SQUARES)
        where = square_name(record, int(rules.mirrored(seat, target)))
        return f"move {stack_name(record, seat, stack)} to {where}"
    if action < rules.PUTS:
        return f"hide the thief under {stack_name(record, seat, action - rules.HIDES)}"
    if action < rules.OWN_PICKS:
        stack, kind = divmod(action - rules.PUTS, rules.KINDS)
        return f"put a {KIND_NAMES[kind]} on {stack_name(record, seat, stack)}"
    theirs = int(rules.their_picks(state))
    own = action < theirs
    choice = action - (rules.OWN_PICKS if own else theirs)
    stack = int(rules.picked_stack(state, choice))
    owner = seat if own else 1 - seat
    heap = state["loot"] if state["phase"] == rules.STEAL else state["pieces"][owner, stack]
    kind = int(rules.picked_kind(state, heap, choice))
    name = KIND_NAMES[kind] if heap[kind] else "piece that is not there"
    if state["phase"] == rules.STEAL and not own:
        return f"steal the {name} of the captured stack {stack}"
    doing = "raise" if state["phase"] == rules.RAID else "give"
    return f"{doing if own else 'take'} the {name} of {stack_name(record, owner, stack)}"


def stack_name(record: NDArray[Any], seat: int, stack: int) -> str:
    """A stack in words."""
    square = int(record["square"][0, seat, stack])
    base = "drone" if stack < rules.DRONES else "queen"
    where = "captured" if square == rules.NONE else square_name(record, square)
    return f"stack {stack} ({base}, {where})"


def events(before: NDArray[Any], after: NDArray[Any]) -> list[str]:
    """A capture, and whether it was the thief's hiding place."""
    lost = (before["square"][0] != rules.NONE) & (after["square"][0] == rules.NONE)
    words = []
    for seat, stack in zip(*lost.nonzero(), strict=True):
        thief = ", with the thief" if before["thief"][0, seat] == stack else ""
        name = stack_name(before, int(seat), int(stack))
        words.append(f"player_{seat} loses {name}{thief}")
    return words


SECRET = (rules.HIDE, rules.CAP, rules.HIDE_AGAIN, rules.HIDE_RAIDER)


def secret(record: NDArray[Any], seat: int) -> bool:
    """The set-up is made in secret, and so is hiding the thief later."""
    state = record[0]
    return int(state["mover"]) != seat and int(state["phase"]) in SECRET


GAME = Game(
    name="stacktrices",
    title="Stacktrices",
    gym_id="cyberdeck/Stacktrices-v0",
    summary="Two sides of stacked pyramids fight on a 7x7 board; each hides a thief.",
    seats=("player_0", "player_1"),
    options=OPTIONS,
    starts=STARTS,
    reasons=rules.REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    rewards=(
        "`outcome`: win 1, loss -1, draw or truncation 0. `material`: at the end of each turn also "
        "0.01 x the change of (own - opponent's) pips on stacks."
    ),
    reward_bound=2.0,
    shuffle=rules.shuffle,
    start=rules.start,
    legal=rules.legal,
    act=rules.act,
    observe=observe,
    report=report,
    resample=resample,
    heuristic=heuristic,
    check_state=check_state,
    fields=rules.FIELDS,
    actions=actions,
    features=features,
    prescribe=prescribe,
    action_name=action_name,
    svg=lazy("cyberdeck.games.stacktrices.drawing", "svg"),
    text=lazy("cyberdeck.games.stacktrices.drawing", "text"),
    events=events,
    secret=secret,
)
