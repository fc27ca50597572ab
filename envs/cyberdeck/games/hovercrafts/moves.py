"""Hovercrafts: moves, settled in the steps a to e (ruling V5)."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.games.hovercrafts.constants import MOST_TIES, MOVE, NONE, OFF_MAP, SHIPS, WALL
from cyberdeck.games.hovercrafts.goals import escapes
from cyberdeck.games.hovercrafts.ships import check, damage
from cyberdeck.games.hovercrafts.table import Cell, Ships, alive, beside, ship_at


@kernel
def carry_out_moves(state: State) -> None:
    """All at once, settled in the steps a to e."""
    leave_and_crash(state)
    aiming, last = 0, NONE
    for seat in range(state.seats):
        if state.aim[seat] != NONE:
            aiming += 1
            last = seat
    if aiming <= 1:  # nobody is in its way but ships that stay
        if aiming == 1:
            enter(state, last)
        return
    # Step b: for each hex that several ships aim at, energy checks give an order.
    state.place[:] = 0
    hexagon = next_aim(state, NONE)
    while hexagon != NONE:
        contest(state, hexagon)
        hexagon = next_aim(state, hexagon)
    waiting = settle_claimants(state)
    settle_rings(state, waiting)
    settle_trailers(state)


@kernel
def leave_and_crash(state: State) -> None:
    """Step a: off the map, to safety or not, and into walls; all other moves aim at a hex."""
    for seat in range(state.seats):
        state.aim[seat] = NONE
        if state.done[seat] != MOVE or not alive(state, seat):
            continue
        ahead = beside(state.cell[seat], state.facing[seat])
        if state.terrain[ahead] == OFF_MAP:
            if escapes(state, seat, int64(state.cell[seat]), int64(state.facing[seat])):
                state.escaped[seat] = 1
                state.cell[seat] = NONE
            else:
                damage(state, seat, state.hull_left[seat])
        elif state.terrain[ahead] == WALL:
            damage(state, seat, 1)
        else:
            state.aim[seat] = ahead


@kernel
def next_aim(state: State, last: Cell) -> Cell:
    """The next hex in row-major order after *last* that some ship aims at, or NONE."""
    found = NONE
    for seat in range(state.seats):
        aim = int(state.aim[seat])
        if aim > last and (found == NONE or aim < found):
            found = aim
    return found


@kernel
def rivals(state: State, seat: Seat, hexagon: Cell) -> int:
    """How many others aim at the same hex and stand at the same place of the order."""
    count = 0
    for other in range(state.seats):
        level = state.aim[other] == hexagon and state.place[other] == state.place[seat]
        count += level and other != seat
    return count


@kernel
def contest(state: State, hexagon: Cell) -> None:
    """The ship's `place` in the order: how many are ahead of it. The tied roll again."""
    for _ in range(MOST_TIES):
        tied = 0
        for seat in range(state.seats):
            state.roll[seat] = 0
            if state.aim[seat] == hexagon and rivals(state, seat, hexagon) > 0:
                state.roll[seat] = check(state, state.energy[seat])
                tied += 1
        if tied == 0:
            return
        rank(state, hexagon)
    for seat in range(state.seats):  # still tied: the lower seat comes first
        state.roll[seat] = SHIPS - seat
    rank(state, hexagon)


@kernel
def rank(state: State, hexagon: Cell) -> None:
    """Move each ship behind those of its place that have rolled more."""
    for seat in range(state.seats):
        behind = 0
        if state.aim[seat] == hexagon:
            for other in range(state.seats):
                level = state.aim[other] == hexagon and state.place[other] == state.place[seat]
                behind += level and state.roll[other] > state.roll[seat]
        state.behind[seat] = behind
    for seat in range(state.seats):
        state.place[seat] += state.behind[seat]
        state.behind[seat] = 0
        state.roll[seat] = 0


@kernel
def settle_claimants(state: State) -> Ships:
    """Step c: again and again the lowest seat that waits for nobody.

    Returns those that are left over, as bits.
    """
    waiting = 0
    for seat in range(state.seats):
        if state.aim[seat] != NONE and state.place[seat] == 0:
            waiting |= 1 << seat
    settled = True
    while settled:
        settled = False
        for seat in range(state.seats):
            if waiting >> seat & 1:
                other = ship_at(state, state.aim[seat])
                if other == NONE or not waiting >> other & 1:
                    waiting &= ~(1 << seat)
                    enter(state, seat)
                    settled = True
                    break
    return waiting


@kernel
def settle_rings(state: State, waiting: Ships) -> None:
    """Step d, rings: two ram each other once, longer ones all advance."""
    for first in range(state.seats):
        if not waiting >> first & 1:
            continue
        second = ship_at(state, state.aim[first])
        if state.aim[second] == state.cell[first]:
            waiting &= ~(1 << first | 1 << second)
            place, facing_place = int64(state.cell[first]), int64(state.cell[second])
            ram(state, first, second)
            if alive(state, first) and not alive(state, second):
                state.cell[first] = facing_place
            elif alive(state, second) and not alive(state, first):
                state.cell[second] = place
            continue
        seat = first
        while waiting >> seat & 1:  # all round the ring, before anyone has moved
            waiting &= ~(1 << seat)
            after = ship_at(state, state.aim[seat])
            state.advancing[seat] = 1
            seat = after
        for seat in range(state.seats):
            if state.advancing[seat]:
                state.cell[seat] = state.aim[seat]
                state.advancing[seat] = 0


@kernel
def settle_trailers(state: State) -> None:
    """Step e: hex by hex, the losers of its contest in their order."""
    hexagon = next_aim(state, NONE)
    while hexagon != NONE:
        for place in range(1, state.seats):
            for seat in range(state.seats):
                trails = state.aim[seat] == hexagon and state.place[seat] == place
                if trails and alive(state, seat):
                    enter(state, seat)
        hexagon = next_aim(state, hexagon)
    state.place[:] = 0


@kernel
def enter(state: State, seat: Seat) -> None:
    """Move into the hex aimed at, or ram the ship there, and move in if that frees it."""
    other = ship_at(state, state.aim[seat])
    if other != NONE:
        ram(state, seat, other)
    if alive(state, seat) and ship_at(state, state.aim[seat]) == NONE:
        state.cell[seat] = state.aim[seat]


@kernel
def ram(state: State, rammer: Seat, other: Seat) -> None:
    """Hull checks with what hull is left: the lower loses one, a tie costs both."""
    state.rammed[rammer] = other
    own = check(state, state.hull_left[rammer])
    their = check(state, state.hull_left[other])
    if own <= their:
        damage(state, rammer, 1)
    if their <= own:
        damage(state, other, 1)
