"""Disguises: the same game under other names, its actions numbered otherwise, its sides exchanged.

A game is known by heart from the web, or from training; its disguise is not. What is decided in it
is the same, so whoever plays it worse has not played by its rules alone.

Records, rules and rewards are those of the game: a disguised game begins at the image of the game's
beginning, and what is legal there, and decided, goes by other numbers.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine.contract import Option
from cyberdeck.engine.symmetry import Exchange

#: An option that every game has. It is no field of the record: the game is the same.
DISGUISE: Final = "disguise"
OPTION: Final = Option(
    DISGUISE,
    0,
    "the seed of a disguise: other names, other numbers of actions, sides exchanged; 0: none",
    bounds=(0, 2**31 - 1),
)

#: So many symmetries are drawn, one after the other.
_SYMMETRIES: Final = 24


class Disguise:
    """One disguise of a game with its options; everything in it comes from the seed.

    Args:
        seed: from 1 on.
        actions: how many actions there are.
        symmetries: what each of the game's symmetries exchanges.
        names: what is called otherwise.
    """

    def __init__(
        self, seed: int, actions: int, symmetries: Sequence[Exchange], names: Sequence[str]
    ) -> None:
        drawn = random.Random(f"disguise {seed}")
        order = list(range(actions))
        drawn.shuffle(order)
        #: [number as it is shown]: the game's own number of that action.
        self.own = np.array(order, np.int64)
        #: [the game's own number]: as it is shown.
        self.shown = np.argsort(self.own)
        #: What is exchanged, if anything can be.
        self.exchange: Exchange | None = None
        if symmetries:
            chosen = drawn.choices(symmetries, k=_SYMMETRIES)
            # Always the same number of those that undo themselves would leave some of them out.
            self.exchange = functools.reduce(Exchange.then, chosen[drawn.getrandbits(1) :])
        self._renamed = functools.lru_cache(_KEPT)(renaming(names, drawn))

    def words(self, text: str) -> str:
        """A text with the invented names."""
        return self._renamed(text)

    def number(self, actions: Any) -> NDArray[np.int64]:
        """The game's own numbers of actions, as they are shown; what is no action, as it is."""
        return renumbered(self.shown, actions)

    def own_number(self, action: int) -> int:
        """The game's own number of an action that is shown; what is no action, as it is."""
        return int(renumbered(self.own, action))


def renumbered(numbers: NDArray[np.int64], actions: Any) -> NDArray[np.int64]:
    """The *numbers* of these actions; of what is no action, that itself."""
    actions = np.asarray(actions, np.int64)
    possible = (actions >= 0) & (actions < len(numbers))
    return np.where(possible, numbers[np.where(possible, actions, 0)], actions)


# --- names ---------------------------------------------------------------------------------------

_VOWELS: Final = "aiou"
_CONSONANTS: Final = "bdfgjklmnprstvz"
_SHORTEST: Final = 4
#: What stands for signs that are no letters, such as those of suits.
_SIGNS: Final = "▲■★◆▼◉✚✖"

_LETTER: Final = r"[^\W\d_]"
#: What may stand behind a name.
_ENDING: Final = "(?:s|es|d|ed|r|er|rs|ers|ing)?"

#: So many texts are kept with their invented names.
_KEPT: Final = 4096


def invented(names: Sequence[str], drawn: random.Random) -> dict[str, str]:
    """Each word of the *names* -> one that there is not, with its first letter and its length, if
    that is not too short.

    So tables stay in order, and short forms remind of the word: "W4" of what white is called.

    >>> invented(["data packet"], random.Random(0))
    {'data': 'duzo', 'packet': 'pukini'}
    """
    words = list(dict.fromkeys(word.lower() for name in names for word in name.split()))
    signs = list(_SIGNS)
    drawn.shuffle(signs)
    found: dict[str, str] = {}
    for word in words:
        letters = [letter for letter in word if letter.isalpha()]
        if not letters:
            found[word] = signs.pop() if signs and not word.isdigit() else word
            continue
        tries = 0
        while word not in found:
            new = letters[0]
            while len(new) < max(len(word), _SHORTEST) + tries // 10:
                new += drawn.choice(_CONSONANTS if new[-1] in "aeiouy" else _VOWELS)
            if new not in words and new not in found.values():
                found[word] = new
            tries += 1
    return found


def renaming(names: Sequence[str], drawn: random.Random) -> Callable[[str], str]:
    """What puts invented words in the place of *names*, in any case, of one or several.

    >>> renamed = renaming(["Connect Four", "disc"], random.Random(0))
    >>> renamed("CONNECT FOUR: drop four discs")
    'CUZOMOP FINI: drop four dofas'
    """
    words = invented(names, drawn)

    def called(old: str) -> str:
        new = words[old.lower()]
        if old.isupper() and len(old) > 1:
            return new.upper()
        return new[:1].upper() + new[1:] if old[:1].isupper() else new

    longest = sorted(names, key=len, reverse=True)
    written = [r"\s+".join(map(re.escape, name.split())) for name in longest]
    signs = [name for name in written if not re.search(_LETTER, name)]
    named = "|".join(name for name in written if name not in signs)
    pattern = rf"(?<![^\W_])(?:{named})(?={_ENDING}(?!{_LETTER}))"
    found = re.compile("|".join([pattern, *signs]), re.IGNORECASE)

    def renamed(text: str) -> str:
        return found.sub(lambda match: re.sub(r"\S+", lambda one: called(one[0]), match[0]), text)

    return renamed
