"""Games that somebody asks for in disguise, or paid by what each decision gave away.

The loops play a game as it is: here its actions are renumbered, its beginnings become their images,
and its rewards are replaced, so that no kernel has to know of it. See ``engine/disguise.py`` for
what a disguise is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import loops
from cyberdeck.engine.arrays import Arrays
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.disguise import renumbered
from cyberdeck.engine.game_batch import OF_THE_LAST_STEP, GameBatch
from cyberdeck.engine.history import History
from cyberdeck.engine.loops import DISABLED, FROM_POSITION, FROM_SHUFFLE, SAME_STEP
from cyberdeck.engine.policy import Policy, PolicyInput
from cyberdeck.engine.recall import as_records
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.values import Values, given_away
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError


def new_games(variant: Variant, count: int, **how: Any) -> GameBatch:
    """N games as *variant* asks for them; *how* they are played: see ``GameBatch``."""
    kind = TransformedGames if variant.transformed else GameBatch
    return kind(variant, count, **how)


def values_of(variant: Variant) -> Values:
    """The exact values of the game's own default reward, or ``OptionError`` if it has none."""
    from cyberdeck.exact.values import find_values  # what few need is not imported with the package

    try:
        values = find_values(variant.undisguised.by_outcome.shown_plainly)
        values.need_all()
    except OptionError as error:
        raise OptionError(f"reward='regret' is not possible: {error}") from None
    return values


