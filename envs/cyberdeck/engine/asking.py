"""Games whose players are asked from outside the loops, and what is remembered of these games."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import registry
from cyberdeck.engine.arrays import Arrays
from cyberdeck.engine.constants import RESIGNS
from cyberdeck.engine.game_loops import Loops
from cyberdeck.engine.game_rows import GameRows
from cyberdeck.engine.history import History, Log
from cyberdeck.engine.loops import OUTSIDE
from cyberdeck.engine.memories import Memories, Place
from cyberdeck.engine.policy import VOID, Policy, PolicyInput, Watch, checked_answer
from cyberdeck.errors import ActionError, PolicyError


class AskedGames(GameRows):
    """Games as arrays: policies decide in them, and their past is kept for those that need it."""

    _arrays: Arrays
    states: NDArray[Any]
    rows: NDArray[Any]
    masks: NDArray[np.int8]
    movers: NDArray[np.int8]
    seats: NDArray[np.int8]
    rewards: NDArray[np.float32]
    observations: NDArray[Any]
    loops: Loops
    threads: int
    lenient: bool
    memories: Memories
    logs: list[Log] | None
    """Of each row's game, where anybody asks for it."""

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
        """What a player of the compiled loops decides for the mover of every row."""
        raise NotImplementedError

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
        logs, failed = self.logs and self.logs.copy(), True
        self.memories.record_changes()
        try:
            yield
            failed = False
        finally:
            self.memories.settle(take_back=failed)
            if failed:
                self._arrays.put(which, before)
                self.logs = logs

    def _forget(self, rows: NDArray[np.int64] | int, whole: bool = True) -> None:
        """Other games are there now: from their beginning, if *whole*."""
        self.memories.forget(rows)
        if self.logs is not None:
            for row in np.atleast_1d(rows).tolist():
                self.logs[row] = Log(self.variant, self._record(row), whole)

    def _record(self, row: int) -> NDArray[Any]:
        """A copy of a row's record."""
        return self.states[row : row + 1].copy()
