"""Hovercrafts: what ships have: stats, and the checks and the damage that go by them."""

from __future__ import annotations

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Seat, State, int64, kernel
from cyberdeck.games.hovercrafts.constants import NONE
from cyberdeck.games.hovercrafts.table import Team, alive, team_of


@kernel
def die(state: State) -> int:
    """1 to 6."""
    return 1 + dice.below(state, 6)


@kernel
def check(state: State, stat: int) -> int:
    """Half a die, rounded up, and the stat."""
    return (die(state) + 1) // 2 + int64(stat)


@kernel
def damage(state: State, seat: Seat, hulls: int) -> None:
    """A ship loses hull, and is out without any."""
    suffered = min(int64(state.hull_left[seat]), hulls)
    state.hull_left[seat] -= suffered
    state.lost[team_of(state, seat)] += suffered
    if state.hull_left[seat] == 0:
        state.cell[seat] = NONE


@kernel
def ships_left(state: State, team: Team) -> int:
    """How many ships of a team are on the map."""
    count = 0
    for seat in range(state.seats):
        count += alive(state, seat) and team_of(state, seat) == team
    return count
