"""``reward="regret"``: each decision is paid by what it gave away, in every interface alike.

The game's own rewards stay what they are by default: rules, searches and matches know of no other.
What the loops hand out is written anew behind them, so that no kernel has to know of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.loops import SAME_STEP, Loops
from cyberdeck.engine.recall import as_records
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import Values
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: Finds the exact values of a game: nothing that the engine knows.
_finders: list[Callable[[Variant], Values]] = []


def provide_values(find: Callable[[Variant], Values]) -> None:
    """Have *find* say what the actions of a game are worth, or ``OptionError``."""
    _finders[:] = [find]


def values_of(variant: Variant) -> Values:
    """The exact values of the game's own default reward, or ``OptionError`` if it has none."""
    of = variant.undisguised.by_outcome.shown_plainly
    try:
        if not _finders:
            raise OptionError("nobody knows exact values here")
        values = _finders[0](of)
        values.need_all()
    except OptionError as error:
        raise OptionError(f"reward='regret' is not possible: {error}") from None
    return values


def regrets(
    values: NDArray[np.float64], actions: NDArray[np.int64], legal: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """(N,): how much less each action is worth than the best one.

    One that is not legal loses the game: it is worth -1, and costs at least 1, as a learner that is
    shown no masks has to be told even where nothing is to be lost.
    """
    best: NDArray[np.float64] = np.nanmax(values, axis=1)
    taken = values[np.arange(len(values)), np.where(legal, actions, 0)]
    return np.where(legal, best - taken, 1.0 + np.maximum(best, 0.0))


def paying(loops: Loops, variant: Variant, values: Values) -> Loops:
    """*loops* that hand out, in the place of the game's rewards, what each decision gave away.

    All seats of the mover's side pay for it. Whoever plays inside, in the caller's place or against
    it, is not looked at.
    """
    sides = np.array(variant.sides)

    def gained(
        actions: NDArray[np.int64], movers: NDArray[np.int8], states: Any, masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """(N, S): what these decisions bring each seat."""
        legal = (actions >= 0) & (actions < masks.shape[1])
        legal &= masks[np.arange(len(actions)), np.where(legal, actions, 0)] == 1
        lost = regrets(values.of(as_records(variant.game.plain, states)), actions, legal)
        return np.where(sides == sides[movers][:, None], -lost[:, None], 0.0)

    def begin(which: Any, states: Any, rows: Any, *given: Any) -> None:
        loops.begin(which, states, rows, *given)
        rows["pending"][which] = 0.0

    def advance(
        which: Any, actions: Any, states: Any, rows: Any, pool: Any, allies: Any, mode: int,
        masks: Any, observations: Any, finals: Any,
    ) -> None:  # fmt: skip
        before, movers = rows[which], states["mover"][which]
        waited, seats = before["waiting"] != 0, np.arange(before["reward"].shape[1])
        over = ((before["terminated"] | before["truncated"]) != 0) & ~waited & (mode != SAME_STEP)
        gain = np.zeros(before["pending"].shape)
        own = np.flatnonzero(~(over | waited))
        decided = which[own]
        gain[own, : len(sides)] = gained(actions[own], movers[own], states[decided], masks[decided])
        loops.advance(which, actions, states, rows, pool, allies, mode, masks, observations, finals)
        after = rows[which]
        fresh = after["game"] != before["game"]
        ended = ~over & (fresh | (states["mover"][which] == NOBODY))
        told = ended | (~over & (after["waiting"] == 0) & (after["opening"] == 0))
        every = before["seat"] == EVERY
        # Since its last decision: of the mover that is now.
        held = before["pending"] * ~(every[:, None] & (seats == movers[:, None])) + gain
        paid = np.where(every[:, None], gain, held).astype(np.float32)
        returns = before["returns"] + paid

        def put(name: str, where: Any, value: Any, otherwise: Any) -> None:
            rows[name][which] = np.where(where[:, None], value, otherwise)

        put("reward", told, paid, after["reward"])
        put("final_returns", ended, returns, before["final_returns"])
        put("returns", fresh, 0.0, np.where(told[:, None], returns, before["returns"]))
        put("pending", fresh | (told & ~every), 0.0, held)

    def play(code: int, steps: int, states: Any, rows: Any, *given: Any) -> None:
        every, chosen = np.arange(len(states)), np.zeros(len(states), np.int64)
        for _ in range(steps):
            loops.choose(code, states, rows, given[3], chosen)
            advance(every, chosen, states, rows, *given)

    return replace(loops, begin=begin, advance=advance, play=play)
