"""A turn that was carried out in phases, carried out again: for words and pictures."""

from __future__ import annotations

from cyberdeck.engine import defaults
from cyberdeck.engine.contract import Game, Record
from cyberdeck.engine.game_loops import loops_of


def phases_between(game: Game, before: Record, after: Record) -> list[Record]:
    """The record after each phase of the turn that was carried out between two records.

    From where the first is in it and as far as the second, if they are such records themselves.
    None if no turn lies between, or more than one.
    """
    if game.next_phase is defaults.no_phase:
        return []
    loops, state = loops_of(game), before.copy()
    made: list[Record] = []
    for _ in range(loops.retrace(state, 0, after)):
        loops.next_phase(state, 0)
        made.append(state.copy())
    if made and loops.retrace(state, 0, after) != 0:
        return []  # other dice have led there
    return made
