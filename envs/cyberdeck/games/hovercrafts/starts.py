"""Hovercrafts: what a reset may prescribe: who starts, where ships are, the dice to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Metric, Options, is_whole, whole_numbers
from cyberdeck.engine.record import RUNNING
from cyberdeck.errors import OptionError
from cyberdeck.games.hovercrafts.constants import FACINGS, FREE, GOALS, NONE, SCRIPT, TEAMS
from cyberdeck.games.hovercrafts.deployment import clear
from cyberdeck.games.hovercrafts.goals import verdict
from cyberdeck.games.hovercrafts.ships import ships_left
from cyberdeck.games.hovercrafts.table import cell_of, ship_at
from cyberdeck.games.hovercrafts.turn import begin_turn

STARTS = (
    Metric(
        "starting",
        "the team whose roll is the higher, zion or machines: it deploys first, on the rightmost "
        "column, or picks its side",
    ),
    Metric(
        "ships",
        "each ship's (column, row, facing) or (column, row, facing, hull left), facings as N, NE, "
        "SE, S, SW, NW or 0 to 5; None: out of the game. A turn begins there",
    ),
    Metric("dice", f"the faces of the next dice, 1 to 6, at most {SCRIPT}"),
)


def prescribe(record: NDArray[Any], options: Options) -> bool:
    """Write who is ``starting``, where the ``ships`` are, and the ``dice`` to come."""
    state = record[0]
    if "starting" in options:
        if options["starting"] not in TEAMS:
            raise OptionError(f"starting={options['starting']!r} is no team: zion or machines")
        state["starting"] = TEAMS.index(options["starting"])
    dice = whole_numbers(options.get("dice", ()))
    if dice is None or len(dice) > SCRIPT or not all(1 <= face <= 6 for face in dice):
        raise OptionError(
            f"dice={options['dice']!r} are not possible: give at most {SCRIPT} faces, 1 to 6"
        )
    state["script"] = 0
    state["script"][SCRIPT - len(dice) :] = dice[::1]
    state["scripted"] = len(dice)
    if "ships" not in options:
        return False
    ships = options["ships"]
    seats = int(state["seats"])
    if isinstance(ships, str) or not isinstance(ships, Sequence) or len(ships) != seats:
        raise OptionError(f"ships={ships!r} is not possible: give one entry for each of {seats}")
    clear(state)
    for seat, ship in enumerate(ships):
        if ship is None:
            state["hull_left"][seat] = 0
        else:
            _place(state, seat, ship)
    for team, name in enumerate(TEAMS):
        if not ships_left(state, team):
            raise OptionError(f"{name} has no ship left: that is the end of a game")
    if verdict(state)[0] != RUNNING:
        goal = GOALS[state["goal"]]
        raise OptionError(f"these ships decide a game with goal={goal!r}: put others on the map")
    begin_turn(state)
    return True


def _place(state: np.void, seat: int, ship: Any) -> None:
    try:
        column, row, facing, *hull = ship
    except (TypeError, ValueError):
        raise OptionError(
            f"ship {seat} is {ship!r}: give (column, row, facing) or (column, row, facing, hull)"
        ) from None
    if not (is_whole(column) and 0 <= column < state["width"]) or not (
        is_whole(row) and 0 <= row < state["height"]
    ):
        raise OptionError(
            f"ship {seat}: column {column!r}, row {row!r} is not on the map, which has "
            f"{state['width']} columns and {state['height']} rows"
        )
    cell = cell_of(column, row)
    if state["terrain"][cell] != FREE or ship_at(state, cell) != NONE:
        raise OptionError(f"ship {seat}: column {column}, row {row} is a wall or taken")
    if isinstance(facing, str) and facing in FACINGS:
        facing = FACINGS.index(facing)
    if not is_whole(facing) or not 0 <= facing < len(FACINGS):
        raise OptionError(f"ship {seat}: facing {facing!r} must be 0 to 5 or " + ", ".join(FACINGS))
    left = hull[0] if hull else int(state["hull"][seat])
    if len(hull) > 1 or not is_whole(left) or not 1 <= left <= state["hull"][seat]:
        raise OptionError(f"ship {seat}: hull left {left!r} must be 1 to {state['hull'][seat]}")
    state["cell"][seat] = cell
    state["facing"][seat] = facing
    state["hull_left"][seat] = left
