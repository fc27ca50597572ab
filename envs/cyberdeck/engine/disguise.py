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
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import loops
from cyberdeck.engine.contract import Option
from cyberdeck.engine.loops import Loops
from cyberdeck.engine.record import NOBODY
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
        return _looked_up(self.shown, actions)

    def own_number(self, action: int) -> int:
        """The game's own number of an action that is shown; what is no action, as it is."""
        return int(_looked_up(self.own, action))

    # --- numbers ---------------------------------------------------------------------------------

    def over(self, played: Loops) -> Loops:
        """The loops of the game, as they play it in disguise."""
        own, shown, exchange = self.own, self.shown, self.exchange

        def begin(which: Any, states: Any, rows: Any, pool: Any, allies: Any, how: int, masks: Any,
                  observations: Any) -> None:  # fmt: skip
            games, seen = (states, rows, pool, allies), (masks, observations)
            if how == loops.FROM_SHUFFLE and exchange is not None and len(which):
                for part in (loops.ONLY_SHUFFLE, loops.ONLY_START):
                    played.begin(which, *games, part, *seen)
                states[which] = exchange.image(states[which])
                how = loops.FROM_POSITION
            played.begin(which, *games, how, *seen)
            if how not in (loops.ONLY_SHUFFLE, loops.ONLY_START):
                masks[which] = masks[which].take(own, 1)

        def advance(which: Any, actions: Any, states: Any, rows: Any, pool: Any, allies: Any,
                    mode: int, masks: Any, observations: Any, finals: Any) -> None:  # fmt: skip
            games = (states, rows, pool, allies)
            actions = _looked_up(own, actions)
            if exchange is None or mode == loops.DISABLED:
                step(which, actions, games, mode, masks, observations, finals)
                return
            # Games that begin on the way begin at the image, too.
            playing = rows["waiting"][which] != 0
            over = (rows["terminated"][which] | rows["truncated"][which]) != 0
            if mode == loops.NEXT_STEP:
                begins = over & ~playing
                begin(which[begins], *games, loops.FROM_SHUFFLE, masks, observations)
                which, actions = which[~begins], actions[~begins]
            else:
                for name in ("terminated", "truncated"):
                    rows[name][which[~playing]] = 0
            step(which, actions, games, loops.DISABLED, masks, observations, finals)
            if mode == loops.SAME_STEP:
                ended = (states["mover"][which] == NOBODY) & (rows["waiting"][which] == 0)
                which = which[ended & (rows["opening"][which] == 0)]
                kept = {name: rows[name][which] for name in _OF_THE_END}
                begin(which, *games, loops.FROM_SHUFFLE, masks, observations)
                for name, values in kept.items():
                    rows[name][which] = values

        def step(which: Any, actions: Any, games: Any, mode: int, masks: Any, *seen: Any) -> None:
            masks[which] = masks[which].take(shown, 1)
            played.advance(which, actions, *games, mode, masks, *seen)
            masks[which] = masks[which].take(own, 1)

        def choose(code: int, states: Any, rows: Any, masks: Any, chosen: Any) -> None:
            played.choose(code, states, rows, masks.take(shown, 1), chosen)
            deciding = states["mover"] != NOBODY
            chosen[deciding] = shown[chosen[deciding]]

        def play(code: int, steps: int, states: Any, rows: Any, *more: Any) -> None:
            which, chosen = np.arange(len(states)), np.empty(len(states), np.int64)
            masks = more[-3]
            for _ in range(steps):
                choose(code, states, rows, masks, chosen)
                advance(which, chosen, states, rows, *more)

        def look(states: Any, i: int, seat: int, mask: Any, observation: Any, metrics: Any) -> None:
            played.look(states, i, seat, mask, observation, metrics)
            mask[:] = mask[own]

        def look_together(states: Any, i: int, seat_masks: Any, *seen: Any) -> None:
            played.look_together(states, i, seat_masks, *seen)
            seat_masks[:] = seat_masks.take(own, 1)

        return replace(
            played,
            begin=begin,
            advance=advance,
            choose=choose,
            play=play,
            look=look,
            look_together=look_together,
        )


def _looked_up(numbers: NDArray[np.int64], actions: Any) -> NDArray[np.int64]:
    """What stands for these actions; for what is no action, that itself."""
    actions = np.asarray(actions, np.int64)
    possible = (actions >= 0) & (actions < len(numbers))
    return np.where(possible, numbers[np.where(possible, actions, 0)], actions)


#: Of a row: what is kept of a game that the step has ended, while another begins.
_OF_THE_END: Final = ("reward", "terminated", "truncated", "reason")

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
