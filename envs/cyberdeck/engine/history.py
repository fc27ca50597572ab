"""The log of a game: what has been decided in it so far, everybody's decisions in order.

Histories are read from it, for policies that decide by more than a position, and it can be kept as
plain arrays and gone on from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Record
from cyberdeck.engine.positions import checked_position
from cyberdeck.engine.roles import hidden_from
from cyberdeck.engine.variant import Variant

#: In ``History.moves``: a decision that the seat did not see.
HIDDEN: Final = -1


class Entry(NamedTuple):
    """A decision."""

    mover: int
    action: int
    observation: NDArray[Any]
    """As the mover saw it."""
    record: Record
    """The one that it was made in: an array of one."""
    hidden_from: tuple[int, ...]
    """The seats that did not see it."""


@dataclass(frozen=True, eq=False)
class Log:
    """One running game: everybody's decisions in order. Each makes a new log.

    record  the game as it stands after them: an array of one
    whole   False where it was gone on with from a saved or redrawn position: what was decided
            before that is not known
    """

    variant: Variant
    record: Record
    whole: bool = True
    entries: tuple[Entry, ...] = ()
    own: tuple[Entry, ...] = ()
    """Of a game in disguise the same, with the game's own numbers of actions."""

    def after(self, action: int, observation: NDArray[Any], record: Record) -> Self:
        """The log after the mover's *action*, which led to *record*."""
        before = self.record
        hidden = hidden_from(self.variant.game, before)
        entry = Entry(int(before[0]["mover"]), action, observation, before, hidden)
        own, disguise = self.own, self.variant.disguise
        if disguise is not None:
            own = (*own, entry._replace(action=disguise.own_number(action)))
        return replace(self, record=record, entries=(*self.entries, entry), own=own)

    def undisguised(self) -> Self:
        """The log of the game itself, if it is disguised."""
        if self.variant.disguise is None:
            return self
        return replace(self, variant=self.variant.undisguised, entries=self.own, own=())


@dataclass(frozen=True, eq=False)
class History:
    """What one seat may know of the game so far.

    log     everything, secrets included: for what tells a game to people, which leaves out what a
            viewer may not know. A policy does not decide by it.
    """

    log: Log
    seat: int

    @property
    def whole(self) -> bool:
        """Whether it begins with the game: False where that was gone on with from a saved or
        redrawn position.
        """
        return self.log.whole

    @cached_property
    def observations(self) -> NDArray[Any]:
        """(T, ...): what the seat saw at each of its own decisions so far."""
        variant = self.log.variant
        seen = [entry.observation for entry in self._own]
        return np.array(seen, variant.dtype).reshape(-1, *variant.observation_shape)

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """(T,): what it decided there."""
        return np.array([entry.action for entry in self._own], np.int64)

    @cached_property
    def moves(self) -> list[tuple[int, int]]:
        """(seat, action) of everybody's decisions in order; HIDDEN for an action that this seat
        did not see.
        """
        return [
            (entry.mover, HIDDEN if self.seat in entry.hidden_from else entry.action)
            for entry in self.log.entries
        ]

    @property
    def _own(self) -> list[Entry]:
        return [entry for entry in self.log.entries if entry.mover == self.seat]


# --- as plain arrays -----------------------------------------------------------------------------


def courses(logs: Sequence[Log]) -> dict[str, NDArray[Any]]:
    """Logs as plain arrays: (N,) how many decisions each has, and whether it is whole; of one log
    after the other the records before these decisions, as bytes, and the actions.
    """
    entries = [entry for log in logs for entry in log.entries]
    blank = logs[0].record[:0]
    return {
        "decided": np.array([len(log.entries) for log in logs], np.int64),
        "whole": np.array([log.whole for log in logs], np.bool_),
        "positions": np.concatenate([blank, *(entry.record for entry in entries)]).view(np.uint8),
        "actions": np.array([entry.action for entry in entries], np.int64),
    }


def logs_of(logs: Sequence[Log], kept: Mapping[str, NDArray[Any]]) -> list[Log]:
    """What ``courses`` gave of games that stand where these *logs* end, or ``ValueError``: it may
    be a stranger's.
    """
    known = courses(logs)
    if any((kept[name].ndim, kept[name].dtype) != (1, part.dtype) for name, part in known.items()):
        raise ValueError("its courses of games are of the wrong type")
    counts, whole, actions = kept["decided"], kept["whole"], kept["actions"]
    variant, size = logs[0].variant, len(actions)
    records = kept["positions"].view(logs[0].record.dtype)
    within = len(counts) == len(whole) == len(logs) and ((counts >= 0) & (counts <= size)).all()
    if not within or not counts.sum() == size == len(records):
        raise ValueError("its courses of games are not as long as they say")
    checked_position(variant.game, records)
    own = records.copy()
    variant.game.write(own, variant.options)
    movers = records["mover"]
    if own.tobytes() != records.tobytes() or not ((movers >= 0) & (movers < variant.seats)).all():
        raise ValueError("its courses of games are of other games")
    found, at = [], 0
    for log, many, from_beginning in zip(logs, counts.tolist(), whole.tolist(), strict=True):
        steps = [*(records[each : each + 1].copy() for each in range(at, at + many)), log.record]
        built = Log(variant, steps[0], from_beginning)
        for record, action, after in zip(steps, actions[at : at + many], steps[1:], strict=False):
            mask, seen, _ = variant.look(record, int(record[0]["mover"]))
            if not 0 <= action < len(mask) or not mask[action]:
                raise ValueError("its courses of games have decisions that are not legal")
            observation = seen.reshape(variant.observation_shape)
            built = built.after(int(action), observation, after)
        found.append(built)
        at += many
    return found
