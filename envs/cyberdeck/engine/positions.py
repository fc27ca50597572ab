"""Positions from elsewhere: are they possible in their game, and can they go on here?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import saving
from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.engine.contract import Game
from cyberdeck.engine.loops import CALLER, loops_of, row_dtype
from cyberdeck.engine.others import Others
from cyberdeck.engine.record import COMMON_INVARIANTS, NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import StateError


def broken_invariant(game: Game, states: NDArray[Any]) -> str:
    """What does not hold in the first of these records that is no possible position, or ""."""
    common = game.bounds.broken(states)
    if common.any():
        first = int((common > 0).argmax())
        invariant = COMMON_INVARIANTS[int(common[first]) - 1]
        return f"{invariant}: {game.bounds.found(states[first])}"
    failed = np.zeros(len(states), np.int64)
    if loops_of(game).check_state(states, failed):
        return game.invariants[int(failed[failed > 0][0]) - 1]
    return ""


def checked_position(game: Game, states: NDArray[Any]) -> NDArray[Any]:
    """*states*, or ``StateError`` if one of them is no possible position."""
    if broken := broken_invariant(game, states):
        raise StateError(
            f"this is no possible position of {game.title}: it does not hold that {broken}"
        )
    return states


def unpacked(game: Game, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bookkeeping and the record in saved bytes, or ``StateError``."""
    row, state = saving.unpack(game, row_dtype(game.most_seats, len(game.metrics)), saved)
    return row, checked_position(game, state)


def unpacked_for(variant: Variant, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """The same, or ``StateError`` if it was another game: one with other options.

    Those that change only what is shown become the variant's.
    """
    row, state = unpacked(variant.game, saved)
    there = state.copy()
    variant.game.write(state, variant.options)
    if state.tobytes() != there.tobytes():
        carried = variant.game.read(there)
        views = {option.name for option in variant.game.options if option.view}
        for name, held in carried.items():
            value = variant.options[name]
            if held != value and name not in views:
                raise StateError(
                    f"this state was saved with {name}={held!r}, and this env has "
                    f"{name}={value!r}: make the env with the same options"
                )
    return row, state


def fits(variant: Variant, others: Others, here: np.void, row: np.void, state: np.void) -> bool:
    """Whether saved bookkeeping can go on, beside its *state*, where there is now that of *here*.

    Compiled code trusts what it says.
    """
    rule = int(here["seat_rule"])
    ruled = range(variant.seats) if rule == DRAWN else (rule,)
    # What the caller plays against each of its opponents.
    opponents = [(EVERY,) if code == CALLER else ruled for code in others.opponent_codes.tolist()]
    places, allies = range(len(opponents)), range(len(others.allies))
    mover = int(row["mover"])
    side = dict(enumerate(variant.sides))
    own = mover in (NOBODY, row["seat"]) or (
        row["team"] and mover in side and side[mover] == side.get(int(row["seat"]))
    )
    gains = [row[name] for name in ("reward", "pending", "returns", "final_returns")]
    most = variant.game.reward_bound * max(1, int(state["decisions"])) * (1 + variant.regret)
    return bool(
        all(row[name] == state[name] for name in ("terminated", "truncated", "reason"))
        and row["seat_rule"] == rule
        and row["opponent"] in places
        and row["final_opponent"] in places
        and row["seat"] in opponents[row["opponent"]]
        and row["final_seat"] in (0, *opponents[row["final_opponent"]])
        and row["ally"] in allies
        and row["final_ally"] in allies
        and row["team"] == here["team"]
        and row["waiting"] == 0
        and row["opening"] in (0, 1)
        and mover == state["mover"]
        and (row["seat"] == EVERY or own)
        and all(np.isfinite(gain).all() for gain in gains)
        and (abs(row["pending"]) <= most + 1e-4).all()
    )
