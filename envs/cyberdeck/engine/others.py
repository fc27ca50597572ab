"""Who plays the seats that the caller does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.constants import DRAWN, EVERY
from cyberdeck.engine.loops import ALLY, CALLER, OPPONENT, OUTSIDE, RANDOM
from cyberdeck.engine.policy import BuiltIn, Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant

#: Who plays where the caller decides for every seat: nobody is ever asked.
NO_ONE: Final = BuiltIn("nobody", RANDOM)

#: An opponent that is the caller itself: in games against it, the caller decides for every seat.
ITSELF: Final = BuiltIn("self", CALLER)


class Outsider(NamedTuple):
    """A policy of a pool that is asked from outside the loops."""

    waiting: int
    """What ``row.waiting`` holds where it has to decide."""
    field: str
    """The field of a row that says which place of the pool plays there."""
    places: NDArray[np.bool_]
    """Its places in the pool: one that is there several times is asked for all its games in one go.
    """
    policy: Policy


class Others:
    """Two pools of policies: of each, one is drawn for each game.

    *all_outside*: no decision is made in the compiled loops, where nobody sees it.
    """

    def __init__(
        self, opponents: Sequence[Policy], allies: Sequence[Policy], all_outside: bool = False
    ) -> None:
        self.opponents, self.allies = tuple(opponents), tuple(allies)
        self.all_outside = all_outside
        #: For the compiled loops.
        self.opponent_codes, self.ally_codes = self._codes(opponents), self._codes(allies)
        self.outside = [
            Outsider(waiting, field, np.array([each is policy for each in pool]), policy)
            for waiting, field, pool in (
                (OPPONENT, "opponent", self.opponents),
                (ALLY, "ally", self.allies),
            )
            for policy in {id(each): each for each in pool}.values()
            if policy.code != CALLER and (all_outside or policy.code == OUTSIDE)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return Others, (self.opponents, self.allies, self.all_outside)

    def _codes(self, pool: Sequence[Policy]) -> NDArray[np.int8]:
        codes = np.array([policy.code for policy in pool], np.int8)
        return np.where(self.all_outside & (codes != CALLER), np.int8(OUTSIDE), codes)

    def fits(self, variant: Variant, here: np.void, row: np.void, state: np.void) -> bool:
        """Whether saved bookkeeping can go on beside its *state*, in the place of that of *here*.

        Compiled code trusts what it says.
        """
        rule = int(here["seat_rule"])
        ruled = range(variant.seats) if rule == DRAWN else (rule,)
        # What the caller plays against each of its opponents.
        opponents = [(EVERY,) if code == CALLER else ruled for code in self.opponent_codes.tolist()]
        places, allies = range(len(opponents)), range(len(self.allies))
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
