"""Hovercrafts: a turn carried out again, phase by phase."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.plain import as_python
from cyberdeck.engine.record import NOBODY, RUNNING
from cyberdeck.games.hovercrafts import constants as c
from cyberdeck.games.hovercrafts import ships
from cyberdeck.games.hovercrafts.phase import carry_out_phase

Record = NDArray[Any]  # (1,)


def frames(before: Record, after: Record) -> list[Record]:
    """The records after each phase of the turn that was carried out between two.

    It is carried out again from the first, with its dice, by the plans that the second has
    revealed; from where it was and as far as it is, if one of them is such a record itself. None
    if no turn lies between, or more than one. They have one field more, ``wreck``: where each ship
    went out of the game in that phase.
    """
    old, new = before[0], after[0]
    if not _a_turn_lies_between(old, new):
        return []
    past = np.zeros(1, _with_wrecks(before.dtype))
    then = past[0]
    for name in before.dtype.names or ():
        then[name] = old[name]
    if not _is_carried_out(old):
        then["revealed"], then["plan"] = new["revealed"], c.NONE
        then["mover"] = NOBODY
        for name in ("passed", "deeds", "slot", "decisions", "reward"):
            then[name] = 0
    carried_out = _carried_out(past.tobytes(), past.dtype, int(new["passed"]))
    phases = np.frombuffer(carried_out, past.dtype).copy()
    told = ("deeds", "cell", "hull_left") if new["phase"] == c.PLAN else ("deeds",)
    if any((phases[-1][name] != new[name]).any() for name in told):
        return []  # other dice have led there
    return [phases[at : at + 1] for at in range(len(phases))]


def _is_carried_out(state: np.void) -> bool:
    """Whether a turn is being carried out: nobody is asked, but the game goes on."""
    return bool(state["mover"] == NOBODY and state["reason"] == RUNNING)


def _a_turn_lies_between(old: np.void, new: np.void) -> bool:
    """Whether it is that of the first record which was the last to be carried out in the second."""
    if (
        old["phase"] != c.PLAN
        or old["reason"] != RUNNING
        or new["phase"] not in (c.PLAN, c.UPGRADE)
    ):
        return False
    turns = int(new["turns"]) - int(old["turns"])
    battles = int(new["battle"]) - int(old["battle"])
    battle_over = new["phase"] == c.UPGRADE or new["reason"] in (c.WAR_WON, c.WAR_DRAWN)
    passed = old["passed"] if _is_carried_out(old) else 0
    return (
        turns == (0 if _is_carried_out(new) else 1)
        and battles == (1 if battle_over else 0)
        and bool(passed < new["passed"])
    )


@functools.cache
def _with_wrecks(dtype: np.dtype[Any]) -> np.dtype[Any]:
    names = dtype.names or ()
    fields = [(name, dtype[name]) for name in names if name != "wreck"]
    return np.dtype([*fields, ("wreck", np.int16, (c.SHIPS,))])


@functools.lru_cache(maxsize=64)
def _carried_out(past: bytes, dtype: np.dtype[Any], passed: int) -> bytes:
    """A turn on to a phase, after each of its phases: pictures ask for it at every slot."""
    state = np.frombuffer(past, dtype).copy()[0]
    phases = []
    while state["passed"] < passed:
        state["wreck"] = c.NONE
        _carry_out_phase()(state)
        phases.append(state.tobytes())
    return b"".join(phases)


@functools.cache
def _carry_out_phase() -> Callable[..., None]:
    """Plain code will do for one turn: to compile it takes many seconds, in every process."""
    plain_damage = as_python(ships.damage)

    def damage(state: Any, seat: int, hulls: int) -> None:
        place = state.cell[seat]
        plain_damage(state, seat, hulls)
        if state.cell[seat] == c.NONE:
            state.wreck[seat] = place

    return as_python(carry_out_phase, {id(ships.damage): damage})
