"""Hovercrafts: the end of a turn, and of the game."""

from __future__ import annotations

import numpy as np

from cyberdeck.engine.defaults import end
from cyberdeck.engine.kernels import State, kernel
from cyberdeck.games.hovercrafts.table import (
    BOTH_OUT,
    DAMAGE,
    DISABLED_ALL,
    HULL_LOST,
    MACHINES,
    MAX_TURNS,
    ZION,
    Team,
    alive,
    team_of,
)
from cyberdeck.games.hovercrafts.turn import begin_turn


@kernel
def end_turn(state: State) -> None:
    """Pay for hull lost; then one team is out, or both, or the time is over, or a turn begins."""
    state.turns += 1
    for seat in range(state.seats):
        state.jammed[seat] = 0  # an EMP does not carry on
    if state.reward_mode == DAMAGE:
        pay(state, HULL_LOST * (state.lost[MACHINES] - state.lost[ZION]))
    zion, machines = ships_left(state, ZION), ships_left(state, MACHINES)
    if zion == 0 and machines == 0:
        end(state, BOTH_OUT)
    elif zion == 0 or machines == 0:
        pay(state, 1.0 if zion > 0 else -1.0)
        end(state, DISABLED_ALL)
    elif state.turns >= state.max_turns:
        end(state, MAX_TURNS)
        state.terminated = 0  # a limit has ended it, not the rules
        state.truncated = 1
    else:
        begin_turn(state)


@kernel
def ships_left(state: State, team: Team) -> int:
    """How many ships of a team are on the map."""
    count = 0
    for seat in range(state.seats):
        count += alive(state, seat) and team_of(state, seat) == team
    return count


@kernel
def pay(state: State, zion: float) -> None:
    """Every member of a team gets the same, the disabled included."""
    for seat in range(state.seats):
        state.reward[seat] += np.float32(zion if team_of(state, seat) == ZION else -zion)
