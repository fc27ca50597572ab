"""A document of a few kinds of blocks, as Markdown and as one HTML page.

Its words may come from anywhere: both writers escape all of them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final, TypeAlias

from cyberdeck.common.text import table

_BLANK: Final = re.compile(r"\{\{ (\w+) \}\}")
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>~&$#])")


@dataclass(frozen=True)
class Code:
    """Words of a machine's: a command, a name of a file."""

    text: str


@dataclass(frozen=True)
class Link:
    """Words that lead to *to*, an address relative to the document, quoted as addresses are."""

    text: str
    to: str


@dataclass(frozen=True)
class Small:
    """Words of less weight, kept together."""

    text: str


Words: TypeAlias = str | Code | Link | Small | Sequence[str | Code | Link | Small]


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Lead:
    """The one sentence for who reads nothing else."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    words: Words


@dataclass(frozen=True)
class Figures:
    """A few numbers at a glance: (what, the number)."""

    figures: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[Words]]


@dataclass(frozen=True)
class Source:
    """Lines to be read as they are."""

    text: str
    language: str


@dataclass(frozen=True)
class Plot:
    """A picture: the address of its file, what it shows in words, and itself as SVG."""

    file: str
    about: str
    svg: str


Block: TypeAlias = Heading | Lead | Paragraph | Figures | Table | Source | Plot


@dataclass(frozen=True)
class Document:
    title: str
    subtitle: str
    blocks: Sequence[Block]


def clean(text: str, lines: bool = False) -> str:
    """*text* without what is no letter: control characters, halves of surrogate pairs.

    Ends of lines become blanks, except where *lines* are wanted.

    >>> clean("a\\nb\\x00c\\ud800")
    'a bc?'
    """
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    text = _UNSEEN.sub("", text.replace("\r", "\n"))
    return text if lines else re.sub(r"\s+", " ", text)


# --- Markdown ------------------------------------------------------------------------------------


def markdown(document: Document) -> str:
    """The document as Markdown.

    >>> print(markdown(Document("A", "b_c", [Paragraph(["see ", Code("x*y")])])), end="")
    # A
    <BLANKLINE>
    b\\_c
    <BLANKLINE>
    see `x*y`
    """
    parts = [f"# {_plain(document.title)}", _plain(document.subtitle)]
    return "\n\n".join([*parts, *map(_markdown_block, document.blocks)]) + "\n"


def _markdown_block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"## {_plain(text)}"
        case Lead(text):
            return f"**{_plain(text)}**"
        case Paragraph(words):
            return _markdown(words)
        case Figures(figures):
            return "\n".join(f"- {_plain(what)}: {_plain(number)}" for what, number in figures)
        case Table(head, rows):
            cells = [[_markdown(cell) for cell in row] for row in rows]
            return table([_plain(name) for name in head], cells, markdown=True)
        case Source(text, language):
            text = clean(text, lines=True).rstrip()
            fence = _fence(text, 3)
            return f"{fence}{language}\n{text}\n{fence}"
        case Plot(file, about, _):
            return f"![{_plain(about)}]({file})"


def _markdown(words: Words) -> str:
    match words:
        case str():
            return _plain(words)
        case Code(text):
            text = clean(text).strip()
            if "\\|" in text or not text:  # no code in a table can hold that
                return _plain(text)
            fence = _fence(text, 1)
            room = " " if "`" in text else ""
            return f"{fence}{room}{text}{room}{fence}"
        case Link(text, to):
            return f"[{_plain(text)}]({to})"
        case Small(text):
            return _plain(text)
        case _:
            return "".join(map(_markdown, words))


def _plain(text: str) -> str:
    """Words that Markdown takes for nothing else."""
    return _MARKDOWN.sub(r"\\\1", clean(text))


def _fence(text: str, least: int) -> str:
    """Backticks, more of them than anywhere in *text*."""
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])


# --- HTML ----------------------------------------------------------------------------------------


def page(document: Document) -> str:
    """The document as one HTML page that opens from disk and runs nothing."""
    filled = {
        "title": _escaped(document.title),
        "subtitle": _escaped(document.subtitle),
        "body": "\n".join(map(_html_block, document.blocks)),
    }
    template = files("cyberdeck_training").joinpath("document.html").read_text("utf-8")
    return _BLANK.sub(lambda blank: filled[blank[1]], template)


def _html_block(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{_escaped(text)}</h2>"
        case Lead(text):
            return f'<p class="lead">{_escaped(text)}</p>'
        case Paragraph(words):
            return f"<p>{_html(words)}</p>"
        case Figures(figures):
            pairs = (
                f"<div><dt>{_escaped(what)}</dt><dd>{_escaped(number)}</dd></div>"
                for what, number in figures
            )
            return f'<dl class="figures">{"".join(pairs)}</dl>'
        case Table(head, rows):
            named = "".join(f'<th scope="col">{_escaped(name)}</th>' for name in head)
            lines = "".join(
                f"<tr>{''.join(f'<td>{_html(cell)}</td>' for cell in row)}</tr>" for row in rows
            )
            top = f"<thead><tr>{named}</tr></thead>" if any(head) else ""
            return f'<div class="wide"><table>{top}<tbody>{lines}</tbody></table></div>'
        case Source(text, _):
            return f"<pre><code>{html.escape(clean(text, lines=True).rstrip())}</code></pre>"
        case Plot(_, about, svg):
            return f'<figure role="img" aria-label="{_escaped(about)}">{svg}</figure>'


def _html(words: Words) -> str:
    match words:
        case str():
            return _escaped(words)
        case Code(text):
            return f"<code>{_escaped(text)}</code>"
        case Link(text, to):
            return f'<a href="{html.escape(to)}">{_escaped(text)}</a>'
        case Small(text):
            return f"<small>{_escaped(text)}</small>"
        case _:
            return "".join(map(_html, words))


def _escaped(text: str) -> str:
    return html.escape(clean(text))
