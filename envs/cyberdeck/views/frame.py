"""The frame of every game's picture: its name, how far it is, what just happened, whose turn it is
or how it ended, and what the signs mean. A game draws what stands between.
"""

from __future__ import annotations

from typing import Final

from cyberdeck.drawing import lettering, svg
from cyberdeck.drawing.lettering import LEAST, width
from cyberdeck.drawing.svg import AMBER, BRIGHT, GREEN, RED, Block, at
from cyberdeck.views import view as v
from cyberdeck.views.plain_picture import draw_page
from cyberdeck.views.record import Record
from cyberdeck.views.view import Drawn, Look, Mask, Page, View
from cyberdeck.views.words import described, together

_SIGNS_WIDE: Final = 390

_MOODS: Final = {v.WON: GREEN, v.LOST: RED, v.DRAWN: AMBER}


def picture(view: View, record: Record, mask: Mask, look: Look, theme: str = "dark") -> str:
    """A record as an SVG picture."""
    page = view.page(record, look.viewer, mask)
    drawn = _drawn(view, record, page, look)
    room = drawn.wide - 2 * drawn.edge
    lately = [each.line for each in together(look.events)]
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
    desc = described(page, lately, look.events, look.last_turn)
    content = svg.backdrop(int(wide), int(high)) + at(drawn.edge, drawn.edge, table.content)
    return svg.themed(svg.document(wide, high, title, desc, drawn.definitions, content), theme)


def signs(view: View, record: Record, mask: Mask, look: Look, theme: str = "dark") -> str:
    """What the signs of a bare picture mean, as a picture beside it, whose definitions it uses;
    nothing, if they need no words.
    """
    drawn = _drawn(view, record, view.page(record, look.viewer, mask), look)
    if v.LEGEND not in drawn.blocks or not drawn.signs:
        return ""
    block = _legend(drawn, _SIGNS_WIDE)
    words = ", ".join(words for _, words in drawn.signs)
    return svg.themed(svg.document(*block[:2], "Signs", words, "", block.content), theme)


def _drawn(view: View, record: Record, page: Page, look: Look) -> Drawn:
    if view.draw is None:
        return draw_page(view, record, page, look)
    return view.draw(record, page, look)


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
    words = ", ".join(rest)
    high = 46
    if words and left - width(words, LEAST) > name.width and not look.narrow:
        content += lettering.text(words, left, 28.5, LEAST, "end", BRIGHT)
    elif words:  # in a narrow picture always, which is as high all game long
        content += lettering.text(words, 10, 56, LEAST, colour=BRIGHT)
        high = 66
    return Block(room, high, content)


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
