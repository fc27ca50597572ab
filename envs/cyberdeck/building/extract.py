"""The loops of a game as one module of LLVM's code that belongs to no machine yet.

numba types and lowers each loop, as it would before compiling it here. Three of its classes are
extended for that, all in this file, so it has to be the version they were written for.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import cpu, types
from numba.core.codegen import AOTCodeLibrary, AOTCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.typed_passes import NativeLowering

from cyberdeck.building.loops import Loop
from cyberdeck.common.files import write_whole
from cyberdeck.engine import native
from cyberdeck.engine.inlining import AsLowered, LoopCompiler
from cyberdeck.engine.kernels import OPTIONS
from cyberdeck.engine.mistakes import explained
from cyberdeck.errors import KernelError, install

#: The version that the classes below extend: the extra `build` has it.
NUMBA: Final = "0.68.1"


class _Library(AsLowered, AOTCodeLibrary):
    """Code as it was lowered: it is optimized once, as a whole, for each machine."""

    def _optimize_final_module(self) -> None:
        """Not here."""


class _Codegen(AOTCPUCodegen):
    _library_class = _Library


class _Compiler(LoopCompiler):
    """What compiles a loop for ``_Context``."""

    lowering = NativeLowering


class _Context(cpu.CPUContext):
    """What numba compiles for: code that is handed on, and never called here."""

    allow_dynamic_globals = False  # no table by its address in this process

    def init(self) -> None:
        super().init()
        self._internal_codegen = _Codegen("cyberdeck")  # type: ignore[assignment]

    def add_dynamic_addr(self, builder: Any, intaddr: int, info: str) -> Any:
        """A kernel as a value, which is only ever called: nobody looks at its address."""
        assert info == "Kernel", info
        return ir.Constant(ir.PointerType(ir.IntType(8)), None)

    def make_constant_array(self, builder: Any, typ: Any, ary: Any) -> Any:
        """A view with its gaps closed: numba writes it closed, and keeps its strides."""
        closed = np.ascontiguousarray(ary) if typ.layout == "A" else ary
        return super().make_constant_array(builder, typ, closed)

    def load_additional_registries(self) -> None:
        """All that numba can compile, but for its runtime, which is for this machine alone."""
        runtime = vars(cpu)["rtsys"]
        with_runtime, runtime.initialize = runtime.initialize, lambda context: None
        super().load_additional_registries()
        runtime.initialize = with_runtime

    def post_lowering(self, mod: Any, library: Any) -> None:
        """No reference is counted, so numba's runtime is not linked."""

    def create_cpython_wrapper(self, *_: Any, **__: Any) -> None:
        """Nothing calls this from Python."""

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        return [].append  # numba tells functions apart by what it calls: each has one of its own


@functools.cache
def _be_ready() -> None:
    """Have numba compile for ``_Context``, where it else would make one with the first function."""
    context = _Context(cpu_target.typing_context, "cpu")
    vars(cpu_target)["_toplevel_target_context"] = context


def check_numba() -> None:
    """``KernelError`` if another version is installed."""
    if numba.__version__ != NUMBA:
        raise KernelError(
            f"to compile ahead takes numba {NUMBA}, and here is {numba.__version__}: "
            f"{install('build')}"
        )


@dataclass(frozen=True)
class Extracted:
    """The loops of a game, their bitcode, and the names of those that return a number."""

    label: str
    loops: list[Loop]
    code: bytes
    returning: set[str]


def extracted(label: str, loops: list[Loop], folder: Path) -> Extracted:
    """All that *loops* has of a game, taken from numba; which takes a minute, and is kept."""
    check_numba()
    here = Path(__file__).read_bytes()
    made_from = repr((native.stamp(), here, NUMBA, [(e.name, e.made_of, e.types) for e in loops]))
    digest = hashlib.blake2b(made_from.encode(), digest_size=8).hexdigest()
    kept = folder / f"{label}-{digest}"
    if not kept.exists():
        began = time.monotonic()
        write_whole(kept, pickle.dumps(_lowered(label, loops)))
        print(f"{label}: taken from numba in {time.monotonic() - began:.0f} s", flush=True)
    return Extracted(label, loops, *pickle.loads(kept.read_bytes()))


def _lowered(label: str, loops: Sequence[Loop]) -> tuple[bytes, set[str]]:
    _be_ready()
    module, returning = llvm.parse_assembly(""), set()
    for loop in loops:
        dispatcher = numba.jit(**OPTIONS, pipeline_class=_Compiler)(loop.function)
        with explained(label, loop.function):
            dispatcher.compile(loop.types)
        compiled = dispatcher.overloads[loop.types]
        with global_compiler_lock:
            own = llvm.parse_bitcode(compiled.library.emit_bitcode())
        own.get_function(compiled.fndesc.llvm_func_name).name = loop.symbol
        module.link_in(own)
        returned = compiled.signature.return_type
        if returned not in (types.none, types.int64):
            raise TypeError(f"{loop.name} returns {returned}: a loop returns an int64, or nothing")
        if returned == types.int64:
            returning.add(loop.name)
    return module.as_bitcode(), returning
