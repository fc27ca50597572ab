"""Ctrl-C is heard soon wherever compiled code works for long; pieces of work come to the same."""

from __future__ import annotations

import _thread
import itertools
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from cyberdeck import Batch
from cyberdeck.engine import pieces
from cyberdeck.engine.game_loops import Loops
from cyberdeck.engine.pieces import Pieces
from cyberdeck.engine.policy import Policy
from cyberdeck.engine.threads import together
from cyberdeck.errors import EpisodeError
from cyberdeck.exact import InformationSets, PositionSolver, Solver
from cyberdeck.exact.values import Exact, Response
from cyberdeck.players.guided import unlearned
from cyberdeck.players.search import Search
from cyberdeck.players.solvers.hackthegrid import solver as grid
from cyberdeck.players.solvers.matrix_overload import solver as matrix
from cyberdeck.players.solvers.matrix_overload.sampler import Sampler
from tests.engine.games import example

#: What takes long, and the same for a moment: before, to have it compiled, and after.
Door = tuple[Callable[[], Any], Callable[[], Any]]


def playing(**settings: Any) -> Door:
    batch = Batch("hackthegrid", 64, seed=0, **settings)
    return lambda: batch.play("random", 200_000), lambda: batch.play("random", 3)


def asked(name: str, rows: int, long: Policy, short: Policy, **settings: Any) -> Door:
    batch = Batch(name, rows, seed=0, **settings)
    core, which = batch._core, batch._core.all_rows
    return lambda: core.ask(long, which), lambda: core.ask(short, which)


def searching(rows: int, iterations: int, **settings: Any) -> Door:
    return asked("hackthegrid", rows, Search(iterations), Search(4), **settings)


def solving() -> Door:
    state = Batch("matrix_overload", 1, seed=3).get_state(0)
    return lambda: matrix.solve(state, width=100_000), lambda: matrix.solve(state)


def solving_exactly() -> Door:
    deck = [("SCRAMBLE", at % 4) for at in range(10)] + [("NET NODE", at % 4) for at in range(6)]
    hard = Batch("hackthegrid", 1, seed=1, deck=deck, scramble="at_end")._core.states
    easy, solver = Batch("hackthegrid", 1, seed=1)._core.states, grid.Solver()
    return lambda: solver.values(hard), lambda: solver.values(easy)


DOORS = {
    "play": playing,
    "play in threads": partial(playing, threads=2),
    "search": partial(searching, 1, 400_000),
    "searches": partial(searching, 400, 1000),
    "searches in threads": partial(searching, 4, 400_000, threads=2),
    "sampler": partial(asked, "matrix_overload", 1, Sampler(decks=100_000), Sampler(decks=2)),
    "winning line": solving,
    "exact solver": solving_exactly,
}


@pytest.fixture
def _hears(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C is not ignored, as it is by what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_hears")
@pytest.mark.parametrize("door", DOORS)
def test_ctrl_c_is_heard_within_a_second_and_the_work_can_go_on(door: str) -> None:
    long, short = DOORS[door]()
    short()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    begun = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        long()
    assert time.monotonic() - begun < 0.3 + 5.0  # other processes may need the core as well
    short()


def test_many_games_make_a_step_in_pieces_and_begin_anew_if_it_is_interrupted() -> None:
    batch = Batch("hackthegrid", 5000, seed=0)
    core, made = batch._core, list[int]()
    loops = core.loops

    def advance(which: Any, *given: Any) -> None:
        made.append(len(which))
        if len(made) == 3:
            raise KeyboardInterrupt
        loops.advance(which, *given)

    core.loops = Loops(**vars(loops) | {"advance": advance})
    actions = batch.choose("random")
    with pytest.raises(KeyboardInterrupt):
        batch.step(actions)
    assert made == [256, 512, 1024]
    with pytest.raises(EpisodeError, match="call reset"):
        batch.step(actions)
    batch.reset(seed=0)
    batch.step(batch.choose("random"))
    assert sum(made[3:]) == 5000


@pytest.mark.usefixtures("_hears")
def test_no_thread_works_on_after_ctrl_c() -> None:
    done = itertools.count()

    def do(piece: int) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        for _ in Pieces().of(10**9):
            next(done)
            time.sleep(0.001)

    with pytest.raises(KeyboardInterrupt):
        together(do, 2, 2)
    seen = next(done)
    time.sleep(0.05)
    assert next(done) == seen + 1


def found(threads: int) -> list[bytes]:
    """What comes of all that is done a piece at a time."""
    batch = Batch("stacktrices", 9, seed=4, threads=threads)
    batch.play("random", 40)
    core, kuhn = batch._core, example("kuhn_poker").name
    seen = core.seen(core.all_rows, True)
    network = unlearned(batch.variant)
    decks, grids = (Batch(name, 2, seed=1) for name in ("matrix_overload", "hackthegrid"))
    grids.play("random", 7)
    bench = PositionSolver(kuhn, threads=1)
    solvers = [
        Solver(InformationSets(bench.positions, threads=1, keep=keep)) for keep in (0, 10**6)
    ]
    for each in solvers:
        each.iterate(5)
    one = Batch(kuhn, 1, seed=0, history=True)
    open_game = Batch(example("tictactoe").name, 1, seed=0)
    open_game.play("random", 3)
    return [
        *(getattr(core, name).tobytes() for name in ("states", "rows", "masks", "observations")),
        *(each.tobytes() for each in Search(20, length=30).examine(seen)),
        *(each.tobytes() for each in Search(6, network=network).examine(seen)),
        decks._core.ask(Sampler(decks=3), decks._core.all_rows).tobytes(),
        repr(matrix.solve(decks.get_state(0))).encode(),
        grid.Solver().values(grids._core.states).tobytes(),
        *(each.average.tobytes() for each in solvers),
        repr(bench.best_responses(bench.uniform())).encode(),
        one.beliefs().states.tobytes(),
        Response(one.variant).of(one._core.states).tobytes(),
        Exact(open_game.variant, memory=1e-4).of(open_game._core.states).tobytes(),
    ]


@pytest.mark.slow
def test_pieces_of_any_size_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As large as they grow, and the smallest ones, in two threads."""
    whole = found(1)
    monkeypatch.setattr(pieces, "PIECE", -1.0)
    monkeypatch.setattr(pieces, "_FIRST", 1)
    begin = Pieces.__init__
    monkeypatch.setattr(Pieces, "__init__", lambda self, some=1, few=0: begin(self, 1))
    assert found(2) == whole
