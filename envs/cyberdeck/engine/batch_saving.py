"""Rows of a batch as bytes, and redrawn."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, saving
from cyberdeck.engine.batch_arrays import BatchArrays
from cyberdeck.engine.loops import DRAWN, EVERY, SAME_STEP
from cyberdeck.engine.positions import unpacked
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import EpisodeError, StateError

#: Keeps the opponents' generator apart from the game's.
OPPONENTS: Final = 0x0DDB411


class SavedBatch(BatchArrays):
    """What can be done to single rows: save, load, redraw."""

    def resample(self, seat: int, random_bits: int | None, row: int = 0) -> None:
        """Redraw what *seat* cannot know in a row: from *luck*, or from the row's own generator."""
        self.check_row(row)
        self.check_seat(seat)
        self.need_game()
        if random_bits is None:
            random_bits = int(self.rows["dice"][row])
        # The others' luck, and who they are, is as unknown as the cards.
        self.rows["dice"][row] = dice.seeded(random_bits ^ OPPONENTS)
        self.rows["opponent"][row] = int(dice.seeded(random_bits + 1)) % len(self.pool)
        self.rows["ally"][row] = int(dice.seeded(random_bits + 2)) % len(self.ally_pool)
        self.memories.forget(row)  # it tells of the cards that the others saw
        self.loops.resample(self.states, row, seat, dice.seeded(random_bits))
        self._look_again(row)

    def save(self, row: int = 0) -> bytes:
        """One row as bytes."""
        self.check_row(row)
        self.need_game()
        bookkeeping, state = self.rows[row : row + 1].copy(), self.states[row : row + 1]
        # How the game before ended is not part of this one.
        for name in ("terminated", "truncated", "reason"):
            bookkeeping[name] = state[name]
        if state[0]["mover"] != NOBODY:
            for name in self.rows.dtype.names or ():
                if name.startswith("final_"):
                    bookkeeping[name] = 0
        return saving.pack(self.game, bookkeeping, state)

    def load(self, saved: bytes, row: int = 0) -> None:
        """Put bytes from ``save`` into a row, or raise ``StateError`` and change nothing."""
        self.check_row(row)
        if not self.started and self.count > 1:
            raise EpisodeError("the other rows have no games yet: call reset() first")
        bookkeeping, state = self._read(saved)
        if self.autoreset == SAME_STEP and state[0]["mover"] == NOBODY:
            raise StateError("this game is over, and here finished games are replaced at once")
        kept = bookkeeping[0]
        if not self._fits(kept, state[0], self.rows[row]):
            raise StateError(
                "this state was saved by an env with another seat or other opponents; to go on "
                "from its position here, use reset(options={'state': saved})"
            )
        self.states[row] = state[0]
        self.rows[row] = kept
        self.memories.forget(row)
        self._look_again(row)
        self.started = True

    def _fits(self, kept: np.void, state: np.void, here: np.void) -> bool:
        """Whether saved bookkeeping is possible here, beside *state*: compiled code trusts it."""
        rule = int(here["seat_rule"])
        seats = range(self.variant.seats) if rule == DRAWN else (rule,)
        opponents, allies = range(len(self.pool)), range(len(self.ally_pool))
        mover = int(kept["mover"])
        side = dict(enumerate(self.variant.sides))
        own = mover in (NOBODY, kept["seat"]) or (
            kept["team"] and mover in side and side[mover] == side.get(int(kept["seat"]))
        )
        moneys = [kept[name] for name in ("reward", "pending", "returns", "final_returns")]
        most = self.game.reward_bound * max(1, int(state["decisions"]))
        return bool(
            all(kept[name] == state[name] for name in ("terminated", "truncated", "reason"))
            and kept["seat_rule"] == rule
            and kept["seat"] in seats
            and kept["final_seat"] in (0, *seats)
            and kept["opponent"] in opponents
            and kept["final_opponent"] in opponents
            and kept["ally"] in allies
            and kept["final_ally"] in allies
            and kept["team"] == here["team"]
            and kept["waiting"] == 0
            and kept["opening"] in (0, 1)
            and mover == state["mover"]
            and (rule == EVERY or own)
            and all(np.isfinite(money).all() for money in moneys)
            and (abs(kept["pending"]) <= most + 1e-4).all()
        )

    def _read(self, saved: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
        bookkeeping, state = unpacked(self.game, saved)
        carried = self.game.read(state)
        views = {option.name for option in self.game.options if option.view}
        for name, value in self.variant.options.items():
            if carried[name] != value and name not in views:
                raise StateError(
                    f"this state was saved with {name}={carried[name]!r}, and this env has "
                    f"{name}={value!r}: make the env with the same options"
                )
        self.game.write(state, self.variant.options)
        return bookkeeping, state
