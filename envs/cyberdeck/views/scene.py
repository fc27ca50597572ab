"""A record as its view shows it to a viewer, who is told no more than the rules let it know; and
the frame of every game's picture: its name, how far it is, what just happened, whose turn it is or
how it ended, and what the signs mean. A game draws what stands between.

The records were made with their ``Rules``. No NumPy is needed, wherever they come from.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final, NamedTuple

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.svg import AMBER, GREEN, RED, Block, at
from cyberdeck.errors import EpisodeError
from cyberdeck.views import view as v
from cyberdeck.views import words
from cyberdeck.views.plain import draw_page
from cyberdeck.views.record import Record
from cyberdeck.views.view import Drawn, Ending, Event, Look, Mask, Page, View, Viewer

_SIGNS_WIDE: Final = 390

_MOODS: Final = {v.WON: GREEN, v.LOST: RED, v.DRAWN: AMBER}


def picture(view: View, record: Record, mask: Mask, look: Look, theme: str = "dark") -> str:
    """A record as an SVG picture."""
    page = view.page(record, look.viewer, mask)
    drawn = _drawn(view, record, page, look)
    room = drawn.wide - 2 * drawn.edge
    lately = [each.line for each in words.together(look.events)]
    if drawn.numbered and len(lately) > 1:
        lately = [f"{number} {each}" for number, each in enumerate(lately, 1)]
    blocks = [] if look.bare else [_header(page, drawn, look, room)]
    for block in drawn.blocks:
        if isinstance(block, Block):
            blocks.append(block)
        elif look.bare:
            if block == v.STATUS and drawn.buttons is not None and drawn.buttons.content:
                blocks.append(drawn.buttons)
        elif block == v.NEWS:
            nothing = "-" if record.decisions else "The game begins"
            said = [v.sentence(each) for each in lately or [nothing]]
            if len(said) > drawn.news_rows:
                said = [". ".join(said)]
            blocks.append(lettering.news(said, drawn.news_rows, room))
        elif block == v.STATUS:
            blocks.append(_status(page, drawn, look, room))
        elif block == v.LEGEND:
            blocks.append(_legend(drawn, room))
    table = svg.flow(blocks, room, drawn.gap)
    wide, high = drawn.wide, table.height + 2 * drawn.edge
    title = f"{', '.join([page.title, *page.status])}. {v.sentence(page.situation)}"
    desc = words.described(page, lately, look.events, look.last_turn)
    content = svg.backdrop(int(wide), int(high)) + at(drawn.edge, drawn.edge, table.content)
    return svg.themed(svg.document(wide, high, title, desc, drawn.definitions, content), theme)


def signs_of(view: View, record: Record, mask: Mask, look: Look, theme: str = "dark") -> str:
    """What the signs of a bare picture mean, as a picture beside it, whose definitions it uses;
    nothing, if they need no words.
    """
    drawn = _drawn(view, record, view.page(record, look.viewer, mask), look)
    if v.LEGEND not in drawn.blocks or not drawn.signs:
        return ""
    block = _legend(drawn, _SIGNS_WIDE)
    listed = ", ".join(meaning for _, meaning in drawn.signs)
    return svg.themed(svg.document(*block[:2], "Signs", listed, "", block.content), theme)


def _drawn(view: View, record: Record, page: Page, look: Look) -> Drawn:
    draw = view.draw or functools.partial(draw_page, view)
    return draw(record, page, look)


def _legend(drawn: Drawn, room: float) -> Block:
    return svg.panelled(lettering.legend(drawn.signs, room - 24), 12, room)


def _header(page: Page, drawn: Drawn, look: Look, room: float) -> Block:
    """The game's name; how far it is: the last of it in a badge, the rest before it."""
    size = 17 if look.narrow else 25
    title = lettering.title(page.title, 10, 32, size)
    name = drawn.name or Block(10 + width(page.title, size), 0, title)
    *rest, last = page.status or ("",)
    content, left = name.content, room
    if last:
        content += lettering.badge(last, room, 10)
        left -= width(last, LEAST) + 40
    before = ", ".join(rest)
    if before and left - width(before, LEAST) > name.width and not look.narrow:
        content += lettering.small(before, left, 28.5, anchor="end")
    elif before:  # in a narrow picture always, which is as high all game long
        return Block(room, 66, content + lettering.small(before, 10, 56))
    return Block(room, 46, content)


def _status(page: Page, drawn: Drawn, look: Look, room: float) -> Block:
    """What to do, or how it ended."""
    if page.ending:
        return lettering.over(page.ending.headline, page.ending.why, _MOODS[page.ending.mood], room)
    count = None if look.choices is None else len(look.choices)
    task = v.sentence(page.task)
    if drawn.buttons is None or not drawn.buttons.content:
        return lettering.asked(task, count or None, drawn.unit, room)
    if look.narrow and drawn.buttons.width > room / 2:  # they take the room
        count = None
    bar = lettering.asked(task, count or None, drawn.unit, room, drawn.buttons.width + 8)
    place = at(room - drawn.buttons.width - 12, bar.height - 33, drawn.buttons.content)
    return Block(room, bar.height, bar.content + place)


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
        legal = None if choices is None else tuple(choices)
        marked = decided if self.view.story is v.no_story else events
        look = Look(self.viewer, legal, narrow, self.before, marked, last_turn, bare)
        mask = self.record.rules.mask(self.viewer)
        return picture(self.view, self.record, mask, look, theme)

    def signs(self, theme: str = "dark") -> str:
        """What the signs of a bare picture mean, as a picture; nothing, if they need no words."""
        mask = self.record.rules.mask(self.viewer)
        return signs_of(self.view, self.record, mask, Look(self.viewer), theme)

    def _since(self, before: Record | None) -> list[Event]:
        if before is None:
            return []
        phases = self.record.rules.phases(before)
        return self.view.story(before, self.record, self.viewer, v.Between(None, phases))

    def _lately(self) -> tuple[list[Event], list[Event]]:
        """What has just happened; and in the phases of the last turn."""
        events, apart = self.events, self.turn is not None and self.turn is not self.before
        told = self._since(self.turn) if apart else events
        return events, [event for event in told if event.phase]
