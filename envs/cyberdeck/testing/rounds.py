"""Seats that decide at the same time: what a round of theirs must keep to.

A round is a sequence to the rules: one seat after the other. Each is asked as if it were the first,
by what it saw when the round began, and a search lets the others decide anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from cyberdeck.engine import defaults, roles
from cyberdeck.engine.contract import Record
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.testing.alike import fields_apart

_BACK: Final = 60  # decisions that may be taken back at once
_TRIED: Final = 12  # positions of a course in which that is tried


class Rounds:
    """Checks the rounds of a course.

    Args:
        variant: the game with its options.
        act, withdraw: its kernels as plain Python.
    """

    def __init__(
        self, variant: Variant, act: Callable[..., Any], withdraw: Callable[..., Any]
    ) -> None:
        self.variant, self.game = variant, variant.game
        self.act, self.withdraw = act, withdraw

    def wrong(
        self, records: Sequence[Record], decisions: Sequence[int]
    ) -> Iterator[tuple[int, str]]:
        """The number of a decision, and what is wrong when it has been made.

        *records* are those before each of the *decisions*, and the last.
        """
        those = [roles.deciding(self.game, record) for record in records]
        for at in range(len(decisions)):
            mover = int(records[at]["mover"][0])
            before, after = records[at], records[at + 1]
            for seat in those[at]:
                still = seat in those[at + 1]
                if seat != mover and (what := self._meanwhile(before, after, seat, still)):
                    yield at + 1, what
        if self.game.withdraw_secret_actions is defaults.nothing_in_secret:
            return
        middle = [
            at
            for at in range(1, len(records))
            if records[at]["mover"][0] not in (NOBODY, records[at - 1]["mover"][0])
            and records[at]["mover"][0] in those[at - 1]
        ]
        for at in middle[:_TRIED]:
            if what := self._not_taken_back(records, decisions, at):
                yield at, what

    def _meanwhile(self, before: Record, after: Record, seat: int, still: bool) -> str:
        """The fault that something changes for a seat of the round when the mover has decided.

        still: whether the seat is one of the round then.
        """
        agent, other = (self.variant.agents[each] for each in (seat, int(before["mover"][0])))
        says = f"acts_simultaneously says that {agent} decides at the same time as {other}"
        if not still:
            return f"{says}, but is no longer true of {agent} once {other} has decided"
        masks = []
        for record in (before, after):
            asked = record.copy()
            asked["mover"] = seat
            masks.append(self.variant.look(asked, seat)[0])
        if not np.array_equal(masks[0], masks[1]):
            return f"{says}, but {other}'s decision changes what {agent} may do"
        seen = [self.variant.look(record, seat)[1] for record in (before, after)]
        if not np.array_equal(seen[0], seen[1]):
            return f"{says}, but {other}'s decision changes what {agent} observes"
        return ""

    def _not_taken_back(self, records: Sequence[Record], decisions: Sequence[int], at: int) -> str:
        """The fault of taking back the others' decisions for the mover and making them again."""
        here = records[at]
        seat = int(here["mover"][0])
        taken = here.copy()
        self.withdraw(taken[0], seat)
        agent, name = self.variant.agents[seat], "withdraw_secret_actions"
        if not fields_apart(taken, here):
            return f"{name} takes nothing back for {agent}" if self._is_secret(records, at) else ""
        fewer = int(here["decisions"][0]) - int(taken["decisions"][0])
        if fewer < 1:
            return f"{name} takes decisions back for {agent}, but state.decisions still counts them"
        apart = list[str]()
        for first in range(at - 1, max(-1, at - _BACK), -1):
            again = taken.copy()
            for then in range(first, at):
                if again["mover"][0] != records[then]["mover"][0]:
                    continue  # it was known, and has been left as it was
                if not self.variant.look(again, int(again["mover"][0]))[0][decisions[then]]:
                    break
                self.act(again[0], decisions[then])
            differ = fields_apart(again, here)
            if not differ:
                return ""
            if not apart or len(differ) < len(apart):
                apart = differ
        named = " and ".join(apart)
        what = "the same decisions do not lead back to the same record"
        return f"after {name} for {agent}, {what}: look at {named}"

    def _is_secret(self, records: Sequence[Record], at: int) -> bool:
        """True if the mover does not see what the one before it has decided."""
        before, seat = records[at - 1], int(records[at]["mover"][0])
        seen = self.variant.look(records[at], seat)[:2]
        for action in np.flatnonzero(self.variant.look(before, int(before["mover"][0]))[0]):
            other = before.copy()
            self.act(other[0], int(action))
            alike = all(map(np.array_equal, seen, self.variant.look(other, seat)[:2]))
            if alike and fields_apart(other, records[at]):
                return True
        return False
