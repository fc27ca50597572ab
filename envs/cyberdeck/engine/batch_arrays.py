"""The arrays of N games side by side, views of them, copies, and what a seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.loops import ALLY, EVERY, OPPONENT, SAME_STEP, loops_of, row_dtype
from cyberdeck.engine.memories import Memories
from cyberdeck.engine.policy import OUTSIDE, RANDOM, BuiltIn, Policy
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import EVERY_SEAT, Seat
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import EpisodeError, OptionError, StateError

ILLEGAL: Final = ("raise", "lose")

#: Who plays where the caller decides for every seat: nobody is ever asked.
NO_ONE: Final = BuiltIn("nobody", RANDOM)


def _codes(pool: Sequence[Policy]) -> NDArray[np.int8]:
    """A pool for the compiled loops."""
    return np.array([policy.code for policy in pool], np.int8)


class BatchArrays:
    """N games, their masks, observations and bookkeeping, advanced by the compiled loops."""

    #: What a copy or a pickle holds; the rest is the game's or a view.
    _KEPT = (
        "variant",
        "count",
        "threads",
        "autoreset",
        "lenient",
        "opponents",
        "allies",
        "pool",
        "ally_pool",
        "_outsiders",
        "states",
        "rows",
        "masks",
        "observations",
        "finals",
        "all_rows",
        "_one",
        "memories",
        "started",
    )

    def __init__(
        self,
        variant: Variant,
        count: int,
        *,
        seat: Seat = EVERY_SEAT,
        opponents: Sequence[Policy] = (NO_ONE,),
        allies: Sequence[Policy] = (NO_ONE,),
        autoreset: int = SAME_STEP,
        illegal: str = "raise",
        threads: int | str = 1,
    ) -> None:
        if not is_whole(count) or count < 1:
            raise OptionError(f"{count!r} games are not possible: the number must be at least 1")
        if illegal not in ILLEGAL:
            raise OptionError(f"illegal={illegal!r} is not possible: choose 'raise' or 'lose'")
        self.variant = variant
        self.threads = count_of(threads)
        self.count = int(count)
        self.autoreset = autoreset
        self.lenient = illegal == "lose"
        self.opponents, self.allies = tuple(opponents), tuple(allies)
        self.pool, self.ally_pool = _codes(self.opponents), _codes(self.allies)
        outside = OUTSIDE in self.pool or OUTSIDE in self.ally_pool
        self._outsiders = outside and seat.number != EVERY
        seats = 1 if seat.number != EVERY else variant.seats
        metrics = len(variant.game.metrics)
        self.states = np.repeat(variant.blank(), self.count)  # (N,) records
        self.rows = np.zeros(self.count, row_dtype(variant.game.most_seats, metrics))
        self.rows["seat_rule"] = seat.number
        self.rows["team"] = seat.team
        self.rows["mover"] = NOBODY
        self.masks = np.zeros((self.count, variant.action_count), np.int8)
        self.observations = np.zeros((self.count, *variant.observation_shape), np.int8)
        self.finals = np.zeros((self.count, seats, *variant.observation_shape), np.int8)
        self.all_rows = np.arange(self.count, dtype=np.int64)
        self._one = np.zeros(1, np.int64)
        self.memories = Memories(self.count, variant.seats)
        self.started = False
        self._bind()

    def _bind(self) -> None:
        """Views of the bookkeeping that are looked at in every step, and what takes the steps."""
        self.game = self.variant.game
        self.loops = loops_of(self.game)
        if self.threads > 1:
            self.loops = self.loops.split(self.threads)
        rows, seats = self.rows, self.variant.seats
        self.movers, self.metrics = rows["mover"], rows["metrics"]
        self.rewards, self.pending = rows["reward"][:, :seats], rows["pending"][:, :seats]
        self.final_returns = rows["final_returns"][:, :seats]
        self.team = bool(rows["team"][0])
        self.terminated, self.truncated = rows["terminated"], rows["truncated"]
        self.reasons, self.seats = rows["reason"], rows["seat"]
        # One that is several times in a pool is asked for all its games in one go.
        self._askable = [
            (waiting, name, np.array([each is policy for each in pool]), policy)
            for waiting, name, pool in (
                (OPPONENT, "opponent", self.opponents),
                (ALLY, "ally", self.allies),
            )
            for policy in {id(each): each for each in pool}.values()
            if policy.code == OUTSIDE
        ]
        # For the loops every observation is a vector.
        size = self.variant.observation_size
        self._vectors = self.observations.reshape(self.count, size)
        self._final_vectors = self.finals.reshape(self.count, -1, size)
        # The first row by itself: all there is in a table of one game.
        self.one_mask, self.one_observation = self.masks[0], self.observations[0]
        self.one_metrics = self.metrics[0]

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self._KEPT}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        for name, value in kept.items():
            if isinstance(value, np.ndarray) and not value.flags.writeable:
                self.__dict__[name] = value.copy()  # unpickled from somebody's shared memory
        if self.states.dtype != self.variant.game.dtype:
            raise StateError(
                f"these games of {self.variant.game.title} were pickled by a version with another "
                "record: what get_state() gives can be read by later versions"
            )
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A twin that goes its own way; players of the pool are shared, not copied."""
        twin = object.__new__(type(self))
        twin.__setstate__(
            {
                name: value.copy() if isinstance(value, (np.ndarray, Memories)) else value
                for name, value in self.__getstate__().items()
            }
        )
        return twin

    def playing(self) -> NDArray[np.int8]:
        """The seat that the caller plays now: in a team the one that decides, or its first."""
        if not self.team:
            return self.seats
        return np.where(self.movers != NOBODY, self.movers, self.seats)

    # --- guards ----------------------------------------------------------------------------------

    def check_row(self, row: int) -> None:
        """Raise ``OptionError`` for a row that there is not: compiled code does not look."""
        if not is_whole(row) or not 0 <= row < self.count:
            raise OptionError(f"there is no row {row!r}: rows are 0 to {self.count - 1}")

    def check_seat(self, seat: int) -> None:
        """Raise ``OptionError`` for a seat that there is not."""
        if not is_whole(seat) or not 0 <= seat < self.variant.seats:
            raise OptionError(
                f"seat={seat!r} is not a seat of {self.game.title}: "
                f"there are 0 to {self.variant.seats - 1}"
            )

    def need_game(self) -> None:
        if not self.started:
            raise EpisodeError("there is no game yet: call reset() first")

    def check_view(self, row: int, seat: int) -> None:
        """Raise an error if there is nothing to be seen in a row from a seat."""
        self.check_row(row)
        self.check_seat(seat)
        self.need_game()

    # --- looking ---------------------------------------------------------------------------------

    def look(
        self, seat: int, row: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int32]]:
        """What *seat* sees now: fresh arrays of the observation, its mask and its facts."""
        self.check_row(row)
        self.check_seat(seat)
        mask = np.empty(self.variant.action_count, np.int8)
        observation = np.empty(self.variant.observation_shape, np.int8)
        metrics = np.empty(len(self.game.metrics), np.int32)
        self.loops.look(self.states, row, seat, mask, observation.reshape(-1), metrics)
        return observation, mask, metrics

    def _look_again(self, row: int) -> None:
        """Write anew what the one who has to decide in a row sees."""
        mover, learner = int(self.movers[row]), int(self.seats[row])
        viewer = learner
        if mover != NOBODY and (learner == EVERY or self.rows["team"][row]):
            viewer = mover
        observation, mask, metrics = self.look(max(viewer, 0), row)
        self.rows["choices"][row] = mask.sum()
        if learner != EVERY and mover == NOBODY:
            mask[:] = 1
        self.observations[row], self.masks[row], self.metrics[row] = observation, mask, metrics
