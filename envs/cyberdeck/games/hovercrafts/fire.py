"""Hovercrafts: EMPs and shooting."""

from __future__ import annotations

from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.hovercrafts.constants import EMP, MOST_TIES
from cyberdeck.games.hovercrafts.ships import check, damage
from cyberdeck.games.hovercrafts.table import adjacent, alive, beside, team_of

# --- EMP -----------------------------------------------------------------------------------------


@kernel
def carry_out_emps(state: State) -> None:
    """Every ship around that is not landed has to beat the user's energy check."""
    for user in range(state.seats):
        if state.done[user] != EMP or not alive(state, user):
            continue
        strength = check(state, state.energy[user])
        for target in range(state.seats):
            if target == user or not alive(state, target) or state.landed[target]:
                continue
            near = adjacent(state.cell[user], state.cell[target])
            if near and check(state, state.energy[target]) <= strength:
                state.jammed[target] = 1


# --- shooting ------------------------------------------------------------------------------------


@kernel
def carry_out_shots(state: State) -> None:
    """All shots are worked out before damage is counted."""
    for attacker in range(state.seats):
        if not alive(state, attacker) or state.landed[attacker]:
            continue
        for target in range(state.seats):
            enemy = team_of(state, target) != team_of(state, attacker)
            if enemy and alive(state, target) and sees(state, attacker, target):
                state.shot[attacker] |= 1 << target
                if hits(state, attacker, target):
                    state.hit[attacker] |= 1 << target
    for target in range(state.seats):
        hulls = 0
        for attacker in range(state.seats):
            hulls += state.hit[attacker] >> target & 1
        if hulls > 0:
            damage(state, target, hulls)


@kernel
def sees(state: State, seat: Seat, other: Seat) -> bool:
    """Whether another ship is in the three hexes before a ship: ahead, and beside that."""
    for turn in range(-1, 2):
        if beside(state.cell[seat], state.facing[seat] + turn) == state.cell[other]:
            return True
    return False


@kernel
def hits(state: State, attacker: Seat, target: Seat) -> bool:
    """Ballistic against shield; equal: both roll again."""
    for _ in range(MOST_TIES):
        attack = check(state, state.ballistic[attacker])
        defence = check(state, state.shield[target])
        if attack != defence:
            return attack > defence
    return False
