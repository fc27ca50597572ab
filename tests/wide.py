"""Two games whose observations are wider than int8: one of int16, one with fractions.

Coins are taken from a heap, and who takes the last wins. Each seat has a secret card.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cyberdeck import Feature, Field, Game, dice, kernel, win

LAST = 2
COINS, CARDS = 500, 3


@kernel
def shuffle(state: Any) -> None:
    state.heap = 100 * (3 + 2 * dice.below(state, 2))
    for seat in range(2):
        state.card[seat] = dice.below(state, CARDS)


@kernel
def start(state: Any) -> None:
    state.share = 0
    state.taken = 0


@kernel
def legal(state: Any, mask: Any) -> None:
    mask[:] = 1


@kernel
def act(state: Any, action: Any) -> None:
    seat, coins = state.mover, min(50 * (1 + action), state.heap)
    state.share = state.share / 2 + coins / np.int64(state.heap)
    state.heap -= coins
    state.taken += coins
    state.mover = 1 - seat
    if state.heap == 0:
        win(state, seat, LAST)


@kernel
def whole(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.heap
    out[1] = 500 * (state.card[seat] - 1)


@kernel
def fractions(state: Any, seat: Any, out: Any) -> None:
    out[0] = state.heap
    out[1] = state.card[seat] / 3
    out[2] = state.share


@kernel
def resample(state: Any, seat: Any) -> None:
    state.card[1 - seat] = dice.below(state, CARDS)


def made(name: str, dtype: str) -> Game:
    """The game whose observation is of that type."""
    narrow = dtype == "int16"
    own = [
        Feature("card", (1,), -500, 500, dtype="int16")
        if narrow
        else Feature("card", (1,), 0, 0.7, dtype="float32"),
        *([] if narrow else [Feature("share", (1,), 0, 2, dtype="float32")]),
    ]
    return Game(
        name=name,
        seats=("first", "second"),
        fields=[
            Field("heap", 0, COINS),
            Field("card", 0, CARDS - 1, (2,)),
            Field("share", 0, 2, dtype="float32"),
            Field("taken", 0, COINS, dtype="int64"),
        ],
        shuffle=shuffle,
        start=start,
        legal=legal,
        act=act,
        observe=whole if narrow else fractions,
        resample=resample,
        features=[Feature("heap", (1,), 0, COINS, dtype="int16"), *own],
        actions=[(2, "take, in fifties,")],
        reasons=("took_the_last",),
        longest=6,
    )


SIXTEEN, FRACTIONS = made("wide_sixteen", "int16"), made("wide_fractions", "float32")
WIDE = (SIXTEEN, FRACTIONS)


#: What `cyberdeck build` takes from this file.
GAME = SIXTEEN
