"""A view's texts and pictures of a position: they can be made, and change nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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
from cyberdeck.views import scene, words
from cyberdeck.views.notation import key, told_apart
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
        self.faults: list[str] = []

    def wrong(self) -> list[str]:
        variant, record, view = self.variant, self.record, self.view
        kept = record.tobytes()
        for seat in range(variant.seats):
            self._look((seat,), record)
            self._call("seat_name", str, view.seat_name, record, seat)
        if showing.has_spectators(variant) and self._public():
            self._look(None, showing.public(variant, record))
        self._call("turn", str, view.turn, record, needed=False)
        mover = int(record["mover"][0])
        if mover != NOBODY:
            legal = np.flatnonzero(variant.look(record, mover)[0]).tolist()
            written = {"action_name": view.action_name, "notation": view.notation}
            names: dict[int, str] = {}
            for what, function in written.items():
                if function is None:
                    names = told_apart(names)
                    continue
                made = {
                    action: self._call(f"{what} of action {action}", str, function, record, action)
                    for action in legal
                }
                names = {action: name for action, name in made.items() if name is not None}
            self._check_notation(names)
        if record.tobytes() != kept:
            self.faults.append("what is shown changes the state")
        return self.faults

    def _check_notation(self, names: Mapping[int, str]) -> None:
        """Notation must tell actions that are legal together apart."""
        known: dict[str, int] = {}
        for action, name in names.items():
            first = known.setdefault(key(name), action)
            if not key(name):
                what = f"notation of action {action} is {name!r}: letters or digits count"
                self.faults.append(what)
            elif first != action:
                what = f"notation of actions {first} and {action} is {names[first]!r} and {name!r}"
                self.faults.append(f"{what}: they need other letters or digits")

    def _look(self, viewer: Viewer, states: Record) -> None:
        """Page, ending, story, texts and picture, as one viewer sees them."""
        variant, view, call = self.variant, self.view, self._call
        mask = showing.known_mask(variant, states, viewer)
        page = call("page", Page, view.page, states, viewer, mask)
        over = int(states["mover"][0]) == NOBODY
        ending = call("ending", Ending, view.ending, states, viewer, needed=over)
        if ending is not None and not over:
            self.faults.append(f"ending returns {ending.headline!r}, and the game is not over")
        if ending is not None and ending.mood not in (WON, LOST, DRAWN):
            self.faults.append(
                f"ending has the mood {ending.mood!r}: there are won, lost and drawn"
            )
        events: list[Event] = []
        if self.before is not None:
            old = showing.reader(variant, self.before)
            phases = phases_between(variant.game, self.before, self.record)
            between = Between(None, [showing.reader(variant, each) for each in phases])
            told = call("story", list, lambda now: view.story(old, now, viewer, between), states)
            events = [each for each in told or [] if isinstance(each, Event)]
            if len(events) != len(told or []):
                self.faults.append("story returns something other than events")
        if page is None:
            return
        call("text", str, lambda shown: words.text(page, events, []), states)
        call("screen", str, lambda shown: words.screen(page), states)
        look = Look(viewer, None, False, None, events, [])
        if view.draw is None or call("draw", Drawn, view.draw, states, page, look) is not None:
            call("picture", str, lambda shown: scene.picture(view, shown, mask, look), states)

    def _public(self) -> bool:
        """True if ``public`` returns fields of the record, with values that fit them."""
        if self.view.public is None:
            return True
        shown = self._call("public", Mapping, self.view.public, self.record)
        room = self.record.copy()
        for name, value in (shown or {}).items():
            if name not in (room.dtype.names or ()):
                self.faults.append(f"public names {name!r}: there is no such field")
                return False
            try:
                room[name] = value
            except (TypeError, ValueError, OverflowError):
                what = f"public gives {name} as {value!r}, which does not fit the field"
                self.faults.append(what)
                return False
        return shown is not None

    def _call(
        self,
        what: str,
        kind: type,
        made: Callable[..., Any],
        states: Record,
        *given: Any,
        needed: bool = True,
    ) -> Any:
        """The result of a function of the view, or None if it is not of this kind.

        Unless it is *needed*, it may also be None, or no words.
        """
        shown = showing.reader(self.variant, states)
        began = time.monotonic()
        try:
            result = made(shown, *given)
        except OutOfTime as limit:
            raise hung(limit, began) from None
        except Misuse:
            raise  # of a kernel
        except Exception as error:
            self.faults.append(f"{place(error)}{what} raises {in_words(error)}")
            return None
        for name in states.dtype.names or ():
            if name in vars(shown) and vars(shown)[name] != states[name][0].tolist():
                self.faults.append(f"{what} changes {name} in the record that it is shown")
                break
        if isinstance(result, kind) and (result or kind is not str or not needed):
            return result
        if needed or result is not None:
            wanted = _KINDS.get(kind.__name__, kind.__name__)
            self.faults.append(f"{what} returns {result!r}: it must return {wanted}")
        return None
