"""A game's kernels with dice that follow a number: all that chance may do, in compiled code.

While a kernel runs, ``state.dice`` is no generator. Its low half says which of the outcomes is to
be taken, and its high half counts how many there have been: see ``left`` and ``ways``.
"""

from __future__ import annotations

import dis
import types
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.defaults import Kernels
from cyberdeck.engine.kernels import Kernel, kernel
from cyberdeck.engine.plain import Copies
from cyberdeck.errors import OptionError

_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)

#: What ``ways`` says where chance has more outcomes than can be counted.
TOO_MANY: Final = 0xFFFFFFFF


@kernel
def take(state: Any, which: Any) -> None:
    """Begin: of what chance will do, this is to happen."""
    state.dice = (np.uint64(1) << _HALF) | np.uint64(which)


@kernel
def left(state: Any) -> Any:
    """0 if what was asked for has happened; otherwise there was no such outcome."""
    return np.int64(np.uint64(state.dice) & _LOW)


@kernel
def ways(state: Any) -> Any:
    """Of how many outcomes, each as likely, what has happened is one."""
    return np.int64(np.uint64(state.dice) >> _HALF)


@kernel
def endless(state: Any) -> Any:
    """``dice.draw``: there are too many outcomes to be counted."""
    state.dice = (_LOW << _HALF) | ((np.uint64(state.dice) + np.uint64(1)) & _LOW)
    return dice.mixed(np.uint64(state.dice))


@kernel
def below(state: Any, n: Any) -> Any:
    """``dice.below``, by what was asked for."""
    sides, which = np.uint64(n), np.uint64(state.dice) & _LOW
    many = min((np.uint64(state.dice) >> _HALF) * sides, _LOW)
    if many == _LOW:  # any, and not the same for ever: a kernel may wait for another
        return dice.scaled(endless(state), n)
    state.dice = (many << _HALF) | (which // sides)
    return np.int64(which % sides)


def scripted(kernels: Kernels, raw: bool = False) -> Kernels:
    """*kernels* of a game, and all that they call, with these dice in the place of its own.

    *raw*: where they draw raw bits, ``ways`` says ``TOO_MANY``; otherwise those are refused.
    """
    copies = _Scripted(raw)
    return Kernels(**{name: copies.copy(each) for name, each in vars(kernels).items()})


class _Scripted(Copies):
    """Copies of kernels with these dice."""

    def __init__(self, raw: bool) -> None:
        super().__init__()
        self.hook(dice.below, below)
        if raw:
            self.hook(dice.draw, endless)
        self._raw = raw

    def copy(self, original: Any) -> Any:
        if original is dice.draw and not self._raw:
            raise OptionError(
                "chance cannot be followed here: the game draws raw bits, not dice.below"
            )
        return super().copy(original)

    def wrap(self, copied: types.FunctionType, original: Any) -> Any:
        function = original.py_func
        copied.__qualname__ = f"{function.__qualname__}-scripted"
        copied.__module__ = function.__module__
        options = {k: v for k, v in original.targetoptions.items() if k == "inline"}
        return Kernel(copied, **options)

    def value(self, value: Any, name: str, code: types.CodeType) -> Any:
        return self._copied(value, _attributes(code, name))

    def _copied(self, value: Any, names: tuple[str, ...]) -> Any:
        """A value; of a module, what it has of these *names*."""
        if isinstance(value, Kernel):
            return self.copy(value)
        if isinstance(value, types.ModuleType) and value is not np:
            read = {each: getattr(value, each) for each in names if hasattr(value, each)}
            copied = {each: self._copied(part, names) for each, part in read.items()}
            if any(copied[each] is not part for each, part in read.items()):
                module = types.ModuleType(value.__name__)
                vars(module).update(copied)
                return module
        return value


def _attributes(code: types.CodeType, name: str) -> tuple[str, ...]:
    """What *code* reads of the module that it calls *name*: a record may have a field ``draw``."""
    names, inside = [], False
    for step in dis.get_instructions(code):
        reads = step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if inside and reads:  # of it, or of a module that is in it
            names.append(step.argval)
        inside = (inside and reads) or (not reads and step.argval == name)
    return tuple(names)
