"""The library of compiled loops, for any of the platforms, on one machine."""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype

from cyberdeck.building.extract import extracted
from cyberdeck.building.loops import Loop, recorded
from cyberdeck.building.targets import TARGETS, Target, emitted, leveled
from cyberdeck.engine import native

HERE: Final = Path(__file__).parent


class Takes:
    """What a loop takes: for ``_native.c`` in words, and in C how it is handed on."""

    def __init__(self, loop: Loop, only_read: Sequence[bool]) -> None:
        self.words: list[str] = []
        self.dtypes: list[Any] = []
        self.declared = ["int64_t *", "void **"]
        self.given = ["result", "&raised"]
        self._only_read = only_read
        self._slot = itertools.count()
        shapes = iter(loop.shape.replace("(", "( ").replace(")", " )").split())
        for each in loop.arguments:
            self._add(each, shapes)
        assert len(self.words) <= 64, "_native.c has room for 64"
        if rest := list(shapes):
            raise ValueError(f"SHAPES of {loop.name} has {rest} too much")

    def _add(self, kind: types.Type, shapes: Iterator[str]) -> None:
        shape = next(shapes)
        if isinstance(kind, types.BaseTuple):
            assert shape == "(", shape
            self.words.append("(")
            for part in kind:  # type: ignore[attr-defined]  # of any kind of tuple
                self._add(part, shapes)
            assert next(shapes) == ")"
            self.words.append(")")
        elif isinstance(kind, types.Array):
            self._add_array(kind, shape)
        else:
            assert shape == "-", shape
            letters: dict[Any, str] = {types.int64: "i", types.uint64: "u", types.float64: "f"}
            self.words.append(letters[kind])
            slot = f"block[{next(self._slot)}]"
            real = kind == types.float64
            self._hand_on("double" if real else "int64_t", f"real({slot})" if real else slot)

    def _add_array(self, kind: types.Array, shape: str) -> None:
        """For numba that is: two owners, count and size of its items, address, lengths, strides."""
        assert kind.layout == "C", kind
        assert kind.ndim == len(shape), (kind, shape)
        dtype = as_dtype(kind.dtype)
        data = f"(void *)(intptr_t)block[{next(self._slot)}]"
        lengths = [f"block[{next(self._slot)}]" for _ in shape]
        strides = [" * ".join([str(dtype.itemsize), *lengths[at + 1 :]]) for at in range(kind.ndim)]
        for _ in range(2):
            self._hand_on("void *", "0")
        self._hand_on("int64_t", " * ".join(lengths))
        self._hand_on("int64_t", str(dtype.itemsize))
        access = "r" if self._only_read[len(self.given)] else "w"
        self._hand_on("void *", data)
        for each in (*lengths, *strides):
            self._hand_on("int64_t", each)
        alignment = dtype.alignment if kind.aligned else 1
        self.words.append(f"{access}{dtype.itemsize}/{alignment}/{shape}")
        self.dtypes.append(np.lib.format.dtype_to_descr(dtype))

    def _hand_on(self, declared: str, given: str) -> None:
        self.declared.append(declared)
        self.given.append(given)


def _table(
    stamp: str,
    loops: Sequence[Loop],
    returning: set[str],
    only_read: dict[str, list[bool]],
    levels: int,
) -> str:
    """loops.inc: functions for each loop that hand its arguments on, and what is known of it."""
    functions, entries = [], []
    for loop in loops:
        takes = Takes(loop, only_read[leveled(loop.symbol, 0)])
        symbols = [leveled(loop.symbol, level) for level in range(levels)]
        functions += [
            f"extern int {symbol}({', '.join(takes.declared)});\n"
            f"static int run_{symbol}(const int64_t *block, int64_t *result)\n"
            "{\n    void *raised = 0;\n"
            f"    return {symbol}({', '.join(takes.given)});\n}}\n"
            for symbol in symbols
        ]
        about = repr((loop.made_of, takes.dtypes))
        assert '"' not in about + "".join(takes.words)
        assert "\\" not in about
        runs = ", ".join(f"run_{symbol}" for symbol in symbols)
        entries.append(
            f'{{"{loop.name}", "{about}", "{" ".join(takes.words)}", '
            f"{int(loop.name in returning)}, {{{runs}}}}},\n"
        )
    return (
        f'#define STAMP "{stamp}"\n'
        "static double real(int64_t bits)\n{\n"
        "    union { int64_t bits; double real; } value = {bits};\n    return value.real;\n}\n"
        f"{''.join(functions)}enum {{ COUNT = {len(loops)} }};\n"
        f"static const Loop LOOPS[COUNT] = {{\n{''.join(entries)}}};\n"
    )


