"""Hovercrafts: the end of a turn, and of the game."""

from __future__ import annotations

import numpy as np

from cyberdeck.engine.defaults import end
from cyberdeck.engine.kernels import State, kernel
from cyberdeck.engine.record import RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.campaign import battles_of, count_battle, judge_war, muster
from cyberdeck.games.hovercrafts.goals import score_locations, verdict
from cyberdeck.games.hovercrafts.table import Team, team_of
from cyberdeck.games.hovercrafts.turn import begin_turn


@kernel
def end_turn(state: State) -> None:
    """Pay for hull lost, and count points (ruling V15). Then the battle has ended, and with it the
    game or not, or a turn begins.
    """
    state.turns += 1
    state.jammed[:] = 0  # an EMP does not carry on
    if state.reward_mode == c.DAMAGE:
        pay(state, c.HULL_LOST * (state.lost[c.MACHINES] - state.lost[c.ZION]))
    if state.goal == c.SEIZE:
        score_locations(state)
    reason, winner = verdict(state)
    if reason == RUNNING:
        begin_turn(state)
        return
    if battles_of(state) > 1:
        count_battle(state, reason, winner)
        reason, war_winner = judge_war(state)
        if reason == RUNNING:
            muster(state, winner)
            return
        winner = war_winner
    conclude(state, reason, winner)


@kernel
def conclude(state: State, reason: int, winner: Team) -> None:
    """The game is over."""
    if winner != c.NONE:
        pay(state, 1.0 if winner == c.ZION else -1.0)
    end(state, reason)
    if reason == c.MAX_TURNS:
        state.terminated = 0  # a limit has ended it, not the rules
        state.truncated = 1


@kernel
def pay(state: State, zion: float) -> None:
    """Every member of a team gets the same, the disabled included."""
    for seat in range(state.seats):
        state.reward[seat] += np.float32(zion if team_of(state, seat) == c.ZION else -zion)
