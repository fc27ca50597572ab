"""Hovercrafts: the campaign, a war of several battles between the same fleets (ruling V20)."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Action, Seat, State, int64, kernel
from cyberdeck.engine.record import RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.deployment import clear, repair_all, settle_sides
from cyberdeck.games.hovercrafts.goals import Verdict
from cyberdeck.games.hovercrafts.maps import draw_map
from cyberdeck.games.hovercrafts.table import Slot, Team, alive, team_of

STATS = len(c.STAT_NAMES)


@kernel
def begin_war(state: State) -> None:
    """No battle has been fought, and no ship has been upgraded."""
    if battles_of(state) == 1:
        return  # nothing has ever been written
    state.battle = 0
    state.battle_reason = 0
    state.won[:] = 0
    state.second[:] = 0
    state.upgrade[:] = c.NONE
    for seat in range(c.SHIPS):
        for stat in range(STATS):
            raise_stat(state, seat, stat, -int64(state.raised[seat, stat]))


@kernel
def battles_of(state: State) -> int:
    """How many battles the war may have; 1: there is no war."""
    return c.BATTLES[state.battles]


# --- the score of battles ------------------------------------------------------------------------


@kernel
def count_battle(state: State, reason: int, winner: Team) -> None:
    state.battle += 1
    state.battle_reason = reason
    if winner != c.NONE:
        state.won[winner] += 1


@kernel
def judge_war(state: State) -> Verdict:
    """The war ends when the lead exceeds the battles left."""
    lead = int64(state.won[c.ZION]) - state.won[c.MACHINES]
    left = battles_of(state) - state.battle
    if left > 0 and abs(lead) <= left:
        return RUNNING, c.NONE
    if lead == 0:
        return c.WAR_DRAWN, c.NONE
    return c.WAR_WON, c.ZION if lead > 0 else c.MACHINES


# --- between two battles -------------------------------------------------------------------------


@kernel
def muster(state: State, winner: Team) -> None:
    """Ships come back and are repaired; then all may be upgraded. What can be told of the last turn
    stays until the next battle begins.
    """
    for seat in range(c.SHIPS):
        survived = alive(state, seat) or state.escaped[seat] == 1
        state.second[seat] = survived and team_of(state, seat) == winner
    state.cell[:] = c.NONE
    repair_all(state)
    state.actions[:] = 0
    state.plan[:] = c.NONE
    state.lost[:] = 0
    state.slot = 0
    state.phase = c.UPGRADE
    if not next_to_upgrade(state, 0):
        begin_battle(state)


@kernel
def begin_battle(state: State) -> None:
    """Another map, and another roll for the sides."""
    clear(state)
    state.second[:] = 0
    draw_map(state)
    state.starting = dice.below(state, 2)
    settle_sides(state)


# --- upgrades ------------------------------------------------------------------------------------


@kernel
def stat_of(state: State, seat: Seat, stat: int) -> int:
    if stat == c.HULL:
        return int64(state.hull[seat])
    if stat == c.SHIELD:
        return int64(state.shield[seat])
    if stat == c.BALLISTIC:
        return int64(state.ballistic[seat])
    return int64(state.energy[seat])


@kernel
def raise_stat(state: State, seat: Seat, stat: int, by: int) -> None:
    state.raised[seat, stat] += by
    if stat == c.HULL:
        state.hull[seat] += by
    elif stat == c.SHIELD:
        state.shield[seat] += by
    elif stat == c.BALLISTIC:
        state.ballistic[seat] += by
    else:
        state.energy[seat] += by


@kernel
def limit(stat: int) -> int:
    return c.MOST_HULL if stat == c.HULL else c.MOST_STAT


@kernel
def upgrades_due(state: State, seat: Seat) -> int:
    """How many stats a ship raises before the next battle: one or two, if they can be raised."""
    room = 0
    for stat in range(STATS):
        room += limit(stat) - stat_of(state, seat, stat)
    return min(room, 1 + int64(state.second[seat]))


@kernel
def may_raise(state: State, seat: Seat, slot: Slot, stat: int) -> bool:
    """Whether a stat is below its limit, with what the ship has chosen before."""
    chosen = slot > 0 and state.upgrade[seat, 0] == stat
    return stat_of(state, seat, stat) + chosen < limit(stat)


@kernel
def next_to_upgrade(state: State, first: Seat) -> bool:
    """First points in the order of the seats, then second points."""
    while state.slot < c.UPGRADES:
        for seat in range(first, state.seats):
            if upgrades_due(state, seat) > state.slot and state.upgrade[seat, state.slot] == c.NONE:
                state.mover = seat
                return True
        first = 0
        state.slot += 1
    return False


@kernel
def choose_upgrade(state: State, stat: Action) -> None:
    """The mover's choice; after the last one all are carried out, and the next battle begins."""
    mover = int64(state.mover)
    state.upgrade[mover, state.slot] = stat
    if next_to_upgrade(state, mover + 1):
        return
    for seat in range(state.seats):
        for slot in range(c.UPGRADES):
            if state.upgrade[seat, slot] != c.NONE:
                raise_stat(state, seat, int64(state.upgrade[seat, slot]), 1)
    state.upgrade[:] = c.NONE
    begin_battle(state)