def _zig(*arguments: str | Path, folder: Path) -> None:
    caches = {name: str(folder / "zig") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    command = [sys.executable, "-m", "ziglang", *map(str, arguments)]
    subprocess.run(command, env=os.environ | caches, check=True)


def _linked(target: Target, objects: Sequence[Path], folder: Path, work: Path) -> Path:
    """The library, from the objects of all games and ``_native.c``."""
    made = folder / target.library
    flags = ["-shared", "-O2", "-s", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-DLEVELS={len(target.cpus)}", "-pthread"]
    imported: list[Path] = []
    if "windows" in target.zig:
        names = sorted(_names_of_python())
        (folder / "python3.def").write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names]))
        imported = [folder / "python3.lib"]
        names_of = ("-d", folder / "python3.def", "-l", imported[0])
        _zig("dlltool", "-m", "i386:x86-64", *names_of, folder=work)
    own: list[str | Path] = [f"-I{folder}", HERE / "_native.c", *objects, *imported, *target.link]
    _zig("cc", "-target", target.zig, *flags, *own, "-o", made, folder=work)
    return made


def _names_of_python() -> Iterator[str]:
    """What ``_native.c`` takes from Python's library, by its header."""
    for line in (HERE / "python_abi.h").read_text().splitlines():
        if line.startswith("IMPORTED extern"):
            for name in line.removesuffix(";").split("PyObject")[1].split(","):
                yield name.strip(" *") + " DATA"
        elif line.startswith("IMPORTED"):
            yield line.partition("(")[0].rpartition(" ")[2].lstrip("*")


def _extracted_once(
    label: str, loops: Sequence[Loop], stamp: str, folder: Path
) -> tuple[bytes, set[str]]:
    """``extracted``, which takes a minute or two, or what it made of the same before."""
    types = [(each.name, each.arguments) for each in loops]
    made_from = repr((stamp, numba.__version__, types)).encode()
    kept = folder / f"{label}-{hashlib.blake2b(made_from, digest_size=8).hexdigest()}"
    if not kept.exists():
        began = time.monotonic()
        kept.write_bytes(pickle.dumps(extracted(loops)))
        print(f"{label}: taken from numba in {time.monotonic() - began:.0f} s", flush=True)
    found: tuple[bytes, set[str]] = pickle.loads(kept.read_bytes())
    return found


def build(folder: Path, targets: Sequence[str]) -> dict[str, Path]:
    """The library for each target, each in a folder of its name."""
    stamp, loops = native.stamp(), recorded()
    folder.mkdir(parents=True, exist_ok=True)
    codes, returning = {}, set()
    for label in dict.fromkeys(each.label for each in loops):
        own_loops = [each for each in loops if each.label == label]
        codes[label], own_returning = _extracted_once(label, own_loops, stamp, folder)
        returning |= own_returning
    made = {}
    for name in targets:
        began, objects = time.monotonic(), []
        only_read: dict[str, list[bool]] = {}
        target, own = TARGETS[name], folder / name
        own.mkdir(exist_ok=True)
        for (label, code), level in itertools.product(codes.items(), range(len(target.cpus))):
            machine_code, proved = emitted(code, target, level)
            only_read |= proved
            objects.append(own / f"{label}_{level}.o")
            objects[-1].write_bytes(machine_code)
        table = _table(stamp, loops, returning, only_read, len(target.cpus))
        (own / "loops.inc").write_text(table)
        made[name] = _linked(target, objects, own, folder)
        size = made[name].stat().st_size // 1000
        print(f"{name}: {size} kB in {time.monotonic() - began:.0f} s", flush=True)
    return made
