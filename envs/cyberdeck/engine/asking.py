"""What is asked of games from outside their loops: what policies decide, what seats see, bytes."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.memory import need_room
from cyberdeck.engine import dice, loops, registry, saving
from cyberdeck.engine.arrays import Arrays, GameRows, LoopGames
from cyberdeck.engine.constants import EVERY, RESIGNS, VOID
from cyberdeck.engine.contract import is_whole
from cyberdeck.engine.history import History, Log
from cyberdeck.engine.loops import CALLER, OUTSIDE, SAME_STEP
from cyberdeck.engine.memories import Memories, Place
from cyberdeck.engine.others import NO_ONE, Others
from cyberdeck.engine.pieces import ROWS, Pieces
from cyberdeck.engine.policy import Policy, PolicyInput, Watch, checked_answer
from cyberdeck.engine.positions import unpacked_for
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.seats import EVERY_SEAT, Seat
from cyberdeck.engine.threads import count_of
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import (
    ActionError,
    EpisodeError,
    OptionError,
    PolicyError,
    StateError,
    require,
)

#: Keeps the opponents' generator apart from the game's.
OPPONENTS: Final = 0x0DDB411


#: Decisions that are not worth a look at the clock, where so many are quick.
_FEW: Final = 4096


class AskedGames(GameRows):
    """Games as arrays: policies decide in them, their past is kept for those that need it, and each
    row can be looked at, redrawn, saved and put back.
    """

    movers: NDArray[np.int8]
    seats: NDArray[np.int8]
    rewards: NDArray[np.float32]

    #: Whether they may be shown, or paid, otherwise than they are played.
    transforms = False

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
        history: bool = False,
    ) -> None:
        if not is_whole(count) or count < 1:
            raise OptionError(f"{count!r} games are not possible: the number must be at least 1")
        require(illegal in ("raise", "lose"), "illegal", illegal, "choose 'raise' or 'lose'")
        if variant.transformed and not self.transforms:
            raise OptionError(
                f"{variant.game.title} is played as it is here: leave out disguise= and "
                "reward='regret' (new_games() makes such games)"
            )
        count = int(count)
        self.variant = variant
        self.threads = count_of(threads)
        self.autoreset = autoreset
        self.lenient = illegal == "lose"
        played = seat.number != EVERY and any(each.needs_history for each in (*opponents, *allies))
        self.others = Others(opponents, allies, all_outside=history or played)
        every = seat.number == EVERY or CALLER in self.others.opponent_codes
        views = variant.seats if every else 1
        need_room(count, Arrays.bytes_of(variant, views), "games")
        self.memories = Memories(count, variant.seats)
        #: Of each row's game, where anybody asks for it.
        self.logs: list[Log] | None = None
        if history or played:
            self.logs = [Log(variant, variant.blank())] * count
        self.started = False
        self._arrays = Arrays.of(variant, count, views)
        rows = self._arrays.rows
        rows["seat_rule"] = seat.number
        rows["team"] = seat.team
        rows["mover"] = NOBODY
        self._bind()

    def _bind(self) -> None:
        """What follows from the rest: the loops, and views of the arrays."""
        self.game = self.variant.game
        arrays = self._arrays
        self.count = len(arrays)
        self.states, self.rows = arrays.states, arrays.rows
        self.masks, self.observations = arrays.masks, arrays.observations
        self.finals = arrays.finals
        self.loops = self.variant.loops.fitted(V=self.finals.shape[1])
        if self.threads > 1:
            self.loops = self.loops.split(self.game, self.threads)
        rows = self.rows
        self._name_fields(rows.__getitem__)
        self.team = bool(rows["team"][0])
        # The first row by itself: all there is in a batch of one game.
        self.one_mask, self.one_observation = self.masks[0], self.observations[0]
        self.one_metrics = self.metrics[0]
        self._one_action = np.zeros(1, np.int64)
        self.all_rows = np.arange(self.count, dtype=np.int64)
        self.pool, self.ally_pool = self.others.opponent_codes, self.others.ally_codes
        finals = self.finals.reshape(self.count, -1, self.variant.observation_size)
        self._games = LoopGames(
            *(self.states, rows, self.pool, self.ally_pool, self.autoreset),
            *(self.masks, arrays.vectors, finals),
        )
        # By who decides: they may differ by a factor of twenty.
        self._steps = Pieces(ROWS, _FEW)
        self._decisions = {code: Pieces(ROWS, _FEW) for code in (loops.RANDOM, loops.HEURISTIC)}
        #: What a step that asks others began with.
        self._before: Arrays | None = None
        self._asks = bool(self.others.outside and rows["seat_rule"][0] != EVERY)
        #: Whether a step is one call of compiled code, which nothing interrupts, and nothing else.
        more = self._asks or self.transforms or self.game.recalls or self.logs
        self._only_loops = not more and self.threads == 1 and self.count <= _FEW

    def __getstate__(self) -> dict[str, Any]:
        names = ("variant", "threads", "autoreset", "lenient", "others", "memories", "logs")
        return {name: getattr(self, name) for name in (*names, "started", "_arrays")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        kinds = self._arrays.states.dtype, self._arrays.observations.dtype
        self._check_version(same=kinds == (self.variant.game.dtype, self.variant.dtype))
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A twin that goes its own way; players of the pools are shared, not copied."""
        twin = object.__new__(type(self))
        own: dict[str, Any] = {"_arrays": self._arrays.copy(), "memories": self.memories.copy()}
        own["logs"] = self.logs and self.logs.copy()
        twin.__setstate__(self.__getstate__() | own)
        return twin

    def put_opponents(self, opponents: Sequence[Policy]) -> None:
        """Have others in the pool from the next games on, as many as before, and none whom it did
        not know when it was made. In places where a game is under way they have to be the same.
        """
        self.others = Others(opponents, self.others.allies, self.others.all_outside)
        self._bind()

    def playing(self) -> NDArray[np.int8]:
        """The seat that the caller plays now: of several the one that decides, or the first."""
        several = (self.seats == EVERY) | self.team
        if not several.any():
            return self.seats
        return np.where(several & (self.movers != NOBODY), self.movers, self.seats.clip(0))

    # --- asking ----------------------------------------------------------------------------------

    def seen(self, which: NDArray[np.int64], needs_states: bool, **more: Any) -> PolicyInput:
        """The rows *which*, as those who have to decide there see them; *more* of the input."""
        random_bits = np.empty(len(which), np.uint64)
        states = np.empty(len(which) if needs_states else 0, self.states.dtype)
        self.loops.ask(which, self.states, self.rows, random_bits, states)
        shown = (self.observations[which], self.masks[which], self.movers[which])
        more |= {"notes": [None] * len(which), "threads": self.threads}
        return PolicyInput(self.variant, *shown, random_bits, states, **more)

    def numbered(self, actions: Any) -> Any:
        """The game's own numbers of actions, as they are shown."""
        return actions

    def _consult(
        self, policy: Policy, which: NDArray[np.int64], **more: Any
    ) -> tuple[PolicyInput, NDArray[np.int64]]:
        """What is shown to *policy* of the rows *which*, and what it decides there."""
        seen = self.seen(which, policy.needs_states, **more)
        return seen, checked_answer(policy, policy.decide(seen), len(which))

    def choose(self, code: int) -> NDArray[np.int64]:
        """What a player of the compiled loops decides for the mover of every row (0 where a game
        is over).
        """
        actions = np.empty(self.count, np.int64)
        asked = self.states, self.rows, self.masks, actions
        if self.count <= _FEW:  # as ``run`` would do, for a single game in less time
            self.loops.choose(code, *asked)
        else:
            self._decisions[code].run(functools.partial(self.loops.choose, code), asked)
        return actions

    def ask(
        self,
        policy: Policy,
        which: NDArray[np.int64],
        watch: Watch | None = None,
    ) -> NDArray[np.int64]:
        """What a policy decides in the rows *which*; ``ActionError`` if that is not legal.

        One that may give up may have answered ``RESIGNS``. A policy with a memory notes there that
        it was asked: ask it once for each decision.
        """
        return self._asked(policy, which, watch=watch)[0]

    def ask_in_match(
        self, policy: Policy, which: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], list[Any]]:
        """The same, and what it notes beside each decision.

        It may have answered ``VOID`` as well; and where illegal actions lose, it is up to ``step``
        what becomes of one.
        """
        return self._asked(policy, which, in_match=True)

    def _asked(
        self,
        policy: Policy,
        which: NDArray[np.int64],
        in_match: bool = False,
        watch: Watch | None = None,
        places: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.int64], list[Any]]:
        if policy.code != OUTSIDE:
            return self.choose(policy.code)[which], []
        place = Place(which, self.movers[which], self.rows["game"][which])
        more: dict[str, Any] = {"watch": watch}
        if places is not None:
            more["places"] = places.astype(np.int64)
        if policy.memory:
            more["memory"] = self.memories.recall(policy, policy.memory, place)
        if policy.needs_history:
            more["history"] = self._histories(policy, which)
        seen, answer = self._consult(policy, which, **more)
        judged, judged_answer = which, answer
        if policy.may_give_up:
            if not in_match and VOID in answer:
                raise PolicyError(
                    f"{policy!r} could not decide, and nothing was applied: its machine has failed"
                    + (f": {policy.failure}" if policy.failure else "")
                )
            sure = (answer != RESIGNS) & (answer != VOID)
            judged, judged_answer = which[sure], answer[sure]
        wrong = -1
        if not (in_match and self.lenient):
            wrong = self.loops.first_illegal(judged, judged_answer, self.rows, self.masks)
        if wrong >= 0:
            complaint = self.complaint(int(judged[wrong]), int(judged_answer[wrong]))
            raise ActionError(f"{policy!r} chose wrongly: {complaint}")
        if policy.memory:
            self.memories.note(policy, seen.memory, place)
        return answer, seen.notes

    def _histories(self, policy: Policy, which: NDArray[np.int64]) -> list[History]:
        if self.logs is None:
            raise PolicyError(
                f"{policy!r} needs the history of games, and these keep none: it can play in "
                "matches, at tables, and as an opponent or ally"
            )
        return [self.history_of(row) for row in which.tolist()]

    def history_of(self, row: int) -> History:
        """What the one who has to decide in a row may know of its game, where logs are kept."""
        assert self.logs is not None
        return History(self.logs[row], int(self.movers[row]))

    def complaint(
        self, row: int, action: int, seat: int | None = None, mask: NDArray[np.int8] | None = None
    ) -> str:
        """What is wrong with *action* in *row*: its meaning, who acts, and what is legal.

        The seat and its mask are the mover's, unless others decide at the same time.
        """
        seat = int(self.movers[row]) if seat is None else seat
        mask = self.masks[row] if mask is None else mask
        legal, record = np.flatnonzero(mask).tolist(), self.states[row : row + 1]

        def name(number: int) -> str:
            return registry.named_action(self.variant, record, number)

        listed = "; ".join(f"{number} ({name(number)})" for number in legal[:12])
        more = f"; and {len(legal) - 12} more" if len(legal) > 12 else ""
        return (
            (f"row {row}: " if self.count > 1 else "")
            + f"action {action} ({name(action)}) is not legal for {self.variant.agents[seat]}; "
            f"legal are {listed}{more}. The action mask says which are; with illegal='lose' an "
            "illegal action loses the game instead"
        )

    # --- what is remembered ----------------------------------------------------------------------

    @contextmanager
    def _all_or_nothing(self, which: NDArray[np.int64] | slice, before: Arrays) -> Iterator[None]:
        """If this block fails, the games *which* are as *before*, and so are logs and memories."""
        logs, memories = self.logs and self.logs.copy(), self.memories.copy()
        try:
            yield
        except BaseException:
            self._arrays.put(which, before)
            self.logs, self.memories = logs, memories
            raise

    def _forget(self, rows: NDArray[np.int64] | int, whole: bool = True) -> None:
        """Other games are there now: from their beginning, if *whole*."""
        self.memories.forget(rows)
        if self.logs is not None:
            for row in np.atleast_1d(rows).tolist():
                self.logs[row] = Log(self.variant, self._record(row), whole)

    def _record(self, row: int) -> NDArray[Any]:
        """A copy of a row's record."""
        return self.states[row : row + 1].copy()

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
