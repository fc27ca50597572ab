"""A game and its disguise side by side, in lockstep."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cyberdeck import Variant
from cyberdeck.engine.loops import DISABLED, SAME_STEP
from cyberdeck.engine.record import NOBODY
from cyberdeck.transformed import new_games

#: Games and options: those in which more can be exchanged, too.
CASES: Final[list[tuple[str, dict[str, Any]]]] = [
    ("hackthegrid", {}),
    ("matrix_overload", {}),
    ("stacktrices", {}),
    ("stacktrices", {"setup": "random"}),
    ("hovercrafts", {"ships": (2, 2)}),
    ("hovercrafts", {"deployment": "random"}),
]

#: Games in one file: an open one, one with chance and secrets, one of decisions at the same time.
OWN: Final = ("connect_four", "kuhn_poker", "goofspiel")


def difference(
    variant: Variant,
    seed: int,
    decisions: int,
    autoreset: int = SAME_STEP,
    spoiled: bool = False,
    rows: int = 256,
) -> str:
    """What is not the same in disguise; "" if all is, in so many random decisions.

    *spoiled*: two actions are taken for each other.
    """
    _, (game, options) = variant.__reduce__()  # what is rewarded is among them
    disguised = Variant(game, {**options, "disguise": seed})
    disguise = disguised.disguise
    assert disguise is not None
    seats, become = np.arange(variant.seats), np.tile(disguise.shown, (variant.seats, 1))
    if disguise.exchange is not None:
        seats, become = disguise.exchange.seats, disguise.shown[disguise.exchange.actions]
    if spoiled:
        become[:, [0, 1]] = become[:, [1, 0]]
    one = new_games(variant, rows, autoreset=autoreset)
    two = new_games(disguised, rows, autoreset=autoreset)
    rng = np.random.default_rng(seed)
    for games in (one, two):
        games.reset(range(rows))
    made = 0
    while True:
        over = one.movers == NOBODY
        masks = np.take_along_axis(two.masks, become[one.movers], axis=1)
        same = {
            "mover": np.where(over, NOBODY, seats[one.movers]) == two.movers,
            "masks": (masks == one.masks).all(axis=1) | over,
            "rewards": (one.rewards == two.rewards[:, seats]).all(axis=1),
            "returns": (one.final_returns == two.final_returns[:, seats]).all(axis=1),
            "terminated": one.terminated == two.terminated,
            "truncated": one.truncated == two.truncated,
            "reasons": one.reasons == two.reasons,
            "dice": one.states["dice"] == two.states["dice"],
        }
        wrong = [name for name, each in same.items() if not each.all()]
        if wrong or made >= decisions or (autoreset == DISABLED and over.all()):
            return ", ".join(wrong)
        actions = (one.masks * (1 + rng.random(one.masks.shape))).argmax(axis=1)
        two.step(become[one.movers, actions])
        one.step(actions)
        made += int((~over).sum())
