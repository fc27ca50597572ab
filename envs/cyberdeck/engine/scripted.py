"""A game's kernels with dice that follow a number: all that chance may do, in compiled code.

While a kernel runs, ``state.dice`` is no generator. Its low half says which of the outcomes is to
be taken, and its high half counts how many there have been: see ``left`` and ``ways``.
"""

from __future__ import annotations

import dataclasses
import dis
import types
from typing import Any, Final

import numpy as np

from cyberdeck.engine import dice
from cyberdeck.engine.kernels import Kernel, kernel
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


def _attributes(code: types.CodeType, name: str) -> tuple[str, ...]:
    """What *code* reads of the module that it calls *name*: a record may have a field ``draw``."""
    found, inside = [], False
    for step in dis.get_instructions(code):
        reads = step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        if inside and reads:  # of it, or of a module that is in it
            found.append(step.argval)
        inside = (inside and reads) or (not reads and step.argval == name)
    return tuple(found)


def scripted(kernels: Any, raw: bool = False) -> Any:
    """*kernels* of a game, and all that they call, with these dice in the place of its own.

    *raw*: where they draw raw bits, ``ways`` says ``TOO_MANY``; otherwise those are refused.
    """
    twins: dict[int, Any] = {id(dice.below): below}
    if raw:
        twins[id(dice.draw)] = endless

    def twin(value: Any, names: tuple[str, ...]) -> Any:
        if value is dice.draw and not raw:
            raise OptionError(
                "chance cannot be followed here: the game draws raw bits, not dice.below"
            )
        if id(value) in twins:
            return twins[id(value)]
        if isinstance(value, Kernel):
            return copied(value)
        if isinstance(value, types.ModuleType) and value is not np:
            read = {name: getattr(value, name) for name in names if hasattr(value, name)}
            twinned = {name: twin(each, names) for name, each in read.items()}
            if any(twinned[name] is not each for name, each in read.items()):
                module = types.ModuleType(value.__name__)
                vars(module).update(twinned)
                return module
        return value

    def copied(original: Kernel) -> Kernel:
        function = original.py_func
        code = function.__code__
        outside: dict[str, Any] = {"__builtins__": __builtins__, "__name__": function.__module__}
        cells = [types.CellType() for _ in code.co_freevars]
        made = types.FunctionType(
            code, outside, function.__name__, function.__defaults__, tuple(cells)
        )
        made.__qualname__, made.__module__ = (
            f"{function.__qualname__}-scripted",
            function.__module__,
        )
        options = {k: v for k, v in original.targetoptions.items() if k == "inline"}
        found = twins[id(original)] = Kernel(made, **options)
        closure = function.__closure__ or ()
        for name, cell, held in zip(code.co_freevars, cells, closure, strict=True):
            cell.cell_contents = twin(held.cell_contents, _attributes(code, name))
        for name in code.co_names:
            if name in function.__globals__:
                outside[name] = twin(function.__globals__[name], _attributes(code, name))
        return found

    parts = {each.name: getattr(kernels, each.name) for each in dataclasses.fields(kernels)}
    return type(kernels)(**{name: twin(each, ()) for name, each in parts.items()})
