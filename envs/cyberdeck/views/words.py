"""Pages and stories in words, for all games: as plain text, for a terminal, and read out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Final, NamedTuple

from cyberdeck.engine.constants import NOBODY
from cyberdeck.views.view import Board, Event, Line, Page, Panel, sentence

WIDTH: Final = 79

#: So many lines fit a terminal of 24 beside the choices.
HEIGHT: Final = 20


def text(page: Page, events: Iterable[Event] = ()) -> str:
    """All that the page says, as plain text; and what has just happened, if that is told."""
    told = [Line(sentence(event.words)) for event in events]
    happened = [Panel("Just now", told)] if told else []
    lines = [_heading(page), sentence(page.situation)]
    if page.board:
        lines += ["", *board_lines(page.board), ""]
    lines += [line for panel in [*page.panels, *happened] for line in _panel_lines(panel)]
    lines += [f"{sign}: {words}" for sign, words in page.legend]
    if page.choices:
        lines += ["", "Legal actions:", *filled(page.choices)]
    return "\n".join([*lines, *page.notation])


def filled(words: Iterable[str]) -> list[str]:
    """Short texts one after the other, as many a line as fit."""
    kept = (each.replace(" ", "\N{NO-BREAK SPACE}") for each in words)
    lines = textwrap.wrap("; ".join(kept), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def screen(page: Page) -> str:
    """The same for a terminal of 80x24: what is too much is put beside the board, or left out."""
    head = [_heading(page), *textwrap.wrap(sentence(page.situation), WIDTH)]
    legend = "; ".join(f"{sign} {words}" for sign, words in page.legend)
    foot = textwrap.wrap(legend, WIDTH) if legend else []
    room = HEIGHT - len(head) - len(foot)
    ranks = {line.rank for panel in page.panels for line in panel.lines}
    body: list[str] = []
    for most in sorted(ranks, reverse=True) or [0]:
        beside = [line for panel in page.panels for line in _panel_lines(panel, most)]
        for dense in (False, True) if page.board and page.board.hexes else (False,):
            board = board_lines(page.board, dense) if page.board else []
            body = [*board, *beside]
            if len(body) + 2 <= room and _fits(body):
                return "\n".join([*head, "", *board, "", *beside, *foot])
            if len(body) <= room and _fits(body):
                return "\n".join([*head, *body, *foot])
            body = _side_by_side(board, beside)
            if len(body) <= room and _fits(body):
                return "\n".join([*head, *body, *foot])
    return "\n".join([*head, *body, *foot])


def described(page: Page, lately: Sequence[str] = ()) -> str:
    """What a picture shows in sentences, for who hears it read out; first what has just happened,
    *lately*.
    """
    sentences = [f"Just now: {'; '.join(lately)}"] if lately else []
    sentences.append(page.situation)
    for panel in page.panels:
        words = "; ".join(line.text for line in panel.lines)
        sentences.append(": ".join(filter(None, (panel.title, words))))
    if page.board:
        sentences += _lying(page.board)
    return " ".join(f"{sentence(each).rstrip('.')}." for each in sentences)


class Consequence(NamedTuple):
    """What a decision brought about and does not say itself: an event, or all those of a phase."""

    words: str
    phase: int = 0
    """From 1, where turns have phases."""

    @property
    def line(self) -> str:
        """With the phase, if it is of one."""
        return f"phase {self.phase}: {self.words}" if self.phase else self.words


def consequences(events: Iterable[Event]) -> list[Consequence]:
    """What decisions brought about, in order."""
    found = []
    brought_about = [event for event in events if event.follows]
    for phase, same in groupby(brought_about, key=lambda event: event.phase):
        words = [event.words for event in same]
        found += [Consequence(each, phase) for each in (["; ".join(words)] if phase else words)]
    return found


def _lying(board: Board) -> list[str]:
    """What lies on a board and belongs to nobody: panels say where anybody's own pieces are."""
    cells = [cell for row in board.cells for cell in row]
    told = [
        f"{cell.name}: {', '.join([*(piece.name for piece in cell.pieces), *cell.marks])}"
        for cell in cells
        if any(piece.owner == NOBODY for piece in cell.pieces)
    ]
    return ["; ".join(told)] if told else []


def _heading(page: Page) -> str:
    return ", ".join([page.title, *page.status])


def _fits(lines: Iterable[str]) -> bool:
    return max(map(len, lines), default=0) <= WIDTH


def _panel_lines(panel: Panel, most: int | None = None) -> list[str]:
    """A panel as lines, below its title; those of no rank above *most*, and none if they are none
    of several.
    """
    kept = [line.text for line in panel.lines if most is None or line.rank <= most]
    if panel.lines and not kept:
        return []
    edge = "  " if panel.title else ""
    lines = [f"{panel.title}:"] if panel.title else []
    for line in kept:
        words = f"{edge}{line}"
        lines += textwrap.wrap(words, WIDTH, subsequent_indent=f"{edge}  ") or [words]
    return lines


def _side_by_side(left: Sequence[str], right: Sequence[str]) -> list[str]:
    wide = max(map(len, left), default=0) + 2
    rows = zip_longest(left, right, fillvalue="")
    return [f"{line.ljust(wide)}{beside}".rstrip() for line, beside in rows]


def board_lines(board: Board, dense: bool = False) -> list[str]:
    """A board in lines. One of hexes takes two for each row, the second with the odd columns; or,
    if it is *dense*, one.
    """
    texts = [[cell.text for cell in row] for row in board.cells]
    columns = list(board.columns) or [""] * len(texts[0])
    rows = list(board.rows) or [""] * len(texts)
    edge = max(map(len, rows)) + 2 if any(rows) else 0
    wide = [max(map(len, column)) for column in zip(columns, *texts, strict=True)]
    even = [max(wide)] * len(wide)
    if board.hexes or edge + sum(even) + 2 * len(even) <= WIDTH:
        wide = even
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
