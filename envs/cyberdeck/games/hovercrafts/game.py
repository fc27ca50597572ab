"""Hovercrafts: two teams of ships on a hex map, who plan their turns in secret."""

from __future__ import annotations

from cyberdeck.engine.contract import Game, Options
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import replaying, rules
from cyberdeck.games.hovercrafts.features import METRICS, features
from cyberdeck.games.hovercrafts.heuristic import heuristic
from cyberdeck.games.hovercrafts.hidden import resample, withdraw_secret_actions
from cyberdeck.games.hovercrafts.invariants import INVARIANTS, check_state
from cyberdeck.games.hovercrafts.observation import observe, report
from cyberdeck.games.hovercrafts.options import OPTIONS, derive, most_phases, resolve_options
from cyberdeck.games.hovercrafts.starts import STARTS, prescribe
from cyberdeck.games.hovercrafts.symmetries import symmetries
from cyberdeck.games.hovercrafts.table import FIELDS, team_of


def actions(options: Options) -> tuple[tuple[int, str], ...]:
    groups = [(1, f"plan: {name}") for name in c.ACTIONS]
    if options["deployment"] == "choose":
        groups += [(6 * options["height"], "deploy in the own start column: 7 + 6 * row + facing")]
    if options["pick_side"]:
        groups += [(1, f"take the {side} side") for side in c.SIDES]
    if options["battles"] > 1:
        groups += [(1, f"upgrade: {name}") for name in c.STAT_NAMES]
    return tuple(groups)


def agents(options: Options) -> tuple[str, ...]:
    zion, machines = options["ships"]
    return (
        *(f"zion_{ship}" for ship in range(zion)),
        *(f"machines_{ship}" for ship in range(machines)),
    )


def most_decisions(options: Options) -> int:
    """A side is picked, and ships are deployed, upgraded and steered, in each battle."""
    ship = 1 + c.UPGRADES + most_phases(options) * options["max_turns"]
    return int(options["battles"] * (1 + sum(options["ships"]) * ship))


GAME = Game(
    name="hovercrafts",
    title="Hovercrafts",
    summary="Two teams of ships hunt each other on a hex map, with plans made in secret.",
    seats=agents,
    most_seats=c.SHIPS,
    options=OPTIONS,
    starts=STARTS,
    reasons=c.REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    most_decisions=most_decisions,
    rewards=(
        "`outcome`: the winning team's ships get 1, the losing team's -1, the disabled included; "
        "draw or truncation 0. `damage`: each turn also 0.1 x (hull lost by the enemies - hull "
        "lost by the own team)."
    ),
    reward_bound=16.0,
    shuffle=rules.shuffle,
    start=rules.start,
    legal=rules.legal,
    act=rules.act,
    observe=observe,
    report=report,
    resample=resample,
    heuristic=heuristic,
    check_state=check_state,
    seat_count=rules.seats,
    side=team_of,
    acts_simultaneously=rules.acts_simultaneously,
    withdraw_secret_actions=withdraw_secret_actions,
    fields=FIELDS,
    actions=actions,
    features=features,
    derive=derive,
    prescribe=prescribe,
    teams=c.TEAMS,
    resolve_options=resolve_options,
    retrace=replaying.retrace,
    next_phase=replaying.next_phase,
    secret=rules.secret,
    symmetries=symmetries,
    names=("Zion", "machine", *c.STAT_NAMES, "EMP"),
)
