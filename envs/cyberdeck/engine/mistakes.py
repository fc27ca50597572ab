"""Mistakes in kernels, told to those who write them: where it is, what is wrong, what to do.

What no kernel may hold is refused where ``@kernel`` stands, by Python's instructions for it. What
else cannot be compiled is found by numba, whose words are for those who know numba.
"""

from __future__ import annotations

import contextlib
import dis
import inspect
import linecache
import os
import re
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

from cyberdeck.common.text import nearest
from cyberdeck.engine.fingerprint import functions_of, outside
from cyberdeck.errors import CyberdeckError, KernelError

_Place: TypeAlias = tuple[types.FunctionType, int]  # and the line

_PAGE: Final = '(docs/write/first_game.md, "Rules for kernels")'

_NEW: Final = "compiled code has none: use a field of the state, or a NumPy table at the file's top"
_TEXT: Final = "it makes a text, and compiled code has none: texts are for `text` and `action_name`"
_MATCH: Final = "it matches a pattern: compare the parts with if"
_OUTSIDE: Final = "kernels keep nothing outside the state: make it a field"

#: Python's instructions for what no kernel may hold, and what is said of it.
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

#: How functions are called that Python makes for a list and its like.
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
    if not sets and _CODES.isdisjoint(code.co_code[::2]):  # quickly: it is done for every kernel
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
            raise KernelError(f"{place(code, line)}{what} {_PAGE}")
        before = each.argval


def _line(instruction: dis.Instruction) -> int | None:
    return instruction.positions and instruction.positions.lineno


def place(code: types.CodeType, line: int | None) -> str:
    """Where that is, as all messages about kernels begin."""
    file = Path(code.co_filename).name
    return f"{file}, line {line or code.co_firstlineno}, in {code.co_name}: "


@contextlib.contextmanager
def explained(label: str, loop: Callable[..., Any]) -> Iterator[None]:
    """Within it, what numba raises while it compiles a *loop* of the game *label* is explained."""
    try:
        yield
    except (CyberdeckError, OSError, MemoryError):
        raise
    except Exception as error:  # numba's own, and whatever else it comes upon
        raise KernelError(_explanation(label, loop, error)) from None


def _explanation(label: str, loop: Callable[..., Any], error: Exception) -> str:
    functions = list(functions_of(loop))
    own = [each for each in functions if outside(each.__module__)] or functions
    found = next(_places(own, error), None)
    what = _in_words(error, functions, found)
    where = place(found[0].__code__, found[1]) if found else f"a kernel of {label}: "
    return f"{where}{what} {_PAGE}"


def _places(functions: list[types.FunctionType], error: Exception) -> Iterator[_Place]:
    """The lines of *functions* that an error is about, the innermost first."""
    told = (
        r"(?:at|location:) (?P<at>\S[^\n]*?) \((?P<line>\d+)\)"
        r'|File "(?P<file>[^"]+)", line (?P<row>\d+)'
    )
    for found in re.finditer(told, str(error)):
        file, line = found["at"] or found["file"], int(found["line"] or found["row"])
        for function in functions:
            lines = [each for *_, each in function.__code__.co_lines() if each]
            same = os.path.abspath(function.__code__.co_filename) == os.path.abspath(file)
            if same and min(lines) <= line <= max(lines):
                yield function, line
    if name := _name_of(error):
        after_a_point = isinstance(error, (KeyError, AttributeError))
        for function in functions:
            for each in dis.get_instructions(function.__code__):
                attribute = each.opname.endswith(("_ATTR", "_METHOD"))
                unknown = each.opname == "LOAD_GLOBAL" and name not in function.__globals__
                if each.argval == name and (attribute if after_a_point else unknown):
                    yield function, _line(each) or 0


def _name_of(error: Exception) -> str:
    """The name that there is not, if that is what an error says."""
    if isinstance(error, KeyError) and _fields_of(error):
        return str(error.args[0])
    if isinstance(error, AttributeError):
        return str(error.name or "")
    missing = re.search(r"NameError: name '(\w+)' is not defined", str(error))
    return missing[1] if missing else ""


def _said(message: str) -> str:
    """What numba's *message* says, in one line, without where it is."""
    message = re.sub(r'File "[^"]*", line \d+:\n(.*\n)*?\s*\^', "", message)
    lines = [line.strip() for line in message.splitlines()]
    wrapped = ("Failed in nopython", "During: ")
    return " ".join(line for line in lines if line and not line.startswith(wrapped))


#: numba's types in plain words.
_TYPES: Final = (
    (r"(Optional|OptionalType)\((\w+)\)", r"\2 or none"),
    (r"Literal\[int\]\([^)]*\)|\bu?int\d+\b", "a whole number"),
    (r"Literal\[str\]\([^)]*\)|\bunicode_type\b", "a text"),
    (r"Literal\[bool\]\([^)]*\)|\bbool(ean)?\b", "True or False"),
    (r"\bfloat\d+\b", "a number with a point"),
    (r"(nested|readonly |unaligned )?\b(nested)?array\(([^()]|\([^()]*\))*\)", "an array"),
    (r"(Uni)?Tuple\(([^()]|\([^()]*\))*\)", "a tuple"),
    (r"Record\(.*?\)(?=,| and |$)", "a record"),
    (r"\bnone\b", "None"),
)


def _plain(types_: str) -> str:
    for numbas, words in _TYPES:
        types_ = re.sub(numbas, words, types_)
    return types_


