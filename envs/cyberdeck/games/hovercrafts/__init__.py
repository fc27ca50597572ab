"""Hovercrafts: two teams of ships on a hex map, who plan their turns in secret."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cyberdeck.engine.contract import Game, Options, lazy
from cyberdeck.games.hovercrafts import narration, rules
from cyberdeck.games.hovercrafts.heuristic import heuristic
from cyberdeck.games.hovercrafts.hidden import resample, withdraw_secret_actions
from cyberdeck.games.hovercrafts.invariants import INVARIANTS, check_state
from cyberdeck.games.hovercrafts.observation import METRICS, features, observe, report
from cyberdeck.games.hovercrafts.options import (
    OPTIONS,
    read_options,
    resolve_options,
    write_options,
)
from cyberdeck.games.hovercrafts.starts import STARTS, prescribe
from cyberdeck.games.hovercrafts.table import (
    ACTIONS,
    DEPLOY,
    FACINGS,
    FIELDS,
    NONE,
    PLACES,
    REASONS,
    SHIPS,
    TEAMS,
    team_of,
)


def actions(options: Options) -> tuple[tuple[int, str], ...]:
    planned = tuple((1, f"plan: {name}") for name in ACTIONS)
    if options["deployment"] == "random":
        return planned
    deployed = "deploy in the own start column: 7 + 6 * row + facing"
    return (*planned, (6 * options["height"], deployed))


def action_name(record: NDArray[Any], action: int) -> str:
    if 0 <= action < PLACES:
        return ACTIONS[action]
    row, facing = divmod(action - PLACES, len(FACINGS))
    if action >= 0 and row < record["height"][0]:
        return f"deploy in row {row}, facing {FACINGS[facing]}"
    return "nothing"


def agents(options: Options) -> tuple[str, ...]:
    zion, machines = options["ships"]
    return (
        *(f"zion_{ship}" for ship in range(zion)),
        *(f"machines_{ship}" for ship in range(machines)),
    )


def secret(record: NDArray[Any], seat: int) -> bool:
    """Deployments are open, plans are not."""
    state = record[0]
    return bool(state["phase"] != DEPLOY and state["mover"] != seat)


def public(record: NDArray[Any]) -> NDArray[Any]:
    """Plans are not shown to spectators before they are carried out."""
    record["plan"] = NONE
    return record


GAME = Game(
    name="hovercrafts",
    title="Hovercrafts",
    version=1,
    changes={1: "the observation shows the whole map, and what was carried out in the last turn"},
    summary="Two teams of ships hunt each other on a hex map, with plans made in secret.",
    seats=agents,
    most_seats=SHIPS,
    options=OPTIONS,
    starts=STARTS,
    reasons=REASONS,
    metrics=METRICS,
    invariants=INVARIANTS,
    rewards=(
        "`outcome`: the winning team's ships get 1, the losing team's -1, the disabled included; "
        "draw or truncation 0. `damage`: each turn also 0.1 x (hull lost by the enemies - hull "
        "lost by the own team)."
    ),
    reward_bound=1e4,
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
    write_options=write_options,
    read_options=read_options,
    prescribe=prescribe,
    action_name=action_name,
    svg=lazy("cyberdeck.games.hovercrafts.drawing", "svg"),
    text=narration.text,
    teams=TEAMS,
    resolve_options=resolve_options,
    events=narration.events,
    frames=narration.frames,
    secret=secret,
    public=public,
)
