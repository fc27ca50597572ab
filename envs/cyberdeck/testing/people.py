"""A view's texts and pictures of a position: they can be made, and change nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from cyberdeck import showing
from cyberdeck.common.limits import OutOfTime
from cyberdeck.engine.careful import hung
from cyberdeck.engine.contract import Record
from cyberdeck.engine.phases import phases_between
from cyberdeck.engine.places import in_words, place
from cyberdeck.engine.record import NOBODY
from cyberdeck.engine.variant import Variant
from cyberdeck.engine.watched import Misuse
from cyberdeck.views import frame, words
from cyberdeck.views.notation import key, told_apart
from cyberdeck.views.record import Record as Read
from cyberdeck.views.view import DRAWN, LOST, WON, Between, Drawn, Ending, Event, Look, Page, Viewer

_KINDS: Final = {"str": "words", "Mapping": "a dictionary of fields"}


def wrong_for_people(variant: Variant, record: Record, before: Record | None) -> list[str]:
    """The faults of a view at a position; *before* is the position before it."""
    return _Shown(variant, record, before).wrong()


class _Shown:
    """A position, as it is shown to everybody."""

    def __init__(self, variant: Variant, record: Record, before: Record | None) -> None:
        self.variant, self.record, self.before = variant, record, before
        self.view = showing.view_of(variant)
        self.found: list[str] = []

    def wrong(self) -> list[str]:
        variant, record = self.variant, self.record
        kept = record.tobytes()
        for seat in range(variant.seats):
            self._look((seat,), record)
            self._call("seat_name", str, self.view.seat_name, given=(seat,))
        if showing.has_spectators(variant) and self._public():
            self._look(None, showing.public(variant, record))
        self._call("turn", str, self.view.turn, needed=False)
        mover = int(record["mover"][0])
        if mover != NOBODY:
            legal = np.flatnonzero(variant.look(record, mover)[0]).tolist()
            names = self._actions("action_name", self.view.action_name, legal)
            if self.view.notation is None:
                self._apart(told_apart(names))
            else:
                self._apart(self._actions("notation", self.view.notation, legal))
        if record.tobytes() != kept:
            self.found.append("what is shown changes the state")
        return self.found

    def _actions(
        self, what: str, function: Callable[[Read, int], str], legal: Iterable[int]
    ) -> dict[int, str]:
        """The names that a function of the view gives actions, without those that are faulty."""
        found = {
            action: self._call(f"{what} of action {action}", str, function, given=(action,))
            for action in legal
        }
        return {action: name for action, name in found.items() if name is not None}

    def _apart(self, names: Mapping[int, str]) -> None:
        """Check that the notation tells actions that are legal together apart."""
        known: dict[str, int] = {}
        for action, name in names.items():
            first = known.setdefault(key(name), action)
            if not key(name):
                what = f"notation of action {action} is {name!r}: letters or digits count"
                self.found.append(what)
            elif first != action:
                what = f"notation of actions {first} and {action} is {names[first]!r} and {name!r}"
                self.found.append(f"{what}: they need other letters or digits")

    def _look(self, viewer: Viewer, states: Record) -> None:
        """Page, ending, story, texts and picture, as one viewer sees them."""
        variant, view = self.variant, self.view
        mask = showing.known_mask(variant, states, viewer)
        page = self._call("page", Page, view.page, states, given=(viewer, mask))
        over = int(states["mover"][0]) == NOBODY
        ending = self._call("ending", Ending, view.ending, states, over, (viewer,))
        if ending is not None and not over:
            self.found.append(f"ending returns {ending.headline!r}, and the game is not over")
        if ending is not None and ending.mood not in (WON, LOST, DRAWN):
            self.found.append(f"ending has the mood {ending.mood!r}: there are won, lost and drawn")
        events: list[Event] = []
        if self.before is not None:
            old = showing.reader(variant, self.before)
            phases = phases_between(variant.game, self.before, self.record)
            between = Between(None, [showing.reader(variant, each) for each in phases])
            told = self._call(
                "story", list, lambda now: view.story(old, now, viewer, between), states
            )
            events = [each for each in told or [] if isinstance(each, Event)]
            if len(events) != len(told or []):
                self.found.append("story returns something other than events")
        if page is None:
            return
        self._call("text", str, lambda shown: words.text(page, events, []), states)
        self._call("screen", str, lambda shown: words.screen(page), states)
        look = Look(viewer, None, False, None, events, [])
        draw = view.draw
        if draw is None or self._call("draw", Drawn, draw, states, given=(page, look)) is not None:
            self._call("picture", str, lambda shown: frame.picture(view, shown, mask, look), states)

    def _public(self) -> bool:
        """True if ``public`` returns fields of the record, with values that fit them."""
        if self.view.public is None:
            return True
        shown = self._call("public", Mapping, self.view.public)
        if shown is None:
            return False
        room = self.record.copy()
        for name, value in shown.items():
            if name not in (room.dtype.names or ()):
                self.found.append(f"public names {name!r}: there is no such field")
                return False
            try:
                room[name] = value
            except (TypeError, ValueError, OverflowError):
                self.found.append(f"public gives {name} as {value!r}, which does not fit the field")
                return False
        return True

    def _call(
        self,
        what: str,
        kind: type,
        made: Callable[..., Any],
        states: Record | None = None,
        needed: bool = True,
        given: tuple[Any, ...] = (),
    ) -> Any:
        """The result of a function of the view, or None if it is not of this kind.

        Unless it is *needed*, it may also be None, or no words.
        """
        states = self.record if states is None else states
        shown = showing.reader(self.variant, states)
        began = time.monotonic()
        try:
            found = made(shown, *given)
        except OutOfTime as limit:
            raise hung(limit, began) from None
        except Misuse:
            raise  # of a kernel
        except Exception as error:
            self.found.append(f"{place(error)}{what} raises {in_words(error)}")
            return None
        changed = [
            name
            for name in states.dtype.names or ()
            if name in vars(shown) and vars(shown)[name] != states[name][0].tolist()
        ]
        if changed:
            self.found.append(f"{what} changes {changed[0]} in the record that it is shown")
        if not isinstance(found, kind) or (needed and kind is str and not found):
            if needed or found is not None:
                wanted = _KINDS.get(kind.__name__, kind.__name__)
                self.found.append(f"{what} returns {found!r}: it must return {wanted}")
            return None
        return found