class TransformedGames(GameBatch):
    """Games in disguise, with ``reward="regret"``, or both.

    Masks and actions go by the numbers that are shown; policies are asked about the game itself,
    unless they play it as it is shown. With ``reward="regret"`` all seats of the mover's side pay
    for what its decision gave away; whoever plays inside, in the caller's place or against it, is
    not looked at. New games begin here and not in the loops: at the image, and unpaid.
    """

    transforms = True

    _own: NDArray[np.int64]
    _number: NDArray[np.int64]

    def __init__(self, variant: Variant, count: int, **how: Any) -> None:
        self._values = values_of(variant) if variant.regret else None
        super().__init__(variant, count, **how)

    def _bind(self) -> None:
        super()._bind()
        disguise = self.variant.disguise
        same = np.arange(self.variant.action_count)
        #: [number as it is shown]: the game's own number of that action; and the other way.
        self._own, self._number = (disguise.own, disguise.shown) if disguise else (same, same)
        self._exchange = disguise.exchange if disguise else None
        self._games = self._games._replace(mode=DISABLED)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_values": self._values}

    # --- beginning and going on ------------------------------------------------------------------

    def _begin(self, games: Arrays, how: int) -> None:
        if how == FROM_SHUFFLE and self._exchange is not None:
            for step in (loops.ONLY_SHUFFLE, loops.ONLY_START):
                super()._begin(games, step)
            games.states[:] = self._exchange.image(games.states)
            how = FROM_POSITION
        super()._begin(games, how)
        if how in (FROM_SHUFFLE, FROM_POSITION):
            games.masks[:] = games.masks.take(self._own, 1)
        if self._values is not None:
            games.rows["pending"] = 0.0

    def _apply(self, which: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        actions = renumbered(self._own, actions)
        waiting = self.rows["waiting"][which] != 0
        over = ~waiting & (self.movers[which] == NOBODY)
        if self.autoreset != SAME_STEP:
            over |= ~waiting & ((self.terminated[which] | self.truncated[which]) != 0)
        if self.autoreset != DISABLED:
            self._begin_anew(which[over])
            which, actions, waiting, over = (
                each[~over] for each in (which, actions, waiting, over)
            )
            for ended in (self.terminated, self.truncated):
                ended[which[~waiting]] = 0
        with self._own_numbers(which):
            if self._values is None:
                super()._apply(which, actions)
            else:
                self._apply_and_pay(self._values, which, actions, waiting, over)
        if self.autoreset == SAME_STEP:
            rows = self.rows[which]
            ended = (rows["mover"] == NOBODY) & (rows["waiting"] == 0) & (rows["opening"] == 0)
            self._begin_anew(which[ended], kept=OF_THE_LAST_STEP)

    @contextmanager
    def _own_numbers(self, which: NDArray[np.int64]) -> Iterator[None]:
        """In this block the masks of these rows go by the game's own numbers."""
        self.masks[which] = self.masks[which].take(self._number, 1)
        try:
            yield
        finally:
            self.masks[which] = self.masks[which].take(self._own, 1)

    def choose(self, code: int) -> NDArray[np.int64]:
        with self._own_numbers(self.all_rows):
            actions = super().choose(code)
        return np.where(self.movers == NOBODY, actions, self._number[actions])

    def _play(self, code: int, steps: int) -> None:
        for _ in range(steps):
            self._apply(self.all_rows, self.choose(code))

    # --- looking, and asking ---------------------------------------------------------------------

    def look(
        self, seat: int, row: int = 0
    ) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[np.int32]]:
        observation, mask, metrics = super().look(seat, row)
        return observation, mask[self._own], metrics

    def look_together(self, masks: NDArray[np.int8], *seen: NDArray[Any]) -> None:
        super().look_together(masks, *seen)
        masks[:] = masks.take(self._own, 1)

    def numbered(self, actions: Any) -> Any:
        return renumbered(self._number, actions)

    def seen(
        self, which: NDArray[np.int64], needs_states: bool, disguised: bool = False, **more: Any
    ) -> PolicyInput:
        """The game itself, as those who have to decide there see it, unless *disguised*."""
        shown = super().seen(which, needs_states, **more)
        if disguised:
            return shown
        return replace(
            shown,
            variant=self.variant.undisguised,
            masks=shown.masks.take(self._number, 1),
            history=[History(each.log.undisguised(), each.seat) for each in shown.history],
        )

    def _consult(
        self, policy: Policy, which: NDArray[np.int64], **more: Any
    ) -> tuple[PolicyInput, NDArray[np.int64]]:
        disguised = policy.plays_disguised
        seen, answer = super()._consult(policy, which, disguised=disguised, **more)
        return seen, answer if disguised else renumbered(self._number, answer)

    # --- paying by regret ------------------------------------------------------------------------

    def _paid_at_the_end(self, row: int) -> Any:
        return super()._paid_at_the_end(row) if self._values is None else 0

    def _apply_and_pay(
        self,
        values: Values,
        which: NDArray[np.int64],
        actions: NDArray[np.int64],
        waiting: NDArray[np.bool_],
        over: NDArray[np.bool_],
    ) -> None:
        """``_apply``, where a decision brings what it gave away, and not the game's reward.

        In rows that were *waiting* it was an outsider's, and where the game was *over* there was
        none.
        """
        rows, before, sides = self.rows, self.rows[which], np.array(self.variant.sides)
        gain: NDArray[np.float64] = np.zeros(before["pending"].shape)
        own = ~(waiting | over)
        masks, chosen = self.masks[which[own]], actions[own]
        legal = (chosen >= 0) & (chosen < masks.shape[1])
        legal &= masks[np.arange(len(chosen)), np.where(legal, chosen, 0)] == 1
        states = as_records(self.variant.game.plain, self.states[which[own]])
        worth = values.of(states)
        lost = given_away(worth)[np.arange(len(chosen)), np.where(legal, chosen, 0)]
        # What is not legal loses the game: it is worth -1, and costs at least 1, as a learner that
        # is shown no masks has to be told even where nothing is to be lost.
        lost = np.where(legal, lost, 1.0 + np.maximum(np.nanmax(worth, axis=1), 0.0))
        paying = sides == sides[before["mover"][own]][:, None]
        gain[own, : len(sides)] = np.where(paying, -lost[:, None], 0.0)
        super()._apply(which, actions)
        after = rows[which]
        handed_out = (~over & (after["waiting"] == 0) & (after["opening"] == 0))[:, None]
        ended = handed_out & (after["mover"] == NOBODY)[:, None]
        every = (before["seat"] == EVERY)[:, None]
        # Since its last decision: of the mover that is now.
        decides = np.arange(self.game.most_seats) == before["mover"][:, None]
        pending = before["pending"] * ~(every & decides) + gain
        paid = np.where(every, gain, pending).astype(np.float32)
        returns = before["returns"] + paid

        def put(name: str, where: NDArray[np.bool_], value: Any, otherwise: Any) -> None:
            rows[name][which] = np.where(where, value, otherwise)

        put("reward", handed_out, paid, after["reward"])
        put("final_returns", ended, returns, before["final_returns"])
        put("returns", handed_out, returns, before["returns"])
        put("pending", handed_out & ~every, 0.0, pending)
