"""What rules in short are written with: paragraphs and lists of terms, as wide as a terminal."""

from __future__ import annotations

import textwrap

from cyberdeck.views.words import WIDTH


def wrapped(words: str, indent: int = 0) -> str:
    """Words in lines, which are indented after the first."""
    return textwrap.fill(
        words,
        WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def paragraph(*sentences: str) -> str:
    """Sentences one after the other; empty ones are left out."""
    return wrapped(" ".join(filter(None, sentences)))


def terms(*listed: tuple[str, str]) -> str:
    """Terms one below the other, each with what is said of it.

    >>> print(terms(("P", "a pawn"), ("QQ", "two queens")))
      P   a pawn
      QQ  two queens
    """
    wide = max(len(term) for term, _ in listed)
    return "\n".join(wrapped(f"  {term:<{wide}}  {words}", wide + 4) for term, words in listed)


def sections(*parts: str) -> str:
    """Parts with empty lines between them; empty parts are left out."""
    return "\n\n".join(filter(None, parts))
