"""Records and arrays as plain kernels see them: every index and every number written is checked.

Compiled code widens every whole number that it reads to 64 bits, and NumPy does not. So plain
kernels read Python's numbers; a float32 stays one (``Single``). Compiled code reads and writes past
the end of an array without noticing: here that is an error, and so is a number that does not fit
where it is written.
"""

from __future__ import annotations

import ast
import linecache
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cyberdeck.common.text import counted, nearest
from cyberdeck.errors import KernelError


class Misuse(KernelError):
    """What plain code must not do to an array or a record.

    *check* names the check (``testing/report.py``) that it fails. It is *harmless* if compiled code
    stays within its arrays all the same.
    """

    def __init__(self, what: str, check: str = "kernels", harmless: bool = False) -> None:
        super().__init__(what)
        self.check, self.harmless = check, harmless


#: Is told what is wrong though compiled code stays within its arrays, and which check that fails.
Watch: TypeAlias = Callable[..., None]


def strict(what: str, check: str = "kernels") -> None:
    """That is an error too."""
    raise Misuse(what, check, harmless=True)


def lenient(what: str, check: str = "kernels") -> None:
    """It does not matter: plain code then does what compiled code does."""


class Single(float):
    """A float32 as compiled code computes with it: two of them make one, all else has 64 bits."""

    def _rounding(operation: Callable[[float, float], float]) -> Any:  # type: ignore[misc]
        def apply(self: Single, other: Any) -> Any:
            result = operation(self, other)
            return Single(np.float32(result)) if isinstance(other, Single) else result

        return apply

    __add__, __sub__ = _rounding(float.__add__), _rounding(float.__sub__)
    __mul__, __truediv__ = _rounding(float.__mul__), _rounding(float.__truediv__)
    __floordiv__, __mod__ = _rounding(float.__floordiv__), _rounding(float.__mod__)

    def __neg__(self) -> Single:
        return Single(float.__neg__(self))

    def __abs__(self) -> Single:
        return Single(float.__abs__(self))


