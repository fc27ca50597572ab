"""Lines of kernels that use more than the record: other random numbers, the clock, globals."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator
from typing import Final

from cyberdeck.engine.contract import Game
from cyberdeck.engine.defaults import Kernels
from cyberdeck.engine.fingerprint import functions_of
from cyberdeck.engine.places import place_in

_MODULES: Final = ("random", "secrets", "time", "datetime", "os", "numpy.random")


def used_from_outside(game: Game) -> list[str]:
    """Each such place in the game's kernels and what they call, in words."""
    found = dict[str, None]()
    for name in Kernels.__annotations__:
        kernel = getattr(game, name)
        if kernel is not None and not kernel.__module__.startswith("cyberdeck."):
            for function in functions_of(kernel.py_func):
                found |= dict.fromkeys(_in_function(function))
    return list(found)


def _in_function(function: types.FunctionType) -> Iterator[str]:
    code = function.__code__
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):  # written in a console
        return
    own = {*code.co_varnames, *code.co_cellvars}
    for node in ast.walk(tree):
        what = _module(node, function) if isinstance(node, ast.Name | ast.Attribute) else ""
        if isinstance(node, ast.Global):
            what = f"{node.names[0]} is changed"
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            base: ast.expr = node
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id not in own:
                what = f"{base.id} is changed"
        if what:
            yield f"{place_in(code, code.co_firstlineno + node.lineno - 1)}{what}"  # type: ignore[attr-defined]


def _module(node: ast.Name | ast.Attribute, function: types.FunctionType) -> str:
    """The use of a module whose answers vary, in words; or ""."""
    names = list[str]()
    at: ast.expr = node
    while isinstance(at, ast.Attribute):
        names.insert(0, at.attr)
        at = at.value
    if not isinstance(at, ast.Name):
        return ""
    value = function.__globals__.get(at.id)
    for name in names[:1]:
        value = getattr(value, name, None)
    is_one = isinstance(value, types.ModuleType) and value.__name__ in _MODULES
    return f"{'.'.join([at.id, *names[:1]])} is used" if is_one and len(names) < 2 else ""
