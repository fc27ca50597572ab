"""Kernels and the loops made from them: what compiles them, and when.

A wheel carries the loops of the suite's games, compiled when it was built (``engine/native.py``).
All others, and all of them in a checkout, are compiled by numba when they are first called
(``engine/jit.py``). Kernels are plain objects until then: numba is imported where it has to
compile, and nowhere else.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Final, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from cyberdeck.engine import native
from cyberdeck.engine.arguments import takes
from cyberdeck.engine.mistakes import refuse
from cyberdeck.engine.plain import as_python
from cyberdeck.errors import KernelError, install

# What kernels are given. (A is how many actions a game has, D the size of an observation, M the
# number of metrics.)
State: TypeAlias = Any  # a record of the game's dtype: mypy cannot know its fields
Mask: TypeAlias = NDArray[np.int8]  # (A,)  1 for each legal action
Vector: TypeAlias = NDArray[Any]  # (D,)  an observation, int8 by default
Numbers: TypeAlias = NDArray[np.int32]  # (M,)  metrics
Seat: TypeAlias = int
Action: TypeAlias = int
RandomBits: TypeAlias = np.uint64

#: ``np.int64`` for kernels that widen a field's number: to mypy what comes out is an int.
int64: Final[Callable[[Any], int]] = cast("Any", np.int64)

_F = TypeVar("_F", bound=Callable[..., Any])

#: numba's options for all that is compiled: no Python objects, no exceptions on division, no GIL.
OPTIONS: Final[dict[str, Any]] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,  # nothing calls by address: it would be compiled for nothing
    "boundscheck": None,
}


class Kernel:
    """A function for numba, which knows nothing of it until it is compiled with a loop.

    To numba it is the dispatcher that stands behind it: ``_numba_type_`` is how objects tell it
    what they are, and ``py_func`` and ``targetoptions`` are what it looks at for ``inline``.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        refuse(function)
        functools.update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = {**OPTIONS, **options}

    def __repr__(self) -> str:
        """As ``help`` shows it."""
        return f"<kernel {self.py_func.__name__}({', '.join(inspect.signature(self).parameters)})>"

    @functools.cached_property
    def dispatcher(self) -> Any:
        return _jit(self.py_func.__qualname__).kernel_dispatcher(self.py_func, self.targetoptions)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    @functools.cached_property
    def _called(self) -> Callable[..., Any]:
        """What is called from Python, compiled apart so that it is kept on the disk.

        Where nothing can be compiled plain code will do: it is for words and pictures.
        """
        name = self.py_func.__qualname__.rpartition(".")[2]
        try:
            jit = _jit(name)
        except KernelError:  # there is no numba
            return as_python(self)
        found: Callable[..., Any] = jit.compile_loop(self.py_func, name, self.targetoptions)
        return found

    def __call__(self, *arguments: Any) -> Any:
        return self._called(*arguments)


def kernel(function: _F) -> _F:
    """Mark *function* as a kernel: compiled with the loops that call it.

    Kernels may call kernels. They read what stands at the top of their file: numbers, and tables as
    NumPy arrays.
    """
    return cast("_F", Kernel(function))


def kernel_of(label: str, inline: str = "never") -> Callable[[_F], _F]:
    """``kernel`` for functions made by a factory: *label* tells those of one name apart.

    numba names compiled code by the function's name, the types of its arguments and a count that
    begins anew in every process. Two kernels of one name could be taken for each other, one in
    code loaded from the disk and one in code compiled now.

    numba optimizes every kernel with all that it calls, and once more in each of its callers. Thin
    ones that call large ones compile much faster with *inline* "always": not by themselves at all.
    """

    def mark(function: _F) -> _F:
        function.__qualname__ = f"{function.__qualname__}-{label}"
        return cast("_F", Kernel(function, inline=inline))

    return mark


