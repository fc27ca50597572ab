"""Hovercrafts: what a reset may prescribe: who starts, where ships are, the dice to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Metric, Options, is_whole, whole_numbers
from cyberdeck.engine.record import RUNNING
from cyberdeck.errors import OptionError
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts.deployment import clear
from cyberdeck.games.hovercrafts.goals import verdict
from cyberdeck.games.hovercrafts.ships import ships_left
from cyberdeck.games.hovercrafts.table import cell_of, ship_at
from cyberdeck.games.hovercrafts.turn import begin_turn

#: How many numbers of the generator are looked at together.
_AT_ONCE = 2**15

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
    Metric("dice", f"the faces of the next dice, 1 to 6, at most {c.MOST_DICE}"),
)


def prescribe(record: NDArray[Any], options: Options) -> bool:
    """Write who is ``starting``, where the ``ships`` are, and the ``dice`` to come."""
    state = record[0]
    if "starting" in options:
        if options["starting"] not in c.TEAMS:
            raise OptionError(f"starting={options['starting']!r} is no team: zion or machines")
        state["starting"] = c.TEAMS.index(options["starting"])
    faces = whole_numbers(options.get("dice", ()))
    if faces is None or len(faces) > c.MOST_DICE or not all(1 <= face <= 6 for face in faces):
        raise OptionError(
            f"dice={options['dice']!r} are not possible: give at most {c.MOST_DICE} faces, 1 to 6"
        )
    at_random = "ships" not in options and state["deployment"] == c.RANDOM
    # A place and a facing are drawn for each ship before the first die is rolled.
    state["dice"] = stream_with(state["dice"], faces, 2 * int(state["seats"]) * at_random)
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
    for team, name in enumerate(c.TEAMS):
        if not ships_left(state, team):
            raise OptionError(f"{name} has no ship left: that is the end of a game")
    if verdict(state)[0] != RUNNING:
        goal = c.GOALS[state["goal"]]
        raise OptionError(f"these ships decide a game with goal={goal!r}: put others on the map")
    begin_turn(state)
    return True


def stream_with(stream: np.uint64, faces: Sequence[int], later: int = 0) -> np.uint64:
    """Where the generator of random numbers, from *stream* on, comes to dice of these *faces*; or
    that many numbers before it.

    A face stands for its half, rounded up: all dice are rolled for checks, which count that.
    """
    halves = [(face + 1) // 2 for face in faces]
    numbers = np.arange(1 + later, 1 + later + _AT_ONCE + len(halves), dtype=np.uint64)
    mixed, scaled = (vars(each)["py_func"] for each in (dice.mixed, dice.scaled))
    with np.errstate(over="ignore"):
        while halves:  # as plain Python they take arrays
            rolled = (scaled(mixed(stream + numbers * dice.STEP), 6) + 2) // 2
            found = np.flatnonzero(rolled[:_AT_ONCE] == halves[0])
            for at, half in enumerate(halves[1:], start=1):
                found = found[rolled[found + at] == half]
            if len(found):
                return stream + np.uint64(found[0]) * dice.STEP
            stream = stream + np.uint64(_AT_ONCE) * dice.STEP
    return stream


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
    if state["terrain"][cell] != c.FREE or ship_at(state, cell) != c.NONE:
        raise OptionError(f"ship {seat}: column {column}, row {row} is a wall or taken")
    if isinstance(facing, str) and facing in c.FACINGS:
        facing = c.FACINGS.index(facing)
    if not is_whole(facing) or not 0 <= facing < len(c.FACINGS):
        raise OptionError(
            f"ship {seat}: facing {facing!r} must be 0 to 5 or " + ", ".join(c.FACINGS)
        )
    left = hull[0] if hull else int(state["hull"][seat])
    if len(hull) > 1 or not is_whole(left) or not 1 <= left <= state["hull"][seat]:
        raise OptionError(f"ship {seat}: hull left {left!r} must be 1 to {state['hull'][seat]}")
    state["cell"][seat] = cell
    state["facing"][seat] = facing
    state["hull_left"][seat] = left
