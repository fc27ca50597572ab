"""A record as its view shows it to a viewer, who is told no more than the rules let it know.

The records were made with their ``Rules``. No NumPy is needed, wherever they come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cyberdeck.errors import EpisodeError
from cyberdeck.views import frame, words
from cyberdeck.views.record import Record
from cyberdeck.views.view import Between, Ending, Event, Look, Page, View, Viewer, no_story


class Scene(NamedTuple):
    """What a viewer sees of a game, and of what has just happened."""

    view: View
    record: Record
    viewer: Viewer
    before: Record | None = None
    """The record before what has just happened; None: nothing has."""
    turn: Record | None = None
    """A record of the last turn that was carried out in phases."""

    @property
    def page(self) -> Page:
        """What there is to see."""
        return self.view.page(self.record, self.viewer, self.record.rules.mask(self.viewer))

    @property
    def ending(self) -> Ending:
        """How a game that is over ended."""
        found = self.view.ending(self.record, self.viewer)
        if found is None:
            raise EpisodeError("the game is not over yet")
        return found

    @property
    def events(self) -> list[Event]:
        """What has just happened."""
        return self._since(self.before)

    def text(self) -> str:
        """All of it as plain text."""
        return words.text(self.page, *self._lately())

    def screen(self) -> str:
        """The page for a terminal of 80x24."""
        return words.screen(self.page)

    def picture(
        self,
        choices: Sequence[int] | None = None,
        theme: str = "dark",
        narrow: bool = False,
        bare: bool = False,
        decided: Sequence[Event] = (),
    ) -> str:
        """An SVG picture, in which *choices* can be chosen, and what has just changed is marked.

        *bare*: the board alone, without words that belong to no thing on it. *decided*: what the
        viewer knows of what was decided, for views that tell no story themselves.
        """
        events, last_turn = self._lately()
        look = Look(
            self.viewer,
            None if choices is None else tuple(choices),
            narrow,
            self.before,
            decided if self.view.story is no_story else events,
            last_turn,
            bare,
        )
        mask = self.record.rules.mask(self.viewer)
        return frame.picture(self.view, self.record, mask, look, theme)

    def signs(self, theme: str = "dark") -> str:
        """What the signs of a bare picture mean, as a picture; nothing, if they need no words."""
        mask = self.record.rules.mask(self.viewer)
        return frame.signs(self.view, self.record, mask, Look(self.viewer), theme)

    def _since(self, before: Record | None) -> list[Event]:
        if before is None:
            return []
        phases = self.record.rules.phases(before)
        return self.view.story(before, self.record, self.viewer, Between(None, phases))

    def _lately(self) -> tuple[list[Event], list[Event]]:
        """What has just happened; and in the phases of the last turn."""
        events, apart = self.events, self.turn is not None and self.turn is not self.before
        told = self._since(self.turn) if apart else events
        return events, [event for event in told if event.phase]
