"""All that chance may do in a kernel, outcome by outcome: for exact values of small games.

The kernels are run as plain Python, with dice that take one outcome after the other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Record
from cyberdeck.engine.plain import as_called, as_python
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError

#: A shuffle is one throw if it has no more outcomes than this: six cards, or twelve of two kinds.
MOST_ORDERS: Final = 1000


class Chance:
    """Dice that follow a script, and note how many outcomes each throw had."""

    def __init__(self) -> None:
        self.script: list[int] = []
        self.sizes: list[int] = []
        #: What goes on with the script where it ends: the first outcome, or any.
        self.rng: np.random.Generator | None = None

    def below(self, record: Any, n: Any) -> int:
        """The next outcome of 0 to n - 1."""
        at = len(self.sizes)
        self.sizes.append(int(n))
        if at == len(self.script):
            self.script.append(0 if self.rng is None else int(self.rng.integers(n)))
        return self.script[at]

    def draw(self, record: Any) -> Any:
        """64 random bits: too many outcomes to go through them."""
        raise OptionError("chance cannot be followed here: the game draws raw bits, not dice.below")

    def shuffle(self, record: Any, cards: Any, start: Any, count: Any) -> None:
        """One throw of all orders that differ if these are few; else as many as dice make of it."""
        if 0 <= start < len(cards) and count <= len(cards):
            places = [(start + at) % len(cards) for at in range(count)]
            mixed = sorted(int(cards[place]) for place in places)
            orders = orders_of(mixed)
            if orders <= MOST_ORDERS:
                number = self.below(record, orders) if orders > 1 else 0
                for place, card in zip(places, in_order(mixed, number), strict=True):
                    cards[place] = card
                return
        as_called(dice.shuffle, {id(dice.below): self.below})(record, cards, start, count)

    def next_script(self) -> bool:
        """Go on to the next course of chance; False after the last."""
        while self.script and self.script[-1] + 1 == self.sizes[len(self.script) - 1]:
            self.script.pop()
        if not self.script:
            return False
        self.script[-1] += 1
        self.sizes = []
        return True


def in_order(cards: Sequence[int], number: int) -> list[int]:
    """Sorted *cards* in the order of that *number*, of those that differ.

    >>> [in_order([0, 1, 1], number) for number in range(3)]
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    left, found = list(cards), []
    while left:
        for card in dict.fromkeys(left):
            rest = left.copy()
            rest.remove(card)
            if number < (orders := orders_of(rest)):
                break
            number -= orders
        found.append(card)
        left = rest
    return found


def orders_of(cards: Sequence[int]) -> int:
    """How many orders of *cards* differ."""
    alike = math.prod(math.factorial(count) for count in Counter(cards).values())
    return math.factorial(len(cards)) // alike


def in_plain_python(kernel: Any, chance: Chance) -> Callable[..., None]:
    """*kernel*, and all that it calls, as a Python function that throws the dice of *chance*.

    It takes an array of one record.
    """
    thrown: dict[int, Any] = {id(dice.below): chance.below, id(dice.draw): chance.draw}
    function = as_python(kernel, thrown | {id(dice.shuffle): chance.shuffle})
    return lambda record, *arguments: function(record[0], *arguments)


class Outcomes:
    """A game's beginnings and what its decisions lead to, each with its probability."""

    def __init__(self, variant: Variant) -> None:
        variant.refuse_disguise("exact values")
        self._blank = variant.blank()
        self._chance = Chance()
        k = variant.game.kernels
        plain = (in_plain_python(each, self._chance) for each in (k.shuffle, k.start, k.act))
        self._shuffle, self._start, self._act = plain

    def beginnings(self) -> list[tuple[float, Record]]:
        """Every way in which a game may begin."""
        return self._each(self._blank, self._begin)

    def after(self, record: Record, action: int) -> list[tuple[float, Record]]:
        """Every record that a legal action may lead to."""
        return self._each(record, lambda changed: self._act(changed, action))

    def any_beginning(self, rng: np.random.Generator) -> tuple[int, Record]:
        """One of the beginnings, and one of how many it is."""
        return self._any(self._blank, self._begin, rng)

    def any_after(
        self, record: Record, action: int, rng: np.random.Generator
    ) -> tuple[int, Record]:
        """One of the records that a legal action may lead to, and one of how many it is."""
        return self._any(record, lambda changed: self._act(changed, action), rng)

    def _begin(self, record: Record) -> None:
        self._shuffle(record)
        self._start(record)

    def _any(
        self, record: Record, change: Callable[[Record], None], rng: np.random.Generator
    ) -> tuple[int, Record]:
        chance, changed = self._chance, record.copy()
        chance.script, chance.sizes, chance.rng = [], [], rng
        change(changed)
        chance.rng = None
        return math.prod(chance.sizes), changed

    def _each(self, record: Record, change: Callable[[Record], None]) -> list[tuple[float, Record]]:
        chance, found = self._chance, []
        chance.script, chance.sizes = [], []
        while True:
            changed = record.copy()
            change(changed)
            found.append((1.0 / math.prod(chance.sizes), changed))
            if not chance.next_script():
                return found