class Record:
    """A record, or a row of an array of them, with its fields as attributes."""

    __slots__ = ("_frozen", "_record", "_watch")

    def __init__(self, record: np.void, watch: Watch, frozen: str = "") -> None:
        object.__setattr__(self, "_record", record)
        object.__setattr__(self, "_watch", watch)
        object.__setattr__(self, "_frozen", frozen)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._record[name]
        except ValueError:
            names = [each for each in self._record.dtype.names if not each.startswith("_")]
            there = nearest(name, names) or f"; there are: {', '.join(names)}"
            raise Misuse(f"there is no field state.{name}{there}") from None
        if type(value) in _AS_PYTHON:  # most are: they need no name
            return value.item()
        return read(value, self._watch, f"state.{name}", self._frozen)

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__getattr__(name)  # it must be there
        if not isinstance(held, Array):
            _store(self._record, name, value, f"state.{name}", self._watch, self._frozen)
        elif isinstance(value, Array) and value.array.shape == held.array.shape:
            held[...] = value  # state.board = state.other, or what follows state.board += 1
        else:
            raise Misuse(f"state.{name} is an array: write state.{name}[:] = ...", harmless=True)

    def __getitem__(self, name: str) -> Any:
        return self.__getattr__(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self.__setattr__(name, value)


class Array:
    """An array whose elements are read as Python's numbers."""

    __slots__ = ("_frozen", "_watch", "array", "name")

    def __init__(
        self, array: NDArray[Any], watch: Watch, name: str = "the array", frozen: str = ""
    ) -> None:
        self.array, self.name = array, name
        self._watch, self._frozen = watch, frozen

    def __getitem__(self, at: Any) -> Any:
        return read(self.array[self._checked(at)], self._watch, self.name, self._frozen)

    def __setitem__(self, at: Any, value: Any) -> None:
        checked = self._checked(at)
        _store(self.array, checked, value, self.name, self._watch, self._frozen)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return (read(each, self._watch, self.name, self._frozen) for each in self.array)

    def __getattr__(self, name: str) -> Any:
        array = self.array
        if self._frozen:
            array = array.view()
            array.flags.writeable = False
        part = getattr(array, name)  # shape, size, sum() and their like
        if not callable(part):
            return read(part, self._watch, self.name, self._frozen)
        return lambda *given, **more: read(part(*given, **more), self._watch, self.name)

    def _as_a_whole(self, other: Any) -> Any:
        what = f"{self.name} is compared or computed with as a whole"
        raise Misuse(f"{what}: kernels go through arrays element by element", harmless=True)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _as_a_whole
    __add__ = __sub__ = __mul__ = __and__ = __or__ = __xor__ = _as_a_whole
    __hash__ = None  # type: ignore[assignment]

    def _in_place(operation: Callable[[Any, Any], Any]) -> Any:  # type: ignore[misc]
        def apply(self: Array, other: Any) -> Array:
            wide = {"f": np.float64, "u": np.uint64}.get(self.array.dtype.kind, np.int64)
            self[:] = Array(operation(self.array.astype(wide), written(other)), self._watch)
            return self

        return apply

    __iadd__, __isub__ = _in_place(operator.add), _in_place(operator.sub)
    __imul__, __ifloordiv__ = _in_place(operator.mul), _in_place(operator.floordiv)
    __imod__, __ipow__ = _in_place(operator.mod), _in_place(operator.pow)
    __iand__, __ior__, __ixor__ = map(_in_place, (operator.and_, operator.or_, operator.xor))
    __ilshift__, __irshift__ = _in_place(operator.lshift), _in_place(operator.rshift)

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        return self.array

    def _checked(self, at: Any) -> Any:
        """An index, or a tuple of them, that the array has."""
        shape = self.array.shape
        if type(at) is int:
            if 0 <= at < shape[0]:
                return at
        elif type(at) is tuple and len(at) == len(shape) == 2:
            row, column = at
            if type(row) is type(column) is int and 0 <= row < shape[0] and 0 <= column < shape[1]:
                return at
        given = at if isinstance(at, tuple) else (at,)
        left_out = self.array.ndim + 1 - len(given)
        indexes: list[tuple[int, Any]] = []  # each with its place in what is given
        for place, each in enumerate(given):
            whole = each is Ellipsis
            indexes += [(place, slice(None))] * left_out if whole else [(place, each)]
        if len(indexes) > self.array.ndim:
            has = counted(self.array.ndim, "dimension")
            raise Misuse(f"{len(given)} indexes are too many for {self.name}, which has {has}")
        checked: list[Any] = []
        for axis, (place, each) in enumerate(indexes):
            if isinstance(each, slice):
                checked.append(each)
                continue
            if not isinstance(each, (int, np.integer)):
                what = repr(each) if isinstance(each, float) else f"a {type(each).__name__}"
                raise Misuse(f"{what} is no index of {self.name}: it must be a whole number")
            # As an unsigned number a negative one is huge.
            number = int(each) - (1 << 64) * (int(each) >= 1 << 63)
            length = self.array.shape[axis]
            if not -length <= number < length or (number < 0 and isinstance(each, np.uint64)):
                raise Misuse(self._past(number, axis))
            if number < 0 and not _meant(place):
                self._watch(f"{self._past(number, axis)}; it counts from the end")
            checked.append(number)
        return tuple(checked)

    def _past(self, number: int, axis: int) -> str:
        length = self.array.shape[axis]
        where = f" of axis {axis}" if self.array.ndim > 1 else ""
        has = f"there are 0 to {length - 1}" if length else "it is empty"
        return f"{number} is no index{where} of {self.name}: {has}"


def _meant(place: int) -> bool:
    """Whether the kernel that is running spells out a negative index, as in cells[-1].

    *place*: which of its indexes, where it gives several.
    """
    frame = sys._getframe(3)  # the kernel, above this, ``_checked`` and what indexes
    positions = list(frame.f_code.co_positions())
    first, last, left, right = positions[frame.f_lasti // 2]
    if first is None or last is None:
        return False
    lines = linecache.getlines(frame.f_code.co_filename)[first - 1 : last]
    code = [line.encode() for line in lines] or [b""]
    code[-1] = code[-1][:right]
    code[0] = code[0][left:]
    try:
        node = ast.parse(b"".join(code), mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(node, ast.Subscript):
        return False
    each = node.slice.elts[place] if isinstance(node.slice, ast.Tuple) else node.slice
    return isinstance(each, ast.UnaryOp) and isinstance(each.operand, ast.Constant)


#: The lowest and the highest number of each type.
_ENDS: Final = {
    np.dtype(kind): (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint64)
}


def _store(target: Any, at: Any, value: Any, name: str, watch: Watch, frozen: str) -> None:
    """Write *value* into an array, or a field of a record, as compiled code does."""
    if frozen:
        watch(f"{frozen} writes to {name}: it may only look")
    kind = (target.dtype[at] if isinstance(target, np.void) else target.dtype).base
    if isinstance(value, tuple) and np.ndim(target[at]) == 0:
        raise Misuse(f"a tuple is written to {name}: it is no number", harmless=True)
    if kind in _ENDS:
        value = _fitting(value, *_ENDS[kind], name, watch)
    if isinstance(target, np.ndarray) and not target.flags.writeable:
        raise Misuse(f"{name} is a table of the file: kernels do not write there", harmless=True)
    target[at] = written(value)


def _fitting(value: Any, low: int, high: int, name: str, watch: Watch) -> Any:
    """*value* as compiled code writes it where whole numbers from *low* to *high* are held."""
    if type(value) is int and low <= value <= high:
        return value
    value = written(value)
    if isinstance(value, tuple):
        return tuple(_fitting(each, low, high, name, watch) for each in value)
    if isinstance(value, np.ndarray):
        for end in (value.min(), value.max()) if value.size else ():
            _fitting(end.item(), low, high, name, watch)
        return value
    if not isinstance(value, (int, float, np.generic)):
        what = f"a {type(value).__name__} is written to {name}: it is no number"
        raise Misuse(what, harmless=True)
    if isinstance(value, (float, np.floating)):
        watch(f"{value!r} is written to {name}, which holds whole numbers: use //")
        value = int(value) if np.isfinite(value) else 0
    if not low <= value <= high:
        watch(f"{value} is written to {name}, which holds {low} to {high}")
        value = (int(value) - low) % (high - low + 1) + low
    return value


#: NumPy's numbers that are read most.
_AS_PYTHON: Final = frozenset((np.bool_, np.int8, np.int16, np.int32, np.int64, np.float64))


def read(value: Any, watch: Watch, name: str = "", frozen: str = "") -> Any:
    """*value* as plain kernels see it."""
    if type(value) in _AS_PYTHON:
        return value.item()
    if isinstance(value, np.void):
        return Record(value, watch, frozen)
    if isinstance(value, np.ndarray):
        return Array(value, watch, name, frozen)
    if type(value) is np.float32:
        return Single(value)
    # 64 random bits stay what they are: they are multiplied and run over.
    return value.item() if isinstance(value, np.generic) and value.dtype != np.uint64 else value


def written(value: Any) -> Any:
    """What plain kernels have for an array or a record, as NumPy's."""
    if isinstance(value, Record):
        return value._record
    return value.array if isinstance(value, Array) else value


def frozen(value: Any, by: str) -> Any:
    """A record or an array to which the kernel *by* must write nothing."""
    if isinstance(value, Record):
        return Record(value._record, value._watch, by)
    return Array(value.array, value._watch, value.name, by)


def named(array: Any, name: str) -> Array:
    """An array by another name."""
    return Array(array.array, array._watch, name)
