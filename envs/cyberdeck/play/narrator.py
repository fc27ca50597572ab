"""Tells the decisions of a game, and what came of them, to whoever may know it.

Prompts, the news of a page and of a terminal, replays and their pictures are made of what is told
here. No NumPy is needed: a decision holds records as views read them, wherever these come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

from cyberdeck.engine.constants import RESIGNED, RESIGNS
from cyberdeck.views import notation
from cyberdeck.views.record import Record
from cyberdeck.views.scene import Scene
from cyberdeck.views.view import View, Viewer
from cyberdeck.views.words import HIDDEN, Happening, consequences


class Onlooker(NamedTuple):
    """Somebody who looks at a game."""

    name: str
    seat: int | None
    """The seat from whose side it is shown; None: a spectator's."""
    knows: tuple[int, ...] | None
    """The seats whose secrets are known; None: everybody's."""

    @property
    def viewer(self) -> Viewer:
        """The same for a view, with the seat that is shown first."""
        if self.seat is None:
            return None
        return (self.seat, *(seat for seat in self.knows or () if seat != self.seat))

    def knows_of(self, seat: int) -> bool:
        """Whether all that a seat knows is known."""
        return self.knows is None or seat in self.knows

    def sees(self, view: View, record: Record) -> Record:
        """The record to show: spectators are shown its public part."""
        return record.public(view.public) if self.knows is not None and not self.knows else record


#: Sees everything, from the first seat's side; and what everybody may know.
EVERYTHING = Onlooker("everything", None, None)
SPECTATOR = Onlooker("spectator", None, ())


def seated(*seats: int) -> Onlooker:
    """Who plays these seats, and is shown the first one's side."""
    return Onlooker("", seats[0], seats)


@dataclass(eq=False)
class Decision:
    """A decision of a game, in words.

    Args:
        view: the game's view.
        mover: who made it.
        action: what was decided; ``RESIGNS`` is possible.
        record: the record that it was made in.
        after: the record that it led to.
        hidden_from: the seats that did not see it.
    """

    view: View
    mover: int
    action: int
    record: Record
    after: Record
    hidden_from: Sequence[int] = ()
    _consequences: dict[Onlooker, list[Happening]] = field(default_factory=dict, repr=False)

    def __deepcopy__(self, memo: object) -> Self:
        """Nothing in a decision changes: the twins of a game share those that were made."""
        return self

    @property
    def resigns(self) -> bool:
        """Whether the mover gave up."""
        return self.action == RESIGNS

    @cached_property
    def turn(self) -> str:
        """What the turn is called, where turns have several decisions."""
        return self.view.turn(self.record)

    @cached_property
    def who(self) -> str:
        """What people call the mover."""
        return self.view.seat_name(self.record, self.mover)

    @cached_property
    def words(self) -> str:
        """What was decided."""
        return RESIGNED if self.resigns else self.view.action_name(self.record, self.action)

    @cached_property
    def notation(self) -> str:
        """The same in notation; nothing, if the mover gave up."""
        if self.resigns:
            return ""
        if self.view.notation is not None:
            return self.view.notation(self.record, self.action)
        mask = self.record.rules.mask((self.mover,)) or ()
        return notation.notations(self.view, self.record, mask)[self.action]

    @property
    def short(self) -> str:
        """The notation, where it does not say the same as the words."""
        return notation.short(self.notation, self.words)

    def is_hidden(self, onlooker: Onlooker) -> bool:
        """Whether the decision is hidden from somebody. Who gives up does it in front of all."""
        if not self.hidden_from or self.resigns or onlooker.knows_of(self.mover):
            return False
        return all(seat in self.hidden_from for seat in onlooker.knows or ())

    @property
    def phases(self) -> Sequence[Record]:
        """The records after each phase of the turn that it had carried out."""
        return self.after.rules.phases(self.record)

    def consequences(self, onlooker: Onlooker) -> list[Happening]:
        """What the decision brought about and does not say itself."""
        found = self._consequences.get(onlooker)
        if found is None:
            old, new = onlooker.sees(self.view, self.record), onlooker.sees(self.view, self.after)
            found = consequences(Scene(self.view, new, onlooker.viewer, old).events)
            self._consequences[onlooker] = found
        return found

    def words_for(self, onlooker: Onlooker) -> str:
        """What was decided in words, as far as somebody may know it."""
        return HIDDEN if self.is_hidden(onlooker) else self.words
