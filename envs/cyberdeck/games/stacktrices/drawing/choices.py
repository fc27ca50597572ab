"""What may be chosen in Stacktrices' pictures: the legal actions of stacks, squares and pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cyberdeck.drawing.svg import target
from cyberdeck.engine.contract import Record
from cyberdeck.engine.kernels import Mask, State
from cyberdeck.games.stacktrices.board import (
    CAP,
    DRONES,
    HIDE,
    HIDE_AGAIN,
    HIDE_RAIDER,
    HIDES,
    KINDS,
    MOVE,
    OWN_PICKS,
    PICKS,
    PLACE_RAIDED,
    PLACE_STOLEN,
    PUTS,
    RAID,
    SQUARES,
    STACKS,
    STEAL,
    TRADE,
    mirrored,
    picked_kind,
    their_picks,
)
from cyberdeck.games.stacktrices.narration import action_name

#: (kind, action)
Pick: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Choices:
    """The legal actions that a picture shows; none where nobody chooses."""

    record: Record
    legal: tuple[int, ...]
    """In order."""

    @property
    def state(self) -> State:
        return self.record[0]

    @property
    def phase(self) -> int:
        return int(self.state["phase"])

    def within(self, first: int, count: int) -> list[int]:
        """Those of a stretch of actions."""
        return [action for action in self.legal if first <= action < first + count]

    def words(self, action: int) -> str:
        return action_name(self.record, action)

    def one(self, content: str, action: int) -> str:
        """*content* as what stands for an action."""
        return target(content, [action], self.words(action))

    def some(self, content: str, actions: list[int], words: str) -> str:
        """*content* as one end of actions, which others stand for as well."""
        return target(content, actions, words, alone=False)

    # --- where they begin and end ----------------------------------------------------------------

    def moves(self) -> dict[int, dict[int, int]]:
        """The squares that stacks may move to; each with the stacks, and their actions."""
        found: dict[int, dict[int, int]] = {}
        if self.phase == MOVE:
            seat = int(self.state["mover"])
            for action in self.within(0, STACKS * SQUARES):
                stack, square = divmod(action, SQUARES)
                found.setdefault(int(mirrored(seat, square)), {})[stack] = action
        return found

    def hides(self, stack: int) -> list[int]:
        hiding = self.phase in (HIDE, HIDE_AGAIN, HIDE_RAIDER) and stack < DRONES
        return self.within(HIDES + stack, 1) if hiding else []

    def puts(self, stack: int) -> list[Pick]:
        """The kinds that may come on a stack of the mover."""
        first = PUTS + KINDS * stack
        return [(action - first, action) for action in self.within(first, KINDS)]

    def picks(self, owner: int, stack: int) -> list[Pick]:
        """The kinds that may be picked from a stack."""
        state = self.state
        own = owner == int(state["mover"])
        start = OWN_PICKS if own else int(their_picks(state))
        each = PICKS[int(state["stacked_movement"])]
        # The pieces of a stack that is captured are what may be stolen.
        there = state["loot"] if self.phase == STEAL else state["pieces"][owner, stack]
        return [
            (int(picked_kind(state, there, action - start)), action)
            for action in self.within(start + each * stack, each)
        ]

    def of_stack(self, owner: int, stack: int) -> list[int]:
        """All actions that a stack on the board takes part in."""
        actions = [action for _, action in self.picks(owner, stack)]
        if owner == int(self.state["mover"]):
            actions += self.within(SQUARES * stack, SQUARES) if self.phase == MOVE else []
            actions += self.hides(stack) + [action for _, action in self.puts(stack)]
        return sorted(actions)

    def of_store(self) -> dict[int, list[int]]:
        """The kinds that may be taken from the store: in a raid, in a trade, or by stealing."""
        if self.phase == STEAL:  # the captured stack's pieces lie in the store
            victim, captured = 1 - int(self.state["mover"]), int(self.state["captured"])
            return {kind: [action] for kind, action in self.picks(victim, captured)}
        return self._put() if self.phase in (RAID, TRADE) else {}

    def of_hand(self) -> dict[int, list[int]]:
        """The kinds that may be put on a stack from the hand."""
        return self._put() if self.phase in (CAP, PLACE_STOLEN, PLACE_RAIDED) else {}

    def _put(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for stack in range(STACKS):
            for kind, action in self.puts(stack):
                found.setdefault(kind, []).append(action)
        return found


def choices_of(record: Record, mask: Mask | None) -> Choices:
    """Those of a mask."""
    legal = () if mask is None else tuple(np.flatnonzero(mask).tolist())
    return Choices(record, legal)
