"""Words and tables for people to read."""

from __future__ import annotations

import difflib
import html
from collections.abc import Collection, Sequence
from typing import Any


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


def table(head: Sequence[str], rows: Sequence[Sequence[str]], markdown: bool = False) -> str:
    """A table, aligned for the terminal or in Markdown."""
    if markdown:
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
        )
    widths = [max(len(line[at]) for line in [head, *rows]) for at in range(len(head))]
    ruled = [head, ["-" * width for width in widths], *rows] if any(head) else rows
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in ruled
    )


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
