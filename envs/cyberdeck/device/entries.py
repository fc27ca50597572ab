"""How a loop is called for one row: by a thread of a GPU, or in turn on this processor.

A loop treats each row by itself, so a thread calls it with arrays that are as long as one row. What
it writes of a row lies in the thread's own memory meanwhile: there a GPU keeps side by side what
neighbouring threads write at the same time, and moves it whole afterwards. What is the same in all
calls is written into the code, and what cannot happen is left out of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cyberdeck.building.loops import Loop
from cyberdeck.device.code import ALIGNED, CPU, GPU, Setting
from cyberdeck.engine.arguments import ALL, NAMED, Array
from cyberdeck.engine.loops import DISABLED, HEURISTIC, RANDOM

#: With so many registers for a thread a GPU's processor has threads enough to wait for memory.
REGISTERS = 128

#: The players that a loop may be given.
BUILT_IN = (RANDOM, HEURISTIC)

#: The loops that write into games: for others no row is moved.
CHANGING = ("begin", "advance", "play")

#: What is the same in every call: numbers, and arrays of bytes.
Fixed = Mapping[str, int | tuple[int, ...]]


@dataclass(frozen=True)
class Argument:
    """An argument of a loop as its entry takes it, if nothing is fixed.

    An array is its address, the bytes from one row to the next if it has rows, and its other
    lengths; a number is itself.
    """

    name: str
    taken: Any

    @property
    def rows(self) -> str:
        """``NAMED`` or ``ALL`` if it has something for each row, else nothing."""
        first: str = self.taken.lengths[0] if isinstance(self.taken, Array) else ""
        return first if first in (NAMED, ALL) else ""

    @property
    def lengths(self) -> str:
        """The letters of an array's lengths, but for the rows."""
        letters: str = self.taken.lengths
        return letters[1:] if self.rows else letters

    @property
    def staged(self) -> bool:
        """Whether a row of it is moved: records, masks and observations are.

        What is seen at the end of a game is not: it is written only then.
        """
        record = np.dtype(self.taken.dtype).names is not None
        return self.rows == ALL and (record or self.taken.lengths in ("NA", "ND"))

    @property
    def parameters(self) -> list[str]:
        """LLVM's, in their order."""
        if not isinstance(self.taken, Array):
            return [f"i64 %{self.name}"]
        more = [f"i64 %{self.name}_stride"] if self.rows else []
        more += [f"i64 %{self.name}_{at}" for at in range(len(self.lengths))]
        return [f"ptr addrspace(1) %{self.name}", *more]


