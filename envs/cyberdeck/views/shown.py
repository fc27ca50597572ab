"""A record as its view shows it to a viewer, who is told no more than the rules let it know.

The records that these functions take were made with their ``Rules``. No NumPy is needed, wherever
they come from.
"""

from __future__ import annotations

from collections.abc import Sequence

from cyberdeck.common.text import nearest, quoted
from cyberdeck.errors import ActionError, EpisodeError
from cyberdeck.views import frame, notation
from cyberdeck.views.record import Record
from cyberdeck.views.view import Between, Ending, Event, Look, Page, View, Viewer, no_story


def page(view: View, record: Record, viewer: Viewer) -> Page:
    """What there is to see."""
    return view.page(record, viewer, record.rules.mask(viewer))


def ending(view: View, record: Record, viewer: Viewer) -> Ending:
    """How a game that is over ended."""
    found = view.ending(record, viewer)
    if found is None:
        raise EpisodeError("the game is not over yet")
    return found


def story(view: View, before: Record, after: Record, viewer: Viewer) -> list[Event]:
    """What happened between two records."""
    return view.story(before, after, viewer, Between(None, after.rules.phases(before)))


def lately(
    view: View, record: Record, viewer: Viewer, before: Record | None, turn: Record | None
) -> tuple[list[Event], list[Event]]:
    """What has happened since *before*, and in the phases of the last turn, since *turn*."""
    events = [] if before is None else story(view, before, record, viewer)
    told = events if turn is None or turn is before else story(view, turn, record, viewer)
    return events, [event for event in told if event.phase]


def notations(view: View, record: Record, mask: Sequence[int]) -> dict[int, str]:
    """The notation of each action that is legal by the mover's *mask*."""
    legal = [action for action, possible in enumerate(mask) if possible]
    return notation.notations(view, record, legal)


def action_called(names: dict[int, str], text: str) -> int:
    """The legal action that *text* stands for, of those with these notations, or ``ActionError``.

    >>> action_called({3: "W4-b4", 4: "W4-b5"}, "w4 b5")
    4
    """
    same = notation.found(text, names)
    if len(same) == 1:
        return same[0]
    listed = ", ".join(list(names.values())[:12]) + ", ..." * (len(names) > 12)
    if same:
        meant = " or ".join(names[action] for action in same)
        raise ActionError(f"{quoted(text)} may mean {meant}: write it in full")
    near = nearest(text, names.values())
    raise ActionError(f"{quoted(text)} is no legal action{near}: legal are {listed or 'none'}")


def picture(
    view: View,
    record: Record,
    viewer: Viewer,
    choices: Sequence[int] | None = None,
    before: Record | None = None,
    theme: str = "dark",
    narrow: bool = False,
    turn: Record | None = None,
    bare: bool = False,
    decided: Sequence[Event] = (),
) -> str:
    """A record as an SVG picture; *choices* can be chosen, what has changed since *before* is
    marked, and what the last turn has brought, which the record *turn* is from: by default
    *before*. *bare*: the board alone, without words that belong to no thing on it. *decided*: what
    the viewer knows of the decisions since *before*, for views that tell no story themselves.
    """
    events, last_turn = lately(view, record, viewer, before, turn)
    look = Look(
        viewer,
        None if choices is None else tuple(choices),
        narrow,
        before,
        decided if view.story is no_story else events,
        last_turn,
        bare,
    )
    return frame.picture(view, record, record.rules.mask(viewer), look, theme)


def signs(view: View, record: Record, viewer: Viewer, theme: str = "dark") -> str:
    """What the signs of a bare picture mean, as a picture; nothing, if they need no words."""
    return frame.signs(view, record, record.rules.mask(viewer), Look(viewer), theme)
