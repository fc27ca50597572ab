"""Who plays the seats that the caller does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.loops import ALLY, OPPONENT, OUTSIDE, RANDOM
from cyberdeck.engine.policy import BuiltIn, Policy

#: Who plays where the caller decides for every seat: nobody is ever asked.
NO_ONE: Final = BuiltIn("nobody", RANDOM)


class Others:
    """Two pools of policies: of each, one is drawn for each game."""

    def __init__(self, opponents: Sequence[Policy], allies: Sequence[Policy]) -> None:
        self.opponents, self.allies = tuple(opponents), tuple(allies)
        #: For the compiled loops.
        self.opponent_codes, self.ally_codes = _codes(self.opponents), _codes(self.allies)
        #: Those whom the loops do not know: what a row that waits for one has in ``row.waiting``,
        #: the field that says who of the pool plays there, his places in the pool, and he. One that
        #: is there several times is asked for all his games in one go.
        self.outside: list[tuple[int, str, NDArray[np.bool_], Policy]] = [
            (waiting, name, np.array([each is policy for each in pool]), policy)
            for waiting, name, pool in (
                (OPPONENT, "opponent", self.opponents),
                (ALLY, "ally", self.allies),
            )
            for policy in {id(each): each for each in pool}.values()
            if policy.code == OUTSIDE
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return Others, (self.opponents, self.allies)


def _codes(pool: Sequence[Policy]) -> NDArray[np.int8]:
    return np.array([policy.code for policy in pool], np.int8)
