"""All that chance may do in a kernel, outcome by outcome: for exact values of small games.

The kernels are run as plain Python, with dice that take one outcome after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Record
from cyberdeck.engine.plain import as_python
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError


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

    def next_script(self) -> bool:
        """Go on to the next course of chance; False after the last."""
        while self.script and self.script[-1] + 1 == self.sizes[len(self.script) - 1]:
            self.script.pop()
        if not self.script:
            return False
        self.script[-1] += 1
        self.sizes = []
        return True


def in_plain_python(kernel: Any, chance: Chance) -> Callable[..., None]:
    """*kernel*, and all that it calls, as a Python function that throws the dice of *chance*.

    It takes an array of one record.
    """
    thrown = {id(dice.below): chance.below, id(dice.draw): chance.draw}
    function = as_python(kernel, thrown)
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
