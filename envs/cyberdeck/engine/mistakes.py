"""Mistakes in kernels, explained to their authors: where it is, what is wrong, what to do.

What no kernel may hold is refused where ``@kernel`` stands: Python's bytecode shows it. What else
cannot be compiled is found by numba, whose messages only those who know numba understand. The
interpreter has better ones: of what it came upon in the first game of one from outside, or of the
same call, which it makes again.
"""

from __future__ import annotations

import contextlib
import copy
import dis
import linecache
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from cyberdeck.common.limits import OutOfTime, at_most
from cyberdeck.engine.fingerprint import outside
from cyberdeck.engine.places import in_words, place, place_in
from cyberdeck.engine.plain import as_python
from cyberdeck.errors import CyberdeckError, KernelError

_PAGE: Final = '(docs/write/first_game.md, "Rules for kernels")'

_NEW: Final = "compiled code has none: use a field of the state, or a NumPy table at the file's top"
_TEXT: Final = "it makes a text, and compiled code has none: texts are for `text` and `action_name`"
_MATCH: Final = "it matches a pattern: compare the parts with if"
_OUTSIDE: Final = "kernels keep nothing outside the state: make it a field"

#: Python's instructions for what no kernel may hold, and what is said of each.
_REFUSED: Final = {
    "RETURN_GENERATOR": "it is a generator: a kernel has no yield and no async",
    "RAISE_VARARGS": "it raises (raise, assert), and kernels raise nothing: what must hold of "
    "every state is for check_state",
    "PUSH_EXC_INFO": "it has try or with, and nothing in a kernel raises: leave that out",
    "STORE_GLOBAL": f"it writes to a global name, and {_OUTSIDE}",
    "DELETE_GLOBAL": f"it deletes a global name, and {_OUTSIDE}",
    "STORE_DEREF": f"it writes to a name outside, and {_OUTSIDE}",
    "IMPORT_NAME": "it imports: do that at the file's top",
    "LOAD_BUILD_CLASS": "it makes a class: a kernel is made of numbers and arrays",
    "MAKE_FUNCTION": "it makes a function: write that above the kernel, with @kernel of its own",
    "BUILD_LIST": f"it makes a list, and {_NEW}",
    "BUILD_SET": f"it makes a set, and {_NEW}",
    "BUILD_MAP": f"it makes a dict, and {_NEW}",
    "BUILD_CONST_KEY_MAP": f"it makes a dict, and {_NEW}",
    "FORMAT_VALUE": _TEXT,
    "FORMAT_SIMPLE": _TEXT,
    "FORMAT_WITH_SPEC": _TEXT,
    "MATCH_SEQUENCE": _MATCH,
    "MATCH_MAPPING": _MATCH,
    "MATCH_CLASS": _MATCH,
    "DELETE_FAST": "it deletes a name with del: leave that out",
}
_CODES: Final = {dis.opmap[name] for name in _REFUSED if name in dis.opmap}

#: The names of the functions that Python makes for a comprehension.
_INSIDE: Final = {
    "<listcomp>": "BUILD_LIST",
    "<setcomp>": "BUILD_SET",
    "<dictcomp>": "BUILD_MAP",
    "<genexpr>": "RETURN_GENERATOR",
}


def refuse(function: Callable[..., Any]) -> None:
    """``KernelError`` if *function* holds what no kernel may hold."""
    code = function.__code__
    sets = any(isinstance(each, frozenset) for each in code.co_consts)
    if not sets and _CODES.isdisjoint(code.co_code[::2]):  # quick, as every kernel is asked
        return
    instructions = list(dis.get_instructions(code))
    # Python puts a tuple from starred parts together in a list.
    starred = any(
        each.opname == "LIST_TO_TUPLE" or (each.opname == "CALL_INTRINSIC_1" and each.arg == 6)
        for each in instructions
    )
    before: Any = None
    for at, each in enumerate(instructions):
        name = "BUILD_SET" if isinstance(each.argval, frozenset) else each.opname
        if name == "MAKE_FUNCTION" and isinstance(before, types.CodeType):
            name = _INSIDE.get(before.co_name, name)
        if name == "STORE_DEREF" and each.argval not in code.co_freevars:
            continue  # of its own
        if name in _REFUSED and not (name == "BUILD_LIST" and starred):
            what = _REFUSED[name].replace("a global name", f"the global {each.argval}")
            line = next((line for line in map(_line, instructions[at:]) if line), None)
            raise KernelError(f"{place_in(code, line)}{what} {_PAGE}")
        before = each.argval


def _line(instruction: dis.Instruction) -> int | None:
    return instruction.positions and instruction.positions.lineno


#: Seconds for a call that is made again in plain Python.
_SECONDS: Final = 2.0

#: By the label of a game, what the interpreter came upon in it: with its place.
_notes: Final[dict[str, str]] = {}

#: What could not be compiled since the outermost function was begun, and why; the innermost first.
_failures: Final[dict[types.FunctionType, Exception]] = {}


def note(label: str, what: str) -> None:
    """Keep what is wrong in a game, in case that it cannot be compiled."""
    _notes[label] = what


@contextlib.contextmanager
def record_failure(function: types.FunctionType) -> Iterator[None]:
    """In this block numba compiles *function*: know it if that fails."""
    try:
        yield
    except Exception as error:
        _failures.setdefault(function, error)
        raise
    _failures.pop(function, None)


@contextlib.contextmanager
def explained(label: str, loop: Callable[..., Any], given: Sequence[Any] = ()) -> Iterator[None]:
    """Explain what numba raises in this block, while it compiles a *loop* of the game *label*.

    *given*: with what it was called, if it was.
    """
    _failures.clear()
    try:
        yield
    except (CyberdeckError, OSError, MemoryError):
        raise
    except Exception as error:  # numba's own, and whatever else it comes upon
        what = _notes.get(label) or _misuse(loop, given) or _numbas(label, error)
        raise KernelError(f"{what} {_PAGE}") from None


def _misuse(loop: Callable[..., Any], given: Sequence[Any]) -> str:
    """What goes wrong where plain Python makes the same call, with its place; nothing if nothing
    does, or nothing was given.
    """
    if not given:
        return ""
    try:
        with at_most(_SECONDS):
            as_python(loop)(*map(copy.deepcopy, given))
    except OutOfTime:
        pass
    except Exception as error:
        return place(error) + in_words(error) if place(error) else ""
    return ""


def _numbas(label: str, error: Exception) -> str:
    """What numba says of the innermost function that it could not compile; and the line of the
    innermost that is not the package's own.
    """
    innermost = next(iter(_failures.values()), error)
    own = [each for each in _failures if outside(each.__module__)] or list(_failures)
    where, what = f"a kernel of {label}: ", "something in it cannot be compiled"
    for function in own[:1]:
        line = getattr(getattr(_failures[function], "loc", None), "line", None)
        where = place_in(function.__code__, line)
        code = linecache.getline(function.__code__.co_filename, line or 0).strip()
        what = f"{code} cannot be compiled" if code else what
    lines = [each.strip() for each in str(innermost).splitlines()]
    said = [each for each in lines if each and not each.startswith("Failed in nopython")]
    numbas = (said or [type(innermost).__name__])[0].partition(", defined at")[0]
    return f"{where}{what}: write it with numbers and loops; numba says: {numbas[:200]}"
