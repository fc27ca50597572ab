"""What views say in long texts, which stand in files beside them: rules in short, a first game.

The texts of the rules, ``how_to_play.txt``, and of how actions are written, ``how_to_write.txt``,
say by braces what depends on a game's options:

- ``{name}``: what is known by that name;
- ``{name:words}``, ``{name:words|others}``: these words if it is true, or not zero, and else the
  others, or none; ``{name=value:words|others}``: if it is that value.

In the rules parts have empty lines between them, and no braces reach from one into another; a part
is left out if nothing is left of it. A line that begins with ``- term: words`` is one of a list of
terms, and one that begins with two spaces stays as it is. All other lines flow.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from cyberdeck.common.tables import table_of, text_of
from cyberdeck.views.view import Lesson, Lessons
from cyberdeck.views.words import WIDTH

#: Braces without others inside: a name, perhaps a value; perhaps words.
_BRACES: Final = re.compile(r"\{(\w+)(?:=(\w+))?(?::([^{}]*))?\}")


def rules_in_short(
    package: str,
    facts: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    name: str = "how_to_play.txt",
) -> Callable[[Mapping[str, Any]], str]:
    """A view's ``how_to_play``, by the text in its package; *facts*: (options): what the text may
    name besides the options.
    """
    parts = text_of(package, name).strip("\n").split("\n\n")

    def how_to_play(options: Mapping[str, Any]) -> str:
        known = {**options, **facts(options)}
        return sections(*(arranged(filled(part, known)) for part in parts))

    return how_to_play


def how_to_write_in(package: str) -> Callable[[Mapping[str, Any]], str]:
    """A view's ``how_to_write``, by the text in its package, whose lines stay as they are."""
    text = text_of(package, "how_to_write.txt").rstrip("\n")
    return lambda options: filled(text, options)


def filled(text: str, facts: Mapping[str, Any]) -> str:
    """A text with its braces replaced by what they stand for.

    >>> filled("{n} ships{allied:, {n=2:both|all} of a team}.", {"n": 2, "allied": True})
    '2 ships, both of a team.'
    """

    def replaced(braces: re.Match[str]) -> str:
        name, value, choice = braces.groups()
        if choice is None:
            return str(facts[name])
        is_true = bool(facts[name]) if value is None else str(facts[name]) == value
        words, _, others = choice.partition("|")
        return words if is_true else others

    count = 1
    while count:
        text, count = _BRACES.subn(replaced, text)
    return text


@lru_cache(maxsize=1 << 9)  # prompts ask for the same again and again
def arranged(part: str) -> str:
    """A part of a text, as wide as a terminal.

    >>> print(arranged("Pieces,\\nof two kinds:\\n- P: a pawn\\n- QQ: two\\nqueens"))
    Pieces, of two kinds:
      P   a pawn
      QQ  two queens
    """
    flowing, kept, listed = list[str](), list[str](), list[str]()
    for line in part.split("\n"):
        if line.startswith("- "):
            listed.append(line[2:])
        elif line.startswith("  "):
            kept.append(line)
        elif listed:
            listed[-1] += f" {line}"
        else:
            flowing.append(line)
    pairs = [" ".join(each.split()).partition(": ")[::2] for each in listed]
    wide = max((len(term) for term, _ in pairs), default=0)
    terms = [wrapped(f"  {term:<{wide}}  {meaning}", wide + 4) for term, meaning in pairs]
    return "\n".join(filter(None, [wrapped(" ".join(" ".join(flowing).split())), *kept, *terms]))


def lessons_in(package: str) -> Lessons:
    """A view's first game, by ``lessons.toml`` in its package."""
    table = table_of(package, "lessons.toml")
    steps = tuple(Lesson(step["after"], step["words"]) for step in table["steps"])
    return Lessons(table["seed"], table["moves"], table["seat"], steps)


def wrapped(words: str, indent: int = 0) -> str:
    """Words in lines, which are indented after the first."""
    return textwrap.fill(
        words,
        WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def sections(*parts: str) -> str:
    """Parts with empty lines between them; empty parts are left out."""
    return "\n\n".join(filter(None, parts))