#: What makes the loops that every game has, each from a ``Game``; and the loops of one game alone.
#: A library (``building/``) has all of them.
OF_EVERY_GAME: Final[list[Callable[[Any], Sequence[Callable[..., Any]]]]] = []
OF_ONE_GAME: Final[list[Loop]] = []


def loops_of_every_game(
    make: Callable[[Any], Sequence[Callable[..., Any]]],
) -> Callable[[Any], dict[str, Callable[..., Any]]]:
    """Have the functions that *make* makes from a game compiled: they come by their names. Each
    says what it ``takes``.
    """
    OF_EVERY_GAME.append(make)

    @functools.wraps(make)
    def compiled(game: Any) -> dict[str, Callable[..., Any]]:
        functions = make(game)
        names = [each.__name__ for each in functions]
        return dict(zip(names, compile_loops(functions, game.label), strict=True))

    return compiled


def loop_of_every_game(make: Callable[[Any], Callable[..., Any]]) -> Callable[[Any], Any]:
    """``loops_of_every_game`` where *make* makes one."""
    compiled = loops_of_every_game(lambda game: [make(game)])
    return functools.wraps(make)(lambda game: next(iter(compiled(game).values())))


class Loop:
    """A loop of the one game *label*, which is compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], label: str) -> None:
        functools.update_wrapper(self, function)
        self.function, self.label = function, label
        OF_ONE_GAME.append(self)

    @functools.cached_property
    def compiled(self) -> Callable[..., Any]:
        return compile_loops([self.function], self.label)[0]

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)


def loop_of(
    label: str, lengths: Mapping[str, int] | None = None, **given: Any
) -> Callable[[Callable[..., Any]], Loop]:
    """Mark a loop of the one game *label*, and say what it ``takes``."""
    return lambda function: Loop(takes(lengths, **given)(function), label)


def compile_loops(functions: Sequence[Callable[..., Any]], label: str) -> list[Callable[..., Any]]:
    """*functions*, which may close over kernels, as compiled code; *label* names the game.

    They are taken from the package's own library, if that has them all, made from what they are
    made of here; otherwise numba compiles each when it is first called.
    """
    found = native.loops(functions, label)
    if found is not None:
        return found
    jit = _jit(label)
    return [jit.compile_loop(function, label, OPTIONS) for function in functions]


def compile_together(loop: Any, *others: Any) -> None:
    """Have numba compile *others* as soon as it has compiled *loop*, after which they are called.

    Then it knows their kernels already. Of several processes that start at once, each could
    otherwise be the one that compiles them, and have to compile the kernels again.
    """
    if hasattr(loop, "others"):  # not from a library
        loop.others.extend(others)


def _jit(label: str) -> ModuleType:
    """What compiles by numba, or ``KernelError`` where that is missing or cannot be imported."""
    try:
        import numba  # noqa: F401
    except Exception as error:
        why = f"cannot be imported: {' '.join(str(error).split())}"
        if isinstance(error, ModuleNotFoundError) and error.name == "numba":
            why = f"is not installed: {install('jit')}"
        raise KernelError(
            f"{label} has to be compiled, and numba, which does that, {why}{native.why_not(label)}"
        ) from None
    from cyberdeck.engine import jit

    return jit


@kernel
def index(number: Any) -> Any:
    """*number*, which is not negative, as an index.

    numba tests every signed index for Python's way of counting from the end; in the inner loops
    that test can cost more than the access.
    """
    return np.uint64(number)


#: A de Bruijn sequence: its six bits from any place on name that place (see ``lowest``).
_SEQUENCE: Final = np.uint64(0x03F79D71B4CB0A89)
_SIX_LEFT: Final = np.uint64(58)
_PLACES: Final = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[(int(_SEQUENCE) << _place & 0xFFFFFFFFFFFFFFFF) >> 58] = _place


@kernel
def lowest(bits: int) -> int:
    """The place of the lowest 1 in *bits*, a whole number that is not 0."""
    place: int = _PLACES[(np.uint64(bits & -bits) * _SEQUENCE) >> _SIX_LEFT]
    return place
