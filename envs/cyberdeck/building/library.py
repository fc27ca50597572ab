"""The library of compiled loops, for any of the platforms, on one machine."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

from cyberdeck.building.extract import Extracted, extracted
from cyberdeck.building.loops import REAL, Takes, loops_of
from cyberdeck.building.targets import TARGETS, Target, emitted, leveled
from cyberdeck.building.zig import zig
from cyberdeck.engine import native, registry

HERE: Final = Path(__file__).parent

#: Files of machine code, and for each symbol in them which arguments it provably only reads.
Objects = tuple[list[Path], dict[str, list[bool]]]


def _table(games: Sequence[Extracted], only_read: dict[str, list[bool]], levels: int) -> str:
    """loops.inc: functions for each loop that hand its arguments on, and what is known of it."""
    functions, entries = [], []
    returning = set().union(*(game.returning for game in games))
    for loop in [loop for game in games for loop in game.loops]:
        takes = Takes(loop, only_read[leveled(loop.symbol, 0)])
        symbols = [leveled(loop.symbol, level) for level in range(levels)]
        functions += [takes.function(each, f"static int run_{each}") for each in symbols]
        assert '"' not in "".join(takes.words)
        runs = ", ".join(f"run_{symbol}" for symbol in symbols)
        entries.append(
            f'{{"{loop.name}", "{loop.made_of}", "{" ".join(takes.words)}", '
            f"{int(loop.name in returning)}, {{{runs}}}}},\n"
        )
    return (
        f'#define STAMP "{native.stamp()}"\n{REAL}'
        f"{''.join(functions)}enum {{ COUNT = {len(entries)} }};\n"
        f"static const Loop LOOPS[COUNT] = {{\n{''.join(entries)}}};\n"
    )


def _linked(
    games: Sequence[Extracted], folder: Path, target: Target, compiled: Sequence[Objects]
) -> Path:
    """The library in *folder*, from the objects of all games and levels and ``_native.c``."""
    objects = [file for files, _ in compiled for file in files]
    only_read = {symbol: read for _, proved in compiled for symbol, read in proved.items()}
    (folder / "loops.inc").write_text(_table(games, only_read, len(target.cpus)))
    made = folder / target.library
    flags = ["-shared", "-O2", "-s", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
    flags += [f"-DLEVELS={len(target.cpus)}", "-pthread"]
    imported: list[Path] = []
    if "windows" in target.zig:
        names = sorted(_names_of_python())
        (folder / "python3.def").write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names]))
        imported = [folder / "python3.lib"]
        names_of = ("-d", folder / "python3.def", "-l", imported[0])
        zig("dlltool", "-m", "i386:x86-64", *names_of, folder=folder.parent)
    own: list[str | Path] = [f"-I{folder}", HERE / "_native.c", *objects, *imported, *target.link]
    zig("cc", "-target", target.zig, *flags, *own, "-o", made, folder=folder.parent)
    return made


def _names_of_python() -> Iterator[str]:
    """What ``_native.c`` takes from Python's library, by its header."""
    for line in (HERE / "python_abi.h").read_text().splitlines():
        if line.startswith("IMPORTED extern"):
            for name in line.removesuffix(";").split("PyObject")[1].split(","):
                yield name.strip(" *") + " DATA"
        elif line.startswith("IMPORTED"):
            yield line.partition("(")[0].rpartition(" ")[2].lstrip("*")


def linked(games: Sequence[Extracted], folder: Path, targets: Sequence[str]) -> dict[str, Path]:
    """The library of some games for each target, each in a folder of its name."""
    parts = [(name, level) for name in targets for level in range(len(TARGETS[name].cpus))]
    codes = [(game.label, game.code, [loop.symbol for loop in game.loops]) for game in games]
    made_of = on_every_core(partial(_objects, codes, folder), parts)
    compiled = dict(zip(parts, made_of, strict=True))
    made = {}
    for name in targets:
        began = time.monotonic()
        own = [objects for (of, _), objects in compiled.items() if of == name]
        made[name] = _linked(games, folder / name, TARGETS[name], own)
        size, taken = made[name].stat().st_size // 1000, time.monotonic() - began
        print(f"{name}: {size} kB, linked in {taken:.0f} s", flush=True)
    return made


def _objects(
    codes: Sequence[tuple[str, bytes, list[str]]], folder: Path, part: tuple[str, int]
) -> Objects:
    """Those of all games (label, bitcode, symbols) for a level of a target's processors."""
    began, (name, level) = time.monotonic(), part
    files, only_read = list[Path](), dict[str, list[bool]]()
    (folder / name).mkdir(parents=True, exist_ok=True)
    for label, code, symbols in codes:
        machine_code, proved = emitted(code, TARGETS[name], level, symbols)
        only_read |= proved
        files.append(folder / name / f"{label}_{level}.o")
        files[-1].write_bytes(machine_code)
    print(f"{name}, level {level}: compiled in {time.monotonic() - began:.0f} s", flush=True)
    return files, only_read


def extracted_suite(folder: Path) -> list[Extracted]:
    """The suite's games, each as one module; what that took a while to make is kept in *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for _ in on_every_core(partial(_keep, folder), registry.GAMES):
        pass
    return [extracted(name, loops_of(name), folder) for name in registry.GAMES]


def _keep(folder: Path, name: str) -> None:
    extracted(name, loops_of(name), folder)


def build(folder: Path, targets: Sequence[str]) -> dict[str, Path]:
    """The suite's library for each target."""
    return linked(extracted_suite(folder), folder, targets)


def on_every_core(work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
    """Each by a new process: what it makes does not depend on what was made before it."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), fresh, max_tasks_per_child=1) as processes:
        yield from processes.map(work, parts)
