"""All that chance may do in a kernel, outcome by outcome: for exact values of small games.

The kernels are run as plain Python, with dice that take one outcome after the other.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.contract import Record
from cyberdeck.engine.variant import Variant
from cyberdeck.errors import OptionError


class Chance:
    """Dice that follow a script, and note how many outcomes each throw had."""

    def __init__(self) -> None:
        self.script: list[int] = []
        self.sizes: list[int] = []

    def below(self, record: Any, n: Any) -> int:
        """The next outcome of 0 to n - 1."""
        at = len(self.sizes)
        self.sizes.append(int(n))
        if at == len(self.script):
            self.script.append(0)
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


def _wide(numbers: Any) -> Any:
    """Numbers of a record or a table in the type that compiled code calculates in."""
    return numbers.astype({"i": np.int64, "u": np.uint64}.get(numbers.dtype.kind, numbers.dtype))


def in_plain_python(kernel: Any, chance: Chance) -> Callable[..., None]:
    """*kernel*, and all that it calls, as Python functions that throw the dice of *chance*.

    They take an array of one record, and calculate as compiled code does: in 64 bits.
    """
    twins: dict[int, Any] = {id(dice.below): chance.below, id(dice.draw): chance.draw}

    def twin(value: Any, names: Iterable[str]) -> Any:
        if id(value) in twins:
            return twins[id(value)]
        if hasattr(value, "py_func"):
            return plain(value)
        if isinstance(value, np.ndarray):
            return _wide(value)
        if isinstance(value, types.ModuleType) and value.__name__ == dice.__name__:
            found = {name: getattr(value, name) for name in names if hasattr(value, name)}
            return types.SimpleNamespace(**{n: twin(each, names) for n, each in found.items()})
        return value

    def plain(compiled: Any) -> Callable[..., Any]:
        code, outside = compiled.py_func.__code__, compiled.py_func.__globals__
        cells = [cell.cell_contents for cell in compiled.py_func.__closure__ or ()]
        names: dict[str, Any] = {"__builtins__": __builtins__}
        closure = tuple(types.CellType(twin(each, code.co_names)) for each in cells)
        made = types.FunctionType(code, names, closure=closure)
        twins[id(compiled)] = made
        for name in code.co_names:
            if name in outside:
                names[name] = twin(outside[name], code.co_names)
        return made

    function = plain(kernel)

    def call(record: Record, *arguments: Any) -> None:
        names = record.dtype.names or ()
        state = types.SimpleNamespace(**{name: _wide(record[name][0]) for name in names})
        with np.errstate(over="ignore"):
            function(state, *arguments)
        for name in names:
            record[name][0] = getattr(state, name)

    return call


class Outcomes:
    """A game's beginnings and what its decisions lead to, each with its probability."""

    def __init__(self, variant: Variant) -> None:
        self._blank = variant.blank()
        self._chance = Chance()
        kernels = variant.game.kernels
        self._shuffle, self._start, self._act = (
            in_plain_python(kernel, self._chance)
            for kernel in (kernels.shuffle, kernels.start, kernels.act)
        )

    def beginnings(self) -> list[tuple[float, Record]]:
        """Every way in which a game may begin."""

        def begin(record: Record) -> None:
            self._shuffle(record)
            self._start(record)

        return self._each(self._blank, begin)

    def after(self, record: Record, action: int) -> list[tuple[float, Record]]:
        """Every record that a legal action may lead to."""
        return self._each(record, lambda changed: self._act(changed, action))

    def _each(self, record: Record, change: Callable[[Record], None]) -> list[tuple[float, Record]]:
        chance, found = self._chance, []
        chance.script, chance.sizes = [], []
        while True:
            changed = record.copy()
            change(changed)
            found.append((1.0 / math.prod(chance.sizes), changed))
            if not chance.next_script():
                return found
