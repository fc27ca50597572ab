"""Hovercrafts: the goals of a battle (rulings V15 to V18), and who has reached one."""

from __future__ import annotations

from typing import TypeAlias

from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.engine.record import RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.ships import ships_left
from cyberdeck.games.hovercrafts.table import Cell, Facing, Team, alive, column_of, ship_at, team_of

#: How a battle has ended, RUNNING if it has not; and who won it, or NONE.
Verdict: TypeAlias = tuple[int, Team]


@kernel
def verdict(state: State) -> Verdict:
    """At the end of a turn: the goal, then the fleets, then the time."""
    reason, winner = RUNNING, c.NONE
    if state.goal == c.FLAGSHIP:
        reason, winner = judge_flagships(state)
    elif state.goal == c.SEIZE:
        reason, winner = judge_points(state)
    elif state.goal == c.BREAKTHROUGH:
        reason, winner = judge_breakthrough(state)
    if reason == RUNNING:
        reason, winner = judge_fleets(state)
    if reason == RUNNING and state.turns >= state.max_turns:
        reason = c.MAX_TURNS
    return reason, winner


@kernel
def judge_losses(zion: bool, machines: bool, one: int, both: int) -> Verdict:
    """By which sides have lost what they may not lose: *one* or *both* of them."""
    if zion and machines:
        return both, c.NONE
    if zion or machines:
        return one, c.MACHINES if zion else c.ZION
    return RUNNING, c.NONE


@kernel
def judge_fleets(state: State) -> Verdict:
    """A side without ships on the map loses to one that has any."""
    zion, machines = ships_left(state, c.ZION) == 0, ships_left(state, c.MACHINES) == 0
    return judge_losses(zion, machines, c.DISABLED_ALL, c.BOTH_OUT)


# --- flagship ------------------------------------------------------------------------------------


@kernel
def flagship_of(state: State, team: Team) -> Seat:
    """The lowest seat of a side."""
    return 0 if team == c.ZION else int64(state.zion)


@kernel
def judge_flagships(state: State) -> Verdict:
    zion = not alive(state, flagship_of(state, c.ZION))
    machines = not alive(state, flagship_of(state, c.MACHINES))
    return judge_losses(zion, machines, c.FLAGSHIP_OUT, c.FLAGSHIPS_OUT)


# --- seize ---------------------------------------------------------------------------------------


@kernel
def locations_wanted(state: State) -> int:
    """How many are drawn."""
    return c.LOCATIONS[state.locations]


@kernel
def score_locations(state: State) -> None:
    """A point for each location on which a ship stands."""
    for location in state.location:
        if location != c.NONE:
            seat = ship_at(state, location)
            if seat != c.NONE:
                state.points[team_of(state, seat)] += 1


@kernel
def judge_points(state: State) -> Verdict:
    zion, machines = int64(state.points[c.ZION]), int64(state.points[c.MACHINES])
    if max(zion, machines) < state.points_to_win:
        return RUNNING, c.NONE
    if zion == machines:
        return c.POINTS_EQUAL, c.NONE
    return c.POINTS, c.ZION if zion > machines else c.MACHINES


# --- breakthrough --------------------------------------------------------------------------------


@kernel
def attacks(state: State, seat: Seat) -> bool:
    """Whether a ship has to break through."""
    return state.goal == c.BREAKTHROUGH and team_of(state, seat) == state.starting


@kernel
def escapes(state: State, seat: Seat, cell: Cell, facing: Facing) -> bool:
    """Whether a move from a pose breaks through: an attacker's, over the leftmost column's edge,
    corners included.
    """
    return attacks(state, seat) and column_of(cell) == 0 and facing >= c.WESTWARD


@kernel
def ships_of(state: State, team: Team) -> int:
    """With how many ships a side begins."""
    return int64(state.zion if team == c.ZION else state.seats - state.zion)


@kernel
def escapes_needed(state: State) -> int:
    """Of the attackers."""
    return int64(state.escapes[state.starting])


@kernel
def ships_escaped(state: State) -> int:
    count = 0
    for seat in range(state.seats):
        count += state.escaped[seat]
    return count


@kernel
def judge_breakthrough(state: State) -> Verdict:
    """Enough escaped; no defender in the way; too few left; out of time."""
    attackers, defenders = int64(state.starting), 1 - int64(state.starting)
    escaped, needed = ships_escaped(state), escapes_needed(state)
    attacking = ships_left(state, attackers)
    if escaped >= needed:
        return c.ESCAPED, attackers
    if attacking > 0 and ships_left(state, defenders) == 0:
        return c.DISABLED_ALL, attackers
    if attacking + escaped < needed or state.turns >= state.max_turns:
        return c.HELD, defenders
    return RUNNING, c.NONE
