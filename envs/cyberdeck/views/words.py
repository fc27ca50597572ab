"""Pages and stories in words, for all games: as plain text, for a terminal, and read out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Final, NamedTuple

from cyberdeck.views.view import Board, Event, Line, Page, Panel, sentence

WIDTH: Final = 79

#: So many lines fit a terminal of 24 beside the choices.
HEIGHT: Final = 20

#: What is beside a board is wrapped if there is so much room for it.
_BESIDE: Final = 20


def text(page: Page, events: Sequence[Event] = (), last_turn: Sequence[Event] = ()) -> str:
    """All that the page says, as plain text; what has just happened, if that is told; and what the
    last turn has brought, where turns have phases.
    """
    lines = [_heading(page), sentence(page.situation)]
    if page.board:
        lines += ["", *board_lines(page.board), ""]
    panels = [*page.panels, *_happened(events, last_turn)]
    lines += [line for panel in panels for line in _panel_lines(panel)]
    lines += [f"{sign}: {words}" for sign, words in page.legend]
    if page.choices:
        lines += ["", "Legal actions:", *filled(page.choices)]
    return "\n".join(lines)


def filled(words: Iterable[str]) -> list[str]:
    """Short texts one after the other, as many a line as fit."""
    kept = (each.replace(" ", "\N{NO-BREAK SPACE}") for each in words)
    lines = textwrap.wrap("; ".join(kept), WIDTH, break_long_words=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def screen(page: Page) -> str:
    """The same for a terminal of 80x24: what is too much is put beside the board, or left out."""
    head = [_heading(page), *textwrap.wrap(sentence(page.situation), WIDTH)]
    legend = "; ".join(f"{sign} {words}" for sign, words in page.legend)
    foot = textwrap.wrap(legend, WIDTH) if legend else []
    room = HEIGHT - len(head) - len(foot)
    ranks = {line.rank for panel in page.panels for line in panel.lines}
    board = board_lines(page.board) if page.board else []
    if page.board and page.board.hexes and len(board) > room:
        board = board_lines(page.board, dense=True)
    body: list[str] = []
    for most in sorted(ranks, reverse=True) or [0]:
        panels = [
            Panel(panel.title, [line for line in panel.lines if line.rank <= most])
            for panel in page.panels
        ]
        beside = [line for panel in panels for line in _panel_lines(panel)]
        if len(board) + len(beside) + 2 <= room:
            return "\n".join([*head, "", *board, "", *beside, *foot])
        if len(board) + len(beside) <= room:
            return "\n".join([*head, *board, *beside, *foot])
        both = _side_by_side(board, beside)
        if len(body) > room or not body:  # else that fits but for its width
            body = both
        if len(both) <= room and max(map(len, both)) <= WIDTH:
            body = both
            break
    return "\n".join([*head, *body, *foot])


def described(page: Page, events: Sequence[Event] = (), last_turn: Sequence[Event] = ()) -> str:
    """What a picture shows in sentences, for who hears it read out."""
    sentences = []
    for panel in _happened(events, last_turn):
        sentences.append(f"{panel.title}: {'. '.join(line.text for line in panel.lines)}")
    sentences.append(page.situation)
    for panel in page.panels:
        words = "; ".join(line.text.strip() for line in panel.lines)
        sentences.append(": ".join(filter(None, (panel.title, words))))
    return " ".join(f"{sentence(each).rstrip('.')}." for each in sentences)


class Consequence(NamedTuple):
    """What a decision brought about: an event in words, or all those of a phase."""

    words: str
    phase: int = 0
    """From 1, where turns have phases."""

    @property
    def line(self) -> str:
        """With the phase, if it is of one."""
        return f"phase {self.phase}: {self.words}" if self.phase else self.words


def told(events: Iterable[Event]) -> list[Consequence]:
    """Events in order, those of a phase together."""
    found = []
    for phase, same in groupby(events, key=lambda event: event.phase):
        words = [event.words for event in same]
        found += [Consequence(each, phase) for each in (["; ".join(words)] if phase else words)]
    return found


def consequences(events: Iterable[Event]) -> list[Consequence]:
    """What decisions brought about and do not say themselves, in order."""
    return told(event for event in events if event.follows)


def _happened(events: Sequence[Event], last_turn: Sequence[Event]) -> Iterator[Panel]:
    """What has just happened; and in the last turn, if that is longer ago."""
    if any(event.phase for event in events):
        last_turn = ()
    for title, some in (("Just now", events), ("Last turn", last_turn)):
        if some:
            yield Panel(title, [Line(sentence(each.line)) for each in told(some)])


def _heading(page: Page) -> str:
    return ", ".join([page.title, *page.status])


def _panel_lines(panel: Panel) -> list[str]:
    """A panel as lines, below its title."""
    lines = [line.text for line in panel.lines]
    return [f"{panel.title}:", *(f"  {line}" for line in lines)] if panel.title else lines


def _side_by_side(left: Sequence[str], right: Sequence[str]) -> list[str]:
    wide = max(map(len, left), default=0) + 2
    if WIDTH - wide >= _BESIDE:
        right = [part for line in right for part in _wrapped(line, WIDTH - wide)]
    rows = zip_longest(left, right, fillvalue="")
    return [f"{line.ljust(wide)}{beside}".rstrip() for line, beside in rows]


def _wrapped(line: str, wide: int) -> list[str]:
    """A line in lines of a width, which are indented more than it is."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, wide, subsequent_indent=indent)


def board_lines(board: Board, dense: bool = False) -> list[str]:
    """A board in lines. One of hexes takes two for each row, the second with the odd columns; or,
    if it is *dense*, one. So its cells need no gaps, and are centred.
    """
    texts = [[cell.text for cell in row] for row in board.cells]
    columns = list(board.columns) or [""] * len(texts[0])
    rows = list(board.rows) or [""] * len(texts)
    edge = max(map(len, rows)) + 2 if any(rows) else 0
    wide = [max(map(len, column)) for column in zip(columns, *texts, strict=True)]
    if board.hexes:
        most = max(wide)
        wide = [most] * len(wide)
        texts = [[text.center(most) for text in row] for row in texts]
        columns = [column.center(most) for column in columns]
    else:
        gap = 2 if edge + sum(wide) + 2 * len(wide) <= WIDTH else 1
        wide = [each + gap for each in wide]
    lines = [" " * edge + _cells(columns, wide)] if any(columns) else []
    for name, row in zip(rows, texts, strict=True):
        if not board.hexes or dense:
            lines.append(name.ljust(edge) + _cells(row, wide))
            continue
        for odd in (0, 1):
            half = [each if at % 2 == odd else "" for at, each in enumerate(row)]
            lines.append((name if not odd else "").ljust(edge) + _cells(half, wide))
    return [line.rstrip() for line in lines]


def _cells(texts: Sequence[str], wide: Sequence[int]) -> str:
    return "".join(each.ljust(room) for each, room in zip(texts, wide, strict=True))
