"""Words and tables for people to read."""

from __future__ import annotations

import difflib
import html
import textwrap
import warnings
from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import Any, TextIO


def counted(count: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "deal"), counted(2, "deal"), counted(0, "deal")
    ('1 deal', '2 deals', '0 deals')
    """
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def nearest(name: Any, names: Collection[str]) -> str:
    """A question for somebody who may have meant one of *names*; nothing if none is like *name*.

    >>> nearest("opponents", ["seat", "opponent"])
    ' (did you mean opponent?)'
    """
    near = difflib.get_close_matches(str(name), names, 1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


def quoted(value: object, most: int = 60) -> str:
    """A value that somebody gave, for an error: shortened to fit a line, a text in quotes.

    >>> quoted("W4-b4"), quoted("a" * 9, most=4), quoted([1] * 9, most=4)
    ("'W4-b4'", "'aaaa...'", '[1, ...')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= most else f"{value[:most]}...")
    said = repr(value)
    return said if len(said) <= most else f"{said[:most]}..."


def printable(text: object, most: int | None = 1000) -> str:
    r"""A text that holds what somebody wrote, for a line of a terminal; *most* letters, if any.

    Neither does it rule the terminal, nor does it go on in another line or turn the text around.

    >>> printable("the title of \x1b[2J"), printable("a" * 9, most=4)
    ('the title of \\x1b[2J', 'aaaa...')
    """
    text = str(text)
    text = text if most is None or len(text) <= most else f"{text[:most]}..."
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def tell(text: str = "", file: TextIO | None = None, end: str = "\n") -> None:
    r"""Print lines for somebody to read: the way for all that goes to a terminal.

    What stands in them may be a stranger's, such as the name of a file.

    >>> tell("small\x1b[2J plays\nheuristic plays")
    small\x1b[2J plays
    heuristic plays
    """
    print(_printable_lines(text), end=end, file=file, flush=True)


def warn(text: str, stacklevel: int = 1) -> None:
    """``warnings.warn`` with a text in which a stranger's words may stand."""
    warnings.warn(_printable_lines(text), stacklevel=stacklevel + 1)


def _printable_lines(text: str) -> str:
    return "\n".join(printable(line, most=None) for line in text.split("\n"))


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    markdown: bool = False,
    width: int | None = None,
) -> str:
    """A table, aligned for the terminal or in Markdown; at most *width* wide, if words allow it.

    Its cells may hold what somebody wrote: they are made ``printable``.

    >>> print(table(["name", "meaning"], [["deck", "16 cards, each once"]], width=16))
    name  meaning
    ----  ----------
    deck  16 cards,
          each once
    """
    head, *rows = ([printable(cell, most=None) for cell in line] for line in (head, *rows))
    if markdown:
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        )
    widths = [max(len(line[at]) for line in [head, *rows]) for at in range(len(head))]
    if width is not None and not _narrowed(widths, [head, *rows], width):
        return "\n".join(_record(head, row, width) for row in rows)
    ruled = [head, ["-" * room for room in widths], *rows] if any(head) else rows
    shown = []
    for line in ruled:
        cells = [
            textwrap.wrap(cell, room, break_on_hyphens=False) if len(cell) > room else [cell]
            for cell, room in zip(line, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (part.ljust(room) for part, room in zip(parts, widths, strict=True))
            shown.append("  ".join(padded).rstrip())
    return "\n".join(shown)


def _narrowed(widths: list[int], lines: Sequence[Sequence[str]], width: int) -> bool:
    """Take from the widest columns what is too much; whether it was possible."""
    least = [
        max((len(word) for line in lines for word in line[at].split()), default=0)
        for at in range(len(widths))
    ]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        wide, at = max((wide if wide > least[at] else 0, at) for at, wide in enumerate(widths))
        if wide == 0:
            return False
        widths[at] -= 1
    return True


def _record(head: Sequence[str], row: Sequence[str], width: int) -> str:
    """A row whose columns have no room beside each other."""
    cells = "; ".join(f"{name} {cell}" for name, cell in zip(head[1:], row[1:], strict=True))
    wrap = textwrap.TextWrapper(
        width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return f"{row[0]}\n{wrap.fill(cells)}"


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same table for a notebook.

    >>> html_table(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    first, *others = (
        "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line) + "</tr>"
        for tag, lines in (("th", [head]), ("td", rows))
        for line in lines
    )
    return f"<table><thead>{first}</thead><tbody>{''.join(others)}</tbody></table>"
