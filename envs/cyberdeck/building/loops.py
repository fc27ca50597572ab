"""All loops of a game, and what each is given.

Every loop is called once, by those who call it anyway, with a recorder in its place. What it is
given says the types. What is left to say by hand is which lengths must be the same: ``SHAPES``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np
from numba.core import types

import cyberdeck
from cyberdeck.building.targets import PREFIX
from cyberdeck.engine import kernels, native, registry
from cyberdeck.engine import loops as engine_loops
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.loops import HEURISTIC, RANDOM
from cyberdeck.engine.roles import sides
from cyberdeck.players.guided import unlearned
from cyberdeck.players.search import Search
from cyberdeck.players.solvers.hackthegrid import solver as grid_solver
from cyberdeck.players.solvers.matrix_overload import solver as matrix_solver
from cyberdeck.players.trees import guiding, searching

#: loop -> for each argument its lengths, or - for a number. Equal letters are equal lengths:
#: N games, W rows that are meant, A actions, D elements of an observation, S seats, M metrics.
SHAPES: Final = {
    "begin": "W N N P Q - NA ND",
    "advance": "W W N N P Q - NA ND NSD",
    "play": "- - N N P Q - NA ND NSD",
    "choose": "- N N NA N",
    "first_illegal": "W W N NA",
    "look": "N - - A D M",
    "look_together": "N - SA SD SM S",
    "report_all": "N - SM",
    "resample": "N - - -",
    "ask": "W N N W P",
    "check_state": "N N",
    "describe_seats": "N - S S",
    "search": "N N (- - - - - -) (1 H K E 1 L S) (A D V) (GS ZS S) R NA NA",
    "guide": "N N (- - - - - -) - - (N1 NH NK NE N1 NL NS) N (A D V) (NA ND NA N) N NA NA",
    "solve": "1 - - 1 CIJ T X XY XY A 1 A",
    "prefer": "N NA N N",
    "find_emptiable": "CIJ",
    "find": "- (2W W W W W P LW LW A O A) L",
    "decide_all": "N N - - (2W W W W W P LW LW A O A) (1 A A A) N",
    "follow": "1 L A",
}


@dataclass
class Loop:
    """A loop of a game: what it is made from, and what it was called with."""

    name: str
    label: str
    function: Callable[..., Any]
    made_of: str
    arguments: tuple[types.Type, ...] = field(default=(), init=False)
    dtypes: list[np.dtype[Any]] = field(default_factory=list, init=False)  # of the arrays in them

    @property
    def symbol(self) -> str:
        return PREFIX + self.name.replace(".", "_")

    @property
    def shape(self) -> str:
        return SHAPES[self.name.partition(".")[2]]

    def __call__(self, *arguments: Any) -> int:
        """Note the types, and do nothing: as if nothing were illegal, broken or found."""
        given = tuple(numba.typeof(each) for each in arguments)
        if self.arguments and given != self.arguments:
            raise TypeError(f"{self.name} is called with arguments of several types")
        self.arguments = given
        self.dtypes = [each.dtype for each in _flat(arguments) if isinstance(each, np.ndarray)]
        return -1 if self.name.endswith(".first_illegal") else 0


def _flat(values: tuple[Any, ...]) -> Iterator[Any]:
    for each in values:
        yield from _flat(each) if isinstance(each, tuple) else (each,)


def _call_all(name: str) -> None:
    """Call every loop of a game as the package does."""
    variant = cyberdeck.variant(name)
    core = GameBatch(variant, 3)
    core.reset(range(3))
    core.step(core.choose(HEURISTIC))
    core.play(RANDOM, 1)
    core.resample(0, 1)
    sides(variant.game, core.states)
    seen = core.seen(core.all_rows[1:], True)
    seen.states[:] = variant.blank()
    Search(iterations=1).decide(seen)
    Search(iterations=1, network=unlearned(variant)).decide(seen)
    seats, metrics = variant.seats, np.zeros((variant.seats, len(variant.game.metrics)), np.int32)
    loops = engine_loops.loops_of(variant.game)
    loops.report_all(core.states, 0, metrics)
    loops.check_state(core.states, np.zeros(3, np.int64))
    masks = np.zeros((seats, variant.action_count), np.int8)
    observations = np.zeros((seats, variant.observation_size), np.int8)
    deciding = np.zeros(seats, np.int8)
    loops.look_together(core.states, 0, masks, observations, metrics, deciding)
    if name == "hackthegrid":
        grid_solver.Optimal().decide(seen)
    if name == "matrix_overload":
        position = variant.blank()
        position["mover"] = 0
        matrix_solver.solve(position, width=1, widest=1)
        matrix_solver.wins(position, [0])
        matrix_solver.Sampler(1).decide(seen)


def forget() -> None:
    """Have every loop made anew when it is next asked for."""
    for module in (engine_loops, searching, guiding, grid_solver, matrix_solver):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def recorded(names: Iterable[str]) -> list[Loop]:
    """All loops of these games, each with what it is given."""
    return list(_recorded(names)[0].values())


def recorded_suite() -> list[Loop]:
    """All loops that there are in the package."""
    found, sites = _recorded(registry.GAMES)
    if missed := [f"{path}, line {line}" for path, line in sorted(set(_sites()) - sites)]:
        raise LookupError(_never_called(missed))
    return list(found.values())


def _recorded(names: Iterable[str]) -> tuple[dict[str, Loop], set[tuple[str, int]]]:
    """The loops by name, and who had them compiled."""
    found: dict[str, Loop] = {}
    sites: set[tuple[str, int]] = set()

    def record(functions: Any, label: str, records: Any) -> list[Loop]:
        sites.add(_site())
        made_of = native.made_of(functions, records)
        made = [Loop(f"{label}.{each.__name__}", label, each, made_of) for each in functions]
        found.update({each.name: each for each in made})
        return made

    looked_up = native.loops
    native.loops = record  # type: ignore[assignment]
    forget()
    try:
        for name in names:
            _call_all(name)
    finally:
        native.loops = looked_up
        forget()
    if missed := sorted(name for name, each in found.items() if not each.arguments):
        raise LookupError(_never_called(missed))
    return found, sites


def _never_called(missed: list[str]) -> str:
    return (
        f"loops that are never called here, and so in no library: {missed}; "
        "have _call_all in cyberdeck/building/loops.py call them"
    )


def _site() -> tuple[str, int]:
    """Who has a loop compiled: the file, and the line."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == kernels.__file__:
        assert frame.f_back is not None
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _sites() -> Iterator[tuple[str, int]]:
    """Every place in the package at which a loop is compiled."""
    for path in Path(cyberdeck.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        if "compile_loop" not in text or str(path) == kernels.__file__:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if called in ("compile_loop", "compile_loops"):
                    yield str(path), node.lineno
