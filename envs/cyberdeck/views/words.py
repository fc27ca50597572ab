"""Pages and stories in words, for all games: as plain text, for a terminal, and read out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Final, NamedTuple

from cyberdeck.engine.constants import NOBODY
from cyberdeck.views.view import Board, Event, Line, Page, Panel, sentence

WIDTH: Final = 79

#: So many lines fit a terminal of 24 beside the choices.
HEIGHT: Final = 19

#: What is beside a board is wrapped if there is so much room for it.
_BESIDE: Final = 20


def text(page: Page, events: Sequence[Event] = (), last_turn: Sequence[Event] = ()) -> str:
    """All that the page says, as plain text; what has just happened, if that is given; and what the
    last turn has brought, where turns have phases.
    """
    lines = [_heading(page), sentence(page.situation)]
    if page.board:
        lines += ["", *board_lines(page.board), ""]
    for panel in page.panels:
        lines += _panel_lines(panel)
    for title, happened in _happened([each.line for each in together(events)], events, last_turn):
        lines += _panel_lines(Panel(title, [Line(sentence(each)) for each in happened]))
    lines += [f"{sign}: {words}" for sign, words in page.legend]
    if page.choices:
        lines += ["", "Legal actions:", *filled(page.choices)]
    return "\n".join([*lines, *page.notation])


def filled(words: Iterable[str]) -> list[str]:
    """Short texts one after the other, as many a line as fit."""
    kept = (each.replace(" ", "\N{NO-BREAK SPACE}") for each in words)
    lines = textwrap.wrap("; ".join(kept), WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def columns(texts: Sequence[str], across: int) -> list[str]:
    """The lines of a panel with so many texts each, or with fewer if there is no room: two blanks
    at least are between them.
    """
    rows = [texts[at : at + across] for at in range(0, len(texts), across)]
    rooms = [max(map(len, column)) + 2 for column in zip_longest(*rows, fillvalue="")]
    if sum(rooms) > WIDTH and across > 1:  # a panel is indented by as much as stays blank behind
        return columns(texts, across - 1)
    return ["".join(map(str.ljust, row, rooms)).rstrip() for row in rows]


def screen(page: Page) -> str:
    """The same for a terminal of 80x24: what is too much is put beside the board, or left out."""
    head = [_heading(page), *textwrap.wrap(sentence(page.situation), WIDTH)]
    legend = "; ".join(f"{sign}: {words}" for sign, words in page.legend)
    foot = textwrap.wrap(legend, WIDTH) if legend else []
    room = HEIGHT - len(head) - len(foot)
    board = board_lines(page.board) if page.board else []
    if page.board and page.board.hexes and len(board) > room:
        board = board_lines(page.board, dense=True)
    if len(board) > room:  # a large map takes the place of the legend
        foot, room = [], room + len(foot)
    ranks = {line.rank for panel in page.panels for line in panel.lines}
    body: list[str] = []
    too_wide: list[str] = []  # the most that is not too high, where nothing fits
    for most in sorted(ranks, reverse=True) or [0]:
        beside = [line for panel in page.panels for line in _panel_lines(panel, most)]
        body = [*board, *beside]
        if len(body) + 2 <= room and _fits(body):
            return "\n".join([*head, "", *board, "", *beside, *foot])
        if len(body) <= room and _fits(body):
            break
        body = _side_by_side(board, beside)
        if len(body) <= room and _fits(body):
            break
        too_wide = too_wide or (body if len(body) <= room else [])
    else:
        body = too_wide or body
    return "\n".join([*head, *body, *foot])


def described(
    page: Page,
    lately: Sequence[str] = (),
    events: Sequence[Event] = (),
    last_turn: Sequence[Event] = (),
) -> str:
    """What a picture shows in sentences, for who hears it read out: what has just happened, in the
    words of *lately*, and in the last turn; then the page.
    """
    happened = _happened(lately, events, last_turn)
    sentences = [f"{title}: {'; '.join(lines)}" for title, lines in happened]
    sentences.append(page.situation)
    for panel in page.panels:
        words = "; ".join(line.text.strip() for line in panel.lines)
        sentences.append(": ".join(filter(None, (panel.title, words))))
    # What lies on a board and belongs to nobody: panels say where anybody's own pieces are.
    lying = [
        f"{cell.name}: {', '.join([*(piece.name for piece in cell.pieces), *cell.marks])}"
        for row in (page.board.cells if page.board else ())
        for cell in row
        if any(piece.owner == NOBODY for piece in cell.pieces)
    ]
    sentences += ["; ".join(lying)] if lying else []
    return " ".join(f"{sentence(each).rstrip('.')}." for each in sentences)


def _happened(
    lately: Sequence[str], events: Sequence[Event], last_turn: Sequence[Event]
) -> Iterator[tuple[str, Sequence[str]]]:
    """What has just happened; and in the last turn, if that is longer ago."""
    if lately:
        yield "Just now", lately
    if last_turn and not any(event.phase for event in events):
        yield "Last turn", [each.line for each in together(last_turn)]


# --- what happened -------------------------------------------------------------------------------

#: A decision that is hidden.
HIDDEN: Final = "decides in secret"


class Happening(NamedTuple):
    """An event in words, or all those of a phase."""

    words: str
    phase: int = 0
    """From 1, where turns have phases."""

    @property
    def line(self) -> str:
        """With the phase, if it is of one."""
        return f"phase {self.phase}: {self.words}" if self.phase else self.words


def together(events: Iterable[Event]) -> list[Happening]:
    """Events in order, those of a phase together."""
    found = []
    for phase, same in groupby(events, key=lambda event: event.phase):
        words = [event.words for event in same]
        found += [Happening(each, phase) for each in (["; ".join(words)] if phase else words)]
    return found


def consequences(events: Iterable[Event]) -> list[Happening]:
    """What decisions brought about and do not say themselves, in order."""
    return together(event for event in events if event.follows)


# --- lines ---------------------------------------------------------------------------------------


def _heading(page: Page) -> str:
    return ", ".join([page.title, *page.status])


def _fits(lines: Iterable[str]) -> bool:
    return max(map(len, lines), default=0) <= WIDTH


def _panel_lines(panel: Panel, most: int | None = None) -> list[str]:
    """A panel as lines, below its title; those of no rank above *most*, and none if they are none
    of several.
    """
    told = [line.text for line in panel.lines if most is None or line.rank <= most]
    if panel.lines and not told:
        return []
    edge, lines = ("  ", [f"{panel.title}:"]) if panel.title else ("", [])
    return lines + [part for line in told for part in _wrapped(edge + line, WIDTH)]


def _wrapped(line: str, wide: int) -> list[str]:
    """A line in lines of a width, which are indented more than it is."""
    if len(line) <= wide and line.isprintable() and not line.endswith(" "):
        return [line]  # most are: textwrap would take a sixth of a prompt's time for them
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, wide, subsequent_indent=indent) or [line]


def _side_by_side(left: Sequence[str], right: Sequence[str]) -> list[str]:
    wide = max(map(len, left), default=0) + 2
    if WIDTH - wide >= _BESIDE:
        right = [part for line in right for part in _wrapped(line, WIDTH - wide)]
    rows = zip_longest(left, right, fillvalue="")
    return [f"{line.ljust(wide)}{beside}".rstrip() for line, beside in rows]


def board_lines(board: Board, dense: bool = False) -> list[str]:
    """A board in lines. One of hexes takes two for each row, the second with the odd columns; or,
    if it is *dense*, one. So its cells need no gaps, and are centred.
    """
    texts = [[cell.text for cell in row] for row in board.cells]
    columns = list(board.columns) or [""] * len(texts[0])
    rows = list(board.rows) or [""] * len(texts)
    edge = max(map(len, rows)) + 2 if any(rows) else 0
    wide = [max(map(len, column)) for column in zip(columns, *texts, strict=True)]
    even = [max(wide)] * len(wide)
    if board.hexes:
        wide = even
        texts = [[text.center(wide[0]) for text in row] for row in texts]
        columns = [column.center(wide[0]) for column in columns]
    else:
        gaps = 2 * (len(wide) - 1)
        if edge + sum(even) + gaps <= WIDTH:
            wide = even
        gap = 2 if edge + sum(wide) + gaps <= WIDTH else 1
        wide = [each + gap for each in wide]
    named = [("", columns)] if any(columns) else []
    for name, row in zip(rows, texts, strict=True):
        if not board.hexes or dense:
            named.append((name, row))
            continue
        for odd in (0, 1):
            half = [each if at % 2 == odd else "" for at, each in enumerate(row)]
            named.append(("" if odd else name, half))
    rooms = (edge, *wide)
    return ["".join(map(str.ljust, (name, *row), rooms)).rstrip() for name, row in named]
