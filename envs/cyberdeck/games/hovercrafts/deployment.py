"""Hovercrafts: how ships come onto the map."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, kernel
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.table import Cell, Team, alive, cell_of, ship_at, team_of
from cyberdeck.games.hovercrafts.turn import begin_turn


@kernel
def clear(state: State) -> None:
    """A battle begins: no ship on the map, nothing planned, nothing revealed, no points."""
    state.cell[:] = c.NONE
    state.facing[:] = 0
    repair_all(state)
    state.actions[:] = 0
    state.done[:] = c.NO_ACTION
    state.landed[:] = 0
    state.jammed[:] = 0
    state.rammed[:] = c.NONE
    state.aim[:] = c.NONE
    state.shot[:] = 0
    state.hit[:] = 0
    state.place[:] = 0
    state.escaped[:] = 0
    state.plan[:] = c.NONE
    state.revealed[:] = c.NONE
    state.deeds[:] = 0
    state.lost[:] = 0
    state.points[:] = 0
    state.passed = 0
    state.slot = 0
    state.turns = 0


@kernel
def repair_all(state: State) -> None:
    for seat in range(c.SHIPS):
        state.hull_left[seat] = state.hull[seat]


# --- the side ------------------------------------------------------------------------------------


@kernel
def settle_sides(state: State) -> None:
    """Whose roll was the higher has the right side, or picks one: its lowest ship says which."""
    if state.pick_side:
        state.phase = c.PICK
        state.mover = 0 if state.starting == team_of(state, 0) else state.zion
    else:
        deploy(state)


@kernel
def pick(state: State, picked: int) -> None:
    """The mover's team takes a side, and the ships are deployed."""
    team = team_of(state, state.mover)
    state.starting = team if picked == c.RIGHT_SIDE else 1 - team
    deploy(state)


# --- ships ---------------------------------------------------------------------------------------


@kernel
def deploy(state: State) -> None:
    """All ships wait to be deployed; or are, with random deployment, and the first turn begins."""
    state.phase = c.DEPLOY
    if state.deployment == c.RANDOM:
        deploy_at_random(state)
    next_to_deploy(state)


@kernel
def start_column(state: State, team: Team) -> int:
    """The starting team deploys on the rightmost column, the other on the leftmost."""
    return state.width - 1 if team == state.starting else 0


@kernel
def start_cell(state: State, seat: Seat, row: int) -> Cell:
    return cell_of(start_column(state, team_of(state, seat)), row)


@kernel
def may_start(state: State, seat: Seat, row: int) -> bool:
    """Whether a row of the ship's column is free."""
    cell = start_cell(state, seat, row)
    return state.terrain[cell] == c.FREE and ship_at(state, cell) == c.NONE


@kernel
def next_to_deploy(state: State) -> None:
    """The starting team first, each in the order of its ships; then the first turn begins."""
    for turn in range(2):
        team = state.starting if turn == 0 else 1 - state.starting
        for seat in range(state.seats):
            if team_of(state, seat) == team and not alive(state, seat):
                state.mover = seat
                return
    begin_turn(state)


@kernel
def deploy_at_random(state: State) -> None:
    """Every ship on a free hex of its column, facing inward."""
    for seat in range(state.seats):
        free = 0
        for row in range(state.height):
            free += may_start(state, seat, row)
        left = dice.below(state, free)
        for row in range(state.height):
            if may_start(state, seat, row):
                if left == 0:
                    state.cell[seat] = start_cell(state, seat, row)
                    break
                left -= 1
        inward = dice.below(state, 2)
        right = team_of(state, seat) == state.starting
        state.facing[seat] = 4 + inward if right else 1 + inward