class Entry:
    """LLVM's code by which a loop is called with what is *fixed*; *suffix* tells its entries apart.

    ``row_...`` calls it for one row; ``gpu_...`` is a GPU's kernel, and ``cpu_...`` calls it for
    one row after the other. Both of these take how many threads there are, and the parameters.
    """

    def __init__(self, loop: Loop, setting: Setting, fixed: Fixed, suffix: str) -> None:
        self.loop, self.setting, self.fixed = loop, setting, fixed
        self.name = f"{loop.symbol}{suffix}"
        names = inspect.signature(loop.function).parameters
        self.given = [Argument(*each) for each in zip(names, loop.takes, strict=True)]
        open_ = [each for each in self.given if each.name not in fixed]
        self.parameters = ", ".join(word for each in open_ for word in each.parameters)
        #: What the loop is to it, once the text is made.
        self.declared = ""
        self._lines: list[str] = []
        self._after: list[str] = []
        self._constants: list[str] = []

    def text(self, kind: str) -> str:
        """All of it."""
        around = {GPU: self._on_gpu, CPU: self._on_cpu}[kind]()
        row = self._row()
        return "\n".join([*self._constants, row, around])

    # --- one row ---------------------------------------------------------------------------------

    def _row(self) -> str:
        self._lines = ["%result = alloca i64", "%raised = alloca ptr"]
        named = next((each for each in self.given if each.rows == NAMED), None)
        row = "%thread"
        if named is not None:
            row = "%row"
            self._lines += [
                "%first = alloca i64",
                "store i64 0, ptr %first",
                f"%place = getelementptr i64, ptr addrspace(1) %{named.name}, i64 %thread",
                "%row = load i64, ptr addrspace(1) %place",
            ]
        words = ["ptr %result", "ptr %raised"]
        for each in self.given:
            if not isinstance(each.taken, Array):
                words.append(f"i64 {self.fixed.get(each.name, f'%{each.name}')}")
            elif each is named:  # the only row that the loop knows
                words += self._array(each, "%first", ["1"])
            else:
                words += self._array_of_row(each, "%thread" if each.rows == NAMED else row)
        took = ", ".join(word.split()[0] for word in words)
        symbol = self.loop.symbol
        call = f"%status = call i32 @{symbol}({', '.join(words)})"
        body = "\n  ".join([*self._lines, call, *self._after, "ret void"])
        self.declared = f"declare i32 @{symbol}({took})\n"
        return (
            f"define internal void @row_{self.name}(i64 %thread, {self.parameters}) "
            f"alwaysinline {{\n  {body}\n}}\n"
        )

    def _array_of_row(self, each: Argument, row: str) -> list[str]:
        name, lengths = each.name, [f"%{each.name}_{at}" for at in range(len(each.lengths))]
        if name in self.fixed:
            fixed: Any = self.fixed[name]
            numbers = ", ".join(f"i8 {number}" for number in fixed)
            constant = f"@{self.name}_{name}"
            self._constants.append(
                f"{constant} = internal constant [{len(fixed)} x i8] [{numbers}]"
            )
            return self._array(each, constant, [str(len(fixed))])
        place, kept = f"%{name}", f"%{name}_kept"
        if each.rows:
            place = f"%{name}_own"
            self._lines += [
                f"%{name}_from = mul i64 {row}, %{name}_stride",
                f"{place} = getelementptr i8, ptr addrspace(1) %{name}, i64 %{name}_from",
            ]
        if each.staged and self.loop.function.__name__ in CHANGING:
            sizes = [self.setting.length(letter) for letter in each.lengths]
            size = np.dtype(each.taken.dtype).itemsize * int(np.prod(sizes))
            whole = -(-size // ALIGNED) * ALIGNED
            self._lines.append(f"{kept} = alloca [{whole} x i8], align {ALIGNED}")
            # What is seen is written whole after every decision, unless a game may stay over.
            if each.taken.lengths != "ND" or self.setting.autoreset == DISABLED:
                self._lines += _moved(f"{name}_in", place, kept, whole, inward=True)
            self._after += _moved(f"{name}_out", place, kept, whole, inward=False)
            lengths = list(map(str, sizes))
        else:
            self._lines.append(f"{kept} = addrspacecast ptr addrspace(1) {place} to ptr")
        return self._array(each, kept, ["1", *lengths] if each.rows else lengths)

    def _array(self, each: Argument, place: str, lengths: Sequence[str]) -> list[str]:
        """An array as numba hands it on: see ``building/loops.py``."""
        item = np.dtype(each.taken.dtype).itemsize
        strides, count = list[str](), str(item)
        for at in reversed(range(len(lengths))):
            strides.insert(0, count)
            self._lines.append(f"%{each.name}_bytes_{at} = mul i64 {count}, {lengths[at]}")
            count = f"%{each.name}_bytes_{at}"
        self._lines.append(f"%{each.name}_items = udiv i64 {count}, {item}")
        sized = f"i64 %{each.name}_items", f"i64 {item}"
        return [
            "ptr null",
            "ptr null",
            *sized,
            f"ptr {place}",
            *(f"i64 {n}" for n in lengths),
            *(f"i64 {n}" for n in strides),
        ]

    # --- all rows --------------------------------------------------------------------------------

    def _on_gpu(self) -> str:
        registers = {"block": "ctaid.x", "width": "ntid.x", "own": "tid.x"}
        numbers = "\n  ".join(
            f"%{name}_32 = call i32 @llvm.nvvm.read.ptx.sreg.{register}()\n"
            f"  %{name} = zext i32 %{name}_32 to i64"
            for name, register in registers.items()
        )
        return (
            f"define ptx_kernel void @gpu_{self.name}(i64 %threads, {self.parameters}) "
            f'"nvvm.maxnreg"="{REGISTERS}" {{\n'
            f"  {numbers}\n  %before = mul i64 %block, %width\n  %thread = add i64 %before, %own\n"
            "  %there = icmp ult i64 %thread, %threads\n"
            "  br i1 %there, label %inside, label %outside\n"
            f"inside:\n  call void @row_{self.name}(i64 %thread, {self.parameters})\n"
            "  br label %outside\noutside:\n  ret void\n}\n"
        )

    def _on_cpu(self) -> str:
        return (
            f"define void @cpu_{self.name}(i64 %threads, {self.parameters}) {{\nentry:\n"
            "  br label %next\nnext:\n"
            "  %thread = phi i64 [0, %entry], [%following, %inside]\n"
            "  %there = icmp ult i64 %thread, %threads\n"
            "  br i1 %there, label %inside, label %outside\n"
            f"inside:\n  call void @row_{self.name}(i64 %thread, {self.parameters})\n"
            "  %following = add i64 %thread, 1\n  br label %next\noutside:\n  ret void\n}\n"
        )


def _moved(label: str, outside: str, kept: str, size: int, inward: bool) -> Iterator[str]:
    """A row between its place and the thread's own memory."""
    for at in range(0, size, ALIGNED):
        there, here = f"%{label}_{at}", f"%{label}_{at}_own"
        yield f"{there} = getelementptr i8, ptr addrspace(1) {outside}, i64 {at}"
        yield f"{here} = getelementptr i8, ptr {kept}, i64 {at}"
        source, target = f"ptr addrspace(1) {there}", f"ptr {here}"
        if not inward:
            source, target = target, source
        yield f"{there}_moved = load <4 x i32>, {source}, align {ALIGNED}"
        yield f"store <4 x i32> {there}_moved, {target}, align {ALIGNED}"


def entries(loop: Loop, setting: Setting) -> list[Entry]:
    """Those of a loop: where it is given a built-in player, one for each of them."""
    fixed = setting.fixed
    if "code" not in inspect.signature(loop.function).parameters:
        return [Entry(loop, setting, fixed, "")]
    return [Entry(loop, setting, {**fixed, "code": code}, f"_{code}") for code in BUILT_IN]