def _in_words(error: Exception, functions: list[types.FunctionType], found: _Place | None) -> str:
    """What is wrong, and what to do."""
    name, said = _name_of(error), _said(str(error))
    if known := _fields_of(error):
        near = nearest(name, known) or f"; there are: {', '.join(known)}"
        return f"there is no field state.{name}{near}"
    if isinstance(error, AttributeError) and name:
        module = getattr(error.obj, "__name__", "that").rpartition(".")[2]
        return f"there is no {module}.{name}{nearest(name, dir(error.obj))}"
    if name:
        known = list(found[0].__globals__) if found else []
        return f"there is no {name!r}{nearest(name, known)}: write it at the file's top"
    for pattern, words in _MEANT:
        if match := re.search(pattern, said):
            return words(match) if callable(words) else match.expand(words)
    if match := re.search(_OUTER, said):
        return _outer(match[1] or match[2], functions)
    if match := re.search(_CALL, said):
        return _called(match["taken"], match["why"], functions, found)
    line = linecache.getline(found[0].__code__.co_filename, found[1]).strip() if found else ""
    what = f"{line} cannot be compiled" if line else "something in it cannot be compiled"
    return f"{what}: write it with numbers and loops; numba says: {said[:200]}"


def _fields_of(error: Exception) -> list[str]:
    """The fields of numba's record that does not have the one in *error*, if it says that."""
    if not isinstance(error, KeyError):
        return []
    *_, (innermost, _) = traceback.walk_tb(error.__traceback__)
    fields = getattr(innermost.f_locals.get("self"), "fields", {})
    return [name for name in fields if not name.startswith("_")]


_OUTER: Final = r"Untyped (?:global name|freevar) '(\w+)'|assigned to variable '(\w+)' in globals"


def _outer(name: str, functions: list[types.FunctionType]) -> str:
    """Of something outside that a kernel uses and compiled code cannot."""
    outside = map(inspect.getclosurevars, functions)
    values = (each.nonlocals.get(name, each.globals.get(name)) for each in outside)
    value = next((each for each in values if each is not None), None)
    if isinstance(value, types.FunctionType):
        return f"{name} is a Python function and no kernel: write @kernel above it"
    kind = "nothing that compiled code knows" if value is None else f"a {type(value).__name__}"
    if isinstance(value, (list, set, dict)):
        return f"{name} is {kind}: make it a NumPy array, {name} = np.array(...), or a tuple"
    return f"{name} is {kind}: kernels use numbers, tuples, NumPy arrays and kernels"


_CALL: Final = r"to signature '(?P<taken>.*)' due to \"TypeError: (?P<why>[^\"]*)\""


def _called(taken: str, why: str, functions: list[types.FunctionType], found: _Place | None) -> str:
    """Of a kernel that is called with other arguments than it takes."""
    code = dis.get_instructions(found[0].__code__) if found else ()
    here = [each.argval for each in code if found and _line(each) == found[1]]
    for function in functions:
        signature = inspect.signature(function)
        if str(signature) == taken and function.__name__ in here:
            taken = f"({', '.join(signature.parameters)})"
            return f"it calls {function.__name__}{taken} with other arguments: {why}"
    return f"it calls a kernel that takes {taken} with other arguments: {why}"


#: What numba says, what that means, and what to do.
_MEANT: Final[tuple[tuple[str, str | Callable[..., str]], ...]] = (
    (
        r"Cannot unify (?P<one>.+) and (?P<other>.+) for '(?P<name>[$\w]+)",
        lambda match: (
            f"{'a value' if match['name'].startswith('$') else match['name']} is sometimes "
            + " and sometimes ".join(sorted([_plain(match["one"]), _plain(match["other"])]))
            + ": let it be of one kind"
        ),
    ),
    (
        r"Can't unify return type from the following types: (?P<types>.+?)( Return of|$)",
        lambda match: (
            "it returns values of different kinds: let it be one of them, and not all of "
            + ", ".join(sorted(_plain(match["types"]).split(", ")))
        ),
    ),
    (
        r"Variable '(\w+)' is not defined",
        r"\1 is read before it is set: set it first, in every case",
    ),
    (
        r"^Type of variable .* cannot be determined",
        "the kind of a value cannot be told: write this in simpler steps",
    ),
    (
        r"unsupported NumPy function 'numpy\.([\w.]+)'",
        r"np.\1 cannot be compiled: write it out as a loop",
    ),
    (
        "NRT required|Only accept returning of array",
        "it makes a new array, list or text: write into the state's fields, element by element",
    ),
    (
        r"^Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'",
        r"kernels cannot use \2.\1: if it is a function of yours, write @kernel above it",
    ),
    (
        r"^Unknown attribute '(?P<name>\w+)' of type (?P<kind>.+)",
        lambda match: f"{_plain(match['kind'])} has no {match['name']!r} in compiled code",
    ),
    (
        r"^Cannot cast (?P<one>.+) to (?P<other>.+?):",
        lambda match: (
            f"it writes {_plain(match['one'])} where {_plain(match['other'])} belongs"
            + (": write element by element, or with [:]" if "array" in match["other"] else "")
        ),
    ),
    (
        "Unsupported array index type float",
        "an index is a number with a point: divide with //, which gives whole numbers",
    ),
    (
        r"^No implementation of function Function\(<built-in function (set|get|static)item>\).*?"
        r">>> \w+\((u?int|float|bool)",
        "a number is used as an array, with [...]: look at the shape of its field",
    ),
    (
        r"^No implementation of function Function\(<built-in function (set|get|static)item>\)",
        "this is no possible [...]: give an index for each number of the field's shape, and write "
        "numbers",
    ),
    (
        r"^No implementation of function Function\(<[^>]*?\b(?P<name>\w+)'?( at \w+)?>\) found for "
        r"signature: >>> \w+\((?P<given>.*?)\)( There| -|$)",
        lambda match: (
            f"{match['name']} of ({_plain(match['given'])}) cannot be compiled: write it out with "
            "numbers, one after the other"
        ),
    ),
)
