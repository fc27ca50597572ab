"""The library and numba make the same of everything, bit for bit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cyberdeck
from cyberdeck.engine import kernels, native
from cyberdeck.engine.defaults import any_legal, report_nothing
from cyberdeck.engine.game_batch import GameBatch
from cyberdeck.engine.game_loops import compiled_loops
from cyberdeck.engine.loops import HEURISTIC, RANDOM
from cyberdeck.engine.policy import BuiltIn
from cyberdeck.engine.record import Field
from cyberdeck.engine.registry import variant
from cyberdeck.engine.seats import EVERY_SEAT, Seat
from cyberdeck.players.search import Search
from cyberdeck.players.solvers.hackthegrid import solver as grid_solver
from cyberdeck.players.solvers.matrix_overload import solver as matrix_solver
from cyberdeck.players.solvers.matrix_overload.sampler import Sampler
from cyberdeck.players.trees.guiding import guide_loop
from cyberdeck.players.trees.searching import search_loop
from tests.cases import EACH, PAIRS, Case, label

GAMES, STEPS = 48, 120


def assert_same(one: GameBatch, other: GameBatch, where: object) -> None:
    for name in ("states", "rows", "masks", "observations", "finals"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), f"{name}: {where}"


def batches(case: Case, seat: Seat, monkeypatch: pytest.MonkeyPatch) -> Iterator[GameBatch]:
    """With the loops of the library, and with those that numba compiles."""
    name, options = case
    chosen = variant(name, **options)
    made = both(monkeypatch, lambda: compiled_loops.__wrapped__(chosen.game))
    kinds = [{type(loop).__name__ for loop in vars(loops).values()} for loops in made]
    assert [each == {"builtin_function_or_method"} for each in kinds] == [True, False]
    for loops in made:
        players = [BuiltIn("random", RANDOM), BuiltIn("heuristic", HEURISTIC)]
        batch = GameBatch(chosen, GAMES, seat=seat, opponents=players, allies=players)
        batch.loops = loops
        batch.reset(range(7, 7 + GAMES))
        yield batch


@pytest.fixture(params=[0, 1], ids=["oldest processors", "this processor"])
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code for older processors is tested as well as the one that is chosen here."""
    library = native.library()
    monkeypatch.setattr(library, "level", min(request.param, library.level))


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize(
    ("level", "case", "seat"),
    [
        (level, case, (EVERY_SEAT, Seat(0))[at % 2])
        for level, cases in enumerate([EACH, PAIRS])
        for at, case in enumerate(cases)
    ],
    ids=[label(case) for case in [*EACH, *PAIRS]],
    indirect=["level"],
)
def test_long_play_is_the_same(case: Case, seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any two options, illegal actions and all; and whatever can be asked on the way."""
    one, other = batches(case, seat, monkeypatch)
    luck = np.random.default_rng(3)
    for step in range(STEPS):
        code = (RANDOM, RANDOM, HEURISTIC)[step % 3]
        actions = one.choose(code)
        assert actions.tobytes() == other.choose(code).tobytes()
        if step % 7 == 0:
            actions[luck.integers(0, GAMES, 3)] = luck.integers(-2, len(one.masks[0]) + 2, 3)
        first = [b.loops.first_illegal(b.all_rows, actions, b.rows, b.masks) for b in (one, other)]
        assert first[0] == first[1]
        for batch in (one, other):
            batch._advance(batch.all_rows, actions)
        assert_same(one, other, f"step {step}")
    for code in (RANDOM, HEURISTIC):
        one.play(code, 30)
        other.play(code, 30)
        assert_same(one, other, f"play {code}")
    assert questions(one) == questions(other)
    for row in range(0, GAMES, 8):
        for batch in (one, other):
            batch.resample(row % batch.variant.seats, row, row)
    assert_same(one, other, "resample")


def questions(batch: GameBatch) -> list[bytes]:
    """The answers of all loops that change nothing."""
    seats, actions = batch.variant.seats, batch.variant.action_count
    metrics = np.zeros((seats, len(batch.game.metrics)), np.int32)
    masks = np.zeros((seats, actions), np.int8)
    seen = np.zeros((seats, batch.variant.observation_size), np.int8)
    together, deciding, hidden = (np.zeros(seats, kind) for kind in (np.int8, np.bool_, np.bool_))
    sides = np.zeros(seats, np.int64)
    failed = np.zeros(GAMES, np.int64)
    found: list[np.ndarray] = []
    for row in range(0, GAMES, 5):
        for seat in range(seats):
            found += batch.look(seat, row)
        batch.loops.report_all(batch.states, row, metrics)
        found.append(metrics.copy())
        batch.loops.look_together(batch.states, row, masks, seen, metrics, together)
        found += copy.deepcopy([masks, seen, metrics, together])
        batch.loops.describe_seats(batch.states, row, sides, deciding, hidden)
        found += copy.deepcopy([sides, deciding, hidden])
    bad = batch.loops.check_state(batch.states, failed)
    asked = batch.seen(batch.all_rows[::2].copy(), True)
    found += [np.array(bad), failed, asked.random_bits, asked.states]
    return [each.tobytes() for each in found]


def forget() -> None:
    """Have every loop made anew when it is next asked for."""
    compiled_loops.cache_clear()
    search_loop.cache_clear()
    guide_loop.cache_clear()
    for loop in kernels.OF_ONE_GAME:
        vars(loop).pop("compiled", None)


def both(monkeypatch: pytest.MonkeyPatch, ask: Callable[[], Any]) -> tuple[Any, Any]:
    """What *ask* brings with the library, and what without."""
    found = []
    for library in (native.library, lambda: None):
        with monkeypatch.context() as patch:
            patch.setattr(native, "library", library)
            forget()
            found.append(ask())
    forget()
    return found[0], found[1]


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("name", cyberdeck.GAMES)
def test_search_is_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    core = cyberdeck.Batch(name, 8, seed=5).core
    core.play(RANDOM, 12)
    seen = core.seen(core.all_rows, True)
    for player in (Search(60), Search(40, playout="random", length=20, prior=0.2)):
        one, other = both(monkeypatch, lambda player=player: player.examine(seen))
        for mine, theirs in zip(one, other, strict=True):
            assert mine.tobytes() == theirs.tobytes()


def test_games_are_solved_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = cyberdeck.Batch("hackthegrid", 6, seed=1, scramble="at_end").core
    grid.play(RANDOM, 3)
    matrix = cyberdeck.Batch("matrix_overload", 3, seed=1).core
    seen = [core.seen(core.all_rows, True) for core in (grid, matrix)]

    def solved() -> tuple[Any, ...]:
        optimal = grid_solver.Optimal()
        values = optimal.solver.values(grid.states).tobytes(), optimal.decide(seen[0]).tobytes()
        lines = [matrix_solver.solve(matrix.states[at : at + 1]) for at in range(3)]
        wins = [matrix_solver.wins(matrix.states[:1], line or [0]) for line in lines]
        return wins, lines, Sampler(20).decide(seen[1]).tobytes(), values

    one, other = both(monkeypatch, solved)
    assert one == other
    assert any(one[0])


@pytest.mark.parametrize(
    "changed",
    [
        {"heuristic": any_legal},
        {"metrics": (), "report": report_nothing},
        {"fields": (*cyberdeck.game("hackthegrid").fields, Field("more", 0, 1))},
    ],
    ids=["heuristic", "metrics", "fields"],
)
def test_a_game_made_from_one_of_the_suite_is_not_taken_for_it(changed: dict[str, Any]) -> None:
    """It has its name, and rules or a record of its own."""
    loops = compiled_loops.__wrapped__(replace(cyberdeck.game("hackthegrid"), **changed))
    assert all(hasattr(loop, "py_func") for loop in vars(loops).values())
