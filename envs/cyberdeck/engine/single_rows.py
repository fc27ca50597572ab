"""Single rows of a batch: looked at, redrawn, saved and put back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import dice, registry, saving
from cyberdeck.engine.asking import AskedGames
from cyberdeck.engine.constants import EVERY
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import CALLER, SAME_STEP
from cyberdeck.engine.others import Others
from cyberdeck.engine.positions import unpacked_for
from cyberdeck.engine.record import NOBODY
from cyberdeck.errors import ActionError, EpisodeError, OptionError, StateError, require

#: Keeps the opponents' generator apart from the game's.
OPPONENTS = 0x0DDB411


class SingleRows(AskedGames):
    """What can be done with one row."""

    others: Others
    autoreset: int
    team: bool

    # --- looking ---------------------------------------------------------------------------------

    def check_seat(self, seat: int) -> None:
        """Raise ``OptionError`` for a seat that there is not."""
        if not is_whole(seat) or not 0 <= seat < self.variant.seats:
            raise OptionError(
                f"seat={seat!r} is not a seat of {self.game.title}: "
                f"there are 0 to {self.variant.seats - 1}"
            )

    @contextmanager
    def single(self, row: int) -> Iterator[tuple[Self, int]]:
        """Where a row can be looked at: here. Games on a device bring it to this processor."""
        self.check_row(row)
        yield self, row

    def check_view(self, row: int, seat: int) -> None:
        """Raise an error if there is nothing to be seen in a row from a seat."""
        self.check_row(row)
        self.check_seat(seat)
        self.need_game()

    def look(
        self, seat: int, row: int = 0
    ) -> tuple[NDArray[Any], NDArray[np.int8], NDArray[np.int32]]:
        """What *seat* sees now: fresh arrays of the observation, its mask and its metrics."""
        self.check_row(row)
        self.check_seat(seat)
        mask = np.empty(self.variant.action_count, np.int8)
        observation = np.empty(self.variant.observation_shape, self.variant.dtype)
        metrics = np.empty(len(self.game.metrics), np.int32)
        self.loops.look(self.states, row, seat, mask, observation.reshape(-1), metrics)
        return observation, mask, metrics

    def look_together(self, masks: NDArray[np.int8], *seen: NDArray[Any]) -> None:
        """Write what every seat of the first game sees: see the loop of that name."""
        self.loops.look_together(self.states, 0, masks, *seen)

    def _look_again(self, row: int) -> None:
        """Write anew what the one who has to decide in a row sees."""
        mover, learner = int(self.movers[row]), int(self.seats[row])
        viewer = mover if mover != NOBODY and (learner == EVERY or self.team) else learner
        observation, mask, metrics = self.look(max(viewer, 0), row)
        self.rows["choices"][row] = mask.sum()
        if learner != EVERY and mover == NOBODY:
            mask[:] = 1
        self.observations[row], self.masks[row], self.metrics[row] = observation, mask, metrics

    def action_name(self, row: int, action: Any) -> str:
        """What *action* would be in *row* as it stands, in words."""
        self.check_row(row)
        self.need_game()
        last = self.variant.action_count - 1
        if not is_whole(action) or not 0 <= action <= last:
            raise ActionError(f"action {action!r} does not exist: actions are 0 to {last}")
        return registry.named_action(self.variant, self.states[row : row + 1], int(action))

    # --- single rows: redrawn, saved and put back ------------------------------------------------

    def resample(self, seat: int, random_bits: int | None, row: int = 0) -> None:
        """Redraw what *seat* cannot know in a row; None: by the row's own generator."""
        self.check_view(row, seat)
        row, seat = int(row), int(seat)
        possible = random_bits is None or is_whole(random_bits)
        require(possible, "seed", random_bits, "a whole number is needed, or None")
        random_bits = int(self.rows["dice"][row] if random_bits is None else random_bits)
        # What the others will draw, and who they are, is as unknown as the cards.
        self.rows["dice"][row] = dice.seeded(random_bits ^ OPPONENTS)
        others = np.flatnonzero(self.others.opponent_codes != CALLER)
        if self.seats[row] != EVERY:
            self.rows["opponent"][row] = others[int(dice.seeded(random_bits + 1)) % len(others)]
        self.rows["ally"][row] = int(dice.seeded(random_bits + 2)) % len(self.others.allies)
        self.loops.resample(self.states, row, seat, dice.seeded(random_bits))
        self._forget(row, whole=False)  # what there is tells of the cards that the others saw
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
        if bookkeeping[0]["opening"]:  # what the last step brought is of the game before
            bookkeeping["reward"] = 0
        elif state[0]["mover"] == NOBODY:
            # Whatever was asked of the others since: later steps bring a finished game nothing.
            bookkeeping["reward"] = self._paid_at_the_end(row)
        return saving.pack(self.game, bookkeeping, state)

    def _paid_at_the_end(self, row: int) -> Any:
        """What the last decision of a row's game has brought, where all seats are the caller's."""
        return self.states["reward"][row] if self.seats[row] == EVERY else 0

    def load(self, saved: bytes, row: int = 0) -> None:
        """Put bytes from ``save`` into a row, or raise ``StateError`` and change nothing."""
        self.check_row(row)
        if not self.started and self.count > 1:
            raise EpisodeError("the other rows have no games yet: call reset() first")
        bookkeeping, state = unpacked_for(self.variant, saved)
        if self.autoreset == SAME_STEP and state[0]["mover"] == NOBODY:
            raise StateError("this game is over, and here finished games are replaced at once")
        if not self.others.fits(self.variant, self.rows[row], bookkeeping[0], state[0]):
            raise StateError(
                "this state was saved by an env with another seat or other opponents; to go on "
                "from its position here, use reset(options={'state': saved})"
            )
        self.states[row] = state[0]
        self.rows[row] = bookkeeping[0]
        self._forget(row, whole=False)
        self._look_again(row)
        self.started = True
