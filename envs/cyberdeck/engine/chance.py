"""All that chance may do in a kernel, outcome by outcome: for exact values of small games.

The kernels run in the interpreter, with dice that take one outcome after the other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Record
from cyberdeck.engine.plain import Interpreter
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: A shuffle is one throw if it has no more outcomes than this: six cards, or twelve of two kinds.
MOST_ORDERS: Final = 1000

#: Raw bits are thrown in pieces of so many.
_PIECE: Final = 16


class Chance:
    """Dice that follow a script, and note how many outcomes each throw had.

    A throw with one outcome is none.

    Args:
        raw: 64 random bits are four throws of 16 bits each. Otherwise they are refused: there are
            too many to go through them.
        beyond: from the number of outcomes to the one that is taken where the script ends; the
            first, if nobody says otherwise.
    """

    def __init__(self, raw: bool = False, beyond: Callable[[int], int] | None = None) -> None:
        self.script: list[int] = []
        self.sizes: list[int] = []
        self.beyond = beyond or (lambda outcomes: 0)
        self._raw = raw
        self._shuffled = Interpreter({dice.below: self.below}).copy(dice.shuffle)

    def follow(self, script: Sequence[int]) -> None:
        """Begin a course in which the dice show that."""
        self.script, self.sizes = list(script), []

    def next_script(self) -> bool:
        """Go on to the next course of chance; False after the last."""
        while self.script and self.script[-1] + 1 == self.sizes[len(self.script) - 1]:
            self.script.pop()
        if not self.script:
            return False
        self.script[-1] += 1
        self.sizes = []
        return True

    def in_plain_python(self, kernel: Any) -> Callable[..., None]:
        """*kernel* with these dice, as a function of an array of one record."""
        hooks: dict[Any, Callable[..., Any]] = {dice.below: self.below, dice.draw: self.draw}
        function = Interpreter({**hooks, dice.shuffle: self.shuffle}).function(kernel)
        return lambda record, *arguments: function(record[0], *arguments)

    # --- hooks -----------------------------------------------------------------------------------

    def below(self, record: Any, n: Any) -> int:
        """The next outcome of 0 to n - 1."""
        if n == 1:
            return 0
        at = len(self.sizes)
        if at == len(self.script):
            self.script.append(self.beyond(int(n)))
        self.sizes.append(int(n))
        return self.script[at]

    def draw(self, record: Any) -> Any:
        """64 random bits."""
        if not self._raw:
            raise OptionError(
                "chance cannot be followed here: the game draws raw bits, not dice.below"
            )
        pieces = [self.below(record, 1 << _PIECE) << at for at in range(0, 64, _PIECE)]
        return np.uint64(sum(pieces))

    def shuffle(self, record: Any, cards: Any, start: Any, count: Any) -> None:
        """One throw of all orders that differ if these are few; else as many as dice make of it."""
        if 0 <= start < len(cards) and count <= len(cards):
            places = [(start + at) % len(cards) for at in range(count)]
            mixed = sorted(int(cards[place]) for place in places)
            orders = orders_of(mixed)
            if orders <= MOST_ORDERS:
                ordered = in_order(mixed, self.below(record, orders))
                for place, card in zip(places, ordered, strict=True):
                    cards[place] = card
                return
        self._shuffled(record, cards, start, count)


def in_order(cards: Sequence[int], number: int) -> list[int]:
    """Sorted *cards* in the order of that *number*, of those that differ.

    >>> [in_order([0, 1, 1], number) for number in range(3)]
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    left, ordered = list(cards), []
    while left:
        for card in dict.fromkeys(left):
            rest = left.copy()
            rest.remove(card)
            if number < (orders := orders_of(rest)):
                break
            number -= orders
        ordered.append(card)
        left = rest
    return ordered


def orders_of(cards: Sequence[int]) -> int:
    """How many orders of *cards* differ."""
    alike = math.prod(math.factorial(count) for count in Counter(cards).values())
    return math.factorial(len(cards)) // alike


def copy_of(records: Record) -> Record:
    """A copy of records: NumPy's own goes field by field, which takes ten times as long."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


class _Throw(Exception):
    """The script has ended, and dice are thrown that have so many *outcomes*."""

    def __init__(self, outcomes: int) -> None:
        super().__init__(outcomes)
        self.outcomes = outcomes


class Outcomes:
    """A game's beginnings and what its decisions lead to, each with its probability.

    *raw*: where a game draws raw bits, these are throws too: see ``Chance``.
    """

    def __init__(self, variant: Variant, raw: bool = False) -> None:
        variant.refuse_disguise("exact values")
        self._blank = variant.blank()
        self._chance = Chance(raw)
        k = variant.game.kernels
        kernels = map(self._chance.in_plain_python, (k.shuffle, k.start, k.act))
        self._shuffle, self._start, self._act = kernels

    def beginnings(self) -> list[tuple[float, Record]]:
        """Every way in which a game may begin."""
        return self.after(None, None)

    def after(self, record: Record | None, action: int | None) -> list[tuple[float, Record]]:
        """Every record that a legal action may lead to; without a record, every beginning."""
        outcomes = []
        self._follow((), lambda outcomes: 0)
        while True:
            changed = self._changed(record, action)
            outcomes.append((1.0 / math.prod(self._chance.sizes), changed))
            if not self._chance.next_script():
                return outcomes

    def reach(
        self, record: Record, action: int | None, throws: Sequence[int]
    ) -> tuple[Record, int]:
        """The record that an action leads to, or dealing to a blank one if there is none, where the
        dice show these *throws*; and how many outcomes the next throw has, 0 if none comes.
        """

        def thrown(outcomes: int) -> int:
            raise _Throw(outcomes)

        changed = copy_of(record)
        self._follow(throws, thrown)
        try:
            self._change(changed, action)
        except _Throw as next_throw:
            return changed, next_throw.outcomes
        return changed, 0

    def _follow(self, script: Sequence[int], beyond: Callable[[int], int]) -> None:
        self._chance.follow(script)
        self._chance.beyond = beyond

    def _changed(self, record: Record | None, action: int | None) -> Record:
        changed = copy_of(self._blank if record is None else record)
        self._change(changed, action)
        return changed

    def _change(self, record: Record, action: int | None) -> None:
        if action is None:
            self._shuffle(record)
            self._start(record)
        else:
            self._act(record, action)
