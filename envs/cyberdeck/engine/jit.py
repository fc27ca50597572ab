"""Compiling by numba when a loop is first called, and an on-disk cache of what comes out.

numba caches per source file, so an edit in one file leaves stale callers behind, a read-only
install has nowhere to write, and a loop that closes over a game's kernels is never found again.
This cache is keyed by what a loop is made from (``engine/fingerprint.py``), lives in the user's
cache folder, and keeps one index for each loop.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, Final, TypeVar

import numba
import numpy as np
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.errors import NumbaExperimentalFeatureWarning

from cyberdeck.common.files import write_whole
from cyberdeck.common.folders import own_folder
from cyberdeck.engine import compiling
from cyberdeck.engine.arguments import Array, Index
from cyberdeck.engine.fingerprint import fingerprint
from cyberdeck.engine.inlining import KernelCompiler, LoopCompiler
from cyberdeck.engine.mistakes import explained

_F = TypeVar("_F", bound=Callable[..., Any])

#: Threads that call a loop for the first time wait for the one that has it compiled.
_alone: Final = threading.RLock()


def kernel_dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """*function* as numba compiles it with the loops that call it.

    Whatever their size, signed whole numbers come to it as int64: otherwise it would be compiled
    once more for each.
    """
    made = numba.jit(**options, pipeline_class=KernelCompiler)(function)
    template = made.get_call_template
    made.get_call_template = lambda args, kws: template(
        tuple(map(_widened, args)), {name: _widened(kind) for name, kind in kws.items()}
    )
    return made


def _widened(kind: Any) -> Any:
    return types.int64 if isinstance(kind, types.Integer) and vars(kind)["signed"] else kind


def typed(taken: Any) -> Any:
    """The type that numba has for something that a loop ``takes``."""
    if isinstance(taken, tuple):
        return types.BaseTuple.from_types(tuple(map(typed, taken)), type(taken))
    if isinstance(taken, Array):
        return types.Array(numba.from_dtype(np.dtype(taken.dtype)), len(taken.lengths), "C")
    return numba.from_dtype(np.dtype(taken.dtype if isinstance(taken, Index) else taken))


def _check(label: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """``TypeError`` if a loop is given other arguments than it ``takes``, as from a library."""
    kinds = map(typed, vars(function).get("takes", ()))
    for number, (given, kind) in enumerate(zip(arguments, kinds, strict=False), 1):
        own = numba.typeof(given)
        if isinstance(own, types.Array):
            own = own.copy(readonly=False)
        if own != kind:
            raise TypeError(
                f"{label}.{function.__name__}: argument {number} is {own}, and it takes {kind}"
            )


#: Names the folder of compiled code: other versions of what compiles have one of their own.
_VERSIONS: Final = f"numba-{numba.__version__}-python-{sys.version_info[0]}.{sys.version_info[1]}"


def cache_folder() -> Path | None:
    """The folder for compiled code, or None where none is safe (then nothing is kept).

    See ``own_folder``: compiled code is loaded by unpickling.
    """
    return own_folder(_VERSIONS)


class _Locator:
    """Tells numba's cache where to write; the file's name says what the code was made from."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._made_from = fingerprint(py_func)
        self._py_file = py_file  # numba names it where it warns that nothing can be kept

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def ensure_cache_path(self) -> None:
        """``cache_folder`` has made it."""

    def get_source_stamp(self) -> str:
        return self._made_from

    def get_disambiguator(self) -> str:
        return self._made_from

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012  # numba's own attribute


class _CacheFile(IndexDataCacheFile):
    """Compiled code that a power cut damages would be loaded, and run, without a word."""

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        written = io.BytesIO()
        yield written
        write_whole(filepath, written.getvalue())


@contextlib.contextmanager
def _compiling(label: str, *functions: Any) -> Iterator[None]:
    """Say that *functions* are compiled, and leave what is in memory out of collections meanwhile:
    to go through it takes a sixth of the time.

    Not where a loop is loaded: to count what is left out already takes longer than that.
    """
    with compiling.announced(label, *functions):
        if gc.get_freeze_count():
            yield
            return
        gc.freeze()
        try:
            yield
        finally:
            gc.unfreeze()


class _LoopCache(FunctionCache):
    """numba's function cache, without the part of its key that differs from run to run."""

    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any], label: str, others: list[Any]) -> None:
        super().__init__(function)
        parts = (self._impl.filename_base, self._impl.locator.get_source_stamp())
        self._cache_file = _CacheFile(self._cache_path, *parts)
        self._label, self._others = label, others
        self.waiting = contextlib.ExitStack()  # what lasts until the code is there

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # The closure's kernels are covered by the file's name.
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        overload = self._kept_overload(sig, target_context)
        folder = cache_folder()
        if overload is None and folder is not None:
            name = self._py_func.__name__
            self.waiting.enter_context(compiling.alone(folder, name, self._label))
            # Another process may have compiled it.
            overload = self._kept_overload(sig, target_context)
        if overload is None:
            functions = [self._py_func, *(other.py_func for other in self._others)]
            self.waiting.enter_context(_compiling(self._label, *functions))
        return overload

    @property
    def _is_safe(self) -> bool:
        """Whether its folder is still what it was when this began."""
        return str(cache_folder()) == str(self._cache_path)

    def _kept_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._is_safe:
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file is as good as none: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        # Of a table that was written to since, numba has taken what is there now.
        changed = fingerprint(self._py_func) != self._impl.locator.get_source_stamp()
        if changed or not self._is_safe:
            return
        with contextlib.suppress(Exception):  # a full or broken disk costs time, not the game
            super().save_overload(sig, data)


def _renamed(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """*function* by another name: it keeps its own, by which libraries know it."""
    assert isinstance(function, FunctionType)
    given = (function.__globals__, name, function.__defaults__, function.__closure__)
    renamed = FunctionType(function.__code__, *given)
    renamed.__module__, renamed.__qualname__ = function.__module__, name
    return renamed


def compile_loop(function: _F, label: str, options: dict[str, Any]) -> _F:
    """Compile *function*, which may close over kernels, and keep the result on disk.

    *label* names the game; one loop and game have one index file of one signature, so that
    processes that start at once can only ever write the same thing. What is in its list ``others``
    is compiled right after it, before a process that waits for it goes on.
    """
    name = f"{function.__name__}-{label}"
    loop = numba.jit(**options, pipeline_class=LoopCompiler)(_renamed(function, name))
    loop.others = []
    kept = _LoopCache(loop.py_func, label, loop.others) if cache_folder() is not None else None
    if kept is not None:
        loop._cache = kept
    compile_ = loop._compile_for_args

    @contextlib.contextmanager
    def waiting_and_explaining(*arguments: Any) -> Iterator[None]:
        waiting = kept.waiting if kept else _compiling(label, loop.py_func)
        with (
            _alone,
            explained(label, loop.py_func, arguments),
            waiting,
            warnings.catch_warnings(),
        ):
            # A record with each seat's past may begin as the game's own: they share kernels then.
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            yield

    def compile_ahead() -> None:
        with waiting_and_explaining():
            loop.compile(tuple(map(typed, vars(function)["takes"])))

    def compile_or_explain(*arguments: Any, **more: Any) -> Any:
        _check(label, function, arguments)
        with waiting_and_explaining(*arguments):
            made = compile_(*arguments, **more)
            if loop.stats.cache_misses:
                for other in loop.others:
                    other.compile_ahead()
            return made

    loop._compile_for_args = compile_or_explain
    loop.compile_ahead = compile_ahead
    compiled: _F = loop
    return compiled
